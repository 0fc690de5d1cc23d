"""The equations of motion of a model in its own coordinates: M(q)·v̇ + c(q, v) = τ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.simulation.coordinates import velocity_map, velocity_map_rate, write_positions, write_velocities
from ossature.simulation.quiet import quiet
from ossature.simulation.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


def equations_of_motion(
    simulation: Simulation,
    model: str,
    joints: Sequence[str],
    positions: Mapping[str, Sequence[float]],
    velocities: Mapping[str, Sequence[float]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mass matrix and the Coriolis, centrifugal and gravity forces of a model in a given state.

    The simulation itself stays where it is.

    Args:
        simulation: The simulation of its World.
        model: Name of the model.
        joints: Names of joints, in the order in which their coordinates are wanted.
        positions: Their coordinates [rad or m].
        velocities: Their velocities, in the frames that ``docs/conventions.md`` names for each type of joint.

    Returns:
        The symmetric mass matrix, shape (n, n), and the forces, shape (n,), both in the joints' coordinates.
    """
    engine = simulation.compiled.model
    data = mujoco.MjData(engine)
    indices = [simulation.compiled.index.joints[model][name] for name in joints]
    for index in indices:
        write_positions(index, positions[index.joint.name], data.qpos)
        write_velocities(index, velocities[index.joint.name], data.qpos, data.qvel)
    with quiet():
        mujoco.mj_forward(engine, data)
    full = np.zeros((engine.nv, engine.nv))
    mujoco.mj_fullM(engine, data, full)
    bias = data.qfrc_bias - data.qfrc_gravcomp
    width = sum(index.joint.degrees_of_freedom for index in indices)
    J, rate = np.zeros((engine.nv, width)), np.zeros(engine.nv)
    column = 0
    for index in indices:
        rows = slice(index.dof, index.dof + index.dof_count)
        J[rows, column : column + index.joint.degrees_of_freedom] = velocity_map(index, data.qpos)
        rate[rows] = velocity_map_rate(index, data.qpos, velocities[index.joint.name])
        column += index.joint.degrees_of_freedom
    return J.T @ full @ J, J.T @ (full @ rate + bias)
