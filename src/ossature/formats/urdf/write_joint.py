"""Writer of URDF joints."""

from __future__ import annotations

import math
from dataclasses import fields

from ossature.diagnostics.ledger import Ledger
from ossature.formats.urdf import schema
from ossature.formats.urdf.convert_mimic import mimic_parameters
from ossature.formats.urdf.convert_origin import origin_of
from ossature.formats.urdf.passthrough import element_in
from ossature.formats.urdf.read_joint import INTERPRETED_IN_JOINT, NO_LIMIT
from ossature.formats.urdf.representable_tree import RobotTree, WrittenJoint
from ossature.formats.urdf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.urdf.supported_joints import axis_in_child
from ossature.model import UNCONSTRAINED_COORDINATE, Coordinate, Floating, Joint, Planar, Prismatic, Range, Revolute
from ossature.model.unsupported_fields import drop_extension
from ossature.spatial import IDENTITY, Vector3, cross, norm, unit
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind


def write_joint(written: WrittenJoint, tree: RobotTree, ledger: Ledger) -> XmlNode:
    """Return the ``<joint>`` element of a joint."""
    joint, path = written.joint, written.path
    coordinate = joint.coordinates[0] if isinstance(joint.type, Revolute | Prismatic) else None
    element = schema.UrdfJointElement(
        name=written.name,
        type=_type_name(joint),
        origin=origin_of(written.pose, f"{path}.pose", ledger),
        parent=schema.LinkReferenceElement(link=written.parent),
        child=schema.LinkReferenceElement(link=tree.link_names.of(joint.child)),
        axis=_write_axis(joint, path, ledger),
        limit=_write_limit(joint, coordinate, path, ledger) if coordinate is not None else None,
        dynamics=_write_dynamics(coordinate) if coordinate is not None else None,
        mimic=_write_mimic(coordinate, tree, path, ledger) if coordinate is not None else None,
    )
    if coordinate is None:
        _record_dropped_coordinates(joint, path, ledger)
    node = unbind("joint", element)
    _write_passthrough(joint, node, f"{path}.extensions", ledger)
    return node


def _type_name(joint: Joint) -> str:
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


def _write_axis(joint: Joint, path: str, ledger: Ledger) -> schema.UrdfAxisElement | None:
    specified = _model_axis(joint)
    if joint.pose != IDENTITY:
        ledger.rewritten(f"{path}.pose", "the joint frame becomes the frame of its child")
    if specified is None:
        return None
    axis = unit(axis_in_child(joint, specified))
    if axis != specified:
        if abs(norm(specified) - 1.0) > _UNIT_TOLERANCE:
            ledger.approximated(f"{path}.type", "axis normalized")
        else:
            ledger.rewritten(f"{path}.type", "the axis is expressed in the frame of its child")
    return schema.UrdfAxisElement(xyz=axis)


_UNIT_TOLERANCE = 1e-12


def _model_axis(joint: Joint) -> Vector3 | None:
    match joint.type:
        case Revolute(axis=axis) | Prismatic(axis=axis):
            return axis
        case Planar(axis1=first, axis2=second):
            return unit(cross(first, second))
        case _:
            return None


def _write_limit(joint: Joint, coordinate: Coordinate, path: str, ledger: Ledger) -> schema.UrdfLimitElement | None:
    coordinate_path = f"{path}.coordinates[0]"
    position, is_prismatic = coordinate.position_limits, isinstance(joint.type, Prismatic)
    if not (is_prismatic or position.bounded or coordinate.effort_limits.bounded or coordinate.velocity_limits.bounded):
        return None
    has_position = is_prismatic or position.bounded
    return schema.UrdfLimitElement(
        lower=_write_bound(position.lower, f"{coordinate_path}.position_limits", ledger) if has_position else None,
        upper=_write_bound(position.upper, f"{coordinate_path}.position_limits", ledger) if has_position else None,
        effort=_write_symmetric_limit(coordinate.effort_limits, f"{coordinate_path}.effort_limits", ledger),
        velocity=_write_symmetric_limit(coordinate.velocity_limits, f"{coordinate_path}.velocity_limits", ledger),
    )


def _write_bound(value: float, path: str, ledger: Ledger) -> float:
    if math.isfinite(value):
        return value
    ledger.rewritten(path, "an unlimited value is written as the largest finite number")
    return math.copysign(NO_LIMIT, value)


def _write_symmetric_limit(bounds: Range, path: str, ledger: Ledger) -> float:
    if bounds.lower == -bounds.upper:
        return _write_bound(bounds.upper, path, ledger)
    widest = max(abs(bounds.lower), abs(bounds.upper))
    detail = "URDF limits are symmetric: the wider bound is written"
    ledger.approximated(path, detail, error=abs(bounds.lower + bounds.upper) if math.isfinite(widest) else None)
    return widest if math.isfinite(widest) else NO_LIMIT


def _write_dynamics(coordinate: Coordinate) -> schema.UrdfDynamicsElement | None:
    if not (coordinate.damping or coordinate.friction):
        return None
    return schema.UrdfDynamicsElement(damping=coordinate.damping, friction=coordinate.friction)


def _write_mimic(coordinate: Coordinate, tree: RobotTree, path: str, ledger: Ledger) -> schema.MimicElement | None:
    if coordinate.coupling is None:
        return None
    parameters = mimic_parameters(coordinate.coupling)
    if parameters is None or not _can_be_mimicked(parameters[0], tree):
        ledger.dropped(
            f"{path}.coordinates[0].coupling", "URDF supports only couplings of the form multiplier * position + offset"
        )
        return None
    joint, multiplier, offset = parameters
    return schema.MimicElement(joint=tree.joint_names[joint], multiplier=multiplier, offset=offset)


def _can_be_mimicked(name: str, tree: RobotTree) -> bool:
    """Whether a joint is written, and has one coordinate."""
    return name in tree.joint_names and tree.model.joints[name].degrees_of_freedom == 1


def _record_dropped_coordinates(joint: Joint, path: str, ledger: Ledger) -> None:
    """Record the properties of the coordinates of a floating or planar joint, which URDF cannot represent."""
    for index, coordinate in enumerate(joint.coordinates):
        for item in fields(Coordinate):
            if item.name in SUPPORTED_FIELDS[Coordinate] and getattr(coordinate, item.name) != getattr(
                UNCONSTRAINED_COORDINATE, item.name
            ):
                kind = "floating" if isinstance(joint.type, Floating) else "planar"
                ledger.dropped(f"{path}.coordinates[{index}].{item.name}", f"URDF does not support it for a {kind} joint")


def _write_passthrough(joint: Joint, node: XmlNode, path: str, ledger: Ledger) -> None:
    for index, extension in enumerate(joint.extensions):
        element = element_in(extension)
        if element is None or element.tag in INTERPRETED_IN_JOINT:
            drop_extension(extension, f"{path}[{index}]", ledger, joint.origin)
        else:
            node.children.append(element)
