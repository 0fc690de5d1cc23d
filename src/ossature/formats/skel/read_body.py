"""SKEL bodies → bodies of the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ossature.diagnostics import Report
from ossature.formats.skel import rules
from ossature.formats.skel.pose_values import pose_of
from ossature.formats.skel.read_shapes import read_collision, read_soft_skin, read_visual
from ossature.formats.skel.schema import MarkerElement, MomentOfInertiaElement, SkelBodyElement, SkelInertiaElement
from ossature.model import Body, Collision, Frame, Inertial, SoftSkin, Visual
from ossature.spatial import IDENTITY_WXYZ, ZERO3, Matrix3, Pose, Quaternion, rotation_matrix
from ossature.syntax import rules as syntax_rules

_UNIT_MOMENT: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ASSUMED = Inertial(mass=1.0, moment=_UNIT_MOMENT)


def read_body(element: SkelBodyElement, name: str, report: Report, folder: Path | None) -> Body:
    """Return the body that an element describes."""
    return Body(
        name=name,
        pose=pose_of(element.transformation),
        inertial=_inertial(element, name, report),
        visuals=_visuals(element, report, folder),
        collisions=_collisions(element, report, folder),
        frames=tuple([_frame(marker, index, report) for index, marker in enumerate(element.marker)]),
        soft_skin=_soft_skin(element, report),
        gravity=element.gravity,
        self_collide=element.self_collide,
        origin=element.location(),
    )


def _visuals(element: SkelBodyElement, report: Report, folder: Path | None) -> tuple[Visual, ...]:
    visuals = [read_visual(shape, report, folder) for shape in element.visualization_shape]
    return tuple([visual for visual in visuals if visual is not None])


def _collisions(element: SkelBodyElement, report: Report, folder: Path | None) -> tuple[Collision, ...]:
    enabled = _collidable_by_visual(element, report)
    collisions = [read_collision(shape, enabled, report, folder) for shape in element.collision_shape]
    return tuple([collision for collision in collisions if collision is not None])


def _collidable_by_visual(element: SkelBodyElement, report: Report) -> bool:
    enabled = True
    for shape in element.visualization_shape:
        if shape.collidable is not None:
            enabled = enabled and shape.collidable
            report.add(
                syntax_rules.OLD_SPELLING,
                "<collidable> under a visualization shape is read for the body's collision shapes",
                shape.location("collidable"),
                hint="move it into <collision_shape>; DART does not read it here",
            )
    return enabled


def _soft_skin(element: SkelBodyElement, report: Report) -> SoftSkin | None:
    if element.soft_shape is not None:
        return read_soft_skin(element.soft_shape, report)
    if element.type == "soft":
        report.add(
            syntax_rules.MISSING_ELEMENT,
            f"body '{element.name}' is soft and has no <soft_shape>: it is read as a rigid one",
            element.location(),
        )
    return None


def _frame(marker: MarkerElement, index: int, report: Report) -> Frame:
    name = marker.name
    if not name:
        name = f"Unknown marker {index + 1}"
        report.add(rules.MISSING_NAME_GIVEN, f"no name: '{name}' is taken", marker.location())
    return Frame(name=name, pose=Pose(marker.offset), origin=marker.location())


def _inertial(body: SkelBodyElement, name: str, report: Report) -> Inertial:
    element = body.inertia
    if element is None:
        report.add(rules.ASSUMED_INERTIA, f"body '{name}': 1 kg and unit moments are taken", body.location())
        return _ASSUMED
    frame = _mass_frame(element, report)
    moment = None
    if element.moment_of_inertia is None:
        report.add(
            rules.COMPUTED_MOMENT,
            f"body '{name}': the moment of inertia is computed from its shapes",
            element.location(),
        )
    else:
        moment = _turned(_tensor(element.moment_of_inertia), frame.wxyz)
    return Inertial(mass=element.mass, center_of_mass=frame.position, moment=moment)


def _mass_frame(element: SkelInertiaElement, report: Report) -> Pose:
    offset = element.offset
    if element.transformation is None:
        return Pose(ZERO3 if offset is None else offset)
    report.add(
        syntax_rules.OLD_SPELLING,
        "<transformation> under <inertia> is read as the frame of mass and moment",
        element.location("transformation"),
        hint="write <offset>, and the moment in axes of the body; DART does not read it",
    )
    if offset is None:
        return pose_of(element.transformation)
    report.add(
        rules.CONTRADICTION,
        "<inertia> has <offset> and <transformation>: the offset counts, and the rotation",
        element.location("offset"),
    )
    return Pose(offset, pose_of(element.transformation).wxyz)


def _tensor(element: MomentOfInertiaElement) -> Matrix3:
    return (
        (element.ixx, element.ixy, element.ixz),
        (element.ixy, element.iyy, element.iyz),
        (element.ixz, element.iyz, element.izz),
    )


def _turned(moment: Matrix3, wxyz: Quaternion) -> Matrix3:
    if wxyz == IDENTITY_WXYZ:
        return moment
    R = np.array(rotation_matrix(wxyz))
    turned = R @ np.array(moment) @ R.T
    a, b, c = ((turned + turned.T) / 2.0).tolist()
    return (tuple(a), tuple(b), tuple(c))
