"""What carries state says so: each part of a simulation that remembers something gives and takes it as plain arrays.

A simulation goes on to the last bit where all its carriers have taken back what they gave. To add a part of your own, such as
a generator of noise, give it the two methods of :class:`Stateful` and name it to :meth:`Simulation.carry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from urllib.parse import quote

import mujoco
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Memory: TypeAlias = "dict[str, NDArray[Any]]"
"""Arrays of one dimension by name, each of ``float64``, or of whole numbers or truth values, which come back as whole ones."""


class Stateful(Protocol):
    """A part of a simulation that carries state from step to step."""

    def memory(self) -> Memory:
        """Return what it remembers, as arrays that it does not change afterwards."""

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave, here or in another process that was set up alike.

        Raises:
            ValueError: It is not what this part remembers.
        """


class EngineMemory:
    """What the engine's own data and model carry.

    Args:
        model: The engine's model.
        data: The engine's data.
    """

    def __init__(self, model: Any, data: Any) -> None:
        self._model, self._data = model, data
        # Those of the model's numbers that are written while a simulation runs.
        self._changing = {
            "targets": model.eq_data.reshape(-1),
            "weights": model.wrap_prm,
            "kinds": model.geom_contype,
            "affinities": model.geom_conaffinity,
            "switches": model.actuator_group,
        }

    def memory(self) -> Memory:
        """Return the engine's state, warm start and inputs included, and what is written into its model."""
        state = np.zeros(mujoco.mj_stateSize(self._model, STATE))
        mujoco.mj_getState(self._model, self._data, state, STATE)
        return {"state": state} | {name: array.copy() for name, array in self._changing.items() if array.size}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take the engine's state back, and bring places and velocities up to date with it."""
        expected = {"state": mujoco.mj_stateSize(self._model, STATE)}
        expected |= {name: array.size for name, array in self._changing.items() if array.size}
        if {name: array.size for name, array in memory.items()} != expected:
            raise ValueError("the engine's vectors have other lengths")
        mujoco.mj_setState(self._model, self._data, memory["state"], STATE)
        for name, array in self._changing.items():
            if array.size:
                array[:] = memory[name]
        mujoco.mj_fwdPosition(self._model, self._data)
        mujoco.mj_fwdVelocity(self._model, self._data)


STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""All of the engine's data that the next step depends on."""


def label(*names: str) -> str:
    """Return names, such as those of a model and of a joint of it, as one that no other names give."""
    return ":".join([quote(name, safe=" ") for name in names])


def flatten_state(parts: Mapping[str, Mapping[str, NDArray[Any]]]) -> Memory:
    """Return the memories of several parts as one, each under the name of its part."""
    return {f"{part}/{name}": array for part, memory in parts.items() for name, array in memory.items()}


def unflatten_state(memory: Mapping[str, NDArray[Any]]) -> dict[str, Memory]:
    """Return the memories that :func:`flatten_state` made one; parts that remember nothing are missing."""
    parts: dict[str, Memory] = {}
    for whole, array in memory.items():
        part, _, name = whole.partition("/")
        parts.setdefault(part, {})[name] = array
    return parts
