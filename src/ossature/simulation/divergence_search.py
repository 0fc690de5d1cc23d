"""Finding the step in which a simulation diverged, and the body that diverged first, by repeating the last steps."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.engine_element_paths import body_path
from ossature.simulation.simulation_monitor import Divergence, SimulationMonitor
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.simulation.stateful_components import ComponentState

_GROWTH = 10.0
"""Ratio of a velocity to the largest one of the last valid state, above which a divergence has started."""
_CARRIERS = ("driving", "engine", "stepper")
"""Components whose state steps change; inputs are another one, if they have a state in addition to commands."""


class RollbackPoint:
    """A checkpoint to return to, and the number of steps that were taken before it."""

    def __init__(self, engine: SimulationRuntime, step: int) -> None:
        self._engine, self.step = engine, step
        names = (*_CARRIERS, "inputs") if engine.inputs.has_state else _CARRIERS
        self._saved: dict[str, ComponentState] = {name: engine.restart.components[name].get_state() for name in names}

    def set_state(self) -> None:
        """Restore the checkpoint."""
        for name, saved_state in self._saved.items():
            self._engine.restart.components[name].set_state(saved_state)
        self._engine.data.warning.number[:] = 0

    def find_divergence(self, monitor: SimulationMonitor, step_count: int, after_step: Callable[[], None]) -> Divergence:
        """Repeat the steps after the checkpoint one by one, and stop at the last finite state.

        Args:
            monitor: Detects whether the simulation has diverged.
            step_count: Number of steps that were taken after the checkpoint.
            after_step: Called after each repeated step whose state is finite.
        """
        self.set_state()
        data = self._engine.data
        allowed = _GROWTH * max(1.0, float(np.abs(data.qvel).max(initial=0.0)))
        first: tuple[int, float, int, float] | None = None
        done, last = 0, self
        while done < step_count:
            last = RollbackPoint(self._engine, self.step + done)
            time, before = float(data.time), np.array(data.qvel)
            self._engine.steps(1)
            monitor.check_axes()
            done += 1
            velocities = np.abs(data.qvel)
            if first is None and not (velocities <= allowed).all():
                first = (self.step + done, time, *_fastest_dof(velocities, before))
            if monitor.has_diverged():
                break
            after_step()
        if first is None:
            first = (self.step + done, float(data.time), *_invalid_dof(data, before))
        last.set_state()
        step, time, dof, speed = first
        return _make_divergence(self._engine.compiled, step, last.step, time, dof, speed)


def current_divergence(engine: SimulationRuntime, step: int) -> Divergence:
    """Return the divergence as far as the current state shows it, if there is no checkpoint."""
    dof, speed = _invalid_dof(engine.data, np.array(engine.data.qvel))
    return _make_divergence(engine.compiled, step, step, float(engine.data.time), dof, speed)


def _make_divergence(compiled: EngineModel, step: int, last_step: int, time: float, dof: int, speed: float) -> Divergence:
    body, unit = body_path(compiled, int(compiled.model.dof_bodyid[dof])), _velocity_unit(compiled, dof)
    return Divergence(step=step, last_step=last_step, time=time, body=body, speed=speed, unit=unit)


def _invalid_dof(data: mujoco.MjData, before: Array) -> tuple[int, float]:
    """Return the degree of freedom whose acceleration or velocity the engine refused, else the fastest one, and its velocity.

    The velocities of a step that the engine refused are not in its data.

    Args:
        before: The velocities before the step.
    """
    for kind in (mujoco.mjtWarning.mjWARN_BADQACC, mujoco.mjtWarning.mjWARN_BADQVEL):
        if data.warning.number[kind]:
            dof = int(data.warning.lastinfo[kind])
            return dof, float(abs(before[dof]))
    return _fastest_dof(np.abs(data.qvel), before)


def _fastest_dof(velocities: Array, before: Array) -> tuple[int, float]:
    """Return the fastest degree of freedom and its velocity, or its last finite velocity if it is not finite."""
    if not np.isfinite(velocities).all():
        invalid = np.flatnonzero(~np.isfinite(velocities))
        dof = int(invalid[np.abs(before[invalid]).argmax()])
        return dof, float(abs(before[dof]))
    dof = int(velocities.argmax())
    return dof, float(velocities[dof])


def _velocity_unit(compiled: EngineModel, dof: int) -> str:
    joint = int(compiled.model.dof_jntid[dof])
    kind, offset = int(compiled.model.jnt_type[joint]), dof - int(compiled.model.jnt_dofadr[joint])
    slides = kind == mujoco.mjtJoint.mjJNT_SLIDE or (kind == mujoco.mjtJoint.mjJNT_FREE and offset < 3)
    return "m/s" if slides else "rad/s"
