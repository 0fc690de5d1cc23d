"""Parts of the engine's step, with rigid contacts and rigid equality constraints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.simulation.compile.engine_enumerations import DIVERGED, JOINT_EQUALITY, VELOCITY_STAGE
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_options import equality_reference, stop_reference
from ossature.simulation.stepping.approached_limits import make_approached_limits
from ossature.simulation.stepping.constraint_islands import find_dofs_in_islands
from ossature.simulation.stepping.constraint_projection import equality_numbers, find_prescribed_rows
from ossature.simulation.stepping.contact_rows import ROWS
from ossature.simulation.stepping.contact_tolerances import LARGEST_SPEED_ERROR
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.equality_solver import make_equality_solver, take_second_half
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.rigid_contacts import RigidContacts

_RIGID_ITERATIONS = 3
"""Iterations of rigid equality constraints; each reduces the error by about four digits, if the constraints are independent."""
_MAX_RIGID_ITERATIONS = 1000
"""Largest number of iterations of constraints that are nearly dependent, as in a structure with a large leverage."""
_SETTLED_FORCE = 1e-9
"""Relative change of the forces in an iteration below which they have converged."""
_STALLED_RATIO = 0.999
"""Ratio of the changes of two iterations above which the forces do not converge, as those of constraints that conflict."""


LARGEST_CONTINUOUS_ACCELERATION = 1000.0
"""Acceleration above which velocities beside contacts jump, if they also change by half [m/s² or rad/s²]."""


class EngineStep:
    """The engine's step, with the inputs of each step and rigid contacts.

    Attributes:
        duration: The length of an undivided step [s].
        can_touch: Whether bodies can collide.
        can_stop: Whether joints have position limits.
        limits: The position limits of joints that are reached without a rebound, or None if there are none.
        equality_solver: Solves the equations of motion if there are equality constraints only, or None.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, inputs: Inputs, contacts: RigidContacts | None) -> None:
        self.compiled, self.model, self.integrator = compiled, compiled.model, compiled.choice.integrator
        self.data, self.inputs, self.contacts = data, inputs, contacts
        self.duration = float(self.model.opt.timestep)
        self.can_touch, self.can_stop = compiled.can_touch, bool(self.model.jnt_limited.any())
        self.limits = make_approached_limits(compiled, data)
        self.equality_solver = (
            make_equality_solver(self.model, data, self.integrator) if contacts is None else contacts.equality_solver
        )

    def of_length(self, step: float) -> AbstractContextManager[object]:
        """Set the engine's time step [s] for some steps."""
        return nullcontext() if self.model.opt.timestep == step else self._with_length(step)

    @contextmanager
    def _with_length(self, step: float) -> Iterator[None]:
        self._set_length(step)
        try:
            yield
        finally:
            self._set_length(self.duration)

    def _set_length(self, step: float) -> None:
        """Set the time step, and the equality constraints and contacts, which correct their errors within a step."""
        model = self.model
        if model.opt.timestep == step:
            return
        model.opt.timestep = step
        if model.neq and not self.compiled.is_mjcf_world:
            model.eq_solref[:] = equality_reference(self.integrator, step)
        if self.limits is not None:
            self.limits.set_reference(stop_reference(self.integrator, step))
        if self.contacts is not None:
            self.contacts.set_time_step(step)

    def prepare(self, targets: Vector | None, controls: Vector | None, step: float, drives: list[JointDrive]) -> None:
        """Write the targets, controls and drives of a step of a length [s]; the data have its velocities."""
        inputs, time = self.inputs, self.data.time
        if targets is not None:
            inputs.set_targets(targets)
        if controls is not None:
            inputs.set_controls(controls)
        if inputs.has_live:
            inputs.prepare_step(time, step)
        for drive in drives:
            drive.prepare_step(time, step)

    def take_first_half(self) -> None:
        """Take the first half of the engine's step."""
        if self.contacts is not None:
            self.contacts.prepare()
        if self.limits is not None and self.limits.are_ahead():
            self.limits.take_first_half()
        else:
            mujoco.mj_step1(self.model, self.data)

    def take_second_half(self) -> None:
        """Take the second half of the engine's step."""
        if self.contacts is None:
            take_second_half(self.equality_solver, self.model, self.data)
        else:
            self.contacts.constrain()
            self.contacts.step2()

    def correct_servos(self, servos: list[ServoDrive], step: float) -> None:
        """Correct the constraints of servos; call it between the halves of a step."""
        for servo in servos:
            servo.correct_constraints(self.data.time, step)

    def has_diverged(self) -> bool:
        """Whether the engine has refused a position, velocity or acceleration, so that the last steps are rejected."""
        counts = self.data.warning.number
        return any(counts[kind] for kind in DIVERGED)

    def has_unilateral_force(self) -> bool:
        """Whether bodies are in contact, or a joint is at a limit, so that forces may be discontinuous."""
        has_contact = self.can_touch and self.data.ncon and (self.contacts is None or self.contacts.rows.have_force())
        return bool(has_contact or (self.can_stop and self.data.nl))

    def find_discontinuous_dofs(self) -> BoolArray | None:
        """Return the degrees of freedom whose forces may be discontinuous, or None if there is none.

        These are those of kinematic trees with a force of a contact or limit, and of trees that constraints connect with them.
        """
        data = self.data
        if not self.has_unilateral_force():
            return None
        is_unilateral = data.efc_force > 0.0
        is_unilateral[: data.ne + data.nf] = False
        return find_dofs_in_islands(self.model, data, is_unilateral)

    def find_velocity_jumps(self, before: Vector) -> BoolArray | None:
        """Return which degrees of freedom may have a velocity jump in the last step, or None if there is none.

        If a contact or a limit with a force closed in the step, these are all of the kinematic trees with constraint forces;
        otherwise those of trees whose velocities changed by too much for a continuous force.

        Args:
            before: The velocities before the step.
        """
        model, data = self.model, self.data
        if not (data.ncon or data.nl):
            return None
        first = data.ne + data.nf
        forces, speeds = data.efc_force[first:], data.efc_vel[first:]
        rows = (slice(data.nl), slice(data.nl, None, ROWS))
        if not any((forces[each] > 0.0).any() for each in rows):
            return None
        are_jumps = data.qfrc_constraint != 0.0
        if not any(((forces[each] > 0.0) & (speeds[each] < -LARGEST_SPEED_ERROR)).any() for each in rows):
            change, largest = np.abs(data.qvel - before), np.maximum(np.abs(data.qvel), np.abs(before))
            are_jumps &= (change > LARGEST_CONTINUOUS_ACCELERATION * self.duration) & (change > 0.5 * largest)
            if not are_jumps.any():
                return None
        is_jumping = np.zeros(model.ntree, dtype=bool)
        is_jumping[model.dof_treeid[are_jumps]] = True
        return np.asarray(is_jumping[model.dof_treeid])


def make_equalities_rigid(model: mujoco.MjModel, data: mujoco.MjData, drift: Vector | None = None) -> int:
    """Compute the acceleration with rigid equality constraints, from one with the engine's, and keep their references.

    The engine leaves a ten-thousandth of the unconstrained acceleration, which a residual compensates after a few steps.
    Here it is added to the reference accelerations.

    Args:
        drift: What :func:`loop_drift` returns. Without it, the engine's references act, which close loops with a residual
            that is not there before the second step.

    Returns:
        The number of iterations, which is that of the steps after which the residual of the engine's constraints is constant.
    """
    rows = slice(0, int(data.ne))
    if drift is not None:
        closes_loop = model.eq_type[data.efc_id[rows]] != JOINT_EQUALITY
        data.efc_aref[rows][closes_loop] = -drift[closes_loop]
    references, softness, present = data.efc_aref[rows], data.efc_R[rows], data.efc_force[rows]
    reference = references.copy()
    forces, change = present.copy(), math.inf
    for number in range(1, _MAX_RIGID_ITERATIONS + 1):
        references[:] = reference + softness * forces
        mujoco.mj_forwardSkip(model, data, VELOCITY_STAGE, 1)
        before, last_change = forces, change
        forces = present.copy()
        change = _length(forces - before)
        has_converged = change <= _SETTLED_FORCE * _length(forces) or change > _STALLED_RATIO * last_change
        if number >= _RIGID_ITERATIONS and has_converged:
            return number
    return _MAX_RIGID_ITERATIONS


def _length(vector: Vector) -> float:
    return math.sqrt(vector.dot(vector))  # much faster than numpy's norm


@contextmanager
def moving_targets(compiled: EngineModel, data: Any) -> Iterator[bool]:
    """Let the targets of prescribed coordinates move with them; yields whether one moves.

    A target at rest would stop a moving coordinate at once, with an acceleration in proportion to one over the step.
    """
    model = compiled.model
    rows, equalities, dofs = compiled.shared_results.get(find_prescribed_rows, compiled, equality_numbers(data))
    velocities = data.qvel[dofs]
    # The targets of motors are those of the end of the step already.
    velocities = np.where(np.abs(data.efc_pos[rows]) < 0.5 * model.opt.timestep * np.abs(velocities), velocities, 0.0)
    if not velocities.any():
        yield False
        return
    targets = model.eq_data[:, 0].copy()
    stiffness, damping = data.efc_KBIP[rows, 0], data.efc_KBIP[rows, 1]
    model.eq_data[equalities, 0] += velocities * damping / np.where(stiffness > 0.0, stiffness, np.inf)
    try:
        yield True
    finally:
        model.eq_data[:, 0] = targets
