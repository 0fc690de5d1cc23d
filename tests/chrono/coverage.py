"""What each key of a Chrono file does: changed in a file of our own, is the World another one, written, and simulated?"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from conftest import PROJECT
from ossature.comparison import compare
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.chrono import read_chrono, write_chrono
from ossature.formats.chrono.schema_model import ModelFile
from ossature.formats.chrono.schema_run import SimulationFile, SolverFile
from ossature.model import World
from ossature.simulation import Simulation, SimulationError
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings

FOLDER = PROJECT / "tests" / "chrono" / "files"
ROOTS: dict[str, tuple[str, type[Element]]] = {
    "model file": ("everything.yaml", ModelFile),
    "simulation file": ("run.yaml", SimulationFile),
    "solver file": ("solver.yaml", SolverFile),
}
MOST_TRIED = 4
"""Of a key that occurs more often only so many occurrences are changed."""
FOR_CHRONO_ALONE = "For Chrono"
"""How the description begins of a key that says something to Chrono's own solver, window or output."""
NO_CHANGE = {
    "chrono-version": "any version is read",
    "type": "identifies the file",
    "enforce_realtime": "a simulation here never waits",
    "camera": "of Chrono's own window",
    "vertical": "of Chrono's own window",
    "location": "of Chrono's own window",
    "target": "of Chrono's own window",
    "visualization": "of Chrono's own window",
    "output": "of Chrono's own output",
    "fps": "of Chrono's own output",
    "solver": "the engine has its own",
    "integrator": "it is chosen by what the model needs",
}
"""Why changing a key changes no World, for keys outside models."""


@dataclass(frozen=True)
class Row:
    """One key.

    Attributes:
        path: Where it stands: the kind of file, then keys.
        spelling: Its declaration.
    """

    path: tuple[str, ...]
    spelling: FieldSpec

    @property
    def name(self) -> str:
        """The key."""
        return self.path[-1]

    def __str__(self) -> str:
        return " / ".join(self.path)


@dataclass(frozen=True)
class Result:
    """What changing a key did."""

    read: bool
    written: bool
    simulated: bool


def rows() -> Iterator[Row]:
    """Yield every declared key with every way that leads to it."""
    for kind, (_, declared) in ROOTS.items():
        yield from _rows((kind,), declared)


def _rows(path: tuple[str, ...], declared: type[Element]) -> Iterator[Row]:
    for spelling in spellings(declared).values():
        here = (*path, spelling.name or "")
        yield Row(here, spelling)
        for target in spelling.elements.values():
            yield from _rows(here, target)


@cache
def documents() -> dict[str, Any]:
    """Return the files of our own as plain data."""
    return {name: yaml.safe_load((FOLDER / name).read_text(encoding="utf-8")) for name, _ in ROOTS.values()}


def places(data: Any, keys: tuple[str, ...]) -> Iterator[tuple[Any, str]]:
    """Yield the mappings that have a key at the end of a way, with the key."""
    if isinstance(data, list):
        for item in data:
            yield from places(item, keys)
    elif isinstance(data, dict) and keys[0] in data:
        if len(keys) == 1:
            yield data, keys[0]
        else:
            yield from places(data[keys[0]], keys[1:])


def occurrences(row: Row) -> int:
    """Return how often a key stands in the file of our own."""
    return len(list(places(documents()[ROOTS[row.path[0]][0]], row.path[1:])))


def measure(row: Row) -> Result | None:
    """Return the most that changing one occurrence of a key does, or None where no file has it."""
    best: Result | None = None
    for number in range(min(occurrences(row), MOST_TRIED)):
        result = _measure(row, ROOTS[row.path[0]][0], number, best)
        best = result if best is None else max(best, result, key=_worth)
        if all(_worth(best)):
            break
    return best


def is_read(row: Row) -> bool:
    """Whether a change of a key changes the World, or makes the file one that cannot be read."""
    file = ROOTS[row.path[0]][0]
    return any(_is_read(file, _changed(row, file, number)) for number in range(min(occurrences(row), MOST_TRIED)))


def _is_read(file: str, changed: Any) -> bool:
    before, after = _unchanged(file), _world(file, changed)
    return bool(compare(before, after)) if before is not None and after is not None else after is not before


def _worth(result: Result) -> tuple[bool, bool, bool]:
    return result.read, result.written, result.simulated


def _measure(row: Row, file: str, number: int, best: Result | None) -> Result:
    """Return what a change at a place does, or the best result so far if this one is no better."""
    before, after = _unchanged(file), _world(file, _changed(row, file, number))
    if after is None or before is None:
        return Result(read=after is not before, written=True, simulated=True)
    if not compare(before, after):
        return Result(read=False, written=False, simulated=False)
    is_simulated = _unchanged_moves(file) != _moves(after)
    if best is not None and best.read and best.written and best.simulated >= is_simulated:
        return best
    return Result(read=True, written=_is_written(after), simulated=is_simulated)


def _changed(row: Row, file: str, number: int) -> Any:
    """Return a file of our own in which one occurrence of a key is changed."""
    changed = copy.deepcopy(documents()[file])
    mapping, key = list(places(changed, row.path[1:]))[number]
    _change(mapping, key, row.spelling)
    return changed


def _change(mapping: Any, key: str, spelling: FieldSpec) -> None:
    value = mapping[key]
    if spelling.kind is FieldKind.ELEMENT:
        mapping[key] = value[1:] if isinstance(value, list) else None
        if mapping[key] is None:
            del mapping[key]
    elif isinstance(value, bool):
        mapping[key] = not value
    elif len(spelling.value.words) == 1:
        mapping[key] = "other"
    elif spelling.value.words:
        at = [word.lower() for word in spelling.value.words].index(str(value).lower().replace("pointplane", "point_plane"))
        mapping[key] = spelling.value.words[(at + 1) % len(spelling.value.words)]
    elif isinstance(value, int | float) or (isinstance(value, str) and _is_number(value)):
        mapping[key] = float(value) * 1.25 if float(value) else 1.0
    elif isinstance(value, str):
        mapping[key] = value + "x"
    else:
        mapping[key] = _changed_list(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _changed_list(value: list[Any]) -> list[Any]:
    if isinstance(value[0], list):
        return [*value[:-1], _changed_list(value[-1])]
    return [*value[:-1], float(value[-1]) * 0.75 + 0.5]


def _world(file: str, data: Any) -> World | None:
    """Return the World of a file of our own, changed; of a solver file that of the simulation file that names it.

    It is read from JSON, which is YAML and is written sooner.
    """
    if file == "solver.yaml":
        folder = PROJECT / "tests" / "chrono"
        return _with_solver(data, folder)
    return read_chrono(Source(file, json.dumps(data).encode()), Report(), folder=FOLDER)


@cache
def _unchanged(file: str) -> World | None:
    return _world(file, documents()[file])


def _with_solver(data: Any, folder: Any) -> World | None:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as made:
        for name, content in documents().items():
            (Path(made) / name).write_text(json.dumps(data if name == "solver.yaml" else content), encoding="utf-8")
        run = Path(made) / "run.yaml"
        return read_chrono(Source(str(run), run.read_bytes()), Report(), folder=Path(made))


def _is_written(world: World) -> bool:
    ledger = Ledger()
    text = write_chrono(world, ledger, folder=FOLDER)
    again = read_chrono(Source("again.yaml", text.encode()), Report(), folder=FOLDER)
    return not uncovered_differences(world, again, ledger, tolerance=1e-12)


@cache
def _unchanged_moves(file: str) -> bytes:
    world = _unchanged(file)
    assert world is not None
    return _moves(world)


def _moves(world: World) -> bytes:
    try:
        simulation = Simulation(world, report=Report())
        simulation.step(20)
    except SimulationError:
        return b"refused"
    compiled = simulation.compiled.model
    shapes = compiled.geom_size.tobytes() + compiled.geom_friction.tobytes() + compiled.geom_margin.tobytes()
    return bytes(shapes + simulation.data.qpos.tobytes() + simulation.data.xpos.tobytes())


def reason(row: Row) -> str | None:
    """Return why changing a key changes no World, or None where it has to."""
    if row.spelling.doc.startswith(FOR_CHRONO_ALONE):
        return "for Chrono alone"
    outside = row.path[0] != "model file" or len(row.path) == 2
    return NO_CHANGE.get(row.name) if outside else None
