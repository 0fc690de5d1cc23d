"""Files of fits → fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import OssatureError, Report, Source, suggestion, within_limits
from ossature.recordings import open_recording
from ossature.sweeps.fit_spec import Fit, FitParameter, MeasuredSeries
from ossature.sweeps.read_table_columns import read_columns
from ossature.sweeps.rules import INVALID_SWEEP
from ossature.sweeps.schema_fit import FitFile, FitParameterElement, FitSimulationElement, MeasurementElement, SearchElement
from ossature.syntax.versioned_yaml import bind_file, read_each


def read_fit(path: Path, report: Report) -> tuple[Fit, Path] | None:
    """Return the fit in a file and its model file, or None; problems are reported."""
    data = file_bytes(path, report)
    return None if data is None else parse_fit(Source(str(path), data), report)


@within_limits
def parse_fit(source: Source, report: Report) -> tuple[Fit, Path] | None:
    """Return the fit in a text and its model file, or None; problems are reported."""
    file = bind_file(FitFile, "ossature-fit", source, report, INVALID_SWEEP)
    if file is None or file.model is None or file.recording is None:
        return None
    folder = Path(source.name).parent
    parameters = read_each(file.parameters, _read_parameter, report, INVALID_SWEEP)
    if report.has_errors:
        return None
    found = read_each([file], lambda one: _read_fit(one, parameters, folder, report), report, INVALID_SWEEP)
    return None if report.has_errors or not found else (found[0], folder / file.model)


def _read_fit(file: FitFile, parameters: Sequence[FitParameter], folder: Path, report: Report) -> Fit:
    names = [one.column or one.quantity or "" for one in file.measurements]
    columns = _read_recording(folder / (file.recording or ""), [file.time, *names], report)
    simulation, search = file.simulation or FitSimulationElement(), file.search or SearchElement()
    return Fit(
        parameters=tuple(parameters),
        measurements=tuple(_read_measurement(one, columns[name]) for one, name in zip(file.measurements, names, strict=True)),
        times=columns[file.time],
        time_step=simulation.time_step,
        integrator=simulation.integrator,
        search_runs=search.runs,
        seed=search.seed,
    )


def _read_parameter(element: FitParameterElement) -> FitParameter:
    paths = (*(() if element.path is None else (element.path,)), *(element.paths or ()))
    if not paths:
        raise ValueError("a parameter needs a path")
    return FitParameter(
        name=element.name or paths[0],
        paths=paths,
        initial=element.initial,
        low=-math.inf if element.low is None else element.low,
        high=math.inf if element.high is None else element.high,
        origin=element.location(),
    )


def _read_measurement(element: MeasurementElement, values: tuple[float, ...]) -> MeasuredSeries:
    return MeasuredSeries(
        quantity=element.quantity or "",
        values=values,
        standard_deviation=element.standard_deviation,
        origin=element.location(),
    )


def _read_recording(path: Path, names: Sequence[str], report: Report) -> dict[str, tuple[float, ...]]:
    """Return columns of a table, or of a recording of another format."""
    if path.suffix.lower() in (".csv", ".parquet"):
        return read_columns(path, list(dict.fromkeys(names)), report)
    columns, rows = open_recording(path, report).to_rows()
    places = {label: number for number, label in enumerate(columns.labels)}
    missing = [name for name in names if name not in places]
    if missing:
        raise OssatureError(f"{path} has no column '{missing[0]}': {suggestion(missing[0], places)}")
    return {name: tuple(rows[:, places[name]].tolist()) for name in names}
