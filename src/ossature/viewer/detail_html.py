"""Properties of bodies and findings as HTML for the panels. Text from files is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ossature.diagnostics import Diagnostic, Location
from ossature.kinematics import spanning_tree
from ossature.model import Body, Collision, Geometry, Joint, Mesh, Model, TriangleMesh, Visual
from ossature.model.value_text import kind_text
from ossature.spatial import Pose

_STYLE = "font-size:0.82em;line-height:1.45;padding:0 0.9em 0.7em;overflow-wrap:anywhere"
_FAINT = "opacity:0.6;white-space:nowrap"
_CELL = "padding:1px 8px 1px 0;vertical-align:top"


def body_details(model: Model, body: Body, pose: Pose) -> str:
    """Return the properties of a body as HTML.

    Args:
        model: Its model.
        body: The body.
        pose: Its pose in the world.
    """
    rows = [("model", model.name), ("file", _location_text(body.origin)), *_inertial_rows(body), *_joint_rows(model, body)]
    rows += [("position", _numbers_text(pose.position, "m")), ("quaternion wxyz", _numbers_text(pose.wxyz, ""))]
    rows += [("visual", text) for text in _shape_items(body.visuals)]
    rows += [("collision", text) for text in _shape_items(body.collisions)]
    rows += [("self-collision", text) for text in _shape_items(body.self_collisions or ())]
    rows += [("frame", fixed.name) for fixed in body.frames]
    return _html_page(body.name, _html_table(rows))


def finding_details(finding: Diagnostic) -> str:
    """Return a finding as HTML: rule, severity, location, hint and related locations."""
    rows = [("rule", finding.rule.name), ("severity", finding.severity.value), ("file", _location_text(finding.location))]
    if finding.path:
        rows.append(("element", finding.path))
    if finding.hint:
        rows.append(("hint", finding.hint))
    rows += [("see also", f"{_location_text(other.location)}: {other.message}") for other in finding.related]
    return _html_page(finding.message, _html_table(rows))


def paragraph(text: str) -> str:
    """Return plain text as an HTML paragraph."""
    return f'<div style="{_STYLE}">{escape(text)}</div>'


def _html_page(title: str, body: str) -> str:
    return f'<div style="{_STYLE}"><b style="font-size:1.1em">{escape(title)}</b>{body}</div>'


def _html_table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><td style="{_CELL};{_FAINT}">{escape(name)}</td><td style="{_CELL}">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return f'<table style="border-collapse:collapse;margin-top:0.3em">{cells}</table>'


def _location_text(location: Location | None) -> str:
    return "not from a file" if location is None else str(location)


def _inertial_rows(body: Body) -> Iterator[tuple[str, str]]:
    inertial = body.inertial
    yield "mass", f"{inertial.mass:.6g} kg"
    yield "centre of mass", _numbers_text(inertial.center_of_mass, "m")
    if inertial.moment is None:
        yield "moments of inertia", "not specified: computed from shapes"
        return
    m = inertial.moment
    yield "inertia xx yy zz", _numbers_text((m[0][0], m[1][1], m[2][2]), "kg·m²")
    if any((m[0][1], m[0][2], m[1][2])):
        yield "inertia xy xz yz", _numbers_text((m[0][1], m[0][2], m[1][2]), "kg·m²")


def _joint_rows(model: Model, body: Body) -> Iterator[tuple[str, str]]:
    branches = {branch.body.name: branch for branch in spanning_tree(model).branches}
    branch = branches.get(body.name)
    if branch is not None and branch.inboard is not None:
        yield "parent", f"{branch.inboard.parent or 'the world'}, {_joint_text(branch.inboard)}"
    for joint in model.joints:
        if joint.parent == body.name:
            yield "child", f"{joint.child}, {_joint_text(joint)}"


def _joint_text(joint: Joint) -> str:
    return f"{kind_text(type(joint.type))} {joint.name}"


def _shape_items(shapes: Iterable[Visual | Collision]) -> Iterator[str]:
    for shape in shapes:
        named = f"{shape.name}: " if shape.name else ""
        yield named + _geometry_text(shape.geometry)


def _geometry_text(geometry: Geometry) -> str:
    if isinstance(geometry, Mesh):
        return f"mesh {geometry.uri}"
    if isinstance(geometry, TriangleMesh):
        return "triangle mesh" if not geometry.surface.is_fetched else f"{len(geometry.surface.triangles.faces)} triangles"
    sizes = ", ".join(
        f"{name.replace('_', ' ')} {_numbers_text(value, '') if isinstance(value, tuple) else f'{value:g}'}"
        for name in geometry.__slots__
        if isinstance(value := getattr(geometry, name), float | int) or _is_number_tuple(value)
    )
    return f"{kind_text(type(geometry))} {sizes}"


def _is_number_tuple(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(part, float | int) for part in value)


def _numbers_text(values: Iterable[float], unit: str) -> str:
    return " ".join(f"{value:.4g}" for value in values) + (f" {unit}" if unit else "")
