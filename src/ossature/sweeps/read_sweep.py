"""Files of sweeps → sweeps."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Report, Source, within_limits
from ossature.sweeps.distributions import Distribution, LogNormal, LogUniform, Normal, Triangular, Uniform, Values
from ossature.sweeps.read_table_columns import read_columns
from ossature.sweeps.rules import INVALID_SWEEP
from ossature.sweeps.schema_sweep import (
    DesignElement,
    MetricElement,
    OutputElement,
    ParameterElement,
    SimulationElement,
    StopElement,
    SweepFile,
)
from ossature.sweeps.sweep_spec import Design, Formula, Metric, Output, Parameter, Run, StopCondition, Sweep, Variants
from ossature.syntax.versioned_yaml import bind_file, read_each


def read_sweep(path: Path, report: Report) -> tuple[Sweep, Path | None] | None:
    """Return the sweep in a file and its model file, or None; problems are reported."""
    data = file_bytes(path, report)
    return None if data is None else parse_sweep(Source(str(path), data), report)


@within_limits
def parse_sweep(source: Source, report: Report) -> tuple[Sweep, Path | None] | None:
    """Return the sweep in a text and its model file, or None; problems are reported."""
    file = bind_file(SweepFile, "ossature-sweep", source, report, INVALID_SWEEP)
    if file is None:
        return None
    folder = Path(source.name).parent
    run = read_each([file], lambda _: _read_run(file, report), report, INVALID_SWEEP)
    design = read_each([file.design or DesignElement()], _read_design, report, INVALID_SWEEP)
    columns = _read_table(file, folder, report)
    parameters = read_each(file.parameters, lambda one: _read_parameter(one, columns), report, INVALID_SWEEP)
    constraints = read_each([file], lambda _: tuple([Formula(text) for text in file.constraints or ()]), report, INVALID_SWEEP)
    has_files = any(isinstance(one.source, Variants) for one in parameters)
    if has_files == (file.model is not None):
        message = "both a model and a parameter with files" if has_files else "no model"
        report.add(INVALID_SWEEP, f"the sweep has {message}", file.location(), hint="specify one of them")
    if report.has_errors or not run or not design or not constraints:
        return None
    sweep = Sweep(
        parameters=parameters,
        run=run[0],
        design=design[0],
        constraints=constraints[0],
        text=source.data.decode(errors="replace"),
        origin=file.location(),
    )
    return sweep, None if file.model is None else folder / file.model


def _read_run(file: SweepFile, report: Report) -> Run | None:
    simulation = file.simulation
    if simulation is None or simulation.duration is None:
        return None  # reported by the binder
    return Run(
        **simulation_options(simulation),
        outputs=read_each(file.outputs, read_output, report, INVALID_SWEEP),
        metrics=read_each(file.metrics, _read_metric, report, INVALID_SWEEP),
        stop=read_each(file.stop, _read_stop, report, INVALID_SWEEP),
        recordings=None if file.recordings is None else f".{file.recordings}",
    )


_SIMULATION_OPTIONS = ("duration", "time_step", "sample_interval", "integrator", "contact_time_constant")


def simulation_options(element: SimulationElement) -> dict[str, Any]:
    """Return the arguments of a :class:`Run` that an element states."""
    return {name: getattr(element, name) for name in _SIMULATION_OPTIONS}


def _read_design(element: DesignElement) -> Design:
    return Design(method=element.method, count=element.count, seed=element.seed)  # type: ignore[arg-type]  # one of its words


def read_output(element: OutputElement) -> Output | None:
    """Return an output; None if the binder has reported what is missing."""
    if element.name is None or element.quantity is None:
        return None
    return Output(
        name=element.name,
        quantity=element.quantity,
        statistic=element.statistic,  # type: ignore[arg-type]  # one of its words
        threshold=element.threshold,
        origin=element.location(),
    )


def _read_metric(element: MetricElement) -> Metric | None:
    if element.name is None or element.expression is None:
        return None
    return Metric(name=element.name, formula=Formula(element.expression), origin=element.location())


def _read_stop(element: StopElement) -> StopCondition | None:
    if element.quantity is None:
        return None
    return StopCondition(quantity=element.quantity, above=element.above, below=element.below, origin=element.location())


# Parameters


def _read_table(file: SweepFile, folder: Path, report: Report) -> dict[str, tuple[float, ...]]:
    if file.table is None:
        return {}
    names = [one.column for one in file.parameters if one.column is not None]
    found = read_each([file], lambda _: read_columns(folder / (file.table or ""), names, report), report, INVALID_SWEEP)
    return found[0] if found else dict.fromkeys(names, (0.0,))


_SOURCES = ("values", "column", "expression", "files", "distribution")
"""Keys of which a parameter has one."""


def _read_parameter(element: ParameterElement, columns: dict[str, tuple[float, ...]]) -> Parameter | None:
    in_file = element.node is not None and element.node.field_location(*_SOURCES) is not None
    if in_file and all(getattr(element, key) is None for key in _SOURCES):
        return None  # reported by the binder
    paths = (*(() if element.path is None else (element.path,)), *(element.paths or ()))
    name = element.name or element.path
    if name is None:
        raise ValueError("a parameter needs a name or a path")
    if element.files is not None and paths:
        raise ValueError(f"'{name}' has files, which are no values of an attribute")
    return Parameter(
        name=name,
        paths=paths,
        source=_read_source(element, name, columns),
        is_relative=element.relative,
        origin=element.location(),
    )


def _read_source(
    element: ParameterElement, name: str, columns: dict[str, tuple[float, ...]]
) -> Distribution | Values | Formula | Variants:
    specified = [key for key in _SOURCES if getattr(element, key) is not None]
    if len(specified) != 1:
        raise ValueError(f"'{name}' has {' and '.join(specified) or 'no values'}: state one of {', '.join(_SOURCES)}")
    if element.values is not None:
        return Values(element.values)
    if element.expression is not None:
        return Formula(element.expression)
    if element.files is not None:
        if not element.files:
            raise ValueError(f"'{name}' has no files")
        return Variants(element.files)
    if element.column is not None:
        if element.column not in columns:
            raise ValueError(f"'{name}' has a column, but the sweep has no table")
        return Values(columns[element.column])
    return _DISTRIBUTIONS[element.distribution or ""](element)


def _specified(element: ParameterElement, *names: str) -> list[float]:
    missing = [name for name in names if getattr(element, name) is None]
    if missing:
        raise ValueError(f"a {element.distribution} distribution needs {' and '.join(missing)}")
    return [getattr(element, name) for name in names]


def _normal(element: ParameterElement) -> Normal:
    low = -math.inf if element.low is None else element.low
    high = math.inf if element.high is None else element.high
    mean, standard_deviation = _specified(element, "mean", "standard_deviation")
    return Normal(mean, standard_deviation, low, high)


_DISTRIBUTIONS: dict[str, Callable[[ParameterElement], Distribution]] = {
    "uniform": lambda element: Uniform(*_specified(element, "low", "high")),
    "log-uniform": lambda element: LogUniform(*_specified(element, "low", "high")),
    "normal": _normal,
    "log-normal": lambda element: LogNormal(*_specified(element, "median", "standard_deviation")),
    "triangular": lambda element: Triangular(*_specified(element, "low", "mode", "high")),
}
