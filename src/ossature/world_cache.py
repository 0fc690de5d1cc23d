"""A cache of Worlds that were read from files.

An entry is used if all files that were searched and read are unchanged, and if the options, the folders of the environment and
this program are the same. It is a pickle of elements of models and findings: nothing else is created or called when it is read,
and its folder belongs to the user.
"""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PosixPath, WindowsPath
from typing import Any

import numpy as np
import orjson

from ossature import plugins
from ossature.assets.file_access_log import FileAccessLog
from ossature.assets.user_cache import UserCache, cache_key, default_cache_folder, is_unchanged, reading_environment
from ossature.diagnostics import Diagnostic
from ossature.model import World

_PACKAGES = ("ossature.model.", "ossature.diagnostics.", "ossature.spatial")
"""Modules whose classes are elements; to create one has no other effect."""
_MOST_ENTRY_BYTES = 32 << 20


class WorldCache:
    """Worlds of earlier runs, with the findings about them.

    Args:
        folder: The folder, by default the one for caches of the user.
    """

    def __init__(self, folder: Path | None = None) -> None:
        folder = default_cache_folder(os.environ) if folder is None else folder
        self._folder = folder
        self._entries = None if folder is None else UserCache(folder, ".world", _MOST_ENTRY_BYTES)

    def key(self, path: Path, options: Mapping[str, Any]) -> str | None:
        """Return the key of a file that is read with some options, or None if it is not cached, as with formats of plug-ins."""
        if self._entries is None or not self._entries.is_available or plugins.plugins(plugins.FORMATS):
            return None
        specified = {name: repr(value) for name, value in options.items()}
        return cache_key({"world": specified, **reading_environment(path)}, b"")

    def get(self, key: str) -> tuple[World, Sequence[Diagnostic]] | None:
        """Return the World of a key and the findings, or None if there is no entry, or a file has changed."""
        recent = _RECENT.get((self._folder, key))
        if recent is not None and is_unchanged(recent.found, recent.digests):
            return recent.world, recent.findings
        entry = None if self._entries is None else self._entries.read(key)
        if entry is None:
            return None
        facts, _, content = entry.partition(b"\n")
        try:
            specified = orjson.loads(facts)
            if specified["key"] != key or not is_unchanged(specified["found"], specified["digests"]):
                return None
            world, findings = _unpickled(content)
        except _NOT_OURS:
            return None
        self._remember(key, _Recent(world, findings, specified["found"], specified["digests"]))
        return world, findings

    def put(self, key: str, world: World, findings: Sequence[Diagnostic], log: FileAccessLog) -> None:
        """Add a World and the findings, without their fixes, which are functions."""
        digests = {path: digest for path, digest in log.digests.items() if digest is not None}
        if self._entries is None or len(digests) < len(log.digests):
            return
        plain = tuple([replace(finding, make_fix=None) for finding in findings])
        try:
            content = pickle.dumps((world, plain), protocol=5)
            _unpickled(content)
            facts = orjson.dumps({"key": key, "found": log.found, "digests": digests})
        except _NOT_OURS:
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


_RECENT: dict[tuple[Path | None, str], _Recent] = {}
"""The last Worlds of this process, which several callers can share, because they are never changed."""
_MOST_RECENT = 16


_NOT_OURS = (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, IndexError, ImportError, pickle.PickleError)
"""What an entry that is damaged or of another program raises."""


def _unpickled(content: bytes) -> tuple[World, Sequence[Diagnostic]]:
    world, findings = _ElementUnpickler(io.BytesIO(content)).load()
    if not isinstance(world, World):
        raise TypeError
    return world, findings


class _ElementUnpickler(pickle.Unpickler):
    """Creates elements of models, findings and arrays only."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        is_own = module_name.startswith(_PACKAGES)
        if is_own or (module_name, global_name) in _OTHERS:
            found = super().find_class(module_name, global_name)
            # A module also has the classes and functions that it imports.
            if not is_own or (isinstance(found, type) and found.__module__.startswith(_PACKAGES)):
                return found
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no element of a model")


_ARRAYS: Any = (np.empty(0).__reduce__(), np.empty(0).__reduce_ex__(5))
_OTHERS = {
    *((kind.__module__, kind.__qualname__) for kind in (PosixPath, WindowsPath, np.ndarray, np.dtype, frozenset, set)),
    *((reduced[0].__module__, reduced[0].__qualname__) for reduced in _ARRAYS),
}
"""What elements contain besides, as module and name: the functions make arrays."""
