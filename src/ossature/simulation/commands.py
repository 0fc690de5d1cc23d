"""Commands: values over time for the coordinates of a joint, and the files that hold them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from ossature.diagnostics import Location, Report, Source, suggestion
from ossature.model import World
from ossature.simulation import rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

Values: TypeAlias = "float | Sequence[float]"


class Signal(Protocol):
    """Values over time, one for each coordinate."""

    def at(self, time: float) -> NDArray[np.float64]:
        """Return the values at a time [s]."""

    def integral(self, start: float, stop: float) -> NDArray[np.float64]:
        """Return the integral of the values from one time to another [s]."""


@dataclass(frozen=True, slots=True)
class Constant:
    """The same values at all times."""

    values: NDArray[np.float64]

    def at(self, time: float) -> NDArray[np.float64]:
        """Return the values."""
        return self.values

    def integral(self, start: float, stop: float) -> NDArray[np.float64]:
        """Return the integral of the values."""
        return self.values * (stop - start)


class Table:
    """Straight lines through given points, held outside them; integrated exactly.

    Args:
        times: Times in growing order [s], shape (n,).
        values: Values at these times, shape (n,) or (n, coordinates).

    Raises:
        ValueError: The times do not grow, or the counts differ.
    """

    def __init__(self, times: Sequence[float], values: Sequence[float] | Sequence[Sequence[float]]) -> None:
        self._times = np.asarray(times, dtype=float)
        self._values = np.asarray(values, dtype=float).reshape(len(self._times), -1)
        if self._times.size == 0 or not (np.diff(self._times) > 0.0).all():
            raise ValueError("the times of a table must grow, and there must be one at least")
        if not (np.isfinite(self._times).all() and np.isfinite(self._values).all()):
            raise ValueError("times and values of a table must be finite")
        steps = np.diff(self._times)[:, None] * (self._values[:-1] + self._values[1:]) / 2.0
        self._areas = np.vstack([np.zeros((1, self._values.shape[1])), np.cumsum(steps, axis=0)])
        self._time_list = self._times.tolist()

    @property
    def width(self) -> int:
        """How many coordinates it has."""
        return int(self._values.shape[1])

    def at(self, time: float) -> NDArray[np.float64]:
        """Return the values at a time [s]."""
        index = bisect_right(self._time_list, time)
        if index == 0:
            return np.asarray(self._values[0])
        if index == len(self._time_list):
            return np.asarray(self._values[-1])
        start, stop = self._time_list[index - 1], self._time_list[index]
        share = (time - start) / (stop - start)
        return np.asarray((1.0 - share) * self._values[index - 1] + share * self._values[index])

    def integral(self, start: float, stop: float) -> NDArray[np.float64]:
        """Return the integral of the values from one time to another [s]."""
        return self._area(stop) - self._area(start)

    def _area(self, time: float) -> NDArray[np.float64]:
        index = bisect_right(self._time_list, time)
        if index == 0:
            return np.asarray((time - self._time_list[0]) * self._values[0])
        before = self._time_list[index - 1]
        return np.asarray(self._areas[index - 1] + (time - before) * (self._values[index - 1] + self.at(time)) / 2.0)


@dataclass(frozen=True, slots=True)
class Computed:
    """Values that a function of time gives; integrated by Simpson's rule."""

    function: Callable[[float], Values]
    width: int

    def at(self, time: float) -> NDArray[np.float64]:
        """Return the values at a time [s].

        Raises:
            ValueError: The function returns a wrong count of values, or one that is not finite.
        """
        return _checked(self.function(time), self.width)

    def integral(self, start: float, stop: float) -> NDArray[np.float64]:
        """Return the integral of the values from one time to another [s]."""
        middle = (start + stop) / 2.0
        return (self.at(start) + 4.0 * self.at(middle) + self.at(stop)) * ((stop - start) / 6.0)


def signal(values: Values | Signal | Callable[[float], Values], width: int) -> Signal:
    """Return numbers, a table or a function of time as a signal.

    Raises:
        ValueError: There are too many or too few numbers, or one is not finite.
    """
    if isinstance(values, Table):
        if values.width != width:
            raise ValueError(f"the table has {values.width} values at each time, the joint has {width} coordinates")
        return values
    if isinstance(values, Constant | Computed):
        return values
    if callable(values):
        return Computed(values, width)
    return Constant(_checked(values, width))  # type: ignore[arg-type]  # what is left are numbers


def _checked(values: Values, width: int) -> NDArray[np.float64]:
    array = np.atleast_1d(np.asarray(values, dtype=float))
    if array.shape != (width,):
        raise ValueError(f"a command needs {width} values, not {array.size}")
    if not np.isfinite(array).all():
        raise ValueError("a command must be finite")
    return array


Commands: TypeAlias = dict[tuple[str, str], Table]
"""Tables by model and joint."""

_COLUMN = re.compile(r"^(?P<path>.+?)(\[(?P<index>\d+)\])?$")


def read_commands(path: Path, world: World, report: Report) -> Commands:
    """Return the commands in a CSV or JSON file; every problem goes to the report.

    CSV: a header ``time,MODEL/JOINT,MODEL/JOINT[1]…`` and rows of numbers. JSON: ``{"MODEL/JOINT": [[time, value, …]]}``.
    """
    try:
        source = Source(str(path), path.read_bytes())
    except OSError as error:
        report.add(rules.BAD_COMMANDS, error.strerror or str(error), Location(Source(str(path))))
        return {}
    reader = _read_json if path.suffix.lower() == ".json" else _read_csv
    return reader(source, world, report)


def _read_csv(source: Source, world: World, report: Report) -> Commands:
    rows = list(csv.reader(io.StringIO(source.data.decode(source.encoding, "replace"))))
    if not rows or not rows[0] or rows[0][0].strip() != "time":
        report.add(rules.BAD_COMMANDS, "the first column is not 'time'", Location(source, 0), hint="time,MODEL/JOINT")
        return {}
    numbers = _numbers(rows[1:], len(rows[0]), source, report)
    if numbers is None:
        return {}
    columns: dict[tuple[str, str], dict[int, int]] = {}
    for column, name in enumerate(rows[0][1:], start=1):
        found = _COLUMN.match(name.strip())
        key = _joint(found["path"], world, Location(source, 0), report) if found else None
        if key is not None and found is not None:
            columns.setdefault(key, {})[int(found["index"] or 0)] = column
    return {
        key: table
        for key, by_index in columns.items()
        if (table := _table_of_columns(key, by_index, numbers, world, source, report)) is not None
    }


def _numbers(rows: list[list[str]], width: int, source: Source, report: Report) -> list[list[float]] | None:
    result = []
    for line, row in enumerate(rows, start=2):
        if not row:
            continue
        try:
            values = [float(cell) for cell in row]
        except ValueError as error:
            report.add(rules.BAD_COMMANDS, str(error), Location(source, source.offset_of(line)))
            return None
        if len(values) != width or not all(map(math.isfinite, values)):
            report.add(
                rules.BAD_COMMANDS,
                f"a row of {len(values)} numbers, the header has {width}" if len(values) != width else "not finite",
                Location(source, source.offset_of(line)),
            )
            return None
        result.append(values)
    return result


def _table_of_columns(
    key: tuple[str, str],
    by_index: dict[int, int],
    numbers: list[list[float]],
    world: World,
    source: Source,
    report: Report,
) -> Table | None:
    count = world.models[key[0]].joints[key[1]].degrees_of_freedom
    if sorted(by_index) != list(range(count)):
        report.add(
            rules.BAD_COMMANDS,
            f"joint '{'/'.join(key)}' needs columns for its {count} coordinates",
            Location(source, 0),
            hint=", ".join(f"{'/'.join(key)}[{index}]" for index in range(count)),
        )
        return None
    rows = [[row[by_index[index]] for index in range(count)] for row in numbers]
    return _table([row[0] for row in numbers], rows, Location(source, 0), report)


def _read_json(source: Source, world: World, report: Report) -> Commands:
    try:
        data = json.loads(source.data)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        offset = source.offset_of(error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else 0
        report.add(rules.BAD_COMMANDS, str(error), Location(source, offset))
        return {}
    if not isinstance(data, dict):
        report.add(rules.BAD_COMMANDS, "not an object", Location(source, 0), hint='{"MODEL/JOINT": [[time, value]]}')
        return {}
    commands: Commands = {}
    for name, rows in data.items():
        location = Location(source, max(source.data.find(json.dumps(name).encode()), 0))
        key = _joint(name, world, location, report)
        if key is not None:
            table = _table_of_rows(key, rows, world, location, report)
            if table is not None:
                commands[key] = table
    return commands


def _table_of_rows(key: tuple[str, str], rows: Any, world: World, location: Location, report: Report) -> Table | None:
    count = world.models[key[0]].joints[key[1]].degrees_of_freedom
    try:
        numbers = [[float(value) for value in row] for row in rows]
    except (TypeError, ValueError):
        report.add(rules.BAD_COMMANDS, f"'{'/'.join(key)}' is no list of numbers over time", location)
        return None
    if any(len(row) != count + 1 for row in numbers):
        report.add(rules.BAD_COMMANDS, f"each row of '{'/'.join(key)}' needs a time and {count} values", location)
        return None
    return _table([row[0] for row in numbers], [row[1:] for row in numbers], location, report)


def _table(times: list[float], rows: list[list[float]], location: Location, report: Report) -> Table | None:
    try:
        return Table(times, rows)
    except ValueError as error:
        report.add(rules.BAD_COMMANDS, str(error), location)
        return None


def _joint(path: str, world: World, location: Location, report: Report) -> tuple[str, str] | None:
    for model in world.models:
        prefix = f"{model.name}/"
        if path.startswith(prefix) and path[len(prefix) :] in model.joints:
            return model.name, path[len(prefix) :]
    report.add(rules.BAD_COMMANDS, f"there is no joint '{path}'", location, hint=suggestion(path, _joint_paths(world)))
    return None


def _joint_paths(world: World) -> Iterable[str]:
    return [f"{model.name}/{joint.name}" for model in world.models for joint in model.joints]
