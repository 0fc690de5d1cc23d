"""Snapshot of a simulation as a World whose initial state is the current state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ossature.kinematics import spanning_tree
from ossature.kinematics.forward_kinematics import start_joint
from ossature.model import Body, Model, NamedList, World
from ossature.simulation.observation.recording import BodyState
from ossature.spatial import ZERO3, Pose, add, conjugate, cross, pose_from, rotate, vector_from

Coordinates = Mapping[str, tuple[float, ...]]


def world_at_current_state(
    world: World,
    positions: Mapping[str, Coordinates],
    velocities: Mapping[str, Coordinates],
    bodies: Mapping[str, Mapping[str, BodyState]],
) -> World:
    """Return a World whose initial state is that of a simulation: positions and velocities of joints and bodies.

    Time, commands, and the internal states of drives and functions of time are not included; :meth:`Simulation.state` has them.
    """

    def with_state(model: Model) -> Model:
        return _with_state(model, positions[model.name], velocities[model.name], bodies[model.name])

    return replace(world, models=world.models.map(lambda model: model if model.static else with_state(model)))


def _with_state(model: Model, positions: Coordinates, velocities: Coordinates, states: Mapping[str, BodyState]) -> Model:
    joints = [start_joint(joint, positions[joint.name], velocities[joint.name]) for joint in model.joints]
    return replace(model, joints=NamedList(joints), bodies=NamedList(_current_bodies(model, states)))


def _current_bodies(model: Model, states: Mapping[str, BodyState]) -> list[Body]:
    """Return the bodies of a model, with the current poses of floating bodies and of their descendants.

    All bodies of a tree with a floating root specify their velocities: those of a body that specified none would be zero.
    The velocities of other trees are those of their joints.
    """
    shifts: dict[str, Pose] = {}
    moved: dict[str, Body] = {body.name: body for body in model.bodies}
    for branch in spanning_tree(model).branches:
        body, inboard = branch.body, branch.inboard
        if inboard is None:
            pose = model.pose.inverse() @ pose_from(states[body.name].position, states[body.name].wxyz)
            moved[body.name] = _with_velocity(replace(body, pose=pose), model, states[body.name])
            shifts[body.name] = pose @ body.pose.inverse()
        elif inboard.parent is not None and inboard.parent in shifts:
            shifts[body.name] = shifts[inboard.parent]
            placed = replace(body, pose=shifts[body.name] @ body.pose)
            moved[body.name] = _with_velocity(placed, model, states[body.name])
        elif body.initial_velocity != ZERO3 or body.initial_angular_velocity_body != ZERO3:
            moved[body.name] = replace(body, initial_velocity=ZERO3, initial_angular_velocity_body=ZERO3)
    return [moved[body.name] for body in model.bodies]


def _with_velocity(body: Body, model: Model, state: BodyState) -> Body:
    pose = pose_from(state.position, state.wxyz)
    # The World states the velocity of the centre of mass in axes of the model, and the angular velocity in axes of the body.
    angular = vector_from(state.angular_velocity_body)
    arm = rotate(pose.wxyz, body.inertial.center_of_mass)
    velocity = add(vector_from(state.linear_velocity), cross(rotate(pose.wxyz, angular), arm))
    return replace(body, initial_velocity=rotate(conjugate(model.pose.wxyz), velocity), initial_angular_velocity_body=angular)
