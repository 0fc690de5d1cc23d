"""The joints that URDF can represent: their joint frame is the frame of the child, and planes are that of x and y."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.passes.split_multi_dof_joints import split_joints
from ossature.formats.urdf.supported_fields import SUPPORTED_FIELDS
from ossature.model import (
    UNCONSTRAINED_COORDINATE,
    Coordinate,
    Extension,
    Fixed,
    Floating,
    Joint,
    Model,
    NamedList,
    Planar,
    Prismatic,
    Revolute,
    World,
    sources_of,
)
from ossature.model.value_text import kind_text
from ossature.spatial import IDENTITY, Pose, Vector3, conjugate, cross, norm, quaternion_from_matrix, rotate

_TOLERANCE = 1e-12
_BOUNDED_MASSES = Extension(
    format="urdf", key="mujoco", value='<mujoco><compiler boundmass="2e-15" boundinertia="2e-15"/></mujoco>'
)
SUPPORTED_JOINTS = (Floating, Planar)
"""Joint types of URDF with several coordinates; the joint frame is the frame of the child."""


def unsupported_reason(joint: Joint) -> str | None:
    """Return why URDF cannot represent a joint, or None if it can."""
    joint_type = joint.type
    if not isinstance(joint_type, Fixed | Revolute | Prismatic | Floating | Planar):
        return f"URDF has no {kind_text(type(joint_type))} joint"
    if isinstance(joint_type, Planar) and joint_type != _XY_PLANE:
        return "the axes of its plane are not perpendicular unit vectors"
    return "its joint frame differs from the frame of its child" if _needs_joint_frame(joint) else None


def split_unsupported_joints(world: World, context: WriteContext) -> World:
    """Return a World of joints that URDF can represent."""
    split = [_split_joints(model, world, context.ledger) for model in world.models]
    models = [_bounded_for_mujoco(model, before, context) for before, model in zip(world.models, split, strict=True)]
    return replace(world, models=NamedList(models))


def _split_joints(model: Model, world: World, ledger: Ledger) -> Model:
    divided = _planar_joints_with_attributes(model)

    def reason(joint: Joint) -> str | None:
        if joint.name in divided:
            return "planar joints of URDF have no limits, damping, friction and mimics"
        return unsupported_reason(joint)

    turned = replace(
        model, joints=model.joints.map(lambda joint: joint if joint.name in divided else _turn_plane(joint, model.name, ledger))
    )
    return split_joints(replace(world, models=NamedList([turned])), ledger, reason, SUPPORTED_JOINTS).models[0]


def _planar_joints_with_attributes(model: Model) -> set[str]:
    """Return the planar joints with coordinates that only joints of one coordinate can represent."""
    couplings = [each.coupling for joint in model.joints for each in joint.coordinates if each.coupling is not None]
    followed = {source.joint for coupling in couplings for source in sources_of(coupling.position)}
    planar = [joint for joint in model.joints if isinstance(joint.type, Planar)]
    return {joint.name for joint in planar if joint.name in followed or any(map(_has_attributes, joint.coordinates))}


def _has_attributes(coordinate: Coordinate) -> bool:
    names = SUPPORTED_FIELDS[Coordinate]
    return any(getattr(coordinate, name) != getattr(UNCONSTRAINED_COORDINATE, name) for name in names)


def _bounded_for_mujoco(model: Model, before: Model, context: WriteContext) -> Model:
    """Return a model that MuJoCo can read: it refuses moving massless links, such as those between the parts of a joint.

    They get the least mass and moments of inertia that it accepts, which only MuJoCo reads.
    """
    added = set(model.bodies.names()) - set(before.bodies.names())
    is_refused = any(joint.parent in added and not isinstance(joint.type, Fixed) for joint in model.joints)
    if not is_refused or any(extension.key == "mujoco" for extension in model.extensions):
        return model
    detail = "MuJoCo, which refuses massless links, reads them with 2e-15 kg and 2e-15 kg·m², the least that it accepts"
    context.ledger.rewritten(f"{model.name}.extensions", detail)
    return replace(model, extensions=(*model.extensions, _BOUNDED_MASSES))


_XY_PLANE = Planar()


def _turn_plane(joint: Joint, model: str, ledger: Ledger) -> Joint:
    """Return a planar joint with the plane of x and y of its joint frame.

    The specification defines the plane by its normal, but Pinocchio ignores the normal, and programs differ in the axes.
    """
    if not isinstance(joint.type, Planar) or joint.type == _XY_PLANE or not _has_perpendicular_axes(joint.type):
        return joint
    axis1, axis2 = joint.type.axis1, joint.type.axis2
    frame = Pose(wxyz=conjugate(quaternion_from_matrix((axis1, axis2, cross(axis1, axis2)))))
    detail = "x, y and z of the joint frame become the axes and the normal of the plane"
    ledger.rewritten(f"{model}/{joint.name}.pose", detail)
    ledger.rewritten(f"{model}/{joint.name}.type", detail)
    return replace(joint, type=_XY_PLANE, pose=joint.pose @ frame, spelled_pose=None)


def _has_perpendicular_axes(planar: Planar) -> bool:
    lengths = (norm(planar.axis1), norm(planar.axis2), norm(cross(planar.axis1, planar.axis2)))
    return all(abs(length - 1.0) <= _TOLERANCE for length in lengths)


def _needs_joint_frame(joint: Joint) -> bool:
    if isinstance(joint.type, SUPPORTED_JOINTS):
        return joint.pose != IDENTITY
    if isinstance(joint.type, Revolute):
        return norm(cross(joint.pose.position, axis_in_child(joint, joint.type.axis))) > _TOLERANCE
    return False


def axis_in_child(joint: Joint, axis: Vector3) -> Vector3:
    """Return an axis expressed in the frame of the joint's child."""
    return axis if joint.pose == IDENTITY else rotate(joint.pose.wxyz, axis)
