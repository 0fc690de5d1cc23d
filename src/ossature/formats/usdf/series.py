"""Recordings in USDF: the root holds the first state, and each sample after it a later one."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.diagnostics import Report, Source
from ossature.formats.usdf import rules
from ossature.formats.usdf.read import is_usdf, read_sample, read_state
from ossature.formats.usdf.schema import PREFIX
from ossature.model import State
from ossature.syntax import xml

SAMPLE_TAG = f"{PREFIX}:sample"


def read_series(source: Source, report: Report) -> Iterator[State]:
    """Yield every state of a USDF file, one at a time; a recording that was cut off gives all whole ones."""
    nodes = xml.stream(source, report, SAMPLE_TAG, rules.TORN_RECORDING)
    root = next(nodes, None)
    if root is None or not is_usdf(root, report):
        return
    first = read_state(root, report)
    yield first
    for node in nodes:
        yield read_sample(node, first, report)
