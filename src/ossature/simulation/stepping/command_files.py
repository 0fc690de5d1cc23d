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

from ossature.assets.read_regular_files import file_bytes
from ossature.diagnostics import Location, Report, Source, within_limits
from ossature.diagnostics.counted_nouns import counted
from ossature.model import Actuation, World
from ossature.simulation import rules
from ossature.simulation.stepping.command_names import CommandKey, CommandNames, command_width, commanded_joint
from ossature.simulation.stepping.command_signals import SampledSignal
from ossature.syntax.csv_and_json import TableError, csv_rows, json_document, parse_number

Commands: TypeAlias = dict[CommandKey, SampledSignal]
"""Tables by model and name."""

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
        values = [_number_or_nan(cell) for cell in row]
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


def _number_or_nan(cell: str) -> float:
    try:
        return parse_number(cell)
    except ValueError:
        return math.nan


def _coordinate_columns(
    header: list[str], world: World, location: Location, report: Report
) -> dict[CommandKey, dict[int, int]]:
    """Return for each joint the column of each of its coordinates."""
    columns: dict[CommandKey, dict[int, int]] = {}
    names = CommandNames(world)
    for column, name in enumerate(header[1:], start=1):
        report.budget.check_time(location)
        indexed = None if names.find(name) else _INDEXED.fullmatch(name)
        key = _resolve_path(indexed["path"] if indexed else name, world, names, location, report)
        if key is None:
            continue
        index = int(indexed["index"]) if indexed else 0
        if index in columns.setdefault(key, {}):
            report.add(rules.INVALID_COMMAND_FILE, f"duplicate column '{name}'", location)
        columns[key][index] = column
    return columns


def _table_of_columns(
    key: CommandKey, by_index: dict[int, int], numbers: list[list[float]], world: World, location: Location, report: Report
) -> SampledSignal | None:
    count = command_width(key, world)
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
    names = CommandNames(world)
    for (name, rows), location in zip(data, _name_locations([name for name, _ in data], source), strict=True):
        report.budget.check_time(location)
        key = _resolve_path(name, world, names, location, report)
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


def _table_of_rows(key: CommandKey, rows: Any, world: World, location: Location, report: Report) -> SampledSignal | None:
    count = command_width(key, world)
    if not _is_list_of_numbers(rows):
        report.add(
            rules.INVALID_COMMAND_FILE, f"the value of '{'/'.join(key)}' is not a list of [time, value, …] lists", location
        )
        return None
    if any(len(row) != count + 1 for row in rows):
        report.add(
            rules.INVALID_COMMAND_FILE, f"each row of '{'/'.join(key)}' needs a time and {counted(count, 'value')}", location
        )
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


def _resolve_path(path: str, world: World, names: CommandNames, location: Location, report: Report) -> CommandKey | None:
    found = names.find(path)
    if len(found) != 1:
        problem = "several models have" if found else "there is"
        kind = "a" if found else "no"
        report.add(
            rules.INVALID_COMMAND_FILE,
            f"{problem} {kind} joint, motor, load or actuator '{path}'",
            location,
            hint=", ".join(map("/".join, found)) if found else report.suggestion(path, names.paths()),
        )
        return None
    (key,) = found
    model = world.models[key[0]]
    joint = commanded_joint(key, world)
    if joint is None:
        return key
    if model.static or joint.degrees_of_freedom == 0:
        report.add(rules.INVALID_COMMAND_FILE, f"joint '{path}' has no degrees of freedom and accepts no command", location)
        return None
    if joint.actuation in (Actuation.PASSIVE, Actuation.LOCKED):
        report.add(rules.INVALID_COMMAND_FILE, f"joint '{path}' is {joint.actuation.value} and accepts no command", location)
        return None
    return key
