"""The options of an integrator in the engine."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.simulation.compile.constraint_solref import (
    EQUALITY_IMPEDANCE,
    discrete_integrator_joint_stop_solref,
    discrete_integrator_one_step_solref,
    joint_stop_solref,
    one_step_solref,
)
from ossature.simulation.compile.engine_spec import EngineSpec
from ossature.simulation.compile.integrator_choice import Integrator

_INTEGRATORS = {
    Integrator.DISCRETE: mujoco.mjtIntegrator.mjINT_DISCRETE,
    Integrator.STAGGERED: mujoco.mjtIntegrator.mjINT_DISCRETE,
    Integrator.IMPLICIT: mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    Integrator.CENTRED: mujoco.mjtIntegrator.mjINT_EULER,
}
_AT_END_OF_STEP = (Integrator.DISCRETE, Integrator.STAGGERED)
"""The integrators that evaluate constraint forces at the end of the step."""
_EXPLICIT_DAMPING = int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)


def equality_reference(integrator: Integrator, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of equality constraints for an integrator."""
    return discrete_integrator_one_step_solref(time_step) if integrator in _AT_END_OF_STEP else one_step_solref(time_step)


def stop_reference(integrator: Integrator, time_step: float) -> tuple[float, float]:
    """Return the ``solref`` of joints' position limits for an integrator."""
    return discrete_integrator_joint_stop_solref(time_step) if integrator in _AT_END_OF_STEP else joint_stop_solref(time_step)


def apply_integrator(integrator: Integrator, spec: EngineSpec) -> None:
    """Set the options of an integrator in the engine's specification."""
    time_step = spec.option.timestep
    spec.option.integrator = _INTEGRATORS[integrator]
    if integrator is Integrator.CENTRED:
        spec.option.disableflags |= _EXPLICIT_DAMPING
    for equality in spec.equalities:
        equality.solref = equality_reference(integrator, time_step)
        equality.solimp = EQUALITY_IMPEDANCE
    for joint in spec.joints:
        if joint.limited == mujoco.mjtLimited.mjLIMITED_TRUE:
            joint.solref_limit = stop_reference(integrator, time_step)


def apply_integrator_to_model(integrator: Integrator, model: mujoco.MjModel) -> None:
    """Set the options of an integrator in the engine's compiled model."""
    model.opt.integrator = _INTEGRATORS[integrator]
    if integrator is Integrator.CENTRED:
        model.opt.disableflags |= _EXPLICIT_DAMPING
    model.eq_solref[:] = equality_reference(integrator, model.opt.timestep)
    model.jnt_solref[np.flatnonzero(model.jnt_limited)] = stop_reference(integrator, model.opt.timestep)
