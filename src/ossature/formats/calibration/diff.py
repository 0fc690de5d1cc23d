"""Differences between two Worlds → a calibration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ossature.formats.calibration.apply import INTRINSICS
from ossature.formats.calibration.zero_poses import offset_between, parent_joint
from ossature.model import Model, World
from ossature.model.calibration import Calibration, Gains, JointOffset, LinkPoseOffset, SensorPoseOffset
from ossature.spatial import Pose

_ROUNDING = 1e-12


def calibration_between(nominal: World, actual: World) -> Calibration:
    """Return the calibration that converts the nominal World to the actual one, as far as calibrations can.

    If the pose of a link differs by a motion of its parent joint, it gives a joint offset, otherwise a link pose. Other
    differences, such as masses or limits, are ignored.
    """
    pairs = [(model, actual.models[model.name]) for model in nominal.models if model.name in actual.models]
    poses = [entry for one, other in pairs for entry in _link_and_joint_offsets(one, other)]
    return Calibration(
        links=tuple([entry for entry in poses if isinstance(entry, LinkPoseOffset)]),
        joints=tuple([entry for entry in poses if isinstance(entry, JointOffset)]),
        sensors=tuple([entry for one, other in pairs for entry in _sensor_offsets(one, other)]),
        actuators=tuple([entry for one, other in pairs for entry in _changed_gains(one, other)]),
    )


def uncompared_elements(nominal: World, actual: World) -> list[str]:
    """Return the paths of models, links, sensors and actuators that only one of two Worlds has."""
    single = _paths(nominal) ^ _paths(actual)
    models = {path[0] for path in single if len(path) == 1}
    return sorted("/".join(path) for path in single if len(path) == 1 or path[0] not in models)


def _paths(world: World) -> set[tuple[str, ...]]:
    """Return the names of models, and those of links, sensors and actuators with that of their model."""
    elements = {(model.name, one.name) for model in world.models for one in (*model.bodies, *model.sensors, *model.actuators)}
    return {(model.name,) for model in world.models} | elements


def _link_and_joint_offsets(nominal: Model, actual: Model) -> Iterator[LinkPoseOffset | JointOffset]:
    for body in nominal.bodies:
        joint = parent_joint(nominal, body.name)
        if joint is None or body.name not in actual.bodies or (joint.parent is not None and joint.parent not in actual.bodies):
            continue
        before = nominal.body_pose(joint.parent).inverse() @ body.pose
        after = actual.body_pose(joint.parent).inverse() @ actual.bodies[body.name].pose
        if _is_same_pose(before, after):
            continue
        offset = offset_between(joint, joint.pose.inverse() @ before.inverse() @ after @ joint.pose)
        if offset is None:
            yield LinkPoseOffset(model=nominal.name, body=body.name, pose=after)
        else:
            yield JointOffset(model=nominal.name, joint=joint.name, offset=offset)


def _is_same_pose(a: Pose, b: Pose) -> bool:
    difference = a.inverse() @ b
    return math.hypot(*difference.position) < _ROUNDING and math.hypot(*difference.wxyz[1:]) < _ROUNDING


def _sensor_offsets(nominal: Model, actual: Model) -> Iterator[SensorPoseOffset]:
    for sensor in nominal.sensors:
        other = actual.sensors.get(sensor.name)
        if other is None:
            continue
        pose = None if _is_same_pose(sensor.pose, other.pose) else other.pose
        parameters = {name: _changed_parameter(sensor.description, other.description, name) for name in INTRINSICS}
        if pose is not None or any(value is not None for value in parameters.values()):
            yield SensorPoseOffset(model=nominal.name, sensor=sensor.name, pose=pose, **parameters)


def _changed_parameter(nominal: object, actual: object, name: str) -> Any:
    """Return a parameter of the actual sensor, or None if it has the nominal value."""
    if type(nominal) is not type(actual):
        return None
    value = getattr(actual, name, None)
    return None if value == getattr(nominal, name, None) else value


def _changed_gains(nominal: Model, actual: Model) -> Iterator[Gains]:
    for actuator in nominal.actuators:
        other = actual.actuators.get(actuator.name)
        if other is not None and other.controller is not None and other.controller != actuator.controller:
            yield Gains(model=nominal.name, actuator=actuator.name, controller=other.controller)
