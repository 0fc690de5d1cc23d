"""A World that begins at a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ossature.diagnostics import OssatureError
from ossature.kinematics.loop_closure import poses
from ossature.kinematics.state_kinematics import FrameMotion, frame_motions, link_motion, link_motions
from ossature.model import Body, Joint, JointState, LinkState, Model, ModelState, NamedList, State, World
from ossature.model.state_compatibility import StateMismatchError, restrict_state, structure_differences
from ossature.spatial import Pose, add, conjugate, cross, norm, rotate, subtract

MAX_DISTANCE = 1e-6
"""How far a body may be from where the state places it [m or rad]."""


class UnreachableStateError(OssatureError):
    """A World cannot begin at a state.

    Attributes:
        problems: Why not.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("a world cannot begin so: " + "; ".join(self.problems[:20]))


def apply_state(world: World, state: State, *, partial: bool = False) -> World:
    """Return a World whose models stand and whose joints begin as a state says; what it does not say stays as it is.

    Joint states decide for bodies that joints place, link states for bodies that float.

    Args:
        world: The World.
        state: The state.
        partial: Whether to apply what fits where the state is one of another World.

    Raises:
        StateMismatchError: The state speaks of something that the World does not have.
        FrameError: The frames of the state cannot be resolved.
        UnreachableStateError: A body is carried by something that cannot begin elsewhere, or a model would have to move.
    """
    differences = structure_differences(state, world)
    if differences and not partial:
        raise StateMismatchError(differences)
    state = restrict_state(state, world)
    motions = frame_motions(state)
    problems = [
        f"the frame of model '{model.name}' moves"
        for model in state.models
        if norm(motions[model.name].linear) > MAX_DISTANCE or norm(motions[model.name].angular) > MAX_DISTANCE
    ]
    models = [
        model if model.name not in state.models else _at(model, state.models[model.name], motions[model.name])
        for model in world.models
    ]
    grasps = world.grasps if state.grasps is None else tuple([held.grasp for held in state.grasps])
    applied = replace(world, models=NamedList(models), grasps=grasps)
    problems += _misplaced(applied, state)
    if problems and not partial:
        raise UnreachableStateError(problems)
    return applied


def _at(model: Model, stated: ModelState, motion: FrameMotion) -> Model:
    has_place = stated.pose is not None or stated.parent is not None
    placed = replace(model, pose=motion.pose) if has_place else model
    carried = {joint.child for joint in model.joints}
    links = {link.name: link for link in stated.links if link.name not in carried and link.pose is not None}
    bodies = [_floating(body, placed, links[body.name]) if body.name in links else body for body in model.bodies]
    joints = [_joint(joint, stated.joints.get(joint.name)) for joint in model.joints]
    return replace(placed, bodies=NamedList(bodies), joints=NamedList(joints))


def _floating(body: Body, model: Model, link: LinkState) -> Body:
    """Return a body that nothing carries where its link state places it, moving as that says."""
    assert link.pose is not None  # noqa: S101  # the caller looked
    if model.static or link.twist is None:
        return replace(body, pose=link.pose)
    motion = link_motion(FrameMotion(), link)
    arm = rotate(link.pose.wxyz, body.inertial.center_of_mass)
    of_centre = add(motion.linear, cross(motion.angular, arm))
    spin = rotate(conjugate(link.pose.wxyz), motion.angular)
    return replace(body, pose=link.pose, initial_velocity=of_centre, initial_angular_velocity_body=spin)


def _joint(joint: Joint, stated: JointState | None) -> Joint:
    if stated is None:
        return joint
    starts = zip(
        joint.coordinates,
        stated.positions or joint.initial_positions,
        stated.velocities or joint.initial_velocities,
        stated.efforts or [coordinate.initial_effort for coordinate in joint.coordinates],
        strict=True,
    )
    return replace(
        joint,
        coordinates=tuple(
            [
                replace(
                    coordinate,
                    initial_position=position,
                    initial_velocity=velocity,
                    initial_effort=effort,
                    states_position=coordinate.states_position or stated.positions is not None,
                )
                for coordinate, position, velocity, effort in starts
            ]
        ),
    )


def _misplaced(world: World, state: State) -> list[str]:
    placed = poses(world)
    return [
        f"'{model}/{link}' would be {apart:.3g} m or rad away"
        for (model, link), motion in link_motions(state).items()
        if (apart := _pose_distance(placed[model][link], motion.pose)) > MAX_DISTANCE
    ]


def _pose_distance(first: Pose, second: Pose) -> float:
    turn = (first.inverse() @ second).wxyz
    return max(norm(subtract(first.position, second.position)), 2.0 * norm((turn[1], turn[2], turn[3])))
