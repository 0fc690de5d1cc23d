"""MuJoCo Warp: many runs at once on a GPU, in single precision."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import Float32Array
from ossature.diagnostics import Diagnostic, OssatureError, Report
from ossature.simulation import Simulation, SimulationError
from ossature.simulation import rules as simulation_rules
from ossature.simulation.observation.dynamics_sample import DynamicsSample
from ossature.simulation.stepping.engine_stepper import EngineStepper
from ossature.sweeps import rules
from ossature.sweeps.executors.executor import ExecutorError, Finished, WithoutResources
from ossature.sweeps.points import Point
from ossature.sweeps.task import Row, Task, failed_row

LARGEST_BATCH = 4096
"""Number of runs at once by default."""
_MOST_CONTACTS, _MOST_CONSTRAINTS = 64, 256
"""Least room for contacts and constraint rows of each run; more is found from the initial state."""


class Warp(WithoutResources):
    """MuJoCo Warp, on the GPU if there is one, else on the processor (slow, for tests).

    Args:
        workers: Number of runs at once; 4096 by default.

    Raises:
        ExecutorError: MuJoCo Warp is not installed.
    """

    name = "warp"
    workers = 1

    def __init__(self, workers: int | None = None) -> None:
        try:
            import mujoco_warp
            import warp
        except ImportError as error:
            raise ExecutorError("the executor warp needs MuJoCo Warp: pip install 'ossature[gpu]'") from error
        warp.config.log_level = warp.LOG_WARNING
        self._engine, self._warp = mujoco_warp, warp
        self.batch_size = workers or LARGEST_BATCH

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished.

        Raises:
            ExecutorError: The model or an output needs more than the engine's own steps.
        """
        _require_supported_task(task)
        for batch in batches:
            started = perf_counter()
            yield Finished(self._rows(task, batch), perf_counter() - started)

    def _rows(self, task: Task, points: Sequence[Point]) -> list[Row]:
        rows: list[Row] = []
        runs: list[tuple[Point, Simulation]] = []
        for point in points:
            started = start_run(task, point)
            if isinstance(started, Row):
                rows.append(started)
            else:
                _require_engine_steps(started)
                runs.append((point, started))
        return rows + (self._simulate(task, runs) if runs else [])

    def _simulate(self, task: Task, runs: Sequence[tuple[Point, Simulation]]) -> list[Row]:
        simulations = [simulation for _, simulation in runs]
        count, interval = step_counts(task, simulations[0])
        with self._warp.ScopedDevice(self._warp.get_preferred_device()):
            model, data = self._upload(simulations)
            advance = self._step_function(model, data, interval)
            self._set_start(data, simulations)
            states = [self._download(data)]
            for done in range(0, count, interval):
                if count - done >= interval:
                    advance()
                else:
                    for _ in range(count - done):
                        self._engine.step(model, data)
                states.append(self._download(data))
        return [
            _row(task, point, simulation, [state[number] for state in states])
            for number, (point, simulation) in enumerate(runs)
        ]

    def _step_function(self, model: Any, data: Any, interval: int) -> Callable[[], None]:
        """Return a function that takes the steps between two samples; on a GPU they are one graph of kernels."""

        def steps() -> None:
            for _ in range(interval):
                self._engine.step(model, data)

        if not self._warp.get_device().is_cuda:
            return steps
        self._engine.step(model, data)  # compiles the kernels
        with self._warp.ScopedCapture() as capture:
            self._engine.step(model, data)

        def launch() -> None:
            for _ in range(interval):
                self._warp.capture_launch(capture.graph)

        return launch

    def _download(self, data: Any) -> list[_State]:
        """Return the state of each run; NaN where buffers of the device were too small."""
        # On the processor these arrays are views of the device's memory.
        time, qpos, qvel = (getattr(data, name).numpy().copy() for name in ("time", "qpos", "qvel"))
        kinds = self._engine.OverflowType
        harmless = int(kinds.ITERATIONS) | int(kinds.LS_ITERATIONS)
        is_full = data.overflow.numpy() & ~harmless != 0
        return [_State(*one) for one in zip(time, qpos, qvel, is_full, strict=True)]

    # Models

    def _upload(self, simulations: Sequence[Simulation]) -> tuple[Any, Any]:
        """Return the model on the device with the numbers of each run, and the data with their initial states."""
        first = _supported_model(simulations[0])
        try:
            model = self._engine.put_model(first)
            model.opt.warn_overflow = 0  # rows state it
        except NotImplementedError as error:
            raise _unsupported(f"MuJoCo Warp cannot simulate the model: {error}") from error
        data = self._engine.put_data(
            first,
            simulations[0].data,
            nworld=len(simulations),
            nconmax=max(_MOST_CONTACTS, 4 * simulations[0].data.ncon),
            njmax=max(_MOST_CONSTRAINTS, 4 * simulations[0].data.nefc),
        )
        self._upload_differences(model, [simulation.compiled.model for simulation in simulations])
        return model, data

    def _set_start(self, data: Any, simulations: Sequence[Simulation]) -> None:
        for name in ("time", "qpos", "qvel", "act", "ctrl", "qacc_warmstart"):
            rows = np.array([getattr(simulation.data, name) for simulation in simulations], dtype=np.float32)
            if rows.size:
                self._warp.copy(getattr(data, name), self._warp.array(rows, dtype=float))
        data.overflow.zero_()

    def _upload_differences(self, model: Any, originals: Sequence[mujoco.MjModel]) -> None:
        """Give each run its own numbers of the fields that differ; raise an ExecutorError if all share one on the device."""
        for target, sources in ((model, originals), (model.opt, [one.opt for one in originals])):
            batched = {field.name: field.type for field in dataclasses.fields(target) if _is_batched(field.type)}
            for name in _differing(sources):
                if name in _UNUSED:
                    continue
                if name not in batched:
                    raise _unsupported(f"the runs differ in '{name}', which all runs share on the device")
                known = getattr(target, name)
                rows = np.array([getattr(source, name) for source in sources], dtype=np.float32)
                rows = rows.reshape(len(sources), *known.numpy().shape[1:])
                setattr(target, name, self._warp.array(rows, dtype=known.dtype))


@dataclass(frozen=True, slots=True)
class _State:
    """The state of a run, in single precision: time [s], positions, velocities, and whether a buffer of the device is full."""

    time: np.float32
    qpos: Float32Array
    qvel: Float32Array
    is_full: np.bool_


def step_counts(task: Task, simulation: Simulation) -> tuple[int, int]:
    """Return the number of steps of a run, and of those between two samples."""
    step, run = simulation.time_step, task.run
    total = round(run.duration / step)
    return total, max(1, total if run.sample_interval is None else round(run.sample_interval / step))


def start_run(task: Task, point: Point) -> Simulation | Row:
    """Return the simulation of a point at its start, or a row if there is none."""
    if point.is_excluded:
        return task.row(point)
    try:
        return Simulation(task.compiled(point), report=Report())
    except SimulationError as error:
        return failed_row(point, *error.report.errors[:1])
    except (OssatureError, ValueError, ArithmeticError) as error:
        return failed_row(point, Diagnostic(rule=rules.IMPOSSIBLE_PARAMETER, message=str(error)))


def _row(task: Task, point: Point, simulation: Simulation, states: Sequence[_State]) -> Row:
    """Return the row of a run: its states are sampled by the engine in double precision."""
    message = ""
    if any(state.is_full for state in states):
        message = "the device has no room for all contacts and constraints of the run"
    elif not all(np.isfinite(state.qpos).all() and np.isfinite(state.qvel).all() for state in states):
        message = "the simulation diverged"
    if message:
        rule = rules.UNSUPPORTED_BY_GPU if states[-1].is_full else simulation_rules.SIMULATION_DIVERGED
        return failed_row(point, Diagnostic(rule=rule, message=message))
    engine, samples, forces = simulation.engine, [], []
    for state in states:
        engine.data.time, engine.data.qpos[:], engine.data.qvel[:] = float(state.time), state.qpos, state.qvel
        samples.append(engine.sampler.sample())
        forces.append(DynamicsSample(engine.energy(), {}, {}, {}, None))
    return task.finished_row(point, engine.sampler.recording(samples, forces), float(states[-1].time))


# What the device can simulate


def _unsupported(message: str) -> ExecutorError:
    return ExecutorError(f"error[{rules.UNSUPPORTED_BY_GPU.name}]: {message}")


def _require_supported_task(task: Task) -> None:
    """Raise an ExecutorError unless the outputs of a task follow from positions and velocities."""
    forces = [bound.output.name for bound in task.outputs if bound.quantity.needs_forces]
    if forces:
        raise _unsupported(f"the output '{forces[0]}' is a force or a constraint residual, which are not read from the device")
    if task.stop or task.run.recordings is not None:
        raise _unsupported("stop conditions and recordings need each run in this process")


def _require_engine_steps(simulation: Simulation) -> None:
    """Raise an ExecutorError that states why the steps of a simulation need Python, unless they are those of the engine."""
    engine = simulation.engine
    stepper, inputs, driving = engine.stepper, engine.inputs, engine.driving
    reasons = {
        f"the integrator is {simulation.integration.name}; use `integrator: implicit`": not isinstance(stepper, EngineStepper),
        "contacts are rigid; use `contact_time_constant`": engine.contacts is not None,
        "steps are divided into sub-steps": bool(stepper.criteria),
        "joints have drives": bool(driving.active or driving.servos),
        "motors or loads have functions of time": bool(inputs.motors or inputs.loads),
        "force elements have curves, stops or bushings": bool(inputs.needs_forces),
        "couplings or limits are prepared before each step": bool(inputs.has_live),
    }
    found = [reason for reason, prevents in reasons.items() if prevents]
    if found:
        raise _unsupported(f"the steps of the model need Python: {'; '.join(found)}")


# Numbers that differ


_UNUSED = frozenset(("dof_M0",))
"""Constants of the engine's model that its steps do not use."""


def _supported_model(simulation: Simulation) -> mujoco.MjModel:
    """Return the engine's model without the flag that states are not reset after a divergence: Warp never resets them."""
    model = copy.copy(simulation.compiled.model)
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return model


def _is_batched(declared: Any) -> bool:
    """Whether a field of the device's model may have different numbers in each run."""
    shape: tuple[object, ...] = getattr(declared, "shape", ())
    return shape[:1] == ("*",)


def _differing(sources: Sequence[Any]) -> list[str]:
    """Return the names of the numbers in which objects of the engine differ."""
    found = []
    for name in dir(sources[0]):
        value = None if name.startswith("_") else getattr(sources[0], name)
        if isinstance(value, int | float | np.ndarray):
            others = (getattr(source, name) for source in sources[1:])
            found += [name] if any(not np.array_equal(other, value) for other in others) else []
    return found
