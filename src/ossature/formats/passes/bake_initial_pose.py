"""Pass: bakes the initial configuration into the poses of bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.kinematics import model_poses, motion_pose, spanning_tree
from ossature.kinematics.initial_body_velocities import initial_body_velocities, moves_at_start
from ossature.kinematics.initial_limit_violations import clamp_initial_positions
from ossature.kinematics.zero_configuration import change_zero_configuration
from ossature.model import (
    Body,
    Coordinate,
    Cylindrical,
    Joint,
    Model,
    NamedList,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Range,
    Revolute,
    RotationalSpringDamper,
    Screw,
    Spherical,
    Translational,
    Translational2D,
    Universal,
    World,
)
from ossature.spatial import Pose, conjugate, rotate, scale

_ADDITIVE = (Revolute, Prismatic, Screw, Cylindrical, Translational, Translational2D, Planar, Universal)
"""Joint types whose coordinates are additive, so that limits can be shifted by the initial position."""


def bake_initial_pose(world: World, context: WriteContext) -> World:
    """Return a World whose configuration zero is the initial configuration, with the initial velocities on the bodies.

    Unstated initial positions outside the limits are at the nearest ones. Limits and springs of joints are shifted.
    Springs and dampers of revolute joints become rotational spring-dampers.
    """
    return replace(world, models=world.models.map(lambda model: _bake_model(model, context.ledger)))


def _bake_model(model: Model, ledger: Ledger) -> Model:
    if not model.static:
        model = clamp_initial_positions(model)
    if not model.joints or not any(
        any(j.initial_positions) or any(j.initial_velocities) or _has_spring(j) for j in model.joints
    ):
        return model
    tree = spanning_tree(model)
    poses = model_poses(replace(model, pose=Pose()), tree=tree)
    moved = {body.name: replace(body, pose=poses[body.name]) for body in model.bodies}
    if not model.static and any(any(joint.initial_velocities) for joint in model.joints):
        for name, (linear, angular) in initial_body_velocities(model, tree, poses).items():
            if (any(linear) or any(angular)) and not moves_at_start(model.bodies[name]):
                moved[name] = replace(moved[name], initial_velocity=linear, initial_angular_velocity_body=angular)
    joints, springs = [], []
    for joint in model.joints:
        joints.append(_moved_joint(joint, model, ledger))
        springs.extend(_equivalent_springs(joint, model, ledger))
    _account_for_bodies(model, moved, ledger)
    elements = _moved_elements(model, poses, ledger)
    return replace(
        model,
        bodies=model.bodies.map(lambda body: moved[body.name]),
        joints=NamedList(joints),
        motors=elements.motors,
        bushings=elements.bushings,
        spring_dampers=elements.spring_dampers,
        rotational_spring_dampers=elements.rotational_spring_dampers.with_(*springs),
    )


_ELEMENT_FIELDS = {
    "motors": ("pose", "function"),
    "bushings": ("pose2",),
    "spring_dampers": ("free_length",),
    "rotational_spring_dampers": ("free_angle",),
}
"""Fields of motors and force elements that count from the initial configuration."""


def _moved_elements(model: Model, poses: Mapping[str, Pose], ledger: Ledger) -> Model:
    """Return a model with the motors and force elements that count from the initial configuration."""
    if model.static or not any(getattr(model, collection) for collection in _ELEMENT_FIELDS):
        return model
    changed_zero = change_zero_configuration(model, poses)
    for collection, fields in _ELEMENT_FIELDS.items():
        for element in getattr(model, collection):
            path = f"{model.name}/{element.name}"
            changed = getattr(changed_zero.model, collection)[element.name]
            for field in fields:
                if getattr(element, field) != getattr(changed, field):
                    ledger.rewritten(f"{path}.{field}", "relative to the initial configuration")
            if element.name in changed_zero.problems:
                ledger.approximated(path, changed_zero.problems[element.name])
    return changed_zero.model


def _has_spring(joint: Joint) -> bool:
    return isinstance(joint.type, Revolute) and bool(joint.coordinates[0].stiffness or joint.coordinates[0].damping)


def _account_for_bodies(model: Model, moved: dict[str, Body], ledger: Ledger) -> None:
    for body in model.bodies:
        path = f"{model.name}/{body.name}"
        if moved[body.name].pose != body.pose:
            ledger.rewritten(f"{path}.pose", "initial pose of the body")
        if moved[body.name].initial_velocity != body.initial_velocity or (
            moved[body.name].initial_angular_velocity_body != body.initial_angular_velocity_body
        ):
            for field in ("initial_velocity", "initial_angular_velocity_body"):
                ledger.rewritten(f"{path}.{field}", "computed from the initial velocities of joints")


def _moved_joint(joint: Joint, model: Model, ledger: Ledger) -> Joint:
    path = f"{model.name}/{joint.name}"
    start = joint.initial_positions
    if any(joint.initial_velocities):
        ledger.rewritten(f"{path}.coordinates", "its initial velocities are written on the bodies")
    if any(start):
        ledger.rewritten(f"{path}.coordinates", "its coordinates are zero at the initial configuration")
        ledger.rewritten(f"{path}.pose", "joint frame at the initial configuration")
    type_, pose = _moved_frame(joint)
    coordinates = tuple(
        [_moved_coordinate(coordinate, joint, number, path, ledger) for number, coordinate in enumerate(joint.coordinates)]
    )
    return replace(joint, type=type_, pose=pose, coordinates=coordinates)


def _moved_frame(joint: Joint) -> tuple[Any, Pose]:
    """Return a joint's type and pose for which its initial position is zero."""
    start = joint.initial_positions
    if isinstance(joint.type, Universal) and any(start):
        # The second axis is fixed in the child; the first is expressed in the child at its initial pose.
        rotation = motion_pose(joint.type, start)
        return replace(joint.type, axis1=rotate(conjugate(rotation.wxyz), joint.type.axis1)), joint.pose
    if isinstance(joint.type, Planar) and start[2]:
        rotation = motion_pose(joint.type, (0.0, 0.0, start[2]))
        back = conjugate(rotation.wxyz)
        return replace(joint.type, axis1=rotate(back, joint.type.axis1), axis2=rotate(back, joint.type.axis2)), joint.pose
    if isinstance(joint.type, PointOnLine | PointOnPlane):
        back = conjugate(motion_pose(Spherical(), start[-3:]).wxyz)
        return joint.type, joint.pose @ Pose(wxyz=back)
    return joint.type, joint.pose


def _moved_coordinate(coordinate: Coordinate, joint: Joint, number: int, path: str, ledger: Ledger) -> Coordinate:
    start = coordinate.initial_position
    limits, rest = coordinate.position_limits, coordinate.spring_reference
    if start and isinstance(joint.type, _ADDITIVE):
        limits = Range(lower=limits.lower - start, upper=limits.upper - start)
        rest -= start if coordinate.stiffness else 0.0
    elif start and (limits.bounded or coordinate.stiffness):
        detail = "limits and springs of this joint type cannot be shifted to the initial position"
        ledger.dropped(f"{path}.coordinates[{number}].position_limits", detail)
    stiffness, damping = coordinate.stiffness, coordinate.damping
    if _has_spring(joint):
        stiffness = damping = rest = 0.0
    return replace(
        coordinate,
        position_limits=limits,
        spring_reference=rest,
        initial_position=0.0,
        initial_velocity=0.0,
        stiffness=stiffness,
        damping=damping,
    )


def _equivalent_springs(joint: Joint, model: Model, ledger: Ledger) -> list[RotationalSpringDamper]:
    if not _has_spring(joint) or model.static:
        return []
    coordinate = joint.coordinates[0]
    assert isinstance(joint.type, Revolute)  # noqa: S101  # the test above
    for path in (f"{joint.name}.coordinates[0]", f"{joint.name}_spring"):
        ledger.rewritten(f"{model.name}/{path}", "spring and damper of a joint become a rotational spring-damper")
    pose_child_joint = joint.pose
    axis_child = rotate(pose_child_joint.wxyz, joint.type.axis)
    # The axis is invariant under the rotation about it, so that the child's frame at any angle can be used.
    return [
        RotationalSpringDamper(
            name=f"{joint.name}_spring",
            body1=joint.child,
            body2=joint.parent,
            axis=scale(axis_child, -1.0),
            point=pose_child_joint.position,
            free_angle=coordinate.spring_reference - coordinate.initial_position,
            stiffness=coordinate.stiffness,
            damping=coordinate.damping,
        )
    ]
