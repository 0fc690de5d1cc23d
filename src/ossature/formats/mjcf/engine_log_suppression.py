"""Suppression of the engine's and numpy's messages: on the terminal while this package steps, and in log files always.

MuJoCo appends warnings and errors to ``MUJOCO_LOG.TXT`` in the working directory, also through a symbolic link. This module
disables that once per process, when the engine is loaded. Warnings are read from the engine's data instead, and errors are
raised as ``mujoco.FatalError``. Numbers of a motion that diverges overflow; the divergence is reported, once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import mujoco
import numpy as np

from ossature.formats.mjcf.engine_installation_check import require_one_engine

_LOGGER = logging.getLogger("ossature.engine")


class _Suppression(threading.local):
    """Nesting depth of :func:`suppress_engine_warnings` in the current thread."""

    depth = 0
    overflow: np.errstate

    def __enter__(self) -> None:
        if not self.depth:
            self.overflow = np.errstate(over="ignore", invalid="ignore")
            self.overflow.__enter__()
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1
        if not self.depth:
            self.overflow.__exit__(None, None, None)


_suppression = _Suppression()


def suppress_engine_warnings() -> AbstractContextManager[None]:
    """Discard the engine's warnings, and numpy's of overflow, in a ``with`` block, in the current thread only."""
    return _suppression


def _install() -> None:
    """Install one message handler for the process, which respects the suppression of each thread."""
    require_one_engine(mujoco.__version__, Path(mujoco.__file__).parent.parent)
    config = mujoco.MjLogConfig.get()
    config.logto_file = config.logto_console = False
    config.set()
    before: Callable[[str], None] = mujoco.get_mju_user_warning() or _LOGGER.warning

    def handle(message: str) -> None:
        if not _suppression.depth:
            before(message)

    mujoco.set_mju_user_warning(handle)


_install()
