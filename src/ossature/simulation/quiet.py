"""Keeping the engine's warnings out of the terminal and out of log files; they are read from its data instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco


@contextmanager
def quiet() -> Iterator[None]:
    """Send the engine's warnings nowhere for a while; the handler is the process's, so it is put back."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(_ignore)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def _ignore(message: str) -> None:
    pass
