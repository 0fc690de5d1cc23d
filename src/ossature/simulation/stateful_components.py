"""Checkpoints: each stateful component of a simulation saves and restores its state as plain arrays.

A restart is bit-exact if all components have restored their saved states. To add a component, such as a noise generator,
implement the two methods of :class:`Stateful` and register it with :meth:`Simulation.register_stateful`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol, TypeAlias
from urllib.parse import quote

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Array, Int32Array

ComponentState: TypeAlias = "dict[str, AnyArray]"
"""Saved state: one-dimensional arrays by name, of ``float64``, integers or booleans; booleans are restored as integers."""


class Stateful(Protocol):
    """A component of a simulation with a state that persists between steps."""

    def get_state(self) -> ComponentState:
        """Return the state, as arrays that are not modified afterwards."""

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore a state that :meth:`get_state` returned, in this process or in another one with the same setup.

        Raises:
            ValueError: It is not a state of this component.
        """


class EngineState:
    """The state of the engine's data and model."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        # The fields of the model that are modified while a simulation runs.
        changing: dict[str, Array | Int32Array] = {
            "targets": model.eq_data.reshape(-1),
            "weights": model.wrap_prm,
            "kinds": model.geom_contype,
            "affinities": model.geom_conaffinity,
            "switches": model.actuator_group,
        }
        self._changing = {name: array for name, array in changing.items() if array.size}
        self._size = mujoco.mj_stateSize(model, STATE)

    def get_state(self) -> ComponentState:
        """Return the integration state, including warm start and inputs, and the modified fields of the model."""
        state = np.zeros(self._size)
        mujoco.mj_getState(self._model, self._data, state, STATE)
        return {"state": state} | {name: array.copy() for name, array in self._changing.items()}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the engine's state, and update the poses and velocities that depend on it."""
        expected = {"state": self._size} | {name: array.size for name, array in self._changing.items()}
        if {name: array.size for name, array in saved_state.items()} != expected:
            raise ValueError("the engine's arrays have different lengths")
        mujoco.mj_setState(self._model, self._data, saved_state["state"], STATE)
        for name, array in self._changing.items():
            array[:] = saved_state[name]
        mujoco.mj_fwdPosition(self._model, self._data)
        mujoco.mj_fwdVelocity(self._model, self._data)


STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""The components of the engine's state that the next step depends on."""


@lru_cache(maxsize=4096)
def label(*names: str) -> str:
    """Return a unique key for a sequence of names, such as those of a model and a joint."""
    return ":".join([quote(name, safe=" ") for name in names])


def flatten_state(parts: Mapping[str, Mapping[str, AnyArray]]) -> ComponentState:
    """Return the states of several components as one mapping with the keys ``COMPONENT/NAME``."""
    return {f"{part}/{name}": array for part, saved_state in parts.items() for name, array in saved_state.items()}


def unflatten_state(saved_state: Mapping[str, AnyArray]) -> dict[str, ComponentState]:
    """Return the states that :func:`flatten_state` merged; components without state are missing."""
    parts: dict[str, ComponentState] = {}
    for key, array in saved_state.items():
        part, _, name = key.partition("/")
        parts.setdefault(part, {})[name] = array
    return parts
