"""Violation and rates of equality constraints, and the smallest change of state that satisfies them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.array_types import IndexArray, Vector
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.simulation.compile.engine_enumerations import JOINT_EQUALITY
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.constraint_jacobian import dense_jacobian
from ossature.simulation.stepping.motor_and_load_inputs import MotorInput

_RELATIVE_CUTOFF = 1e-9
_DIFFERENCE = 1e-5
"""Displacement for differences [m or rad]."""


def equality_rows(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Vector, Vector]:
    """Return the violation and the Jacobian of the equality constraints."""
    rows = data.ne
    if not rows:
        return np.zeros(0), np.zeros((0, model.nv))
    return np.array(data.efc_pos[:rows]), dense_jacobian(model, data)[:rows]


class PrescribedRows(NamedTuple):
    """The constraint rows of prescribed coordinates, with their equality constraints and degrees of freedom in the engine."""

    rows: IndexArray
    equalities: IndexArray
    dofs: IndexArray


def find_prescribed_rows(compiled: EngineModel, numbers: tuple[int, ...]) -> PrescribedRows:
    """Return the rows of prescribed coordinates.

    Args:
        numbers: The engine's equality constraint of each row; see :func:`equality_numbers`.
    """
    model, equalities = compiled.model, np.array(numbers, dtype=np.intp)
    rows = np.flatnonzero((model.eq_type[equalities] == JOINT_EQUALITY) & (model.eq_obj2id[equalities] < 0))
    joints = model.eq_obj1id[equalities[rows]]
    return PrescribedRows(rows, equalities[rows], np.array(model.jnt_dofadr[joints], dtype=np.intp))


def equality_numbers(data: mujoco.MjData) -> tuple[int, ...]:
    """Return the engine's equality constraint of each of the first rows.

    They are constant, because no equality constraint is activated or deactivated in a compilation.
    """
    return tuple(data.efc_id[: data.ne].tolist())


def loop_drift(model: mujoco.MjModel, data: mujoco.MjData) -> Vector | None:
    """Return the acceleration of each row of the equality constraints at constant velocities, J̇·v, by central differences.

    Returns:
        The accelerations, or None if the number of rows changes with the positions.
    """
    velocities = data.qvel.copy()
    speed = float(np.abs(velocities).max(initial=0.0))
    if not 0.0 < speed < mujoco.mjMAXVAL:
        return np.zeros(data.ne)
    span = _DIFFERENCE / speed
    rates = []
    with temporary_engine_data(model) as trial:
        trial.eq_active[:] = data.eq_active
        trial.mocap_pos[:], trial.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        for time in (-span, span):
            trial.qpos[:] = data.qpos
            mujoco.mj_integratePos(model, trial.qpos, velocities, time)
            mujoco.mj_fwdPosition(model, trial)
            rates.append(equality_rows(model, trial)[1] @ velocities)
    before, after = rates
    if not before.size == after.size == data.ne:
        return None
    return np.asarray((after - before) / (2.0 * span))


def required_rates(data: mujoco.MjData, motors: Sequence[MotorInput], time: float) -> Vector:
    """Return the rates that equality constraints require at a time [s]: those of motors, and zero for all others.

    Args:
        data: The engine's data, with the rows of the constraints.
        motors: The motors.
        time: The time [s].
    """
    rates, equalities = np.zeros(data.ne), data.efc_id[: data.ne]
    for motor in motors:
        built = motor.built
        if built.equality is not None:
            rates[equalities == built.equality.id] = built.sign * motor.rate(time)
    return rates


def weighted_inverse(model: mujoco.MjModel, data: mujoco.MjData, J: Vector) -> Vector:
    """Return the mass-weighted pseudo-inverse of a Jacobian: its solutions have the smallest kinetic energy."""
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    mobility = np.linalg.solve(mass, J.T)
    return np.asarray(mobility @ _symmetric_inverse(J @ mobility))


def _symmetric_inverse(matrix: Vector) -> Vector:
    """Return the pseudo-inverse of a symmetric matrix, in less than half of the time of numpy's function."""
    values, vectors = np.linalg.eigh(matrix)
    sizes = np.abs(values)
    is_regular = sizes > _RELATIVE_CUTOFF * sizes.max(initial=0.0)
    inverses = np.divide(1.0, values, out=np.zeros_like(values), where=is_regular)
    return np.asarray((vectors * inverses) @ vectors.T)
