"""Reads and writes a State as a file."""

from __future__ import annotations

from pathlib import Path

from ossature.assets import write_file_atomically
from ossature.assets.regular_files import file_bytes
from ossature.diagnostics import Report, Source
from ossature.formats.usdf import read_usdf, write_usdf
from ossature.model import State


def read_state_file(path: str | Path, report: Report) -> State | None:
    """Return the state in a USDF file, or None if there is none; problems are reported.

    For a recording this is its first state.
    """
    data = file_bytes(Path(path), report)
    return None if data is None else read_usdf(Source(str(path), data), report)


def write_state_file(state: State, path: str | Path) -> None:
    """Write a state as a USDF file atomically.

    Raises:
        OSError: The file cannot be written.
    """
    write_file_atomically(Path(path), write_usdf(state))
