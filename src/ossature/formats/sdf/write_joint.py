"""Writer of SDFormat joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from ossature import model
from ossature.diagnostics.ledger import Ledger
from ossature.formats.sdf import schema
from ossature.formats.sdf.frame_graph import WORLD
from ossature.formats.sdf.passthrough import FORMAT
from ossature.formats.sdf.read_joint import NO_BOUND, PERPENDICULAR
from ossature.formats.sdf.schema_common import PoseElement
from ossature.formats.sdf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.sdf.write_passthrough import can_contain, complete, element_of
from ossature.formats.sdf.write_pose import write_pose
from ossature.formats.sdf.written_names import ScopedName
from ossature.formats.urdf.convert_mimic import mimic_coupling
from ossature.kinematics import affine_form
from ossature.model import formula_text
from ossature.model.unsupported_fields import drop_extension
from ossature.spatial import Vector3, dot, norm, unit
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind

_UNIT_TOLERANCE = 1e-12
AXES = ("axis", "axis2")
"""The elements of the axes of a joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointNames:
    """The names that a joint refers to.

    Attributes:
        own: Its own name.
        bodies: Those of all links of the model.
        joints: Those of all joints of the model.
    """

    own: ScopedName
    bodies: Mapping[str, ScopedName]
    joints: Mapping[str, ScopedName]


def write_joint(joint: model.Joint, written: model.Model, names: JointNames, ledger: Ledger) -> XmlNode:
    """Return the ``<joint>`` element of a joint.

    Args:
        written: The model, with the joints that are written.
    """
    path, scope = f"{written.name}/{joint.name}", names.own.scope
    joint_type = joint.type
    _record_angle_of_axes(joint, path, ledger)
    axes = _directions(joint, path, ledger)
    written_axes = [
        _write_axis(axes[number], coordinate, written, names, f"{path}.coordinates[{number}]", ledger)
        for number, coordinate in enumerate(joint.coordinates[: len(axes)])
    ]
    first, second = (*written_axes, None, None)[:2]
    node = unbind(
        "joint",
        schema.SdfJointElement(
            name=names.own.name,
            type=_type_name(joint),
            parent_frame=WORLD if joint.parent is None else names.bodies[joint.parent].seen_from(scope),
            child_frame=names.bodies[joint.child].seen_from(scope),
            pose=write_pose(joint.pose, PoseElement),
            screw_thread_pitch=joint_type.pitch if isinstance(joint_type, model.Screw) else None,
            axis=first,
            axis2=second,
        ),
    )
    _record_dropped_coordinates(joint, len(axes), path, ledger)
    _write_extensions(joint, node, f"{path}.extensions", ledger)
    return node


def _type_name(joint: model.Joint) -> str:
    match joint.type:
        case model.Revolute():
            return "revolute" if joint.coordinates[0].position_limits.bounded else "continuous"
        case model.Universal(axis1=first, axis2=second):
            return "universal" if are_perpendicular(first, second) else "revolute2"
        case _:
            return _TYPE_NAMES[type(joint.type)]


def are_perpendicular(first: Vector3, second: Vector3) -> bool:
    """Whether two axes are those of a universal joint."""
    return abs(dot(unit(first), unit(second))) <= PERPENDICULAR


def _record_angle_of_axes(joint: model.Joint, path: str, ledger: Ledger) -> None:
    """Record the axes of a universal joint that are not perpendicular."""
    if not isinstance(joint.type, model.Universal):
        return
    cosine = abs(dot(unit(joint.type.axis1), unit(joint.type.axis2)))
    if cosine > PERPENDICULAR:
        ledger.rewritten(f"{path}.type", "two hinges, because the axes are not perpendicular")
    elif cosine > _UNIT_TOLERANCE:
        ledger.approximated(f"{path}.type", "the second axis is read as perpendicular to the first", error=cosine)


_TYPE_NAMES: Mapping[type, str] = {
    model.Fixed: "fixed",
    model.Prismatic: "prismatic",
    model.Screw: "screw",
    model.Spherical: "ball",
    model.Compound: "revolute2",
}


def _directions(joint: model.Joint, path: str, ledger: Ledger) -> Sequence[Vector3]:
    """Return the axes that a joint has in SDFormat, as unit vectors."""
    match joint.type:
        case model.Revolute(axis=axis) | model.Prismatic(axis=axis) | model.Screw(axis=axis):
            axes: Sequence[Vector3] = (axis,)
        case model.Universal(axis1=first, axis2=second):
            axes = (first, second)
        case model.Compound(axes=parts):
            axes = [part.direction for part in parts if isinstance(part, model.Axis)]
        case _:
            axes = ()
    if any(abs(norm(axis) - 1.0) > _UNIT_TOLERANCE for axis in axes):
        ledger.approximated(f"{path}.type", "axis normalized")
    return [unit(axis) for axis in axes]


def _write_axis(
    direction: Vector3, coordinate: model.Coordinate, written: model.Model, names: JointNames, path: str, ledger: Ledger
) -> schema.SdfAxisElement:
    return schema.SdfAxisElement(
        xyz=schema.AxisDirectionElement(xyz=direction),
        dynamics=_write_dynamics(coordinate),
        limit=_write_limit(coordinate, path, ledger),
        mimic=_write_mimic(coordinate, written, names, path, ledger),
    )


def _write_dynamics(coordinate: model.Coordinate) -> schema.AxisDynamicsElement | None:
    element = schema.AxisDynamicsElement(
        damping=coordinate.damping,
        friction=coordinate.friction,
        spring_reference=coordinate.spring_reference,
        spring_stiffness=coordinate.stiffness,
    )
    return None if element == schema.AxisDynamicsElement() else element


def _write_limit(coordinate: model.Coordinate, path: str, ledger: Ledger) -> schema.AxisLimitElement:
    position = coordinate.position_limits
    if position.lower > position.upper:
        ledger.approximated(f"{path}.position_limits", "the lower limit is greater than the upper one: exchanged")
        position = model.Range(position.upper, position.lower)
    for bound in (position.lower, position.upper):
        if NO_BOUND <= abs(bound) < float("inf"):
            ledger.approximated(f"{path}.position_limits", "SDFormat has no limits of 1e16 and more: written as none")
    return schema.AxisLimitElement(
        lower=position.lower,
        upper=position.upper,
        effort=_symmetric(coordinate.effort_limits, f"{path}.effort_limits", ledger),
        velocity=_symmetric(coordinate.velocity_limits, f"{path}.velocity_limits", ledger),
    )


def _symmetric(bounds: model.Range, path: str, ledger: Ledger) -> float:
    widest = max(abs(bounds.lower), abs(bounds.upper))
    if bounds.lower != -bounds.upper:
        error = abs(bounds.lower + bounds.upper) if widest < float("inf") else None
        ledger.approximated(path, "SDFormat limits are symmetric: the wider bound is written", error=error)
    elif NO_BOUND <= widest < float("inf"):
        ledger.approximated(path, "SDFormat has no limits of 1e16 and more: written as none")
    return widest


def _write_mimic(
    coordinate: model.Coordinate, written: model.Model, names: JointNames, path: str, ledger: Ledger
) -> schema.SdfMimicElement | None:
    """Return the coupling of a coordinate to another one, or None with an entry in the ledger if it is another one."""
    coupling = coordinate.coupling
    if coupling is None:
        return None
    form = affine_form(coupling.position)
    if form is None or len(form.coefficients) != 1:
        ledger.dropped(f"{path}.coupling", f"SDFormat has no coupling {formula_text(coupling.position)}")
        return None
    ((source, factor),) = form.coefficients.items()
    leader = names.joints.get(source.joint)
    if leader is None or not leader.is_visible_from(names.own.scope) or not _has_axis(written, source):
        ledger.dropped(f"{path}.coupling", f"'{source.joint}' is no joint with an axis that the joint can follow in SDFormat")
        return None
    read = mimic_coupling(source.joint, factor, form.constant, coordinate=source.coordinate)
    if read.position != coupling.position:
        before, after = formula_text(coupling.position), formula_text(read.position)
        ledger.rewritten(f"{path}.coupling", f"{before} as {after}")
    return schema.SdfMimicElement(
        joint=leader.seen_from(names.own.scope),
        axis=AXES[source.coordinate],
        multiplier=factor,
        offset=form.constant,
    )


def _has_axis(written: model.Model, source: model.JointPosition) -> bool:
    joint = written.joints.get(source.joint)
    return joint is not None and source.coordinate < joint.degrees_of_freedom <= len(AXES)


def _record_dropped_coordinates(joint: model.Joint, axes: int, path: str, ledger: Ledger) -> None:
    """Record the properties of coordinates without an axis, which SDFormat cannot represent."""
    for index, coordinate in enumerate(joint.coordinates[axes:], start=axes):
        for item in fields(model.Coordinate):
            is_default = getattr(coordinate, item.name) == getattr(model.UNCONSTRAINED_COORDINATE, item.name)
            if item.name in SUPPORTED_FIELDS[model.Coordinate] and not is_default:
                ledger.dropped(f"{path}.coordinates[{index}].{item.name}", "a ball joint of SDFormat has no axes")


def _write_extensions(joint: model.Joint, node: XmlNode, path: str, ledger: Ledger) -> None:
    for index, extension in enumerate(joint.extensions):
        if not _write_extension(extension, node):
            drop_extension(extension, f"{path}[{index}]", ledger, joint.origin)


def _write_extension(extension: model.Extension, node: XmlNode) -> bool:
    """Write an extension into a joint; return whether that is possible."""
    for tag in AXES:
        key = f"{tag}/limit"
        if (extension.format, extension.key) == (FORMAT, key):
            axis, limit = node.find(tag), element_of(extension, f"{tag}/")
            target = None if axis is None else axis.find("limit")
            if target is None or limit is None:
                return False
            complete(target, limit)
            return True
    element = element_of(extension)
    if element is None or not can_contain(schema.SdfJointElement, element):
        return False
    node.children.append(element)
    return True
