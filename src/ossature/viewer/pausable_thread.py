"""A thread that makes frames, and that can be paused."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

FRAMES_PER_SECOND = 30.0
_JOIN_TIMEOUT = 2.0
"""For the current frame at the end [s]."""


class PausableThread(ABC):
    """Makes frames in a thread while it runs and a page shows them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.RLock()
        self._running, self._observed = threading.Event(), threading.Event()
        self._observed.set()
        self._ended = False
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        return self._running.is_set()

    def run(self) -> None:
        """Make frames until paused."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._loop, name=self._name, daemon=True)
            self._thread.start()
        self._running.set()

    def pause(self) -> None:
        """Pause, after the current frame."""
        self._running.clear()

    def set_observed(self, is_observed: bool) -> None:
        """Set whether a page shows the frames; while none does, none are made, also if it runs."""
        if is_observed:
            self._observed.set()
        else:
            self._observed.clear()

    def end(self) -> None:
        """Stop for good, after the current frame."""
        self._ended = True
        self._running.set()
        self._observed.set()
        if self._thread is not None:
            self._thread.join(timeout=_JOIN_TIMEOUT)

    def _loop(self) -> None:
        while True:
            self._observed.wait()
            self._running.wait()
            if self._ended:
                return
            if self._observed.is_set():
                self._make_frame()

    @abstractmethod
    def _make_frame(self) -> None:
        """Make a frame, and wait until the next one is due."""
