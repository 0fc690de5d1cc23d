"""The functions of the public interface; ``import ossature`` offers them under its own name."""

from __future__ import annotations

from pathlib import Path

from ossature.checks import check
from ossature.comparison import compare
from ossature.conversion import save
from ossature.diagnostics import LoadError, Report
from ossature.formats.files import read_file
from ossature.kinematics import poses
from ossature.model import World


def read(path: str | Path, *, format: str | None = None) -> tuple[World | None, Report]:  # the public word
    """Return the World that a file describes, and every finding; bad content never raises.

    Args:
        path: The file.
        format: Its format; by its suffix or beginning where none is named.

    Returns:
        The World, or None where the file cannot be read at all, and the report.

    Raises:
        ValueError: There is no format of that name.
    """
    report = Report()
    return read_file(path, report, format_name=format), report


def load(path: str | Path, *, format: str | None = None) -> World:  # the public word
    """Return the World that a file describes.

    Args:
        path: The file.
        format: Its format; by its suffix or beginning where none is named.

    Raises:
        LoadError: There is an error in the file; it carries the report with every finding.
        ValueError: There is no format of that name.
    """
    world, report = read(path, format=format)
    if world is None or report.has_errors:
        raise LoadError(report)
    return world


__all__ = ["check", "compare", "load", "poses", "read", "save"]
