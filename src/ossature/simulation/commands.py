"""Files of commands: CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from ossature.diagnostics import Location, Report, Source, suggestion
from ossature.model import World
from ossature.simulation import rules
from ossature.simulation.signals import Table

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
