"""The loop of a run: steps, samples and progress."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from ossature.model import State
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.simulation.observation.dynamics_sample import DynamicsSample
from ossature.simulation.observation.file_recorder import Recorder
from ossature.simulation.observation.sample_layout import Sample
from ossature.simulation.simulation_runtime import SimulationRuntime

Progress: TypeAlias = "Callable[[float], None]"
"""Callback with the completed fraction, from 0 to 1."""

STEPS_AT_ONCE = 200
"""Number of steps between two checks for divergence."""

Samples: TypeAlias = "tuple[list[Sample], list[DynamicsSample]]"


class Steppable(Protocol):
    """A simulation that can be stepped; a step may replace its engine."""

    @property
    def engine(self) -> SimulationRuntime:
        """The compiled World at run time."""

    def step(self, count: int = 1) -> None:
        """Take time steps."""

    def state(self) -> State:
        """Return the current state."""


def run(
    simulation: Steppable,
    total: int,
    interval: int,
    progress: Progress | None,
    record: str | Path | None,
    collected: Samples,
    *,
    keep: bool,
    forces: bool | None = None,
    ends: Callable[[Sample, DynamicsSample], bool],
) -> None:
    """Step a simulation, and collect samples with the forces of each.

    Args:
        interval: Number of steps between two samples.
        progress: Callback for the progress, or None.
        record: The file that each sample is written to immediately, or None.
        collected: Collects samples and forces, also those before an error.
        keep: Whether all samples are collected, or only the last one.
        forces: Whether each sample includes forces; by default for all Worlds except trees of bodies in SKEL files.
        ends: Whether the run ends at a sample.

    Raises:
        SimulationError: The simulation diverged; the last finite state is the last sample.
        RecordingStoppedError: A sample cannot be written; those before it are in the file.
        OssatureError: The recording format is not supported.
    """
    samples, forces_of_samples = collected
    last = -math.inf
    with nullcontext() if record is None else _open_recorder(simulation, record, forces) as recorder:

        def collect(sample: Sample, force_sample: DynamicsSample) -> None:
            if recorder is not None:
                recorder.write(sample, force_sample, simulation.engine.compiled.grasp_plan.grasps)
            if not keep:
                samples.clear()
                forces_of_samples.clear()
            samples.append(sample)
            forces_of_samples.append(force_sample)

        try:
            for sample, force_sample in _take_samples(simulation, total, interval, progress, forces):
                collect(sample, force_sample)
                last = float(simulation.engine.data.time)
                if ends(sample, force_sample):
                    break
        except SimulationError:
            if float(simulation.engine.data.time) > last and np.isfinite(simulation.engine.data.qpos).all():
                sample, force_sample = simulation.engine.sample(forces)
                if force_sample.is_finite:
                    collect(sample, force_sample)
            raise


def _open_recorder(simulation: Steppable, path: str | Path, forces: bool | None) -> Recorder:
    engine = simulation.engine
    return Recorder(Path(path), engine.compiled, engine.sampler, engine.sample(forces)[1], simulation.state())


def _take_samples(
    simulation: Steppable, total: int, interval: int, progress: Progress | None, forces: bool | None
) -> Iterator[tuple[Sample, DynamicsSample]]:
    done = 0
    yield simulation.engine.sample(forces)
    while done < total:
        count = min(interval, total - done)
        _advance_steps(simulation, count, done, total, progress)
        done += count
        yield simulation.engine.sample(forces)


def _advance_steps(simulation: Steppable, count: int, done: int, total: int, progress: Progress | None) -> None:
    if progress is None:
        simulation.step(count)
        return
    while count > 0:
        chunk = min(count, STEPS_AT_ONCE)
        simulation.step(chunk)
        count -= chunk
        done += chunk
        progress(done / total)
