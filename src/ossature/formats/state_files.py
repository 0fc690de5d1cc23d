"""Reads and writes a State as a file."""

from __future__ import annotations

from pathlib import Path

from ossature.assets import write_file_atomically
from ossature.diagnostics import Report
from ossature.formats.format import Content
from ossature.formats.load_file import load_file
from ossature.formats.usdf import write_usdf
from ossature.model import State


def read_state_file(path: str | Path, report: Report) -> State | None:
    """Return the first state in a file, or None if there is none; problems are reported."""
    return next(iter(load_file(path, report, contents=(Content.STATE,)).states), None)


def write_state_file(state: State, path: str | Path) -> None:
    """Write a state as a USDF file atomically.

    Raises:
        OSError: The file cannot be written.
    """
    write_file_atomically(Path(path), write_usdf(state))
