"""Reading files; ``import ossature`` offers it under its own name."""

from __future__ import annotations

from pathlib import Path

from ossature.diagnostics import Limits, LoadError, Report
from ossature.formats.open_file import read_file
from ossature.model import World


def read(
    path: str | Path,
    *,
    format: str | None = None,  # the public word
    calibration: str | Path | None = None,
    limits: Limits | None = None,
) -> tuple[World | None, Report]:
    """Return the World that a file describes, and every finding; bad content never raises.

    Threads may read files at the same time, and share the World, which is never changed.

    Args:
        path: The file.
        format: Its format; by its suffix or beginning where none is named.
        calibration: A file that says how this robot differs from the model file; see ``docs/calibration.md``.
        limits: What reading may use at most (bytes, elements, CPU time, ...); the documented defaults if None.

    Returns:
        The World, or None where a file cannot be read at all, and the report.

    Raises:
        ValueError: There is no format of that name.
    """
    report = Report(limits=limits)
    world = read_file(path, report, format_name=format)
    if world is None or calibration is None:
        return world, report
    from ossature.formats.calibration import read_calibration, with_calibration  # loads YAML

    overlay = read_calibration(Path(calibration), report)
    return (None if overlay is None else with_calibration(world, overlay, report)), report


def load(
    path: str | Path,
    *,
    format: str | None = None,  # the public word
    calibration: str | Path | None = None,
    limits: Limits | None = None,
) -> World:
    """Return the World that a file describes.

    Threads may read files at the same time, and share the World, which is never changed; see ``docs/thread_safety.md``.

    Args:
        path: The file.
        format: Its format; by its suffix or beginning where none is named.
        calibration: A file that says how this robot differs from the model file; see ``docs/calibration.md``.
        limits: What reading may use at most (bytes, elements, CPU time, ...); the documented defaults if None.

    Raises:
        LoadError: There is an error in a file; it carries the report with every finding.
        ValueError: There is no format of that name.
    """
    world, report = read(path, format=format, calibration=calibration, limits=limits)
    if world is None or report.has_errors:
        raise LoadError(report)
    return world
