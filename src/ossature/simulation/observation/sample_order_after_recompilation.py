"""Samples of a simulation after a second compilation, in the order of bodies and joints of the first compilation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.recording import BodyState
from ossature.simulation.observation.sample_layout import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSample:
    """A state by names of models, bodies and joints.

    Attributes:
        positions: Coordinates by model and joint.
        velocities: Velocities by model and joint.
        bodies: Poses and velocities by model and body.
    """

    positions: Mapping[str, Mapping[str, tuple[float, ...]]]
    velocities: Mapping[str, Mapping[str, tuple[float, ...]]]
    bodies: Mapping[str, Mapping[str, BodyState]]


def reorder_to_first_layout(sample: Parts, state: StateSample, first: EngineModel, current: EngineModel) -> Parts:
    """Return a sample in the order of the first compilation.

    Args:
        sample: The sample of the current compilation.
        state: The same state by names.
        first: The first compilation.
        current: The current compilation.
    """
    time, positions, wxyz, linear, angular, _, _ = sample
    numbers = [_body_id(current.model, first.model.body(number).name) for number in range(first.model.nbody)]
    qpos, qvel = np.array(first.model.qpos0), np.zeros(first.model.nv)
    for model, joints in first.index.joints.items():
        for name, index in joints.items():
            write_positions(index, state.positions[model][name], qpos)
            write_velocities(index, state.velocities[model][name], qpos, qvel)
    return Parts(time, positions[numbers], wxyz[numbers], linear[numbers], angular[numbers], qpos, qvel)


def _body_id(model: mujoco.MjModel, name: str) -> int:
    """Return the engine id of a body; for a clone that no longer exists, that of its original."""
    found = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name))
    return found if found >= 0 else _body_id(model, name.rpartition(" clone ")[0])
