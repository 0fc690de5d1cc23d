"""Messages of the engine: kept off the terminal while this package steps, and out of log files always.

MuJoCo appends warnings and errors to ``MUJOCO_LOG.TXT`` in the working folder, through a link if there is one. This module
switches that off once for the process, when the engine is loaded. Warnings are read from the engine's data instead, and errors
are raised as ``mujoco.FatalError``.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import mujoco

_LOGGER = logging.getLogger("ossature.engine")


class _Quiet(threading.local):
    """How many blocks of :func:`suppress_engine_warnings` this thread is in."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1


_quiet = _Quiet()


def suppress_engine_warnings() -> AbstractContextManager[None]:
    """Send the engine's warnings nowhere in a ``with`` block, in this thread alone."""
    return _quiet


def _install() -> None:
    """Replace what the engine does with messages: one handler for the process, which asks each thread."""
    config = mujoco.MjLogConfig.get()
    config.logto_file = config.logto_console = False
    config.set()
    before: Callable[[str], None] = mujoco.get_mju_user_warning() or _LOGGER.warning

    def handle(message: str) -> None:
        if not _quiet.depth:
            before(message)

    mujoco.set_mju_user_warning(handle)


_install()
