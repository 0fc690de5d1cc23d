"""Running on while samples are taken."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from ossature.model import State
from ossature.simulation.compile.compiled_world import SimulationError
from ossature.simulation.observation.force_samples import ForceSample
from ossature.simulation.observation.recorder import Recorder
from ossature.simulation.observation.sample_layout import Sample
from ossature.simulation.runtime import SimulationRuntime

Progress: TypeAlias = "Callable[[float], None]"
"""Called now and then with the share that is done, from 0 to 1."""

STEPS_AT_ONCE = 200
"""How many steps are taken before somebody looks."""

Taken: TypeAlias = "tuple[list[Sample], list[ForceSample]]"


class Steppable(Protocol):
    """What can be stepped on; its engine may be another one after a step."""

    @property
    def engine(self) -> SimulationRuntime:
        """The engine."""

    def step(self, count: int = 1) -> None:
        """Step on."""

    def state(self) -> State:
        """Return the state now."""


def run(
    steps: Steppable,
    total: int,
    interval: int,
    progress: Progress | None,
    record: str | Path | None,
    taken: Taken,
    *,
    keep: bool,
    forces: bool | None = None,
) -> None:
    """Step on, and collect samples and what forces were at work in each.

    Args:
        steps: What is stepped.
        total: How many steps.
        interval: How many steps from one sample to the next.
        progress: Who wants to know how far it is.
        record: The file into which each sample is written when it is taken, if any.
        taken: Where samples and forces are collected; those before an error stay there.
        keep: Whether all samples are kept; otherwise only the last one is.
        forces: Whether forces are looked at in each sample; if not given, for all Worlds but trees of bodies in SKEL files.

    Raises:
        SimulationError: The simulation diverged; the last finite state is the last sample.
        RecordingStoppedError: A sample cannot be written; those before it are in the file.
        OssatureError: There is no such kind of recording.
    """
    samples, looks = taken
    last = -math.inf
    with nullcontext() if record is None else _recorder(steps, record, forces) as recorder:

        def collect(sample: Sample, look: ForceSample) -> None:
            if recorder is not None:
                recorder.write(sample, look, steps.engine.compiled.holding.held)
            if not keep:
                samples.clear()
                looks.clear()
            samples.append(sample)
            looks.append(look)

        try:
            for sample, look in _samples(steps, total, interval, progress, forces):
                collect(sample, look)
                last = float(steps.engine.data.time)
        except SimulationError:
            if float(steps.engine.data.time) > last and np.isfinite(steps.engine.data.qpos).all():
                sample, look = steps.engine.sampler.sample(), steps.engine.look(forces)
                if look.is_finite:
                    collect(sample, look)
            raise


def _recorder(steps: Steppable, path: str | Path, forces: bool | None) -> Recorder:
    engine = steps.engine
    return Recorder(Path(path), engine.compiled, engine.sampler, engine.look(forces), steps.state())


def _samples(
    steps: Steppable, total: int, interval: int, progress: Progress | None, forces: bool | None
) -> Iterator[tuple[Sample, ForceSample]]:
    done = 0
    yield steps.engine.sampler.sample(), steps.engine.look(forces)
    while done < total:
        count = min(interval, total - done)
        _advance(steps, count, done, total, progress)
        done += count
        yield steps.engine.sampler.sample(), steps.engine.look(forces)


def _advance(steps: Steppable, count: int, done: int, total: int, progress: Progress | None) -> None:
    if progress is None:
        steps.step(count)
        return
    while count > 0:
        chunk = min(count, STEPS_AT_ONCE)
        steps.step(chunk)
        count -= chunk
        done += chunk
        progress(done / total)
