"""The model files among files, folders and patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ossature.diagnostics import OssatureError
from ossature.diagnostics.resource_limits import DEFAULT_LIMITS
from ossature.formats import REGISTRY
from ossature.formats.format import Content, Format
from ossature.formats.sniffing import SNIFFED_BYTES
from ossature.linting.configuration import ConfigurationFinder
from ossature.linting.path_patterns import is_glob_match

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})


class NoFileError(OssatureError):
    """A pattern matches no file."""


def find_model_files(paths: Iterable[Path], finder: ConfigurationFinder, *, is_excluding_specified: bool = False) -> list[Path]:
    """Return the model files among paths, each once, in the order of the paths; those of a folder in the order of names.

    A folder means all files in it and its folders, except hidden ones, that have the suffix and the content of a format
    which can be read. A path that is no file may be a pattern with ``*``, ``?``, ``[…]`` and ``**``. Links to folders are
    not followed.

    Args:
        paths: Files, folders and patterns.
        finder: Finds the configuration that excludes files in folders.
        is_excluding_specified: Whether it also excludes files that are stated.

    Raises:
        NoFileError: A pattern matches no file.
        SettingsError: A configuration file is not valid.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(_model_files_in(path, finder)))
            continue
        for file in [path] if path.exists() or not glob.has_magic(str(path)) else _matching(path):
            if not (is_excluding_specified and finder.of(file).excludes(file)):
                found[file] = None
    return list(found)


def _matching(pattern: Path) -> list[Path]:
    """Return the files that match a pattern, for shells that expand none."""
    wildcard = next(index for index, part in enumerate(pattern.parts) if glob.has_magic(part))
    parts = pattern.parts[wildcard:]
    if "**" not in parts:
        found = [Path(each) for each in glob.glob(str(pattern))]  # noqa: PTH207  # keeps the spelling
    else:  # glob would follow links to folders, of which a few that refer to one another take forever
        top = Path(*pattern.parts[:wildcard])
        candidates = (Path(parent) / name for parent, _, files in os.walk(top) for name in files)
        found = [each for each in candidates if is_glob_match(each.relative_to(top).parts, parts)]
    files = sorted(each for each in found if each.is_file())
    if not files:
        raise NoFileError(f"no file matches '{pattern}'")
    return files


def _model_files_in(folder: Path, finder: ConfigurationFinder) -> Iterator[Path]:
    formats = [known for known in REGISTRY.all(Content.WORLD) if known.read is not None]
    others = [known for known in REGISTRY.all() if known.content is not Content.WORLD]
    for parent, folders, files in os.walk(folder):
        here = Path(parent)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _SKIPPED_FOLDERS and not finder.of(here).excludes(here / name)
        )
        for name in sorted(files):
            path = here / name
            if not name.startswith(".") and _is_model(path, formats, others) and not finder.of(path).excludes(path):
                yield path


def _is_model(path: Path, formats: list[Format], others: list[Format]) -> bool:
    known = [each for each in formats if path.suffix.lower() in each.suffixes]
    if not known:
        return False
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(SNIFFED_BYTES)
            if any(path.suffix.lower() in each.suffixes and each.sniff(head) for each in others):
                return False
            fitting = [each for each in known if each.sniff(head)]
            if any(each.has_model is None for each in fitting):
                return True
            if not fitting or path.stat().st_size > DEFAULT_LIMITS.file_bytes:
                return bool(fitting)  # the reader refuses it
            content = head + file.read()
            return any(each.has_model is not None and each.has_model(content) for each in fitting)
    except OSError:
        return True  # the reader reports why it cannot be read
