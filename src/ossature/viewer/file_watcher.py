"""Watching files for changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

_INTERVAL = 0.4
_LOG = logging.getLogger(__name__)


class FileWatcher:
    """Polls files, and calls a function when one was saved."""

    def __init__(self, paths: Sequence[Path], on_save: Callable[[Path], None]) -> None:
        self._paths, self._on_save = paths, on_save
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
            if stamp is not None and stamp != self._stamps[path]:
                self._stamps[path] = stamp
                try:
                    self._on_save(path)
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
