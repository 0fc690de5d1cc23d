"""Patterns of paths: ``*`` and ``?`` match within a name, ``**`` matches any number of folders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache
from pathlib import PurePath

LONGEST = 1000
"""Characters of a pattern."""
_MOST_STARS = 10
"""Stars of one name in a pattern: the time of matching may double with each."""


def require_pattern(pattern: str) -> None:
    """Check that a pattern can be matched in a short time.

    Raises:
        ValueError: It is too long, or a name in it has too many stars.
    """
    if len(pattern) > LONGEST:
        raise ValueError(f"a pattern has at most {LONGEST} characters")
    if any(re.sub(r"\*+", "*", name).count("*") > _MOST_STARS for name in pattern.split("/")):
        raise ValueError(f"a name in a pattern has at most {_MOST_STARS} stars")


def matches(path: PurePath, pattern: str) -> bool:
    """Whether a relative path, or a folder above it, matches a pattern.

    A pattern without ``/`` is that of a name anywhere; another one begins where the path does.
    """
    parts = path.parts
    if "/" not in pattern.rstrip("/"):
        return any(_is_name_match(part, pattern.rstrip("/")) for part in parts)
    names = tuple(pattern.strip("/").removeprefix("./").split("/"))
    return len(parts) in _reachable(parts, names, is_prefix=True)


def is_glob_match(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a file matches a pattern of the shell, in which ``*`` and ``**`` match no hidden names."""
    names = [*names, "*"] if names[-1] == "**" else names
    return len(parts) in _reachable(parts, names, is_prefix=False)


def _reachable(parts: Sequence[str], names: Sequence[str], *, is_prefix: bool) -> set[int]:
    """Return how many parts of a path the whole pattern can match; in time proportional to both lengths.

    Args:
        parts: The names of the path.
        names: Those of the pattern.
        is_prefix: Whether a folder above the path may match, and hidden names do.
    """
    ends = {0}
    for name in names:
        if name == "**":
            ends = _with_folders(ends, parts, is_hidden_allowed=is_prefix)
        else:
            ends = {end + 1 for end in ends if end < len(parts) and _fits(parts[end], name, is_hidden_allowed=is_prefix)}
    return {len(parts)} if is_prefix and any(end > 0 for end in ends) else ends


def _with_folders(ends: set[int], parts: Sequence[str], *, is_hidden_allowed: bool) -> set[int]:
    reached = set()
    for start in ends:
        for end in range(start, len(parts) + 1):
            if end in reached or (end > start and parts[end - 1].startswith(".") and not is_hidden_allowed):
                break
            reached.add(end)
    return reached


def _fits(part: str, name: str, *, is_hidden_allowed: bool) -> bool:
    is_hidden = part.startswith(".") and not name.startswith(".")
    return (is_hidden_allowed or not is_hidden) and _is_name_match(part, name)


def _is_name_match(part: str, name: str) -> bool:
    return _compiled(name).fullmatch(part) is not None


@lru_cache(maxsize=4096)
def _compiled(name: str) -> re.Pattern[str]:
    return re.compile(translate(name))
