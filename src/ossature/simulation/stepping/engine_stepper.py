"""The engine's own integrators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_loop import CompiledLoop, make_compiled_loop
from ossature.simulation.stepping.compiled_stepping_structs import EQUILIBRIUM, HAND_OVER
from ossature.simulation.stepping.engine_step_with_rigid_constraints import EngineStep
from ossature.simulation.stepping.joint_drives import JointDrive, ServoDrive
from ossature.simulation.stepping.rigid_contacts import RigidContacts
from ossature.simulation.stepping.stepper import Stepper, StepVelocities, begin_recording, unrecorded


class EngineStepper(Stepper):
    """Steps with the engine's own integrator."""

    def __init__(self, engine: EngineStep) -> None:
        super().__init__(engine)
        self._before = np.zeros(engine.model.nv)

    def start(self) -> None:
        """Start at the state of the engine's data."""
        self._inputs.couplings.start(self._step)
        if self._contacts is not None:
            self._contacts.start()

    def get_state(self) -> ComponentState:
        """Return the state of rigid contacts."""
        return {} if self._contacts is None else self._contacts.get_state()

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        if self._contacts is not None:
            self._contacts.set_state(saved_state)

    def steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps."""
        if self.criteria:
            for _ in range(count):
                self._divided_step(drives, servos)
            return
        while count > 0:
            count -= self._undivided_steps(count, drives, servos)

    def _undivided_steps(self, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> int:
        """Take undivided steps, perhaps fewer than a number; return how many were taken."""
        inputs, contacts = self._inputs, self._contacts
        recorder = begin_recording(self.recorder, count, drives)
        needs_python = bool(drives or servos) or inputs.has_live
        has_inputs = needs_python or bool(inputs.motors or inputs.loads or inputs.needs_forces)
        is_bare = not has_inputs and self.after_step is None
        if is_bare and recorder is None and contacts is None and self._engine.limits is None:
            mujoco.mj_step(self._model, self._data, nstep=count)
            return count
        work = None if recorder is None else recorder.step_rows
        has_rows = self._has_rows and (recorder is None or work is not None)
        loop, taken = None if needs_python or not has_rows else self._compiled_loop, 0
        if loop is not None:
            loop.program.uses_equilibrium = is_bare and contacts is not None
            ended, taken = loop.run(self._step, count, work, self._rows, self._peaks)
            if ended == EQUILIBRIUM and contacts is not None:
                contacts.update_equilibrium()
            if ended != HAND_OVER:
                return taken
            count = 1
        if is_bare and contacts is not None:
            self._step_without_inputs(contacts, count, None if recorder is None else recorder.record)
        else:
            self._take_steps(self._step, count, drives, servos)
        return taken + count

    @cached_property
    def _compiled_loop(self) -> CompiledLoop | None:
        """The compiled loop, or None if it cannot be used."""
        # Hard stops act in its leapfrog steps only, which are divided where they are reached.
        if self._inputs.element_forces.has_stops:
            return None
        loop = make_compiled_loop(self._engine)
        if loop is not None:
            loop.program.step, loop.program.is_split = self._step, self._inputs.needs_forces or self._contacts is not None
        return loop

    def evaluate(self, drives: list[JointDrive], servos: list[ServoDrive]) -> StepVelocities:
        """Take the first sub-step of the next step, so that the engine's data have its forces; return its velocities.

        In a World that MuJoCo compiles, forces are those of its forward dynamics, as for its sensors: the integrators of
        several stages, or with implicit velocities, have no single instant at which all forces of a step act.
        """
        before, duration = self._data.qvel.copy(), self._step / self._sub_step_count()
        if self._engine.compiled.is_mjcf_world:
            for targets, controls in self._inputs.rows(float(self._data.time), duration, 1):
                self._engine.prepare(targets, controls, duration, drives)
            mujoco.mj_forward(self._model, self._data)
            return StepVelocities(duration, before, before, before + duration * self._data.qacc)
        with unrecorded(self), self._engine.of_length(duration):
            self._take_steps(duration, 1, drives, servos)
        return StepVelocities(duration, before, before, self._data.qvel.copy())

    def _sub_step_count(self) -> int:
        """Return the number of parts into which the criteria divide the step that starts now."""
        if not self.criteria:
            return 1
        mujoco.mj_step1(self._model, self._data)
        return self.sub_steps.limited(max([criterion(self._step) for criterion in self.criteria]))

    def _divided_step(self, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        parts = self._sub_step_count()
        with self._engine.of_length(self._step / parts):
            self._take_steps(self._step / parts, parts, drives, servos)
        self.sub_steps.record_step(float(self._data.time), parts)

    def _take_steps(self, step: float, count: int, drives: list[JointDrive], servos: list[ServoDrive]) -> None:
        """Take a number of steps of a length [s], which is the engine's time step."""
        engine, model, data, inputs = self._engine, self._model, self._data, self._inputs
        is_split = bool(servos) or inputs.needs_forces or self._contacts is not None or engine.limits is not None
        after_step, recorder = self.after_step, begin_recording(self.recorder, count, drives)
        record = None if recorder is None else recorder.record
        qvel, before, copy = self._qvel, self._before, np.copyto
        for targets, controls in inputs.rows(float(data.time), step, count):
            time = data.time
            engine.prepare(targets, controls, step, drives)
            if record is not None:
                copy(before, qvel)
            if is_split:
                engine.take_first_half()
                inputs.compute_forces(time)
                engine.correct_servos(servos, step)
                engine.take_second_half()
            else:
                mujoco.mj_step(model, data)
            if record is not None:
                record(before, step)
            if after_step is not None:
                after_step()
            if self.motion is not None:
                self.motion.record(step)

    def _step_without_inputs(self, contacts: RigidContacts, count: int, record: Callable[[Vector, float], None] | None) -> None:
        """Take a number of steps without inputs, with rigid contacts."""
        before, step = self._before, self._step
        for _ in range(count):
            if contacts.is_in_equilibrium and contacts.step_in_equilibrium():
                continue
            before[:] = self._qvel
            self._engine.take_first_half()
            self._engine.take_second_half()
            if record is not None:
                record(before, step)
            if self.motion is not None:
                self.motion.record(step)
            contacts.update_equilibrium()
