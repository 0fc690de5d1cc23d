"""Which Worlds that MuJoCo compiles have reactions: those whose forces on bodies are all known one by one."""

from __future__ import annotations

import mujoco
import numpy as np

_IMPLICIT = (mujoco.mjtIntegrator.mjINT_IMPLICIT, mujoco.mjtIntegrator.mjINT_IMPLICITFAST, mujoco.mjtIntegrator.mjINT_DISCRETE)
_WRAPPED = [int(kind) for kind in (mujoco.mjtWrap.mjWRAP_SITE, mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER)]


def reaction_obstacle(model: mujoco.MjModel) -> str | None:
    """Return why reactions of joints are not computed, or None if they are."""
    flexible = [int(mujoco.mjtEq.mjEQ_FLEX), int(mujoco.mjtEq.mjEQ_FLEXVERT), int(mujoco.mjtEq.mjEQ_FLEXSTRAIN)]
    at_sites = model.eq_objtype == mujoco.mjtObj.mjOBJ_SITE
    transmissions = [int(mujoco.mjtTrn.mjTRN_BODY), int(mujoco.mjtTrn.mjTRN_SLIDERCRANK)]
    has_derivative = (model.actuator_gaintype != mujoco.mjtGain.mjGAIN_FIXED) | (
        (model.actuator_biastype != mujoco.mjtBias.mjBIAS_NONE) & (model.actuator_biastype != mujoco.mjtBias.mjBIAS_AFFINE)
    )
    reasons = {
        "tendons along paths": np.isin(model.wrap_type, _WRAPPED).any(),
        "equalities between sites": (at_sites & (model.eq_type != mujoco.mjtEq.mjEQ_JOINT)).any(),
        "flexible bodies": model.nflex or np.isin(model.eq_type, flexible).any(),
        "adhesion or slider-cranks": np.isin(model.actuator_trntype, transmissions).any(),
        "forces of a fluid": model.opt.density or model.opt.viscosity,
        "the Runge-Kutta integrator": model.opt.integrator == mujoco.mjtIntegrator.mjINT_RK4,
        "implicit integration of nonlinear actuators": model.opt.integrator in _IMPLICIT and has_derivative.any(),
    }
    found = [reason for reason, applies in reasons.items() if applies]
    return ", ".join(found) or None
