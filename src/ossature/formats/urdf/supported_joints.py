"""The joints that URDF can represent: their joint frame is the frame of the child, and planes have default axes."""

from __future__ import annotations

from dataclasses import replace

from ossature.formats.format import WriteContext
from ossature.formats.passes.split_multi_dof_joints import split_joints
from ossature.formats.urdf.read_joint import plane_of
from ossature.model import Extension, Fixed, Floating, Joint, Model, NamedList, Planar, Prismatic, Revolute, World
from ossature.model.value_text import kind_text
from ossature.spatial import IDENTITY, Vector3, cross, norm, rotate, subtract, unit

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
    if isinstance(joint_type, Planar) and not _has_default_plane(joint_type):
        return "URDF specifies only the normal of a plane, not its axes"
    return "its joint frame differs from the frame of its child" if _needs_joint_frame(joint) else None


def split_unsupported_joints(world: World, context: WriteContext) -> World:
    """Return a World of joints that URDF can represent."""
    split = split_joints(world, context.ledger, unsupported_reason, SUPPORTED_JOINTS)
    models = [_bounded_for_mujoco(model, before, context) for before, model in zip(world.models, split.models, strict=True)]
    return replace(split, models=NamedList(models))


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


def _has_default_plane(planar: Planar) -> bool:
    axes = (planar.axis1, planar.axis2)
    normal = cross(*axes)
    if abs(norm(normal) - 1.0) > _TOLERANCE:
        return False
    return all(norm(subtract(a, b)) < _TOLERANCE for a, b in zip(axes, plane_of(unit(normal)), strict=True))


def _needs_joint_frame(joint: Joint) -> bool:
    if isinstance(joint.type, SUPPORTED_JOINTS):
        return joint.pose != IDENTITY
    if isinstance(joint.type, Revolute):
        return norm(cross(joint.pose.position, axis_in_child(joint, joint.type.axis))) > _TOLERANCE
    return False


def axis_in_child(joint: Joint, axis: Vector3) -> Vector3:
    """Return an axis expressed in the frame of the joint's child."""
    return axis if joint.pose == IDENTITY else rotate(joint.pose.wxyz, axis)
