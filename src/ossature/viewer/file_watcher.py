"""Watching files for changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

_INTERVAL = 0.4
_POLLS_UNTIL_MISSING = 5
"""Number of polls after which a file is missing: an editor removes it for an instant when it saves."""
_LOG = logging.getLogger(__name__)


class FileWatcher:
    """Polls files, and calls a function when one was saved, or another one when it does not exist any more."""

    def __init__(
        self,
        paths: Sequence[Path],
        on_save: Callable[[Path], None],
        on_missing: Callable[[Path], None] = lambda path: None,
    ) -> None:
        self._paths, self._on_save, self._on_missing = paths, on_save, on_missing
        self._missing_polls = dict.fromkeys(paths, 0)
        self._stamps = {path: _file_stamp(path) for path in paths}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._poll_repeatedly, name="ossature watch", daemon=True)

    def start(self) -> None:
        """Start polling in a thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop polling."""
        self._ended.set()

    def poll(self) -> None:
        """Check all files once; a file that is temporarily missing, as while an editor saves it, is skipped."""
        for path in self._paths:
            stamp = _file_stamp(path)
            if stamp is None:
                self._missing_polls[path] += 1
                if self._missing_polls[path] == _POLLS_UNTIL_MISSING:
                    self._stamps[path] = None  # saved if it exists again, also unchanged
                    self._call(self._on_missing, path)
                continue
            self._missing_polls[path] = 0
            if stamp != self._stamps[path]:
                self._stamps[path] = stamp
                self._call(self._on_save, path)

    def _call(self, function: Callable[[Path], None], path: Path) -> None:
        try:
            function(path)
        except Exception:  # noqa: BLE001  # the thread must survive to show the next version of the file
            _LOG.exception("%s cannot be shown", path)

    def _poll_repeatedly(self) -> None:
        while not self._ended.wait(_INTERVAL):
            self.poll()


def _file_stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)
