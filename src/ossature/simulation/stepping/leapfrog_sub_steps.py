"""Sub-steps of leapfrog integration: their forces, their error, and the change from one spacing of velocities to another."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.simulation.compile.engine_enumerations import VELOCITY_STAGE
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stateful_components import STATE, Stateful
from ossature.simulation.stepping.compiled_stepping_loop import CompiledLoop
from ossature.simulation.stepping.compiled_stepping_structs import MotionPeaks, ResidualRows
from ossature.simulation.stepping.constraint_projection import equality_rows, loop_drift, weighted_inverse
from ossature.simulation.stepping.engine_step_with_rigid_constraints import EngineStep, make_equalities_rigid
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.prescribed_velocity_jumps import SHORT, ShortSubSteps
from ossature.simulation.stepping.staggered_velocities import StaggeredVelocities
from ossature.simulation.stepping.step_size_control import SubSteps
from ossature.simulation.stepping.stepper import WorkRecorder, begin_recording

_SUB_STEPS_AFTER_PROJECTION = 2
"""Sub-steps after a projection in which the second difference of velocities is caused by it, and is not an error."""
_MAX_ACCELERATION_RATIO = 8.0
"""Largest ratio by which the acceleration may decrease within a step, and of its change in the next one to itself."""
_ON_GRID = 1e-3
"""Largest distance of a time from a multiple of the sub-step, by rounding [sub-steps]."""
_LEAST_SPACING_RATIO = 0.125
"""Ratio of a spacing to a longer one below which rounding prevails in the change of the acceleration."""
_LARGEST_MOTION = 0.02
"""Largest motion of a coordinate in a sub-step after its velocity jumped, whose error is not estimated [m or rad]."""
_MOST_PARTS = 64
"""Largest number of sub-steps for this motion."""
_LEAST_PARTS = 2
"""Smallest number of sub-steps between jumps: with one, successive steps with jumps have errors of first order."""
_PROJECTIONS = 2
"""Iterations that close loops; they converge quadratically: a residual of 1e-5 is 1e-10 after the first one."""


class LeapfrogSubSteps:
    """Takes steps whose error is estimated, with as many sub-steps as it requires.

    Args:
        control: The control of the number of sub-steps.

    Attributes:
        midpoint: The velocities at which the forces of the last sub-step were evaluated.
    """

    def __init__(self, engine: EngineStep, velocities: StaggeredVelocities, control: SubSteps) -> None:
        self._engine, self._velocities, self._control = engine, velocities, control
        self._model, self._data, self._inputs, self._contacts = engine.model, engine.data, engine.inputs, engine.contacts
        self._qvel = engine.data.qvel
        self._is_centred = engine.integrator is Integrator.CENTRED
        self._engine_state = np.zeros(mujoco.mj_stateSize(engine.model, STATE))
        self.midpoint = np.zeros(engine.data.qvel.size)

    @property
    def are_loops_settling(self) -> bool:
        """Whether the residual of loops, and the forces in proportion to it, are not those of the motion yet."""
        staggered = self._velocities
        settled_at = staggered.closed_at + (staggered.settling_steps - 0.5) * staggered.spacing
        return bool(self._model.neq) and float(self._data.time) < settled_at

    def take_step(
        self,
        drives: list[JointDrive],
        servos: list[ServoDrive],
        recorder: WorkRecorder | None,
        loop: CompiledLoop | None = None,
    ) -> None:
        """Take one step with as many sub-steps as its error requires.

        Args:
            loop: The compiled loop, if it can take sub-steps.
        """
        if self._engine.has_diverged():
            # No division helps, and whoever takes the steps rejects them.
            self._take_sub_step(self._engine.duration, drives, servos, recorder)
            return
        control, start = self._control, float(self._data.time)
        mark = 0 if recorder is None else recorder.mark(has_drives=bool(drives))
        restore = self.save_state(drives)

        def undo() -> None:
            restore()
            if recorder is not None:
                recorder.discard(mark)

        is_first = control.is_first
        if is_first:
            error = 0.0
            # Equality constraints start without their residuals, whose changes are no error of the motion.
            if not self._model.neq:
                error, _ = self.take(2, drives, servos, None, loop)
                undo()
            control.probe(error)
        attempt = control.first_attempt()
        while True:
            self._convert_to_spacing(self._engine.duration / attempt.count, drives, servos, recorder)
            error, dof = self.take(attempt.count, drives, servos, recorder, loop)
            if not error <= 1.0 and self._is_beside_position_jump(start, is_first=is_first):
                # The error is that of the jump, whose velocity increases with the number of sub-steps.
                undo()
                attempt, error = control.first_attempt(), 0.0
                self._take_at_constant_speed(attempt.count, drives, servos, recorder)
                break
            retry = control.retry(attempt, error)
            if retry is None:
                break
            undo()
            attempt = retry
        control.accept(float(self._data.time), attempt, error, dof)

    def take_step_with_jumps(
        self, jumps: Sequence[ShortSubSteps], drives: list[JointDrive], servos: list[ServoDrive], recorder: WorkRecorder | None
    ) -> None:
        """Take one step in which prescribed velocities jump, with short sub-steps there.

        Velocity-dependent forces are those of the mean of the velocities before and after a sub-step. They are not the mean of
        the forces before and after a jump, and the impulse of a jump changes during a long sub-step.
        """
        duration, start = self._engine.duration, float(self._data.time)
        number = round(start / duration)
        count, is_first, before = 0, True, self._velocities.rows[self._velocities.last].copy()
        for length, parts in _sub_steps(jumps, number * duration, (number + 1) * duration):
            is_jumping = parts > 0
            if not is_jumping:
                parts = self._parts_between_jumps(length, before)
                length /= parts
            for _ in range(parts):
                self._take_sub_step(length, drives, servos, recorder, is_before_jump=is_first or is_jumping)
            count, is_first = count + parts, False
        self._control.record_step(float(self._data.time), count)

    def _parts_between_jumps(self, duration: float, before: Vector) -> int:
        """Return the number of sub-steps of a time [s] without jumps, whose error is not estimated.

        They resolve the motion of coordinates that had other velocities before, and are as short as those of other steps.
        """
        least = max(_LEAST_PARTS, math.ceil(duration / self._engine.duration * self._control.count - _ON_GRID))
        velocities = self._velocities.rows[self._velocities.last]
        motion = duration * float(np.minimum(np.abs(velocities), np.abs(velocities - before)).max(initial=0.0))
        return max(math.ceil(min(motion / _LARGEST_MOTION, _MOST_PARTS)), least) if math.isfinite(motion) else least

    def _take_sub_step(
        self,
        length: float,
        drives: list[JointDrive],
        servos: list[ServoDrive],
        recorder: WorkRecorder | None,
        *,
        is_before_jump: bool = False,
    ) -> None:
        """Take a sub-step of a length [s]."""
        if length != self._velocities.spacing:
            with np.errstate(over="ignore", invalid="ignore"):
                self._convert_spacing(length, drives, servos, recorder, is_before_jump=is_before_jump)
        self.take(1, drives, servos, recorder, is_rigid=is_before_jump)

    def take_easy_steps(
        self,
        count: int,
        recorder: WorkRecorder | None,
        loop: CompiledLoop,
        residuals: ResidualRows | None,
        motion: MotionPeaks | None,
    ) -> int:
        """Take undivided steps with small errors at once; return their number, or zero if one may need to be divided.

        Args:
            count: The largest number.
        """
        control, step = self._control, self._engine.duration
        count = min(count, control.easy_steps)
        if count < 2 or self._velocities.spacing != step:
            return 0
        mark = 0 if recorder is None else recorder.mark(has_drives=False)
        active = begin_recording(recorder, count, [])
        work = None if active is None else active.step_rows
        if active is not None and work is None:
            return 0
        row, peaks = 0 if residuals is None else int(residuals.count), None if motion is None else bytes(motion)
        undo = self.save_state([])
        with self._engine.of_length(step):
            taken, error, dof = loop.run_estimated(step, count, work, self._velocities, residuals, motion)
        if taken == count and control.is_easy(error):
            control.accept_easy_steps(loop.program.largest_error_time, count, error, dof)
            return count
        undo()
        if recorder is not None:
            recorder.discard(mark)
        if residuals is not None:
            residuals.count = row
        if motion is not None and peaks is not None:
            ctypes.memmove(ctypes.addressof(motion), peaks, len(peaks))
        return 0

    def _is_beside_position_jump(self, start: float, *, is_first: bool) -> bool:
        """Whether a prescribed position jumps in the step from a time [s], or in the one before it, which has its velocity.

        The first step after a start has no velocity of a step before it.
        """
        duration = self._engine.duration
        return self._inputs.do_targets_jump(start if is_first else start - duration, start + duration)

    def _take_at_constant_speed(
        self, count: int, drives: list[JointDrive], servos: list[ServoDrive], recorder: WorkRecorder | None
    ) -> None:
        """Take a step in which positions jump without an error estimate, with a number of sub-steps."""
        with self._inputs.without_position_jumps(float(self._data.time)):
            for _ in range(count):
                # The acceleration of the present time may be that of the jump.
                self._take_sub_step(self._engine.duration / count, drives, servos, recorder, is_before_jump=True)

    def save_state(self, drives: list[JointDrive]) -> Callable[[], None]:
        """Return a function that restores the present state of the engine, inputs and velocities."""
        mujoco.mj_getState(self._model, self._data, self._engine_state, STATE)
        parts: list[Stateful] = [self._velocities, *drives]
        if self._inputs.has_state:
            parts.append(self._inputs)
        if self._contacts is not None:
            parts.append(self._contacts)
        saved = [(part, part.get_state()) for part in parts]

        def undo() -> None:
            mujoco.mj_setState(self._model, self._data, self._engine_state, STATE)
            for part, state in saved:
                part.set_state(state)

        return undo

    def take(
        self,
        count: int,
        drives: list[JointDrive],
        servos: list[ServoDrive],
        recorder: WorkRecorder | None,
        loop: CompiledLoop | None = None,
        *,
        is_start: bool = False,
        is_rigid: bool = False,
        averages_stops: bool = True,
    ) -> tuple[float, int]:
        """Take sub-steps of the spacing of the velocities; return their largest error and its degree of freedom.

        Args:
            count: Their number.
            recorder: Records the work of each sub-step, or None.
            loop: The compiled loop, which takes those without contacts and limits, or None.
            is_start: Whether the constraints have no residual yet, so that their forces would be wrong without a correction.
            averages_stops: Whether the force of hard stops is averaged over each sub-step.

        Returns:
            The error [share of the tolerance], infinite if the motion diverges, and the number of the degree of freedom.
        """
        engine, data, qvel, staggered = self._engine, self._data, self._qvel, self._velocities
        step, largest, dof = staggered.spacing, 0.0, -1
        span = step if averages_stops else 0.0
        recorder = begin_recording(recorder, count, drives)
        with engine.of_length(step):
            work = None if recorder is None else recorder.step_rows
            if loop is not None and (recorder is None or work is not None):
                taken, largest, dof = loop.run_estimated(step, count, work, staggered)
                if not math.isfinite(largest):
                    return math.inf, dof
                count -= taken
            record = None if recorder is None or not count else recorder.record
            for row in self._rows(step, count):
                last = staggered.last
                self._prepare_forces(step, row, drives, span=span)
                drift = loop_drift(self._model, data) if is_start and data.ne else None
                if self._is_centred:
                    self._correct_velocity_forces(step, servos, span=span)
                engine.correct_servos(servos, step)
                if drift is not None or (is_rigid and data.ne):
                    make_equalities_rigid(self._model, data, drift)
                engine.take_second_half()
                if record is not None:
                    record(staggered.rows[last], step)
                if staggered.unsettled_steps:
                    staggered.unsettled_steps -= 1
                elif self._is_centred:
                    staggered.second_difference(last)
                    estimate = staggered.ignore_in_estimate(engine.find_discontinuous_dofs())
                    error, dof_of_error = self._control.error(estimate, qvel)
                    if not error <= largest:
                        largest, dof = error, dof_of_error
                    if not math.isfinite(error):
                        return math.inf, dof
                staggered.last = 1 - last
                staggered.rows[staggered.last] = qvel
                staggered.forget_jumps(engine.find_velocity_jumps(staggered.rows[last]))
                if engine.has_unilateral_force() and not np.abs(qvel).max() < mujoco.mjMAXVAL:
                    return math.inf, -1  # it has diverged, and more sub-steps with contacts would be costly
        return largest, dof

    def _rows(self, step: float, count: int) -> Iterator[tuple[Vector | None, Vector | None]]:
        """Return the targets and controls of a number of sub-steps of a length [s]."""
        time, inputs = float(self._data.time), self._inputs
        number = time / step
        return inputs.rows(time, step, count) if abs(number - round(number)) < _ON_GRID else inputs.rows_at(time, step, count)

    def _prepare_forces(
        self, step: float, row: tuple[Vector | None, Vector | None], drives: list[JointDrive], *, span: float
    ) -> None:
        """Compute inputs, positions, velocities and forces of elements of a step, before its acceleration."""
        if self._is_centred:
            self._velocities.extrapolate()
        else:
            self._qvel[:] = self._velocities.rows[self._velocities.last]
        self._engine.prepare(*row, step, drives)
        self._engine.take_first_half()
        if self._inputs.needs_forces:
            self._inputs.compute_forces(self._data.time, span)

    def _correct_velocity_forces(self, step: float, servos: list[ServoDrive], *, span: float) -> None:
        """Evaluate velocity-dependent forces at the mean of the velocities before and after; the data keep the one before."""
        model, data, qvel = self._model, self._data, self._qvel
        velocity = self._velocities.rows[self._velocities.last]
        qvel[:] = velocity
        self._update_references()
        self._engine.correct_servos(servos, step)
        mujoco.mj_forwardSkip(model, data, VELOCITY_STAGE, 1)
        np.multiply(data.qacc, 0.5 * step, out=qvel)
        qvel += velocity
        self.midpoint[:] = qvel
        mujoco.mj_fwdVelocity(model, data)
        if self._inputs.needs_forces:
            self._inputs.element_forces.compute(data.time, span)
        qvel[:] = velocity
        self._update_references()

    def _update_references(self) -> None:
        """Compute the reference accelerations of the constraints from the velocity in the data."""
        mujoco.mj_referenceConstraint(self._model, self._data)
        if self._contacts is not None:
            self._contacts.constrain()

    def _convert_to_spacing(
        self, step: float, drives: list[JointDrive], servos: list[ServoDrive], recorder: WorkRecorder | None
    ) -> None:
        """Set the spacing of the staggered velocities to a step [s].

        Each is the mean velocity of a step; acceleration and jerk of the present time convert the means of steps of
        one length to those of another. Loops, whose residual is proportional to the square of the step, are closed:
        to close them within a short step would need a velocity far above that of the motion.
        """
        if step != self._velocities.spacing:
            with np.errstate(over="ignore", invalid="ignore"):  # of a motion that diverges, which is reported
                self._convert_spacing(step, drives, servos, recorder)

    def _convert_spacing(
        self,
        step: float,
        drives: list[JointDrive],
        servos: list[ServoDrive],
        recorder: WorkRecorder | None,
        *,
        is_before_jump: bool = False,
    ) -> None:
        staggered = self._velocities
        velocities, last, old = staggered.rows, staggered.last, staggered.spacing
        before = (velocities[last] - velocities[1 - last]) / old
        acceleration, jerk = before, np.zeros(before.size)
        time, time_before = 0.0, 0.5 * (old - step)
        if self._is_centred and not is_before_jump:  # the acceleration of a jump is not that of the present time
            acceleration = self._current_acceleration(drives, servos)
            time, time_before = time_before, 0.0
            # After a velocity jump, the difference of the velocities before and after it is not an acceleration.
            # The change of contact forces in a short step is not that of a much longer one either.
            slope = (acceleration - before) / old
            largest = _MAX_ACCELERATION_RATIO**2 * np.dot(acceleration, acceleration)
            is_resolved = old > _LEAST_SPACING_RATIO * step and not staggered.are_jumps.any()
            if is_resolved and np.dot(before, before) < largest and step**2 * np.dot(slope, slope) < largest:
                jerk = slope
                time_before = (old**2 - step**2) / (6.0 * old)
                time -= time_before
        self._qvel[:] = velocities[last] + time * acceleration + time_before * before
        recorder = begin_recording(recorder, 2, drives)
        if recorder is not None:
            recorder.record_change(velocities[last], time, time_before)
        velocities[last] = self._qvel
        velocities[1 - last] = velocities[last] - step * (acceleration - step * jerk)
        if step < old and self._model.neq:
            self._project_positions()
            staggered.unsettled_steps, staggered.closed_at = _SUB_STEPS_AFTER_PROJECTION, float(self._data.time)
        staggered.spacing = step

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
        model, data, step = self._model, self._data, self._velocities.spacing
        undo, targets = self.save_state(drives), model.eq_data.copy()
        try:
            with self._engine.of_length(step):
                # A stop that is reached within the step has not acted before the present time: no mean forces.
                self._prepare_forces(step, next(iter(self._rows(step, 1))), drives, span=0.0)
                self._correct_velocity_forces(step, servos, span=0.0)
                if self._contacts is not None:
                    self._contacts.release_closing()
                self._engine.correct_servos(servos, step)
                mujoco.mj_forwardSkip(model, data, VELOCITY_STAGE, 1)
                return np.array(data.qacc)
        finally:
            undo()
            model.eq_data[:] = targets


def _sub_steps(jumps: Sequence[ShortSubSteps], start: float, stop: float) -> Iterator[tuple[float, int]]:
    """Yield lengths [s] and numbers of the sub-steps of a step; zero for one between jumps."""
    least = 0.5 * SHORT * (stop - start)
    inner = sorted([time for jump in jumps for time in jump[:2] if start + least < time < stop - least])
    edges = [start]
    edges += [time for before, time in pairwise([start, *inner]) if time - before > least]
    for first, last in pairwise([*edges, stop]):
        middle = 0.5 * (first + last)
        lengths = [jump.length for jump in jumps if jump.start < middle < jump.stop]
        parts = math.ceil((last - first) / min(lengths) - _ON_GRID) if lengths else 0
        yield (last - first) / max(parts, 1), parts
