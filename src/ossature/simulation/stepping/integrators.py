"""Integrators: the loop around the engine's step."""

from __future__ import annotations

import mujoco

from ossature.simulation.compile.integrator_choice import Integrator, IntegratorChoice
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.engine_step_with_rigid_constraints import EngineStep
from ossature.simulation.stepping.engine_stepper import EngineStepper
from ossature.simulation.stepping.leapfrog_stepper import LeapfrogStepper
from ossature.simulation.stepping.rigid_contacts import RigidContacts
from ossature.simulation.stepping.stepper import Stepper


def make_stepper(
    choice: IntegratorChoice, model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs, contacts: RigidContacts | None
) -> Stepper:
    """Return the stepper of an integrator."""
    engine = EngineStep(model, data, inputs, choice.scheme, contacts)
    is_staggered = choice.scheme in (Integrator.CENTRED, Integrator.STAGGERED)
    return LeapfrogStepper(engine, choice) if is_staggered else EngineStepper(engine, choice)
