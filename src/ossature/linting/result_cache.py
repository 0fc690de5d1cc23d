"""A cache of the findings of files, by content, options, and the state of all other files on which they depend.

An entry is JSON; its content is validated and never executed. An incomplete or foreign file is no entry.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from ossature.assets.file_access_log import FileAccessLog
from ossature.assets.user_cache import UserCache, is_unchanged


class ResultCache:
    """Findings of earlier runs.

    Args:
        folder: Its folder; see :class:`UserCache`.
    """

    def __init__(self, folder: Path) -> None:
        self._entries = UserCache(folder, ".findings", 8 << 20)

    @property
    def is_available(self) -> bool:
        """Whether anything is cached."""
        return self._entries.is_available

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the record of a key if the files on which it depends are unchanged, or None."""
        content = self._entries.read(key)
        if content is None:
            return None
        try:
            entry = orjson.loads(content)
            if entry["key"] == key and is_unchanged(entry["found"], entry["digests"]):
                return dict(entry["record"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # it is not one of ours
            pass
        return None

    def put(self, key: str, record: dict[str, Any], log: FileAccessLog) -> None:
        """Add the record of a key; it is not added if that is impossible."""
        if not self.is_available or None in log.digests.values():
            return
        with suppress(orjson.JSONEncodeError):  # a file name that is no Unicode
            self._entries.write(key, orjson.dumps({"key": key, "found": log.found, "digests": log.digests, "record": record}))

    def remove_oldest(self) -> None:
        """Remove the oldest entries beyond the largest size, if entries were added."""
        self._entries.remove_oldest()
