"""One run of a sweep: a point → a row of the results. A task is pickled for other processes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ossature.diagnostics import Diagnostic, OssatureError, Report
from ossature.formats.mjcf.engine_memory import release_engine_memory
from ossature.instance_maker import with_attributes
from ossature.model import Range, World
from ossature.model.edit import with_value_at
from ossature.model.element_paths import ElementPath
from ossature.simulation import CompiledModel, NeedsCompilingError, Recording, Simulation, SimulationError
from ossature.sweeps import rules
from ossature.sweeps.parse_expression import value_of
from ossature.sweeps.points import Point, Value
from ossature.sweeps.quantities import Quantity, statistic_of
from ossature.sweeps.sweep_spec import Output, Run, StopCondition

if TYPE_CHECKING:
    from ossature.sweeps.sweep_spec import Function

Cell: TypeAlias = "float | str | list[float] | None"

CHECKED_EVERY = 100
"""One of so many runs is done again with a model that is compiled anew."""


class InconsistentCompilationError(OssatureError):
    """The same run of two compilations of one World yields different numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The result of one run.

    Attributes:
        index: The number of the run.
        status: ``finished``, ``stopped`` by a condition, ``failed`` or ``excluded`` by a constraint.
        end_time: The time at which the run ended [s], or None if it did not begin.
        parameters: The value of each parameter by name.
        results: Outputs and metrics by name.
        warnings: Names of the rules of warnings about the run.
        rule: Name of the rule of the error, or empty.
        message: The error, or empty.
    """

    index: int
    status: str
    end_time: float | None = None
    parameters: Mapping[str, Value]
    results: Mapping[str, Cell] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    rule: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundOutput:
    """An output with the quantity that it is a statistic of.

    Attributes:
        limits: The limits of the joint for the event that one is reached, or None.
    """

    output: Output
    quantity: Quantity
    limits: Range | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Everything that the runs of a sweep have in common; it is immutable, and shared by threads.

    Attributes:
        models: The compiled models by name of their variant; one with an empty name if there are no variants.
        attributes: The attributes that each parameter sets, by the name of the variant and that of the parameter.
        relative: The values in the model of the attributes that parameters multiply, by the names of variant and parameter.
        variant: Name of the parameter that chooses the model, or None.
        run: What each run simulates and records.
        outputs: The outputs with their quantities.
        stop: The stop conditions with their quantities.
        folder: Folder of the recordings, or None.
    """

    models: Mapping[str, CompiledModel]
    attributes: Mapping[str, Mapping[str, Sequence[ElementPath]]]
    relative: Mapping[str, Mapping[str, Sequence[float]]]
    variant: str | None = None
    run: Run
    outputs: Sequence[BoundOutput]
    stop: Sequence[tuple[StopCondition, Quantity]] = ()
    folder: Path | None = None

    def rows(self, points: Sequence[Point]) -> list[Row]:
        """Return the rows of several points; a run that fails is a row too.

        Raises:
            InconsistentCompilationError: A run differs from that of a model compiled anew.
        """
        return [self.row(point) for point in points]

    def row(self, point: Point) -> Row:
        """Return the row of one point; see :meth:`rows`."""
        if point.is_excluded:
            return Row(index=point.index, status="excluded", parameters=point.values)
        try:
            row = self._simulate(point, self.compiled(point))
            if point.index % CHECKED_EVERY == 0:
                self._require_same(row, self._simulate(point, self.compiled(point, anew=True)))
            return row
        except SimulationError as error:
            return failed_row(point, *error.report.errors[:1])
        except InconsistentCompilationError:
            raise
        except (OssatureError, ValueError, ArithmeticError) as error:
            return failed_row(point, Diagnostic(rule=rules.IMPOSSIBLE_PARAMETER, message=str(error)))

    def _require_same(self, row: Row, anew: Row) -> None:
        if repr(row) != repr(anew):  # NaN equals NaN here
            message = f"run {row.index} differs from that of a model compiled anew: {row.results} and {anew.results}"
            raise InconsistentCompilationError(message)

    # Models

    def variant_of(self, point: Point) -> str:
        """Return the name of the variant of the model at a point."""
        return "" if self.variant is None else str(point.values[self.variant])

    def base_model(self, point: Point) -> CompiledModel:
        """Return the compiled model whose numbers a point changes."""
        return self.models[self.variant_of(point)]

    def compiled(self, point: Point, *, anew: bool = False) -> CompiledModel:
        """Return the compiled model of a point, for one run.

        Args:
            anew: Whether the World is compiled anew, also where changing its numbers is enough.

        Raises:
            SimulationError: The World cannot be simulated.
            ModelError: A value does not fit.
        """
        base = self.base_model(point)
        world = self._world(base.world, self.variant_of(point), point)
        return with_attributes(self._compile(base, world, anew=anew), is_for_one_run=True)

    @staticmethod
    def _compile(base: CompiledModel, world: World, *, anew: bool) -> CompiledModel:
        if anew:
            return base.compile_anew(world)
        try:
            return base.with_world(world)
        except NeedsCompilingError:
            return base.compile_anew(world)

    def _world(self, world: World, variant: str, point: Point) -> World:
        relative = self.relative[variant]
        for name, positions in self.attributes[variant].items():
            value = float(point.values[name])
            if not math.isfinite(value):
                raise ValueError(f"the parameter '{name}' has no finite value")
            values = [value * factor for factor in relative[name]] if name in relative else repeat(value, len(positions))
            for at, new in zip(positions, values, strict=True):
                world = with_value_at(world, at, new)
        return world

    # Runs

    def _simulate(self, point: Point, compiled: CompiledModel) -> Row:
        simulation = Simulation(compiled, report=Report(limits=compiled.meshes.limits))
        try:
            return self._row_of_run(point, simulation)
        finally:
            release_engine_memory(simulation.compiled.model, simulation.data)

    def _row_of_run(self, point: Point, simulation: Simulation) -> Row:
        report = simulation.report
        try:
            recording = simulation.run(
                self.run.duration,
                self.run.sample_interval,
                record=self.recording_file(point),
                forces=any(quantity.needs_forces for quantity in self._quantities()),
                until=self._stops if self.stop else None,
            )
        except SimulationError as error:
            failed = failed_row(point, *error.report.errors[:1])
            return replace(failed, end_time=simulation.time, warnings=warnings_of(report))
        return replace(self.finished_row(point, recording, simulation.time), warnings=warnings_of(report))

    def finished_row(self, point: Point, recording: Recording, end_time: float) -> Row:
        """Return the row of a run with a recording."""
        status = "stopped" if self.stop and self._stops(recording) else "finished"
        results = self._results(point, recording)
        row = Row(index=point.index, status=status, end_time=end_time, parameters=point.values, results=results)
        return _with_functions(row, self.run.functions, recording)

    def _quantities(self) -> list[Quantity]:
        return [*(one.quantity for one in self.outputs), *(quantity for _, quantity in self.stop)]

    def recording_file(self, point: Point) -> Path | None:
        """Return the file of the recording of a run, or None."""
        return None if self.folder is None else self.folder / f"run-{point.index:08d}{self.run.recordings}"

    def _stops(self, recording: Recording) -> bool:
        """Whether the last sample satisfies a stop condition."""
        for condition, quantity in self.stop:
            value = quantity.samples(recording)[-1]
            if (condition.above is not None and value > condition.above) or (
                condition.below is not None and value < condition.below
            ):
                return True
        return False

    def _results(self, point: Point, recording: Recording) -> dict[str, Cell]:
        results: dict[str, Cell] = {
            bound.output.name: statistic_of(bound.output, recording.times, bound.quantity.samples(recording), bound.limits)
            for bound in self.outputs
        }
        known = {name: math.nan if value is None else value for name, value in (point.values | results).items()}
        for metric in self.run.metrics:
            value = known[metric.name] = value_of(metric.formula.expression, known)
            results[metric.name] = None if math.isnan(value) else value
        return results


def _with_functions(row: Row, functions: Mapping[str, Function], recording: Recording) -> Row:
    """Return a row with the metrics of the user's functions."""
    results = dict(row.results)
    for name, function in functions.items():
        try:
            results[name] = float(function(recording))
        except Exception as error:  # noqa: BLE001  # the user's code may raise anything; the other runs go on
            message = f"'{name}' raises {type(error).__name__}: {error}"
            return replace(row, status="failed", results=results, rule=rules.FAILED_METRIC.name, message=message)
    return replace(row, results=results)


def failed_row(point: Point, error: Diagnostic | None = None) -> Row:
    """Return the row of a run that failed."""
    rule, message = (rules.IMPOSSIBLE_PARAMETER.name, "") if error is None else (error.rule.name, error.message)
    return Row(index=point.index, status="failed", parameters=point.values, rule=rule, message=message)


def warnings_of(report: Report) -> tuple[str, ...]:
    """Return the names of the rules of warnings."""
    return tuple(sorted({one.rule.name for one in report.warnings}))
