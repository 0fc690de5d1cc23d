"""Refusal of stated folders that do not exist: a misspelt one would only be missed where a file in it is needed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ossature.diagnostics.suggestions import suggestion


def require_folders(name: str, folders: Iterable[str | Path]) -> None:
    """Require that folders exist.

    Args:
        name: What states them, for the message.
        folders: The folders.

    Raises:
        ValueError: One does not exist, or is a file; the message names the folders beside it.
    """
    for folder in map(Path, folders):
        if not _is_folder(folder):
            hint = suggestion(folder.name, _folders_in(folder.parent))
            raise ValueError(f"{name} '{folder}': there is no such folder{f' ({hint})' if hint else ''}")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a folder above it is not accessible
        return False


def _folders_in(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in folder.iterdir() if _is_folder(entry) and not entry.name.startswith(".")]
    except OSError:  # it does not exist either
        return []
