"""What is different about a robot → a calibration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ossature.formats.calibration.apply import INTRINSICS
from ossature.formats.calibration.zero_configuration import offset_between, parent_joint
from ossature.model import Model, World
from ossature.model.calibration import Calibration, Gains, JointOffset, LinkPoseOffset, SensorPoseOffset
from ossature.spatial import Pose

_ROUNDING = 1e-12


def calibration_between(drawn: World, built: World) -> Calibration:
    """Return the calibration that makes one World of another, as far as calibrations can.

    A link that stands as if its joint were displaced gets an offset, any other one that stands elsewhere on its parent a
    place. What else differs, such as masses or limits, is no calibration.
    """
    pairs = [(model, built.models[model.name]) for model in drawn.models if model.name in built.models]
    placed = [entry for one, other in pairs for entry in _links(one, other)]
    return Calibration(
        links=tuple([entry for entry in placed if isinstance(entry, LinkPoseOffset)]),
        joints=tuple([entry for entry in placed if isinstance(entry, JointOffset)]),
        sensors=tuple([entry for one, other in pairs for entry in _sensors(one, other)]),
        actuators=tuple([entry for one, other in pairs for entry in _gains(one, other)]),
    )


def _links(drawn: Model, built: Model) -> Iterator[LinkPoseOffset | JointOffset]:
    for body in drawn.bodies:
        joint = parent_joint(drawn, body.name)
        if joint is None or body.name not in built.bodies or (joint.parent is not None and joint.parent not in built.bodies):
            continue
        before = drawn.body_pose(joint.parent).inverse() @ body.pose
        after = built.body_pose(joint.parent).inverse() @ built.bodies[body.name].pose
        if _same(before, after):
            continue
        offset = offset_between(joint, joint.pose.inverse() @ before.inverse() @ after @ joint.pose)
        if offset is None:
            yield LinkPoseOffset(model=drawn.name, body=body.name, pose=after)
        else:
            yield JointOffset(model=drawn.name, joint=joint.name, offset=offset)


def _same(a: Pose, b: Pose) -> bool:
    apart = a.inverse() @ b
    return math.hypot(*apart.position) < _ROUNDING and math.hypot(*apart.wxyz[1:]) < _ROUNDING


def _sensors(drawn: Model, built: Model) -> Iterator[SensorPoseOffset]:
    for sensor in drawn.sensors:
        other = built.sensors.get(sensor.name)
        if other is None:
            continue
        pose = None if _same(sensor.pose, other.pose) else other.pose
        parameters = {name: _changed(sensor.description, other.description, name) for name in INTRINSICS}
        if pose is not None or any(value is not None for value in parameters.values()):
            yield SensorPoseOffset(model=drawn.name, sensor=sensor.name, pose=pose, **parameters)


def _changed(drawn: object, built: object, name: str) -> Any:
    """Return a parameter as the built sensor has it, or None where it is that of the drawing."""
    if type(drawn) is not type(built):
        return None
    value = getattr(built, name, None)
    return None if value == getattr(drawn, name, None) else value


def _gains(drawn: Model, built: Model) -> Iterator[Gains]:
    for actuator in drawn.actuators:
        other = built.actuators.get(actuator.name)
        if other is not None and other.controller is not None and other.controller != actuator.controller:
            yield Gains(model=drawn.name, actuator=actuator.name, controller=other.controller)
