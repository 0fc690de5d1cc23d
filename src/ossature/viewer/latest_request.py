"""Work that is asked for more often than it can be done: only the latest request is served."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

RequestT = TypeVar("RequestT")


class LatestOnlyWorker(Generic[RequestT]):
    """Does work for the latest request; those that came while it was busy and were overtaken are forgotten."""

    def __init__(self, work: Callable[[RequestT], None]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._busy = False
        self._waiting: list[RequestT] = []

    def ask(self, request: RequestT) -> None:
        """Do the work, or leave it to the thread that is at it."""
        with self._lock:
            self._waiting = [request]
            if self._busy:
                return
            self._busy = True
        while (taken := self._take()) is not None:
            try:
                self._work(taken[0])
            except BaseException:
                with self._lock:
                    self._busy = False
                raise

    def _take(self) -> list[RequestT] | None:
        with self._lock:
            taken, self._waiting = self._waiting, []
            self._busy = bool(taken)
            return taken or None
