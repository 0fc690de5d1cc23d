"""Numbers that have to fit each other: arrays and their counts, accessors, primitives and their indices."""

from __future__ import annotations

from collections.abc import Iterator

from collada_validator.identifiers import Index
from collada_validator.markup import Element
from collada_validator.problems import Kind, Problem
from collada_validator.references import ARRAYS
from collada_validator.structure import problem
from collada_validator.values import integers

CORNERS = {"triangles": 3, "lines": 2}
"""How many vertices each primitive has."""
FEWEST = {"trifans": 3, "tristrips": 3, "linestrips": 2, "polygons": 3, "polylist": 3}
"""How many vertices a primitive has at least."""


def check_meshes(index: Index) -> Iterator[Problem]:
    """Yield counts that are wrong and indices that lead out of their arrays."""
    for element in index.root.walk():
        if element.type in ARRAYS:
            yield from _check_count(element, "count", len(element.text.split()), "values")
        elif element.type == "accessor":
            yield from _check_accessor(index, element)
        elif element.type in ("mesh", "convex_mesh"):
            yield from _check_vertices(index, element)
        elif element.type in CORNERS or element.type in FEWEST:
            yield from _check_primitives(index, element)


def _number(element: Element, name: str, default: int) -> int:
    return (integers(element.attributes.get(name, "")) or [default])[0]


def _check_count(element: Element, name: str, found: int, what: str) -> Iterator[Problem]:
    specified = _number(element, name, found)
    if specified != found:
        yield problem(element, Kind.WRONG_COUNT, f"{name} says {specified}, and there are {found} {what}")


def _check_accessor(index: Index, accessor: Element) -> Iterator[Problem]:
    array = index.by_url(accessor.attributes.get("source", ""))
    stride = _number(accessor, "stride", 1)
    if len(accessor.children) > stride:
        yield problem(accessor, Kind.WRONG_COUNT, f"{len(accessor.children)} parameters do not fit into a stride of {stride}")
    if isinstance(array, Element):
        needed = _number(accessor, "offset", 0) + stride * _number(accessor, "count", 0)
        there = _number(array, "count", 0)
        if needed > there:
            yield problem(accessor, Kind.WRONG_COUNT, f"it reads {needed} values of an array of {there}")


def _check_vertices(index: Index, mesh: Element) -> Iterator[Problem]:
    vertices = mesh.child("vertices")
    if vertices is None:
        return
    positions = [shared for shared in vertices.named("input") if shared.attributes.get("semantic") == "POSITION"]
    if len(positions) != 1:
        yield problem(vertices, Kind.WRONG_COUNT, f"{len(positions)} inputs are POSITION, instead of one")
    lengths = {_length(index, shared) for shared in vertices.named("input")} - {None}
    if len(lengths) > 1:
        yield problem(vertices, Kind.WRONG_COUNT, "its inputs have different lengths")


def _length(index: Index, shared: Element) -> int | None:
    """Return how many things an input has, or None where that is not known; vertices have as many as their first source."""
    source = index.by_url(shared.attributes.get("source", ""))
    if isinstance(source, Element) and source.type == "vertices":
        first = source.child("input")
        source = index.by_url(first.attributes.get("source", "")) if first is not None else None
    common = source.child("technique_common") if isinstance(source, Element) else None
    accessor = common.child("accessor") if common is not None else None
    return _number(accessor, "count", 0) if accessor is not None else None


def _check_primitives(index: Index, primitives: Element) -> Iterator[Problem]:
    inputs = list(primitives.named("input"))
    width = 1 + max((_number(shared, "offset", 0) for shared in inputs), default=-1)
    vertices = sum(shared.attributes.get("semantic") == "VERTEX" for shared in inputs)
    lists = [integers(p.text) for p in primitives.named("p")]
    lists += [integers(p.text) for ph in primitives.named("ph") for p in ph.children]
    if lists and vertices != 1:
        yield problem(primitives, Kind.WRONG_COUNT, f"{vertices} inputs are VERTEX, instead of one")
    if width == 0:
        return
    yield from _check_amounts(primitives, lists, width)
    yield from _check_ranges(index, primitives, inputs, lists, width)


def _check_amounts(primitives: Element, lists: list[list[int]], width: int) -> Iterator[Problem]:
    kind = primitives.type
    total = sum(map(len, lists))
    if kind in CORNERS:
        needed = _number(primitives, "count", 0) * CORNERS[kind] * width
        if needed != total:
            yield problem(primitives, Kind.WRONG_COUNT, f"{total} indices instead of {needed}")
    elif kind == "polylist":
        yield from _check_polylist(primitives, total, width)
    else:
        count = len(list(primitives.named("p", "ph")))
        yield from _check_count(primitives, "count", count, "primitives")
        for indices in lists:
            if len(indices) % width or len(indices) < FEWEST[kind] * width:
                yield problem(primitives, Kind.WRONG_COUNT, f"{len(indices)} indices make no primitive of {kind}")


def _check_polylist(polylist: Element, total: int, width: int) -> Iterator[Problem]:
    counts = polylist.child("vcount")
    sizes = integers(counts.text) if counts is not None else []
    yield from _check_count(polylist, "count", len(sizes), "polygons")
    if sum(sizes) * width != total:
        yield problem(polylist, Kind.WRONG_COUNT, f"{total} indices instead of {sum(sizes) * width}")
    if any(size < FEWEST["polylist"] for size in sizes):
        yield problem(polylist, Kind.WRONG_COUNT, "a polygon has fewer than three corners")


def _check_ranges(
    index: Index, primitives: Element, inputs: list[Element], lists: list[list[int]], width: int
) -> Iterator[Problem]:
    for shared in inputs:
        length = _length(index, shared)
        offset = _number(shared, "offset", 0)
        highest = max((max(indices[offset::width], default=0) for indices in lists), default=0)
        if length is not None and any(lists) and highest >= length:
            semantic = shared.attributes.get("semantic")
            message = f"{semantic} has {length} entries, and an index is {highest}"
            yield problem(primitives, Kind.INDEX_OUT_OF_RANGE, message)
