"""Reads files; its functions are available as ``ossature.load`` and ``ossature.read``."""

from __future__ import annotations

from pathlib import Path

from ossature.diagnostics import Limits, LoadError, Report
from ossature.formats.load_file import read_file
from ossature.model import World


def read(
    path: str | Path,
    *,
    format: str | None = None,  # the established name of the parameter
    dialect: str | None = None,
    calibration: str | Path | None = None,
    limits: Limits | None = None,
) -> tuple[World | None, Report]:
    """Return the World in a file and all findings; invalid content never raises.

    Threads may read files at the same time, and share the World, which is never changed.

    Args:
        path: The file.
        format: Its format; determined from its suffix or first bytes if None.
        dialect: The program whose interpretation is used (``openrave`` of COLLADA); that of the specification if None.
        calibration: A file with the differences between this robot and the model file; see ``docs/calibration.md``.
        limits: Resource limits (bytes, elements, CPU time, ...); the documented defaults if None.

    Returns:
        The World, or None if a file cannot be read, and the report.

    Raises:
        ValueError: There is no format of that name, or it has no such dialect.
    """
    report = Report(limits=limits)
    world = read_file(path, report, format_name=format, dialect=dialect)
    if world is None or calibration is None:
        return world, report
    from ossature.formats.calibration import read_calibration, with_calibration  # loads YAML

    overlay = read_calibration(calibration, report)
    return (None if overlay is None else with_calibration(world, overlay, report)), report


def load(
    path: str | Path,
    *,
    format: str | None = None,  # the established name of the parameter
    dialect: str | None = None,
    calibration: str | Path | None = None,
    limits: Limits | None = None,
    ignore_errors: bool = False,
) -> World:
    """Return the World in a file.

    Threads may read files at the same time, and share the World, which is never changed; see ``docs/thread_safety.md``.

    Args:
        path: The file.
        format: Its format; determined from its suffix or first bytes if None.
        dialect: The program whose interpretation is used (``openrave`` of COLLADA); that of the specification if None.
        calibration: A file with the differences between this robot and the model file; see ``docs/calibration.md``.
        limits: Resource limits (bytes, elements, CPU time, ...); the documented defaults if None.
        ignore_errors: Whether to return what could be read of a file with errors; :func:`read` returns the errors too.

    Raises:
        LoadError: A file has an error, or cannot be read at all; the exception has the report with all findings.
        ValueError: There is no format of that name, or it has no such dialect.
    """
    world, report = read(path, format=format, dialect=dialect, calibration=calibration, limits=limits)
    if world is None or (report.has_errors and not ignore_errors):
        raise LoadError(report)
    return world
