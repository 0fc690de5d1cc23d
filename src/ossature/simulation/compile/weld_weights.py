"""Weights of bodies in the constraints that close loops."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.formats.mjcf.engine import temporary_engine_data
from ossature.simulation.engine_log_suppression import suppress_engine_warnings

_MAX_RATIO = 30.0
"""Largest ratio of the inverse inertia about the thin axis of a body to that about its middle one that a weight has."""


def limit_weights_of_thin_bodies(model: mujoco.MjModel) -> None:
    """Limit the rotational weight of slender bodies in welds, which close loops.

    The engine regularises the three rotational rows of a weld by the mean of the inverse inertias of a body about its axes.
    About the axis of a slender rod the inverse is so large that the constraint becomes compliant about the other axes, too, if
    the joint that closes the loop permits this rotation, as point-line and point-plane joints do.
    """
    is_weld = model.eq_type == mujoco.mjtEq.mjEQ_WELD
    inertias = np.sort(model.body_inertia, axis=1)
    is_thin = inertias[:, 0] < inertias[:, 1] / _MAX_RATIO
    bodies = [body for body in np.unique((model.eq_obj1id[is_weld], model.eq_obj2id[is_weld])).tolist() if is_thin[body]]
    if not bodies:
        return
    rows, solutions = np.empty((3, model.nv)), np.empty((3, model.nv))
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        mujoco.mj_fwdPosition(model, data)
        for body in bodies:
            mujoco.mj_jacBody(model, data, None, rows, body)
            mujoco.mj_solveM(model, data, solutions, rows)
            with np.errstate(over="ignore", invalid="ignore"):
                inverse_inertia = rows @ solutions.T
            if not np.isfinite(inverse_inertia).all():  # they overflow; the first step has a finding
                continue
            inverse_inertias = np.linalg.eigvalsh(inverse_inertia)
            limited = np.minimum(inverse_inertias, _MAX_RATIO / inertias[body, 1])
            model.body_invweight0[body, 1] = max(float(limited.mean()), mujoco.mjMINVAL)
