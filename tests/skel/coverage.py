"""The effect of each element and attribute of SKEL, measured by changing each in small own files.

A row is an element or attribute with its path. If it occurs in one of the files, it is changed there, and the results are
compared: does the World change, does a round trip preserve the change, does the compiled simulation change?
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ossature.assets import MeshStore, Resolver
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.skel import read_skel, write_skel
from ossature.formats.skel.schema import ROOTS
from ossature.model import World
from ossature.simulation import Simulation, SimulationError
from ossature.syntax import xml, xml_parser
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings
from ossature.syntax.xml import XmlNode

FILES = Path(__file__).parent / "files"

NOT_SIMULATED = {
    "/color": "visual only",
    "/collision_detector": "the engine has its own detector",
    "/marker": "no effect on motion",
    "/dof/@name": "a name",
    "/velocity/@lower": "velocity limits are not simulated",
    "/velocity/@upper": "velocity limits are not simulated",
    "/limit/velocity": "velocity limits are not simulated",
    "/acceleration/@": "acceleration limits are not simulated",
    "/limit/effort": "limits commands only, of which the file has none",
    "/force/@lower": "limits commands only, of which the file has none below it",
    "visualization_shape/geometry/plane": "visual only, without volume",
}
"""Why a change of a row does not change the motion, by part of its path."""


@dataclass(frozen=True)
class Row:
    """One element or attribute with its path."""

    path: str
    spelling: FieldSpec
    alias_of: str = ""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Result:
    """The effect of a changed row."""

    file: str
    read: str
    written: bool
    simulated: bool


@cache
def rows() -> tuple[Row, ...]:
    """Return every element and attribute, one row for each path."""
    tag, root = ROOTS[0]
    return tuple(_rows(tag, root))


def _rows(path: str, declared: type[Element]) -> Iterator[Row]:
    for spelling in spellings(declared).values():
        if spelling.kind is FieldKind.ATTRIBUTE:
            yield Row(f"{path}/@{spelling.name}", spelling)
            continue
        for name in spelling.elements or (spelling.name or "",):
            yield Row(f"{path}/{name}", spelling)
        for alias in spelling.aliases:
            yield Row(f"{path}/{alias}", spelling, alias_of=spelling.name or "")
        for name, target in spelling.elements.items():
            yield from _rows(f"{path}/{name}", target)


@cache
def documents() -> dict[str, XmlNode]:
    """Return the trees of the own files."""
    result = {}
    for path in sorted(FILES.glob("*.skel")):
        root = xml_parser.parse(Source(str(path), path.read_bytes()), Report())
        assert root is not None
        result[path.name] = root
    return result


def occurrences(root: XmlNode, path: str) -> Iterator[list[XmlNode]]:
    """Yield the chains of nodes that lead to a path; for an attribute, to its element."""
    tags = [part for part in path.split("/") if not part.startswith("@")]
    chains = [[root]] if root.tag == tags[0] else []
    for tag in tags[1:]:
        chains = [[*chain, child] for chain in chains for child in chain[-1].children if child.tag == tag]
    attribute = path.rpartition("/@")[2] if "/@" in path else None
    for chain in chains:
        if attribute is None or attribute in chain[-1].attributes:
            yield chain


def measure(row: Row) -> Result | None:
    """Return the largest effect of the occurrences of a row, or None if no file contains it."""
    best: Result | None = None
    for file, root in documents().items():
        for chain in occurrences(root, row.path):
            result = _measure_one(row, file, chain, best)
            if best is None or _worth(result) > _worth(best):
                best = result
            if _worth(best) == 3:
                return best
    return best


def changes_the_world(row: Row) -> bool:
    """Whether a change of an occurrence of a row changes the World."""
    return any(
        _changed(row, chain) != _unchanged(file) for file, root in documents().items() for chain in occurrences(root, row.path)
    )


def _changed(row: Row, chain: list[XmlNode]) -> World:
    copied = copy_of_chain(chain)
    change(row, copied)
    return world_of(copied[0])[0]


def _worth(result: Result) -> int:
    return (result.read == "World") + result.written + result.simulated


def _measure_one(row: Row, file: str, chain: list[XmlNode], best: Result | None) -> Result:
    """Return what a change at a place does, or the best result so far if this one is no better."""
    before = _unchanged(file)
    copied = copy_of_chain(chain)
    change(row, copied)
    after, report = world_of(copied[0])
    if after == before:
        return Result(file, "finding" if report else "nothing", False, False)
    is_simulated = fingerprint(after) != _unchanged_fingerprint(file)
    if best is not None and best.read == "World" and best.written and not is_simulated:
        return best
    return Result(file, "World", survives(after), is_simulated)


@cache
def _unchanged(file: str) -> World:
    return world_of(documents()[file])[0]


@cache
def _unchanged_fingerprint(file: str) -> str:
    return fingerprint(_unchanged(file))


def copy_of_chain(chain: list[XmlNode]) -> list[XmlNode]:
    """Return nodes of their own, each inside the one before, that share all other nodes."""
    copied = [_copy(chain[0])]
    for node in chain[1:]:
        children = copied[-1].children
        copied.append(_copy(node))
        children[next(number for number, child in enumerate(children) if child is node)] = copied[-1]
    return copied


def _copy(node: XmlNode) -> XmlNode:
    copied = XmlNode(node.tag, dict(node.attributes), node.source, node.offset)
    copied.children, copied.text = list(node.children), node.text
    return copied


def change(row: Row, chain: list[XmlNode]) -> None:
    """Change a row: set another value for text, remove an element with structure."""
    node = chain[-1]
    spelling = row.spelling
    if spelling.kind is FieldKind.ATTRIBUTE:
        name = spelling.name or ""
        node.attributes[name] = _other(spelling, node.attributes[name])
    elif spelling.kind is FieldKind.CHILD:
        node.text = _other(spelling, node.text)
    else:
        chain[-2].children.remove(node)


def _other(spelling: FieldSpec, text: str) -> str:
    value = spelling.value
    words = value.words
    if words:
        return words[(words.index(value.parse(text)) + 1) % len(words)]
    parsed: Any = value.parse(text)
    if isinstance(parsed, bool):
        return value.format(not parsed)
    if isinstance(parsed, str):
        return f"other {parsed}"
    if isinstance(parsed, tuple):
        return value.format((parsed[0] * 0.5 + 0.2, *(number * 0.75 for number in parsed[1:])))
    return value.format(parsed + 1 if isinstance(parsed, int) else parsed * 0.75)


def world_of(root: XmlNode) -> tuple[World, Report]:
    """Return the World of a tree, and the findings."""
    report = Report()
    world = read_skel(Source("changed.skel", xml.serialize(root).encode()), report, folder=FILES)
    assert world is not None
    return world, report


def survives(world: World) -> bool:
    """Whether a World is the same after writing and reading, or the ledger has the losses."""
    ledger = Ledger()
    text = write_skel(world, ledger, folder=FILES)
    again = read_skel(Source("written.skel", text.encode()), Report(), folder=FILES)
    return again == world or not ledger.lossless


def why_not_simulated(row: Row) -> str | None:
    """Return why a change of a row does not change the motion, or None if it should."""
    return next((why for part, why in NOT_SIMULATED.items() if part in row.path), None)


def fingerprint(world: World) -> str:
    """Return a digest of everything that determines the motion of a World."""
    try:
        simulation = Simulation(world, meshes=MeshStore(Resolver(folder=FILES)))
    except SimulationError as error:
        return f"refused: {error}"
    engine = simulation.compiled.model
    parts = [
        np.asarray(getattr(engine, name)).tobytes()
        for name in sorted(dir(engine))
        if isinstance(getattr(engine, name, None), np.ndarray) and not name.startswith(("name", "path"))
    ]
    option = engine.opt
    parts += [str((option.timestep, option.gravity.tolist(), option.integrator)).encode()]
    simulation.step(3)
    data = simulation.data
    parts += [data.qpos.tobytes(), data.qvel.tobytes(), data.qfrc_applied.tobytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()
