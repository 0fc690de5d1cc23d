"""State → USDF document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from ossature.formats.format import WriteContext, WrittenFiles
from ossature.formats.usdf import schema
from ossature.model import ActiveGrasp, Checkpoint, FrameState, JointState, LinkState, ModelState, State, Twist
from ossature.model.fingerprint import Fingerprint
from ossature.spatial import Pose, Quaternion, Vector3
from ossature.syntax import xml
from ossature.syntax.schema import replace_fields
from ossature.syntax.xml_binding import unbind
from ossature.syntax.xml_values import format_numbers

QuantityData: TypeAlias = "tuple[str, str, str, str, int | None]"


def write(state: State, context: WriteContext) -> WrittenFiles:
    """Return a state as a file."""
    return context.main_file(write_usdf(state))


def write_usdf(state: State) -> str:
    """Return the text of a USDF file; reading it gives a bit-exact state."""
    return xml.serialize(state_node(state))


def state_node(state: State) -> xml.XmlNode:
    """Return the root element of a state."""
    return _root_node(_document_element(state))


def series_text(
    state: State, quantities: Iterable[QuantityData], values: tuple[float, ...], turns: Iterable[tuple[str, str]] = ()
) -> tuple[str, str]:
    """Return the text of a recording before and after its later samples.

    Args:
        state: The first state.
        quantities: Quantities that are not part of states: group, model, name, field, and number of values.
        values: Their values for the first state.
        turns: The joints, by model and name, whose first three positions are a rotation vector.
    """
    named = tuple(
        schema.QuantityElement(group=group, model=model, name=name, field=field, width=width)
        for group, model, name, field, width in quantities
    )
    turning = tuple([schema.TurningElement(model=model, joint=joint) for model, joint in sorted(turns)])
    document = replace_fields(_document_element(state), quantity=named, values=values or None, turning=turning)
    lines = xml.serialize(_root_node(document)).splitlines(keepends=True)
    return "".join(lines[:-1]), lines[-1]


def sample_text(state: State, values: tuple[float, ...]) -> str:
    """Return the text of a later sample of a recording."""
    sample = schema.SampleElement(
        time=state.time, frame=_frame_elements(state), model_state=_model_elements(state), values=values or None
    )
    return xml.fragment(unbind(f"{schema.PREFIX}:sample", sample))


def grasps_text(grasps: Iterable[ActiveGrasp]) -> str:
    """Return the grasps as they are written in a sample."""
    lines = xml.fragment(unbind(f"{schema.PREFIX}:holding", _grasps_element(grasps))).splitlines(keepends=True)
    return "".join([f"  {line}" for line in lines])


def pose_text(pose: Pose) -> str:
    """Return the element of a pose."""
    return xml.fragment(unbind("pose", _pose_element(pose))).strip()


def _root_node(document: schema.WorldStateElement) -> xml.XmlNode:
    node = unbind("world_state", document)
    node.attributes = {f"xmlns:{schema.PREFIX}": schema.NAMESPACE, **node.attributes}
    return node


def _document_element(state: State) -> schema.WorldStateElement:
    return schema.WorldStateElement(
        name=state.name,
        time=state.time,
        frame=_frame_elements(state),
        model_state=_model_elements(state),
        fingerprint=None if state.fingerprint is None else _fingerprint_element(state.fingerprint),
        holding=None if state.grasps is None else _grasps_element(state.grasps),
        remembered=None if state.checkpoint is None else _checkpoint_element(state.checkpoint),
    )


def _frame_elements(state: State) -> tuple[schema.FrameElement, ...]:
    return tuple([_frame_element(frame) for frame in state.frames])


def _model_elements(state: State) -> tuple[schema.ModelStateElement, ...]:
    return tuple([_model_element(model) for model in state.models])


def _frame_element(frame: FrameState) -> schema.FrameElement:
    return schema.FrameElement(
        name=frame.name, parent=frame.parent, pose=_optional_pose_element(frame.pose), twist=_twist_values(frame.twist)
    )


def _model_element(model: ModelState) -> schema.ModelStateElement:
    return schema.ModelStateElement(
        name=model.name,
        parent=model.parent,
        pose=_optional_pose_element(model.pose),
        twist=_twist_values(model.twist),
        link_state=tuple([_link_element(link) for link in model.links]),
        joint_state=tuple([_joint_element(joint) for joint in model.joints]),
    )


def _link_element(link: LinkState) -> schema.UsdfLinkStateElement:
    wrench = None if link.wrench is None else (*link.wrench.force, *link.wrench.torque)
    return schema.UsdfLinkStateElement(
        name=link.name, pose=_optional_pose_element(link.pose), twist=_twist_values(link.twist), wrench=wrench
    )


def _joint_element(joint: JointState) -> schema.JointStateElement:
    return schema.JointStateElement(
        name=joint.name, positions=joint.positions, velocities=joint.velocities, torques=joint.efforts
    )


def _optional_pose_element(pose: Pose | None) -> schema.PoseElement | None:
    return None if pose is None else _pose_element(pose)


def _pose_element(pose: Pose) -> schema.PoseElement:
    yaw, pitch, roll = pose.euler("zyx")
    return schema.PoseElement(values=(*pose.position, roll, pitch, yaw), wxyz=_exact_rotation(pose, (yaw, pitch, roll)))


def _exact_rotation(pose: Pose, angles: Vector3) -> Quaternion | None:
    """Return the quaternion of a pose, or None if its angles (yaw, pitch, roll) are bit-exact."""
    of_angles = Pose.from_euler(pose.position, angles, "zyx").wxyz
    # The comparison includes the signs of zeros.
    return None if of_angles == pose.wxyz and repr(of_angles) == repr(pose.wxyz) else pose.wxyz


def _twist_values(twist: Twist | None) -> tuple[float, ...] | None:
    return None if twist is None else (*twist.linear, *twist.angular)


def _grasps_element(grasps: Iterable[ActiveGrasp]) -> schema.HoldingElement:
    return schema.HoldingElement(held=tuple(map(_grasp_element, grasps)))


def _grasp_element(active: ActiveGrasp) -> schema.HeldElement:
    grasp = active.grasp
    return schema.HeldElement(
        holder_model=grasp.link.model,
        holder_link=grasp.link.body,
        model=grasp.body.model,
        link=grasp.body.body,
        pose=_pose_element(active.pose_link_body),
        ignored_link=tuple([schema.IgnoredElement(link=name) for name in grasp.ignored_bodies]),
    )


def _fingerprint_element(fingerprint: Fingerprint) -> schema.FingerprintElement:
    models = tuple([schema.DigestElement(name=name, digest=digest) for name, digest in fingerprint.models])
    return schema.FingerprintElement(digest=fingerprint.world, model=models)


def _checkpoint_element(checkpoint: Checkpoint) -> schema.RememberedElement:
    return schema.RememberedElement(
        plain=checkpoint.plain,
        setting=tuple([schema.SettingElement(name=name, value=value) for name, value in checkpoint.settings]),
        array=tuple([_array_element(array.name, array.values) for array in checkpoint.arrays]),
    )


def _array_element(name: str, values: tuple[float, ...] | tuple[int, ...]) -> schema.ArrayElement:
    if values and isinstance(values[0], int):
        return schema.ArrayElement(name=name, type=schema.WHOLE, values=" ".join(map(str, values)))
    return schema.ArrayElement(name=name, values=format_numbers(values))
