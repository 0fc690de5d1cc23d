"""Trajectory files: CSV tables of joint values over time, and the animations of model files."""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path

from ossature.diagnostics import Location, Report, Source, within_limits
from ossature.formats.file_content_rules import INVALID_TRAJECTORY_FILE
from ossature.formats.format import Content, Loaded, ReadContext, WriteContext, WrittenFiles
from ossature.formats.load_file import load_file
from ossature.model import Channel, NamedList, Trajectory
from ossature.model.trajectory_curves import Curve
from ossature.syntax.csv_and_json import TableError, csv_rows, parse_number
from ossature.syntax.xml_values import format_number

_COLUMN = re.compile(r"(?P<model>[^/]+)/(?P<joint>.+?)(?:\[(?P<coordinate>[0-9]{1,4})\])?")
_HEADER = "time,MODEL/JOINT,MODEL/JOINT[1]"


def read_trajectories(path: Path, report: Report, *, format_name: str | None = None) -> NamedList[Trajectory]:
    """Return the trajectories in a file: a table, or a model file with animations; problems are reported.

    Args:
        format_name: The format of the file; determined from its suffix or first bytes if None.
    """
    found = load_file(path, report, contents=(Content.TRAJECTORY, Content.WORLD), format_name=format_name)
    return found.trajectories if found.world is None else found.world.trajectories


def read(context: ReadContext) -> Loaded:
    """Return the trajectory of a CSV table, named after its file.

    It has a header ``time,MODEL/JOINT,MODEL/JOINT[1]…`` and rows of numbers [s, rad or m] with increasing times; values
    between its rows are interpolated linearly.
    """
    found = parse_trajectory_csv(context.source, context.report, name=Path(context.source.name).stem)
    return Loaded(trajectories=NamedList([] if found is None else [found]))


def write(trajectory: Trajectory, context: WriteContext) -> WrittenFiles:
    """Return a trajectory with common times and linear interpolation as a CSV table; see :func:`trajectory_csv`."""
    return context.main_file(trajectory_csv(trajectory))


@within_limits
def parse_trajectory_csv(source: Source, report: Report, *, name: str) -> Trajectory | None:
    """Return the trajectory of a table, or None with a finding; see :func:`read`."""
    text = io.StringIO(source.data.decode("utf-8-sig", "replace"), newline="")
    rows = csv_rows(text, report.budget, Location(source, 0))
    line = 1
    try:
        _, header = next(rows, (0, [""]))
        if header[0].strip() != "time":
            raise ValueError("the first column is not 'time'")
        columns = [_parse_column_name(cell.strip()) for cell in header[1:]]
        numbers = []
        for number, row in rows:
            line = number
            numbers.append(_parse_numbers(row, len(columns) + 1))
        line = 1
        return _make_trajectory(name, columns, numbers, Location(source, 0))
    except ValueError as error:
        line = error.line if isinstance(error, TableError) else line
        report.add(INVALID_TRAJECTORY_FILE, str(error), Location(source, source.offset_of(line)), hint=_HEADER)
        return None


def _parse_column_name(cell: str) -> tuple[str, str, int]:
    found = _COLUMN.fullmatch(cell)
    if found is None:
        raise ValueError(f"the column '{cell[:60]}' is not MODEL/JOINT")
    return found["model"], found["joint"], int(found["coordinate"] or 0)


_LARGEST = 1e100
"""Differences and products of larger numbers overflow [s, rad or m]."""


def _parse_numbers(row: list[str], width: int) -> list[float]:
    if len(row) != width:
        raise ValueError(f"a row of {len(row)} numbers; the header has {width} columns")
    values = []
    for cell in row:
        try:
            value = parse_number(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"'{cell[:40]}' is not a finite number")
        if abs(value) > _LARGEST:
            raise ValueError(f"'{cell[:40]}' is larger than {_LARGEST:g}")
        values.append(value)
    return values


def _make_trajectory(name: str, columns: list[tuple[str, str, int]], rows: list[list[float]], location: Location) -> Trajectory:
    if not rows or not columns:
        raise ValueError("there are no rows of numbers" if columns else "there is only the column 'time'")
    if len(set(columns)) < len(columns):
        raise ValueError("there are two columns of the same coordinate")
    times, *values = zip(*rows, strict=True)
    channels = [
        Channel(model=model, joint=joint, coordinate=coordinate, times=times, values=column, origin=location)
        for (model, joint, coordinate), column in zip(columns, values, strict=True)
    ]
    Curve(channels[0])
    return Trajectory(name=name, channels=tuple(channels), origin=location)


def trajectory_csv(trajectory: Trajectory) -> str:
    """Return a trajectory with common times and linear interpolation as a CSV table.

    Raises:
        ValueError: Its channels have different times or nonlinear interpolation: resample it first.
    """
    first = trajectory.channels[0] if trajectory.channels else None
    if first is None:
        raise ValueError(f"the trajectory '{trajectory.name}' has no channels")
    for channel in trajectory.channels:
        if channel.times != first.times or set(channel.interpolations) != {"LINEAR"}:
            raise ValueError(f"'{channel.path}' has different times or nonlinear interpolation; resample the trajectory")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["time", *(channel.path for channel in trajectory.channels)])
    columns = [first.times, *(channel.values for channel in trajectory.channels)]
    writer.writerows([[format_number(number) for number in row] for row in zip(*columns, strict=True)])
    return text.getvalue()
