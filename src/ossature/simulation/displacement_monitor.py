"""The largest rotation of a body, and displacement of a centre of mass, in one step."""

from __future__ import annotations

import math

import numpy as np

from ossature.array_types import Vector
from ossature.simulation.accuracy_results import MAX_ROTATION_PER_STEP, MAX_TRAVEL_PER_STEP
from ossature.simulation.observation.body_wrenches import cross
from ossature.simulation.running_maximum import RunningMaximum
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.simulation.stepping.compiled_stepping_structs import MotionPeaks, set_addresses, set_index_addresses

_FAST = 0.1
"""Displacement of a fast body in a step, relative to the bound."""


class DisplacementMonitor:
    """Finds the largest displacements: in all undivided steps of the compiled loop, and in samples of others.

    Attributes:
        rotation: The largest rotation [rad]; of the engine's body.
        travel: The largest displacement of a centre of mass [m].
        has_all_steps: Whether the last sample included all steps before it.
    """

    def __init__(self, engine: SimulationRuntime) -> None:
        self.rotation = RunningMaximum(bound=MAX_ROTATION_PER_STEP)
        self.travel = RunningMaximum()
        self.has_all_steps = False
        self.switch_to_engine(engine)

    def switch_to_engine(self, engine: SimulationRuntime) -> None:
        """Monitor another engine from now on; the indices of bodies have been replaced by their paths."""
        model, data = engine.compiled.model, engine.data
        self.travel.bound = MAX_TRAVEL_PER_STEP * float(model.stat.extent)
        self._data, self._sub_steps, self._step = data, engine.stepper.sub_steps, float(model.opt.timestep)
        self._cvel, self._xipos, self._centers = data.cvel, data.xipos, data.subtree_com
        self._spins, self._roots = data.cvel[:, :3], np.array(model.body_rootid, dtype=np.int64)
        self._peaks = engine.stepper.motion_peaks = MotionPeaks(body_count=model.nbody)
        set_addresses(self._peaks, cvel=self._cvel, xipos=self._xipos, subtree_com=self._centers)
        set_index_addresses(self._peaks, roots=self._roots)

    @property
    def is_fast(self) -> bool:
        """Whether a body was fast so far."""
        return any(one.bound is not None and one.value > _FAST * one.bound for one in (self.rotation, self.travel))

    def sample(self, steps: int) -> None:
        """Include the steps since the last sample.

        Args:
            steps: Their number.
        """
        peaks = self._peaks
        self.has_all_steps = peaks.step_count == steps
        self.rotation.update(peaks.rotation, peaks.rotation_time, peaks.rotated_body)
        self.travel.update(peaks.displacement, peaks.displacement_time, peaks.moved_body)
        if not self.has_all_steps:
            duration = self._step / self._sub_steps.count
            velocities = self._cvel[:, 3:] + cross(self._spins, self._xipos - self._centers[self._roots])
            self._sample_velocities(self.rotation, self._spins, duration)
            self._sample_velocities(self.travel, velocities, duration)
        self.discard()

    def discard(self) -> None:
        """Ignore the steps since the last sample, which diverged."""
        peaks = self._peaks
        peaks.step_count, peaks.rotation, peaks.displacement = 0, 0.0, 0.0

    def _sample_velocities(self, largest: RunningMaximum, velocities: Vector, duration: float) -> None:
        """Include the largest velocity of bodies, as the displacement in a step or sub-step of a duration [s]."""
        squares = np.add.reduce(velocities * velocities, axis=1)
        fastest = int(squares.argmax())  # much faster than the maximum
        largest.update(math.sqrt(squares[fastest]) * duration, float(self._data.time), fastest)
