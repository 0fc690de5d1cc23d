"""Merging two bodies of a model into one: inertia, shapes, frames, and elements that refer to the merged body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ossature.model.body import Body, Collision, Frame, Inertial
from ossature.model.cameras_and_lights import Camera, Light
from ossature.model.equality_constraint import Connection, Equality, EqualityType, Weld
from ossature.model.force_element import Bushing, Load, LoadKind, RotationalSpringDamper, SpringDamper
from ossature.model.joint import Joint
from ossature.model.manipulator import Manipulator
from ossature.model.massless_link_constraint import Constraint, RevoluteSpherical, RevoluteTranslational
from ossature.model.model import COLLECTIONS, Model
from ossature.model.motor import Motor
from ossature.model.name_references import map_references
from ossature.model.sensor import Sensor
from ossature.model.unique_names import unique_name
from ossature.spatial import Matrix3, Pose, Vector3, add, cross, matrix_from, rotate, rotated_tensor, subtract


def merge_body(model: Model, body: str, onto: str, pose: Pose) -> Model:
    """Return a model in which a body is part of another one.

    The body's shapes, frames and mass become those of the other body; joints, force elements, sensors, and other elements of
    the body refer to the other one, at the same positions. A frame with the body's name marks its former frame.

    Args:
        body: The body that is merged.
        onto: The other body.
        pose: The frame of the merged body in that of the other one.
    """
    merged = merged_body(model.bodies[onto], model.bodies[body], pose)
    moved = {name: getattr(model, name).map(lambda element: express_in(element, body, pose)) for name in COLLECTIONS}
    changed: Model = map_references(replace(model, **moved), {"bodies": {body: onto}})
    pairs = dict.fromkeys(pair for pair in changed.ignored_pairs if pair[0] != pair[1])
    return replace(changed, bodies=changed.bodies.replaced(merged).without(body), ignored_pairs=tuple(pairs))


_ON_BODY = (
    *((Joint, "child"), (Manipulator, "tip"), (Sensor, "body"), (Bushing, "body1"), (Motor, "body1")),
    (Camera, "body"),
)
"""Elements with a pose in the frame of a body, and the field that names the body."""


def express_in(element: Any, body: str | None, pose: Pose) -> Any:
    """Return an element with the quantities that are expressed in the frame of a body expressed in another frame.

    Args:
        element: A joint, force element, manipulator or sensor.
        body: The body, or None for the model frame.
        pose: The frame of the body in the other frame.
    """
    for kind, field in _ON_BODY:
        if isinstance(element, kind):
            moved = replace(element, pose=pose @ element.pose) if getattr(element, field) == body else element
            return _moved_bushing(moved, body, pose) if isinstance(moved, Bushing) else moved
    if isinstance(element, SpringDamper | Constraint):
        return _moved_points(element, body, pose)
    if isinstance(element, Equality):
        return replace(element, type=_moved_equality(element.type, body, pose))
    if isinstance(element, Light) and element.body == body:
        return replace(element, position=pose.transform(element.position), direction=rotate(pose.wxyz, element.direction))
    if isinstance(element, RotationalSpringDamper) and element.body1 == body:
        return replace(element, axis=rotate(pose.wxyz, element.axis), point=pose.transform(element.point))
    return _moved_load(element, body, pose) if isinstance(element, Load) else element


def _moved_bushing(bushing: Bushing, body: str | None, pose: Pose) -> Bushing:
    if bushing.pose2 is None or bushing.body2 != body:
        return bushing
    return replace(bushing, pose2=pose @ bushing.pose2)


def _moved_points(element: Any, body: str | None, pose: Pose) -> Any:
    first = element.body1 == body
    changed: dict[str, Any] = {}
    if first:
        changed["point1"] = pose.transform(element.point1)
    if element.body2 == body:
        changed["point2"] = pose.transform(element.point2)
    kind = getattr(element, "type", None)
    if first and isinstance(kind, RevoluteSpherical | RevoluteTranslational):
        kind = replace(kind, axis=rotate(pose.wxyz, kind.axis))
    if element.body2 == body and isinstance(kind, RevoluteTranslational):
        kind = replace(kind, direction=rotate(pose.wxyz, kind.direction))
    if kind is not None:
        changed["type"] = kind
    return replace(element, **changed)


def _moved_equality(kind: EqualityType, body: str | None, pose: Pose) -> EqualityType:
    if isinstance(kind, Connection):
        return _moved_points(kind, body, pose)  # type: ignore[no-any-return]  # of the same class
    if not isinstance(kind, Weld) or kind.frame1 is not None:
        return kind
    if kind.body1 == body:
        kind = replace(kind, pose=pose @ kind.pose)
    if kind.body2 == body:
        kind = replace(kind, pose=kind.pose @ pose.inverse(), anchor=pose.transform(kind.anchor))
    return kind


def _moved_load(load: Load, body: str | None, pose: Pose) -> Load:
    changed: dict[str, Any] = {}
    if load.value is not None and body == (load.body if load.expressed_in_body_frame else None):
        changed["value"] = rotate(pose.wxyz, load.value)
    if load.kind is LoadKind.FORCE and body == (load.body if load.applied_at_body_point else None):
        changed["point"] = pose.transform(load.point)
    return replace(load, **changed)


def merged_body(carrier: Body, carried: Body, pose: Pose) -> Body:
    """Return two bodies as one.

    Args:
        carrier: The body whose name and frame the merged one has.
        carried: The other body.
        pose: Its frame in that of the first one.
    """
    frames = list(carrier.frames)
    for frame in (Frame(name=carried.name, origin=carried.origin), *carried.frames):
        name = unique_name(frame.name, {other.name for other in frames})
        frames.append(replace(frame, name=name, pose=pose @ frame.pose))
    inertial = sum_inertials(carrier.inertial, carried.inertial, pose)
    return replace(
        carrier,
        inertial=inertial,
        initial_velocity=_velocity_of_center(carrier, inertial),
        visuals=(*carrier.visuals, *(replace(shape, pose=pose @ shape.pose) for shape in carried.visuals)),
        collisions=(*carrier.collisions, *_shifted(carried.collisions, pose)),
        self_collisions=_own_collisions(carrier, carried, pose),
        frames=tuple(frames),
        extensions=(*carrier.extensions, *carried.extensions),
    )


def _velocity_of_center(body: Body, inertial: Inertial) -> Vector3:
    """Return the initial velocity of a new centre of mass of a body that moves as before."""
    if not any(body.initial_angular_velocity_body):
        return body.initial_velocity
    arm = subtract(inertial.center_of_mass, body.inertial.center_of_mass)
    return add(body.initial_velocity, rotate(body.pose.wxyz, cross(body.initial_angular_velocity_body, arm)))


def _shifted(shapes: Iterable[Collision], pose: Pose) -> tuple[Collision, ...]:
    return tuple([replace(shape, pose=pose @ shape.pose) for shape in shapes])


def _own_collisions(carrier: Body, carried: Body, pose: Pose) -> tuple[Collision, ...] | None:
    """Return the shapes for self-collision if one of the bodies has separate ones."""
    if carrier.self_collisions is None and carried.self_collisions is None:
        return None
    first = carrier.collisions if carrier.self_collisions is None else carrier.self_collisions
    second = carried.collisions if carried.self_collisions is None else carried.self_collisions
    return (*first, *_shifted(second, pose))


def sum_inertials(first: Inertial, second: Inertial, pose: Pose) -> Inertial:
    """Return the inertia of two bodies that are one, by the parallel axis theorem; the second one's frame is at a pose."""
    mass = first.mass + second.mass
    other = pose.transform(second.center_of_mass)
    if mass == 0.0:
        return first
    shares = (first.mass / mass, second.mass / mass)
    a, b = first.center_of_mass, other
    center = (shares[0] * a[0] + shares[1] * b[0], shares[0] * a[1] + shares[1] * b[1], shares[0] * a[2] + shares[1] * b[2])
    moment = None
    if first.moment is not None and second.moment is not None:
        own = _moment_about(first.moment, first.mass, subtract(a, center))
        moment = matrix_from(own + _moment_about(rotated_tensor(second.moment, pose.wxyz), second.mass, subtract(b, center)))
    return replace(first, mass=mass, center_of_mass=center, moment=moment)


def _moment_about(moment: Matrix3, mass: float, arm: Vector3) -> Any:
    import numpy as np

    d = np.asarray(arm)
    return np.asarray(moment) + mass * (d @ d * np.eye(3) - np.outer(d, d))
