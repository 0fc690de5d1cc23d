"""References to coordinates of joints that have become several joints, in all elements beside joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from ossature.diagnostics import Ledger
from ossature.kinematics import factor_joint
from ossature.model import (
    Actuator,
    Joint,
    JointPosition,
    JointTransmission,
    Keyframe,
    KeyframeJoint,
    Model,
    NamedList,
    Trajectory,
    World,
)
from ossature.model.element_fields import compared_fields
from ossature.model.validated_element import Element
from ossature.spatial import euler_from_quaternion, quaternion_from_rotation_vector, vector_from

_REFERENCES = (("joint", "coordinate"), ("joint1", "coordinate1"), ("joint2", "coordinate2"))
"""Fields that together name a coordinate."""
_DETAIL = "it refers to the parts of the split joint"


def with_renamed_coordinates(
    model: Model, split: Model, renamed: Mapping[JointPosition, JointPosition], ledger: Ledger
) -> Model:
    """Return a model with split joints in which all elements beside joints refer to the parts.

    Args:
        model: The model before its joints were split.
        split: The model with the parts.
        renamed: The coordinate of a part by the coordinate of the split joint that it was.
        ledger: Receives which elements change.
    """
    if not renamed:
        return split
    changed: dict[str, Any] = {}
    for field in ("tendons", "equalities", "sensors", "actuators", "keyframes"):
        elements = getattr(split, field)
        new = [_with_parts(element, model, renamed, ledger) for element in elements]
        if any(one is not other for one, other in zip(new, elements, strict=True)):
            changed[field] = NamedList(new)
    return replace(split, **changed) if changed else split


def renamed_trajectories(
    world: World, renamed: Mapping[str, Mapping[JointPosition, JointPosition]], ledger: Ledger
) -> NamedList[Trajectory]:
    """Return the trajectories of a World for the parts of split joints.

    Args:
        world: The World before its joints were split.
        renamed: For each model with split joints, the coordinates of the parts; see :func:`with_renamed_coordinates`.
        ledger: Receives which trajectories change.
    """
    if not renamed:
        return world.trajectories
    return world.trajectories.map(lambda trajectory: _renamed_trajectory(trajectory, world, renamed, ledger))


def _renamed_trajectory(
    trajectory: Trajectory, world: World, renamed: Mapping[str, Mapping[JointPosition, JointPosition]], ledger: Ledger
) -> Trajectory:
    channels = []
    for number, channel in enumerate(trajectory.channels):
        changed = renamed_in(channel, renamed.get(channel.model, {}))
        channels.append(changed)
        if changed is channel:
            continue
        path, joint = f"{trajectory.name}.channels[{number}]", world.models[channel.model].joints[channel.joint]
        if any(first <= channel.coordinate < first + 3 for first in _rotations(joint)):
            ledger.approximated(path, "a component of a rotation vector is written as an angle about an axis")
        else:
            ledger.rewritten(path, _DETAIL)
    is_same = all(one is other for one, other in zip(channels, trajectory.channels, strict=True))
    return trajectory if is_same else replace(trajectory, channels=tuple(channels))


def _with_parts(element: Any, model: Model, renamed: Mapping[JointPosition, JointPosition], ledger: Ledger) -> Any:
    path = f"{model.name}/{element.name}"
    if isinstance(element, Keyframe):
        return _keyframe_of_parts(element, model, renamed, ledger)
    changed = renamed_in(element, renamed)
    if isinstance(element, Actuator):
        changed = _actuator_of_part(element, model, renamed, ledger)
    if changed is not element:
        for item in fields(element):
            if getattr(changed, item.name) != getattr(element, item.name):
                ledger.rewritten(f"{path}.{item.name}", _DETAIL)
    return changed


def renamed_in(element: Any, renamed: Mapping[JointPosition, JointPosition]) -> Any:
    """Return an element that refers to other coordinates; itself if none is renamed."""
    if isinstance(element, tuple):
        items = tuple([renamed_in(item, renamed) for item in element])
        return items if any(one is not other for one, other in zip(items, element, strict=True)) else element
    if not isinstance(element, Element):
        return element
    before = {item.name: getattr(element, item.name) for item in compared_fields(type(element))}
    after = {name: renamed_in(value, renamed) for name, value in before.items()}
    for joint, coordinate in _REFERENCES:
        if coordinate not in before or before.get(joint) is None:
            continue
        number = before[coordinate]  # None is the first one
        new = renamed.get(JointPosition(joint=before[joint], coordinate=number or 0))
        if new is not None and new.joint != before[joint]:
            after |= {joint: new.joint, coordinate: None if number is None else new.coordinate}
    changed = {name: value for name, value in after.items() if value is not before[name]}
    return replace(element, **changed) if changed else element  # type: ignore[type-var]  # all elements are data classes


def _actuator_of_part(
    actuator: Actuator, model: Model, renamed: Mapping[JointPosition, JointPosition], ledger: Ledger
) -> Actuator:
    if actuator.joint is None or actuator.joint not in model.joints:
        return actuator
    transmission = actuator.transmission
    number = transmission.coordinate if isinstance(transmission, JointTransmission) else 0
    new = renamed.get(JointPosition(joint=actuator.joint, coordinate=number))
    if new is None or new.joint == actuator.joint:
        return actuator
    if number in _rotations(model.joints[actuator.joint]):
        detail = f"it drives only the first angle of '{actuator.joint}', which becomes three joints"
        ledger.approximated(f"{model.name}/{actuator.name}.joint", detail)
    if isinstance(transmission, JointTransmission):
        transmission = replace(transmission, coordinate=new.coordinate)
    return replace(actuator, joint=new.joint, transmission=transmission)


def _keyframe_of_parts(
    keyframe: Keyframe, model: Model, renamed: Mapping[JointPosition, JointPosition], ledger: Ledger
) -> Keyframe:
    path = f"{model.name}/{keyframe.name}.joints"
    joints = [part for one in keyframe.joints for part in _states_of_parts(one, model, renamed, ledger, path)]
    if all(one is other for one, other in zip(joints, keyframe.joints, strict=False)):
        return keyframe
    ledger.rewritten(path, _DETAIL)
    return replace(keyframe, joints=tuple(joints))


def _states_of_parts(
    state: KeyframeJoint, model: Model, renamed: Mapping[JointPosition, JointPosition], ledger: Ledger, path: str
) -> Iterator[KeyframeJoint]:
    """Yield the states of the parts of a joint; rotation vectors become angles about x, y and z."""
    joint = model.joints.get(state.joint)
    count = 0 if joint is None else joint.degrees_of_freedom
    parts = [renamed.get(JointPosition(joint=state.joint, coordinate=number)) for number in range(count)]
    if joint is None or not parts or parts[0] is None or parts[0].joint == state.joint:
        yield state
        return
    positions = None if state.positions is None else list(state.positions)
    velocities = None if state.velocities is None else list(state.velocities)
    for first in _rotations(joint):
        if positions is not None:
            turned = quaternion_from_rotation_vector(vector_from(positions[first : first + 3]))
            positions[first : first + 3] = euler_from_quaternion(turned)
        if velocities is not None and any(velocities[first : first + 3]):
            ledger.dropped(path, f"the angular velocity of '{joint.name}', which becomes three joints")
            velocities[first : first + 3] = (0.0, 0.0, 0.0)
    for number, part in enumerate(parts):
        if part is not None:
            yield KeyframeJoint(
                joint=part.joint,
                positions=None if positions is None else (positions[number],),
                velocities=None if velocities is None else (velocities[number],),
            )


def _rotations(joint: Joint) -> list[int]:
    """Return the first coordinate of each rotation vector of a joint."""
    return [stage.coordinate for stage in factor_joint(joint.type) if stage.axis is None]
