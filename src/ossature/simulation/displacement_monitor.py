"""The largest rotation of a body, and displacement of a centre of mass, in one step."""

from __future__ import annotations

from ossature.simulation.accuracy_results import MAX_ROTATION_PER_STEP, MAX_TRAVEL_PER_STEP
from ossature.simulation.running_maximum import RunningMaximum
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.simulation.stepping.motion_recorder import MotionRecorder

_FAST = 0.1
"""Displacement of a fast body in a step, relative to the bound."""


class DisplacementMonitor:
    """Finds the largest displacements: in all steps, or in samples if the engine takes many steps at once.

    Attributes:
        rotation: The largest rotation [rad], with the engine's index of the body.
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
        model = engine.compiled.model
        self.travel.bound = MAX_TRAVEL_PER_STEP * float(model.stat.extent)
        self._step, self._sub_steps = float(model.opt.timestep), engine.stepper.sub_steps
        self._recorder = engine.stepper.motion = MotionRecorder(model, engine.data)

    @property
    def is_fast(self) -> bool:
        """Whether a body was fast so far."""
        return any(one.bound is not None and one.value > _FAST * one.bound for one in (self.rotation, self.travel))

    def sample(self, steps: int) -> None:
        """Include the steps since the last sample.

        Args:
            steps: Their number.
        """
        peaks = self._recorder.peaks
        self.has_all_steps = peaks.step_count == steps
        if not self.has_all_steps:
            self._recorder.record(self._step / self._sub_steps.count)
        self.rotation.update(peaks.rotation, peaks.rotation_time, peaks.rotated_body)
        self.travel.update(peaks.displacement, peaks.displacement_time, peaks.moved_body)
        self._recorder.clear()

    def discard(self) -> None:
        """Ignore the steps since the last sample, which diverged."""
        self._recorder.clear()
