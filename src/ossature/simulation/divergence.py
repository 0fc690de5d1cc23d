"""Finding the step in which a simulation diverged, and the body that did so first, by taking its last steps again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.simulation.checkpointing import Memory
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.element_paths import body_path
from ossature.simulation.runtime import SimulationRuntime
from ossature.simulation.stability_monitor import Divergence, SimulationMonitor

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GROWTH = 10.0
"""Factor by which a velocity grows beyond all at the last sensible state that counts as the beginning of a divergence."""
_CARRIERS = ("driving", "engine", "inputs", "stepper")


class RollbackPoint:
    """A state to go back to, and how many steps were taken until then."""

    def __init__(self, engine: SimulationRuntime, step: int) -> None:
        self._engine, self.step = engine, step
        self._memories: dict[str, Memory] = {name: engine.restart.carriers[name].memory() for name in _CARRIERS}

    def recall(self) -> None:
        """Go back to the state."""
        for name, memory in self._memories.items():
            self._engine.restart.carriers[name].recall(memory)
        self._engine.data.warning.number[:] = 0

    def find_divergence(self, watch: SimulationMonitor, most: int) -> Divergence:
        """Take the steps after the checkpoint again, one by one, and stop in the last finite state.

        Args:
            watch: Decides whether the simulation has diverged.
            most: How many steps were taken.
        """
        self.recall()
        data = self._engine.data
        allowed = _GROWTH * max(1.0, float(np.abs(data.qvel).max(initial=0.0)))
        first: tuple[int, float, int, float] | None = None
        done, last = 0, self
        while done < most:
            last = RollbackPoint(self._engine, self.step + done)
            time, before = float(data.time), np.array(data.qvel)
            self._engine.steps(1)
            done += 1
            velocities = np.abs(data.qvel)
            if first is None and not (velocities <= allowed).all():
                first = (self.step + done, time, *_fastest(velocities, before))
            if watch.has_diverged():
                break
        if first is None:
            first = (self.step + done, float(data.time), *_fastest(np.abs(data.qvel), before))
        last.recall()
        step, time, dof, speed = first
        return _divergence(self._engine.compiled, step, last.step, time, dof, speed)


def present_divergence(engine: SimulationRuntime, step: int) -> Divergence:
    """Return what the present state shows about a divergence, if there is none to go back to."""
    velocities = np.abs(engine.data.qvel)
    dof, speed = _fastest(velocities, velocities)
    return _divergence(engine.compiled, step, step, float(engine.data.time), dof, speed)


def _divergence(compiled: Compiled, step: int, last_step: int, time: float, dof: int, speed: float) -> Divergence:
    body, unit = body_path(compiled, int(compiled.model.dof_bodyid[dof])), _unit(compiled, dof)
    return Divergence(step=step, last_step=last_step, time=time, body=body, speed=speed, unit=unit)


def _fastest(velocities: NDArray[np.float64], before: NDArray[np.float64]) -> tuple[int, float]:
    """Return the degree of freedom that moves fastest, and its velocity: the last finite one if it is not finite any more."""
    if not np.isfinite(velocities).all():
        lost = np.flatnonzero(~np.isfinite(velocities))
        dof = int(lost[np.abs(before[lost]).argmax()])
        return dof, float(abs(before[dof]))
    dof = int(velocities.argmax())
    return dof, float(velocities[dof])


def _unit(compiled: Compiled, dof: int) -> str:
    joint = int(compiled.model.dof_jntid[dof])
    kind, place = int(compiled.model.jnt_type[joint]), dof - int(compiled.model.jnt_dofadr[joint])
    slides = kind == mujoco.mjtJoint.mjJNT_SLIDE or (kind == mujoco.mjtJoint.mjJNT_FREE and place < 3)
    return "m/s" if slides else "rad/s"
