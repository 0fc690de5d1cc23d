"""The page of what each conversion keeps, measured on sample files: each stated field, and its entry in the ledger."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import ossature
from ossature.diagnostics import Ledger
from ossature.model import NamedList, World
from ossature.model.element_fields import compared_fields, default_value, elements, join_path
from ossature.model.value_text import kind_text

PROJECT = Path(__file__).resolve().parents[1]
SAMPLES = {
    "skel": ("tests/skel/files/skeleton.skel", "tests/skel/files/joints.skel", "tests/skel/files/shapes.skel"),
    "chrono": ("tests/chrono/files/everything.yaml",),
    "collada": ("examples/picker.dae", "examples/scanner.dae", "examples/pick_and_place.dae"),
    "urdf": ("tests/urdf/files/everything.urdf", "examples/palletizer.urdf"),
    "sdf": ("tests/sdf/files/everything.sdf", "examples/gripper_arm.sdf"),
    "mjcf": ("tests/mjcf/files/everything.xml", "examples/finger.xml"),
}
"""Sample files by format."""
SUFFIXES = {
    "skel": ".skel",
    "chrono": ".yaml",
    "collada": ".dae",
    "urdf": ".urdf",
    "sdf": ".sdf",
    "mjcf": ".xml",
    "usd": ".usda",
}
"""Suffixes of the outputs by format."""
OUTCOMES = ("kept", "rewritten", "extension", "approximated", "dropped")
"""What becomes of a field, the best outcome first; ``kept`` without an entry in the ledger."""

Counts: TypeAlias = Counter[str]

_INTRODUCTION = (
    "# What each conversion keeps\n",
    "Measured: `make docs` reads the sample files below and writes each in every format. A field of the World that "
    "is stated, and differs from its default, is *kept* if the ledger has no entry for it or for the element around "
    "it. Otherwise the entry decides: *rewritten* has another form with exactly the same meaning, *extension* is "
    "written where other programs ignore it, *approximated* comes with the size of the error, *dropped* is not "
    "written. Entries that state that several models become one are not counted. `ossature convert` prints the "
    "entries for your file, with the values, and `--strict` refuses whatever is approximated or dropped.\n",
)


def conversion_page(notice: str) -> str:
    """Return the page.

    Args:
        notice: The comment at its start.
    """
    directions: dict[tuple[str, str], Counts] = {}
    fields: dict[tuple[str, str], dict[str, Counts]] = defaultdict(lambda: defaultdict(Counter))
    for source, paths in SAMPLES.items():
        worlds = [ossature.load(PROJECT / path) for path in paths]
        for target in SUFFIXES:
            counts = directions[source, target] = Counter()
            for world in worlds:
                for field, outcome in _outcomes(world, _ledger(world, target)):
                    counts[outcome] += 1
                    fields[field][target][outcome] += 1
    return "\n".join([notice, *_INTRODUCTION, *_matrix(directions), *_details(fields)])


def _ledger(world: World, target: str) -> Ledger:
    with tempfile.TemporaryDirectory() as folder:
        return ossature.save(world, Path(folder) / f"model{SUFFIXES[target]}")


def _outcomes(world: World, ledger: Ledger) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield each stated field, as the kind of its element and its name, and what becomes of it."""
    entries: dict[str, str] = {}
    for entry in ledger:
        is_comment = str(entry.action) not in OUTCOMES
        is_merged_model = entry.path in world.models and entry.action != "dropped"
        if is_comment or is_merged_model:
            continue
        entries[entry.path] = max(entries.get(entry.path, "kept"), str(entry.action), key=OUTCOMES.index)
    for path, element, _ in elements(world):
        for item in compared_fields(type(element)):
            value = getattr(element, item.name)
            if not isinstance(value, NamedList) and value != default_value(item) and item.name != "name":
                yield (kind_text(type(element)), item.name), _outcome(join_path(path, item.name), entries)


def _outcome(path: str, entries: Mapping[str, str]) -> str:
    around = [path[:end] for end, mark in enumerate(path) if mark in "./["]
    inside = [known for known in entries if known.startswith(path) and known[len(path) :][:1] in (".", "[")]
    found = [entries[known] for known in (path, *around, *inside) if known in entries]
    return max(found, key=OUTCOMES.index, default="kept")


def _matrix(directions: Mapping[tuple[str, str], Counts]) -> list[str]:
    lines = ["Fields that are kept or rewritten, of all stated fields of the samples:", ""]
    lines += [f"| from | {' | '.join(SUFFIXES)} | samples |", "|---" * (len(SUFFIXES) + 2) + "|"]
    for source, paths in SAMPLES.items():
        cells = [_share(directions[source, target]) for target in SUFFIXES]
        lines.append(f"| {source} | {' | '.join(cells)} | {', '.join(Path(path).name for path in paths)} |")
    return [*lines, ""]


def _share(counts: Counts) -> str:
    good = counts["kept"] + counts["rewritten"]
    return f"{good} of {counts.total()}"


def _details(fields: Mapping[tuple[str, str], Mapping[str, Counts]]) -> list[str]:
    note = "A number after an outcome is that of the fields in the samples with it, if there are several outcomes."
    lines = ["## By field", "", note, ""]
    for kind in sorted({kind for kind, _ in fields}, key=str.lower):
        title = kind[0].upper() + kind[1:]
        lines += [f"### {title}", "", f"| field | {' | '.join(SUFFIXES)} |", "|---" * (len(SUFFIXES) + 1) + "|"]
        for (of, name), targets in sorted(fields.items()):
            if of == kind:
                lines.append(f"| `{name}` | {' | '.join(_cell(targets[target]) for target in SUFFIXES)} |")
        lines.append("")
    return lines


def _cell(counts: Counts) -> str:
    specified = [outcome for outcome in OUTCOMES if counts[outcome]]
    if len(specified) == 1:
        return specified[0]
    return ", ".join(f"{outcome} {counts[outcome]}" for outcome in specified)
