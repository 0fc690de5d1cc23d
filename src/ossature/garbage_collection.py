"""Garbage collection while many objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
