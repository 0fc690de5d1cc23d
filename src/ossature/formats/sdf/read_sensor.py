"""Reader of SDFormat sensors."""

from __future__ import annotations

import math

from ossature.diagnostics import Report
from ossature.formats.sdf import rules, schema_sensors
from ossature.formats.sdf.passthrough import FORMAT
from ossature.model import (
    Distortion,
    DistortionModel,
    Extension,
    Force6D,
    Imu,
    Laser2D,
    PinholeCamera,
    Sensor,
    SensorDescription,
)
from ossature.spatial import Matrix3, Pose
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

OPTICAL_AXES = Pose((0.0, 0.0, 0.0), (0.5, -0.5, 0.5, -0.5))
"""The frame of a pinhole camera, which looks along z with y downwards, in one that looks along x with z upwards."""
TYPES = (
    *("air_pressure", "air_speed", "altimeter", "boundingbox_camera", "camera", "contact", "custom", "depth", "depth_camera"),
    *("force_torque", "gps", "gpu_lidar", "gpu_ray", "imu", "lidar", "logical_camera", "magnetometer", "multicamera", "navsat"),
    *("ray", "rfid", "rfidtag", "rgbd", "rgbd_camera", "segmentation_camera", "sonar", "thermal", "thermal_camera"),
    *("wideanglecamera", "wireless_receiver", "wireless_transmitter"),
)


def camera_of(element: schema_sensors.SdfSensorElement) -> schema_sensors.SdfCameraElement | None:
    """Return the camera of a sensor that is a single camera, else None."""
    return element.camera[0] if element.type == "camera" and len(element.camera) == 1 else None


def read_sensor(element: schema_sensors.SdfSensorElement, name: str, body: str, pose: Pose, report: Report) -> Sensor:
    """Return a sensor.

    Args:
        name: Its name, unique in the outermost model.
        body: The body to which it is attached.
        pose: The frame of its device in that of the body.
    """
    if element.type is not None and element.type not in TYPES:
        message, hint = f"sensor '{name}' has the unknown type '{element.type[:40]}'", report.suggestion(element.type, TYPES)
        report.add(rules.UNKNOWN_SENSOR_TYPE, message, element.location("type"), hint=hint)
    description = _description(element)
    if description is None:
        message = f"sensor '{name}' of type {element.type} is kept by name and type only"
        report.add(rules.UNREPRESENTED_SENSOR, message, element.location())
    if isinstance(description, Force6D) and element.force_torque is not None and element.force_torque.frame == "child":
        pose = Pose(pose.position)
    node = element.node
    settings = (Extension(format=FORMAT, key="sensor", value=xml.compact(node)),) if isinstance(node, XmlNode) else ()
    return Sensor(
        name=name,
        body=body,
        pose=pose,
        type=element.type,
        description=description,
        settings=settings,
        origin=element.location(),
    )


def _description(element: schema_sensors.SdfSensorElement) -> SensorDescription | None:
    """Return the parameters of a sensor, or None if its type is not represented."""
    period = 1.0 / element.update_rate if element.update_rate > 0.0 else None
    camera = camera_of(element)
    if camera is not None:
        return _camera(camera, period)
    match element.type:
        case "imu":
            return _imu(element, period)
        case "ray" | "gpu_ray" | "lidar" | "gpu_lidar":
            return _laser(element.lidar or element.ray, period)
        case "force_torque" if element.force_torque is None or element.force_torque.frame != "parent":
            specified = element.force_torque
            is_reversed = specified is not None and specified.measure_direction == "parent_to_child"
            return Force6D(polarity=-1 if is_reversed else None, measurement_time=period)
    return None


def _imu(element: schema_sensors.SdfSensorElement, period: float | None) -> Imu:
    imu = element.imu
    return Imu(
        measurement_time=period,
        angular_velocity_covariance=None if imu is None else _covariance(imu.angular_velocity),
        linear_acceleration_covariance=None if imu is None else _covariance(imu.linear_acceleration),
    )


def _covariance(element: schema_sensors.NoisyVectorElement | None) -> Matrix3 | None:
    """Return the covariance of independent noise of three components, or None without noise."""
    if element is None:
        return None
    x, y, z = (0.0 if part is None else _deviation(part.noise) ** 2 for part in (element.x, element.y, element.z))
    return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)) if x or y or z else None


def _deviation(noise: schema_sensors.NoiseElement | None) -> float:
    return 0.0 if noise is None or (noise.type or noise.type_name) == "none" else noise.stddev


def _camera(element: schema_sensors.SdfCameraElement, period: float | None) -> PinholeCamera:
    image = element.image
    width, height = (320, 240) if image is None else (image.width, image.height)
    specified = element.lens.intrinsics if element.lens is not None else None
    if specified is not None:
        intrinsic = ((specified.fx, specified.s, specified.cx), (0.0, specified.fy, specified.cy))
    else:
        focal = 0.5 * width / math.tan(0.5 * min(max(element.horizontal_fov, 1e-3), math.pi - 1e-3))
        intrinsic = ((focal, 0.0, 0.5 * width), (0.0, focal, 0.5 * height))
    distortion = None if element.distortion is None else _distortion(element.distortion)
    return PinholeCamera(width=width, height=height, measurement_time=period, intrinsic=intrinsic, distortion=distortion)


def _distortion(element: schema_sensors.DistortionElement) -> Distortion | None:
    coefficients = (element.k1, element.k2, element.p1, element.p2, element.k3)
    return Distortion(model=DistortionModel.PLUMB_BOB, coefficients=coefficients) if any(coefficients) else None


def _laser(element: schema_sensors.LidarElement | None, period: float | None) -> Laser2D | None:
    """Return a range finder with one line, or None if it has several or none."""
    scan = element.scan if element is not None else None
    if element is None or scan is None or scan.horizontal is None or element.range is None:
        return None
    rays = scan.horizontal
    if (scan.vertical is not None and scan.vertical.samples > 1) or rays.samples < 1:
        return None
    count = max(1, round(rays.samples * rays.resolution))
    return Laser2D(
        min_angle=rays.min_angle,
        max_angle=rays.max_angle,
        min_distance=element.range.min,
        max_distance=element.range.max,
        angle_increment=(rays.max_angle - rays.min_angle) / (count - 1) if count > 1 else None,
        measurement_time=period,
        distance_deviation=_deviation(element.noise) or None,
    )
