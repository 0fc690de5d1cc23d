"""Patterns of paths: ``*`` and ``?`` match within a name, ``**`` matches any number of folders."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePath


def matches(path: PurePath, pattern: str) -> bool:
    """Whether a relative path, or a folder above it, matches a pattern.

    A pattern without ``/`` is that of a name anywhere; another one begins where the path does.
    """
    parts = path.parts
    if "/" not in pattern.rstrip("/"):
        return any(fnmatchcase(part, pattern.rstrip("/")) for part in parts)
    names = tuple(pattern.strip("/").removeprefix("./").split("/"))
    return any(_match(parts[:count], names) for count in range(1, len(parts) + 1))


@lru_cache(maxsize=4096)
def _match(parts: Sequence[str], names: Sequence[str]) -> bool:
    if not names:
        return not parts
    if names[0] == "**":
        return _match(parts, names[1:]) or (bool(parts) and _match(parts[1:], names))
    return bool(parts) and fnmatchcase(parts[0], names[0]) and _match(parts[1:], names[1:])
