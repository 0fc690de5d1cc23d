"""The steps of a simulation, with the monitors that examine them."""

from __future__ import annotations

from ossature.diagnostics import Report
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.model import World
from ossature.simulation.accuracy_monitor import AccuracyMonitor
from ossature.simulation.accuracy_results import RunDiagnostics
from ossature.simulation.divergence_search import RollbackPoint, current_divergence
from ossature.simulation.integrator_summary import IntegratorSummary
from ossature.simulation.line_contact_monitor import LineContactMonitor
from ossature.simulation.penetration_monitor import PenetrationMonitor, report_undetected_overlaps
from ossature.simulation.position_limit_monitor import PositionLimitMonitor
from ossature.simulation.run_loop import STEPS_AT_ONCE
from ossature.simulation.simulation_monitor import SimulationMonitor
from ossature.simulation.simulation_runtime import SimulationRuntime

_LEAST_CHECKPOINTED = 8
"""Number of consecutive steps from which a checkpoint is saved, to locate a divergence."""
_MOST_REPEATED = 1000
"""Number of steps after a checkpoint, which a divergence repeats, after which another one is saved."""


class MonitoredSteps:
    """Takes the steps of a simulation, and examines their accuracy, their contacts and the validity of their states.

    Args:
        engine: The compiled World at run time, which is initialized here.

    Attributes:
        integration: The integrator, and statistics of the steps so far.
        findings: Reports the findings about the steps.
        accuracy: Measures the accuracy of the steps.
    """

    def __init__(self, world: World, engine: SimulationRuntime, report: Report) -> None:
        self._engine, self._count = engine, 0
        self._has_reported_redundancy = False
        self._penetration, self._line_contacts = PenetrationMonitor(report), LineContactMonitor(engine.compiled, report)
        self.integration = IntegratorSummary(world, engine, report)
        self.findings = SimulationMonitor(world, engine.compiled, engine.data, engine.inputs, report)
        self._limits = PositionLimitMonitor(engine.compiled, engine.data, report)
        engine.initialize()
        self._limits.check()
        report_undetected_overlaps(engine.compiled, engine.data, report)
        self.findings.check_axes()
        self.accuracy = AccuracyMonitor(engine)

    def replace_engine(self, engine: SimulationRuntime) -> None:
        """Take the next steps with another compilation, in the same state; :attr:`accuracy` is attached to it separately."""
        self._engine = engine
        self.integration.switch_to_engine(engine)
        self._line_contacts.switch_to_engine(engine.compiled)
        self._limits.switch_to_engine(engine.compiled, engine.data)
        self.findings.switch_to_engine(engine.compiled, engine.data, engine.inputs)

    def report_redundant_constraints(self) -> None:
        """Report once that reactions are not unique."""
        if not self._has_reported_redundancy:
            self._has_reported_redundancy = True
            self.findings.report_redundant_constraints(self.accuracy.redundant_constraints())

    def take(self, count: int) -> None:
        """Take steps, and return to the last finite state if they diverge.

        Raises:
            SimulationError: The simulation diverged.
        """
        end = self._count + count
        # A checkpoint costs as much as several steps.
        checkpoint = RollbackPoint(self._engine, self._count) if count >= _LEAST_CHECKPOINTED else None
        while self._count < end:
            if checkpoint is not None and self._count - checkpoint.step >= _MOST_REPEATED:
                checkpoint = RollbackPoint(self._engine, self._count)
            self._take_monitored(end, self._count + STEPS_AT_ONCE)
            if not self._is_valid():
                self._raise_divergence(checkpoint)

    def take_without_checkpoint(self, count: int) -> None:
        """Take steps at less cost: after a divergence the state is not the last finite one.

        Raises:
            SimulationError: The simulation diverged.
        """
        self._take_monitored(self._count + count, self._count + count)
        if not self._is_valid():
            self._raise_divergence(None)

    def diagnostics(self) -> RunDiagnostics:
        """Return the diagnostics of all steps so far."""
        self.accuracy.complete()
        return self.accuracy.diagnostics()

    def _raise_divergence(self, checkpoint: RollbackPoint | None) -> None:
        """Return to the last finite state if there is a checkpoint, and report the divergence."""
        if checkpoint is None:
            divergence = current_divergence(self._engine, self._count)
        else:
            repeated, sample = self._count - checkpoint.step, self.accuracy.sample_repeated_step
            checkpoint.set_state()
            self.accuracy.sample_steps_before(repeated)
            divergence = checkpoint.find_divergence(self.findings, repeated, sample)
            self._count = divergence.last_step
        self.accuracy.note_divergence(divergence.time)
        self.findings.report_singular_configurations(self.accuracy.diagnostics())
        self.findings.report_divergence(divergence)

    def _take_monitored(self, end: int, pause: int) -> None:
        """Take steps with monitoring, to a number of steps in all, or to the first sample of the accuracy from another one."""
        engine, monitor = self._engine, self.accuracy
        contacts = engine.contacts or engine.compliant_contacts
        with suppress_engine_warnings():
            while self._count < min(end, pause):
                chunk = int(min(end - self._count, monitor.interval, self._line_contacts.interval))
                engine.steps(chunk)
                self._count += chunk
                monitor.after(chunk)
                self._limits.check()
                if contacts is not None:
                    self._penetration.check(engine.compiled, contacts)
                    self._line_contacts.check(engine.data)

    def _is_valid(self) -> bool:
        """Whether the state is valid after the last steps."""
        self.integration.check()
        return self.findings.check()
