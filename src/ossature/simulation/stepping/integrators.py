"""Integrators: the loop around the engine's step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import mujoco
import numpy as np

from ossature.simulation.compile.collision_filter import can_collide
from ossature.simulation.compile.integrator_choice import Integrator, IntegratorChoice, equality_reference
from ossature.simulation.stateful_components import STATE, Memory
from ossature.simulation.stepping.constraint_projection import equality_rows, weighted_inverse
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.rigid_contacts import RigidContacts
from ossature.simulation.stepping.step_size_control import STEPS_BETWEEN_ESTIMATES, Criterion, SubSteps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class StepVelocities(NamedTuple):
    """The generalised velocities of a step, or of the first of its sub-steps.

    Attributes:
        duration: Its length [s].
        present: The velocities at which forces are evaluated, with the positions at the start of the step.
        before: The velocities before the acceleration of the step.
        after: The velocities after it.
    """

    duration: float
    present: Vector
    before: Vector
    after: Vector


class WorkRecorder(Protocol):
    """Records the work of each step; see :class:`ossature.simulation.work_recorder.WorkRecorder`."""

    def begin(self, count: int, *, has_drives: bool) -> Callable[[Vector, float], None] | None:
        """Return what records each of a number of steps, with the velocities before it and its length, or None."""

    def mark(self) -> int:
        """Return the number of recorded steps."""

    def discard(self, mark: int) -> None:
        """Discard the steps after a mark."""

    def restart(self) -> None:
        """Record that forces change suddenly."""


class Stepper(Protocol):
    """Advances the engine's data by an integrator.

    Attributes:
        criteria: Criteria for dividing a step, evaluated at the start of each step.
        sub_steps: The control of the number of sub-steps, with its statistics.
        after_step: Called after each step, while the engine's data have its constraints (of a divided step those of the last
            sub-step); None if there is no callback.
        recorder: Records the work of each step and sub-step; None if it is not recorded.
    """

    criteria: list[Criterion]
    sub_steps: SubSteps
    after_step: Callable[[], None] | None
    recorder: WorkRecorder | None

    def start(self) -> None:
        """Start at the state of the engine's data."""

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps; afterwards positions and velocities in the engine's data are of the same time."""

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, so that the engine's data have its forces; return its velocities."""

    def memory(self) -> Memory:
        """Return its memory in addition to the engine's state."""

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Restore what :meth:`memory` returned."""


class PlainStepper:
    """Steps with the engine's own integrator.

    Args:
        model: The engine's model.
        data: The engine's data.
        inputs: The inputs of each step.
        choice: The integrator.
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
        self._model, self._data, self._inputs, self._contacts = model, data, inputs, contacts
        self._scheme = choice.scheme
        self._step = float(model.opt.timestep)
        self._qvel, self._before = data.qvel, np.zeros(model.nv)
        self.sub_steps = SubSteps(model, choice)
        self.criteria: list[Criterion] = []
        self.after_step: Callable[[], None] | None = None
        self.recorder: WorkRecorder | None = None

    def start(self) -> None:
        """Start at the state of the engine's data."""
        self._inputs.couplings.start(self._step)
        if self._contacts is not None:
            self._contacts.start()

    def memory(self) -> Memory:
        """Return the memory of rigid contacts."""
        return {} if self._contacts is None else self._contacts.memory()

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Restore what :meth:`memory` returned."""
        if self._contacts is not None:
            self._contacts.recall(memory)

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        inputs = self._inputs
        if self.criteria:
            for _ in range(count):
                self._divided_step(drives, servos)
            return
        record = _begin(self.recorder, count, drives)
        has_inputs = drives or servos or inputs.motors or inputs.loads or inputs.needs_forces or inputs.has_live
        if has_inputs or self.after_step or (record is not None and self._contacts is None):
            self._take_steps(self._step, count, drives, servos)
        elif self._contacts is not None:
            _step_without_inputs(self._model, self._data, self._contacts, count, record)
        else:
            mujoco.mj_step(self._model, self._data, nstep=count)

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, so that the engine's data have its forces; return its velocities."""
        before, duration = self._data.qvel.copy(), self._step / self._sub_step_count()
        with _unrecorded(self):
            self._set_engine_step(duration)
            self._take_steps(duration, 1, drives, servos)
            self._set_engine_step(self._step)
        return StepVelocities(duration, before, before, self._data.qvel.copy())

    def _set_engine_step(self, step: float) -> None:
        _set_engine_step(self._model, self._scheme, self._contacts, step)

    def _sub_step_count(self) -> int:
        """Return the number of parts into which the criteria divide the step that starts now."""
        if not self.criteria:
            return 1
        mujoco.mj_step1(self._model, self._data)
        return self.sub_steps.limited(max([criterion(self._step) for criterion in self.criteria]))

    def _divided_step(self, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        parts = self._sub_step_count()
        self._set_engine_step(self._step / parts)
        self._take_steps(self._step / parts, parts, drives, servos)
        self._set_engine_step(self._step)
        self.sub_steps.record_step(float(self._data.time), parts)

    def _take_steps(self, step: float, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps of a length [s], which is the engine's time step."""
        model, data, inputs, contacts = self._model, self._data, self._inputs, self._contacts
        is_split = bool(servos) or inputs.needs_forces or contacts is not None
        after_step, record = self.after_step, _begin(self.recorder, count, drives)
        qvel, before, copy = self._qvel, self._before, np.copyto
        for targets, controls in inputs.rows(float(data.time), step, count):
            time = data.time
            _write_inputs(inputs, targets, controls)
            if inputs.has_live:
                inputs.prepare_step(time, step)
            for drive in drives:
                drive.prepare_step(time, step)
            if record is not None:
                copy(before, qvel)
            if not is_split:
                mujoco.mj_step(model, data)
            else:
                _step_first_half(model, data, contacts)
                inputs.compute_forces(time)
                for servo in servos:
                    servo.correct_constraints(time, step)
                _step_second_half(model, data, contacts)
            if record is not None:
                record(before, step)
            if after_step is not None:
                after_step()


class StaggeredStepper:
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
        self._model, self._data, self._inputs, self._contacts = model, data, inputs, contacts
        self._is_centred = choice.scheme is Integrator.CENTRED
        self._scheme = choice.scheme
        self._step = float(model.opt.timestep)
        self._spacing = self._step
        self._qvel = data.qvel
        self._velocities = np.zeros((2, data.qvel.size))
        self._can_touch = can_collide(model)
        self._can_stop = bool(model.jnt_limited.any())
        friction = model.dof_frictionloss.any() or model.tendon_frictionloss.any()
        self._has_constraints = self._can_touch or bool(model.neq or model.jnt_limited.any() or friction)
        self._last = self._unsettled_steps = 0
        self._estimate = np.zeros(data.qvel.size)
        self._midpoint = np.zeros(data.qvel.size)
        self._engine_state = np.zeros(mujoco.mj_stateSize(model, STATE))
        self.sub_steps = SubSteps(model, choice)
        has_force_elements = bool(model.nu or model.jnt_stiffness.any() or model.dof_damping.any() or model.ntendon)
        self._watch_interval = STEPS_BETWEEN_ESTIMATES if has_force_elements else 2 * STEPS_BETWEEN_ESTIMATES
        tolerance = choice.control.tolerance
        self.criteria: list[Criterion] = [lambda step: inputs.sub_steps(step, tolerance)] if inputs.has_stops else []
        self.after_step: Callable[[], None] | None = None
        self.recorder: WorkRecorder | None = None

    def memory(self) -> Memory:
        """Return the staggered velocities, the row of the last one (sums depend on it bit by bit), and the step control."""
        rows = {"earlier": self._velocities[1 - self._last].copy(), "last": self._velocities[self._last].copy()}
        spacing = {
            "row": np.array([self._last]),
            "spacing": np.array([self._spacing]),
            "unsettled": np.array([self._unsettled_steps]),
        }
        own = rows | spacing | self.sub_steps.memory()
        return own if self._contacts is None else own | self._contacts.memory()

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Restore what :meth:`memory` returned."""
        spacing = float(memory["spacing"][0])
        if not 0.0 < spacing <= self._step:
            raise ValueError(f"sub-steps of {spacing:g} s do not divide steps of {self._step:g} s")
        self._spacing, self._unsettled_steps = spacing, int(memory["unsettled"][0])
        self._last = int(memory["row"][0]) % 2
        self._velocities[1 - self._last] = memory["earlier"]
        self._velocities[self._last] = memory["last"]
        self.sub_steps.recall(memory)
        if self._contacts is not None:
            self._contacts.recall(memory)

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
        change = step * np.array(data.qacc)
        self._velocities[self._last] = self._qvel - 0.5 * change
        self._velocities[1 - self._last] = self._qvel - 1.5 * change
        self._spacing = step
        self.sub_steps.start()
        self._set_engine_step(self._step)

    def _accelerate_rigidly(self) -> None:
        """Compute the acceleration again, with rigid equality constraints whose targets move with their coordinates."""
        with _moving_targets(self._model, self._data) as are_moving:
            if are_moving:
                self._forward()
            if self._data.ne:
                _make_equalities_rigid(self._model, self._data)

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
        np.dot(_EXTRAPOLATE[self._last], self._velocities, out=self._qvel)

    @property
    def _divides(self) -> bool:
        """Whether the error of the next step is estimated, or the step is divided."""
        return self.sub_steps.is_watching or self._spacing != self._step

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, so that the engine's data have its forces; return its velocities."""
        with _unrecorded(self):
            if self._divides:
                self._set_spacing(self._step / self.sub_steps.count, drives, servos)
                before = self._velocities[self._last].copy()
                self._spaced_steps(1, drives, servos, is_start=self.sub_steps.is_first)
                present = self._midpoint.copy() if self._is_centred else before
            else:
                before = self._velocities[self._last].copy()
                present = _EXTRAPOLATE[self._last] @ self._velocities if self._is_centred else before
                self._undivided_steps(1, drives, servos)
        after = self._velocities[self._last].copy()
        np.dot(_EXTRAPOLATE[self._last], self._velocities, out=self._qvel)
        return StepVelocities(self._spacing, present, before, after)

    def _set_engine_step(self, step: float) -> None:
        _set_engine_step(self._model, self._scheme, self._contacts, step)

    # Steps that are not divided

    def _undivided_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
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
        estimate, negligible_square = self._estimate, self.sub_steps.negligible_square
        # Each access to the engine's data costs as much as a small calculation.
        can_touch, can_stop, has_constraints, contacts = self._can_touch, self._can_stop, self._has_constraints, self._contacts
        last, count_taken = self._last, 0
        after_step, record = self.after_step, _begin(self.recorder, count, drives)
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
                product(_EXTRAPOLATE[last], velocities, out=qvel)
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
                _correct_servos(servos, data, step)
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
                is_watched = not (product(estimate, estimate) < negligible_square or self._has_impact())
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
            np.dot(_EXTRAPOLATE[self._last], self._velocities, out=self._qvel)
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
        self, count: int, drives: list[JointDrive], servos: list[ServoDrive], *, is_start: bool = False
    ) -> tuple[float, int]:
        """Take sub-steps of the spacing of the velocities; see :meth:`_sub_steps`."""
        self._set_engine_step(self._spacing)
        try:
            return self._sub_steps(count, drives, servos, is_start=is_start)
        finally:
            self._set_engine_step(self._step)

    def _sub_steps(
        self, count: int, drives: list[JointDrive], servos: list[ServoDrive], *, is_start: bool
    ) -> tuple[float, int]:
        """Take sub-steps; return their largest error [share of the tolerance] and its degree of freedom.

        Args:
            count: Their number.
            drives: Drives of joints.
            servos: Servos of joints.
            is_start: Whether the constraints have no residual yet, so that their forces are too small without a correction.
        """
        model, data, inputs, qvel, velocities = self._model, self._data, self._inputs, self._qvel, self._velocities
        step, largest, dof = self._spacing, 0.0, -1
        record = _begin(self.recorder, count, drives)
        for row in inputs.rows(float(data.time), step, count):
            last = self._last
            self._prepare_forces(step, row, drives, span=step)
            if self._is_centred:
                self._correct_velocity_forces(step, servos, span=step)
            _correct_servos(servos, data, step)
            if is_start and data.ne:
                _make_equalities_rigid(model, data)
            _step_second_half(model, data, self._contacts)
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
        _write_inputs(inputs, *row)
        if self._is_centred:
            np.dot(_EXTRAPOLATE[last], self._velocities, out=self._qvel)
        else:
            self._qvel[:] = self._velocities[last]
        if inputs.has_live:
            inputs.prepare_step(data.time, step)
        for drive in drives:
            drive.prepare_step(data.time, step)
        _step_first_half(self._model, data, self._contacts)
        if inputs.needs_forces:
            inputs.compute_forces(data.time, span)

    def _correct_velocity_forces(self, step: float, servos: list[ServoDrive], *, span: float) -> None:
        """Evaluate velocity-dependent forces at the mean of the velocities before and after; the data keep the one before."""
        model, data, qvel, velocity = self._model, self._data, self._qvel, self._velocities[self._last]
        qvel[:] = velocity
        self._update_references()
        _correct_servos(servos, data, step)
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
        inputs_memory = inputs.memory() if inputs.has_memory else None
        drive_memories = [drive.memory() for drive in drives]
        contacts_memory = None if self._contacts is None else self._contacts.memory()

        def undo() -> None:
            mujoco.mj_setState(model, data, self._engine_state, STATE)
            self._velocities[:] = velocities
            self._last, self._spacing, self._unsettled_steps = last, spacing, unsettled_steps
            if inputs_memory is not None:
                inputs.recall(inputs_memory)
            for drive, memory in zip(drives, drive_memories, strict=True):
                drive.recall(memory)
            if self._contacts is not None and contacts_memory is not None:
                self._contacts.recall(contacts_memory)

        return undo

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
        record, square = _begin(self.recorder, 1, drives), float(acceleration @ acceleration)
        if record is not None and square:
            record(velocities[last], float(change @ acceleration) / square)
        velocities[last] = self._qvel
        velocities[1 - last] = velocities[last] - step * (acceleration - step * jerk)
        if step < old and self._model.neq:
            self._project_positions()
            self._unsettled_steps = _SUB_STEPS_AFTER_PROJECTION
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
            _correct_servos(servos, data, step)
            mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 1)
            return np.array(data.qacc)
        finally:
            self._set_engine_step(self._step)
            undo()
            model.eq_data[:] = targets


def _set_engine_step(model: mujoco.MjModel, scheme: Integrator, contacts: RigidContacts | None, step: float) -> None:
    """Set the engine's time step [s], and the equality constraints and contacts, which correct their errors within a step."""
    if model.opt.timestep == step:
        return
    model.opt.timestep = step
    if model.neq and scheme is not Integrator.MUJOCO:
        model.eq_solref[:] = equality_reference(scheme, step)
    if contacts is not None:
        contacts.set_time_step(step)


def _make_equalities_rigid(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Compute the acceleration with rigid equality constraints, from one with the engine's, and keep their references.

    The engine leaves a ten-thousandth of the unconstrained acceleration, which a residual compensates after a few steps.
    Here it is added to the reference accelerations.
    """
    rows = slice(0, int(data.ne))
    reference = data.efc_aref[rows].copy()
    for _ in range(_RIGID_ITERATIONS):
        data.efc_aref[rows] = reference + data.efc_R[rows] * data.efc_force[rows]
        mujoco.mj_forwardSkip(model, data, mujoco.mjtStage.mjSTAGE_VEL, 1)


@contextmanager
def _moving_targets(model: Any, data: Any) -> Iterator[bool]:
    """Let the targets of prescribed coordinates move with them; yields whether one moves.

    A target at rest would stop a moving coordinate at once, with an acceleration in proportion to one over the step.
    """
    numbers = data.efc_id[: data.ne]
    rows = np.flatnonzero((model.eq_type[numbers] == int(mujoco.mjtEq.mjEQ_JOINT)) & (model.eq_obj2id[numbers] < 0))
    velocities = data.qvel[model.jnt_dofadr[model.eq_obj1id[numbers[rows]]]]
    # The targets of motors are those of the end of the step already.
    velocities = np.where(np.abs(data.efc_pos[rows]) < 0.5 * model.opt.timestep * np.abs(velocities), velocities, 0.0)
    targets = model.eq_data[:, 0].copy()
    stiffness, damping = data.efc_KBIP[rows, 0], data.efc_KBIP[rows, 1]
    model.eq_data[numbers[rows], 0] += velocities * damping / np.where(stiffness > 0.0, stiffness, np.inf)
    try:
        yield bool(velocities.any())
    finally:
        model.eq_data[:, 0] = targets


def _begin(recorder: WorkRecorder | None, count: int, drives: list[JointDrive]) -> Callable[[Vector, float], None] | None:
    """Return what records each of a number of steps, or None."""
    return None if recorder is None else recorder.begin(count, has_drives=bool(drives))


@contextmanager
def _unrecorded(stepper: Stepper) -> Iterator[None]:
    """Neither record the work of steps nor call the callback after them."""
    recorder, after_step = stepper.recorder, stepper.after_step
    stepper.recorder = stepper.after_step = None
    try:
        yield
    finally:
        stepper.recorder, stepper.after_step = recorder, after_step


def _step_first_half(model: mujoco.MjModel, data: mujoco.MjData, contacts: RigidContacts | None) -> None:
    """Take the first half of the engine's step."""
    if contacts is not None:
        contacts.prepare()
    mujoco.mj_step1(model, data)


def _step_second_half(model: mujoco.MjModel, data: mujoco.MjData, contacts: RigidContacts | None) -> None:
    """Take the second half of the engine's step."""
    if contacts is None:
        mujoco.mj_step2(model, data)
    else:
        contacts.constrain()
        contacts.step2()


def _step_without_inputs(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    contacts: RigidContacts,
    count: int,
    record: Callable[[Vector, float], None] | None,
) -> None:
    """Take a number of steps without inputs, with rigid contacts."""
    step1, prepare, constrain, step2 = mujoco.mj_step1, contacts.prepare, contacts.constrain, contacts.step2
    qvel, before, step, copy = data.qvel, np.zeros(data.qvel.size), float(model.opt.timestep), np.copyto
    for _ in range(count):
        if contacts.is_in_equilibrium and contacts.step_in_equilibrium():
            continue
        copy(before, qvel)
        prepare()
        step1(model, data)
        constrain()
        step2()
        if record is not None:
            record(before, step)
        contacts.update_equilibrium()


_RIGID_ITERATIONS = 3
"""Iterations of rigid equality constraints; each reduces the error by about four digits."""
_SUB_STEPS_AFTER_PROJECTION = 2
"""Sub-steps after a projection in which the second difference of velocities is caused by it, and is not an error."""
_MAX_ACCELERATION_RATIO = 8.0
"""Largest ratio by which the acceleration may decrease within a step."""
_PROJECTIONS = 2
"""Iterations that close loops; they converge quadratically: a residual of 1e-5 is 1e-10 after the first one."""

_EXTRAPOLATE = (np.array([1.5, -0.5]), np.array([-0.5, 1.5]))
"""Weights of the two staggered velocities that give the present velocity, by the row of the last one."""

_DIFFER = (np.array([-2.0, 1.0]), np.array([1.0, -2.0]))
"""Weights of them that give the second difference together with the velocity after them."""


def _correct_servos(servos: list[ServoDrive], data: mujoco.MjData, step: float) -> None:
    for servo in servos:
        servo.correct_constraints(data.time, step)


def _write_inputs(inputs: Inputs, targets: Vector | None, controls: Vector | None) -> None:
    if targets is not None:
        inputs.set_targets(targets)
    if controls is not None:
        inputs.set_controls(controls)


def make_stepper(
    choice: IntegratorChoice, model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs, contacts: RigidContacts | None
) -> Stepper:
    """Return the stepper of an integrator."""
    if choice.scheme in (Integrator.CENTRED, Integrator.STAGGERED):
        return StaggeredStepper(model, data, inputs, choice, contacts)
    return PlainStepper(model, data, inputs, choice, contacts)
