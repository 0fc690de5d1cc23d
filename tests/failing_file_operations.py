"""File operations that fail once: what outputs have to survive."""

from __future__ import annotations

import errno
import gc
import os
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ossature.assets import atomic_write, file_lock
from ossature.recordings import append_only_file
from ossature.recordings import write as write_recordings

MODULES = (atomic_write, file_lock, append_only_file)
"""All that write outputs: their calls of the system go through the module ``os``."""
OPERATIONS = frozenset(
    ("open", "write", "fsync", "close", "replace", "unlink", "chmod", "chown", "stat", "fstat", "lseek", "ftruncate", "dup")
)


def failing(code: int) -> Callable[..., object]:
    """Return an operation that is refused; a descriptor is closed even then, as the system does."""

    def operation(real: Callable[..., object], *arguments: Any, **options: Any) -> object:
        if real is os.close:
            real(*arguments)
        raise OSError(code, os.strerror(code))

    return operation


def interrupted(real: Callable[..., object], *arguments: Any, **options: Any) -> object:
    """Be interrupted by the user."""
    if real is os.close:
        real(*arguments)
    raise KeyboardInterrupt


def short(real: Callable[..., object], *arguments: Any, **options: Any) -> object:
    """Write a part only; anything else is done as ever."""
    if real is os.write:
        handle, content = arguments
        return real(handle, content[: max(1, len(content) // 2)])
    return real(*arguments, **options)


FAILURES: dict[str, Callable[..., object]] = {
    "full": failing(errno.ENOSPC),
    "permission": failing(errno.EACCES),
    "broken": failing(errno.EIO),
    "signal": failing(errno.EINTR),
    "interrupted": interrupted,
    "short": short,
}


class FaultyOs:
    """The module ``os``, of which one operation on files fails.

    Args:
        number: Which operation, counted from zero; none if negative.
        failure: What happens instead.

    Attributes:
        done: Names of the operations so far.
        descriptors: Those that are open.
        closed_again: Descriptors that were closed although they were not open: they may be of another thread by then.
        forced: The thread and the stack in which the operation failed; empty if it was not reached.
    """

    def __init__(self, number: int, failure: Callable[..., object]) -> None:
        self._number, self._failure = number, failure
        self.done: list[str] = []
        self.descriptors: set[int] = set()
        self.closed_again: list[int] = []
        self.forced = ""
        self._counting = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in OPERATIONS:
            return real

        def operation(*arguments: Any, **options: Any) -> Any:
            with self._counting:
                is_failing = len(self.done) == self._number
                self.done.append(name)
            if name == "close":
                self._forget(*arguments)
            if is_failing:
                self.forced = f"{name} in {threading.current_thread().name}\n{''.join(traceback.format_stack())}"
            result = self._failure(real, *arguments, **options) if is_failing else real(*arguments, **options)
            if name in ("open", "dup"):
                self.descriptors.add(result)
            return result

        return operation

    def _forget(self, descriptor: int) -> None:
        if descriptor not in self.descriptors:
            self.closed_again.append(descriptor)
        self.descriptors.discard(descriptor)


@contextmanager
def faulty(number: int, failure: Callable[..., object]) -> Iterator[FaultyOs]:
    """Let one operation of outputs fail; finalizers of earlier outputs run before, so that it is not one of theirs.

    Each sample of a recording is written at once: otherwise the operations depend on how fast the machine is.
    """
    gc.collect()
    system = FaultyOs(number, failure)
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            patch.setattr(module, "os", system)
        patch.setattr(write_recordings, "_LONGEST_WAIT", -1.0)
        yield system
