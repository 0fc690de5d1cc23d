"""Files that exist, in place of files that do not: for hints."""

from __future__ import annotations

import os
from difflib import get_close_matches
from itertools import islice
from pathlib import Path, PurePath

_MOST_NAMES = 1000


def file_with_similar_name(path: Path) -> Path | None:
    """Return the file whose name is nearest to that of a missing one, in the same folder, or None if none is near."""
    near = get_close_matches(path.name, _names_in(path.parent), n=1)
    return path.parent / near[0] if near else None


def same_file_in_other_spelling(folder: Path, inside: PurePath) -> Path | None:
    """Return the file of a path that differs in upper and lower case, or in its suffix, or None if there is none.

    A file whose path was written on a system that ignores case is missing on others. Other similar names are no candidates:
    they often are those of other parts, such as ``link_1.stl`` and ``link_2.stl``.

    Args:
        folder: The folder in which the file is searched.
        inside: Its path from there.
    """
    found = folder
    for part in inside.parts:
        names = _names_in(found)
        own = next((name for name in names if name == part), None)
        own = own or next((name for name in names if name.lower() == part.lower()), None)
        if own is None and part == inside.name:
            own = next((name for name in names if PurePath(name).stem.lower() == inside.stem.lower()), None)
        if own is None:
            return None
        found /= own
    return found if found.is_file() else None


def _names_in(folder: Path) -> list[str]:
    """Return the names in a folder in alphabetical order, of a large one only some; none if it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, _MOST_NAMES))
    except (OSError, ValueError):  # there is no such folder, it may not be listed, or its name has a null character
        return []
