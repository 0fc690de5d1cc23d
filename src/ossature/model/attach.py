"""Attaching one robot to another: the root link of a part and a link of the robot become one body."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ossature.model.format_extension import Extension
from ossature.model.joint import Fixed, Floating
from ossature.model.merge_bodies import express_in, merge_body
from ossature.model.model import COLLECTIONS, Model
from ossature.model.name_references import map_references
from ossature.model.unique_names import unique_name
from ossature.spatial import IDENTITY, Pose, rotate


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


def attach(
    base: Model, part: Model, *, onto: str, root: str | None = None, pose: Pose = IDENTITY, prefix: str = ""
) -> Composition:
    """Return a robot with a part attached: the root of the part and a link of the robot become one body.

    The two links become one body with the masses and shapes of both, and a frame with the name of the part's link. Names of
    the part that the robot already has get the part's name as prefix.

    Args:
        root: The link of the part to attach by; its first link by default.
        pose: The frame of the part's link in that of the other one.
        prefix: Prefix of all names of the part.

    Raises:
        ValueError: There is no such link, or a joint moves the part's root.
    """
    if onto not in base.bodies:
        raise ValueError(f"'{base.name}' has no link '{onto}': it has {', '.join(base.bodies.names())}")
    root = root if root is not None else next(iter(part.bodies.names()), "")
    if root not in part.bodies:
        raise ValueError(f"'{part.name}' has no link '{root}': links: {', '.join(part.bodies.names()) or 'none'}")
    removed = _fixed_joints_of(part, root)
    names = {collection: _unused_names(base, part, collection, prefix) for collection in COLLECTIONS}
    renamed = _renamed(replace(part, joints=part.joints.without(*removed)), names)
    placed = _placed(renamed, base.bodies[onto].pose @ pose @ part.bodies[root].pose.inverse())
    together: dict[str, Any] = {name: getattr(base, name).with_(*getattr(placed, name)) for name in COLLECTIONS}
    extensions = (*base.extensions, *placed.extensions, _record(part, onto, root, pose))
    pairs = (*base.ignored_pairs, *placed.ignored_pairs)
    model = replace(base, ignored_pairs=pairs, extensions=extensions, **together)
    merged = merge_body(model, names["bodies"][root], onto, pose)
    names["bodies"][root] = onto
    changed = [(old, new) for collection in COLLECTIONS for old, new in names[collection].items() if old != new]
    reported = tuple([(f"{part.name}/{old}", f"{base.name}/{new}") for old, new in changed])
    return Composition(model=merged, renamed=reported, left_out=tuple(removed))


def _fixed_joints_of(part: Model, root: str) -> list[str]:
    fixed = [joint for joint in part.joints if joint.child == root and joint.parent is None]
    moving = [joint for joint in part.joints if joint.child == root and joint not in fixed]
    moving += [joint for joint in fixed if not isinstance(joint.type, Fixed | Floating)]
    if moving:
        raise ValueError(f"the joint '{moving[0].name}' of '{part.name}' moves '{root}': choose a root link")
    return list(dict.fromkeys(joint.name for joint in fixed))


def _unused_names(base: Model, part: Model, collection: str, prefix: str) -> dict[str, str]:
    """Return the names of the part's elements in the new robot."""
    taken = set(getattr(base, collection).names())
    names: dict[str, str] = {}
    for name in getattr(part, collection).names():
        new = prefix + name
        names[name] = new if new not in taken else unique_name(f"{part.name}_{name}", taken)
        taken.add(names[name])
    return names


def _renamed(part: Model, names: dict[str, dict[str, str]]) -> Model:
    collections = {
        collection: getattr(part, collection).map(lambda item, new=names[collection]: replace(item, name=new[item.name]))
        for collection in COLLECTIONS
    }
    changed: Model = map_references(replace(part, **collections), names)
    return changed


def _placed(part: Model, change: Pose) -> Model:
    """Return a part whose model frame is displaced, with quantities that are expressed in it."""
    bodies = part.bodies.map(
        lambda body: replace(body, pose=change @ body.pose, initial_velocity=rotate(change.wxyz, body.initial_velocity))
    )
    placed = {name: getattr(part, name).map(lambda element: express_in(element, None, change)) for name in _IN_MODEL_FRAME}
    return replace(part, bodies=bodies, **placed)


_IN_MODEL_FRAME = (
    *("bushings", "constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads"),
    *("equalities", "cameras", "lights"),
)
"""Elements that are expressed in the model frame if they are fixed to the world."""


def _record(part: Model, onto: str, root: str, pose: Pose) -> Extension:
    file = part.origin.file if part.origin is not None else ""
    numbers = " ".join(repr(number) for number in (*pose.position, *pose.wxyz))
    return Extension(format="ossature", key=f"part {part.name}", value=f"{root} is {onto} at {numbers} from {file}".strip())
