"""Examination of a simulation: how accurate it is, why, and what to do, with a second run at half the time step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.diagnostics import Report, Severity
from ossature.kinematics import FormulaError, LoopSizeError, MobilityError, mobility_of
from ossature.model import Model, World
from ossature.simulation.accuracy_results import (
    MAX_ENERGY_GAIN,
    MAX_ENERGY_LOSS,
    EnergyBalance,
    Peak,
    RunDiagnostics,
    SingularConfiguration,
)
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.simulation.observation.recording import Recording
from ossature.simulation.simulation import Simulation

if TYPE_CHECKING:
    from ossature.assets import MeshStore

SAMPLES = 100
"""Number of instants at which the two runs are compared."""
MAX_DIFFERENCE = 0.01
"""Bound of the difference between the runs, relative to the extent of the model."""


class Judgement(StrEnum):
    """What a part of an examination shows."""

    FINE = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedItem:
    """One part of an examination.

    Attributes:
        topic: What was examined: ``integrator``, ``energy``, ``loops``, ``motion``, ``stiffness``, ``contacts``, ``half step``,
            or ``mobility of`` a model.
        judgement: Whether it is a problem.
        text: What was measured, with units.
        meaning: What it means.
        advice: What to do; empty if nothing is to be done.
    """

    topic: str
    judgement: Judgement
    text: str
    meaning: str
    advice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """How accurate a simulation is.

    Attributes:
        time_step: The time step [s].
        duration: The duration that was simulated [s].
        items: What was measured.
        largest_difference: The largest distance between the positions of a body in the run and in one at half the time step
            [m]; None if one of them stopped with an error.
    """

    time_step: float
    duration: float
    items: tuple[ExaminedItem, ...]
    largest_difference: float | None = None

    @property
    def has_problems(self) -> bool:
        """Whether one of the items is a problem."""
        return any(item.judgement is Judgement.PROBLEM for item in self.items)

    def to_dict(self) -> dict[str, Any]:
        """Return the examination as plain data."""
        return asdict(self)


def examine_simulation(
    world: World,
    duration: float,
    *,
    time_step: float | None = None,
    meshes: MeshStore | None = None,
    report: Report | None = None,
) -> Examination:
    """Simulate a World twice, at its time step and at half of it, and return how accurate the simulation is.

    Args:
        world: The World.
        duration: Duration [s].
        time_step: The time step [s]; by default that of the World.
        meshes: Source of the meshes; by default the directory of the World's file.
        report: Collects the findings of the first run.

    Raises:
        SimulationError: The World cannot be simulated.
        ValueError: The duration or the time step is not valid.
    """
    simulation = Simulation(world, meshes=meshes, time_step=time_step, report=report)
    interval = simulation.time_step * max(1, round(duration / simulation.time_step / SAMPLES))
    contacts = _ContactCount(simulation)
    recording = _run(simulation, duration, interval, contacts)
    items = [_integrator(simulation)]
    difference = None
    if recording is None:
        items.append(_stopped_run(simulation, simulation.report))
    else:
        items += _run_items(simulation.diagnostics)
        items.append(contacts.item())
        difference, half = _compare_half_step(simulation, recording, duration, interval, meshes)
        items.append(half)
    items += [item for model in world.models if not model.static for item in _mobility(model)]
    return Examination(
        time_step=simulation.time_step, duration=simulation.time, items=tuple(items), largest_difference=difference
    )


class _ContactCount:
    """Counts contacts while a simulation runs, at each report of its progress."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._most, self._deepest, self._time = 0, 0.0, 0.0

    def __call__(self, _share: float) -> None:
        data = self._simulation.data
        self._most = max(self._most, int(data.ncon))
        if data.ncon:
            depth = -float(data.contact.dist.min())
            if depth > self._deepest:
                self._deepest, self._time = depth, float(data.time)

    def item(self) -> ExaminedItem:
        text = f"at most {self._most} at the sampled instants"
        if self._deepest > 0.0:
            text += f", overlapping by at most {self._deepest:.2g} m at {self._time:.3g} s"
        return ExaminedItem(
            topic="contacts",
            judgement=Judgement.NOTE if self._most else Judgement.FINE,
            text=text,
            meaning="each impact is a jump of the velocities: a small change before it can change the motion after it"
            if self._most
            else "no shapes touch; if some should, `ossature view` shows the shapes that collide",
            advice="compare with the contacts that you expect" if self._most else "",
        )


def _run(simulation: Simulation, duration: float, interval: float, progress: _ContactCount | None) -> Recording | None:
    """Return the recording of a run, or None if it stopped with an error, which is in the simulation's report."""
    try:
        return simulation.run(duration, interval, progress, forces=False)
    except SimulationError:
        return None


def _integrator(simulation: Simulation) -> ExaminedItem:
    integration = simulation.integration
    order = "half the step gives a quarter of the error" if integration.order == 2 else "half the step gives half of the error"
    return ExaminedItem(
        topic="integrator",
        judgement=Judgement.FINE,
        text=f"step {simulation.time_step:g} s; {str(integration).removeprefix('integrator: ')}",
        meaning=f"order {integration.order}: {order}",
    )


def _stopped_run(simulation: Simulation, report: Report) -> ExaminedItem:
    rules = ", ".join(dict.fromkeys(finding.rule.name for finding in report if finding.rule.severity is Severity.ERROR))
    return ExaminedItem(
        topic="run",
        judgement=Judgement.PROBLEM,
        text=f"stopped after {simulation.time:g} s: {rules}",
        meaning="if it diverged: forces are too stiff for the time step, a body is much lighter than its neighbours, or bodies "
        "overlap at the start",
        advice="read the finding; of a divergence it names the body that diverged first. Reduce the time step (--time-step), "
        "and look at mass, springs and shapes of that body",
    )


def _run_items(found: RunDiagnostics) -> Iterator[ExaminedItem]:
    yield _energy_item(found.energy)
    if found.loop_residual is not None:
        yield _peak(
            "loops",
            found.loop_residual,
            "m or rad",
            "the parts of closed loops come apart",
            "loops stay closed",
            "reduce the time step; check that lengths and prescribed motions allow the loops to close",
        )
    if found.closing_displacement is not None:
        yield _peak(
            "loops",
            found.closing_displacement,
            "m or rad from the nearest position with closed loops",
            "bodies yield, because constraints of loops are nearly dependent",
            "loops hold the bodies",
            "change lengths or angles that make constraints nearly dependent, or reduce the time step",
        )
    for peak, unit in ((found.rotation_per_step, "rad in one step"), (found.travel_per_step, "m in one step")):
        if peak is not None and peak.element:
            yield _peak(
                "motion",
                peak,
                unit,
                "the motion is too fast for the step to resolve it",
                "the step resolves the motion",
                "reduce the time step; check inertias that are too small and torques that are too large",
            )
    if found.stiffness is not None:
        yield _peak(
            "stiffness",
            found.stiffness,
            "of the stability limit",
            "springs or dampers are too stiff for the step: the motion can grow without bound",
            "springs and dampers are stable at this step",
            "reduce the time step, or select `--integrator staggered-euler`",
        )
    yield from map(_singular_configuration_item, found.singular_configurations)


def _energy_item(energy: EnergyBalance) -> ExaminedItem:
    error = max(energy.relative_gain, energy.relative_loss)
    is_off = energy.relative_gain > MAX_ENERGY_GAIN or energy.relative_loss > MAX_ENERGY_LOSS
    return ExaminedItem(
        topic="energy",
        judgement=Judgement.PROBLEM if is_off else Judgement.FINE,
        text=f"changed by {energy.change:.4g} J; {energy.supplied:.4g} J supplied, "
        f"{energy.dissipated_by_dampers:.4g} J dissipated by dampers, {energy.dissipated_by_constraints:.4g} J by friction, "
        f"contacts and limits; error {error:.1%} of {energy.scale:.3g} J",
        meaning="energy appears or disappears that no motor, load, damper or contact accounts for: the step is too large"
        if is_off
        else "the change of energy is the work of all forces",
        advice="reduce the time step (--time-step)" if is_off else "",
    )


def _singular_configuration_item(found: SingularConfiguration) -> ExaminedItem:
    return ExaminedItem(
        topic="singular configuration",
        judgement=Judgement.PROBLEM,
        text=f"at {found.time:.6g} s: {', '.join(found.joints)}",
        meaning="the mechanism locks there"
        if found.is_limit
        else "the motion from there on is not determined by the mechanism",
        advice="change lengths or the prescribed motion" if found.is_limit else "drive another joint, or add a spring",
    )


def _peak(topic: str, peak: Peak, unit: str, problem: str, fine: str, advice: str) -> ExaminedItem:
    bound = "" if peak.bound is None else f"; the bound is {peak.bound:.3g}"
    return ExaminedItem(
        topic=topic,
        judgement=Judgement.PROBLEM if peak.is_exceeded else Judgement.FINE,
        text=f"at most {peak.value:.2g} {unit} ('{peak.element}' at {peak.time:.3g} s){bound}",
        meaning=problem if peak.is_exceeded else fine,
        advice=advice if peak.is_exceeded else "",
    )


def _compare_half_step(
    simulation: Simulation, recording: Recording, duration: float, interval: float, meshes: MeshStore | None
) -> tuple[float | None, ExaminedItem]:
    """Return the largest difference to a run at half the time step, and what it means."""
    integrator = simulation.integration.name
    half = Simulation(
        simulation.world,
        meshes=meshes,
        time_step=simulation.time_step / 2,
        integrator=None if integrator == Integrator.MUJOCO.value else integrator,
    )
    finer = _run(half, duration, interval, None)
    if finer is None or len(finer.times) != len(recording.times):
        return None, ExaminedItem(
            topic="half step",
            judgement=Judgement.PROBLEM,
            text=f"a run at {half.time_step:g} s stopped with an error",
            meaning="the run at the larger step is not accurate either",
            advice="look at masses, stiffness and initial overlaps",
        )
    return _difference(simulation, recording, finer)


def _difference(simulation: Simulation, recording: Recording, finer: Recording) -> tuple[float, ExaminedItem]:
    distances = np.linalg.norm(recording.positions - finer.positions, axis=2)
    names = {
        index.number: f"{model}/{body}" for model, bodies in recording.index.bodies.items() for body, index in bodies.items()
    }
    numbers = list(names)
    largest = float(distances[:, numbers].max()) if numbers else 0.0
    extent = float(simulation.compiled.model.stat.extent)
    is_large = largest > MAX_DIFFERENCE * extent
    order = simulation.integration.order
    text = f"positions differ by at most {largest:.2g} m from a run at {simulation.time_step / 2:g} s"
    if numbers:
        sample, column = np.unravel_index(distances[:, numbers].argmax(), (len(distances), len(numbers)))
        text += f" ('{names[numbers[int(column)]]}' at {recording.times[sample]:.3g} s)"
    text += f"; the extent of the model is {extent:.3g} m"
    if not is_large:
        text += f"; estimated error {largest / (1.0 - 0.5**order):.2g} m, if the motion converges with order {order}"
    early = float(distances[: len(distances) // 4 + 1, numbers].max()) if numbers else 0.0
    cause = (
        "the runs agree at first: the motion amplifies small errors (impacts, or chaos as of a double pendulum)"
        if early < 0.1 * MAX_DIFFERENCE * extent
        else "the motion depends on the time step"
    )
    item = ExaminedItem(
        topic="half step",
        judgement=Judgement.PROBLEM if is_large else Judgement.FINE,
        text=text,
        meaning=cause if is_large else "the time step is small enough for positions of this accuracy",
        advice="reduce the time step until the difference is small; of a chaotic motion trust statistics, not positions"
        if is_large
        else "",
    )
    return largest, item


def _mobility(model: Model) -> Iterator[ExaminedItem]:
    item = partial(ExaminedItem, topic=f"mobility of '{model.name}'")
    try:
        mobility = mobility_of(model)
    except (FormulaError, LoopSizeError, MobilityError) as error:
        text = "could not be computed"
        yield item(judgement=Judgement.NOTE, text=text, meaning=str(error))
        return
    text = f"degrees of freedom: {mobility.degrees_of_freedom} ({mobility.floating} floating, {mobility.driven} driven)"
    yield item(judgement=Judgement.FINE, text=text, meaning="compare with the number of motions that you expect")
    for one in mobility.redundancies:
        yield item(
            judgement=Judgement.NOTE,
            text=f"redundant constraints: {one.count}, among {', '.join(one.joints)}",
            meaning="the motion is determined, but the distribution of reactions among these joints is not unique",
            advice="replace a hinge by a ball or cylindrical joint if you need its reactions",
        )
    if mobility.locked_joints:
        yield item(
            judgement=Judgement.PROBLEM,
            text=f"loops lock {', '.join(mobility.locked_joints)}",
            meaning="these joints have coordinates but cannot move",
            advice="check the axes of the joints of the loop: those of a planar mechanism must be parallel",
        )
    if mobility.is_singular_at_start:
        yield item(
            judgement=Judgement.PROBLEM,
            text=f"degrees of freedom in the initial configuration: {mobility.degrees_of_freedom_at_start}",
            meaning="it is singular (a dead centre or a change point): the motion from it is not determined",
            advice="start from another configuration (--joint)",
        )
