"""Output files of commands: checks before the work, and errors of writing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from ossature.cli.console import EXIT_INVALID_INPUT, fail

NEEDS_PLOT = "drawing needs matplotlib: pip install 'ossature[plot]'"


def check_outputs(inputs: Iterable[Path | None], outputs: Iterable[Path | None]) -> None:
    """End the command if an output file is in no existing folder, is an input or another output too, or standard output."""
    used = [path for path in inputs if path is not None]
    for path in outputs:
        if path is None:
            continue
        if str(path) == "-":
            fail("'-' is no output file: this command does not write files to standard output")
        if path.is_dir():
            fail(f"{path}: this is a folder")
        if not path.parent.is_dir():
            fail(f"{path}: the folder does not exist")
        if any(_is_same_file(path, other) for other in used):
            fail(f"{path} is given twice: it would be overwritten")
        used.append(path)


def _is_same_file(first: Path, second: Path) -> bool:
    return first.samefile(second) if first.exists() and second.exists() else first.resolve() == second.resolve()


def require_suffix(path: Path | None, *suffixes: str, what: str) -> None:
    """End the command if an output file has an unsupported suffix.

    Args:
        path: The file, or None.
        what: Name of its content, in the plural.
    """
    if path is not None and path.suffix.lower() not in suffixes:
        fail(f"{what} are written as {', '.join(suffixes)}, not '{path.suffix}'")


def require_plot(path: Path) -> None:
    """End the command if a file for a plot has an unsupported suffix, or if matplotlib is missing."""
    require_suffix(path, ".png", ".svg", ".pdf", what="plots")
    if find_spec("matplotlib") is None:
        fail(NEEDS_PLOT)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """End the command, with the reason of the system, if a file cannot be written."""
    try:
        yield
    except OSError as error:
        fail(f"{error.filename or path}: {(error.strerror or str(error)).lower()}", EXIT_INVALID_INPUT)
