"""Leapfrog integration: velocities are half a step apart from positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property

import mujoco
import numpy as np

from ossature.array_types import AnyArray, BoolArray, Vector
from ossature.simulation.compile.engine_enumerations import VELOCITY_STAGE
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_loop import CompiledLoop, make_compiled_loop
from ossature.simulation.stepping.compiled_stepping_structs import HAND_OVER, WATCHED, set_addresses
from ossature.simulation.stepping.constraint_projection import loop_drift
from ossature.simulation.stepping.engine_step_with_rigid_constraints import EngineStep, make_equalities_rigid, moving_targets
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.leapfrog_sub_steps import LeapfrogSubSteps
from ossature.simulation.stepping.prescribed_velocity_jumps import PrescribedVelocityJumps, ShortSubSteps
from ossature.simulation.stepping.staggered_velocities import StaggeredVelocities
from ossature.simulation.stepping.step_size_control import STEPS_BETWEEN_ESTIMATES
from ossature.simulation.stepping.stepper import Stepper, StepVelocities, begin_recording, unrecorded

_IMPACT_PHASE = 0.1
"""Phase of the fastest oscillation in a sub-step with an impact [rad]: its energy has an error of 1%."""


class LeapfrogStepper(Stepper):
    """Staggered (leapfrog) integration: velocities are half a step apart from positions.

    Between calls the engine's data have the velocity of the same time as the positions, inside the staggered one. The former
    is extrapolated: one and a half times the last staggered velocity less half of the one before.

    A step is divided into sub-steps if :class:`SubSteps` or a criterion requires it. The staggered velocities stay a sub-step
    apart from one divided step to the next. They are computed again, with the acceleration of the present time, only when the
    count changes, so that dividing many steps costs no accuracy.

    With the integrator ``CENTRED`` all forces are evaluated in the middle of the velocities' step, with ``STAGGERED`` that is
    left to the engine's integrator.
    """

    def __init__(self, engine: EngineStep) -> None:
        super().__init__(engine)
        model, inputs, tolerance = engine.model, engine.inputs, self.sub_steps.tolerance
        inputs.has_staggered_velocities = True
        self._is_centred = engine.integrator is Integrator.CENTRED
        self._velocities = StaggeredVelocities(engine.data, self._step)
        self._prescribed_jumps = PrescribedVelocityJumps(model, engine.data, inputs, self.sub_steps)
        self._divides_jumps = self._is_centred and self.sub_steps.allows_sub_steps
        self._divided = LeapfrogSubSteps(engine, self._velocities, self.sub_steps)
        self._qacc = engine.data.qacc
        friction = model.dof_frictionloss.any() or model.tendon_frictionloss.any()
        self._has_constraints = engine.can_touch or bool(model.neq or model.jnt_limited.any() or friction)
        has_force_elements = bool(model.nu or model.jnt_stiffness.any() or model.dof_damping.any() or model.ntendon)
        self._watch_interval = STEPS_BETWEEN_ESTIMATES if has_force_elements else 2 * STEPS_BETWEEN_ESTIMATES
        if inputs.element_forces.has_stops:
            self.criteria.append(lambda step: inputs.element_forces.sub_steps(step, tolerance))

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
        """Return the staggered velocities, and the state of the step control and of the contacts."""
        own = self._velocities.get_state() | self.sub_steps.get_state() | self._prescribed_jumps.functions.get_state()
        return own if self._contacts is None else own | self._contacts.get_state()

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        self.is_at_start = False
        self._velocities.set_state(saved_state)
        self.sub_steps.set_state(saved_state)
        self._prescribed_jumps.functions.set_state(saved_state)
        if self._contacts is not None:
            self._contacts.set_state(saved_state)

    def start(self) -> None:
        """Start at the state of the engine's data, with earlier velocities from the acceleration of that state."""
        time, step = float(self._data.time), self._step / self.sub_steps.count
        with self._engine.of_length(step):
            self._inputs.set_start(time, step)
            self._inputs.compute_forces(time)
            if self._contacts is not None:
                self._contacts.start()
            self._forward()
            settling_steps = self._accelerate_rigidly() if self._model.neq else 0
            if self.recorder is not None:
                self.recorder.restart(step)
            self._velocities.start(step, self._qacc)
            self._velocities.close_loops(time, settling_steps)
            self.sub_steps.start()
        self.is_at_start = True

    def _accelerate_rigidly(self) -> int:
        """Compute the acceleration again, with rigid equality constraints whose targets move with their coordinates.

        Returns:
            The number of steps in which the constraints settle.
        """
        with moving_targets(self._engine.compiled, self._data) as are_moving:
            if are_moving:
                self._forward()
            if not self._data.ne:
                return 0
            return make_equalities_rigid(self._model, self._data, loop_drift(self._model, self._data))

    def _forward(self) -> None:
        if self._contacts is None:
            mujoco.mj_forward(self._model, self._data)
        else:
            self._contacts.forward()

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        self.is_at_start = False
        # The jumps of functions in Python are known one step ahead.
        at_once = 1 if self._divides_jumps and self._prescribed_jumps.has_functions(drives) else count
        for first in range(0, count, max(at_once, 1)):
            self._take_steps(min(at_once, count - first), drives, servos)
        self._set_present_velocities(drives)

    def _take_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take steps, those divided in which prescribed velocities jump."""
        number = round(float(self._data.time) / self._step)
        past = number + count
        while number < past:
            number = self._steps_with_same_bounds(number, past, drives, servos)

    def _steps_with_same_bounds(self, number: int, past: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take steps until other changes of velocities count as jumps; return the number of the next step.

        Args:
            number: The number of the next step from time zero.
            past: The number of the first step not to take.
        """
        control, prescribed = self.sub_steps, self._prescribed_jumps
        had_exceeded = control.has_exceeded_tolerance
        divided = prescribed.divided_steps(past - number, drives) if self._divides_jumps else {}
        for jumping in (*divided, past):
            while number < jumping and control.has_exceeded_tolerance is had_exceeded:
                number += self._smooth_steps(jumping - number, drives, servos)
            if jumping == past or control.has_exceeded_tolerance is not had_exceeded:
                break
            self._step_with_jumps(divided[jumping], drives, servos)
            number += 1
        return number

    def _smooth_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take steps without jumps of prescribed velocities, perhaps fewer than a number; return how many were taken."""
        if self._divides:
            return self._easy_steps(count, drives, servos) or self._divided_step(drives, servos)
        return self._undivided_steps(count, drives, servos)

    def _step_with_jumps(self, jumps: list[ShortSubSteps], drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        self._divided.take_step_with_jumps(jumps, drives, servos, self.recorder)
        self._end_divided_step()

    def _set_present_velocities(self, drives: list[JointDrive]) -> None:
        """Extrapolate the velocities to the present time, except those of mechanisms in which a prescribed one jumped."""
        staggered = self._velocities
        staggered.extrapolate()
        are_jumping = self._find_prescribed_jumps(drives)
        if are_jumping is not None:
            np.copyto(self._qvel, staggered.rows[staggered.last], where=are_jumping)

    def _find_prescribed_jumps(self, drives: list[JointDrive]) -> BoolArray | None:
        """Return the degrees of freedom of mechanisms in which a prescribed velocity jumped, or None if there is none."""
        staggered = self._velocities
        return self._prescribed_jumps.find(staggered.rows[staggered.last], staggered.rows[1 - staggered.last], drives)

    @property
    def _divides(self) -> bool:
        """Whether the error of the next step is estimated, or the step is divided."""
        return self.sub_steps.is_watching or self._velocities.spacing != self._step

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take a sub-step of the present spacing, so that the engine's data have its forces; return its velocities.

        Another spacing would change the residual of loops, and thereby the forces that close them, for some sub-steps.
        """
        staggered = self._velocities
        are_jumping = self._find_prescribed_jumps(drives)
        if are_jumping is not None:
            # The forces of a sample belong to its velocities, which are not extrapolated.
            staggered.forget_jumps(are_jumping)
        before = staggered.rows[staggered.last].copy()
        with unrecorded(self), self._without_criteria(), self._prescribed_jumps.without_next(drives):
            if self._divides or self._divided.are_loops_settling or self._inputs.element_forces.has_stops:
                is_start = self._divided.are_loops_settling
                # A stop that is reached within the step has no force at the present time.
                self._divided.take(1, drives, servos, None, is_start=is_start, averages_stops=False)
                present = self._divided.midpoint
            else:
                staggered.extrapolate()
                present = self._qvel.copy()
                self._undivided_steps(1, drives, servos)
        after = staggered.rows[staggered.last].copy()
        staggered.extrapolate()
        return StepVelocities(staggered.spacing, present.copy() if self._is_centred else before, before, after)

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
        ended, taken = self._compiled_steps(loop, count)
        return taken + self._steps_in_python(1, drives, servos) if ended == HAND_OVER else taken

    @cached_property
    def _compiled_loop(self) -> CompiledLoop | None:
        """The compiled loop, or None if it cannot be used."""
        if not self._is_centred:
            return None
        loop = make_compiled_loop(self._engine, self._engine.equality_solver)
        if loop is not None:
            program = loop.program
            program.is_leapfrog = program.is_split = True
            program.has_constraints = self._has_constraints
            # Contacts use the references that the engine computes first; sensors and energies are between both.
            is_plain = self._contacts is None and not self._model.sensor_type.size and not self._model.opt.enableflags
            program.defers_references = self._has_constraints and is_plain
            program.interval, program.negligible_square = self._watch_interval, self.sub_steps.negligible_square
            program.step = self._step
            program.stage_of_velocity = VELOCITY_STAGE
            set_addresses(program, velocities=self._velocities.rows, estimate=self._velocities.estimate)
            set_addresses(program, midpoint=self._divided.midpoint, qacc=self._qacc)
            self.sub_steps.describe(program, loop.kept)
        return loop

    def _can_run_compiled(self, drives: list[JointDrive], servos: list[ServoDrive]) -> bool:
        return self._has_rows and not (drives or servos or self._inputs.has_live)

    def _loop_of_sub_steps(self, drives: list[JointDrive], servos: list[ServoDrive]) -> CompiledLoop | None:
        """Return the compiled loop if it can take sub-steps."""
        needs_python = drives or servos or self._inputs.has_live or self._inputs.element_forces.has_stops
        return None if needs_python else self._compiled_loop

    def _compiled_steps(self, loop: CompiledLoop, count: int) -> tuple[int, int]:
        """Take undivided steps in the compiled loop until one needs Python; return why it ended, and how many were taken."""
        program, work = loop.program, None
        if self.recorder is not None and self.recorder.begin(count, has_drives=False):
            work = self.recorder.step_rows
            if work is None:
                return HAND_OVER, 0
        # Steps are counted from time zero, so that the result does not depend on how a run is divided into calls.
        number = round(float(self._data.time) / self._step)
        staggered = self._velocities
        program.last, program.next_watched = staggered.last, self._watch_interval - number % self._watch_interval
        try:
            ended, taken = loop.run(self._step, count, work, self._rows, self._peaks)
        finally:
            staggered.last = program.last
        if taken:
            staggered.forget_jumps(loop.find_velocity_jumps())
        if ended == WATCHED and self._is_large(staggered.estimate) and self._is_smooth_part_large():
            self.sub_steps.watch(staggered.estimate, self._qvel)
        return ended, taken

    def _is_large(self, estimate: Vector) -> bool:
        """Whether second differences of velocities are not negligible."""
        return not np.dot(estimate, estimate) < self.sub_steps.negligible_square

    def _is_smooth_part_large(self) -> bool:
        """Ignore second differences that contacts and limits may cause; return whether the others are not negligible."""
        return self._is_large(self._velocities.ignore_in_estimate(self._engine.find_discontinuous_dofs()))

    def _steps_in_python(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take undivided steps until one needs an error estimate; return how many were taken."""
        engine, model, data, inputs, staggered = self._engine, self._model, self._data, self._inputs, self._velocities
        step, qvel, rows, copy = self._step, self._qvel, (staggered.rows[0], staggered.rows[1]), np.copyto
        is_centred, needs_forces, has_live, criteria = self._is_centred, inputs.needs_forces, inputs.has_live, self.criteria
        last, count_taken = staggered.last, 0
        after_step, recorder = self.after_step, begin_recording(self.recorder, count, drives)
        record, motion = None if recorder is None else recorder.record, self.motion
        # Steps are counted from time zero, so that the result does not depend on how a run is divided into calls.
        interval = self._watch_interval
        next_watched = interval - round(float(data.time) / step) % interval if is_centred else 0
        for targets, controls in inputs.rows(float(data.time), step, count):
            undo = self._divided.save_state(drives) if criteria and (drives or has_live) else None
            if is_centred:
                staggered.extrapolate()
            else:
                copy(qvel, rows[last])
            engine.prepare(targets, controls, step, drives)
            engine.take_first_half()
            if criteria and self._must_divide():
                if undo is not None:
                    undo()
                break
            if needs_forces:
                inputs.compute_forces(data.time, step)
            if is_centred:
                copy(qvel, rows[last])
                if self._has_constraints:
                    mujoco.mj_referenceConstraint(model, data)
            engine.correct_servos(servos, step)
            engine.take_second_half()
            count_taken += 1
            if record is not None:
                record(rows[last], step)
            if after_step is not None:
                after_step()
            if motion is not None:
                motion.record(step)
            is_watched = count_taken == next_watched
            if is_watched:
                next_watched += interval
                is_watched = self._is_large(staggered.second_difference(last)) and self._is_smooth_part_large()
            last = staggered.last = 1 - last
            copy(rows[last], qvel)
            staggered.forget_jumps(engine.find_velocity_jumps(rows[1 - last]))
            if is_watched and self.sub_steps.watch(staggered.estimate, qvel):
                break
        return count_taken

    def _must_divide(self) -> bool:
        """Return whether a criterion divides the step that starts now; positions and velocities are those of its start."""
        for criterion in self.criteria:
            parts = criterion(self._step)
            if parts > 1:
                self.sub_steps.require(parts)
        return self.sub_steps.is_watching

    def _easy_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take undivided steps with error estimates in the compiled loop; return their number, or zero if one needs more."""
        loop = self._loop_of_sub_steps(drives, servos)
        if loop is None or self.criteria or not self._has_rows:
            return 0
        return self._divided.take_easy_steps(count, self.recorder, loop, self._rows, self._peaks)

    def _divided_step(self, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take one step with as many sub-steps as its error or a criterion requires; return one."""
        if self.criteria:
            self._velocities.extrapolate()
            mujoco.mj_step1(self._model, self._data)
            self._must_divide()
        self._divided.take_step(drives, servos, self.recorder, self._loop_of_sub_steps(drives, servos))
        self._end_divided_step()
        return 1

    def _end_divided_step(self) -> None:
        if self.after_step is not None:
            self.after_step()
        if self.motion is not None:
            self.motion.record(self._velocities.spacing)
