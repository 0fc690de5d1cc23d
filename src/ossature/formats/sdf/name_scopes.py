"""The scopes of names in a file: each model and each world, with findings for names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ossature.diagnostics import Related, Report
from ossature.formats.sdf import rules
from ossature.formats.sdf.frame_graph import SEPARATOR, WORLD, FramedElement, Scope, Vertex
from ossature.formats.sdf.schema import SdfModelElement, SdfWorldElement
from ossature.model.unique_names import unique_name


def scope_of(element: SdfModelElement | SdfWorldElement, report: Report) -> Scope:
    """Return the scope of a model or world, with those of all nested models."""
    outermost = Scope(element)
    pending = [outermost]
    while pending:
        scope = pending.pop()
        _add_vertices(scope, report)
        for vertex in scope.models:
            if isinstance(vertex.element, SdfModelElement):
                is_merged = vertex.element.merge and not scope.is_world
                if is_merged:
                    scope.merged.append(vertex)
                prefix = scope.prefix if is_merged or scope.is_world else f"{vertex.path}{SEPARATOR}"
                vertex.inner = Scope(vertex.element, prefix, vertex)
                pending.append(vertex.inner)
    return outermost


def _add_vertices(scope: Scope, report: Report) -> None:
    element = scope.element
    links = () if isinstance(element, SdfWorldElement) else element.link
    for vertices, elements, kind in (
        (scope.links, links, "link"),
        (scope.models, element.model, "model"),
        (scope.joints, element.joint, "joint"),
        (scope.frames, element.frame, "frame"),
    ):
        vertices += _vertices(scope, elements, kind, report)
        for vertex in vertices:
            scope.by_name.setdefault(vertex.name, vertex)


def _vertices(scope: Scope, elements: Sequence[FramedElement], kind: str, report: Report) -> Iterable[Vertex]:
    first: dict[str, FramedElement] = {}
    for element in elements:
        name = element.name or kind
        if element.name is not None and is_reserved(name):
            report.add(
                rules.RESERVED_NAME, f"the name '{name}' of a {kind} is reserved", element.location("name"), hint="rename it"
            )
        if name in first:
            location = first[name].location("name")
            unique = unique_name(name, first)
            report.add(
                rules.DUPLICATE_NAME,
                f"duplicate {kind} '{name}': renamed to '{unique}'",
                element.location("name"),
                hint=f"give each {kind} a unique name",
                related=(Related(location=location, message=f"first {kind} of this name"),) if location else (),
            )
            name = unique
        first[name] = element
        yield Vertex(element, name, scope)


def is_reserved(name: str) -> bool:
    """Whether a name has a meaning of its own."""
    return name == WORLD or (name.startswith("__") and name.endswith("__") and len(name) > 3)
