"""Applying a state to a World: initial poses, positions and velocities from the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ossature.diagnostics import OssatureError
from ossature.kinematics.closed_loop_poses import poses
from ossature.kinematics.forward_kinematics import model_poses, pose_parent_joint, start_joint, with_initial_positions
from ossature.kinematics.initial_body_velocities import initial_body_velocities
from ossature.kinematics.joint_coordinates import joint_coordinates
from ossature.kinematics.joint_couplings import with_initial_coupled_positions
from ossature.kinematics.joint_states_from_links import complete_joint_states
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.kinematics.state_frame_motions import (
    MAX_DISTANCE,
    FrameMotion,
    frame_motions,
    link_motion,
    link_motions,
    moves,
    states_pose,
)
from ossature.kinematics.zero_configuration import ChangedZeroConfiguration, begin_functions_at, change_zero_configuration
from ossature.model import Body, Floating, Joint, JointState, LinkState, Model, ModelState, NamedList, State, World
from ossature.model.preserve_keyframes import preserve_keyframes
from ossature.model.state_compatibility import StateMismatchError, complete_model_poses, restrict_state, structure_differences
from ossature.spatial import IDENTITY, Pose, Vector3, add, conjugate, cross, norm, rotate, subtract


class UnreachableStateError(OssatureError):
    """A state cannot be the initial state of a World."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("the state cannot be applied to the World: " + "; ".join(self.problems[:20]))


def apply_state(world: World, state: State, *, partial: bool = False) -> World:
    """Return a World with the initial state given by a state; quantities that it does not state are unchanged.

    Joint states determine the poses of bodies with a joint, link states those of floating bodies, and the positions and
    velocities of joints without a joint state. The functions of time of motors and loads begin at the time of the state.

    Models with motors, bushings, massless links, rotational springs, or springs that are relaxed at their initial length depend
    on the poses at which the coordinates of joints are zero: in these models the poses of the state become that zero
    configuration, and positions, limits and springs of joints count from there; see
    :func:`ossature.kinematics.zero_configuration.change_zero_configuration`.

    Args:
        partial: Whether to ignore content of the state that does not match the World.

    Raises:
        StateMismatchError: The state has models, links or joints that the World does not have.
        FrameError: The frames of the state cannot be resolved.
        UnreachableStateError: A body contradicts the joints by its pose, or by its twist if the state has no velocities of
            joints; the frame of a model moves that is attached to the world; or an element cannot start in the state.
    """
    differences = structure_differences(state, world)
    if differences and not partial:
        raise StateMismatchError(differences)
    state, residuals = complete_joint_states(complete_model_poses(restrict_state(state, world), world), world)
    motions = frame_motions(state)
    problems = [residual.message for residual in residuals]
    problems += [
        f"the frame of model '{model.name}' moves, but {attachment}"
        for model in state.models
        if moves(motions[model.name]) and (attachment := attachment_to_world(world.models[model.name]))
    ]
    models = []
    for model in world.models:
        specified = state.models.get(model.name)
        if specified is None:
            models.append(begin_functions_at(model, state.time or 0.0))
            continue
        applied_model, refused = _begin_model(model, specified, motions[model.name], state.time or 0.0)
        models.append(applied_model)
        problems += refused
    grasps = world.grasps if state.grasps is None else tuple([active.grasp for active in state.grasps])
    applied = replace(world, models=NamedList(models), grasps=grasps)
    problems += _pose_deviations(applied, state)
    if problems and not partial:
        raise UnreachableStateError(problems)
    return applied


def place_models(world: World, state: State) -> World:
    """Return a World whose models have the poses of a state, as far as it states others.

    Raises:
        FrameError: The frames of the state cannot be resolved.
    """
    motions = frame_motions(complete_model_poses(state, world))
    return replace(world, models=world.models.map(lambda model: _place_model(model, state.models.get(model.name), motions)))


def _place_model(model: Model, specified: ModelState | None, motions: Mapping[str, FrameMotion]) -> Model:
    if specified is None or not states_pose(specified):
        return model
    pose = motions[model.name].pose
    return replace(model, pose=pose) if pose_distance(model.pose, pose) > MAX_DISTANCE else model


def attachment_to_world(model: Model) -> str:
    """Return why a model cannot move as a whole, or nothing if all of its bodies float."""
    if model.static:
        return "the model is static"
    attached = [joint for joint in model.joints if joint.parent is None and not isinstance(joint.type, Floating)]
    return f"joint '{attached[0].name}' connects it to the world" if attached else ""


def _apply_model_state(model: Model, specified: ModelState, motion: FrameMotion) -> Model:
    moved = replace(model, pose=motion.pose) if states_pose(specified) and motion.pose != model.pose else model
    if motion.pose != moved.pose:  # links are stated in the world
        specified = replace(specified, links=specified.links.map(lambda link: _express_in_model(link, moved.pose)))
        arm = subtract(moved.pose.position, motion.pose.position)
        motion = replace(motion, pose=moved.pose, linear=add(motion.linear, cross(motion.angular, arm)))
    to_model = conjugate(moved.pose.wxyz)
    frame = FrameMotion(linear=rotate(to_model, motion.linear), angular=rotate(to_model, motion.angular))
    bodies = _place_bodies(moved, frame, specified)
    joints = [_apply_joint_state(joint, moved, motion, specified) for joint in model.joints]
    applied = replace(moved, bodies=NamedList(bodies), joints=NamedList(joints))
    states_velocity = (
        moves(motion) or any(link.twist for link in specified.links) or any(j.velocities for j in specified.joints)
    )
    return preserve_keyframes(model, _with_body_velocities(applied) if states_velocity and not model.static else applied)


def _begin_model(model: Model, specified: ModelState, motion: FrameMotion, time: float) -> tuple[Model, list[str]]:
    """Return a model that begins in a state at a time, and why it cannot."""
    applied = _apply_model_state(model, specified, motion)
    if not _depends_on_zero_configuration(model):
        return begin_functions_at(applied, time), []
    changed_zero = _change_zero_configuration(model, applied, specified, motion, time)
    found = [f"'{model.name}/{name}' {why}" for name, why in {**changed_zero.contradictions, **changed_zero.problems}.items()]
    return begin_functions_at(applied, time) if changed_zero.contradictions else changed_zero.model, found


def _depends_on_zero_configuration(model: Model) -> bool:
    """Whether elements that are not joints depend on the poses of the bodies at which all coordinates are zero."""
    elements = (model.motors, model.bushings, model.constraints, model.rotational_spring_dampers)
    has_relative_length = any(spring.free_length is None for spring in model.spring_dampers)
    return not model.static and (any(elements) or has_relative_length)


def _change_zero_configuration(
    model: Model, applied: Model, specified: ModelState, motion: FrameMotion, time: float
) -> ChangedZeroConfiguration:
    """Return a model whose zero configuration is that of a state.

    Args:
        model: The model.
        applied: The model with the positions and velocities of joints and floating bodies of the state.
        specified: The state of the model.
        motion: The motion of the frame of the model in the world.
        time: The time of the state [s].
    """
    in_world = {link.name: link_motion(motion, link) for link in specified.links if link.pose is not None}
    known = {name: in_world[name].pose for name in in_world if name in model.bodies}
    placed = model_poses(applied, known=known)
    to_model = applied.pose.inverse()
    start = replace(model, pose=applied.pose, joints=applied.joints)
    start = replace(start, joints=_with_loop_positions(start, placed))
    before = {joint.name: joint.initial_positions for joint in model.joints}
    changed_zero = change_zero_configuration(start, {name: to_model @ pose for name, pose in placed.items()}, time, before)
    moved = changed_zero.model
    moving = {name: in_world[name] for name in in_world if moves(motion) or specified.links[name].twist is not None}
    if moving:
        turn = to_model.wxyz
        twists = {name: (rotate(turn, one.angular), rotate(turn, one.linear)) for name, one in moving.items()}
        poses_in_model = {body.name: body.pose for body in moved.bodies}
        velocities = initial_body_velocities(moved, spanning_tree(moved), poses_in_model, twists)
        moved = replace(moved, bodies=moved.bodies.map(lambda body: _with_velocity(body, *velocities[body.name])))
    return replace(changed_zero, model=preserve_keyframes(model, moved))


def _with_loop_positions(model: Model, placed: Mapping[str, Pose]) -> NamedList[Joint]:
    """Return the joints of a model, those that close loops with the positions that they have at poses in the world."""
    loops = [loop.joint for loop in spanning_tree(model).loops if loop.is_joint]
    moved = []
    for joint in loops:
        parent = model.pose if joint.parent is None else placed[joint.parent]
        displacement = (parent @ pose_parent_joint(model, joint)).inverse() @ placed[joint.child] @ joint.pose
        moved.append(start_joint(joint, joint_coordinates(joint, displacement)))
    return model.joints.replaced(*moved)


def _with_velocity(body: Body, linear: Vector3, angular: Vector3) -> Body:
    return replace(body, initial_velocity=linear, initial_angular_velocity_body=angular)


def _place_bodies(model: Model, frame: FrameMotion, specified: ModelState) -> list[Body]:
    """Return the bodies, the floating ones with their link states, and those that joints connect to them moved with them."""
    placed = {body.name: body for body in model.bodies}
    displacements: dict[str, Pose] = {}
    for branch in spanning_tree(model).branches:
        body, inboard = branch.body, branch.inboard
        if inboard is None:
            placed[body.name] = _apply_link_state(body, model, frame, specified.links.get(body.name))
            if placed[body.name].pose != body.pose:
                displacements[body.name] = placed[body.name].pose @ body.pose.inverse()
        elif inboard.parent in displacements:
            displacements[body.name] = displacements[inboard.parent]
            placed[body.name] = replace(body, pose=displacements[body.name] @ body.pose)
    return [placed[body.name] for body in model.bodies]


def _express_in_model(link: LinkState, pose_world_model: Pose) -> LinkState:
    """Return the state of a link in the frame of its model from that in the world."""
    return link if link.pose is None else replace(link, pose=pose_world_model.inverse() @ link.pose)


def _with_body_velocities(model: Model) -> Model:
    """Return a model in which all bodies specify their velocities, if one does: those of others would be zero."""
    if not any(any(body.initial_velocity) or any(body.initial_angular_velocity_body) for body in model.bodies):
        return model
    coupled = with_initial_coupled_positions(model)
    tree = spanning_tree(coupled)
    velocities = initial_body_velocities(coupled, tree, model_poses(replace(coupled, pose=IDENTITY), tree=tree))
    bodies = [
        replace(body, initial_velocity=velocities[body.name][0], initial_angular_velocity_body=velocities[body.name][1])
        for body in model.bodies
    ]
    return replace(model, bodies=NamedList(bodies))


def _apply_link_state(body: Body, model: Model, frame: FrameMotion, link: LinkState | None) -> Body:
    """Return a floating body with the pose and velocity of its link state, in a model whose frame moves.

    Args:
        frame: The motion of the frame of the model, in its own axes.
        link: The state of the body, if the state has it.
    """
    pose = body.pose if link is None or link.pose is None else link.pose
    twist = None if link is None else link.twist
    if model.static or (twist is None and not moves(frame)):
        return replace(body, pose=pose)
    motion = link_motion(frame, LinkState(name=body.name, pose=pose, twist=twist))
    velocity = add(motion.linear, cross(motion.angular, rotate(pose.wxyz, body.inertial.center_of_mass)))
    angular_velocity = rotate(conjugate(pose.wxyz), motion.angular)
    return replace(body, pose=pose, initial_velocity=velocity, initial_angular_velocity_body=angular_velocity)


def _apply_joint_state(joint: Joint, model: Model, frame: FrameMotion, specified: ModelState) -> Joint:
    """Return a joint with its state, or, for the free joint of a base without one, with that of the link.

    Args:
        joint: The joint.
        model: Its model, with the pose of the state.
        frame: The motion of the frame of the model in the world.
        specified: The state of the model.
    """
    state = specified.joints.get(joint.name) or JointState(name=joint.name)
    positions, velocities = state.positions, state.velocities
    link = specified.links.get(joint.child)
    if isinstance(joint.type, Floating) and joint.parent is None and not model.static:
        states_twist = (link is not None and link.twist is not None) or moves(frame)
        if states_twist and velocities is None:
            velocities = _free_joint_velocities(joint, model, frame, positions, link)
    return start_joint(joint, positions, velocities, state.efforts)


def _free_joint_velocities(
    joint: Joint, model: Model, frame: FrameMotion, positions: tuple[float, ...] | None, link: LinkState | None
) -> tuple[float, ...]:
    """Return the angular velocity and the velocity of the joint frame's origin, in axes of the world."""
    displacement = motion_pose(joint.type, joint.initial_positions if positions is None else positions)
    pose = pose_parent_joint(model, joint) @ displacement @ joint.pose.inverse()
    motion = link_motion(frame, LinkState(name=joint.child, pose=pose, twist=None if link is None else link.twist))
    arm = rotate(motion.pose.wxyz, joint.pose.position)
    return (*motion.angular, *add(motion.linear, cross(motion.angular, arm)))


def start_at_positions(world: World, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> World:
    """Return a World with other initial joint positions.

    Args:
        positions: Positions by model and joint [rad or m]; joints that have theirs, and all others, are unchanged.
    """
    changed = {
        model.name: {
            name: values
            for name, values in positions.get(model.name, {}).items()
            if name in model.joints and tuple(values) != model.joints[name].initial_positions
        }
        for model in world.models
    }
    return with_initial_positions(world, changed)


def _pose_deviations(world: World, state: State) -> list[str]:
    initial = poses(world)
    return [
        f"'{model}/{link}' differs by {distance:.3g} m or rad from its pose in the state"
        for (model, link), motion in link_motions(state).items()
        if (distance := pose_distance(initial[model][link], motion.pose)) > MAX_DISTANCE
    ]


def pose_distance(first: Pose, second: Pose) -> float:
    """Return the larger of the distance [m] and the angle [rad] between two poses."""
    _, x, y, z = (first.inverse() @ second).wxyz
    return max(norm(subtract(first.position, second.position)), 2.0 * norm((x, y, z)))
