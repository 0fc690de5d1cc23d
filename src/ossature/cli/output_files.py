"""Files that commands write: looked at before work goes into them, and what is said where they cannot be written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from ossature.cli.console import EXIT_INVALID_INPUT, fail
from ossature.diagnostics import OssatureError

NEEDS_PLOT = "drawing needs matplotlib: pip install 'ossature[plot]'"


def check_outputs(inputs: Iterable[Path | None], outputs: Iterable[Path | None]) -> None:
    """End the command where a file that is to be written cannot be, or is read, too, or written twice."""
    taken = [path for path in inputs if path is not None]
    for path in outputs:
        if path is None:
            continue
        if path.is_dir():
            fail(f"{path}: this is a folder")
        if not path.parent.is_dir():
            fail(f"{path}: there is no such folder")
        if any(_is_same_file(path, other) for other in taken):
            fail(f"{path} is named twice: it would be written over")
        taken.append(path)


def _is_same_file(first: Path, second: Path) -> bool:
    if first.exists() and second.exists():
        return first.samefile(second)
    return first.resolve() == second.resolve()


def require_suffix(path: Path | None, *suffixes: str, what: str) -> None:
    """End the command where a file is to be written whose name ends in no way that is known.

    Args:
        path: The file, or None where none is.
        suffixes: How it may end.
        what: What it holds.
    """
    if path is not None and path.suffix.lower() not in suffixes:
        fail(f"{what} are written as {', '.join(suffixes)}, not '{path.suffix}'")


def require_plot(path: Path) -> None:
    """End the command where no picture of a recording can be drawn into a file."""
    require_suffix(path, ".png", ".svg", ".pdf", what="pictures")
    if find_spec("matplotlib") is None:
        fail(NEEDS_PLOT)


@contextmanager
def usage_errors() -> Iterator[None]:
    """End the command with what the package says of a name that was given."""
    try:
        yield
    except OssatureError as error:
        fail(str(error))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """End the command, with the system's reason, where a file cannot be written."""
    try:
        yield
    except OSError as error:
        fail(f"{error.filename or path}: {(error.strerror or str(error)).lower()}", EXIT_INVALID_INPUT)
