"""The work of motors, loads, dampers, friction, contacts and limits, summed over all steps of a run.

In each step and sub-step every force does the work of its power at the mean of the velocities before and after the step, as
it changes the kinetic energy. The integrators record forces and velocities; powers are computed for many steps at once.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stepping.compiled_stepping_structs import WorkRows, address_of, set_addresses
from ossature.simulation.stepping.constraint_projection import equality_numbers
from ossature.simulation.working_forces import WorkingConstraints, find_working_forces

if TYPE_CHECKING:
    from ossature.simulation.stepping.engine_inputs import Inputs


Record = Callable[["Vector", float], None]
"""Records a step that has just been taken: the velocities before it, and its length [s]."""

_ROWS, _MOST_ROWS_AT_SAMPLE = 1024, 520
"""Rows at the start, to which rows for sub-steps are added, and recorded steps from which a sample sums their work: those up
to the next sample fit."""
_MOST_ROWS_BEFORE_MARK = 80
"""Recorded steps from which their work is summed before a step that may be repeated."""


class Work(NamedTuple):
    """Work since the start of a run.

    Attributes:
        supplied: Work of motors, loads, commands, and elements without a potential [J].
        damped: Energy that dampers dissipated [J].
        rubbed: Energy that friction, contacts and limits dissipated [J].
        throughput: Sum of the magnitudes of all work [J].
        jump: Bound of the work and energy at the present time that a jump of velocities in the last steps leaves unknown [J].
    """

    supplied: float
    damped: float
    rubbed: float
    throughput: float
    jump: float


class _Start(NamedTuple):
    """The state at a start: the sub-step [s], velocities, accelerations, and forces of prescribed coordinates."""

    step: float
    velocity: Vector
    acceleration: Vector
    target_forces: Vector


class WorkRecorder:
    """Records the forces and velocities of each step, and sums their work.

    Args:
        data: The engine's data, with the constraints of the first step.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, inputs: Inputs) -> None:
        model, integrator = compiled.model, compiled.choice.integrator
        self._model, self._data = model, data
        self._is_staggered = integrator in (Integrator.CENTRED, Integrator.STAGGERED)
        # The World of an MJCF file has forces that only MuJoCo's sums along coordinates include: dampers of tendons, fluids,
        # polynomials of damping, and forces of actuators within the force limits of their joints.
        self._is_mjcf_world = compiled.is_mjcf_world
        self._actuators = 0 if self._is_mjcf_world else model.nu
        self._dampers, self._driving_dampers, self._sources, self._damping, self._is_compensated_by_actuator, self._can_rub = (
            compiled.shared_results.get(find_working_forces, compiled, self._actuators)
        )
        is_implicit = integrator is not Integrator.CENTRED
        self._has_damping = bool(self._damping.any())
        self._needs_ends = is_implicit and self._has_damping
        self._needs_end_rates = is_implicit and self._dampers.has_any
        self._constraints = compiled.shared_results.get(WorkingConstraints, compiled, equality_numbers(data))
        self._is_always_loaded = bool(inputs.element_forces.bodies_with_world_fixed_loads)
        self._is_loaded = False
        self._applied_forces = (data.qfrc_applied, data.xfrc_applied.reshape(-1))
        self._step_rows = WorkRows()
        self._capacity = _ROWS
        self._marks: list[int] = []
        self._works: list[Work] = []
        self._sums = [0.0, 0.0, 0.0, 0.0]
        """Work supplied, dissipated by dampers and by other constraints, and the sum of magnitudes of all work [J]."""
        self._spacing = 0.0
        self._last_powers: list[list[float]] = []
        self._start: _Start | None = None
        self._velocities_before = np.zeros(0)
        self._extrapolated_energy = 0.0
        self._has_work = False
        self._record: Record | None = None
        self._rows: dict[str, Vector] = {}
        self._make_rows()

    # Recording

    def begin(self, count: int, *, has_drives: bool) -> bool:
        """Prepare to record a number of steps that follow; return whether any force does work.

        Args:
            count: The largest number of steps.
            has_drives: Whether drives of joints apply forces.
        """
        self._detect_loads(has_drives=has_drives)
        if self._step_rows.count + count > self._capacity:
            self._capacity = max(self._step_rows.count + count, 2 * self._capacity)
            self._make_rows()
        return self._has_work

    def _detect_loads(self, *, has_drives: bool) -> None:
        """Make other rows if forces are applied now, or no longer."""
        # Much faster than numpy's any.
        joints, bodies = self._applied_forces
        is_loaded = has_drives or self._is_always_loaded or bool(joints.nonzero()[0].size or bodies.nonzero()[0].size)
        if is_loaded is not self._is_loaded:
            self._collect()
            self._is_loaded = is_loaded
            self._make_rows()

    @property
    def record(self) -> Record:
        """Records a step; it is made on demand, as the compiled loop records its steps itself."""
        if self._record is None:
            self._record = self._make_record()
        return self._record

    def mark(self, *, has_drives: bool) -> int:
        """Return the number of recorded steps, to which :meth:`discard` returns.

        Args:
            has_drives: Whether drives of joints apply forces in the steps that follow.
        """
        self._detect_loads(has_drives=has_drives)
        if self._step_rows.count > _MOST_ROWS_BEFORE_MARK:
            self._collect()
        return int(self._step_rows.count)

    def discard(self, mark: int) -> None:
        """Discard the steps after a mark."""
        self._step_rows.count = mark

    def record_change(self, before: Vector, duration: float, duration_before: float) -> None:
        """Record a change of staggered velocities to those of another length of the steps, which are in the engine's data.

        Args:
            before: The velocities before it.
            duration: The time for which the present forces cause it [s].
            duration_before: The time for which the forces of the last step cause it [s].
        """
        count = int(self._step_rows.count)
        if not self._spacing + count:
            if self._start is not None:
                self._start = self._start._replace(step=self._start.step - 2.0 * (duration + duration_before))
            return
        if duration_before:
            for values in self._rows.values():
                values[count] = values[count - 1]
            self._rows["durations"][count] = duration_before
            np.add(before, self._data.qvel, self._rows["means"][count])
            self._step_rows.count = count + 1
        if duration:
            self.record(before, duration)

    def restart(self, sub_step: float) -> None:
        """Record that forces change suddenly between two steps; call it when the engine's data have the new forces.

        Args:
            sub_step: The length of the next sub-step [s].
        """
        if self._marks:
            self._collect()
        if self._is_staggered and self._spacing + self._step_rows.count > 0.0:
            self._collect()
            self._sums[:3] = map(add, self._sums, self._last_half_step())
        self._spacing = 0.0
        if self._is_staggered and self._rows["targets"].shape[1]:
            data = self._data
            forces = data.efc_force[self._constraints.columns]
            self._start = _Start(sub_step, np.array(data.qvel), np.array(data.qacc), np.array(forces))

    def _make_rows(self) -> None:
        """Allocate rows for the steps, keep those recorded, and make the function that records a step."""
        model, count, rows = self._model, int(self._step_rows.count), self._capacity
        actuators = self._actuators
        sizes = {
            "durations": 1,
            "means": model.nv,
            "ends": model.nv if self._needs_ends else 0,
            "forces": actuators,
            "rates": actuators,
            "end_rates": actuators if self._needs_end_rates else 0,
            "controls": model.nu if self._dampers.rotating.size else 0,
            "targets": self._constraints.columns.stop - self._constraints.columns.start,
            "applied": model.nv if self._is_loaded else 0,
            "actuations": model.nv if self._is_mjcf_world else 0,
            "resistances": model.nv if self._is_mjcf_world else 0,
            "constraints": 0 if self._constraints.are_simple else 2,
            "constrained": model.nv if self._constraints.are_simple and self._can_rub else 0,
        }
        old = self._rows
        # The last row, which is also that before the first one, is the last step whose work is summed.
        self._rows = {name: np.zeros((rows + 1, size)) for name, size in sizes.items()}
        for name, values in old.items():
            width = min(values.shape[1], sizes[name])
            self._rows[name][[*range(count), -1], :width] = values[[*range(count), -1], :width]
        self._describe_rows()
        has_constraint_work = sizes["targets"] or self._can_rub or self._constraints.has_welds
        has_other_work = self._is_mjcf_world or model.nu or self._is_loaded or self._has_damping
        self._has_work, self._record = bool(has_other_work or has_constraint_work), None

    def _describe_rows(self) -> None:
        """Fill the structure of the rows, which the compiled loop uses."""
        data, rows, constraints = self._data, self._rows, self._constraints
        fields = self._step_rows
        fields.nv, fields.nu = self._model.nv, rows["forces"].shape[1]
        fields.first_column, fields.columns = constraints.columns.start, rows["targets"].shape[1]
        fields.is_loaded, fields.has_constrained = self._is_loaded, bool(rows["constrained"].shape[1])
        fields.has_powers = constraints.has_welds or (self._can_rub and not constraints.are_simple)
        fields.has_welds, fields.has_controls = constraints.has_welds, bool(rows["controls"].shape[1])
        fields.has_ends, fields.has_end_rates = self._needs_ends, self._needs_end_rates
        fields.has_actuations = self._is_mjcf_world
        fields.equalities = data.ne
        fields.servos, fields.welds, fields.targets_of_powers = map(address_of, constraints.power_rows)
        fields.servo_count, fields.weld_count, fields.target_count = (each.size for each in constraints.power_rows)
        others = {name: values for name, values in rows.items() if name != "constraints"}
        set_addresses(fields, **others, powers=rows["constraints"])
        set_addresses(fields, force=data.actuator_force, rate=data.actuator_velocity, ctrl=data.ctrl)
        set_addresses(fields, smooth=data.qfrc_smooth, bias=data.qfrc_bias, passive=data.qfrc_passive)
        set_addresses(fields, actuated=data.qfrc_actuator, constraint_force=data.qfrc_constraint)
        set_addresses(fields, damper=data.qfrc_damper, fluid=data.qfrc_fluid, gravity_compensation=data.qfrc_gravcomp)
        set_addresses(fields, is_compensated_by_actuator=self._is_compensated_by_actuator)

    @property
    def step_rows(self) -> WorkRows | None:
        """The rows for the compiled loop; None if it cannot record them, or no force does work."""
        is_recordable = self._is_mjcf_world or self._step_rows.nu == self._model.nu
        return self._step_rows if is_recordable and self._has_work else None

    def _make_record(self) -> Record:
        """Return the function that records a step: a closure, because it is called in every step."""
        model, data, counter, constraints = self._model, self._data, self._step_rows, self._constraints
        qvel, ctrl, force, rate = data.qvel, data.ctrl, data.actuator_force, data.actuator_velocity
        rows = self._rows
        durations, means, ends, forces, rates = (rows[name] for name in ("durations", "means", "ends", "forces", "rates"))
        end_rates, controls, targets, applied = (rows[name] for name in ("end_rates", "controls", "targets", "applied"))
        powers, constrained, constraint_force = rows["constraints"], rows["constrained"], data.qfrc_constraint
        columns, equalities = constraints.columns, data.ne
        has_actuators, needs_ends, needs_end_rates = bool(forces.shape[1]), self._needs_ends, self._needs_end_rates
        has_targets, is_loaded, has_rotating = bool(targets.shape[1]), self._is_loaded, bool(controls.shape[1])
        has_constrained, has_welds = bool(constrained.shape[1]), constraints.has_welds
        has_powers = has_welds or (self._can_rub and not constraints.are_simple)
        smooth, bias, passive, actuated = data.qfrc_smooth, data.qfrc_bias, data.qfrc_passive, data.qfrc_actuator
        actuations, resistances, is_mjcf_world = rows["actuations"], rows["resistances"], self._is_mjcf_world
        damper, fluid, compensation = data.qfrc_damper, data.qfrc_fluid, data.qfrc_gravcomp
        is_compensated_by_actuator = self._is_compensated_by_actuator

        def record(before: Vector, duration: float) -> None:
            number = counter.count
            counter.count = number + 1
            durations[number] = duration
            mean = means[number]
            np.add(before, qvel, mean)
            if has_actuators:
                forces[number] = force
                rates[number] = rate
            if has_targets:
                targets[number] = data.efc_force[columns]
            if is_loaded:
                # All forces except these are in other arrays of the engine.
                applied[number] = smooth + bias - passive - actuated
            if is_mjcf_world:
                actuations[number] = actuated - is_compensated_by_actuator * compensation
                resistances[number] = damper + fluid
            if has_constrained:
                constrained[number] = constraint_force
            if has_powers:
                is_constrained = has_welds or data.nefc > equalities
                powers[number] = constraints.powers(model, data, mean) if is_constrained else 0.0
            if needs_ends:
                ends[number] = qvel
            if has_rotating:
                controls[number] = ctrl
            if needs_end_rates:
                mujoco.mj_fwdVelocity(model, data)
                end_rates[number] = rate

        return record

    # Work

    def sample(self) -> None:
        """Let :meth:`take_samples` return the work so far: powers of the steps of many samples are computed at once."""
        count = int(self._step_rows.count)
        self._marks.append(count)
        if count > _MOST_ROWS_AT_SAMPLE:
            self._collect()

    def take_samples(self) -> list[Work]:
        """Return the work at each call of :meth:`sample` since the last call."""
        self._collect()
        works, self._works = self._works, []
        return works

    def _work(self) -> Work:
        """Return the work of the steps that are collected."""
        *sums, throughput = self._sums
        supplied, damped, rubbed = map(add, sums, self._last_half_step()) if self._is_staggered else sums
        return Work(supplied, damped, rubbed, throughput, self._jump())

    def _jump(self) -> float:
        if not self._last_powers or (len(self._last_powers) < 2 and not self._rows["targets"].shape[1]):
            return 0.0
        # What prescribed coordinates did before the first step is not known.
        before, last = (powers[:3] for powers in ([[0.0] * 3, *self._last_powers][-2:]))
        smaller, larger = sorted(sum(map(abs, powers)) for powers in (before, last))
        change = sum(abs(now - then) for then, now in zip(before, last, strict=True))
        return 2.0 * self._spacing * (larger if larger > 2.0 * smaller else change) + self._extrapolated_energy

    def _collect(self) -> None:
        """Sum the work of the recorded steps, up to each sample and to the last step."""
        count, marks, first = int(self._step_rows.count), self._marks, 0
        if not count and not marks:
            return
        self._step_rows.count, self._marks = 0, []
        rows = {name: values[:count] for name, values in self._rows.items()}
        if count:
            for values in self._rows.values():
                values[-1] = values[count - 1]
        powers = self._powers_of(rows)
        for mark in marks:
            self._add(rows, powers, first, mark)
            self._works.append(self._work())
            first = mark
        self._add(rows, powers, first, count)

    def _add(self, rows: dict[str, Vector], powers: Vector, first: int, past: int) -> None:
        """Add the work of some of the recorded steps."""
        if first == past:
            return
        durations = weights = rows["durations"][first:past, 0]
        if self._is_staggered and not self._spacing:
            # The first step changes a velocity of half a step before the start.
            weights = np.concatenate([[0.5 * durations[0]], durations[1:]])
            if self._start is not None:
                self._sums[0] += self._work_of_velocity_jump(rows, self._start)
                self._velocities_before = 2.0 * self._start.velocity - self._start.step * self._start.acceleration
                self._start = None
        self._sums = list(map(add, self._sums, (weights @ powers[first:past]).tolist()))
        self._spacing = float(durations[-1])
        self._last_powers = [*self._last_powers, *powers[max(first, past - 2) : past].tolist()][-2:]
        if rows["targets"].shape[1]:
            self._bound_extrapolated_energy(rows, first, past)

    def _bound_extrapolated_energy(self, rows: dict[str, Vector], first: int, past: int) -> None:
        """Bound the kinetic energy that half of the last change of velocities adds, with which they are extrapolated.

        From u to v that is half the work of the step and three eighths of (v - u)·M·(v - u); the impulse of prescribed
        coordinates is M·(v - u).
        """
        means, last = rows["means"], past - 1
        before = means[last - 1] if last > first else self._velocities_before
        if before.size:
            power = self._constraints.power_of_targets(rows["targets"][last:past], (means[last] - before)[None])
            self._extrapolated_energy = 0.375 * self._spacing * abs(float(power[0]))
        self._velocities_before = means[last].copy()

    def _work_of_velocity_jump(self, rows: dict[str, Vector], start: _Start) -> float:
        """Return the work of prescribed coordinates in the first recorded step that half the power of this step lacks [J].

        It is the other half, less the work between the velocity of half a step before the start and that of the start. This
        also holds for a coordinate that starts with a rate, and if the first step is divided.
        """
        constraints, half_step = self._constraints, 0.5 * start.step
        first = constraints.power_of_targets(rows["targets"][:1], 0.5 * rows["means"][:1])
        mean = (start.velocity - 0.5 * half_step * start.acceleration)[None]
        before = constraints.power_of_targets(start.target_forces[None], mean)
        return float(0.5 * rows["durations"][0, 0] * first[0] - half_step * before[0])

    def _last_half_step(self) -> list[float]:
        """Return the work from the middle of the last step to the present time, at which forces are not known yet."""
        if not self._spacing or not self._last_powers:
            return [0.0, 0.0, 0.0]
        steps = zip(self._last_powers[0][:3], self._last_powers[-1][:3], strict=True)
        # The power of an impulse in one of the last two steps is not that of the next one.
        present = [
            before if abs(last) > 2.0 * abs(before) else last if abs(before) > 4.0 * abs(last) else 2.0 * last - before
            for before, last in steps
        ]
        return [0.5 * self._spacing * power for power in present]

    def _powers_of(self, rows: dict[str, Vector]) -> Vector:
        """Return the powers of recorded steps: supplied, dissipated by dampers and by other constraints, and magnitudes, [W].

        Those of a step do not depend on how many are computed at once, as they would in a product of matrices.
        """
        velocities = 0.5 * rows["means"]
        powers = np.zeros((len(velocities), 4))
        rates, sources = rows["rates"], self._sources
        if sources.size:
            powers[:, 0] = (rows["forces"][:, sources] * rates[:, sources]).sum(axis=1)
        if self._is_loaded:
            powers[:, 0] += (rows["applied"] * velocities).sum(axis=1)
        if rows["targets"].shape[1]:
            powers[:, 0] += self._constraints.power_of_targets(rows["targets"], velocities)
        if self._is_mjcf_world:
            powers[:, 0] += (rows["actuations"] * velocities).sum(axis=1)
            powers[:, 1] = -(rows["resistances"] * velocities).sum(axis=1)
        if self._has_damping:
            powers[:, 1] += (self._damping_velocities(rows, velocities) * velocities * self._damping).sum(axis=1)
        end_rates = rows["end_rates"] if self._needs_end_rates else rates
        for column, dampers in enumerate((self._driving_dampers, self._dampers)):
            if dampers.has_any:
                powers[:, column] += dampers.powers(rates, end_rates, rows["controls"])
        if self._constraints.are_simple:
            powers[:, 2] = -(rows["constrained"] * velocities).sum(axis=1) if self._can_rub else 0.0
        else:
            powers[:, 0] += rows["constraints"][:, 0]
            powers[:, 2] = rows["constraints"][:, 1]
        powers[:, 3] = np.abs(powers).sum(axis=1)
        return powers

    def _damping_velocities(self, rows: dict[str, Vector], velocities: Vector) -> Vector:
        """Return the velocities at which damping of joints acts, less those at which a recorded resistance includes it."""
        ends = rows["ends"] if self._needs_ends else velocities
        return 2.0 * (ends - velocities) if self._is_mjcf_world else ends
