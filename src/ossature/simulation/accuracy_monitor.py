"""Monitoring of a run by samples: loop residuals, rotation per step, stiffness and the energy balance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.simulation.accuracy_results import (
    MAX_LOOP_RESIDUAL,
    MAX_ROTATION_PER_STEP,
    MAX_STIFFNESS,
    MAX_TRAVEL_PER_STEP,
    Peak,
    RunDiagnostics,
    SingularConfiguration,
)
from ossature.simulation.compile.engine_enumerations import WELD
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import STABLE, Integrator, StiffnessMeter
from ossature.simulation.energy_balance_meter import EnergyBalanceMeter
from ossature.simulation.engine_element_paths import body_path, equality_path
from ossature.simulation.moving_extent import moving_extent
from ossature.simulation.observation.body_wrenches import cross
from ossature.simulation.penetration_monitor import CompliantContacts
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.simulation.singular_configuration_monitor import (
    LOOP_EQUALITIES,
    ClosingDisplacement,
    SingularConfigurationMonitor,
)
from ossature.simulation.stepping.compiled_stepping_structs import ResidualRows, set_addresses
from ossature.simulation.stepping.constraint_projection import equality_numbers

LONGEST_INTERVAL = 300
"""Largest number of steps between two samples."""
_OFTEN = 150
"""Largest number with contacts or a fast body."""
_FAST = 0.1
"""Displacement of a fast body in a step, relative to the bound."""
_SHORTEST = 10
"""Smallest number of steps between two samples."""
_NEAR = 40
"""Number of steps within which a mechanism may become singular, from which on all quantities are sampled more often."""
_MOST_NUMBERS = 2048
"""Size of the constraint Jacobian up to which it is recorded in each step."""
_SPREAD = 0.25
"""Relative variation of the intervals, so that periodic motion is not sampled at the same phases only."""
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_STIFFNESS_EVERY, _STIFFNESS_OFTEN = 2000, 500
"""Steps between two samples of stiffness; the second value if the last one was near the stability limit."""
_NEARLY_STIFF = 0.3
_NEGLIGIBLE = 1e-12
_SENSIBLE = 1e9
"""Norm of the velocities above which the engine's state is not sampled [m/s, rad/s]."""


@dataclass(slots=True)
class _Maximum:
    """The largest value so far, its time [s], and the engine's index or the name of its element."""

    value: float = -1.0
    time: float = 0.0
    of: int | str = 0
    bound: float | None = None


class AccuracyMonitor:
    """Monitors a run by samples, at a small part of the cost of the steps and without effect on them.

    Args:
        engine: The compiled World at run time.
    """

    def __init__(self, engine: SimulationRuntime) -> None:
        self._steps = self._samples = 0
        self._judged = self._exceeding = 0
        self._residual_ratio = -1.0
        self._residual, self._rotation = _Maximum(), _Maximum(bound=MAX_ROTATION_PER_STEP)
        self._travel, self._stiffness = _Maximum(), _Maximum(bound=MAX_STIFFNESS)
        self._closing = _Maximum()
        self._found: list[SingularConfiguration] = []
        self._set_engine(engine)
        self._energy = EnergyBalanceMeter(engine, self._loops.extent)
        self._has_energy = True

    def stop_energy_balance(self) -> None:
        """Record the work of steps no longer: the energy balance stays that of the steps so far."""
        self._energy.complete()
        self._energy.stop()
        self._has_energy = False

    def switch_to_engine(self, engine: SimulationRuntime) -> None:
        """Monitor another engine from now on, or the same one in another state."""
        for largest in (self._residual, self._rotation, self._travel):
            self._resolve_path(largest)
        self._set_engine(engine)
        if self._has_energy:
            self._energy.switch_to_engine(engine, self._loops.extent)

    def _set_engine(self, engine: SimulationRuntime) -> None:
        compiled, data = engine.compiled, engine.data
        self._compiled, self._data = compiled, data
        self._loops = _LoopRows(compiled, data)
        engine.stepper.after_step = _after_step(self._loops, engine.compliant_contacts)
        engine.stepper.residual_rows = self._loops.rows if engine.compliant_contacts is None else None
        self._step = float(compiled.model.opt.timestep)
        self._travel.bound = MAX_TRAVEL_PER_STEP * float(compiled.model.stat.extent)
        self._sub_steps = engine.stepper.sub_steps
        self._has_contacts = engine.contacts is not None or engine.compliant_contacts is not None
        self._interval = _SHORTEST
        self._since = 0
        self._qvel = data.qvel
        self._cvel, self._xipos, self._centers = data.cvel, data.xipos, data.subtree_com
        self._spins = data.cvel[:, :3]
        self._roots = compiled.model.body_rootid
        self._stiffness_meter: StiffnessMeter | None = None
        if compiled.choice.scheme is Integrator.CENTRED:
            meter = StiffnessMeter(compiled.model, compiled.compliant_parts, compiled.choice.sub_steps)
            self._stiffness_meter = meter if meter.has_parts else None
        self._next_stiffness = self._steps
        self._most_sub_steps = self._sub_steps.count
        self._singular = SingularConfigurationMonitor(compiled, data, LONGEST_INTERVAL, self._found)
        self._last_singular, self._next_singular = self._steps, self._steps + 1

    @property
    def interval(self) -> int:
        """Number of steps until the next sample."""
        return max(self._interval - self._since, 1)

    def after(self, steps: int) -> None:
        """Take a sample if one is due.

        Args:
            steps: Number of steps since the last call.
        """
        self._steps += steps
        self._since += steps
        if self._since >= self._interval:
            self._sample(self._since)

    def complete(self) -> None:
        """Take a sample now if there were steps since the last one."""
        if self._since:
            self._sample(self._since)
        if self._has_energy:
            self._energy.complete()

    def _sample(self, steps: int) -> None:
        self._since = 0
        if not self._qvel.dot(self._qvel) < _SENSIBLE**2:
            return  # the simulation diverges, which SimulationMonitor reports
        self._samples += 1
        time = float(self._data.time)
        sub_step = self._step / self._sub_steps.count
        self._record_displacement(self._rotation, self._spins, time, sub_step)
        recorded = self._loops.jacobians
        if self._loops.has_rows:
            self._sample_residual(time)
        if self._has_energy and self._energy.is_due(steps):
            velocities = self._cvel[:, 3:] + cross(self._spins, self._xipos - self._centers[self._roots])
            self._record_displacement(self._travel, velocities, time, sub_step)
            self._energy.measure()
        # Steps that need more sub-steps than before may be those of a stiffer configuration.
        is_divided_more = self._sub_steps.count > self._most_sub_steps
        if self._stiffness_meter is not None and (is_divided_more or self._steps >= self._next_stiffness):
            self._most_sub_steps = max(self._most_sub_steps, self._sub_steps.count)
            self._sample_stiffness(self._stiffness_meter, time)
        self._interval = self._next_interval()
        if self._singular.has_loops:
            self._sample_singular(self._steps, time - sub_step, recorded)
            self._record_closing_displacement(self._singular.largest_closing_displacement(), time)

    def _next_interval(self) -> int:
        """Return the number of steps until the next sample."""
        spread = 1.0 - _SPREAD * (self._samples * _GOLDEN % 1.0)
        is_fast = any(one.bound is not None and one.value > _FAST * one.bound for one in (self._rotation, self._travel))
        return int((_OFTEN if self._has_contacts or is_fast else LONGEST_INTERVAL) * spread)

    def _record_displacement(self, largest: _Maximum, velocities: Vector, time: float, duration: float) -> None:
        """Record the largest velocity of bodies, as the displacement in a step or sub-step of a duration [s]."""
        squares = np.add.reduce(velocities * velocities, axis=1)
        fastest = int(squares.argmax())  # much faster than the maximum
        value = math.sqrt(squares[fastest]) * duration
        if value > largest.value:
            largest.value, largest.time, largest.of = value, time, fastest

    def _sample_residual(self, time: float) -> None:
        """Record the residual that is largest relative to its bound in the steps since the last sample."""
        found = self._loops.largest_relative_residual()
        if found is None:
            return
        residual, ratio, number, ago = found
        if ratio > self._residual_ratio:
            self._residual_ratio = ratio
            self._residual.value, self._residual.time, self._residual.of = residual, time - ago * self._step, number
            self._residual.bound = residual / ratio if ratio else None
            if ratio > 1.0:
                self._singular.note_failure(time, self._step)

    def _sample_singular(self, last: int, time: float, recorded: Vector) -> None:
        """Check for singular configurations in all steps that are due.

        Args:
            last: The number of the last step.
            time: The time of the configuration whose constraints are in the engine's data: that of the last sub-step [s].
            recorded: The Jacobians of the last steps, shape (steps, size); none if they are not recorded.
        """
        count = len(recorded)
        while self._next_singular <= last:
            ago = last - self._next_singular
            if ago < count:
                J = recorded[count - 1 - ago]
            else:
                ago, J = 0, self._singular.present_jacobian()
            sampled = last - ago
            self._singular.sample(J, time - ago * self._step, sampled - self._last_singular)
            self._last_singular, self._next_singular = sampled, sampled + self._singular.wait
            if ago and self._loops.largest_residual > self._singular.least_displacing_residual():
                least = self._singular.least_closing_displacement(J, self._loops.violations(count - 1 - ago))
                self._record_closing_displacement(least, time - ago * self._step)
        # Near a singular configuration velocities may be large, which only samples show.
        if not count or self._singular.wait < _NEAR:
            self._interval = min(self._interval, self._next_singular - last)

    def sample_steps_before(self, repeated: int) -> None:
        """Check for singular configurations in the recorded steps of a run that diverged, except the last ones.

        Args:
            repeated: The number of the last steps, which are repeated from the present state.
        """
        recorded = self._loops.jacobians[: max(len(self._loops.jacobians) - repeated, 0)]
        if self._singular.has_loops and len(recorded):
            self._sample_singular(self._steps - repeated, float(self._data.time) - self._step, recorded)

    def _record_closing_displacement(self, found: ClosingDisplacement | None, time: float) -> None:
        if found is not None and found.value > self._closing.value:
            self._closing = _Maximum(found.value, time, found.joint, found.bound)

    def sample_repeated_step(self) -> None:
        """Check for singular configurations after each step that is repeated to find a divergence."""
        time = float(self._data.time) - self._step
        if self._singular.has_loops and time > self._singular.last_time + 0.5 * self._step:
            self._singular.sample(self._singular.present_jacobian(), time, 1)

    def note_divergence(self, time: float) -> None:
        """Record that the run diverged at a time [s], possibly because a mechanism locked."""
        self._singular.note_failure(time, self._step, has_diverged=True)
        self._energy.stop()

    def _sample_stiffness(self, meter: StiffnessMeter, time: float) -> None:
        strain, name = meter.strain_at(self._data.qpos)
        ratio = strain / STABLE
        self._next_stiffness = self._steps + (_STIFFNESS_OFTEN if ratio > _NEARLY_STIFF else _STIFFNESS_EVERY)
        if ratio > self._stiffness.value:
            self._stiffness.value, self._stiffness.time, self._stiffness.of = ratio, time, name

    def _resolve_path(self, largest: _Maximum) -> None:
        """Replace the engine's index by the path of the element."""
        if largest.value >= 0.0 and not isinstance(largest.of, str):
            path = equality_path if largest is self._residual else body_path
            largest.of = path(self._compiled, largest.of)

    def _make_peak(self, largest: _Maximum) -> Peak | None:
        if largest.value < 0.0:
            return None
        self._resolve_path(largest)
        return Peak(value=largest.value, time=largest.time, element=str(largest.of), bound=largest.bound)

    def diagnostics(self) -> RunDiagnostics:
        """Return the diagnostics of the run so far."""
        return RunDiagnostics(
            steps=self._steps,
            samples=self._samples,
            loop_residual=self._make_peak(self._residual),
            rotation_per_step=self._make_peak(self._rotation),
            travel_per_step=self._make_peak(self._travel),
            stiffness=self._make_peak(self._stiffness),
            energy=self._energy.balance(),
            singular_configurations=tuple(self._found),
            closing_displacement=self._make_peak(self._closing),
        )

    def has_new_exceedance(self) -> bool:
        """Whether more of the largest values exceed their bounds than at the last call."""
        if self._samples == self._judged:
            return False
        self._judged = self._samples
        before = self._exceeding
        every = (self._residual, self._rotation, self._travel, self._stiffness, self._closing)
        self._exceeding = sum([one.bound is not None and one.value > one.bound for one in every]) + len(self._found)
        return self._exceeding > before


def _after_step(loops: _LoopRows, contacts: CompliantContacts | None) -> Callable[[], None] | None:
    if contacts is None or not loops.has_rows:
        return loops.record if loops.has_rows else None if contacts is None else contacts.record
    record_residuals, record_penetration = loops.record, contacts.record

    def record() -> None:
        record_residuals()
        record_penetration()

    return record


class _LoopRows:
    """The constraint rows of the engine that close loops: their residuals and Jacobian in all steps since the last sample."""

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        model = compiled.model
        self._data = data
        self.extent = moving_extent(compiled, data)
        layout = compiled.shared_results.get(_find_loop_layout, compiled, equality_numbers(data))
        self.has_rows, self._numbers = layout.has_rows, layout.numbers
        self._first, self._past = layout.first, layout.first + len(layout.numbers)
        self._bounds = np.where(layout.are_lengths, MAX_LOOP_RESIDUAL * self.extent, layout.other_bounds)
        self._residuals = np.zeros((LONGEST_INTERVAL, self._past - self._first))
        self.largest_residual = 0.0
        """The largest residual in the steps before the last call of :meth:`largest_relative_residual` [m or rad]."""
        size = data.ne * model.nv if self.has_rows and not mujoco.mj_isSparse(model) else 0
        self._jacobians = np.zeros((LONGEST_INTERVAL, size if size <= _MOST_NUMBERS else 0))
        self.rows = ResidualRows(
            capacity=LONGEST_INTERVAL,
            columns=self._past - self._first,
            first_column=self._first,
            equalities=data.ne,
            jacobian_size=self._jacobians.shape[1],
        )
        set_addresses(self.rows, residuals=self._residuals, jacobians=self._jacobians)
        self.record = self._make_recorder()

    @property
    def jacobians(self) -> Vector:
        """The Jacobians of the recorded steps, shape (steps, size); none if they are not recorded."""
        return self._jacobians[: int(self.rows.count) if self._jacobians.shape[1] else 0]

    def _make_recorder(self) -> Callable[[], None]:
        """Return a function that records the residuals of the last step; a closure, because it is called in every step."""
        data, residuals, rows, columns = self._data, self._residuals, self.rows, slice(self._first, self._past)
        jacobians, size, equalities = self._jacobians, self._jacobians.shape[1], int(self.rows.equalities)

        def record() -> None:
            count, present = rows.count, data.efc_pos[columns]
            if count < LONGEST_INTERVAL:
                # In a state that has diverged, the engine has no constraints.
                residuals[count] = present if present.size == residuals.shape[1] else np.nan
                if size:
                    jacobians[count] = data.efc_J[:size] if data.ne == equalities else np.nan
                rows.count = count + 1

        return record

    def violations(self, number: int) -> Vector:
        """Return the violations of all equality constraints in a recorded step; those of constraints outside loops are zero."""
        found = np.zeros(int(self.rows.equalities))
        found[self._first : self._past] = self._residuals[number]
        return found

    def largest_relative_residual(self) -> tuple[float, float, int, int] | None:
        """Return the residual that is largest relative to its bound in all steps since the last call.

        Returns:
            The residual [m or rad], its ratio to the bound, the index of the constraint, and the number of steps since then.
        """
        count, self.rows.count = int(self.rows.count), 0
        if not count or self._past == self._first:
            return None
        residuals = np.abs(self._residuals[:count])
        self.largest_residual = float(residuals.max())
        ratios = residuals / self._bounds
        step, row = divmod(int(ratios.argmax()), ratios.shape[1])
        return float(residuals[step, row]), float(ratios[step, row]), self._numbers[row], count - 1 - step


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoopLayout:
    """The rows of constraints that close loops, and those between them.

    Attributes:
        has_rows: Whether there are loops.
        first: The first row.
        numbers: The index of the engine's equality constraint of each row.
        are_lengths: Which residuals are lengths of loops.
        other_bounds: The bound of each other residual: an angle [rad], or infinity for rows of couplings and motors.
    """

    has_rows: bool
    first: int
    numbers: Sequence[int]
    are_lengths: BoolArray
    other_bounds: Vector


def _find_loop_layout(compiled: EngineModel, numbers: tuple[int, ...]) -> _LoopLayout:
    """Return the layout of the rows that close loops.

    Args:
        numbers: The engine's equality constraint of each row.
    """
    model = compiled.model
    couplings = {coupling.equality.id for coupling in compiled.couplings}
    # Islands that sleep have no rows.
    can_sleep = bool(model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP))
    candidates = [] if can_sleep else [number for number in range(model.neq) if number not in couplings]
    closing = {number for number in candidates if model.eq_type[number] in LOOP_EQUALITIES}
    rows = [row for row, number in enumerate(numbers) if number in closing]
    first, past = (rows[0], rows[-1] + 1) if rows else (0, 0)
    are_rotations, seen = [], Counter[int]()
    for number in numbers[first:past]:
        are_rotations.append(bool(model.eq_type[number] == WELD) and seen[number] >= 3)
        seen[number] += 1
    is_closing = np.isin(numbers[first:past], list(closing))
    return _LoopLayout(
        has_rows=bool(closing),
        first=first,
        numbers=numbers[first:past],
        are_lengths=is_closing & ~np.array(are_rotations, dtype=bool),
        other_bounds=np.where(is_closing, MAX_LOOP_RESIDUAL, np.inf),
    )
