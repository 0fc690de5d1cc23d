"""Plug-ins: formats and checks of other packages, found by their entry points.

Packages are searched only when a plug-in may be needed. Most installations have none, which is found out in about a
millisecond from the files ``entry_points.txt``; the standard library's search takes fifty times as long.
"""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ossature.diagnostics import Report, Rule

FORMATS, CHECKS = "ossature.formats", "ossature.checks"
"""The groups of entry points."""

INVALID_PLUGIN = Rule.warning(
    "invalid-plugin",
    "FILE020",
    "A format or check of another package cannot be used.",
    "A package states an entry point in the group `ossature.formats` or `ossature.checks`, but it cannot be imported, is not a "
    "format or check, or has a name that another one has. Ossature works without it: files of that format are not read, and "
    "that check is not run. Correct, update or uninstall the package.",
)
FAILED_PLUGIN = Rule.error(
    "failed-plugin",
    "FILE022",
    "A format or check of another package raised an exception.",
    "Readers of plug-ins add findings about invalid content, and checks add theirs; an exception is a mistake of the package. "
    "The message has its last line in the module of the plug-in. The file is not read, or the findings of that check are "
    "incomplete. Report this to the authors of the package, or uninstall it.",
)
RULES = (INVALID_PLUGIN, FAILED_PLUGIN)
RAISED_BY_PLUGINS = (Exception, SystemExit)
"""What functions of plug-ins may raise: anything but an interrupt by the user."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An object of another package.

    Attributes:
        label: Its entry point and its package, for messages.
        value: The object; None if it cannot be imported.
        problem: Why it cannot be imported; empty if it can.
    """

    label: str
    value: Any = None
    problem: str = ""


@cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of a group in the order of their names, each imported once."""
    if not _may_exist(group):
        return ()
    from importlib.metadata import entry_points

    return tuple([_loaded(one) for one in sorted(entry_points(group=group), key=lambda one: (one.name, one.value))])


def report_plugin(plugin: Plugin, problem: str, report: Report) -> None:
    """Add the finding that a plug-in cannot be used."""
    report.add(INVALID_PLUGIN, f"the plug-in {plugin.label} is not used: {problem}", hint="correct or uninstall the package")


def describe_failure(label: str, error: BaseException) -> str:
    """Return the message about an exception that a function of a plug-in raised, with its last line in the plug-in's module.

    Args:
        error: The exception, caught by the caller of the function.
    """
    frames = traceback.extract_tb(error.__traceback__)[1:]
    lines = [f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in frames if frame.filename == frames[0].filename]
    return f"the plug-in {label} failed: {_error_text(error)}{lines[-1] if lines else ''}"


def _error_text(error: BaseException) -> str:
    """Return the type and the message of an exception, which may have no message that can be formatted."""
    try:
        return f"{type(error).__name__}: {error}"
    except RAISED_BY_PLUGINS:
        return type(error).__name__


def _loaded(entry: Any) -> Plugin:
    package = f" of the package {entry.dist.name}" if entry.dist is not None else ""
    label = f"'{entry.name}'{package}"
    try:
        return Plugin(label, entry.load())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # code of others may raise anything
        return Plugin(label, problem=f"{entry.value} cannot be imported: {_error_text(error)}")


def _may_exist(group: str) -> bool:
    """Whether a file of entry points may contain a group; certain only if this is False."""
    return any(_states(folder, group.encode()) for folder in dict.fromkeys(sys.path))


def _states(folder: str, group: bytes) -> bool:
    path = Path(folder or ".")
    if not path.is_dir():
        return path.is_file()  # an archive, which the standard library searches
    try:
        names = [entry.name for entry in os.scandir(path) if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    return any(group in _content(path / name / "entry_points.txt") for name in names)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""
