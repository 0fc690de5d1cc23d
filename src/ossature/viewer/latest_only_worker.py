"""Processing of requests that arrive faster than they are served: only the latest one counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

RequestT = TypeVar("RequestT")


class LatestOnlyWorker(Generic[RequestT]):
    """Processes the latest request; earlier ones that are still waiting are dropped."""

    def __init__(self, work: Callable[[RequestT], None]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._busy = False
        self._pending: list[RequestT] = []

    def submit(self, request: RequestT) -> None:
        """Process a request, or leave it to the thread that is busy."""
        with self._lock:
            self._pending = [request]
            if self._busy:
                return
            self._busy = True
        while (pending := self._next_request()) is not None:
            try:
                self._work(pending[0])
            except BaseException:
                with self._lock:
                    self._busy = False
                raise

    def _next_request(self) -> list[RequestT] | None:
        with self._lock:
            pending, self._pending = self._pending, []
            self._busy = bool(pending)
            return pending or None
