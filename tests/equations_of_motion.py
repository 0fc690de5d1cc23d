"""The equations of motion of a compiled model in the coordinates of its joints, M(q)·v̇ + c(q, v) = τ, for comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.formats.mjcf.engine_data import make_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.kinematics import derivatives, partial, sorted_coupled_coordinates
from ossature.model import JointPosition, Model
from ossature.simulation.compile.coordinate_mapping import (
    engine_bias_acceleration,
    engine_velocity_matrix,
    write_positions,
    write_velocities,
)
from ossature.simulation.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ossature.kinematics import CoupledCoordinate

    Array = NDArray[np.float64]


def equations_of_motion(
    simulation: Simulation,
    model: str,
    joints: Sequence[str],
    positions: Mapping[str, Sequence[float]],
    velocities: Mapping[str, Sequence[float]],
) -> tuple[Array, Array]:
    """Return the mass matrix and the Coriolis, centrifugal and gravity forces of a model in a given state.

    Joints that are coupled to the given ones move with them, and their inertia is included; a given joint is treated as
    independent. All other joints are fixed. The state of the simulation does not change.

    Args:
        simulation: The simulation of its World.
        model: Name of the model.
        joints: Names of the joints, in the order of the result.
        positions: Their coordinates [rad or m].
        velocities: Their velocities [rad/s or m/s], in the frames that ``docs/conventions.md`` states for each type of joint.

    Returns:
        The symmetric mass matrix, shape (n, n), and the forces, shape (n,), both in the joints' coordinates.

    Raises:
        FormulaError: A formula has no value, or refers to an unknown coordinate.
    """
    engine = simulation.compiled.model
    data = make_engine_data(engine)
    motion = _joint_motion(simulation.world.models[model], joints, positions, velocities)
    indices = [(simulation.compiled.index.joints[model][name], name) for name in motion.moving]
    for index, name in indices:
        write_positions(index, motion.positions[name], data.qpos)
        write_velocities(index, motion.velocities[name], data.qpos, data.qvel)
    with suppress_engine_warnings():
        mujoco.mj_forward(engine, data)
    full = np.zeros((engine.nv, engine.nv))
    mujoco.mj_fullM(engine, data, full)
    bias = data.qfrc_bias - data.qfrc_gravcomp
    J, rate = np.zeros((engine.nv, motion.width)), np.zeros(engine.nv)
    for index, name in indices:
        rows, jac = slice(index.dof, index.dof + index.dof_count), engine_velocity_matrix(index, data.qpos)
        J[rows] = jac @ motion.jacobians[name]
        rate[rows] = engine_bias_acceleration(index, data.qpos, motion.velocities[name]) + jac @ motion.bias_accelerations[name]
    return J.T @ full @ J, J.T @ (full @ rate + bias)


@dataclass(slots=True, kw_only=True)
class _JointMotion:
    """The motion of joints as a function of the selected coordinates.

    Attributes:
        width: Number of selected coordinates.
        positions: Coordinates by joint.
        velocities: Velocities by joint.
        jacobians: By joint, the derivatives of its velocities by the selected ones, shape (coordinates, width).
        bias_accelerations: By joint, its accelerations if the selected coordinates have none.
    """

    width: int
    positions: dict[str, list[float]] = field(default_factory=dict)
    velocities: dict[str, list[float]] = field(default_factory=dict)
    jacobians: dict[str, Array] = field(default_factory=dict)
    bias_accelerations: dict[str, Array] = field(default_factory=dict)

    @property
    def moving(self) -> tuple[str, ...]:
        """Names of the joints that move."""
        return tuple(self.positions)

    def add(self, name: str, positions: Sequence[float], velocities: Sequence[float]) -> None:
        """Add a joint that does not depend on the selected coordinates yet."""
        self.positions[name], self.velocities[name] = list(positions), list(velocities)
        self.jacobians[name], self.bias_accelerations[name] = np.zeros((len(positions), self.width)), np.zeros(len(positions))


def _joint_motion(
    model: Model, joints: Sequence[str], positions: Mapping[str, Sequence[float]], velocities: Mapping[str, Sequence[float]]
) -> _JointMotion:
    motion = _JointMotion(width=sum(model.joints[name].degrees_of_freedom for name in joints))
    first = 0
    for name in joints:
        motion.add(name, positions[name], velocities[name])
        count = len(positions[name])
        motion.jacobians[name][:, first : first + count] = np.eye(count)
        first += count
    for follower in sorted_coupled_coordinates(model, tuple(joints)):
        for joint in (follower.joint, *(model.joints[source.joint] for source in follower.sources)):
            if joint.name not in motion.positions:
                motion.add(joint.name, joint.initial_positions, (0.0,) * joint.degrees_of_freedom)
        _add_coupled(motion, follower)
    return motion


def _add_coupled(motion: _JointMotion, follower: CoupledCoordinate) -> None:
    """Add the motion of a coupled coordinate."""
    expression, sources = follower.formula.position, follower.sources
    positions = {source: motion.positions[source.joint][source.coordinate] for source in sources}
    speeds = {source: motion.velocities[source.joint][source.coordinate] for source in sources}
    value, speed, acceleration = derivatives(expression, dict(positions), speeds)
    name, number = follower.joint.name, follower.number
    motion.positions[name][number], motion.velocities[name][number] = float(value), float(speed)
    motion.jacobians[name][number] = _weighted_sum(follower, positions, motion.jacobians)
    motion.bias_accelerations[name][number] = acceleration + _weighted_sum(follower, positions, motion.bias_accelerations)


def _weighted_sum(
    follower: CoupledCoordinate, positions: Mapping[JointPosition, float], of_joints: Mapping[str, Array]
) -> Array:
    """Return the sum over the sources of their values times the partial derivatives of the formula."""
    slopes = {source: partial(follower.formula.position, dict(positions), source) for source in follower.sources}
    terms = [slope * of_joints[source.joint][source.coordinate] for source, slope in slopes.items()]
    return np.asarray(np.sum(terms, axis=0)) if terms else np.zeros_like(of_joints[follower.joint.name][follower.number])
