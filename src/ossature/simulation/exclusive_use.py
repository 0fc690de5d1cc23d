"""Guard against concurrent use: the engine's data are not thread-safe, and two threads that step them crash the process."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ossature.diagnostics import OssatureError

P = ParamSpec("P")
R = TypeVar("R")


class ConcurrentUseError(OssatureError):
    """A thread uses a simulation while another thread uses it."""


class ExclusiveUse:
    """A reentrant context in which one thread uses a simulation.

    Threads may use a simulation one after the other. They do not wait for each other here: results that depend on their order
    are not reproducible.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ConcurrentUseError(
                "another thread uses this simulation; create a Simulation for each thread, or share a lock"
            )

    def __exit__(self, *error: object) -> None:
        self._lock.release()


class HasExclusiveUse(Protocol):
    """An object that one thread uses at a time."""

    @property
    def exclusive_use(self) -> ExclusiveUse:
        """The context in which a thread uses the object."""


T = TypeVar("T", bound=HasExclusiveUse)


def exclusive(method: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """Decorate a method so that it raises :class:`ConcurrentUseError` while another thread is in a decorated method."""

    @functools.wraps(method)
    def guarded(self: T, /, *arguments: P.args, **options: P.kwargs) -> R:
        with self.exclusive_use:
            return method(self, *arguments, **options)

    return guarded
