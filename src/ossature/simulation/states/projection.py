"""What equality constraints ask of places and velocities, and the least change that meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

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


def _dense_jacobian(model: Any, data: Any) -> Vector:
    J = np.array(data.efc_J).ravel()
    if not mujoco.mj_isSparse(model):
        return J[: data.nefc * model.nv].reshape(data.nefc, model.nv)  # the engine may have reserved more rows
    dense = np.zeros((data.nefc, model.nv))
    for row in range(data.nefc):
        start, count = data.efc_J_rowadr[row], data.efc_J_rownnz[row]
        dense[row, data.efc_J_colind[start : start + count]] = J[start : start + count]
    return dense


def weighted_inverse(model: Any, data: Any, J: Vector) -> Vector:
    """Return the inverse of a Jacobian that moves as little mass as possible."""
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    through = np.linalg.solve(mass, J.T)
    return np.asarray(through @ np.linalg.pinv(J @ through, rcond=_NEGLIGIBLE, hermitian=True))
