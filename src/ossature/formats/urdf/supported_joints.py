"""Which joints URDF can say as they are: its joint frame is the child's frame, and its planes have no directions."""

from __future__ import annotations

from ossature.formats.urdf.planar_joint import plane_of
from ossature.model import Fixed, Floating, Joint, Planar, Prismatic, Revolute
from ossature.spatial import IDENTITY, Vector3, cross, norm, rotate, subtract, unit

_SAME = 1e-12
SUPPORTED_JOINTS = (Floating, Planar)
"""Types of joints of several coordinates that URDF has, in a frame that is their child's."""


def unsupported_reason(joint: Joint) -> str | None:
    """Return why URDF cannot say a joint as it is, or None where it can."""
    joint_type = joint.type
    if not isinstance(joint_type, Fixed | Revolute | Prismatic | Floating | Planar):
        return f"URDF has no {type(joint_type).__name__.lower()} joint"
    if isinstance(joint_type, Planar) and not _has_default_plane(joint_type):
        return "URDF states the normal of a plane alone, and not its directions"
    return "its frame is not that of its child" if _needs_own_frame(joint) else None


def _has_default_plane(planar: Planar) -> bool:
    directions = (planar.axis1, planar.axis2)
    normal = cross(*directions)
    if abs(norm(normal) - 1.0) > _SAME:
        return False
    return all(norm(subtract(a, b)) < _SAME for a, b in zip(directions, plane_of(unit(normal)), strict=True))


def _needs_own_frame(joint: Joint) -> bool:
    if isinstance(joint.type, SUPPORTED_JOINTS):
        return joint.pose != IDENTITY
    if isinstance(joint.type, Revolute):
        return norm(cross(joint.pose.position, axis_in_child(joint, joint.type.axis))) > _SAME
    return False


def axis_in_child(joint: Joint, axis: Vector3) -> Vector3:
    """Return an axis in the frame of the joint's child."""
    return axis if joint.pose == IDENTITY else rotate(joint.pose.wxyz, axis)
