"""Reader of SKEL bodies."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ossature.diagnostics import Report
from ossature.formats.skel import rules
from ossature.formats.skel.convert_pose import read_pose
from ossature.formats.skel.read_shapes import read_collision, read_soft_skin, read_visual
from ossature.formats.skel.schema import (
    MarkerElement,
    MomentOfInertiaElement,
    PyramidElement,
    SkelBodyElement,
    SkelInertiaElement,
)
from ossature.model import Body, Collision, Frame, Inertial, SoftSkin, Visual
from ossature.spatial import IDENTITY_WXYZ, ZERO3, Matrix3, Pose, Quaternion, matrix_from, rotation_matrix
from ossature.syntax import rules as syntax_rules

_UNIT_MOMENT: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ASSUMED_INERTIAL = Inertial(mass=1.0, moment=_UNIT_MOMENT)


def read_body(element: SkelBodyElement, name: str, report: Report, folder: Path | None) -> Body:
    """Return the body of a ``<body>`` element."""
    return Body(
        name=name,
        pose=read_pose(element, report),
        inertial=_read_inertial(element, name, report),
        visuals=_read_visuals(element, report, folder),
        collisions=_read_collisions(element, report, folder),
        frames=tuple([_read_marker(marker, index, report) for index, marker in enumerate(element.marker)]),
        soft_skin=_read_soft_skin(element, report),
        gravity=element.gravity,
        self_collide=element.self_collide,
        origin=element.location(),
    )


def _read_visuals(element: SkelBodyElement, report: Report, folder: Path | None) -> tuple[Visual, ...]:
    visuals = [read_visual(shape, report, folder) for shape in element.visualization_shape]
    return tuple([visual for visual in visuals if visual is not None])


def _read_collisions(element: SkelBodyElement, report: Report, folder: Path | None) -> tuple[Collision, ...]:
    enabled = _is_collidable_by_visuals(element, report)
    collisions = [read_collision(shape, enabled, report, folder) for shape in element.collision_shape]
    return tuple([collision for collision in collisions if collision is not None])


def _is_collidable_by_visuals(element: SkelBodyElement, report: Report) -> bool:
    enabled = True
    for shape in element.visualization_shape:
        if shape.collidable is not None:
            enabled = enabled and shape.collidable
            report.add(
                syntax_rules.DEPRECATED_SPELLING,
                "<collidable> in a visualization shape applies to the collision shapes of the body",
                shape.location("collidable"),
                hint="move it into <collision_shape>; DART ignores it here",
            )
    return enabled


def _read_soft_skin(element: SkelBodyElement, report: Report) -> SoftSkin | None:
    if element.soft_shape is not None:
        return read_soft_skin(element.soft_shape, report)
    if element.type == "soft":
        report.add(
            syntax_rules.MISSING_ELEMENT,
            f"body '{element.name}' is soft, but has no <soft_shape>: read as a rigid body",
            element.location(),
        )
    return None


def _read_marker(marker: MarkerElement, index: int, report: Report) -> Frame:
    name = marker.name
    if not name:
        name = f"Unknown marker {index + 1}"
        report.add(rules.GENERATED_NAME, f"no name: using '{name}'", marker.location())
    return Frame(name=name, pose=Pose(marker.offset), origin=marker.location())


def _read_inertial(body: SkelBodyElement, name: str, report: Report) -> Inertial:
    element = body.inertia
    if element is None:
        report.add(
            rules.ASSUMED_INERTIA, f"body '{name}': no <inertia>, using 1 kg and unit moments of inertia", body.location()
        )
        return _ASSUMED_INERTIAL
    frame = _read_inertial_frame(element, report)
    moment = None
    if element.moment_of_inertia is None:
        geometries = [shape.geometry for shape in body.visualization_shape] + [shape.geometry for shape in body.collision_shape]
        has_pyramid = any(geometry is not None and isinstance(geometry.shape, PyramidElement) for geometry in geometries)
        report.add(
            rules.COMPUTED_INERTIA,
            f"body '{name}': inertia tensor computed from its shapes",
            element.location(),
            hint="state <moment_of_inertia>: DART uses unit moments for a pyramid" if has_pyramid else None,
        )
    else:
        moment = _rotate_tensor(_read_tensor(element.moment_of_inertia), frame.wxyz)
    return Inertial(mass=element.mass, center_of_mass=frame.position, moment=moment)


def _read_inertial_frame(element: SkelInertiaElement, report: Report) -> Pose:
    offset = element.offset
    if element.transformation is None:
        return Pose(ZERO3 if offset is None else offset)
    report.add(
        syntax_rules.DEPRECATED_SPELLING,
        "<transformation> in <inertia> is read as the inertial frame",
        element.location("transformation"),
        hint="use <offset>, and express the moments of inertia in the body frame; DART ignores it",
    )
    if offset is None:
        return read_pose(element, report)
    report.add(
        rules.CONFLICTING_VALUES,
        "<inertia> has <offset> and <transformation>: using the offset, and the rotation of the transformation",
        element.location("offset"),
    )
    return Pose(offset, read_pose(element, report).wxyz)


def _read_tensor(element: MomentOfInertiaElement) -> Matrix3:
    return (
        (element.ixx, element.ixy, element.ixz),
        (element.ixy, element.iyy, element.iyz),
        (element.ixz, element.iyz, element.izz),
    )


def _rotate_tensor(moment: Matrix3, wxyz: Quaternion) -> Matrix3:
    if wxyz == IDENTITY_WXYZ:
        return moment
    R = np.array(rotation_matrix(wxyz))
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not finite, which the checks report
        rotated = R @ np.array(moment) @ R.T
        return matrix_from((rotated + rotated.T) / 2.0)
