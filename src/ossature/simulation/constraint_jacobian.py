"""The Jacobian of the engine's constraints."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import Array


def dense_jacobian(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """Return the Jacobian of all constraints in the data, one row each."""
    J = np.array(data.efc_J).ravel()
    if not mujoco.mj_isSparse(model):
        return J[: data.nefc * model.nv].reshape(data.nefc, model.nv)  # the engine may have allocated more rows
    dense = np.zeros((data.nefc, model.nv))
    mujoco.mju_sparse2dense(dense, J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    return dense
