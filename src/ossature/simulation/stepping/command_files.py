"""Files of commands: CSV and JSON."""

from __future__ import annotations

import codecs
import io
import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from ossature.assets.regular_files import file_bytes
from ossature.diagnostics import Location, Report, Source, within_limits
from ossature.model import Actuation, Joint, Model, World
from ossature.simulation import rules
from ossature.simulation.stepping.electric_motor_drive import MotorQuantity, split_command
from ossature.simulation.stepping.signals import SampledSignal
from ossature.syntax.csv_and_json import TableError, csv_rows, json_document

JointKey: TypeAlias = tuple[str, str]
"""Names of a model and of one of its joints."""
Commands: TypeAlias = dict[JointKey, SampledSignal]
"""Tables by model and joint."""

_INDEXED = re.compile(r"(?P<path>.+)\[(?P<index>[0-9]{1,9})\]")


def read_commands(path: Path, world: World, report: Report) -> Commands:
    """Return the commands in a CSV or JSON file; invalid content is added to the report.

    CSV: a header ``time,MODEL/JOINT,MODEL/JOINT[1]…`` and rows of numbers. JSON: ``{"MODEL/JOINT": [[time, value, …]]}``.
    """
    return _read_file(path, report, world) or {}


@within_limits
def _read_file(path: Path, report: Report, world: World) -> Commands:
    data = file_bytes(path, report, rule=rules.INVALID_COMMAND_FILE)
    if data is None:
        return {}
    reader = _read_json if path.suffix.lower() == ".json" else _read_csv
    return reader(Source(str(path), data), world, report)


def _decode(source: Source) -> str:
    wide = source.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return source.data.decode("utf-16" if wide else "utf-8-sig", "replace")


# CSV


def _read_csv(source: Source, world: World, report: Report) -> Commands:
    top = Location(source, 0)
    rows = csv_rows(io.StringIO(_decode(source), newline=""), report.budget, top)
    try:
        _, header = next(rows, (0, [""]))
        if header[0].strip() != "time":
            report.add(rules.INVALID_COMMAND_FILE, "the first column is not 'time'", top, hint="time,MODEL/JOINT")
            return {}
        numbers = _read_rows(rows, len(header), source, report)
    except TableError as error:
        report.add(rules.INVALID_COMMAND_FILE, str(error), Location(source, source.offset_of(error.line)))
        return {}
    columns = _coordinate_columns([cell.strip() for cell in header], world, top, report)
    if numbers is None:
        return {}
    if not numbers:
        report.add(rules.INVALID_COMMAND_FILE, "there is no row of numbers after the header", top)
        return {}
    tables = {key: _table_of_columns(key, by_index, numbers, world, top, report) for key, by_index in columns.items()}
    return {key: table for key, table in tables.items() if table is not None}


def _read_rows(rows: Iterable[tuple[int, list[str]]], width: int, source: Source, report: Report) -> list[list[float]] | None:
    result = []
    for line, row in rows:
        values = [_parse_number(cell) for cell in row]
        if len(values) != width or not all(map(math.isfinite, values)):
            odd = next((cell for cell, value in zip(row, values, strict=True) if not math.isfinite(value)), "")
            report.add(
                rules.INVALID_COMMAND_FILE,
                f"a row has {len(values)} numbers, the header has {width} columns"
                if len(values) != width
                else f"not a finite number: '{odd[:40]}'",
                Location(source, source.offset_of(line)),
            )
            return None
        result.append(values)
    return result


def _parse_number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _coordinate_columns(header: list[str], world: World, location: Location, report: Report) -> dict[JointKey, dict[int, int]]:
    """Return for each joint the column of each of its coordinates."""
    columns: dict[JointKey, dict[int, int]] = {}
    for column, name in enumerate(header[1:], start=1):
        report.budget.check_time(location)
        indexed = None if _find_key(name, world) else _INDEXED.fullmatch(name)
        key = _resolve_path(indexed["path"] if indexed else name, world, location, report)
        if key is None:
            continue
        index = int(indexed["index"]) if indexed else 0
        if index in columns.setdefault(key, {}):
            report.add(rules.INVALID_COMMAND_FILE, f"duplicate column '{name}'", location)
        columns[key][index] = column
    return columns


def _table_of_columns(
    key: JointKey, by_index: dict[int, int], numbers: list[list[float]], world: World, location: Location, report: Report
) -> SampledSignal | None:
    count = _command_width(key, world)
    if sorted(by_index) != list(range(count)):
        report.add(
            rules.INVALID_COMMAND_FILE,
            f"joint '{'/'.join(key)}' needs one column for each of its {count} coordinates",
            location,
            hint=", ".join(f"{'/'.join(key)}[{index}]" for index in range(count)),
        )
        return None
    rows = [[row[by_index[index]] for index in range(count)] for row in numbers]
    return _make_signal([row[0] for row in numbers], rows, location, report)


# JSON


def _read_json(source: Source, world: World, report: Report) -> Commands:
    try:
        # Objects as pairs, so that duplicate names are detected.
        data = json_document(_decode(source), report.budget, Location(source, 0), parse_int=float, object_pairs_hook=tuple)
    except json.JSONDecodeError as error:
        report.add(rules.INVALID_COMMAND_FILE, str(error), Location(source, source.offset_of(error.lineno, error.colno)))
        return {}
    except RecursionError:
        report.add(rules.INVALID_COMMAND_FILE, "nested too deeply", Location(source, 0))
        return {}
    if not isinstance(data, tuple):
        report.add(rules.INVALID_COMMAND_FILE, "not an object", Location(source, 0), hint='{"MODEL/JOINT": [[time, value]]}')
        return {}
    commands: Commands = {}
    for (name, rows), location in zip(data, _name_locations([name for name, _ in data], source), strict=True):
        report.budget.check_time(location)
        key = _resolve_path(name, world, location, report)
        table = None if key is None else _table_of_rows(key, rows, world, location, report)
        if key is None or table is None:
            continue
        if key in commands:
            report.add(rules.INVALID_COMMAND_FILE, f"duplicate name '{name}'", location)
        commands[key] = table
    return commands


def _name_locations(names: Iterable[str], source: Source) -> Iterator[Location]:
    """Yield the locations of names, in order; from the first name that is written with escapes on, that of the file."""
    offset = 0
    for name in names:
        spelled = json.dumps(name, ensure_ascii=False).encode("utf-8", "replace")
        found = source.data.find(spelled, offset)
        yield Location(source, max(found, 0))
        offset = found + len(spelled) if found >= 0 else len(source.data)


def _table_of_rows(key: JointKey, rows: Any, world: World, location: Location, report: Report) -> SampledSignal | None:
    count = _command_width(key, world)
    if not _is_list_of_numbers(rows):
        report.add(
            rules.INVALID_COMMAND_FILE, f"the value of '{'/'.join(key)}' is not a list of [time, value, …] lists", location
        )
        return None
    if any(len(row) != count + 1 for row in rows):
        report.add(rules.INVALID_COMMAND_FILE, f"each row of '{'/'.join(key)}' needs a time and {count} values", location)
        return None
    return _make_signal([row[0] for row in rows], [row[1:] for row in rows], location, report)


def _is_list_of_numbers(rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(row, list) and all(isinstance(value, float) for value in row) for row in rows
    )


# Both


def _make_signal(times: list[float], rows: list[list[float]], location: Location, report: Report) -> SampledSignal | None:
    try:
        return SampledSignal(times, rows)
    except ValueError as error:
        report.add(rules.INVALID_COMMAND_FILE, str(error), location)
        return None


def _resolve_path(path: str, world: World, location: Location, report: Report) -> JointKey | None:
    key = _find_key(path, world)
    if key is None:
        report.add(
            rules.INVALID_COMMAND_FILE,
            f"there is no joint '{path}'",
            location,
            hint=report.suggestion(path, _joint_paths(world)),
        )
        return None
    model = world.models[key[0]]
    joint = _commanded_joint(key, world)
    if joint is None:
        return key
    if model.static or joint.degrees_of_freedom == 0:
        report.add(rules.INVALID_COMMAND_FILE, f"joint '{path}' has no degrees of freedom and accepts no command", location)
        return None
    if joint.actuation in (Actuation.PASSIVE, Actuation.LOCKED):
        report.add(rules.INVALID_COMMAND_FILE, f"joint '{path}' is {joint.actuation.value} and accepts no command", location)
        return None
    return key


def _find_key(path: str, world: World) -> JointKey | None:
    for model in world.models:
        prefix = f"{model.name}/"
        name = path[len(prefix) :]
        if path.startswith(prefix) and (name in model.joints or name in model.motors or name in model.loads):
            return model.name, name
        if path.startswith(prefix) and name in model.actuators and model.actuators[name].model is not None:
            return model.name, name
        if path.startswith(prefix) and _is_motor_command(name, model):
            return model.name, name
    return None


def _is_motor_command(name: str, model: Model) -> bool:
    """Whether a name is a quantity of an electric motor, such as ``ACTUATOR:voltage``."""
    command = split_command(name)
    actuator = None if command is None else model.actuators.get(command[0])
    return actuator is not None and actuator.motor is not None


def _commanded_joint(key: JointKey, world: World) -> Joint | None:
    """Return the joint of a command, or None if the command is for a motor or load of that name."""
    model = world.models[key[0]]
    actuator = model.actuators.get(key[1])
    is_actuator = actuator is not None and actuator.model is not None
    return None if is_actuator or key[1] in model.motors or key[1] in model.loads else model.joints.get(key[1])


def _command_width(key: JointKey, world: World) -> int:
    """Return the number of values of a command."""
    joint = _commanded_joint(key, world)
    if joint is not None:
        return joint.degrees_of_freedom
    load = world.models[key[0]].loads.get(key[1])
    return 3 if load is not None and load.value is None else 1


def _joint_paths(world: World) -> Iterator[str]:
    for model in world.models:
        for name in (*model.joints.names(), *model.motors.names(), *model.loads.names()):
            yield f"{model.name}/{name}"
        for actuator in model.actuators:
            if actuator.motor is not None:
                yield from (f"{model.name}/{actuator.name}:{quantity}" for quantity in MotorQuantity)
