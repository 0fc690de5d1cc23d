"""Watching a simulation: whether it diverged, and what the engine found difficult."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.simulation import rules
from ossature.simulation.compile.compiled_world import SimulationError
from ossature.simulation.run_diagnostics import MOST_ENERGY_GAIN, MOST_ENERGY_LOSS, EnergyBalance, Peak, RunDiagnostics
from ossature.simulation.stepping.applied_forces import LARGEST_BUSHING_ANGLE_RAD, Inputs

_DIVERGED = (mujoco.mjtWarning.mjWARN_BADQPOS, mujoco.mjtWarning.mjWARN_BADQVEL, mujoco.mjtWarning.mjWARN_BADQACC)
_DIFFICULTIES = {
    mujoco.mjtWarning.mjWARN_INERTIA: "the mass matrix was nearly singular",
    mujoco.mjtWarning.mjWARN_CONTACTFULL: "there were more contacts than the engine has room for",
    mujoco.mjtWarning.mjWARN_CNSTRFULL: "there were more constraints than the engine has room for",
    mujoco.mjtWarning.mjWARN_BADCTRL: "an actuator's input was not a number",
}

_WHAT_HAPPENED = {
    "voltage": "its voltage does not reach further",
    "torque": "it has no more torque",
    "power": "it may not take more power",
    "speed": "it may not turn faster",
    "exceeded speed": "it turns faster than it safely may",
    "exceeded power": "it takes more power than it safely may",
}


_SHORTER = "try a shorter --time-step"


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where a simulation diverged.

    Attributes:
        step: The number of the step.
        last_step: The number of the last step whose state is finite.
        time: When it began [s].
        body: The path of the body that moved without bounds first.
        speed: Its velocity when it was noticed.
        unit: Of the speed.
    """

    step: int
    last_step: int
    time: float
    body: str
    speed: float
    unit: str


class SimulationMonitor:
    """Looks at a simulation now and then.

    Args:
        world: The World.
        data: The engine's data.
        inputs: What is written at each step.
        report: Where findings go.
    """

    def __init__(self, world: World, data: Any, inputs: Inputs, report: Report) -> None:
        self._world, self._data, self._inputs, self._report = world, data, inputs, report
        self._qpos, self._counts = data.qpos, data.warning.number
        self._warned: set[Any] = set()
        self._reported_singular = 0

    def go_on(self, data: Any, inputs: Inputs) -> None:
        """Look at another compilation of the same World from now on; what has been told is not told again."""
        self._data, self._inputs = data, inputs
        self._qpos, self._counts = data.qpos, data.warning.number

    def check(self) -> bool:
        """Look at what has become of the simulation; return whether its state is still a sensible one.

        Raises:
            SimulationError: A formula that a joint follows has lost its value.
        """
        self._watch_bushings()
        self._watch_followers()
        self._watch_motors()
        counts = self._counts
        # A sum is finite only where all its terms are; it takes a fraction of the time that looking at each would take.
        if not counts.any() and math.isfinite(self._qpos.sum()):
            return True
        if self.has_diverged():
            return False
        for kind, message in _DIFFICULTIES.items():
            if counts[kind] and kind not in self._warned:
                self._warned.add(kind)
                self._report.add(rules.ENGINE_WARNING, f"{message}, first at about {self._data.time:g} s", self._world.origin)
        return True

    def has_diverged(self) -> bool:
        """Whether a position, velocity or acceleration is no longer a sensible number."""
        return any(self._counts[kind] for kind in _DIVERGED) or not np.isfinite(self._qpos).all()

    def report_divergence(self, divergence: Divergence) -> None:
        """Report that the simulation diverged.

        Raises:
            SimulationError: Always.
        """
        where = f"body '{divergence.body}' was the first to move without bounds, at {divergence.speed:.3g} {divergence.unit}"
        message = f"at {divergence.time:.6g} s, in step {divergence.step}: {where}"
        hint = "try a shorter --time-step"
        model = self._world.models.get(divergence.body.partition("/")[0])
        body = None if model is None else model.bodies.get(divergence.body.partition("/")[2])
        location = self._world.origin if body is None or body.origin is None else body.origin
        self._report.add(rules.BLOWN_UP, message, location, path=divergence.body, hint=hint)
        raise SimulationError(self._report)

    def report_run(self, found: RunDiagnostics) -> None:
        """Report what a run shows about its accuracy when it is over, as far as it exceeds its bounds; each kind once."""
        self.report_peaks(found)
        self._report_energy(found.energy)

    def report_singular_configurations(self, found: RunDiagnostics) -> None:
        """Report the singular configurations that mechanisms met, each place once."""
        every = found.singular_configurations
        for met in every[self._reported_singular :]:
            joints = ", ".join(f"'{joint}'" for joint in met.joints)
            size = f"{met.singular_value:.2g}, {met.largest_singular_value:.2g} at most before"
            what = "the mechanism locks" if met.is_limit else "a singular configuration is met"
            message = f"at {met.time:.6g} s {what}: the motion of {joints} is not determined (smallest singular value {size})"
            hint = "change lengths or the prescribed motion" if met.is_limit else "add what decides how the motion goes on"
            self._report.add(rules.SINGULAR_CONFIGURATION, message, self._world.origin, path=met.joints[0], hint=hint)
        self._reported_singular = len(every)

    def report_peaks(self, found: RunDiagnostics) -> None:
        """Report the largest values of a run that exceed their bounds, each kind once, and singular configurations."""
        self.report_singular_configurations(found)
        self._report_peak(rules.LOOPS_OPENED, found.loop_residual, "is open by {value:.3g} m or rad")
        self._report_peak(rules.FAST_ROTATION, found.rotation_per_step, "rotates by {value:.3g} rad in one step")
        self._report_peak(rules.FAST_TRAVEL, found.travel_per_step, "travels by {value:.3g} m in one step")
        self._report_peak(rules.STIFF_ON_THE_WAY, found.stiffness, "is {value:.3g} times as stiff as the integrator allows")

    def _report_energy(self, energy: EnergyBalance) -> None:
        if not energy.is_resolved:
            return
        if energy.relative_gain > MOST_ENERGY_GAIN:
            what = f"{energy.gain:.3g} J more than motors, loads and commands supplied, of {energy.scale:.3g} J"
            overlaps = any(finding.rule is rules.OVERLAP_AT_START for finding in self._report)
            hint = (
                "bodies that overlap at the start are pushed apart, which does work: place them apart" if overlaps else _SHORTER
            )
            self._report_once(rules.ENERGY_GAINED, f"{what}, most at {energy.gain_time:.4g} s", hint=hint)
        if energy.relative_loss > MOST_ENERGY_LOSS:
            what = f"{energy.loss:.3g} J of {energy.scale:.3g} J, though nothing dissipates"
            self._report_once(rules.ENERGY_LOST, f"{what}, most at {energy.loss_time:.4g} s")

    def _report_peak(self, rule: Rule, peak: Peak | None, what: str) -> None:
        if peak is not None and peak.is_exceeded:
            message = f"'{peak.element}' {what.format(value=peak.value)} at {peak.time:.4g} s; the bound is {peak.bound:.3g}"
            self._report_once(rule, message, peak.element)

    def _report_once(self, rule: Rule, message: str, path: str = "", hint: str = _SHORTER) -> None:
        if rule.name not in self._warned:
            self._warned.add(rule.name)
            self._report.add(rule, message, self._world.origin, path=path, hint=hint)

    def _watch_followers(self) -> None:
        lost = self._inputs.couplings.undefined
        if lost is None:
            return
        message = f"joint '{lost.follower.joint.name}': {lost.follower.text} has no value at about {self._data.time:g} s"
        self._report.add(rules.LOST_FORMULA, message, lost.follower.joint.origin, path=lost.path)
        raise SimulationError(self._report)

    def _watch_motors(self) -> None:
        for drive in self._inputs.drives:
            path = f"{drive.built.model}/{drive.built.actuator.name}"
            if drive.assumes_gains and (path, "gains") not in self._warned:
                self._warned.add((path, "gains"))
                gains = f"{drive.gains.proportional:.3g}, {drive.gains.derivative:.3g} and {drive.gains.integral:.3g}"
                message = f"{path}: follows with proportional, derivative and integral gains of {gains}"
                self._report.add(rules.ASSUMED_GAINS, message, drive.built.actuator.origin, path=path)
            for what, since in drive.limited_since.items():
                if (path, what) in self._warned:
                    continue
                self._warned.add((path, what))
                rule = rules.OVERLOADED_MOTOR if what.startswith("exceeded") else rules.MOTOR_AT_LIMIT
                message = f"{path}: {_WHAT_HAPPENED[what]}, first at {since:.3g} s"
                self._report.add(rule, message, drive.built.actuator.origin, path=path)

    def _watch_bushings(self) -> None:
        angle, bushing = self._inputs.largest_bushing_angle()
        if bushing is None or angle <= LARGEST_BUSHING_ANGLE_RAD or bushing.bushing.name in self._warned:
            return
        self._warned.add(bushing.bushing.name)
        path = f"{bushing.model}/{bushing.bushing.name}"
        message = f"{path}: turned by {math.degrees(angle):.0f}° at {self._data.time:.3g} s"
        hint = "use a joint, and an RSDA for its stiffness"
        self._report.add(rules.LARGE_BUSHING_ANGLE, message, bushing.bushing.origin, path=path, hint=hint)
