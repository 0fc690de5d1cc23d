"""Loop closure: compilation of joints and constraints between bodies that the spanning tree already connects.

A ball joint becomes a point constraint. For every other joint, a clone of one of its bodies with a share of its mass is
attached to the other body by that joint, and welded to the original. So the joint has its coordinates, springs, limits and
motor, no mass is added, and the reaction of the joint is the force on the clone. The heavier body is cloned, so that the
equations are well conditioned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco

from ossature.kinematics import Connection, Tree, reversed_joint
from ossature.kinematics.joint_graph_edges import has_no_dynamics
from ossature.model import (
    Constraint,
    Distance,
    Joint,
    Model,
    Motor,
    RevoluteSpherical,
    RevoluteTranslational,
    Spherical,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Pose, Vector3, cross, multiply, perpendicular, quaternion_between


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopConstraint:
    """How one loop is closed.

    Attributes:
        source: The joint, motor or constraint that closes it; a motor may have no guide.
        cloned: Name of the body that is cloned, or None if no clone is needed.
        carrier: Name of the parent body of the clone, or None for the world.
        built: The joint of the clone, for connections.
    """

    source: Connection | Constraint | Motor
    cloned: str | None = None
    carrier: str | None = None
    built: Joint | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopPlan:
    """How the loops of a model are closed.

    Attributes:
        idle: Connections, constraints and motors between two bodies that cannot move.
        clones: Number of clones of each body.
    """

    closures: tuple[LoopConstraint, ...] = ()
    idle: tuple[Connection | Constraint | Motor, ...] = ()
    clones: Mapping[str, int] = field(default_factory=dict)

    def share(self, body: str) -> float:
        """Return the share of the mass that a body and each of its clones have."""
        return 1.0 / (1 + self.clones.get(body, 0))


def plan_loops(model: Model, tree: Tree, moving: set[str], prescribing: list[Motor]) -> LoopPlan:
    """Return how the loops of a model are closed.

    Args:
        moving: Names of the bodies that can move.
        prescribing: Motors without a guide that prescribe a motion which is not the coordinate of another joint.
    """
    closures: list[LoopConstraint] = []
    idle: list[Connection | Constraint | Motor] = []
    sources: list[Connection | Constraint | Motor] = [*tree.loops, *model.constraints, *prescribing]
    if not sources:
        return LoopPlan()
    for source in sources:
        pair = _connected_bodies(source)
        if not any(name in moving for name in pair if name is not None) or pair[0] == pair[1]:
            idle.append(source)
        else:
            closures.append(_plan_closure(source, model, moving))
    counts = Counter(closure.cloned for closure in closures if closure.cloned is not None)
    return LoopPlan(closures=tuple(closures), idle=tuple(idle), clones=counts)


def _connected_bodies(source: Connection | Constraint | Motor) -> tuple[str | None, str | None]:
    """Return the two connected bodies, the second one first."""
    if isinstance(source, Connection):
        return source.joint.parent, source.joint.child
    return source.body2, source.body1


def _plan_closure(source: Connection | Constraint | Motor, model: Model, moving: set[str]) -> LoopConstraint:
    if isinstance(source, Connection):
        return _plan_connection_closure(source, model, moving)
    if isinstance(source, Constraint) and isinstance(source.type, Distance):
        return LoopConstraint(source=source)
    body2, body1 = _connected_bodies(source)
    cloned = _heavier_body(body2, body1, model, moving)
    return LoopConstraint(source=source, cloned=cloned, carrier=body1 if cloned == body2 else body2)


def _plan_connection_closure(source: Connection, model: Model, moving: set[str]) -> LoopConstraint:
    joint = source.joint
    if has_no_dynamics(joint) and isinstance(joint.type, Spherical):
        return LoopConstraint(source=source)
    reversed_ = reversed_joint(joint, model)
    if reversed_ is not None and _heavier_body(joint.parent, joint.child, model, moving) == joint.parent:
        return LoopConstraint(source=source, cloned=joint.parent, carrier=joint.child, built=reversed_)
    if joint.child not in moving and reversed_ is not None:
        return LoopConstraint(source=source, cloned=joint.parent, carrier=joint.child, built=reversed_)
    return LoopConstraint(source=source, cloned=joint.child, carrier=joint.parent, built=joint)


def _heavier_body(first: str | None, second: str | None, model: Model, moving: set[str]) -> str | None:
    """Return the heavier of two bodies among those that can move."""
    movable = [name for name in (second, first) if name is not None and name in moving]
    return max(movable, key=lambda name: model.bodies[name].inertial.mass)


# Engine joints that represent constraints and motors without a guide

Motion = tuple[mujoco.mjtJoint, Vector3, Vector3]
"""Type, anchor and axis of an engine joint, both in the frame of its child body."""

_HINGE, _SLIDE, _BALL = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_BALL


def stack_of(closure: LoopConstraint, model: Model) -> list[Motion]:
    """Return the engine joints of a clone for a constraint or a linear motor without a guide, beginning at the parent.

    A motor drives the first of them if its first body is cloned, else the last.
    """
    source = closure.source
    assert closure.cloned is not None and not isinstance(source, Connection)  # noqa: S101
    body1, body2 = source.body1, source.body2
    if isinstance(source, Motor):
        motions = _motor_motions(source, model, closure.cloned)
        # Seen from the other body, the motions have the reverse order and direction.
        return motions if closure.cloned == body1 else _reversed_motions(motions)
    motions = _constraint_motions(source, model, closure.cloned)
    return motions if closure.cloned == body2 else _reversed_motions(motions)


def _reversed_motions(motions: list[Motion]) -> list[Motion]:
    return [(kind, anchor, (-axis[0], -axis[1], -axis[2])) for kind, anchor, axis in reversed(motions)]


def _constraint_motions(constraint: Constraint, model: Model, body: str) -> list[Motion]:
    """Return the motions of the second body relative to the first that a constraint allows, in the frame of one of them."""
    point_first = _point_in_model(model, constraint.body1, constraint.point1)
    point_second = _point_in_model(model, constraint.body2, constraint.point2)
    model_to_body = model.body_pose(body).inverse()
    hinge_position, end = model_to_body.transform(point_first), model_to_body.transform(point_second)
    kind = constraint.type
    assert isinstance(kind, RevoluteSpherical | RevoluteTranslational)  # noqa: S101  # distances have no clone
    axis = _rotate_direction(model_to_body, model.body_pose(constraint.body1), kind.axis)
    if isinstance(kind, RevoluteSpherical):
        # The rod's end stays in a plane normal to the hinge; another constraint has its length. The engine requires balls last.
        plane_axis = perpendicular(axis)
        return [(_SLIDE, end, plane_axis), (_SLIDE, end, cross(axis, plane_axis)), (_BALL, end, axis)]
    slide = _rotate_direction(model_to_body, model.body_pose(constraint.body2), kind.direction)
    return [(_HINGE, hinge_position, axis), (_SLIDE, end, slide)]


def _motor_motions(motor: Motor, model: Model, body: str) -> list[Motion]:
    """Return the motions of a linear motor without a guide: of its first body relative to its second, in the frame of one."""
    frame = motor_frame(motor, model, body)
    slides = translations_along(frame)
    return [slides[2], slides[0], slides[1], (_BALL, frame.position, slides[2][2])]


def motor_frame(motor: Motor, model: Model, body: str) -> Pose:
    """Return the frame of a motor in a body, with its z axis along that of the motor, at the initial poses."""
    frame = model.body_pose(body).inverse() @ model.body_pose(motor.body1) @ motor.pose
    return Pose(frame.position, multiply(frame.wxyz, quaternion_between(Z_AXIS, motor.axis)))


def translations_along(frame: Pose) -> list[Motion]:
    """Return translations along the axes of a frame."""
    return [(_SLIDE, frame.position, Pose(wxyz=frame.wxyz).transform(axis)) for axis in (X_AXIS, Y_AXIS, Z_AXIS)]


def _point_in_model(model: Model, body: str | None, point: Vector3) -> Vector3:
    return model.body_pose(body).transform(point)


def _rotate_direction(model_to_body: Pose, frame: Pose, direction: Vector3) -> Vector3:
    return Pose(wxyz=multiply(model_to_body.wxyz, frame.wxyz)).transform(direction)
