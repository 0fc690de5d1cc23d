"""Keyframes: named states of models, as initial states."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import suggestion
from ossature.kinematics.forward_kinematics import start_joint
from ossature.model import (
    Joint,
    JointState,
    Keyframe,
    KeyframeJoint,
    Model,
    ModelState,
    NamedList,
    State,
    UnknownNameError,
    World,
)
from ossature.model.preserve_keyframes import preserve_keyframes


def keyframe_names(world: World) -> list[str]:
    """Return the names of the keyframes of all models, without duplicates."""
    return list(dict.fromkeys(keyframe.name for model in world.models for keyframe in model.keyframes))


def find_keyframes(world: World, name: str) -> dict[str, Keyframe]:
    """Return the keyframes of a name, by model.

    Raises:
        KeyError: No model has a keyframe of that name; the message suggests a similar one.
    """
    found = {model.name: model.keyframes[name] for model in world.models if name in model.keyframes}
    if not found:
        hint = suggestion(name, keyframe_names(world)) or "the World has none"
        raise UnknownNameError(f"there is no keyframe '{name}': {hint}")
    return found


def start_at_keyframe(world: World, name: str) -> World:
    """Return a World whose initial state is a keyframe: positions and velocities of joints, and poses of mocap bodies.

    Models without a keyframe of that name are unchanged. A World has no initial controls and activations of actuators;
    :meth:`ossature.simulation.Simulation.apply_keyframe` sets them too.

    Raises:
        KeyError: No model has a keyframe of that name; the message suggests a similar one.
    """
    changed = [_start_model(world.models[model], keyframe) for model, keyframe in find_keyframes(world, name).items()]
    return replace(world, models=world.models.replaced(*changed))


def keyframe_state(world: World, name: str) -> State:
    """Return the positions and velocities of joints in a keyframe as a state.

    Raises:
        KeyError: No model has a keyframe of that name; the message suggests a similar one.
    """
    found = find_keyframes(world, name)
    states = [
        ModelState(
            name=model,
            joints=NamedList(
                JointState(name=joint, positions=positions, velocities=velocities)
                for joint, (positions, velocities) in joint_states_of(world.models[model], keyframe).items()
            ),
        )
        for model, keyframe in found.items()
    ]
    return State(name=world.name, time=next(iter(found.values())).time, models=NamedList(states))


def joint_states_of(model: Model, keyframe: Keyframe) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return positions and velocities of all joints of a model in a keyframe; unstated ones are the initial ones."""
    specified = {one.joint: one for one in keyframe.joints}
    return {joint.name: _joint_state(joint, specified.get(joint.name)) for joint in model.joints}


def _joint_state(joint: Joint, specified: KeyframeJoint | None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    positions = None if specified is None else specified.positions
    velocities = None if specified is None else specified.velocities
    return (
        joint.initial_positions if positions is None else positions,
        joint.initial_velocities if velocities is None else velocities,
    )


def _start_model(model: Model, keyframe: Keyframe) -> Model:
    joints = [start_joint(model.joints[one.joint], one.positions, one.velocities) for one in keyframe.joints]
    outer = model.pose.inverse()
    bodies = [replace(model.bodies[one.body], pose=outer @ one.pose) for one in keyframe.bodies]
    changed = replace(model, joints=model.joints.replaced(*joints), bodies=model.bodies.replaced(*bodies))
    return preserve_keyframes(model, changed)
