"""The one thread on which images are drawn.

What a driver needs to draw belongs to the thread that made it: another one may neither draw with it nor take it down. Sensors
are read on any thread, and collected on any.
"""

from __future__ import annotations

import weakref
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ossature drawing")
_DISCARDED: SimpleQueue[Any] = SimpleQueue()
"""Engine's renderers that nobody draws with any more. A simple queue may be filled by finalizers at any instant."""


def run_on_render_thread(work: Callable[[], T]) -> T:
    """Return what a function returns on the drawing thread, or raise what it raises there."""
    return _THREAD.submit(_after_tidying, work).result()


def close_when_idle(owner: object, drawing: Any) -> None:
    """Take an engine's renderer down once its owner is gone, before the next image is drawn."""
    weakref.finalize(owner, _DISCARDED.put, drawing).atexit = False  # the engine ends drawing as a whole then


def _after_tidying(work: Callable[[], T]) -> T:
    while True:
        try:
            _DISCARDED.get_nowait().close()
        except Empty:
            return work()
