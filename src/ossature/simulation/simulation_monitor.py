"""Monitoring of a simulation: divergence, engine warnings, and findings about the run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import IndexArray
from ossature.diagnostics import Location, Report, Rule
from ossature.diagnostics.counted_nouns import counted
from ossature.diagnostics.shared_rules import INITIAL_POSITION_OUTSIDE_LIMITS
from ossature.model import Euler, World
from ossature.simulation import rules
from ossature.simulation.accuracy_results import (
    MAX_ENERGY_GAIN,
    MAX_ENERGY_LOSS,
    EnergyBalance,
    Peak,
    RedundantConstraints,
    RunDiagnostics,
)
from ossature.simulation.compile.engine_enumerations import DIVERGED
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.simulation.penetration_monitor import cause_of_dampers
from ossature.simulation.stepping.engine_inputs import Inputs

_DIFFICULTIES = {
    mujoco.mjtWarning.mjWARN_INERTIA: "the mass matrix was nearly singular",
    mujoco.mjtWarning.mjWARN_CONTACTFULL: "the contact buffer of the engine was full",
    mujoco.mjtWarning.mjWARN_CNSTRFULL: "the constraint buffer of the engine was full",
    mujoco.mjtWarning.mjWARN_BADCTRL: "an actuator input was not a number",
}

_RATINGS = {
    "voltage": "the motor voltage is at its limit",
    "torque": "the motor torque is at its limit",
    "power": "the motor power is at its limit",
    "speed": "the motor speed is at its limit",
    "exceeded speed": "the motor exceeds its maximum speed",
    "exceeded power": "the motor exceeds its rated power",
}


_REDUCE_TIME_STEP = "reduce the time step (--time-step)"
_HINTS_OF_CAUSES = {
    rules.INITIAL_OVERLAP: "bodies overlap at the start, and separating them does work: move them apart",
    INITIAL_POSITION_OUTSIDE_LIMITS: "limits do work as they move joints back that start outside: change initial positions",
    rules.COMMANDED_POSITION_JUMP: "a motor moved to a far position within one step: command intermediate positions",
}
"""Hints about the findings that explain a gain of energy, the first cause first."""
_UNLOCK = "the mechanism locks: change lengths or the prescribed motion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The step and the body at which a simulation diverged.

    Attributes:
        step: The number of the step.
        last_step: The number of the last step whose state is finite.
        time: Time at which the divergence started [s].
        body: The path of the body that diverged first.
        speed: Its velocity when the divergence was detected.
    """

    step: int
    last_step: int
    time: float
    body: str
    speed: float
    unit: str


class SimulationMonitor:
    """Monitors a simulation between steps."""

    def __init__(self, world: World, compiled: EngineModel, data: mujoco.MjData, inputs: Inputs, report: Report) -> None:
        self._world, self._report = world, report
        self.switch_to_engine(compiled, data, inputs)
        self._warned: set[object] = set()
        self._reported_singular = 0
        self._is_locked = False

    def switch_to_engine(self, compiled: EngineModel, data: mujoco.MjData, inputs: Inputs) -> None:
        """Monitor another compilation of the same World from now on; findings are not repeated."""
        self._data, self._inputs = data, inputs
        integrator, self._hint_of_damping = compiled.choice.integrator, _REDUCE_TIME_STEP
        if integrator in (Integrator.DISCRETE, Integrator.STAGGERED):
            cause = f"{integrator.value} damps springs in proportion to the time step"
            self._hint_of_damping = f"{cause}: {_REDUCE_TIME_STEP}, or use --integrator leapfrog"
        self._hint_of_contacts = (cause_of_dampers(compiled) if compiled.can_touch else "") + _REDUCE_TIME_STEP
        self._gimbal_lock = GimbalLockMonitor(compiled, data)
        self._qpos, self._counts = data.qpos, data.warning.number
        self._has_elements = bool(
            inputs.element_forces.has_bushings or inputs.element_forces.has_state or inputs.couplings or inputs.drives
        )

    def check_axes(self) -> None:
        """Look for gimbal lock in the present state, for the advice of later findings."""
        self._gimbal_lock.check()

    def check(self) -> bool:
        """Report problems since the last call; return whether the state of the simulation is valid.

        Raises:
            SimulationError: The formula of a coupled joint has no value.
        """
        self.check_axes()
        self._check_commanded_positions()
        if self._has_elements:
            self._check_bushings()
            self._check_rotational_springs()
            self._check_couplings()
            self._check_motors()
        counts = self._counts
        # A sum of squares is finite only if all positions are; this is much faster than checking each of them.
        if not any(counts.tolist()) and math.isfinite(self._qpos.dot(self._qpos)):
            return True
        if self.has_diverged():
            return False
        for kind, message in _DIFFICULTIES.items():
            if counts[kind] and kind not in self._warned:
                self._warned.add(kind)
                hint = self._gimbal_lock.hint if kind == mujoco.mjtWarning.mjWARN_INERTIA else None
                self._report.add(
                    rules.ENGINE_WARNING,
                    f"{message}, first at about {self._data.time:g} s",
                    self._world.origin,
                    hint=hint,
                )
        return True

    def has_diverged(self) -> bool:
        """Whether a position, velocity or acceleration is not finite or too large."""
        return any(self._counts[kind] for kind in DIVERGED) or not np.isfinite(self._qpos).all()

    def report_divergence(self, divergence: Divergence) -> None:
        """Report that the simulation diverged.

        Raises:
            SimulationError: Always.
        """
        body_speed = f"body '{divergence.body}' diverged first, with {divergence.speed:.3g} {divergence.unit}"
        message = f"at {divergence.time:.6g} s, in step {divergence.step}: {body_speed}"
        model = self._world.models.get(divergence.body.partition("/")[0])
        body = None if model is None else model.bodies.get(divergence.body.partition("/")[2])
        location = self._world.origin if body is None or body.origin is None else body.origin
        hint = _UNLOCK if self._is_locked else self._hint_of_findings(rules.COMMANDED_POSITION_JUMP)
        hint = hint or self._gimbal_lock.hint or self._hint_of_contacts
        self._report.add(rules.SIMULATION_DIVERGED, message, location, path=divergence.body, hint=hint)
        raise SimulationError(self._report)

    def report_run(self, found: RunDiagnostics) -> None:
        """Report the diagnostics of a completed run that exceed their bounds, each kind once."""
        self.report_peaks(found)
        self._report_energy(found.energy)

    def report_singular_configurations(self, found: RunDiagnostics) -> None:
        """Report the singular configurations of mechanisms, each once."""
        every = found.singular_configurations
        for one in every[self._reported_singular :]:
            joints = ", ".join(f"'{joint}'" for joint in one.joints)
            size = f"{one.singular_value:.2g}, at most {one.largest_singular_value:.2g} before"
            event = "the mechanism locks" if one.is_limit else "singular configuration"
            message = f"{event} at {one.time:.6g} s: the motion of {joints} is not determined (smallest singular value {size})"
            hint = _UNLOCK if one.is_limit else "drive another joint, or add a spring"
            self._is_locked |= one.is_limit
            self._report.add(rules.SINGULAR_CONFIGURATION, message, self._world.origin, path=one.joints[0], hint=hint)
        self._reported_singular = len(every)

    def report_redundant_constraints(self, found: Iterable[RedundantConstraints]) -> None:
        """Report the mechanisms whose reactions are not unique, each once."""
        for one in found:
            joints = ", ".join(f"'{joint}'" for joint in one.joints)
            message = f"reactions are not unique: {counted(one.count, 'redundant constraint')} among {joints}"
            self._report_element(rules.REACTIONS_NOT_UNIQUE, message, self._world.origin, one.joints[0])

    def report_peaks(self, found: RunDiagnostics) -> None:
        """Report the largest values of a run that exceed their bounds, each kind once, and singular configurations."""
        self.report_singular_configurations(found)
        self._report_peak(rules.LOOP_RESIDUAL_EXCEEDED, found.loop_residual, "has a residual of {value:.3g} m or rad")
        if found.loop_residual is None or not found.loop_residual.is_exceeded:
            self._report_ill_conditioned_loops(found.closing_displacement)
        self._report_peak(rules.FAST_ROTATION, found.rotation_per_step, "rotates by {value:.3g} rad in one step")
        self._report_peak(rules.FAST_TRAVEL, found.travel_per_step, "moves by {value:.3g} m in one step")
        self._report_peak(
            rules.STIFF_CONFIGURATION, found.stiffness, "has {value:.3g} times the stiffness of the stability limit"
        )

    def _report_ill_conditioned_loops(self, peak: Peak | None) -> None:
        text = "is {value:.3g} m or rad from where closed loops hold it"
        hint = f"change lengths or angles that make constraints nearly dependent, or {_REDUCE_TIME_STEP}"
        self._report_peak(rules.ILL_CONDITIONED_LOOPS, peak, text, hint)

    def _report_energy(self, energy: EnergyBalance) -> None:
        if energy.relative_gain > MAX_ENERGY_GAIN:
            amount = f"{energy.gain:.3g} J more than motors, loads and commands supplied, of {energy.scale:.3g} J"
            hint = self._hint_of_findings(*_HINTS_OF_CAUSES)
            hint = hint or self._gimbal_lock.hint or self._hint_of_contacts
            self._report_once(rules.ENERGY_GAINED, f"{amount}, most at {energy.gain_time:.4g} s", hint=hint)
        if energy.relative_loss > MAX_ENERGY_LOSS:
            amount = f"{energy.loss:.3g} J of {energy.scale:.3g} J that nothing dissipates"
            hint = self._hint_of_findings(rules.COMMANDED_POSITION_JUMP) or self._gimbal_lock.hint or self._hint_of_damping
            self._report_once(rules.ENERGY_LOST, f"{amount}, most at {energy.loss_time:.4g} s", hint=hint)

    def _hint_of_findings(self, *causes: Rule) -> str | None:
        """Return the hint about the first of some findings that changes the energy, or None if there is none of them."""
        found = {finding.rule for finding in self._report}
        return next((_HINTS_OF_CAUSES[rule] for rule in causes if rule in found), None)

    def _report_peak(self, rule: Rule, peak: Peak | None, text: str, hint: str = _REDUCE_TIME_STEP) -> None:
        if peak is not None and peak.is_exceeded:
            message = f"'{peak.element}' {text.format(value=peak.value)} at {peak.time:.4g} s; the bound is {peak.bound:.3g}"
            self._report_once(rule, message, peak.element, hint)

    def _report_once(self, rule: Rule, message: str, path: str = "", hint: str = _REDUCE_TIME_STEP) -> None:
        if rule.name not in self._warned:
            self._warned.add(rule.name)
            self._report.add(rule, message, self._world.origin, path=path, hint=hint)

    def _check_couplings(self) -> None:
        coupling = self._inputs.couplings.undefined
        if coupling is None:
            return
        message = (
            f"joint '{coupling.follower.joint.name}': {coupling.follower.text} has no value at about {self._data.time:g} s"
        )
        self._report.add(rules.LOST_FORMULA, message, coupling.follower.joint.origin, path=coupling.path)
        raise SimulationError(self._report)

    def _check_motors(self) -> None:
        for drive in self._inputs.drives:
            path = f"{drive.built.model}/{drive.built.actuator.name}"
            if drive.assumes_gains and (path, "gains") not in self._warned:
                self._warned.add((path, "gains"))
                gains = f"{drive.gains.proportional:.3g}, {drive.gains.derivative:.3g} and {drive.gains.integral:.3g}"
                message = f"{path}: assumed proportional, derivative and integral gains of {gains}"
                self._report.add(rules.ASSUMED_GAINS, message, drive.built.actuator.origin, path=path)
            for limit, since in drive.limited_since.items():
                if (path, limit) in self._warned:
                    continue
                self._warned.add((path, limit))
                rule = rules.OVERLOADED_MOTOR if limit.startswith("exceeded") else rules.MOTOR_SATURATED
                message = f"{path}: {_RATINGS[limit]}, first at {since:.3g} s"
                self._report.add(rule, message, drive.built.actuator.origin, path=path)

    def _check_commanded_positions(self) -> None:
        for motor in self._inputs.motors:
            if motor.far_position is None:
                continue
            (distance, velocity), named = motor.far_position, motor.built.motor
            unit = "rad" if named.guide.is_rotational else "m"
            message = f"motor '{named.name}' moves by {distance:.3g} {unit} in a step, with {abs(velocity):.4g} {unit}/s"
            hint = "command intermediate positions, or samples over time that start at the present position"
            path = f"{motor.built.model}/{named.name}"
            self._report_element(rules.COMMANDED_POSITION_JUMP, message, named.origin, path, hint)

    def _check_bushings(self) -> None:
        for angle, built in self._inputs.element_forces.rotated_bushings():
            path = f"{built.model}/{built.bushing.name}"
            message = f"{path}: rotated by {math.degrees(angle):.0f}° at {self._data.time:.3g} s"
            hint = "use a joint with a rotational spring-damper (RSDA)"
            self._report_element(rules.LARGE_BUSHING_ANGLE, message, built.bushing.origin, path, hint)

    def _check_rotational_springs(self) -> None:
        for tilt, built in self._inputs.element_forces.tilted_springs():
            path = f"{built.model}/{built.spring.name}"
            message = f"{path}: the axes of its bodies are {math.degrees(tilt):.0f}° apart at {self._data.time:.3g} s"
            hint = "connect its bodies by a joint with its axis"
            self._report_element(rules.TILTED_ROTATIONAL_SPRING, message, built.spring.origin, path, hint)

    def _report_element(self, rule: Rule, message: str, origin: Location | None, path: str, hint: str | None = None) -> None:
        """Report a finding about an element once."""
        if (rule.name, path) not in self._warned:
            self._warned.add((rule.name, path))
            self._report.add(rule, message, origin, path=path, hint=hint)


_NEAR_LOCK = 0.1
"""Volume that the three axes span, 1 if they are perpendicular, below which a joint is near gimbal lock."""


class GimbalLockMonitor:
    """Finds the Euler joint that first comes near gimbal lock, or passes it, where two of its axes are parallel.

    The angles accelerate without bound there, also for a body that rotates uniformly, and smaller steps do not help.

    Attributes:
        hint: The advice about that joint, or None as long as there is none.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self.hint: str | None = None
        self._names, self._rows = compiled.shared_results.get(_find_euler_joints, compiled, None)
        self._data = data
        self._volumes = np.zeros(0)

    def check(self) -> None:
        """Look at the axes of the last step; call it often enough that no joint passes twice in between."""
        if self.hint is not None or not self._names:
            return
        first, second, third = np.moveaxis(self._data.xaxis[self._rows], 1, 0)
        volumes = (first * np.cross(second, third)).sum(axis=1)
        before = self._volumes if self._volumes.size else volumes
        is_locked = (np.abs(volumes) < _NEAR_LOCK) | (volumes * before < 0.0)
        self._volumes = volumes
        if is_locked.any():
            name = self._names[int(is_locked.argmax())]
            self.hint = f"Euler joint '{name}' is near gimbal lock at {self._data.time:.4g} s: use a ball joint"


def _find_euler_joints(compiled: EngineModel, _: None) -> tuple[Sequence[str], IndexArray]:
    """Return the paths of the Euler joints that can move, and the engine's joints of each, shape (n, 3)."""
    joints = [index for index in compiled.index.all_joints() if isinstance(index.joint.type, Euler)]
    hinges = [np.flatnonzero(compiled.model.jnt_bodyid == index.body) for index in joints]
    moving = [(index, rows) for index, rows in zip(joints, hinges, strict=True) if len(rows) == index.joint.degrees_of_freedom]
    names = [f"{index.model}/{index.joint.name}" for index, _ in moving]
    return names, np.array([rows for _, rows in moving], dtype=np.intp)
