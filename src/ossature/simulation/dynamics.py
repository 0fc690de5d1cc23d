"""The equations of motion of a model in its own coordinates: M(q)·v̇ + c(q, v) = τ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.kinematics import derivatives, followers, partial
from ossature.model import JointPosition, Model
from ossature.simulation.compile.coordinate_mapping import velocity_map, velocity_map_rate, write_positions, write_velocities
from ossature.simulation.engine_warnings import suppress_engine_warnings
from ossature.simulation.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ossature.kinematics import Follower

    Array = NDArray[np.float64]


def equations_of_motion(
    simulation: Simulation,
    model: str,
    joints: Sequence[str],
    positions: Mapping[str, Sequence[float]],
    velocities: Mapping[str, Sequence[float]],
) -> tuple[Array, Array]:
    """Return the mass matrix and the Coriolis, centrifugal and gravity forces of a model in a given state.

    Joints that follow others and are not among the given ones move with them, and their masses count there; one that is among
    them is taken to move by itself. All others stay. The simulation itself stays where it is.

    Args:
        simulation: The simulation of its World.
        model: Name of the model.
        joints: Names of joints, in the order in which their coordinates are wanted.
        positions: Their coordinates [rad or m].
        velocities: Their velocities, in the frames that ``docs/conventions.md`` names for each type of joint.

    Returns:
        The symmetric mass matrix, shape (n, n), and the forces, shape (n,), both in the joints' coordinates.

    Raises:
        FormulaError: A formula gives no value, or names a coordinate that there is not.
    """
    engine = simulation.compiled.model
    data = mujoco.MjData(engine)
    motion = _motion(simulation.world.models[model], joints, positions, velocities)
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
        rows, turned = slice(index.dof, index.dof + index.dof_count), velocity_map(index, data.qpos)
        J[rows] = turned @ motion.shares[name]
        rate[rows] = velocity_map_rate(index, data.qpos, motion.velocities[name]) + turned @ motion.rates[name]
    return J.T @ full @ J, J.T @ (full @ rate + bias)


@dataclass(slots=True, kw_only=True)
class _JointMotion:
    """How joints move with the coordinates that are asked for.

    Attributes:
        width: How many coordinates are asked for.
        positions: Coordinates by joint.
        velocities: Velocities by joint.
        shares: By joint the derivatives of its velocities by those that are asked for, shape (coordinates, width).
        rates: By joint the accelerations that it has where those that are asked for have none.
    """

    width: int
    positions: dict[str, list[float]] = field(default_factory=dict)
    velocities: dict[str, list[float]] = field(default_factory=dict)
    shares: dict[str, Array] = field(default_factory=dict)
    rates: dict[str, Array] = field(default_factory=dict)

    @property
    def moving(self) -> tuple[str, ...]:
        """Names of the joints that move."""
        return tuple(self.positions)

    def add(self, name: str, positions: Sequence[float], velocities: Sequence[float]) -> None:
        """Add a joint that moves in no coordinate that is asked for, so far."""
        self.positions[name], self.velocities[name] = list(positions), list(velocities)
        self.shares[name], self.rates[name] = np.zeros((len(positions), self.width)), np.zeros(len(positions))


def _motion(
    model: Model, joints: Sequence[str], positions: Mapping[str, Sequence[float]], velocities: Mapping[str, Sequence[float]]
) -> _JointMotion:
    motion = _JointMotion(width=sum(model.joints[name].degrees_of_freedom for name in joints))
    first = 0
    for name in joints:
        motion.add(name, positions[name], velocities[name])
        count = len(positions[name])
        motion.shares[name][:, first : first + count] = np.eye(count)
        first += count
    for follower in followers(model, tuple(joints)):
        for joint in (follower.joint, *(model.joints[source.joint] for source in follower.sources)):
            if joint.name not in motion.positions:
                motion.add(joint.name, joint.initial_positions, (0.0,) * joint.degrees_of_freedom)
        _follow(motion, follower)
    return motion


def _follow(motion: _JointMotion, follower: Follower) -> None:
    """Let a coordinate move as its formula says."""
    expression, sources = follower.formula.position, follower.sources
    places = {source: motion.positions[source.joint][source.coordinate] for source in sources}
    speeds = {source: motion.velocities[source.joint][source.coordinate] for source in sources}
    value, speed, bend = derivatives(expression, dict(places), speeds)
    name, number = follower.joint.name, follower.number
    motion.positions[name][number], motion.velocities[name][number] = float(value), float(speed)
    motion.shares[name][number] = _weighted(follower, places, motion.shares)
    motion.rates[name][number] = bend + _weighted(follower, places, motion.rates)


def _weighted(follower: Follower, places: Mapping[JointPosition, float], of_joints: Mapping[str, Array]) -> Array:
    """Return the sum of what sources have, each times the slope of the formula by it."""
    slopes = {source: partial(follower.formula.position, dict(places), source) for source in follower.sources}
    terms = [slope * of_joints[source.joint][source.coordinate] for source, slope in slopes.items()]
    return np.asarray(np.sum(terms, axis=0)) if terms else np.zeros_like(of_joints[follower.joint.name][follower.number])
