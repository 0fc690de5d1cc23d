"""Watching a simulation: whether it diverged, and what the engine found difficult."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import rules
from ossature.simulation.compiling.compiled import SimulationError
from ossature.simulation.moving.inputs import LARGEST_BUSHING_ANGLE_RAD, Inputs

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


class Watch:
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

    def go_on(self, data: Any, inputs: Inputs) -> None:
        """Look at another compilation of the same World from now on; what has been told is not told again."""
        self._data, self._inputs = data, inputs
        self._qpos, self._counts = data.qpos, data.warning.number

    def check(self) -> None:
        """Look at what has become of the simulation.

        Raises:
            SimulationError: It diverged, or a formula that a joint follows has lost its value.
        """
        self._watch_bushings()
        self._watch_followers()
        self._watch_motors()
        counts = self._counts
        # A sum is finite only where all its terms are; it takes a fraction of the time that looking at each would take.
        if not counts.any() and math.isfinite(self._qpos.sum()):
            return
        if any(counts[kind] for kind in _DIVERGED) or not np.isfinite(self._qpos).all():
            self._report.add(rules.BLOWN_UP, f"at {self._data.time:g} s", self._world.origin, hint="try a shorter --time-step")
            raise SimulationError(self._report)
        for kind, message in _DIFFICULTIES.items():
            if counts[kind] and kind not in self._warned:
                self._warned.add(kind)
                self._report.add(rules.ENGINE_WARNING, f"{message}, first at about {self._data.time:g} s", self._world.origin)

    def _watch_followers(self) -> None:
        lost = self._inputs.following.lost
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
            for what, since in drive.held_back.items():
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
