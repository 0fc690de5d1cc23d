"""Memory of the engine's models and data that runs of one thread use one after another.

To make a model and its data takes as long as hundreds of steps of a small mechanism.
"""

from __future__ import annotations

import copy
import ctypes
import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from ossature.formats.mjcf.engine_data import make_engine_data, mujoco, sizes_of
from ossature.formats.mjcf.engine_library import EngineLibraryError, address_of_structure, engine_library

if TYPE_CHECKING:
    from mujoco import MjData, MjModel


class _Released(threading.local):
    """A model and data that are not used any longer, and their sizes, of the current thread."""

    sizes: bytes | None = None
    model: MjModel | None = None
    data: MjData | None = None


_released = _Released()


def release_engine_memory(model: MjModel, data: MjData) -> None:
    """Let the next model and data of these sizes in this thread use the memory of these, which must not be used afterwards."""
    if not model.nplugin:
        _released.sizes, _released.model, _released.data = sizes_of(model), model, data


def copy_engine_model(model: MjModel) -> MjModel:
    """Return a copy of a model, in released memory if there is any of its sizes."""
    released, copy_into = _released.model, _copy_function()
    if released is None or released is model or copy_into is None or _released.sizes != sizes_of(model):
        return copy.copy(model)
    _released.model = None
    copy_into(address_of_structure(released), address_of_structure(model))
    return released


def engine_data_for_run(model: MjModel) -> MjData:
    """Return data of a model, equal to new ones, in released memory if there is any of its sizes.

    Raises:
        MemoryError: There is not enough memory.
    """
    data = _released.data
    if data is None or _released.sizes != sizes_of(model):
        return make_engine_data(model)
    _released.data = None
    mujoco.mj_resetData(model, data)
    return data


@cache
def _copy_function() -> Callable[[int, int], object] | None:
    """Return the engine's function that copies a model into another one of the same sizes, which are given by addresses."""
    try:
        function = engine_library().mj_copyModel
    except (EngineLibraryError, AttributeError):
        return None
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_void_p], ctypes.c_void_p

    def copy_into(to: int, model: int) -> None:
        function(to, model)

    return copy_into
