"""Integrators: the loop around the engine's step."""

from __future__ import annotations

import mujoco

from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.engine_step_with_rigid_constraints import EngineStep
from ossature.simulation.stepping.engine_stepper import EngineStepper
from ossature.simulation.stepping.leapfrog_stepper import LeapfrogStepper
from ossature.simulation.stepping.rigid_contacts import RigidContacts
from ossature.simulation.stepping.stepper import Stepper


def make_stepper(compiled: EngineModel, data: mujoco.MjData, inputs: Inputs, contacts: RigidContacts | None) -> Stepper:
    """Return the stepper of the integrator of a model."""
    engine = EngineStep(compiled, data, inputs, contacts)
    is_staggered = compiled.choice.integrator in (Integrator.CENTRED, Integrator.STAGGERED)
    return LeapfrogStepper(engine) if is_staggered else EngineStepper(engine)
