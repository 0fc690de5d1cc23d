"""Applies a calibration to a World."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from ossature.diagnostics import Report
from ossature.formats.calibration import rules
from ossature.formats.calibration.zero_poses import child_pose_at, parent_joint, with_body_pose
from ossature.model import Model, ModelError, NamedList, World
from ossature.model.calibration import Calibration, Gains, JointOffset, LinkPoseOffset, SensorPoseOffset
from ossature.model.edit import with_values
from ossature.model.value_text import kind_text

INTRINSICS = ("intrinsic", "focal_length", "distortion")
"""Camera parameters of a calibration."""

E = TypeVar("E", LinkPoseOffset, JointOffset, SensorPoseOffset, Gains)


def with_calibration(world: World, calibration: Calibration, report: Report) -> World:
    """Return a World with a calibration applied; entries that cannot be applied are reported."""
    models = {model.name: model for model in world.models}
    parts: tuple[tuple[Iterable[Any], Callable[[Any], str], str, Callable[[Model, Any, Report], Model]], ...] = (
        (calibration.links, lambda offset: offset.body, "bodies", _with_link),
        (calibration.joints, lambda offset: offset.joint, "joints", _with_offset),
        (calibration.sensors, lambda offset: offset.sensor, "sensors", _with_sensor),
        (calibration.actuators, lambda gains: gains.actuator, "actuators", _with_gains),
    )
    for entries, name_of, collection, apply in parts:
        for entry in _existing_entries(entries, name_of, collection, models, report):
            models[entry.model] = apply(models[entry.model], entry, report)
    return _with_parameters(replace(world, models=NamedList(models.values())), calibration, report)


def _with_parameters(world: World, calibration: Calibration, report: Report) -> World:
    calibrated: set[str] = set()
    for one in calibration.parameters:
        if one.path in calibrated:
            report.add(
                rules.UNKNOWN_CALIBRATION_TARGET, f"'{one.path}' is calibrated twice; the first entry is used", one.origin
            )
            continue
        calibrated.add(one.path)
        try:
            world = with_values(world, {one.path: one.value})
        except ModelError as error:
            report.add(rules.UNKNOWN_CALIBRATION_TARGET, str(error), one.origin)
    return world


def _existing_entries(
    entries: Iterable[E], name_of: Callable[[E], str], collection: str, models: dict[str, Model], report: Report
) -> Iterator[E]:
    calibrated = set()
    for entry in entries:
        name = name_of(entry)
        path = f"{entry.model}/{name}"
        model = models.get(entry.model)
        if model is None or name not in getattr(model, collection):
            choices = (f"{one.name}/{other}" for one in models.values() for other in getattr(one, collection).names())
            hint = report.suggestion(path, choices) or f"the robot has no {collection}"
            report.add(rules.UNKNOWN_CALIBRATION_TARGET, f"unknown '{path}' in the {collection}", entry.origin, hint=hint)
        elif path in calibrated:
            report.add(rules.UNKNOWN_CALIBRATION_TARGET, f"'{path}' is calibrated twice; the first entry is used", entry.origin)
        else:
            calibrated.add(path)
            yield entry


def _with_link(model: Model, offset: LinkPoseOffset, report: Report) -> Model:
    joint = parent_joint(model, offset.body)
    if joint is None:
        message = f"'{offset.model}/{offset.body}' has a pose, but no parent joint"
        report.add(rules.UNCALIBRATABLE_JOINT, message, offset.origin)
        return model
    return with_body_pose(model, offset.body, model.body_pose(joint.parent) @ offset.pose)


def _with_offset(model: Model, offset: JointOffset, report: Report) -> Model:
    joint = model.joints[offset.joint]
    pose = child_pose_at(model, joint, offset.offset)
    if pose is None:
        message = f"'{offset.model}/{offset.joint}' is a {kind_text(type(joint.type))} joint, which has no offset"
        report.add(rules.UNCALIBRATABLE_JOINT, message, offset.origin, hint=f"state the pose of the link '{joint.child}'")
        return model
    return with_body_pose(model, joint.child, pose)


def _with_sensor(model: Model, offset: SensorPoseOffset, report: Report) -> Model:
    sensor = model.sensors[offset.sensor]
    specified = {name: value for name in INTRINSICS if (value := getattr(offset, name)) is not None}
    supported = {name: value for name, value in specified.items() if hasattr(sensor.description, name)}
    if supported != specified:
        unsupported = ", ".join(sorted(specified.keys() - supported.keys()))
        message = f"'{offset.model}/{offset.sensor}' is not a camera with {unsupported}"
        report.add(rules.UNCALIBRATABLE_SENSOR, message, offset.origin)
    description = replace(sensor.description, **supported) if supported else sensor.description  # type: ignore[type-var]  # cameras
    pose = sensor.pose if offset.pose is None else offset.pose
    return replace(model, sensors=model.sensors.replaced(replace(sensor, pose=pose, description=description)))


def _with_gains(model: Model, gains: Gains, report: Report) -> Model:
    changed = replace(model.actuators[gains.actuator], controller=gains.controller)
    return replace(model, actuators=model.actuators.replaced(changed))
