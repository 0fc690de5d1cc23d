"""Runs whose steps another device takes: how they start, and their rows from the states that it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import mujoco
import numpy as np

from ossature.array_types import Array, Float32Array
from ossature.diagnostics import Diagnostic, OssatureError, Report
from ossature.formats.mjcf.engine_data import sizes_of
from ossature.formats.mjcf.engine_memory import release_engine_memory
from ossature.simulation import CompiledModel, Simulation, SimulationError
from ossature.simulation import rules as simulation_rules
from ossature.simulation.observation.dynamics_sample import DynamicsSample
from ossature.simulation.stepping.engine_stepper import EngineStepper
from ossature.sweeps import rules
from ossature.sweeps.executors.executor import ExecutorError
from ossature.sweeps.points import Point
from ossature.sweeps.task import Row, Task, failed_row, warnings_of

STATE_FIELDS = ("time", "qpos", "qvel", "act", "ctrl", "qacc_warmstart", "mocap_pos", "mocap_quat", "eq_active")
"""The fields of the engine's data that are the state of a run."""
STATIC_FIELDS = ("xpos", "xquat", "xmat", "xipos", "ximat", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat")
"""Poses in the world; those of elements that cannot move are computed before the first step only."""
_UNUSED = frozenset(("dof_M0",))
"""Constants of the engine's model that its steps do not use."""


@dataclass(frozen=True, slots=True)
class RunStart:
    """The start of a run.

    Attributes:
        model_numbers: The fields of the engine's model in which the run differs from the compiled model of the task; those of
            its options are named ``opt.NAME``.
        data: The fields :data:`STATE_FIELDS` and :data:`STATIC_FIELDS` of its data.
        contact_count: Number of contacts.
        constraint_count: Number of rows of constraints.
    """

    point: Point
    model_numbers: Mapping[str, Array]
    data: Mapping[str, Array]
    contact_count: int
    constraint_count: int


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The states of a run that has ended: an entry or a row for each sample.

    Attributes:
        times: The times of the samples [s].
        qpos: The positions, in single precision.
        qvel: The velocities, in single precision.
        is_full: Whether the device had no room for all contacts and constraints.
    """

    point: Point
    times: Array
    qpos: Float32Array
    qvel: Float32Array
    is_full: bool


def start_runs(task: Task, points: Sequence[Point]) -> list[RunStart | Row]:
    """Return the starts of runs of one variant of the model, or a row for a run that cannot start.

    Raises:
        ExecutorError: The steps of a model need more than the engine's own.
    """
    numbers = _ModelNumbers(task.base_model(points[0]))
    return [_start_run(task, numbers, point) for point in points]


def _start_run(task: Task, numbers: _ModelNumbers, point: Point) -> RunStart | Row:
    if point.is_excluded:
        return task.row(point)
    simulation = make_simulation(task, point)
    if isinstance(simulation, Row):
        return simulation
    require_engine_steps(simulation)
    data = simulation.data
    start = RunStart(
        point=point,
        model_numbers=numbers.differences(simulation.compiled.model),
        data={name: np.array(getattr(data, name)) for name in STATE_FIELDS + STATIC_FIELDS},
        contact_count=data.ncon,
        constraint_count=data.nefc,
    )
    release_engine_memory(simulation.compiled.model, data)
    return start


def finish_runs(task: Task, ends: Sequence[RunEnd]) -> list[Row]:
    """Return the rows of runs: their states are sampled by the engine in double precision."""
    return [_finish_run(task, end) for end in ends]


def _finish_run(task: Task, end: RunEnd) -> Row:
    if end.is_full:
        message = "the device has no room for all contacts and constraints of the run"
        return failed_row(end.point, Diagnostic(rule=rules.UNSUPPORTED_BY_GPU, message=message))
    if not (np.isfinite(end.qpos).all() and np.isfinite(end.qvel).all()):
        return failed_row(end.point, Diagnostic(rule=simulation_rules.SIMULATION_DIVERGED, message="the simulation diverged"))
    simulation = make_simulation(task, end.point)
    if isinstance(simulation, Row):
        return simulation
    engine, samples, forces = simulation.engine, [], []
    for time, qpos, qvel in zip(end.times.tolist(), end.qpos, end.qvel, strict=True):
        engine.data.time, engine.data.qpos[:], engine.data.qvel[:] = time, qpos, qvel
        samples.append(engine.sampler.sample())
        forces.append(DynamicsSample(engine.energy(), {}, {}, {}, None))
    row = task.finished_row(end.point, engine.sampler.recording(samples, forces), float(end.times[-1]))
    release_engine_memory(simulation.compiled.model, simulation.data)
    return replace(row, warnings=warnings_of(simulation.report))


def make_simulation(task: Task, point: Point) -> Simulation | Row:
    """Return the simulation of a point at its start, or the row of a run that cannot start."""
    try:
        return Simulation(task.compiled(point), report=Report())
    except SimulationError as error:
        return failed_row(point, *error.report.errors[:1])
    except (OssatureError, ValueError, ArithmeticError) as error:
        return failed_row(point, Diagnostic(rule=rules.IMPOSSIBLE_PARAMETER, message=str(error)))


class _ModelNumbers:
    """The arrays of the engine's model of a compiled model, to find in which of them another model differs."""

    def __init__(self, base: CompiledModel) -> None:
        model = base.compiled.model
        self._sizes = sizes_of(model)
        found = {name: np.asarray(value) for name, value in _numbers(model)}
        self._names = [name for name, value in found.items() if value.size and name not in _UNUSED]
        self._read: Callable[[mujoco.MjModel], tuple[Array, ...]] = attrgetter(*self._names)
        self._ends = np.cumsum([found[name].size for name in self._names])
        self._values = self._joined(model)

    def differences(self, model: mujoco.MjModel) -> dict[str, Array]:
        """Return the fields in which a model differs.

        Raises:
            ExecutorError: It has other numbers of elements.
        """
        if sizes_of(model) != self._sizes:
            raise unsupported("the runs differ in their numbers of elements, such as contacts or constraints")
        changed = np.flatnonzero(self._joined(model) != self._values)
        names = [self._names[number] for number in np.unique(np.searchsorted(self._ends, changed, side="right"))]
        return {name: np.array(attrgetter(name)(model)) for name in names}

    def _joined(self, model: mujoco.MjModel) -> Array:
        return np.concatenate([np.ravel(value) for value in self._read(model)], dtype=np.float64)


def _numbers(model: mujoco.MjModel) -> Iterator[tuple[str, object]]:
    for name in dir(model):
        if not name.startswith("_") and isinstance(value := getattr(model, name), np.ndarray):
            yield name, value
    for name in dir(model.opt):
        if not name.startswith("_") and isinstance(value := getattr(model.opt, name), int | float | np.ndarray):
            yield f"opt.{name}", value


# What the device can simulate


def unsupported(message: str) -> ExecutorError:
    """Return an error about what prevents a sweep."""
    return ExecutorError(f"error[{rules.UNSUPPORTED_BY_GPU.name}]: {message}")


def require_supported_task(task: Task) -> None:
    """Raise an ExecutorError unless the outputs of a task follow from positions and velocities."""
    forces = [bound.output.name for bound in task.outputs if bound.quantity.needs_forces]
    if forces:
        raise unsupported(f"the output '{forces[0]}' is a force or a constraint residual, which are not read from the device")
    if task.stop or task.run.recordings is not None:
        raise unsupported("stop conditions and recordings need each run in this process")


def require_engine_steps(simulation: Simulation) -> None:
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
        raise unsupported(f"the steps of the model need Python: {'; '.join(found)}")
