"""Writes manipulators as extensions of OpenRAVE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ossature.formats.collada.kinematics.write_joint import axis_sid
from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.native_extension.difference_encoding import encode_difference
from ossature.formats.collada.openrave import schema
from ossature.formats.collada.read_context import FORMAT
from ossature.formats.collada.write_context import one_line, transforms_of
from ossature.model import Extension, GripperJoint, IkFreeJoint, IkSolver, Manipulator, OpenravePlugin
from ossature.model.joint import Z_AXIS
from ossature.spatial import Vector3, unit
from ossature.syntax.xml import XmlNode

TEXT_ELEMENTS = ("grippername", "toolChangerConnectedBodyToolName", "toolChangerLinkName", "restrict_graspset_name")
"""Additional text elements of a manipulator in OpenRAVE, in the order of reading."""


def write_manipulator(manipulator: Manipulator, model: ModelWriteContext) -> tuple[schema.ManipulatorElement, XmlNode | None]:
    """Return the elements of OpenRAVE and of Ossature for a manipulator."""
    texts: dict[str, Any] = _text_elements(manipulator.extensions)
    end = _chain_end(manipulator, model)
    content = schema.ManipulatorElement(
        frame_origin=schema.FrameOriginElement(link=model.link_path(manipulator.base)),
        frame_tip=schema.FrameTipElement(
            link=model.link_path(manipulator.tip),
            transforms=transforms_of(manipulator.pose),
            direction=manipulator.direction,
        ),
        gripper_joint=tuple([_gripper_element(gripper, model) for gripper in _find_written(manipulator.gripper, model)]),
        iksolver=tuple([_solver_element(solver, model) for solver in manipulator.solvers]),
        frame_endlink=None if end is None else schema.EndLinkElement(link=model.link_path(end)),
        **texts,
    )
    own = encode_difference(
        f"{model.path}/{manipulator.name}", manipulator, _manipulator_as_read(manipulator, model), model.writing.ledger
    )
    return content, own


def _manipulator_as_read(manipulator: Manipulator, model: ModelWriteContext) -> Manipulator:
    specified = [(key, value) for key, value in _text_elements(manipulator.extensions).items() if value]
    return replace(
        manipulator,
        chain_end=_chain_end(manipulator, model),
        direction=_normalize_direction(manipulator.direction),
        gripper=tuple([_gripper_as_read(gripper, model) for gripper in _find_written(manipulator.gripper, model)]),
        solvers=tuple([_solver_as_read(solver, model) for solver in manipulator.solvers]),
        extensions=tuple([Extension(format=FORMAT, key=key, value=value) for key, value in specified]),
    )


def _normalize_direction(direction: Vector3) -> Vector3:
    try:
        return unit(direction)
    except ValueError:
        return Z_AXIS


def _text_elements(extensions: Sequence[Extension]) -> dict[str, str]:
    specified = {extension.key: extension.value for extension in extensions if extension.format == FORMAT}
    return {key: specified[key] for key in TEXT_ELEMENTS if specified.get(key) and specified[key] == one_line(specified[key])}


def _chain_end(manipulator: Manipulator, model: ModelWriteContext) -> str | None:
    return manipulator.chain_end if manipulator.chain_end in model.model.bodies else None


def _find_written(gripper: Sequence[GripperJoint], model: ModelWriteContext) -> Iterator[GripperJoint]:
    return (joint for joint in gripper if joint.joint in model.joints)


def _gripper_element(gripper: GripperJoint, model: ModelWriteContext) -> schema.GripperJointElement:
    directions = zip(range(len(model.axes[gripper.joint])), gripper.closing_directions, strict=False)
    return schema.GripperJointElement(
        joint=model.joint_path(gripper.joint),
        directions=tuple(
            schema.ChuckingDirectionElement(axis=axis_sid(index), float_value=direction) for index, direction in directions
        ),
    )


def _gripper_as_read(gripper: GripperJoint, model: ModelWriteContext) -> GripperJoint:
    count = len(model.axes[gripper.joint])
    return replace(gripper, closing_directions=(*gripper.closing_directions, *(0.0,) * count)[:count])


def _solver_element(solver: IkSolver, model: ModelWriteContext) -> schema.IkSolverElement:
    return schema.IkSolverElement(
        type=None if solver.type is None else solver.type.value,
        free_joint=tuple(
            schema.FreeJointElement(joint=model.joint_path(free.joint), stepsize=free.step)
            for free in _writable_free_joints(solver, model)
        ),
        interface_type=None if solver.interface is None else inner_interface(solver.interface),
    )


def inner_interface(interface: OpenravePlugin) -> schema.InnerInterfaceTypeElement:
    """Return the nested element of an OpenRAVE plugin."""
    # OpenRAVE reads it only inside a technique.
    content = schema.InterfaceElement(value=interface.name, type=interface.kind)
    return schema.InnerInterfaceTypeElement(
        technique=schema.InterfaceTypeElement(profile=schema.PROFILE, interface=content, plugin=interface.plugin)
    )


def _writable_free_joints(solver: IkSolver, model: ModelWriteContext) -> Iterator[IkFreeJoint]:
    return (free for free in solver.free_joints if free.joint in model.joints)


def _solver_as_read(solver: IkSolver, model: ModelWriteContext) -> IkSolver:
    return replace(solver, free_joints=tuple(_writable_free_joints(solver, model)), extensions=())
