"""Recordings in USDF: the root contains the first state, followed by samples with later states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ossature.diagnostics import Report, Source, within_limits
from ossature.formats.usdf import rules
from ossature.formats.usdf.read import is_usdf, read_document, state_of, state_of_sample
from ossature.formats.usdf.schema import PREFIX, QuantityElement, SampleElement
from ossature.model import State
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml_binding import bind

SAMPLE_TAG = f"{PREFIX}:sample"


@dataclass(frozen=True, slots=True)
class Series:
    """A recording.

    Attributes:
        quantities: Quantities that are not part of states.
        values: The values of these quantities in the first state.
        turns: The joints, by model and name, whose first three positions are a rotation vector.
        samples: All states with the values of the quantities; the iterator can be used once.
    """

    quantities: tuple[QuantityElement, ...]
    values: tuple[float, ...]
    turns: frozenset[tuple[str, str]]
    first: State
    samples: Iterator[tuple[State, tuple[float, ...]]]


@within_limits
def read_series(source: Source, report: Report) -> Series | None:
    """Return a recording whose states are read on demand, all complete ones if it is truncated; None if there is none."""
    nodes = xml_parser.stream(source, report, SAMPLE_TAG, rules.TRUNCATED_RECORDING)
    root = next(nodes, None)
    if root is None or not is_usdf(root, report):
        return None
    document = read_document(root, report)
    first, values = state_of(document, report), document.values or ()
    turns = frozenset([(each.model or "", each.joint or "") for each in document.turning])
    return Series(document.quantity, values, turns, first, _read_samples(first, values, nodes, report))


def _read_samples(
    first: State, values: tuple[float, ...], nodes: Iterator[xml.XmlNode], report: Report
) -> Iterator[tuple[State, tuple[float, ...]]]:
    state = first
    yield first, values
    for node in nodes:
        sample = bind(SampleElement, node, report)
        state = state_of_sample(sample, state, report)
        yield state, _read_values(sample, len(values), report)


def _read_values(sample: SampleElement, count: int, report: Report) -> tuple[float, ...]:
    """Return the values of a sample, or NaN for each value if their number differs from that of the first state."""
    values = sample.values or ()
    if len(values) == count:
        return values
    if not any(finding.rule is rules.COLUMN_COUNT_MISMATCH for finding in report):
        report.add(rules.COLUMN_COUNT_MISMATCH, f"{len(values)} values instead of {count}", sample.location())
    return (float("nan"),) * count
