"""Reads a World from a path."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ossature.assets.regular_files import file_bytes
from ossature.diagnostics import Location, Report, Source, suggestion, within_limits
from ossature.formats import FORMATS, USDF, format_of
from ossature.formats.input_file_rules import STATE_INSTEAD_OF_MODEL, UNKNOWN_FORMAT
from ossature.model import World


def read_file(path: str | Path, report: Report, *, format_name: str | None = None) -> World | None:
    """Return the World in a file, or None if there is none; problems are reported.

    Args:
        path: The file.
        report: Receives findings.
        format_name: The file's format; determined from its suffix or first bytes if None.

    Raises:
        ValueError: There is no format of that name.
    """
    if format_name is not None and format_name not in FORMATS:
        raise ValueError(f"unknown format '{format_name}': {suggestion(format_name, FORMATS)}")
    return _read_file(Path(path), report, format_name)


@within_limits
def _read_file(path: Path, report: Report, format_name: str | None) -> World | None:
    data = file_bytes(path, report)
    if data is None:
        return None
    known = FORMATS[format_name] if format_name is not None else format_of(path, data)
    source = Source(str(path), data)
    if known is None and is_state(path, data):
        hint = "use it with `ossature state`, or with its model in `simulate` or `view` with `--initial-state`"
        report.add(
            STATE_INSTEAD_OF_MODEL, "this file contains the state of a world, not a world", Location(source, 0), hint=hint
        )
        return None
    if known is None:
        report.add(
            UNKNOWN_FORMAT,
            f"unknown suffix '{path.suffix}', and the content is not recognised",
            Location(source),
            hint=f"name the format with --input-format: {', '.join(FORMATS)}",
        )
        return None
    with _collector_paused():
        return known.reader(source, report, folder=Path(os.path.abspath(path)).parent)  # noqa: PTH100  # without resolving symbolic links


def is_state(path: Path, data: bytes) -> bool:
    """Whether a file contains states, by its suffix or first bytes."""
    return path.suffix.lower() in USDF.suffixes or any(root in data[:65536] for root in USDF.roots)


@contextmanager
def _collector_paused() -> Iterator[None]:
    # Reading creates many objects that stay alive: garbage collection would traverse them repeatedly without effect.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
