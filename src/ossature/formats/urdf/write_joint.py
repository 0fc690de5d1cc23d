"""Joints of the model → URDF joints."""

from __future__ import annotations

import math
from dataclasses import fields

from ossature.diagnostics.ledger import Ledger
from ossature.formats.urdf.mimic import mimic_of
from ossature.formats.urdf.origin import origin_of
from ossature.formats.urdf.passthrough import element_in
from ossature.formats.urdf.read_joint import NO_LIMIT, UNDERSTOOD_IN_JOINT
from ossature.formats.urdf.schema import (
    LinkReferenceElement,
    MimicElement,
    UrdfAxisElement,
    UrdfDynamicsElement,
    UrdfJointElement,
    UrdfLimitElement,
)
from ossature.formats.urdf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.urdf.supported_joints import axis_in_child
from ossature.formats.urdf.write_tree import RobotTree, WrittenJoint
from ossature.model import UNCONSTRAINED_COORDINATE, Coordinate, Floating, Joint, Planar, Prismatic, Range, Revolute
from ossature.spatial import IDENTITY, Vector3, cross, norm, unit
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind


def write_joint(placed: WrittenJoint, tree: RobotTree, ledger: Ledger) -> XmlNode:
    """Return the element that says a joint."""
    joint, path = placed.joint, placed.path
    coordinate = joint.coordinates[0] if isinstance(joint.type, Revolute | Prismatic) else None
    element = UrdfJointElement(
        name=placed.name,
        type=_kind(joint),
        origin=origin_of(placed.pose, f"{path}.pose", ledger),
        parent=LinkReferenceElement(link=placed.parent),
        child=LinkReferenceElement(link=tree.link_names.of(joint.child)),
        axis=_axis(joint, path, ledger),
        limit=_limit(joint, coordinate, path, ledger) if coordinate is not None else None,
        dynamics=_dynamics(coordinate) if coordinate is not None else None,
        mimic=_mimic(coordinate, tree, path, ledger) if coordinate is not None else None,
    )
    if coordinate is None:
        _account_for_coordinates(joint, path, ledger)
    node = unbind("joint", element)
    _write_passthrough(joint, node, f"{path}.extensions", ledger)
    return node


def _kind(joint: Joint) -> str:
    match joint.type:
        case Revolute():
            return "revolute" if joint.coordinates[0].position_limits.bounded else "continuous"
        case Prismatic():
            return "prismatic"
        case Planar():
            return "planar"
        case Floating():
            return "floating"
        case _:
            return "fixed"


def _axis(joint: Joint, path: str, ledger: Ledger) -> UrdfAxisElement | None:
    stated = _stated_axis(joint)
    if joint.pose != IDENTITY:
        detail = "its frame is that of its child, in which its axis is said" if stated else "its frame is that of its child"
        ledger.rewritten(f"{path}.pose", detail)
    if stated is None:
        return None
    axis = unit(axis_in_child(joint, stated))
    if axis != stated:
        if abs(norm(stated) - 1.0) > _SAME:
            ledger.approximated(f"{path}.type", "an axis that is not a unit vector is normalised")
        else:
            ledger.rewritten(f"{path}.type", "its axis is said in the frame of its child")
    return UrdfAxisElement(xyz=axis)


_SAME = 1e-12


def _stated_axis(joint: Joint) -> Vector3 | None:
    match joint.type:
        case Revolute(axis=axis) | Prismatic(axis=axis):
            return axis
        case Planar(axis1=first, axis2=second):
            return unit(cross(first, second))
        case _:
            return None


def _limit(joint: Joint, coordinate: Coordinate, path: str, ledger: Ledger) -> UrdfLimitElement | None:
    here = f"{path}.coordinates[0]"
    position, is_slide = coordinate.position_limits, isinstance(joint.type, Prismatic)
    if not (is_slide or position.bounded or coordinate.effort_limits.bounded or coordinate.velocity_limits.bounded):
        return None
    has_position = is_slide or position.bounded
    return UrdfLimitElement(
        lower=_finite(position.lower, f"{here}.position_limits", ledger) if has_position else None,
        upper=_finite(position.upper, f"{here}.position_limits", ledger) if has_position else None,
        effort=_both_ways(coordinate.effort_limits, f"{here}.effort_limits", ledger),
        velocity=_both_ways(coordinate.velocity_limits, f"{here}.velocity_limits", ledger),
    )


def _finite(value: float, path: str, ledger: Ledger) -> float:
    if math.isfinite(value):
        return value
    ledger.rewritten(path, "no limit is written as the largest number that there is")
    return math.copysign(NO_LIMIT, value)


def _both_ways(bounds: Range, path: str, ledger: Ledger) -> float:
    if bounds.lower == -bounds.upper:
        return _finite(bounds.upper, path, ledger)
    widest = max(abs(bounds.lower), abs(bounds.upper))
    detail = "URDF bounds both ways alike: the wider bound is written"
    ledger.approximated(path, detail, error=abs(bounds.lower + bounds.upper) if math.isfinite(widest) else None)
    return widest if math.isfinite(widest) else NO_LIMIT


def _dynamics(coordinate: Coordinate) -> UrdfDynamicsElement | None:
    if not (coordinate.damping or coordinate.friction):
        return None
    return UrdfDynamicsElement(damping=coordinate.damping, friction=coordinate.friction)


def _mimic(coordinate: Coordinate, tree: RobotTree, path: str, ledger: Ledger) -> MimicElement | None:
    if coordinate.coupling is None:
        return None
    found = mimic_of(coordinate.coupling)
    if found is None or found[0] not in tree.joint_names:
        ledger.dropped(f"{path}.coordinates[0].coupling", "URDF knows multiples of one joint's position, plus an offset, alone")
        return None
    joint, multiplier, offset = found
    return MimicElement(joint=tree.joint_names[joint], multiplier=multiplier, offset=offset)


def _account_for_coordinates(joint: Joint, path: str, ledger: Ledger) -> None:
    """Record what is stated of coordinates of a joint of several, of which URDF says nothing."""
    for index, coordinate in enumerate(joint.coordinates):
        for item in fields(Coordinate):
            if item.name in SUPPORTED_FIELDS[Coordinate] and getattr(coordinate, item.name) != getattr(
                UNCONSTRAINED_COORDINATE, item.name
            ):
                kind = "floating" if isinstance(joint.type, Floating) else "planar"
                ledger.dropped(f"{path}.coordinates[{index}].{item.name}", f"URDF says nothing of it for a {kind} joint")


def _write_passthrough(joint: Joint, node: XmlNode, path: str, ledger: Ledger) -> None:
    for extension in joint.extensions:
        element = element_in(extension)
        if element is None or element.tag in UNDERSTOOD_IN_JOINT:
            ledger.dropped(path, f"{extension.format} {extension.key} = {extension.value}")
        else:
            node.children.append(element)
