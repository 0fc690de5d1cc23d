"""How loops are closed: what joins bodies that the spanning tree has joined already, as constraints of the engine.

A ball joint becomes a point held in place. Every other joint stays a joint: a clone of one of its bodies, with a share of
its mass, hangs on the other body by that joint, and is welded to the original. So the joint keeps its coordinates, springs,
limits and motor, nothing gets a mass that is not its own, and the reaction in the joint is the force that its clone feels.
The heavier body is cloned, which keeps the equations well scaled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import mujoco

from ossature.kinematics import Connection, Tree, reversed_joint
from ossature.kinematics.joint_graph import has_no_dynamics
from ossature.model import (
    Constraint,
    Distance,
    Joint,
    Model,
    Motor,
    MotorKinematics,
    RevoluteSpherical,
    RevoluteTranslational,
    Spherical,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Pose, Quaternion, Vector3, cross, multiply, perpendicular, quaternion_between


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopConstraint:
    """One loop, about to be closed.

    Attributes:
        source: What closes it: a joint or motor, a constraint, or a motor whose guide holds nothing.
        cloned: Name of the body that is cloned, or None where no clone is needed.
        carrier: Name of the body on which the clone hangs, or None for the world.
        built: The joint by which it hangs, for connections.
    """

    source: Connection | Constraint | Motor
    cloned: str | None = None
    carrier: str | None = None
    built: Joint | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopPlan:
    """How the loops of a model are closed.

    Attributes:
        closures: One for each.
        idle: What joins two bodies neither of which can move.
        clones: How many clones each body gets.
    """

    closures: tuple[LoopConstraint, ...] = ()
    idle: tuple[Connection | Constraint | Motor, ...] = ()
    clones: Mapping[str, int] = field(default_factory=dict)

    def share(self, body: str) -> float:
        """Return the share of its mass that a body and each of its clones has."""
        return 1.0 / (1 + self.clones.get(body, 0))


def plan_loops(model: Model, tree: Tree, moving: set[str], prescribing: list[Motor]) -> LoopPlan:
    """Return how the loops of a model are closed.

    Args:
        model: The model.
        tree: Its spanning tree.
        moving: Names of the bodies that can move.
        prescribing: Motors that hold nothing and prescribe a motion that no other joint has for its coordinate.
    """
    closures: list[LoopConstraint] = []
    idle: list[Connection | Constraint | Motor] = []
    sources: list[Connection | Constraint | Motor] = [*tree.loops, *model.constraints, *prescribing]
    for source in sources:
        pair = _pair(source)
        if not any(name in moving for name in pair if name is not None) or pair[0] == pair[1]:
            idle.append(source)
        else:
            closures.append(_closure(source, model, moving))
    counts = Counter(closure.cloned for closure in closures if closure.cloned is not None)
    return LoopPlan(closures=tuple(closures), idle=tuple(idle), clones=counts)


def _pair(source: Connection | Constraint | Motor) -> tuple[str | None, str | None]:
    """Return the two bodies that something joins, the second one first."""
    if isinstance(source, Connection):
        return source.joint.parent, source.joint.child
    return source.body2, source.body1


def _closure(source: Connection | Constraint | Motor, model: Model, moving: set[str]) -> LoopConstraint:
    if isinstance(source, Connection):
        return _connection_closure(source, model, moving)
    if isinstance(source, Constraint) and isinstance(source.type, Distance):
        return LoopConstraint(source=source)
    body2, body1 = _pair(source)
    cloned = _heavier(body2, body1, model, moving)
    return LoopConstraint(source=source, cloned=cloned, carrier=body1 if cloned == body2 else body2)


def _connection_closure(source: Connection, model: Model, moving: set[str]) -> LoopConstraint:
    joint = source.joint
    if has_no_dynamics(joint) and isinstance(joint.type, Spherical):
        return LoopConstraint(source=source)
    turned = reversed_joint(joint, model)
    if turned is not None and _heavier(joint.parent, joint.child, model, moving) == joint.parent:
        return LoopConstraint(source=source, cloned=joint.parent, carrier=joint.child, built=turned)
    if joint.child not in moving and turned is not None:
        return LoopConstraint(source=source, cloned=joint.parent, carrier=joint.child, built=turned)
    return LoopConstraint(source=source, cloned=joint.child, carrier=joint.parent, built=joint)


def _heavier(first: str | None, second: str | None, model: Model, moving: set[str]) -> str | None:
    """Return the heavier of two bodies among those that can move."""
    able = [name for name in (second, first) if name is not None and name in moving]
    return max(able, key=lambda name: model.bodies[name].inertial.mass)


# Joints of the engine that stand for constraints and free motors

Motion = tuple[Any, Vector3, Vector3]
"""Kind, anchor and axis of one of the engine's joints, both in the frame of the body that moves by it."""

_HINGE, _SLIDE, _BALL = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_BALL


def stack_of(closure: LoopConstraint, model: Model) -> list[Motion]:
    """Return the joints by which a clone hangs that stands for a constraint or a free motor, the carrier's first.

    Of a free motor the first is the one that it drives, where the clone is one of its first body, else the last.
    """
    source = closure.source
    assert closure.cloned is not None and not isinstance(source, Connection)  # noqa: S101
    body1, body2 = source.body1, source.body2
    if isinstance(source, Motor):
        motions = _motor_motions(source, model, closure.cloned)
        # Seen from the other side, the same motions follow one another the other way round, and run backwards.
        return motions if closure.cloned == body1 else _backwards(motions)
    motions = _constraint_motions(source, model, closure.cloned)
    return motions if closure.cloned == body2 else _backwards(motions)


def _backwards(motions: list[Motion]) -> list[Motion]:
    return [(kind, anchor, (-axis[0], -axis[1], -axis[2])) for kind, anchor, axis in reversed(motions)]


def _constraint_motions(constraint: Constraint, model: Model, body: str) -> list[Motion]:
    """Return what a constraint lets the second body do on the first, in the frame of one of them."""
    on_first = _placed(model, constraint.body1, constraint.point1)
    on_second = _placed(model, constraint.body2, constraint.point2)
    inside = model.body_pose(body).inverse()
    hinge_at, end = inside.transform(on_first), inside.transform(on_second)
    kind = constraint.type
    assert isinstance(kind, RevoluteSpherical | RevoluteTranslational)  # noqa: S101  # distances have no clone
    axis = _turned(inside, model.body_pose(constraint.body1), kind.axis)
    if isinstance(kind, RevoluteSpherical):
        # The rod's end stays in a plane across the hinge; its length is held besides. The engine wants balls last.
        across = perpendicular(axis)
        return [(_SLIDE, end, across), (_SLIDE, end, cross(axis, across)), (_BALL, end, axis)]
    slide = _turned(inside, model.body_pose(constraint.body2), kind.direction)
    return [(_HINGE, hinge_at, axis), (_SLIDE, end, slide)]


def _motor_motions(motor: Motor, model: Model, body: str) -> list[Motion]:
    """Return what a motor without a guide lets its first body do on the second, in the frame of one of them."""
    frame = model.body_pose(body).inverse() @ model.body_pose(motor.body1) @ motor.pose
    at = frame.position
    axes = [Pose(wxyz=multiply(frame.wxyz, _to_axis(motor))).transform(axis) for axis in (X_AXIS, Y_AXIS, Z_AXIS)]
    slides: list[Motion] = [(_SLIDE, at, axis) for axis in axes]
    if motor.guide is MotorKinematics.LINEAR_FREE:
        return [slides[2], slides[0], slides[1], (_BALL, at, axes[2])]
    return [(_HINGE, at, axes[2]), *slides, (_HINGE, at, axes[0]), (_HINGE, at, axes[1])]


def _to_axis(motor: Motor) -> Quaternion:
    return quaternion_between(Z_AXIS, motor.axis)


def _placed(model: Model, body: str | None, point: Vector3) -> Vector3:
    return model.body_pose(body).transform(point)


def _turned(inside: Pose, frame: Pose, direction: Vector3) -> Vector3:
    return Pose(wxyz=multiply(inside.wxyz, frame.wxyz)).transform(direction)
