"""Compilation of soft skins: each point mass becomes a body that slides along the axes of the rigid frame.

Each slide has the stiffness and the damping of the point, and each edge is the sum of the squared differences of the
coordinates of its points: a tendon for each axis. A point touches shapes of other models as a sphere of negligible size. The
surfaces of two soft bodies touch as points of one and the undeformed surface of the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import mujoco
import numpy as np

from ossature.kinematics.soft_skin_points import point_count, skin_edges, skin_points
from ossature.model import Body, Cylinder, Model, SoftSkin
from ossature.simulation.compile import collision_filter, rules
from ossature.simulation.compile.compile_context import CompileContext
from ossature.simulation.compile.engine_spec import SpecBody, SpecGeom, SpecJoint, SpecTendon, append
from ossature.simulation.compile.inertia import SubstitutedInertia, set_negligible_inertia
from ossature.spatial import ZERO3, Vector3

_RADIUS_M = 1e-6
"""Radius of the sphere with which a point touches other shapes [m]."""
_MOST_POINTS = 1000
"""Number of points up to which a skin deforms: the time and the memory of a compilation grow with its square."""
_AXES: dict[str, Vector3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def why_rigid(body: Body) -> str | None:
    """Return why a soft body that can move is simulated as a rigid one, or None if its skin deforms."""
    skin = body.soft_skin
    assert skin is not None  # noqa: S101  # checked by the caller
    numbers = (skin.mass, skin.vertex_stiffness, skin.edge_stiffness, skin.damping)
    if not (skin.mass > 0.0 and all(math.isfinite(number) and number >= 0.0 for number in numbers)):
        return "its mass is not positive, or its stiffness or damping is negative"
    if point_count(skin) > _MOST_POINTS:
        return f"it has {point_count(skin)} points, more than {_MOST_POINTS}"
    if isinstance(skin.geometry, Cylinder) and skin.edge_stiffness:
        return "its edge stiffness is that of a cylinder, whose edges DART connects incompletely"
    if any(body.initial_velocity) or any(body.initial_angular_velocity_body):
        return "the body states an initial velocity"
    return None


def has_deformable_skin(body: Body) -> bool:
    """Whether a body that can move has a soft skin that deforms."""
    return body.soft_skin is not None and why_rigid(body) is None


def add_soft_skin(work: CompileContext, model: Model, body: Body, engine_body: SpecBody) -> None:
    """Add the point masses of a soft skin, their springs, and the shapes that touch others."""
    skin, key = body.soft_skin, (model.name, body.name)
    assert skin is not None  # noqa: S101  # checked by the caller
    positions = skin_points(skin)
    mass = skin.mass / len(positions)
    mask = work.masks.of_points(model, body)
    points = []
    for number, position in enumerate(positions):
        point = _add_point(engine_body, position, number, skin)
        work.substituted.append(SubstitutedInertia(engine_body=point, mass=mass, moments=np.zeros(3)))
        work.points.setdefault(key, []).append(_add_contact_sphere(point, mask))
        points.append(point)
    if skin.edge_stiffness:
        _add_edges(work, skin, points)
    _report(work, model, body, positions)


def _add_point(frame: SpecBody, position: Vector3, number: int, skin: SoftSkin) -> SpecBody:
    point = frame.add_body()
    point.name, point.pos, point.gravcomp = f"{frame.name} point {number}", position, frame.gravcomp
    set_negligible_inertia(point)
    point.ipos = ZERO3
    for label, axis in _AXES.items():
        joint = SpecJoint(name=f"{point.name} {label}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
        joint.stiffness, joint.damping = (skin.vertex_stiffness, 0.0, 0.0), (skin.damping, 0.0, 0.0)
        point.joints.append(joint)
    return point


def _add_contact_sphere(point: SpecBody, mask: collision_filter.Mask) -> SpecGeom:
    sphere = append(point.geoms, SpecGeom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[_RADIUS_M, 0.0, 0.0]))
    collision_filter.apply_mask(mask, sphere)
    return sphere


def _add_edges(work: CompileContext, skin: SoftSkin, points: list[SpecBody]) -> None:
    for first, second in skin_edges(skin):
        for label in _AXES:
            names = f"{points[first].name} {label}", f"{points[second].name} {label}"
            tendon = append(work.spec.tendons, SpecTendon(name=f"edge from {names[0]} to {names[1]}"))
            tendon.stiffness = (skin.edge_stiffness, 0.0, 0.0)
            for name, sign in zip(names, (1.0, -1.0), strict=True):
                tendon.wrap_joint(name, sign)


def _report(work: CompileContext, model: Model, body: Body, positions: Sequence[Vector3]) -> None:
    """Report how the contacts of a skin differ from those of its faces, if it can touch anything."""
    others = [other for other in work.world.models if other.name != model.name]
    if (
        not any(one.collisions or one.soft_skin is not None for other in others for one in other.bodies)
        and not body.self_collide
    ):
        return
    skin, path = body.soft_skin, f"{model.name}/{body.name}"
    assert skin is not None  # noqa: S101  # checked by the caller
    distance = f"{_spacing(positions):.3g} m"
    message = f"{path}: the skin touches other shapes at its {len(positions)} points only, which are up to {distance} apart"
    if work.masks.skins:
        message += ", and the skins of other models as if those did not deform"
    work.report.add(rules.SOFT_SKIN_CONTACT_APPROXIMATED, message, skin.origin, path=path)


def _spacing(positions: Sequence[Vector3]) -> float:
    """Return the largest distance of a point from the one that is nearest to it [m]."""
    points = np.array(positions)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, np.inf)
    return float(distances.min(axis=1).max())
