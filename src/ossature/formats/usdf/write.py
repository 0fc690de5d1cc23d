"""State → USDF document."""

from __future__ import annotations

from ossature.formats.usdf.schema import (
    NAMESPACE,
    PREFIX,
    WHOLE,
    ArrayElement,
    DigestElement,
    FingerprintElement,
    FrameElement,
    JointStateElement,
    LinkStateElement,
    ModelStateElement,
    PoseElement,
    RememberedElement,
    SampleElement,
    SettingElement,
    WorldStateElement,
)
from ossature.model import FrameState, JointState, LinkState, ModelState, Remembered, State, Twist, Wrench
from ossature.model.fingerprint import Fingerprint
from ossature.spatial import Pose, Quaternion, Vector3
from ossature.syntax import xml
from ossature.syntax.values import format_number
from ossature.syntax.xml_binding import unbind


def write_usdf(state: State) -> str:
    """Return the text of a USDF file; reading it gives an equal state, to the last bit."""
    return xml.serialize(state_node(state))


def state_node(state: State) -> xml.Node:
    """Return the root element of a state."""
    node = unbind("world_state", _document(state))
    node.attributes = {f"xmlns:{PREFIX}": NAMESPACE, **node.attributes}
    return node


def sample_node(state: State) -> xml.Node:
    """Return a state as a sample of a recording."""
    sample = SampleElement(time=state.time, frame=_frames(state), model_state=_models(state))
    return unbind(f"{PREFIX}:sample", sample)


def _document(state: State) -> WorldStateElement:
    return WorldStateElement(
        name=state.name,
        time=state.time,
        frame=_frames(state),
        model_state=_models(state),
        fingerprint=None if state.fingerprint is None else _fingerprint(state.fingerprint),
        remembered=None if state.remembered is None else _remembered(state.remembered),
    )


def _frames(state: State) -> tuple[FrameElement, ...]:
    return tuple([_frame(frame) for frame in state.frames])


def _models(state: State) -> tuple[ModelStateElement, ...]:
    return tuple([_model(model) for model in state.models])


def _frame(frame: FrameState) -> FrameElement:
    return FrameElement(name=frame.name, parent=frame.parent, pose=_pose(frame.pose), twist=_six_of_twist(frame.twist))


def _model(model: ModelState) -> ModelStateElement:
    return ModelStateElement(
        name=model.name,
        parent=model.parent,
        pose=_pose(model.pose),
        twist=_six_of_twist(model.twist),
        link_state=tuple([_link(link) for link in model.links]),
        joint_state=tuple([_joint(joint) for joint in model.joints]),
    )


def _link(link: LinkState) -> LinkStateElement:
    wrench = _six_of_wrench(link.wrench)
    return LinkStateElement(name=link.name, pose=_pose(link.pose), twist=_six_of_twist(link.twist), wrench=wrench)


def _joint(joint: JointState) -> JointStateElement:
    return JointStateElement(name=joint.name, positions=joint.positions, velocities=joint.velocities, torques=joint.efforts)


def _pose(pose: Pose | None) -> PoseElement | None:
    if pose is None:
        return None
    yaw, pitch, roll = pose.euler("zyx")
    return PoseElement(values=(*pose.position, roll, pitch, yaw), wxyz=exact_rotation(pose, (yaw, pitch, roll)))


def exact_rotation(pose: Pose, angles: Vector3) -> Quaternion | None:
    """Return the rotation of a pose, or None where a reader makes the same of its angles (yaw, pitch, roll), to the bit."""
    of_angles = Pose.from_euler(pose.position, angles, "zyx").wxyz
    # The signs of zeros count, too.
    return None if of_angles == pose.wxyz and repr(of_angles) == repr(pose.wxyz) else pose.wxyz


def _six_of_twist(twist: Twist | None) -> tuple[float, ...] | None:
    return None if twist is None else (*twist.linear, *twist.angular)


def _six_of_wrench(wrench: Wrench | None) -> tuple[float, ...] | None:
    return None if wrench is None else (*wrench.force, *wrench.torque)


def _fingerprint(fingerprint: Fingerprint) -> FingerprintElement:
    models = tuple([DigestElement(name=name, digest=digest) for name, digest in fingerprint.models])
    return FingerprintElement(digest=fingerprint.world, model=models)


def _remembered(remembered: Remembered) -> RememberedElement:
    return RememberedElement(
        plain=remembered.plain,
        setting=tuple([SettingElement(name=name, value=value) for name, value in remembered.settings]),
        array=tuple([_array(array.name, array.values) for array in remembered.arrays]),
    )


def _array(name: str, values: tuple[float, ...] | tuple[int, ...]) -> ArrayElement:
    if values and isinstance(values[0], int):
        return ArrayElement(name=name, type=WHOLE, values=" ".join(map(str, values)))
    return ArrayElement(name=name, values=" ".join(map(format_number, values)))


def state_text(state: State) -> tuple[str, str]:
    """Return the text of a USDF file in two parts, between which samples of a recording belong."""
    lines = write_usdf(state).splitlines(keepends=True)
    return "".join(lines[:-1]), lines[-1]
