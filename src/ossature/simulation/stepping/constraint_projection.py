"""What equality constraints ask of places and velocities, and the least change that meets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.simulation.stepping.input_signals import MotorInput

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_NEGLIGIBLE = 1e-9


def equality_rows(model: Any, data: Any) -> tuple[Vector, Vector]:
    """Return violation and Jacobian of the equality constraints."""
    rows = data.ne
    if not rows:
        return np.zeros(0), np.zeros((0, model.nv))
    return np.array(data.efc_pos[:rows]), _dense_jacobian(model, data)[:rows]


def rates_of_rows(model: Any, J: Vector, motors: Sequence[MotorInput], time: float) -> Vector:
    """Return the rates that equality constraints ask for at a time [s]: those of motors, and rest for all others.

    Args:
        model: The engine's model.
        J: The Jacobian of the constraints.
        motors: The motors.
        time: The time [s].
    """
    wanted = np.zeros(len(J))
    alone = np.count_nonzero(J, axis=1) == 1
    for motor in motors:
        built = motor.built
        if built.equality is not None and built.joint is not None:
            of_joint = J[:, int(model.jnt_dofadr[built.joint.id])]
            rows = alone & (of_joint != 0.0)
            wanted[rows] = of_joint[rows] * built.sign * motor.rate(time)
    return wanted


def _dense_jacobian(model: Any, data: Any) -> Vector:
    J = np.array(data.efc_J).ravel()
    if not mujoco.mj_isSparse(model):
        return J[: data.nefc * model.nv].reshape(data.nefc, model.nv)  # the engine may have reserved more rows
    dense = np.zeros((data.nefc, model.nv))
    mujoco.mju_sparse2dense(dense, J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    return dense


def weighted_inverse(model: Any, data: Any, J: Vector) -> Vector:
    """Return the inverse of a Jacobian that moves as little mass as possible."""
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    through = np.linalg.solve(mass, J.T)
    return np.asarray(through @ np.linalg.pinv(J @ through, rcond=_NEGLIGIBLE, hermitian=True))
