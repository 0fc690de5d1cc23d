"""Rewrites the sensors of robots as measurements of the state, and as cameras: what a simulator without such devices has."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.kinematics.spanning_tree import parent_joint_outside_tree
from ossature.model import (
    Camera,
    Encoder,
    Force6D,
    Frame,
    Imu,
    MeasuredElement,
    Measurement,
    Model,
    NamedList,
    PinholeCamera,
    Sensor,
    World,
)
from ossature.model.sensor_fields import with_defaults
from ossature.model.unique_names import unique_name
from ossature.model.value_text import kind_text
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.sensor_models.validation import find_faults
from ossature.spatial import Matrix3, Pose

_QUANTITIES = {Imu: ("framequat", "gyro", "accelerometer"), Force6D: ("force", "torque")}
_CAMERA_AXES = Pose(wxyz=(0.0, 1.0, 0.0, 0.0))
"""A camera looks along -z with y upwards, a camera sensor along z with y downwards."""


def replace_device_sensors(world: World, context: WriteContext) -> World:
    """Return a World in which inertial, force and joint sensors are measurements, and camera sensors are cameras.

    Sensors of other kinds are unchanged. Resolutions, ranges, drift and measurement times are not represented.
    """
    return replace(world, models=world.models.map(lambda model: _changed_model(model, context.ledger)))


@dataclass(frozen=True, slots=True)
class _Replacement:
    sensors: tuple[Sensor, ...] = ()
    frame: Frame | None = None
    camera: Camera | None = None


def _changed_model(model: Model, ledger: Ledger) -> Model:
    replacements = {sensor.name: _replacement(model, sensor) for sensor in model.sensors if sensor.measurement is None}
    found = {name: each for name, each in replacements.items() if each is not None}
    for name in [name for name in found if _measures_loop_joint(model, model.sensors[name])]:
        ledger.dropped(f"{model.name}/{name}", "a force sensor in a joint that is no joint of the tree: it closes a loop")
        del found[name]
    if not found:
        return model
    for name, each in found.items():
        _record(ledger, model, model.sensors[name], each)
    sensors = [new for old in model.sensors for new in (found[old.name].sensors if old.name in found else (old,))]
    frames: dict[str, list[Frame]] = {}
    for name, each in found.items():
        if each.frame is not None:
            frames.setdefault(model.sensors[name].body or "", []).append(each.frame)
    bodies = model.bodies.map(lambda body: replace(body, frames=(*body.frames, *frames.get(body.name, ()))))
    cameras = [*model.cameras, *(each.camera for each in found.values() if each.camera is not None)]
    return replace(model, sensors=NamedList(sensors), bodies=bodies, cameras=NamedList(cameras))


def _measures_loop_joint(model: Model, sensor: Sensor) -> bool:
    """Whether a sensor measures forces in a joint that is not in the tree of bodies."""
    return isinstance(sensor.description, Force6D) and parent_joint_outside_tree(model, sensor.body) is not None


def _replacement(model: Model, sensor: Sensor) -> _Replacement | None:
    """Return what represents a sensor, or None if nothing does."""
    description, taken = sensor.description, {each.name for each in (*model.sensors, *model.cameras)}
    if description is None or any(find_faults(description, model)):
        return None
    if isinstance(description, Encoder):
        joint = MeasuredElement(kind="joint", joint=description.joint, coordinate=description.coordinate or 0)
        return _Replacement(sensors=(_measuring(sensor.name, "jointpos", joint),))
    if sensor.body is None or sensor.body not in model.bodies:
        return None
    if isinstance(description, PinholeCamera):
        return None if sensor.name in model.cameras else _Replacement(camera=_camera(sensor, description))
    quantities = _QUANTITIES.get(type(description), ())
    names = [f"{sensor.name}_{quantity}" for quantity in quantities]
    if not names or taken.intersection(names):
        return None
    reserved = {each.name for each in model.sensors if each is not sensor}  # names of the frames of other sensors
    in_use = reserved | {frame.name for frame in model.bodies[sensor.body].frames}
    frame = Frame(name=unique_name(sensor.name, in_use), pose=sensor.pose)
    at = MeasuredElement(kind="frame", body=sensor.body, frame=frame.name)
    noises = _noises(description)
    measuring = [
        _measuring(name, quantity, at, noises.get(quantity, 0.0)) for name, quantity in zip(names, quantities, strict=True)
    ]
    return _Replacement(sensors=tuple(replace(each, body=sensor.body, pose=sensor.pose) for each in measuring), frame=frame)


def _measuring(name: str, quantity: str, element: MeasuredElement, noise: float = 0.0) -> Sensor:
    return Sensor(name=name, body=None, type=quantity, measurement=Measurement(quantity=quantity, element=element, noise=noise))


def _noises(description: object) -> dict[str, float]:
    """Return the standard deviation of the noise of each quantity: the largest one of its axes."""
    if not isinstance(description, Imu):
        return {}
    covariances = {
        "framequat": description.rotation_covariance,
        "gyro": description.angular_velocity_covariance,
        "accelerometer": description.linear_acceleration_covariance,
    }
    return {quantity: _largest_deviation(each) for quantity, each in covariances.items() if each is not None}


def _largest_deviation(covariance: Matrix3) -> float:
    variance = max(covariance[axis][axis] for axis in range(3))
    return math.sqrt(variance) if math.isfinite(variance) and variance > 0.0 else 0.0


def _camera(sensor: Sensor, description: PinholeCamera) -> Camera:
    optics = CameraProjection.of(with_defaults(description)[0])
    (focal_x, _, center_x), (_, focal_y, center_y) = optics.matrix.tolist()
    width, height = optics.width, optics.height
    pixel = 1.0 / width  # on an image sensor of one metre, because only ratios of lengths matter
    return Camera(
        name=sensor.name,
        body=sensor.body,
        pose=sensor.pose @ _CAMERA_AXES,
        resolution=(width, height),
        sensor_size=(1.0, height * pixel),
        focal_length=(focal_x * pixel, focal_y * pixel),
        principal_point=((0.5 * width - center_x) * pixel, (0.5 * height - center_y) * pixel),
    )


def _record(ledger: Ledger, model: Model, sensor: Sensor, replacement: _Replacement) -> None:
    path = f"{model.name}/{sensor.name}"
    if replacement.camera is not None:
        detail = "a camera; format, skew, distortion and time between images are not represented"
    else:
        names = ", ".join(each.measurement.quantity for each in replacement.sensors if each.measurement is not None)
        kind = kind_text(type(sensor.description))
        detail = f"{kind} as ideal sensors of the state ({names}); resolution, range and measurement time are not represented"
        if isinstance(sensor.description, Force6D) and sensor.description.polarity != -1:
            detail += "; the sign is opposite: they measure the force of the parent on the body"
    ledger.approximated(path, detail, location=sensor.origin)
    for each in replacement.sensors:
        if each.name != sensor.name:
            ledger.rewritten(f"{model.name}/{each.name}", f"measures a quantity of the sensor '{sensor.name}'")
    if replacement.frame is not None:
        ledger.rewritten(f"{model.name}/{sensor.body}.frames", f"the frame of '{sensor.name}'")
