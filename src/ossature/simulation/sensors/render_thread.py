"""The single thread on which images are rendered.

A graphics context belongs to the thread that created it: no other thread may render with it or destroy it. Sensors
are read and garbage-collected on any thread.
"""

from __future__ import annotations

import weakref
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    import mujoco

T = TypeVar("T")

_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ossature rendering")
_DISCARDED: SimpleQueue[mujoco.Renderer] = SimpleQueue()
"""Unused engine renderers. Finalizers may put into a simple queue at any time."""


def run_on_render_thread(work: Callable[[], T]) -> T:
    """Return the result of a function on the rendering thread, or raise its exception."""
    return _THREAD.submit(_run_after_cleanup, work).result()


def close_when_idle(owner: object, renderer: mujoco.Renderer) -> None:
    """Close an engine renderer after its owner was collected, before the next image is rendered."""
    weakref.finalize(owner, _DISCARDED.put, renderer).atexit = False  # the engine closes all renderers then


def _run_after_cleanup(work: Callable[[], T]) -> T:
    while True:
        try:
            _DISCARDED.get_nowait().close()
        except Empty:
            return work()
