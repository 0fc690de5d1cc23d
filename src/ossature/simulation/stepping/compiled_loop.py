"""The compiled loop of undivided leapfrog steps; each has the same bits as one in Python.

A step that needs Python, for example because a hard stop is reached in it, is handed over before it starts.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.simulation.compile.force_laws import CurveTerm, DegressiveTerm, LinearTerm, MapTerm, StopTerm
from ossature.simulation.compile.force_laws import Term as LawTerm
from ossature.simulation.stepping.engine_functions import EngineAccess, engine_access
from ossature.simulation.stepping.engine_inputs import DampedBushing, Inputs, NonlinearSpring
from ossature.simulation.stepping.loop_structs import (
    CURVE,
    DEGRESSIVE,
    LINEAR,
    TABLE,
    Bushing,
    Program,
    ResidualRows,
    Spring,
    Term,
    WorkRows,
    address_of,
    contiguous,
    set_addresses,
)
from ossature.simulation.stepping.rigid_contacts import RigidContacts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class CompiledLoop:
    """The compiled loop for a model with its inputs.

    Args:
        access: The compiled module with access to the engine.
        model: The engine's model.
        data: The engine's data.
        inputs: The inputs of each step.
        contacts: The rigid contacts, or None.
        velocities: The two staggered velocities, shape (2, nv).
        estimate: The array for the second difference of velocities.
    """

    def __init__(
        self,
        access: EngineAccess,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        inputs: Inputs,
        contacts: RigidContacts | None,
        velocities: Vector,
        estimate: Vector,
    ) -> None:
        self._run, self._contacts, self._inputs = access.loop.run, contacts, inputs
        self._engine = access.bind(model, data)
        self._keep: list[Any] = [model, data, velocities, estimate]
        self._springs = (Spring * len(inputs.springs))(*map(self._make_spring, inputs.springs))
        self._bushings = (Bushing * len(inputs.damped_bushings))(*map(self._make_bushing, inputs.damped_bushings))
        self.program = program = Program(
            engine=ctypes.addressof(self._engine),
            nv=model.nv,
            springs=ctypes.addressof(self._springs),
            spring_count=len(self._springs),
            bushings=ctypes.addressof(self._bushings),
            bushing_count=len(self._bushings),
            step=model.opt.timestep,
            has_contacts=contacts is not None,
            target_stride=mujoco.mjNEQDATA,
        )
        set_addresses(program, qvel=data.qvel, velocities=velocities, estimate=estimate, ctrl=data.ctrl, targets=model.eq_data)
        set_addresses(program, lengths=data.actuator_length, rates=data.actuator_velocity)
        if contacts is not None:
            set_addresses(program, margin_qvel=contacts.margin_velocities)
        self._address = ctypes.addressof(program)
        self._rows: tuple[Any, Any] = (None, None)

    def run(
        self,
        targets: Vector | None,
        controls: Vector | None,
        count: int,
        work: WorkRows | None,
        residuals: ResidualRows | None,
    ) -> int:
        """Take steps; the number that was taken is in the program afterwards.

        Args:
            targets: Targets of each step, or None.
            controls: Controls of each step, or None.
            count: The number of steps.
            work: Rows for the work of each step, or None.
            residuals: Rows for the residuals of loops, or None.

        Returns:
            Why it ended: :data:`DONE`, :data:`HAND_OVER` or :data:`WATCHED`.
        """
        program, inputs, contacts = self.program, self._inputs, self._contacts
        program.count, program.taken = count, 0
        rows = inputs.target_rows, inputs.control_rows
        if rows[0] is not self._rows[0] or rows[1] is not self._rows[1]:
            self._rows = rows
            self._numbers = [np.array(each, dtype=np.int64) for each in rows]
            program.target_rows, program.control_rows = map(address_of, self._numbers)
        program.target_width = 0 if targets is None else targets.shape[1]
        program.control_width = 0 if controls is None else controls.shape[1]
        if targets is not None:
            program.target_values = address_of(targets)
        if controls is not None:
            program.control_values = address_of(controls)
        program.work = None if work is None else ctypes.addressof(work)
        program.residuals = None if residuals is None else ctypes.addressof(residuals)
        if contacts is not None:
            program.steps_left, program.largest_change_square = contacts.validity
        ended = self._run(self._address, mujoco.FatalError)
        if contacts is not None:
            contacts.record_free_steps(program.taken)
        return int(ended)

    def _make_spring(self, spring: NonlinearSpring) -> Spring:
        terms = [self._make_term(term) for term in spring.terms if not isinstance(term, StopTerm)]
        array = (Term * len(terms))(*terms)
        self._keep += [array, spring.turns]
        stops = [term.limits for term in spring.terms if isinstance(term, StopTerm)]
        lower, upper = stops[0] if stops else (-np.inf, np.inf)
        return Spring(
            actuator=spring.actuator,
            terms=ctypes.addressof(array),
            term_count=len(terms),
            offset=spring.offset,
            wraps=spring.wraps,
            has_stop=bool(stops),
            lower=lower,
            upper=upper,
            turns=address_of(spring.turns),
        )

    def _make_term(self, term: LawTerm) -> Term:
        keep = self._keep
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
        self._keep += [bushing.axes, bushing.spin]
        actuators = [-1 if actuator is None else actuator for actuator in bushing.actuators]
        made = Bushing(actuators=tuple(actuators), damping=tuple(bushing.damping))
        set_addresses(made, axes=bushing.axes, spin=bushing.spin)
        return made


def make_compiled_loop(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    inputs: Inputs,
    contacts: RigidContacts | None,
    velocities: Vector,
    estimate: Vector,
) -> CompiledLoop | None:
    """Return the compiled loop of a model, or None if it is not available or the model needs Python in each step."""
    access = engine_access()
    if isinstance(access, str) or not inputs.are_compiled:
        return None
    return CompiledLoop(access, model, data, inputs, contacts, velocities, estimate)
