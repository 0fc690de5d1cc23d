"""Garbage collection while many objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_had_frozen_objects = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause garbage collection in the block."""
    # Reading creates many objects that stay alive: garbage collection would traverse them repeatedly without effect.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # All objects become old ones, so that the next collection of young ones does not traverse them. A program that
            # has frozen objects itself keeps them.
            if not _has_program_frozen_objects():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _has_program_frozen_objects() -> bool:
    """Whether the program has, or had, frozen objects: Python counts them one by one, so it is asked until there are some."""
    global _had_frozen_objects
    _had_frozen_objects = _had_frozen_objects or gc.get_freeze_count() > 0
    return _had_frozen_objects
