"""A cache of Worlds that were read from files.

An entry is used if all files that were searched and read are unchanged, and if the options, the folders of the environment and
this program are the same. It contains a pickle that makes nothing but elements of models and findings (``element_pickles.py``),
and its folder belongs to the user.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from ossature import element_pickles, plugins
from ossature.assets.file_access_log import FileAccessLog
from ossature.assets.user_cache import UserCache, cache_key, default_cache_folder, reading_environment, unchanged_contents
from ossature.diagnostics import Diagnostic, OssatureError
from ossature.diagnostics.resource_limits import RULES as LIMIT_RULES
from ossature.model import World

_MOST_ENTRY_BYTES = 32 << 20
_UNREPEATABLE = frozenset(rule.name for rule in LIMIT_RULES)
"""Rules whose findings depend on the machine."""


class WorldCache:
    """Worlds of earlier runs, with the findings about them.

    Args:
        folder: The folder, by default the one for caches of the user.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        found = default_cache_folder(os.environ) if folder is None else folder
        self._folder = None if found is None else os.fspath(found)
        self._entries = None if self._folder is None else UserCache(self._folder, ".world", _MOST_ENTRY_BYTES)

    def key(self, path: str, options: Mapping[str, Any]) -> str | None:
        """Return the key of a file that is read with some options, or None if it is not cached, as with formats of plug-ins."""
        if self._entries is None or not self._entries.is_available or plugins.plugins(plugins.FORMATS):
            return None
        return cache_key({"world": options, **reading_environment(path)}, b"")

    def get(self, key: str) -> tuple[World, Sequence[Diagnostic]] | None:
        """Return the World of a key and the findings, or None if there is no entry, or a file has changed."""
        recent = _RECENT.get((self._folder, key))
        if recent is not None and unchanged_contents(recent.found, recent.digests) is not None:
            return recent.world, recent.findings
        entry = None if self._entries is None else self._entries.read(key)
        if entry is None:
            return None
        facts, _, content = entry.partition(b"\n")
        try:
            specified = orjson.loads(facts)
            found, digests = specified["found"], specified["digests"]
            contents = unchanged_contents(found, digests, specified["left_out"]) if specified["key"] == key else None
            if contents is None:
                return None
            world, findings = element_pickles.load(content, contents)
        except _NOT_OURS:
            return None
        if not isinstance(world, World):
            return None
        self._remember(key, _Recent(world, findings, found, digests))
        return world, findings

    def put(self, key: str, world: World, findings: Sequence[Diagnostic], log: FileAccessLog) -> None:
        """Add a World and the findings, without their fixes, which are functions.

        It is not added if a file could not be read or has changed meanwhile, or if a limit of time or memory was exceeded.
        """
        digests = {path: digest for path, digest in log.digests.items() if digest is not None}
        is_repeatable = len(digests) == len(log.digests) and _UNREPEATABLE.isdisjoint(
            [finding.rule.name for finding in findings]
        )
        if self._entries is None or not is_repeatable:
            return
        plain = tuple([replace(finding, make_fix=None) for finding in findings])
        try:
            content, left_out = element_pickles.dump((world, plain), digests)
            facts = orjson.dumps({"key": key, "found": log.found, "digests": digests, "left_out": left_out})
        except _NOT_STORED:
            return
        self._entries.write(key, facts + b"\n" + content)
        self._entries.remove_oldest()
        self._remember(key, _Recent(world, plain, log.found, digests))

    def _remember(self, key: str, recent: _Recent) -> None:
        _RECENT[self._folder, key] = recent
        for oldest in list(_RECENT)[: max(len(_RECENT) - _MOST_RECENT, 0)]:
            _RECENT.pop(oldest, None)


@dataclass(frozen=True, slots=True)
class _Recent:
    """A World that this process read, and the files on which it depends; see :class:`FileAccessLog`."""

    world: World
    findings: Sequence[Diagnostic]
    found: Mapping[str, str | None]
    digests: Mapping[str, str]


_RECENT: dict[tuple[str | None, str], _Recent] = {}
"""The last Worlds of this process, which several callers can share, because they are never changed."""
_MOST_RECENT = 16

_NOT_STORED = (pickle.PicklingError, OssatureError, RecursionError, orjson.JSONEncodeError)
"""What a World raises that cannot be stored: of a value of another program, a mesh that cannot be read, deep nesting, or the
name of a file that is no Unicode."""
_NOT_OURS = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, ImportError, ArithmeticError, MemoryError),
    *(RecursionError, AssertionError, pickle.PickleError),
)
"""What an entry of another program raises."""
