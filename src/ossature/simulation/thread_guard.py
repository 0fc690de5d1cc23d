"""One thread at a time: the engine's data is not protected, and two threads that step it end the process."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ossature.diagnostics import OssatureError

P = ParamSpec("P")
R = TypeVar("R")


class ConcurrentUseError(OssatureError):
    """A simulation is used by a thread while another one uses it."""


class ExclusiveUse:
    """What a thread is in while it uses a simulation; it may enter more than once.

    Threads may use a simulation one after the other. They do not wait for each other here: results that depend on which of
    them comes first are no results.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ConcurrentUseError(
                "this simulation is in use by another thread: give each thread a Simulation of its own, or share a lock"
            )

    def __exit__(self, *error: object) -> None:
        self._lock.release()


class HasExclusiveUse(Protocol):
    """Anything that one thread uses at a time."""

    @property
    def exclusive_use(self) -> ExclusiveUse:
        """What a thread is in while it uses this."""


T = TypeVar("T", bound=HasExclusiveUse)


def exclusive(method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """Let a method raise :class:`ConcurrentUseError` if another thread is in one of them."""

    @functools.wraps(method)
    def guarded(self: T, /, *arguments: P.args, **options: P.kwargs) -> R:
        with self.exclusive_use:
            return method(self, *arguments, **options)

    return guarded
