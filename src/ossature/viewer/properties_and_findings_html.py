"""Properties of bodies and findings as HTML for the panels. Text from files is escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from html import escape

from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Diagnostic, Location, Severity
from ossature.kinematics import spanning_tree
from ossature.kinematics.default_moment_of_inertia import default_moment_of_inertia
from ossature.model import Body, Collision, Geometry, Joint, Mesh, Model, TriangleMesh, Visual
from ossature.model.value_text import coordinate_text, field_text, is_rotation, kind_text
from ossature.spatial import Pose, conjugate, multiply, norm, rotation_vector_from_quaternion, subtract

_STYLE = "font-size:0.82em;line-height:1.45;padding:0 0.9em 0.7em;overflow-wrap:anywhere"
_FAINT = "opacity:0.6;white-space:nowrap"
_SEVERITY_COLORS = {Severity.ERROR: "#d03b3b", Severity.WARNING: "#b26a00", Severity.NOTE: "#4a78a8"}
_CELL = "padding:1px 8px 1px 0;vertical-align:top"


def body_details(model: Model, body: Body, pose: Pose, meshes: MeshStore) -> str:
    """Return the properties of a body as HTML.

    Args:
        pose: Its pose in the world.
        meshes: Its meshes, for moments of inertia that are not stated.
    """
    rows = [
        ("model", model.name),
        ("file", _location_text(body.origin)),
        *_inertial_rows(body, meshes),
        *_joint_rows(model, body),
    ]
    rows += [("position", _numbers_text(pose.position, "m")), ("quaternion wxyz", _numbers_text(pose.wxyz, ""))]
    rows += [("visual", text) for text in _shape_items(body.visuals)]
    rows += [("collision", text) for text in _shape_items(body.collisions)]
    rows += [("self-collision", text) for text in _shape_items(body.self_collisions or ())]
    rows += [("frame", fixed.name) for fixed in body.frames]
    return _html_page(body.name, _table_of_pairs(rows))


def measurement_details(name: str, start: Pose, end: Pose) -> str:
    """Return how a body lies relative to another one as HTML: distance and offset of their origins, and the angle between them.

    Args:
        name: Name of the other body.
        start: The pose of the other body in the world.
        end: The pose of the body in the world.
    """
    offset = subtract(end.position, start.position)
    angle = norm(rotation_vector_from_quaternion(multiply(conjugate(start.wxyz), end.wxyz)))
    rows = [
        ("distance of the origins", f"{norm(offset):.4g} m"),
        ("offset in axes of the world", _numbers_text(offset, "m")),
        ("angle of the rotation", f"{angle:.4g} rad ({math.degrees(angle):.4g}°)"),
    ]
    return _html_page(f"Measured from {name}", _table_of_pairs(rows))


def joint_details(joint: Joint) -> str:
    """Return the properties of a joint as HTML: type, axes, and what the file states of each coordinate."""
    rows = [("type", kind_text(type(joint.type))), ("file", _location_text(joint.origin))]
    rows += [(item.name.replace("_", " "), field_text(joint.type, item.name)) for item in fields(joint.type)]
    rows += [("parent", joint.parent or "the world"), ("child", joint.child), ("actuation", joint.actuation.value)]
    for number, coordinate in enumerate(joint.coordinates):
        label = "coordinate" if len(joint.coordinates) == 1 else f"coordinate {number + 1}"
        specified = coordinate_text(coordinate, rotation=is_rotation(joint.type, number))
        rows.append((label, specified or "no limits, damping or springs"))
    return _html_page(f"Joint {joint.name}", _table_of_pairs(rows))


def finding_details(finding: Diagnostic) -> str:
    """Return a finding as HTML: rule, severity, location, hint and related locations."""
    rows = [("rule", finding.rule.name), ("severity", finding.severity.value), ("file", _location_text(finding.location))]
    if finding.path:
        rows.append(("element", finding.path))
    if finding.hint:
        rows.append(("hint", finding.hint))
    rows += [("see also", f"{_location_text(other.location)}: {other.message}") for other in finding.related]
    return _html_page(finding.message, _table_of_pairs(rows))


def findings_summary(counts: Mapping[Severity, int], listed: int) -> str:
    """Return the number of findings of each severity as HTML, in the colour of the severity, and how many are listed."""
    parts = [
        f'<b style="color:{color}">{counts[severity]} {severity.value}{"s" * (counts[severity] != 1)}</b>'
        for severity, color in _SEVERITY_COLORS.items()
        if counts.get(severity)
    ]
    total = sum(counts.values())
    text = ", ".join(parts) or "No findings."
    hidden = "" if listed == total else f'<span style="{_FAINT}"> · {listed} listed</span>'
    return f'<div style="{_STYLE}">{text}{hidden}</div>'


def banner(texts: Iterable[str]) -> str:
    """Return texts that are shown until their cause is gone, as HTML."""
    lines = "".join(f"<div>{escape(text)}</div>" for text in texts)
    color = _SEVERITY_COLORS[Severity.ERROR]
    style = f"{_STYLE};padding:0.6em 0.9em;margin-bottom:0.9em;border-left:4px solid {color};background:{color}1a"
    return f'<div style="{style}">{lines}</div>'


def paragraph(text: str) -> str:
    """Return plain text as an HTML paragraph."""
    return f'<div style="{_STYLE}">{escape(text)}</div>'


def _html_page(title: str, body: str) -> str:
    return f'<div style="{_STYLE}"><b style="font-size:1.1em">{escape(title)}</b>{body}</div>'


def _table_of_pairs(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><td style="{_CELL};{_FAINT}">{escape(name)}</td><td style="{_CELL}">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return f'<table style="border-collapse:collapse;margin-top:0.3em">{cells}</table>'


def _location_text(location: Location | None) -> str:
    return "not from a file" if location is None else str(location)


def _inertial_rows(body: Body, meshes: MeshStore) -> Iterator[tuple[str, str]]:
    inertial = body.inertial
    yield "mass", f"{inertial.mass:.6g} kg"
    yield "centre of mass", _numbers_text(inertial.center_of_mass, "m")
    m = inertial.moment
    if m is None:
        yield "moments of inertia", "not stated: computed from the shapes, with their density and the mass of the body"
        try:
            m = default_moment_of_inertia(body, meshes)
        except AssetError as error:
            yield "", f"unavailable: {error.reason}"
            return
    yield "inertia xx yy zz", _numbers_text((m[0][0], m[1][1], m[2][2]), "kg·m²")
    if any((m[0][1], m[0][2], m[1][2])):
        yield "inertia xy xz yz", _numbers_text((m[0][1], m[0][2], m[1][2]), "kg·m²")


def _joint_rows(model: Model, body: Body) -> Iterator[tuple[str, str]]:
    branch = {branch.body.name: branch for branch in spanning_tree(model).branches}.get(body.name)
    if branch is not None and branch.inboard is not None:
        yield "parent", f"{branch.inboard.parent or 'the world'}, {_joint_text(branch.inboard)}"
    for joint in model.joints:
        if joint.parent == body.name:
            yield "child", f"{joint.child}, {_joint_text(joint)}"


def _joint_text(joint: Joint) -> str:
    return f"{kind_text(type(joint.type))} {joint.name}"


def _shape_items(shapes: Iterable[Visual | Collision]) -> Iterator[str]:
    for shape in shapes:
        yield (f"{shape.name}: " if shape.name else "") + _geometry_text(shape.geometry)


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
