"""Monitoring of a run by samples: loop residuals, rotation per step, stiffness and the energy balance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ossature.array_types import Vector
from ossature.simulation.accuracy_results import (
    MAX_STIFFNESS,
    Peak,
    RedundantConstraints,
    RunDiagnostics,
    SingularConfiguration,
)
from ossature.simulation.closing_displacement import ClosingDisplacement
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.compile.stiffness_estimate import STABLE, StiffnessMeter
from ossature.simulation.displacement_monitor import DisplacementMonitor
from ossature.simulation.energy_balance_meter import EnergyBalanceMeter
from ossature.simulation.engine_element_paths import body_path, equality_path
from ossature.simulation.loop_recorder import LoopRecorder
from ossature.simulation.penetration_monitor import CompliantContacts
from ossature.simulation.running_maximum import RunningMaximum
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.simulation.singular_configuration_monitor import SingularConfigurationMonitor

LONGEST_INTERVAL = 500
"""Largest number of steps between two samples.

In runs of the corpora, the largest gains and losses of energy in the samples are on average 84 % of those in all steps, with
300 steps 85 %; with 1000 steps the energy that some motions gain and lose again is not seen.
"""
_OFTEN = 150
"""Largest number if displacements are not recorded in all steps, and bodies can touch or one is fast."""
_SHORTEST = 10
"""Smallest number of steps between two samples."""
_NEAR = 40
"""Number of steps within which a mechanism may become singular, from which on all quantities are sampled more often."""
_SPREAD = 0.25
"""Relative variation of the intervals, so that periodic motion is not sampled at the same phases only."""
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_STIFFNESS_EVERY, _STIFFNESS_OFTEN = 2000, 500
"""Steps between two samples of stiffness; the second value if the last one was near the stability limit."""
_NEARLY_STIFF = 0.3
_NEGLIGIBLE = 1e-12
_SENSIBLE = 1e9
"""Norm of the velocities above which the engine's state is not sampled [m/s, rad/s]."""


class AccuracyMonitor:
    """Monitors a run by samples, at a small part of the cost of the steps and without effect on them.

    Args:
        engine: The compiled World at run time.
    """

    def __init__(self, engine: SimulationRuntime) -> None:
        self._steps = self._samples = 0
        self._judged = self._exceeding = 0
        self._residual_ratio = -1.0
        self._residual, self._stiffness = RunningMaximum(), RunningMaximum(bound=MAX_STIFFNESS)
        self._closing = RunningMaximum()
        self._found: list[SingularConfiguration] = []
        self._displacements = DisplacementMonitor(engine)
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
        for largest in (self._residual, self._displacements.rotation, self._displacements.travel):
            self._resolve_path(largest)
        self._displacements.switch_to_engine(engine)
        self._set_engine(engine)
        if self._has_energy:
            self._energy.switch_to_engine(engine, self._loops.extent)

    def _set_engine(self, engine: SimulationRuntime) -> None:
        compiled, data = engine.compiled, engine.data
        self._compiled, self._data = compiled, data
        self._loops = LoopRecorder(compiled, data, LONGEST_INTERVAL)
        engine.stepper.after_step = _after_step(self._loops, engine.compliant_contacts)
        engine.stepper.residual_rows = self._loops.rows if engine.compliant_contacts is None else None
        self._step = float(compiled.model.opt.timestep)
        self._sub_steps = engine.stepper.sub_steps
        self._has_contacts = engine.contacts is not None or engine.compliant_contacts is not None
        self._interval = _SHORTEST
        self._since = 0
        self._qvel = data.qvel
        self._stiffness_meter: StiffnessMeter | None = None
        if compiled.choice.integrator is Integrator.CENTRED:
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

    def redundant_constraints(self) -> Iterator[RedundantConstraints]:
        """Yield the redundant constraints of each mechanism with loops."""
        return self._singular.redundant_constraints()

    def _sample(self, steps: int) -> None:
        self._since = 0
        if not self._qvel.dot(self._qvel) < _SENSIBLE**2:
            self._displacements.discard()
            return  # the simulation diverges, which SimulationMonitor reports
        self._samples += 1
        time = float(self._data.time)
        self._displacements.sample(steps)
        recorded = self._loops.jacobians
        if self._loops.has_rows:
            self._sample_residual(time)
        if self._has_energy and self._energy.is_due(steps):
            self._energy.measure()
        # Steps that need more sub-steps than before may be those of a stiffer configuration.
        is_divided_more = self._sub_steps.count > self._most_sub_steps
        if self._stiffness_meter is not None and (is_divided_more or self._steps >= self._next_stiffness):
            self._most_sub_steps = max(self._most_sub_steps, self._sub_steps.count)
            self._sample_stiffness(self._stiffness_meter, time)
        self._interval = self._next_interval()
        if self._singular.has_loops:
            self._sample_singular(self._steps, time - self._step / self._sub_steps.count, recorded)
            self._record_closing_displacement(self._singular.largest_closing_displacement(), time)

    def _next_interval(self) -> int:
        """Return the number of steps until the next sample."""
        spread = 1.0 - _SPREAD * (self._samples * _GOLDEN % 1.0)
        displacements = self._displacements
        is_frequent = not displacements.has_all_steps and (self._has_contacts or displacements.is_fast)
        return int((_OFTEN if is_frequent else LONGEST_INTERVAL) * spread)

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
            if ago and self._loops.largest_residual > self._singular.negligible_residual:
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
            self._closing = RunningMaximum(found.value, time, found.joint, found.bound)

    def sample_repeated_step(self) -> None:
        """Check for singular configurations after each step that is repeated to find a divergence."""
        time = float(self._data.time) - self._step
        if self._singular.has_loops and time > self._singular.last_time + 0.5 * self._step:
            self._singular.sample(self._singular.present_jacobian(), time, 1)

    def note_divergence(self, time: float) -> None:
        """Record that the run diverged at a time [s], possibly because a mechanism locked."""
        self._singular.note_failure(time, self._step, has_diverged=True)
        self._displacements.discard()
        self._energy.stop()

    def _sample_stiffness(self, meter: StiffnessMeter, time: float) -> None:
        strain, name = meter.strain_at(self._data.qpos)
        ratio = strain / STABLE
        self._next_stiffness = self._steps + (_STIFFNESS_OFTEN if ratio > _NEARLY_STIFF else _STIFFNESS_EVERY)
        self._stiffness.update(ratio, time, name)

    def _resolve_path(self, largest: RunningMaximum) -> None:
        """Replace the engine's index by the path of the element."""
        if largest.value >= 0.0 and not isinstance(largest.of, str):
            path = equality_path if largest is self._residual else body_path
            largest.of = path(self._compiled, largest.of)

    def _make_peak(self, largest: RunningMaximum) -> Peak | None:
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
            rotation_per_step=self._make_peak(self._displacements.rotation),
            travel_per_step=self._make_peak(self._displacements.travel),
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
        displacements = self._displacements
        every = (self._residual, displacements.rotation, displacements.travel, self._stiffness, self._closing)
        self._exceeding = sum([one.bound is not None and one.value > one.bound for one in every]) + len(self._found)
        return self._exceeding > before


def _after_step(loops: LoopRecorder, contacts: CompliantContacts | None) -> Callable[[], None] | None:
    if contacts is None or not loops.has_rows:
        return loops.record if loops.has_rows else None if contacts is None else contacts.record
    record_residuals, record_penetration = loops.record, contacts.record

    def record() -> None:
        record_residuals()
        record_penetration()

    return record
