"""Reads manipulators of OpenRAVE."""

from __future__ import annotations

from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import pose_of
from ossature.formats.collada.kinematics.read_articulated_systems import JointInstance, Level
from ossature.formats.collada.openrave import schema
from ossature.formats.collada.openrave.find_links_and_joints import ElementPaths
from ossature.formats.collada.read_context import FORMAT, ColladaReadContext
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.sid_resolution import resolve_number, split_sid_path
from ossature.model import Extension, GripperJoint, IkFreeJoint, IkSolver, IkType, Manipulator, OpenravePlugin
from ossature.model.joint import Z_AXIS
from ossature.spatial import Vector3, unit

_PASSED_THROUGH = ("grippername", "toolChangerConnectedBodyToolName", "toolChangerLinkName", "restrict_graspset_name")


def read_manipulator(
    extra: ExtraElement,
    content: schema.ManipulatorElement,
    level: Level,
    names: ElementPaths,
    reading: ColladaReadContext,
    default_name: str,
) -> Manipulator | None:
    """Return a manipulator, or None with a finding if one of its links does not exist; unnamed ones get a default name."""
    origin, tip = content.frame_origin, content.frame_tip
    if origin is None or tip is None:
        return None
    base, end = names.link(origin.link, origin.location()), names.link(tip.link, tip.location())
    if base is None or end is None:
        return None
    last = content.frame_endlink
    chain_end = names.link(last.link, last.location()) if last is not None else None
    return Manipulator(
        name=extra.name or default_name,
        base=base.name,
        tip=end.name,
        chain_end=None if chain_end is None else chain_end.name,
        pose=pose_of(tip.transforms, level.meter, reading.report),
        direction=_read_direction(tip, reading),
        gripper=tuple(
            [gripper for joint in content.gripper_joint if (gripper := _read_gripper_joint(joint, names, reading)) is not None]
        ),
        solvers=tuple([_read_solver(solver, names) for solver in content.iksolver]),
        extensions=_read_extensions(content),
        origin=extra.location(),
    )


def _read_direction(tip: schema.FrameTipElement, reading: ColladaReadContext) -> Vector3:
    if tip.direction is None:
        return Z_AXIS
    try:
        return unit(tip.direction)
    except ValueError:
        reading.report.add(rules.NO_DIRECTION, "the direction of a manipulator is zero: 0 0 1 is used", tip.location())
        return Z_AXIS


def interface_of(content: schema.InterfaceTypeElement | schema.InnerInterfaceTypeElement | None) -> OpenravePlugin | None:
    """Return the OpenRAVE interface of an element, or None if it states none."""
    if content is None or content.interface is None or not content.interface.value:
        return None
    return OpenravePlugin(kind=content.interface.type, name=content.interface.value, plugin=content.plugin)


def _read_gripper_joint(
    element: schema.GripperJointElement, names: ElementPaths, reading: ColladaReadContext
) -> GripperJoint | None:
    joint = names.joint(element.joint, element.location())
    if joint is None:
        return None
    directions = [0.0] * len(joint.axes)
    for specified in element.directions:
        index = _axis_index(joint, specified.axis)
        value = resolve_number(specified, names.scope, (), reading.report)
        if index is None and specified.axis is not None:
            reading.report.add(
                rules.UNKNOWN_LINK,
                f"the joint '{element.joint}' has no axis '{specified.axis}'",
                specified.location("axis"),
                hint=", ".join(axis.sid for axis in joint.element.axes if axis.sid),
            )
        elif index is not None and value is not None:
            directions[index] = value
    return GripperJoint(joint=names.joint_name(joint), closing_directions=tuple(directions))


def _axis_index(joint: JointInstance, path: str | None) -> int | None:
    parts = split_sid_path(path or "")
    sids = [axis.sid for axis in joint.element.axes]
    return sids.index(parts[-1]) if parts and parts[-1] in sids else None


def _read_solver(element: schema.IkSolverElement, names: ElementPaths) -> IkSolver:
    inner = element.interface_type
    free = []
    for specified in element.free_joint:
        joint = names.joint(specified.joint, specified.location())
        if joint is not None:
            free.append(IkFreeJoint(joint=names.joint_name(joint), step=specified.stepsize))
    return IkSolver(
        type=None if element.type is None else IkType(element.type),
        free_joints=tuple(free),
        interface=interface_of(inner.specified) if inner is not None else None,
        origin=element.location(),
    )


def _read_extensions(content: schema.ManipulatorElement) -> tuple[Extension, ...]:
    specified = [(key, getattr(content, key)) for key in _PASSED_THROUGH]
    return tuple([Extension(format=FORMAT, key=key, value=value) for key, value in specified if value])
