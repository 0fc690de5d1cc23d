"""Samples of a simulation that was compiled anew, in the order that its first compilation gave to bodies and joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.observation.recording import BodyState
from ossature.simulation.observation.sample_layout import Parts


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSample:
    """A state in the model's own words.

    Attributes:
        positions: Coordinates by model and joint.
        velocities: Their rates.
        bodies: Places and velocities by model and body.
    """

    positions: Mapping[str, Mapping[str, tuple[float, ...]]]
    velocities: Mapping[str, Mapping[str, tuple[float, ...]]]
    bodies: Mapping[str, Mapping[str, BodyState]]


def reorder_to_first_layout(sample: Parts, present: StateSample, first: Compiled, now: Compiled) -> Parts:
    """Return a sample as the first compilation would have ordered it.

    Args:
        sample: The sample of the present compilation.
        present: The same state in the model's own words.
        first: The first compilation.
        now: The present one.
    """
    time, positions, wxyz, linear, angular, _, _ = sample
    numbers = [_number(now.model, first.model.body(number).name) for number in range(first.model.nbody)]
    qpos, qvel = np.array(first.model.qpos0), np.zeros(first.model.nv)
    for model, joints in first.index.joints.items():
        for name, index in joints.items():
            write_positions(index, present.positions[model][name], qpos)
            write_velocities(index, present.velocities[model][name], qpos, qvel)
    return Parts(time, positions[numbers], wxyz[numbers], linear[numbers], angular[numbers], qpos, qvel)


def _number(model: Any, name: str) -> int:
    """Return the engine's number of a body; a clone that does not exist any more is where its original is."""
    found = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name))
    return found if found >= 0 else _number(model, name.rpartition(" clone ")[0])
