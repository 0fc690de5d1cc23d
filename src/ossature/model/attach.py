"""Attaching one robot to another: the root link of a part and a link of the robot become one body."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ossature.model.body import Body, Collision, Inertial
from ossature.model.format_extension import Extension
from ossature.model.joint import Fixed, Floating, Joint
from ossature.model.named_list import NamedList
from ossature.model.triangle_mesh import LazyMesh
from ossature.model.world import Model
from ossature.spatial import IDENTITY, Matrix3, Pose, Vector3, rotated_tensor, subtract

BODY_FIELDS = frozenset({"parent", "child", "body", "body1", "body2", "base", "tip", "target"})
"""Fields that name a body."""
JOINT_FIELDS = frozenset({"joint"})
"""Fields that name a joint."""
_COLLECTIONS = (
    *("bodies", "joints", "bushings", "constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads"),
    *("manipulators", "sensors", "actuators"),
)
_FORCES = ("bushings", "constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads")


@dataclass(frozen=True, slots=True)
class Composition:
    """A robot with an attached part.

    Attributes:
        model: The robot.
        renamed: Elements of the part that got another name to be unique: old and new path.
        left_out: Joints between the part's root and the world, which are removed.
    """

    model: Model
    renamed: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]


def attach(base: Model, part: Model, *, onto: str, root: str | None = None, pose: Pose = IDENTITY) -> Composition:
    """Return a robot with a part attached: the root of the part and a link of the robot become one body.

    The two links become one body with the masses and shapes of both. Names of the part that the robot already has get the
    part's name as prefix.

    Args:
        base: The robot.
        part: The part to attach.
        onto: The link of the robot.
        root: The link of the part to attach by; its first link by default.
        pose: The frame of the part's link in that of the other one.

    Raises:
        ValueError: There is no such link, a joint moves the part's root, or force elements of the root cannot be transferred.
    """
    if onto not in base.bodies:
        raise ValueError(f"'{base.name}' has no link '{onto}': it has {', '.join(base.bodies.names())}")
    root = root if root is not None else next(iter(part.bodies.names()), "")
    if root not in part.bodies:
        raise ValueError(f"'{part.name}' has no link '{root}': links: {', '.join(part.bodies.names()) or 'none'}")
    held = _fixed_joints_of(part, root)
    _refuse_forces(part, root)
    names = {collection: _free_names(base, part, collection) for collection in _COLLECTIONS}
    names["bodies"][root] = onto
    moved = _move_part_onto(part, base.bodies[onto].pose, root, pose, held)
    renamed = _rename_elements(moved, names)
    merged = _merge_bodies(base.bodies[onto], renamed.bodies[onto], pose)
    bodies = [*(merged if body.name == onto else body for body in base.bodies), *_other_bodies(renamed.bodies, onto)]
    others = [name for name in _COLLECTIONS if name != "bodies"]
    together: dict[str, Any] = {name: NamedList([*getattr(base, name), *getattr(renamed, name)]) for name in others}
    model = replace(
        base,
        bodies=NamedList(bodies),
        ignored_pairs=(*base.ignored_pairs, *renamed.ignored_pairs),
        extensions=(*base.extensions, *renamed.extensions, _attachment_extension(part, onto, root, pose)),
        **together,
    )
    changed = [(old, new) for collection in _COLLECTIONS for old, new in names[collection].items() if old != new]
    reported = tuple([(f"{part.name}/{old}", f"{base.name}/{new}") for old, new in changed])
    return Composition(model=model, renamed=reported, left_out=tuple([joint.name for joint in held]))


def _fixed_joints_of(part: Model, root: str) -> list[Joint]:
    held = [joint for joint in part.joints if joint.child == root and joint.parent is None]
    moving = [joint for joint in part.joints if joint.child == root and joint not in held]
    moving += [joint for joint in held if not isinstance(joint.type, Fixed | Floating)]
    if moving:
        raise ValueError(f"the joint '{moving[0].name}' of '{part.name}' moves '{root}': choose a root link")
    return held


def _refuse_forces(part: Model, root: str) -> None:
    for collection in _FORCES:
        for element in getattr(part, collection):
            if root in [getattr(element, name, None) for name in BODY_FIELDS]:
                raise ValueError(f"'{element.name}' of '{part.name}' acts on '{root}', and cannot be moved over")


def _free_names(base: Model, part: Model, collection: str) -> dict[str, str]:
    """Return the names of the part's elements in the new robot."""
    taken = set(getattr(base, collection).names())
    names: dict[str, str] = {}
    for name in getattr(part, collection).names():
        new, count = name, 1
        while new in taken:
            new = f"{part.name}_{name}" if count == 1 else f"{part.name}_{name}_{count}"
            count += 1
        taken.add(new)
        names[name] = new
    return names


def _move_part_onto(part: Model, carrier: Pose, root: str, pose: Pose, held: Iterable[Joint]) -> Model:
    """Return a part expressed in the frame of the new robot, with elements of its root expressed in the frame of the link."""
    change = carrier @ pose @ part.bodies[root].pose.inverse()
    bodies = [replace(body, pose=change @ body.pose) for body in part.bodies]
    left_out = {id(joint) for joint in held}
    return replace(
        part,
        bodies=NamedList(bodies),
        joints=NamedList([joint for joint in part.joints if id(joint) not in left_out]),
        manipulators=NamedList([replace(m, pose=pose @ m.pose) if m.tip == root else m for m in part.manipulators]),
        sensors=NamedList([replace(s, pose=pose @ s.pose) if s.body == root else s for s in part.sensors]),
    )


# Names


def _rename_elements(part: Model, names: dict[str, dict[str, str]]) -> Model:
    def body(name: str) -> str:
        return names["bodies"].get(name, name)

    def joint(name: str) -> str:
        return names["joints"].get(name, name)

    collections: dict[str, Any] = {}
    for collection in _COLLECTIONS:
        elements = [_replace_references(element, body, joint) for element in getattr(part, collection)]
        named = [replace(element, name=names[collection][element.name]) for element in elements]
        collections[collection] = NamedList(named)
    pairs = tuple([(body(first), body(second)) for first, second in part.ignored_pairs])
    return replace(part, ignored_pairs=pairs, **collections)


def _replace_references(value: Any, body: Callable[[str], str], joint: Callable[[str], str]) -> Any:
    """Return a value in which every name of a body or a joint is another one."""
    if isinstance(value, tuple):
        return tuple([_replace_references(item, body, joint) for item in value])
    if not dataclasses.is_dataclass(value) or isinstance(value, Pose | LazyMesh | Body | Extension):
        return value
    changed = {}
    for item in dataclasses.fields(value):
        if not item.compare:
            continue
        stated = getattr(value, item.name)
        if isinstance(stated, str):
            new = body(stated) if item.name in BODY_FIELDS else joint(stated) if item.name in JOINT_FIELDS else stated
        else:
            new = _replace_references(stated, body, joint)
        if new is not stated:
            changed[item.name] = new
    return replace(value, **changed) if changed else value  # type: ignore[type-var]  # a data class


# Links that become one


def _merge_bodies(carrier: Body, carried: Body, pose: Pose) -> Body:
    names = {frame.name for frame in carrier.frames}
    new_frames = [replace(frame, pose=pose @ frame.pose) for frame in carried.frames if frame.name not in names]
    return replace(
        carrier,
        inertial=_sum_inertials(carrier.inertial, carried.inertial, pose),
        visuals=(*carrier.visuals, *(replace(shape, pose=pose @ shape.pose) for shape in carried.visuals)),
        collisions=(*carrier.collisions, *_move_collisions(carried.collisions, pose)),
        self_collisions=_own_collisions(carrier, carried, pose),
        frames=(*carrier.frames, *new_frames),
        extensions=(*carrier.extensions, *carried.extensions),
    )


def _move_collisions(shapes: Iterable[Collision], pose: Pose) -> tuple[Collision, ...]:
    return tuple([replace(shape, pose=pose @ shape.pose) for shape in shapes])


def _own_collisions(carrier: Body, carried: Body, pose: Pose) -> tuple[Collision, ...] | None:
    """Return the shapes for self-collision if one of the links has separate ones."""
    if carrier.self_collisions is None and carried.self_collisions is None:
        return None
    first = carrier.collisions if carrier.self_collisions is None else carrier.self_collisions
    second = carried.collisions if carried.self_collisions is None else carried.self_collisions
    return (*first, *_move_collisions(second, pose))


def _other_bodies(bodies: NamedList[Body], merged: str) -> list[Body]:
    return [body for body in bodies if body.name != merged]


def _sum_inertials(first: Inertial, second: Inertial, pose: Pose) -> Inertial:
    """Return the inertia of two bodies that are one, by the theorem of parallel axes."""
    mass = first.mass + second.mass
    other = pose.transform(second.center_of_mass)
    if mass == 0.0:
        return first
    shares = (first.mass / mass, second.mass / mass)
    a, b = first.center_of_mass, other
    centre = (shares[0] * a[0] + shares[1] * b[0], shares[0] * a[1] + shares[1] * b[1], shares[0] * a[2] + shares[1] * b[2])
    moment = None
    if first.moment is not None and second.moment is not None:
        own = _moment_about(first.moment, first.mass, subtract(a, centre))
        moment = _to_matrix3(own + _moment_about(rotated_tensor(second.moment, pose.wxyz), second.mass, subtract(b, centre)))
    return replace(first, mass=mass, center_of_mass=centre, moment=moment)


def _moment_about(moment: Matrix3, mass: float, arm: Vector3) -> Any:
    d = np.asarray(arm)
    return np.asarray(moment) + mass * (d @ d * np.eye(3) - np.outer(d, d))


def _to_matrix3(array: Any) -> Matrix3:
    a, b, c = array.tolist()
    return (tuple(a), tuple(b), tuple(c))


def _attachment_extension(part: Model, onto: str, root: str, pose: Pose) -> Extension:
    """Return the extensions that record the origin of a part."""
    file = part.origin.file if part.origin is not None else ""
    numbers = " ".join(repr(number) for number in (*pose.position, *pose.wxyz))
    return Extension(format="ossature", key=f"part {part.name}", value=f"{root} is {onto} at {numbers} from {file}".strip())
