"""Files that change while they are shown."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

_INTERVAL = 0.4
_LOG = logging.getLogger(__name__)


class FileWatcher:
    """Looks at files now and then, and says when one was saved."""

    def __init__(self, paths: Sequence[Path], saved: Callable[[Path], None]) -> None:
        self._paths, self._saved = paths, saved
        self._seen = {path: _stamp(path) for path in paths}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="ossature watch", daemon=True)

    def start(self) -> None:
        """Begin to look, in a thread of its own."""
        self._thread.start()

    def end(self) -> None:
        """Stop for good."""
        self._ended.set()

    def look(self) -> None:
        """Look once; a file that is away for a moment, as editors have it, is waited for."""
        for path in self._paths:
            stamp = _stamp(path)
            if stamp is not None and stamp != self._seen[path]:
                self._seen[path] = stamp
                try:
                    self._saved(path)
                except Exception:  # noqa: BLE001  # whatever it is, the thread goes on and shows the next version of the file
                    _LOG.exception("%s cannot be shown as it is now", path)

    def _loop(self) -> None:
        while not self._ended.wait(_INTERVAL):
            self.look()


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        facts = path.stat()
    except OSError:
        return None
    return (facts.st_mtime_ns, facts.st_size)
