"""Leapfrog integration: velocities are half a step apart from positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.simulation.compile.collision_filter import can_collide
from ossature.simulation.compile.integrator_choice import Integrator, IntegratorChoice
from ossature.simulation.stateful_components import STATE, ComponentState
from ossature.simulation.stepping.compiled_loop import CompiledLoop, make_compiled_loop
from ossature.simulation.stepping.constraint_projection import equality_rows, loop_drift, weighted_inverse
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.engine_step import (
    correct_servos,
    make_equalities_rigid,
    moving_targets,
    step_first_half,
    step_second_half,
    write_inputs,
)
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.loop_structs import WATCHED, set_addresses
from ossature.simulation.stepping.rigid_contacts import RigidContacts
from ossature.simulation.stepping.step_size_control import STEPS_BETWEEN_ESTIMATES
from ossature.simulation.stepping.stepper import Stepper, StepVelocities, begin_recording, unrecorded

_SUB_STEPS_AFTER_PROJECTION = 2
"""Sub-steps after a projection in which the second difference of velocities is caused by it, and is not an error."""
_SUB_STEPS_TO_SETTLE = 4
"""Sub-steps after loops are closed until their residual, and the forces in proportion to it, are those of the motion."""
_MAX_ACCELERATION_RATIO = 8.0
"""Largest ratio by which the acceleration may decrease within a step."""
_IMPACT_PHASE = 0.1
"""Phase of the fastest oscillation in a sub-step with an impact [rad]: its energy has an error of 1%."""
_PROJECTIONS = 2
"""Iterations that close loops; they converge quadratically: a residual of 1e-5 is 1e-10 after the first one."""

_DIFFER = (np.array([-2.0, 1.0]), np.array([1.0, -2.0]))
"""Weights of them that give the second difference together with the velocity after them."""


class LeapfrogStepper(Stepper):
    """Staggered (leapfrog) integration: velocities are half a step apart from positions.

    Between calls the engine's data have the velocity of the same time as the positions, inside the staggered one. The former
    is extrapolated: one and a half times the last staggered velocity less half of the one before.

    A step is divided into sub-steps if :class:`SubSteps` or a criterion requires it. The staggered velocities stay a sub-step
    apart from one divided step to the next. They are computed again, with the acceleration of the present time, only when the
    count changes, so that dividing many steps costs no accuracy.

    Args:
        model: The engine's model.
        data: The engine's data.
        inputs: The inputs of each step.
        choice: The integrator; with ``CENTRED`` all forces are evaluated in the middle of the velocities' step, with
            ``STAGGERED`` that is left to the engine's integrator.
        contacts: The rigid contacts, or None.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        inputs: Inputs,
        choice: IntegratorChoice,
        contacts: RigidContacts | None,
    ) -> None:
        super().__init__(model, data, inputs, choice, contacts)
        inputs.has_staggered_velocities = True
        self._is_centred = choice.scheme is Integrator.CENTRED
        self._spacing = self._step
        self._qacc = data.qacc
        self._velocities = np.zeros((2, data.qvel.size))
        self._half = np.zeros(data.qvel.size)
        self._can_touch = can_collide(model)
        self._can_stop = bool(model.jnt_limited.any())
        friction = model.dof_frictionloss.any() or model.tendon_frictionloss.any()
        self._has_constraints = self._can_touch or bool(model.neq or model.jnt_limited.any() or friction)
        self._last = self._unsettled_steps = 0
        self._closed_at = 0.0
        self._estimate = np.zeros(data.qvel.size)
        self._midpoint = np.zeros(data.qvel.size)
        self._engine_state = np.zeros(mujoco.mj_stateSize(model, STATE))
        has_force_elements = bool(model.nu or model.jnt_stiffness.any() or model.dof_damping.any() or model.ntendon)
        self._watch_interval = STEPS_BETWEEN_ESTIMATES if has_force_elements else 2 * STEPS_BETWEEN_ESTIMATES
        tolerance = choice.control.tolerance
        if inputs.has_stops:
            self.criteria.append(lambda step: inputs.sub_steps(step, tolerance))

    def divide_impacts(self, phase_at: Callable[[Vector], float]) -> None:
        """Divide steps with impacts, which make stiff springs oscillate.

        A velocity jump lets a spring with the angular frequency ω deform for one sub-step h without its force, so that the
        energy of the oscillation is wrong by a share of (ω·h)².

        Args:
            phase_at: Returns ω·h of the fastest oscillation of springs for a whole step, from the positions [rad].
        """
        contacts = self._contacts
        if contacts is None or not self._is_centred:
            return
        contacts.divides_impacts = True

        def parts(_step: float) -> int:
            return math.ceil(phase_at(self._data.qpos) / _IMPACT_PHASE) if contacts.has_impact_ahead() else 1

        self.criteria.append(parts)

    def get_state(self) -> ComponentState:
        """Return the staggered velocities, the row of the last one (sums depend on it bit by bit), and the step control."""
        rows = {"earlier": self._velocities[1 - self._last].copy(), "last": self._velocities[self._last].copy()}
        spacing = {
            "row": np.array([self._last]),
            "spacing": np.array([self._spacing]),
            "unsettled": np.array([self._unsettled_steps]),
            "closed": np.array([self._closed_at]),
        }
        own = rows | spacing | self.sub_steps.get_state()
        return own if self._contacts is None else own | self._contacts.get_state()

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        spacing = float(saved_state["spacing"][0])
        if not 0.0 < spacing <= self._step:
            raise ValueError(f"sub-steps of {spacing:g} s do not divide steps of {self._step:g} s")
        self._spacing, self._unsettled_steps = spacing, int(saved_state["unsettled"][0])
        self._closed_at = float(saved_state["closed"][0])
        self._last = int(saved_state["row"][0]) % 2
        self._velocities[1 - self._last] = saved_state["earlier"]
        self._velocities[self._last] = saved_state["last"]
        self.sub_steps.set_state(saved_state)
        if self._contacts is not None:
            self._contacts.set_state(saved_state)

    def start(self) -> None:
        """Start at the state of the engine's data, with earlier velocities from the acceleration of that state."""
        model, data = self._model, self._data
        time, step = float(data.time), self._step / self.sub_steps.count
        self._set_engine_step(step)
        self._inputs.set_start(time, step)
        self._inputs.compute_forces(time)
        if self._contacts is not None:
            self._contacts.start()
        self._forward()
        if model.neq:
            self._accelerate_rigidly()
        if self.recorder is not None:
            self.recorder.restart()
        change = step * self._qacc
        np.subtract(self._qvel, 0.5 * change, out=self._velocities[self._last])
        np.subtract(self._qvel, 1.5 * change, out=self._velocities[1 - self._last])
        self._spacing, self._closed_at = step, time
        self.sub_steps.start()
        self._set_engine_step(self._step)

    def _accelerate_rigidly(self) -> None:
        """Compute the acceleration again, with rigid equality constraints whose targets move with their coordinates."""
        with moving_targets(self._model, self._data) as are_moving:
            if are_moving:
                self._forward()
            if self._data.ne:
                make_equalities_rigid(self._model, self._data, loop_drift(self._model, self._data))

    def _forward(self) -> None:
        if self._contacts is None:
            mujoco.mj_forward(self._model, self._data)
        else:
            self._contacts.forward()

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        while count > 0:
            if self._divides:
                self._watched_step(drives, servos)
                count -= 1
            else:
                count -= self._undivided_steps(count, drives, servos)
        self._extrapolate(self._last)

    @property
    def _divides(self) -> bool:
        """Whether the error of the next step is estimated, or the step is divided."""
        return self.sub_steps.is_watching or self._spacing != self._step

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take a sub-step of the present spacing, so that the engine's data have its forces; return its velocities.

        Another spacing would change the residual of loops, and thereby the forces that close them, for some sub-steps.
        """
        with unrecorded(self), self._without_criteria():
            if self._divides or self._loops_settle or self._inputs.has_stops:
                before = self._velocities[self._last].copy()
                # A stop that is reached within the step has no force at the present time.
                self._spaced_steps(1, drives, servos, is_start=self._loops_settle, averages_stops=False)
                present = self._midpoint.copy() if self._is_centred else before
            else:
                before = self._velocities[self._last].copy()
                self._extrapolate(self._last)
                present = self._qvel.copy() if self._is_centred else before
                self._undivided_steps(1, drives, servos)
        after = self._velocities[self._last].copy()
        self._extrapolate(self._last)
        return StepVelocities(self._spacing, present, before, after)

    @property
    def _loops_settle(self) -> bool:
        """Whether the forces that close loops are not those of the motion yet: see :data:`_SUB_STEPS_TO_SETTLE`."""
        return bool(self._model.neq) and float(self._data.time) < self._closed_at + (_SUB_STEPS_TO_SETTLE - 0.5) * self._spacing

    @contextmanager
    def _without_criteria(self) -> Iterator[None]:
        """Take a step as it is, also if a criterion would divide it."""
        criteria, self.criteria = self.criteria, []
        try:
            yield
        finally:
            self.criteria = criteria

    # Steps that are not divided

    def _undivided_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take undivided steps, perhaps fewer than a number; return how many were taken."""
        loop = self._compiled_loop
        if loop is None or not self._can_run_compiled(drives, servos):
            return self._steps_in_python(count, drives, servos)
        taken = self._compiled_steps(loop, count)
        return taken or self._steps_in_python(1, drives, servos)

    @cached_property
    def _compiled_loop(self) -> CompiledLoop | None:
        """The compiled loop, or None if it cannot be used."""
        if not self._is_centred:
            return None
        loop = make_compiled_loop(self._model, self._data, self._inputs, self._contacts)
        if loop is not None:
            program = loop.program
            program.is_leapfrog = program.is_split = True
            program.can_touch, program.can_stop, program.has_constraints = (
                self._can_touch,
                self._can_stop,
                self._has_constraints,
            )
            program.interval, program.negligible_square = self._watch_interval, self.sub_steps.negligible_square
            program.step = self._step
            set_addresses(program, velocities=self._velocities, estimate=self._estimate)
        return loop

    def _can_run_compiled(self, drives: list[JointDrive], servos: list[ServoDrive]) -> bool:
        has_rows = self.after_step is None or self.residual_rows is not None
        return has_rows and not (drives or servos or self._inputs.has_live)

    def _compiled_steps(self, loop: CompiledLoop, count: int) -> int:
        """Take undivided steps in the compiled loop until one needs Python; return how many were taken."""
        program, work = loop.program, None
        if self.recorder is not None and self.recorder.begin(count, has_drives=False) is not None:
            work = self.recorder.step_rows
            if work is None:
                return 0
        # Steps are counted from time zero, so that the result does not depend on how a run is divided into calls.
        number = round(float(self._data.time) / self._step)
        program.last, program.next_watched = self._last, self._watch_interval - number % self._watch_interval
        try:
            ended, taken = loop.run(self._step, count, work, None if self.after_step is None else self.residual_rows)
        finally:
            self._last = program.last
        if ended == WATCHED and self._is_large(self._estimate) and not self._has_impact():
            self.sub_steps.watch(self._estimate, self._qvel)
        return taken

    def _is_large(self, estimate: Vector) -> bool:
        """Whether second differences of velocities are not negligible."""
        return not np.dot(estimate, estimate) < self.sub_steps.negligible_square

    def _extrapolate(self, last: int) -> None:
        """Set the present velocities: one and a half times the last staggered ones, less half of the earlier ones."""
        np.multiply(self._velocities[last], 1.5, out=self._qvel)
        np.multiply(self._velocities[1 - last], 0.5, out=self._half)
        self._qvel -= self._half

    def _steps_in_python(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take undivided steps until one needs an error estimate; return how many were taken."""
        model, data, qvel, velocities, inputs = self._model, self._data, self._qvel, self._velocities, self._inputs
        step1, step2, reference, copy, product = (
            mujoco.mj_step1,
            mujoco.mj_step2,
            mujoco.mj_referenceConstraint,
            np.copyto,
            np.dot,
        )
        step = self._step
        is_centred, needs_forces, has_live, criteria = self._is_centred, inputs.needs_forces, inputs.has_live, self.criteria
        rows = (velocities[0], velocities[1])
        estimate = self._estimate
        # Each access to the engine's data costs as much as a small calculation.
        can_touch, can_stop, has_constraints, contacts = self._can_touch, self._can_stop, self._has_constraints, self._contacts
        last, count_taken = self._last, 0
        after_step, record = self.after_step, begin_recording(self.recorder, count, drives)
        # Steps are counted from time zero, so that the result does not depend on how a run is divided into calls.
        interval = self._watch_interval
        next_watched = interval - round(float(data.time) / step) % interval if is_centred else 0
        for targets, controls in inputs.rows(float(data.time), step, count):
            undo = self._save_state(drives) if criteria and (drives or has_live) else None
            if targets is not None:
                inputs.set_targets(targets)
            if controls is not None:
                inputs.set_controls(controls)
            if is_centred:
                self._extrapolate(last)
            else:
                copy(qvel, rows[last])
            if has_live:
                inputs.prepare_step(data.time, step)
            for drive in drives:
                drive.prepare_step(data.time, step)
            if contacts is not None:
                contacts.prepare()
            step1(model, data)
            if criteria and self._must_divide():
                if undo is not None:
                    undo()
                break
            if needs_forces:
                inputs.compute_forces(data.time, step)
            if is_centred:
                copy(qvel, rows[last])
                if has_constraints:
                    reference(model, data)
            if servos:
                correct_servos(servos, data, step)
            if contacts is None:
                step2(model, data)
            else:
                contacts.constrain()
                contacts.step2()
            count_taken += 1
            if record is not None:
                record(rows[last], step)
            if after_step is not None:
                after_step()
            is_watched = count_taken == next_watched
            if is_watched:
                next_watched += interval
                product(_DIFFER[last], velocities, out=estimate)
                estimate += qvel
                is_watched = self._is_large(estimate) and not self._has_impact()
            last = 1 - last
            copy(rows[last], qvel)
            has_contact = can_touch and data.ncon and (contacts is None or contacts.has_force)
            if has_contact or (can_stop and data.nl):
                rows[1 - last][:] = qvel  # the velocity jump of an impact must not be extrapolated
            if is_watched and self.sub_steps.watch(estimate, qvel):
                break
        self._last = last
        return count_taken

    def _has_impact(self) -> bool:
        """Whether bodies are in contact, or a joint is at a limit, so that velocities may jump."""
        has_contact = self._can_touch and self._data.ncon and (self._contacts is None or self._contacts.has_force)
        return bool(has_contact or (self._can_stop and self._data.nl))

    def _estimate_error(self, last: int) -> tuple[float, int]:
        """Return the largest error of the last step, before its velocity is stored, and its degree of freedom."""
        estimate = self._estimate
        np.dot(_DIFFER[last], self._velocities, out=estimate)
        estimate += self._qvel
        return self.sub_steps.error(estimate, self._qvel)

    def _must_divide(self) -> bool:
        """Return whether a criterion divides the step that starts now; positions and velocities are those of its start."""
        for criterion in self.criteria:
            parts = criterion(self._step)
            if parts > 1:
                self.sub_steps.require(parts)
        return self.sub_steps.is_watching

    # Steps with an error estimate, which are divided if necessary

    def _watched_step(self, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take one step with as many sub-steps as its error or a criterion requires."""
        model, data, control = self._model, self._data, self.sub_steps
        if self.criteria:
            self._extrapolate(self._last)
            mujoco.mj_step1(model, data)
            self._must_divide()
        recorder = self.recorder
        mark = 0 if recorder is None else recorder.mark()
        restore = self._save_state(drives)

        def undo() -> None:
            restore()
            if recorder is not None:
                recorder.discard(mark)

        if control.is_first:
            self._set_spacing(0.5 * self._spacing, drives, servos)
            error, _ = self._spaced_steps(2, drives, servos)
            undo()
            control.probe(error)
        attempt = control.first_attempt()
        while True:
            self._set_spacing(self._step / attempt.count, drives, servos)
            error, dof = self._spaced_steps(attempt.count, drives, servos)
            retry = control.retry(attempt, error)
            if retry is None:
                break
            undo()
            attempt = retry
        control.accept(float(data.time), attempt, error, dof)
        if self.after_step is not None:
            self.after_step()

    def _spaced_steps(
        self,
        count: int,
        drives: list[JointDrive],
        servos: list[ServoDrive],
        *,
        is_start: bool = False,
        averages_stops: bool = True,
    ) -> tuple[float, int]:
        """Take sub-steps of the spacing of the velocities; see :meth:`_sub_steps`."""
        self._set_engine_step(self._spacing)
        try:
            return self._sub_steps(count, drives, servos, is_start=is_start, averages_stops=averages_stops)
        finally:
            self._set_engine_step(self._step)

    def _sub_steps(
        self, count: int, drives: list[JointDrive], servos: list[ServoDrive], *, is_start: bool, averages_stops: bool
    ) -> tuple[float, int]:
        """Take sub-steps; return their largest error [share of the tolerance] and its degree of freedom.

        Args:
            count: Their number.
            drives: Drives of joints.
            servos: Servos of joints.
            is_start: Whether the constraints have no residual yet, so that their forces would be wrong without a correction.
            averages_stops: Whether the force of hard stops is averaged over each sub-step.
        """
        model, data, inputs, qvel, velocities = self._model, self._data, self._inputs, self._qvel, self._velocities
        step, largest, dof = self._spacing, 0.0, -1
        span = step if averages_stops else 0.0
        record = begin_recording(self.recorder, count, drives)
        for row in inputs.rows(float(data.time), step, count):
            last = self._last
            self._prepare_forces(step, row, drives, span=span)
            drift = loop_drift(model, data) if is_start and data.ne else None
            if self._is_centred:
                self._correct_velocity_forces(step, servos, span=span)
            correct_servos(servos, data, step)
            if drift is not None:
                make_equalities_rigid(model, data, drift)
            step_second_half(model, data, self._contacts)
            if record is not None:
                record(velocities[last], step)
            if self._unsettled_steps:
                self._unsettled_steps -= 1
            elif self._is_centred and not self._has_impact():
                error, dof_of_error = self._estimate_error(last)
                if not error <= largest:
                    largest, dof = error, dof_of_error
                if not math.isfinite(error):
                    return math.inf, dof
            self._last = 1 - last
            velocities[self._last] = qvel
            if self._has_impact():
                velocities[last] = qvel
                if not np.abs(qvel).max() < mujoco.mjMAXVAL:
                    return math.inf, -1  # it has diverged, and more sub-steps with contacts would be costly
        return largest, dof

    def _prepare_forces(
        self, step: float, row: tuple[Vector | None, Vector | None], drives: list[JointDrive], *, span: float
    ) -> None:
        """Compute inputs, positions, velocities and forces of elements of a step, before its acceleration."""
        data, inputs, last = self._data, self._inputs, self._last
        write_inputs(inputs, *row)
        if self._is_centred:
            self._extrapolate(last)
        else:
            self._qvel[:] = self._velocities[last]
        if inputs.has_live:
            inputs.prepare_step(data.time, step)
        for drive in drives:
            drive.prepare_step(data.time, step)
        step_first_half(self._model, data, self._contacts)
        if inputs.needs_forces:
            inputs.compute_forces(data.time, span)

    def _correct_velocity_forces(self, step: float, servos: list[ServoDrive], *, span: float) -> None:
        """Evaluate velocity-dependent forces at the mean of the velocities before and after; the data keep the one before."""
        model, data, qvel, velocity = self._model, self._data, self._qvel, self._velocities[self._last]
        qvel[:] = velocity
        self._update_references()
        correct_servos(servos, data, step)
        mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 1)
        np.multiply(data.qacc, 0.5 * step, out=qvel)
        qvel += velocity
        self._midpoint[:] = qvel
        mujoco.mj_fwdVelocity(model, data)
        if self._inputs.needs_forces:
            self._inputs.compute_element_forces(data.time, span)
        qvel[:] = velocity
        self._update_references()

    def _update_references(self) -> None:
        """Compute the reference accelerations of the constraints from the velocity in the data."""
        mujoco.mj_referenceConstraint(self._model, self._data)
        if self._contacts is not None:
            self._contacts.constrain()

    def _save_state(self, drives: list[JointDrive]) -> Callable[[], None]:
        """Return a function that restores the present state of the engine, inputs and velocities."""
        model, data, inputs = self._model, self._data, self._inputs
        mujoco.mj_getState(model, data, self._engine_state, STATE)
        velocities, last, spacing, unsettled_steps = self._velocities.copy(), self._last, self._spacing, self._unsettled_steps
        closed_at = self._closed_at
        inputs_state = inputs.get_state() if inputs.has_state else None
        drive_states = [drive.get_state() for drive in drives]
        contacts_state = None if self._contacts is None else self._contacts.get_state()

        def undo() -> None:
            mujoco.mj_setState(model, data, self._engine_state, STATE)
            self._velocities[:] = velocities
            self._last, self._spacing, self._unsettled_steps = last, spacing, unsettled_steps
            self._closed_at = closed_at
            if inputs_state is not None:
                inputs.set_state(inputs_state)
            for drive, saved_state in zip(drives, drive_states, strict=True):
                drive.set_state(saved_state)
            if self._contacts is not None and contacts_state is not None:
                self._contacts.set_state(contacts_state)

        return undo

    @np.errstate(over="ignore", invalid="ignore")  # of a motion that diverges, which is reported
    def _set_spacing(self, step: float, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Set the spacing of the staggered velocities to a step [s].

        Each is the mean velocity of a step; acceleration and jerk of the present time convert the means of steps of
        one length to those of another. Loops, whose residual is proportional to the square of the step, are closed:
        to close them within a short step would need a velocity far above that of the motion.
        """
        if step == self._spacing:
            return
        velocities, last, old = self._velocities, self._last, self._spacing
        before = (velocities[last] - velocities[1 - last]) / old
        acceleration, jerk = before, np.zeros(before.size)
        if self._is_centred:
            acceleration = self._current_acceleration(drives, servos)
            # After a velocity jump, the difference of the velocities before and after it is not an acceleration.
            if np.dot(before, before) < _MAX_ACCELERATION_RATIO**2 * np.dot(acceleration, acceleration):
                jerk = (acceleration - before) / old
        change = 0.5 * (old - step) * acceleration - (old**2 - step**2) / 6.0 * jerk
        self._qvel[:] = velocities[last] + change
        record, square = begin_recording(self.recorder, 1, drives), float(acceleration @ acceleration)
        if record is not None and square:
            record(velocities[last], float(change @ acceleration) / square)
        velocities[last] = self._qvel
        velocities[1 - last] = velocities[last] - step * (acceleration - step * jerk)
        if step < old and self._model.neq:
            self._project_positions()
            self._unsettled_steps, self._closed_at = _SUB_STEPS_AFTER_PROJECTION, float(self._data.time)
        self._spacing = step

    def _project_positions(self) -> None:
        """Project the positions onto the equality constraints with the present targets, with minimal displacement."""
        model, data = self._model, self._data
        self._inputs.set_present(float(data.time))
        for _ in range(_PROJECTIONS):
            mujoco.mj_fwdPosition(model, data)
            violation, J = equality_rows(model, data)
            if not violation.size:
                return
            try:
                change = -weighted_inverse(model, data, J) @ violation
            except np.linalg.LinAlgError:
                return  # with a singular mass matrix the run diverges, which is reported with time and body
            mujoco.mj_integratePos(model, data.qpos, change, 1.0)

    def _current_acceleration(self, drives: list[JointDrive], servos: list[ServoDrive]) -> Vector:
        """Return the acceleration of the present time, for a step of the spacing of the velocities."""
        model, data, inputs, step = self._model, self._data, self._inputs, self._spacing
        undo, targets = self._save_state(drives), model.eq_data.copy()
        self._set_engine_step(step)
        try:
            # A stop that is reached within the step has not acted before the present time: no mean forces.
            self._prepare_forces(step, next(iter(inputs.rows(float(data.time), step, 1))), drives, span=0.0)
            self._correct_velocity_forces(step, servos, span=0.0)
            if self._contacts is not None:
                self._contacts.release_closing()
            correct_servos(servos, data, step)
            mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 1)
            return np.array(data.qacc)
        finally:
            self._set_engine_step(self._step)
            undo()
            model.eq_data[:] = targets
