"""The compiled loop of undivided leapfrog steps; each has the same bits as one in Python.

A step that needs Python, for example because a hard stop is reached in it, is handed over before it starts.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.simulation.compile.force_laws import CurveTerm, DegressiveTerm, LinearTerm, MapTerm, StopTerm
from ossature.simulation.compile.force_laws import Term as LawTerm
from ossature.simulation.stepping.compiled_stepping_structs import (
    CURVE,
    DEGRESSIVE,
    DIVERGED,
    DONE,
    LINEAR,
    MARGINS,
    TABLE,
    Bushing,
    MotionPeaks,
    Program,
    ResidualRows,
    Spring,
    Term,
    WorkRows,
    address_of,
    contiguous,
    make_array,
    set_addresses,
    set_index_addresses,
)
from ossature.simulation.stepping.contact_tolerances import LARGEST_SPEED_ERROR
from ossature.simulation.stepping.element_forces import DampedBushing
from ossature.simulation.stepping.engine_inputs import InputBlock
from ossature.simulation.stepping.engine_memory_addresses import EngineAccess, engine_access
from ossature.simulation.stepping.engine_step_with_rigid_constraints import LARGEST_CONTINUOUS_ACCELERATION, EngineStep
from ossature.simulation.stepping.equality_solver import EqualitySolver
from ossature.simulation.stepping.nonlinear_spring import NonlinearSpring
from ossature.simulation.stepping.staggered_velocities import StaggeredVelocities

_UNCERTAINTY = 1e-11
"""Relative difference from a bound below which Python decides: it adds squares in another order."""


class CompiledLoop:
    """The compiled loop for a model with its inputs.

    Args:
        access: The compiled module with access to the engine.
        engine: The parts of a step, with the inputs, contacts and limits.
        solver: Solves the equations of motion if there are equality constraints only, or None.

    Attributes:
        program: What the loop does in each step.
        kept: Arrays of the program.
    """

    def __init__(
        self,
        access: EngineAccess,
        engine: EngineStep,
        solver: EqualitySolver | None,
    ) -> None:
        model, data, inputs, contacts = engine.model, engine.data, engine.inputs, engine.contacts
        self._run, self._contacts, self._inputs, self._data = access.loop.run, contacts, inputs, data
        self._engine = access.bind(model, data)
        self._before = np.zeros(model.nv)
        self.kept: list[Any] = [model]
        self._springs = make_array(map(self._make_spring, inputs.springs), Spring)
        self._bushings = make_array(map(self._make_bushing, inputs.damped_bushings), Bushing)
        self._contact_fields = None if contacts is None else contacts.describe(self.kept)
        self._equality_problem = None if solver is None else solver.describe(self._engine)
        self.kept.append(solver)
        self.program = program = Program(
            engine=ctypes.addressof(self._engine),
            nv=model.nv,
            springs=ctypes.addressof(self._springs),
            spring_count=len(self._springs),
            bushings=ctypes.addressof(self._bushings),
            bushing_count=len(self._bushings),
            step=model.opt.timestep,
            uncertainty=_UNCERTAINTY,
            target_stride=mujoco.mjNEQDATA,
            contacts=None if self._contact_fields is None else ctypes.addressof(self._contact_fields),
            equality_problem=None if self._equality_problem is None else ctypes.addressof(self._equality_problem),
        )
        set_addresses(program, qvel=data.qvel, before=self._before, ctrl=data.ctrl, targets=model.eq_data)
        set_addresses(program, lengths=data.actuator_length, rates=data.actuator_velocity)
        self._trees, self._are_jumping = np.array(model.dof_treeid, dtype=np.int64), np.zeros(model.ntree, dtype=np.int64)
        program.tree_count, program.jump_speed = model.ntree, LARGEST_SPEED_ERROR
        program.largest_change = LARGEST_CONTINUOUS_ACCELERATION * model.opt.timestep
        set_addresses(program, constraint_force=data.qfrc_constraint)
        set_index_addresses(program, trees=self._trees, are_jumping=self._are_jumping)
        if engine.limits is not None:
            engine.limits.describe(program)
        self._address = ctypes.addressof(program)
        self._block: InputBlock | None = None

    def run(
        self,
        step: float,
        count: int,
        work: WorkRows | None,
        residuals: ResidualRows | None = None,
        motion: MotionPeaks | None = None,
    ) -> tuple[int, int]:
        """Take steps until Python is needed.

        Args:
            step: The length of each [s].
            count: Their number.
            work: Rows for the work of each step, or None.
            residuals: Rows for the residuals of loops, or None.
            motion: Keeps the largest motion of bodies, or None.

        Returns:
            Why it ended: :data:`DONE`, :data:`HAND_OVER`, :data:`WATCHED` or :data:`EQUILIBRIUM`; and the number of steps.
        """
        program, taken, ended = self.program, 0, DONE
        program.work = None if work is None else ctypes.addressof(work)
        program.residuals = None if residuals is None else ctypes.addressof(residuals)
        program.motion = None if motion is None else ctypes.addressof(motion)
        for block, first, width in self._inputs.blocks(float(self._data.time), step, count):
            self._set_rows(block, first)
            program.count, program.taken = width, 0
            ended = self._run_block()
            taken += program.taken
            program.next_watched -= program.taken
            if ended != DONE:
                break
        return ended, taken

    def run_estimated(
        self,
        step: float,
        count: int,
        work: WorkRows | None,
        velocities: StaggeredVelocities,
        residuals: ResidualRows | None = None,
        motion: MotionPeaks | None = None,
    ) -> tuple[int, float, int]:
        """Take steps whose error is estimated until Python is needed, because there are contacts or limits.

        Args:
            step: The length of each [s].
            count: Their number.
            work: Rows for the work of each step, or None.
            velocities: The velocities, which are a step apart.
            residuals: Rows for the residuals of loops, or None.
            motion: Keeps the largest motion of bodies, or None.

        Returns:
            The number of steps, their largest error [share of the tolerance], which is infinite if the motion diverges, and its
            degree of freedom.
        """
        program, undivided = self.program, self.program.step
        program.is_estimated, program.step = True, step
        program.unsettled, program.last = velocities.unsettled_steps, velocities.last
        program.largest_error, program.worst_dof = 0.0, -1
        try:
            ended, taken = self.run(step, count, work, residuals, motion)
        finally:
            program.is_estimated, program.step = False, undivided
            velocities.unsettled_steps, velocities.last = program.unsettled, program.last
        if taken:
            velocities.forget_jumps(None)
        return taken, np.inf if ended == DIVERGED else program.largest_error, program.worst_dof

    def find_velocity_jumps(self) -> BoolArray | None:
        """Return which degrees of freedom may have a velocity jump in the last step, or None if there is none."""
        return self._are_jumping[self._trees] != 0 if self.program.has_jump else None

    def _run_block(self) -> int:
        """Take the steps of a block, with the margins of contacts updated in Python."""
        contacts, fields = self._contacts, self._contact_fields
        if contacts is None or fields is None:
            return int(self._run(self._address, mujoco.FatalError))
        self.program.is_prepared = False
        while True:
            contacts.write_state(fields)
            try:
                ended = int(self._run(self._address, mujoco.FatalError))
            finally:
                contacts.read_state_of_compiled_loop(fields)
            if ended != MARGINS:
                return ended
            contacts.prepare()
            self.program.is_prepared = True

    def _set_rows(self, block: InputBlock, first: int) -> None:
        """Set the targets and controls of each step from a row of a block."""
        program = self.program
        if block is not self._block:
            self._block = block
            inputs, values = self._inputs, [_or_empty(block.targets), _or_empty(block.controls)]
            self._kept_rows = [np.array(rows, dtype=np.int64) for rows in (inputs.target_rows, inputs.control_rows)]
            program.target_rows, program.control_rows = map(address_of, self._kept_rows)
            program.target_width, program.control_width = (each.shape[1] for each in values)
            self._layouts = [(address_of(each), each.strides[0]) for each in values]
        program.target_values, program.control_values = (address + first * stride for address, stride in self._layouts)

    def _make_spring(self, spring: NonlinearSpring) -> Spring:
        array = make_array((self._make_term(term) for term in spring.terms if not isinstance(term, StopTerm)), Term)
        self.kept += [array, spring.turns]
        stops = [term.limits for term in spring.terms if isinstance(term, StopTerm)]
        lower, upper = stops[0] if stops else (-np.inf, np.inf)
        return Spring(
            actuator=spring.actuator,
            terms=ctypes.addressof(array),
            term_count=len(array),
            offset=spring.offset,
            wraps=spring.wraps,
            has_stop=bool(stops),
            lower=lower,
            upper=upper,
            turns=address_of(spring.turns),
        )

    def _make_term(self, term: LawTerm) -> Term:
        keep = self.kept
        if isinstance(term, LinearTerm):
            return Term(kind=LINEAR, offset=term.free, a=term.preload, b=term.stiffness, c=term.damping)
        if isinstance(term, DegressiveTerm):
            return Term(kind=DEGRESSIVE, a=term.damping, b=term.extension, c=term.compression)
        if isinstance(term, CurveTerm):
            xs, ys = [point[0] for point in term.curve], [point[1] for point in term.curve]
            slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in itertools.pairwise(term.curve)]
            return Term(
                kind=CURVE,
                is_rate=term.is_of_rate,
                offset=term.free,
                columns=len(xs),
                column_values=contiguous(xs, keep),
                values=contiguous(ys, keep),
                slopes=contiguous(slopes, keep),
            )
        assert isinstance(term, MapTerm)  # noqa: S101  # stops are not terms of the compiled loop
        table = term.table
        return Term(
            kind=TABLE,
            offset=term.free,
            rows=len(table.velocities),
            columns=len(table.deformations),
            row_values=contiguous(table.velocities, keep),
            column_values=contiguous(table.deformations, keep),
            values=contiguous(itertools.chain.from_iterable(table.forces), keep),
        )

    def _make_bushing(self, bushing: DampedBushing) -> Bushing:
        self.kept += [bushing.axes, bushing.spin]
        actuators = [-1 if actuator is None else actuator for actuator in bushing.actuators]
        made = Bushing(actuators=tuple(actuators), damping=tuple(bushing.damping))
        set_addresses(made, axes=bushing.axes, spin=bushing.spin)
        return made


def _or_empty(rows: Vector | None) -> Vector:
    return np.zeros((0, 0)) if rows is None else rows


def make_compiled_loop(engine: EngineStep, solver: EqualitySolver | None = None) -> CompiledLoop | None:
    """Return the compiled loop of a model, or None if it is not available or the model needs Python in each step."""
    if not engine.inputs.are_compiled:
        return None
    access = engine_access()
    return None if isinstance(access, str) else CompiledLoop(access, engine, solver)
