"""MuJoCo's Python package, whose type stubs here cover only what simulations use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mujoco import MjData, MjModel

mujoco: Any = import_module("mujoco")
"""The package."""


def make_engine_data(model: MjModel) -> MjData:
    """Return new data of a compiled model.

    Raises:
        MemoryError: There is not enough memory.
    """
    try:
        data: MjData = mujoco.MjData(model)
    except mujoco.FatalError as error:
        raise MemoryError(f"the engine cannot allocate the {model.narena:,} bytes of its arena") from error
    return data
