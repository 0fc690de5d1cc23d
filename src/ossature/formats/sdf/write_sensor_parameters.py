"""Writer of the parameters of sensors: cameras, range finders, inertial measurement units, and force and torque sensors."""

from __future__ import annotations

import math
from typing import Any

from ossature.diagnostics.ledger import Ledger
from ossature.formats.sdf import schema_sensors as schema
from ossature.model import Distortion, DistortionModel, Force6D, Imu, Laser2D, PinholeCamera, Sensor
from ossature.model.sensor import IntrinsicMatrix
from ossature.model.sensor_fields import with_defaults
from ossature.spatial import IDENTITY_WXYZ, Matrix3

_SAME = 1e-12
"""Largest relative difference of numbers that are equal up to rounding."""


def parameters_element(sensor: Sensor, kind: str, path: str, ledger: Ledger) -> schema.SdfSensorElement:
    """Return the element of a sensor with its parameters, without name and pose.

    Args:
        kind: Its type in SDFormat.
        path: The path of the parameters.
    """
    specified: Any = sensor.description
    description, defaults = with_defaults(specified)
    required = [name for name in defaults if name not in ("measurement_time", *_NOT_WRITTEN)]
    for name in required:
        ledger.rewritten(f"{path}.{name}", "SDFormat requires a value: the default is written")
    return schema.SdfSensorElement(
        type=kind,
        update_rate=1.0 / specified.measurement_time if specified.measurement_time else 0.0,
        imu=_write_imu(description, path, ledger) if isinstance(description, Imu) else None,
        lidar=_write_lidar(description, path, ledger) if isinstance(description, Laser2D) else None,
        camera=(_write_camera(description, path, ledger),) if isinstance(description, PinholeCamera) else (),
        force_torque=_write_force(specified, sensor, path, ledger) if isinstance(description, Force6D) else None,
    )


_NOT_WRITTEN = ("channels", "format", "gain", "polarity", "time_increment")
"""Parameters with a default that SDFormat does not require."""


def _write_imu(imu: Imu, path: str, ledger: Ledger) -> schema.SdfImuElement | None:
    angular = _write_noise(imu.angular_velocity_covariance, f"{path}.angular_velocity_covariance", ledger)
    linear = _write_noise(imu.linear_acceleration_covariance, f"{path}.linear_acceleration_covariance", ledger)
    if angular is None and linear is None:
        return None
    return schema.SdfImuElement(angular_velocity=angular, linear_acceleration=linear)


def _write_noise(covariance: Matrix3 | None, path: str, ledger: Ledger) -> schema.NoisyVectorElement | None:
    if covariance is None:
        return None
    if any(covariance[i][j] for i in range(3) for j in range(3) if i != j):
        ledger.approximated(path, "noise of SDFormat is independent along each axis: the diagonal is written")
    x, y, z = (_write_gaussian(covariance[axis][axis]) for axis in range(3))
    if x is y is z is None:
        ledger.rewritten(path, "no noise")
    return schema.NoisyVectorElement(x=x, y=y, z=z)


def _write_gaussian(variance: float) -> schema.NoisyComponentElement | None:
    if not variance > 0.0:
        return None
    return schema.NoisyComponentElement(noise=schema.NoiseElement(type="gaussian", stddev=math.sqrt(variance)))


def _write_lidar(laser: Laser2D, path: str, ledger: Ledger) -> schema.LidarElement:
    low, high, step = laser.min_angle or 0.0, laser.max_angle or 0.0, laser.angle_increment or 0.0
    count = max(1, round((high - low) / step) + 1) if step else 1
    read = (high - low) / (count - 1) if count > 1 else None
    if read is None or not math.isclose(read, step, rel_tol=_SAME):
        detail = f"SDFormat divides the angles evenly: {count} rays are written"
        ledger.approximated(f"{path}.angle_increment", detail, error=None if read is None else abs(read - step))
    noise = None
    if laser.distance_deviation:
        noise = schema.NoiseElement(type_name="gaussian", stddev=laser.distance_deviation)
    return schema.LidarElement(
        scan=schema.ScansElement(horizontal=schema.ScanElement(samples=count, min_angle=low, max_angle=high)),
        range=schema.DistanceRangeElement(min=laser.min_distance or 0.0, max=laser.max_distance or 0.0),
        noise=noise,
    )


def _write_camera(camera: PinholeCamera, path: str, ledger: Ledger) -> schema.SdfCameraElement:
    width, height = camera.width or 0, camera.height or 0
    if camera.intrinsic is None:
        ledger.rewritten(f"{path}.intrinsic", "SDFormat requires a field of view: the default is written")
    intrinsic = camera.intrinsic or ((float(width), 0.0, 0.5 * width), (0.0, float(width), 0.5 * height))
    angle = 2.0 * math.atan2(0.5 * width, intrinsic[0][0])
    is_symmetric = _is_symmetric(intrinsic, width, height, angle)
    return schema.SdfCameraElement(
        horizontal_fov=angle,
        image=schema.ImageElement(width=width, height=height),
        lens=None if is_symmetric else _write_lens(intrinsic),
        distortion=_write_distortion(camera.distortion, f"{path}.distortion", ledger),
    )


def _is_symmetric(intrinsic: IntrinsicMatrix, width: int, height: int, angle: float) -> bool:
    """Whether an intrinsic matrix is that of a field of view."""
    focal = 0.5 * width / math.tan(0.5 * angle) if 0.0 < angle < math.pi else 0.0
    expected = (focal, 0.0, 0.5 * width, 0.0, focal, 0.5 * height)
    return all(math.isclose(a, b, rel_tol=_SAME) for a, b in zip((*intrinsic[0], *intrinsic[1]), expected, strict=True))


def _write_lens(intrinsic: IntrinsicMatrix) -> schema.LensElement:
    (fx, s, cx), (_, fy, cy) = intrinsic
    return schema.LensElement(intrinsics=schema.IntrinsicsElement(fx=fx, fy=fy, cx=cx, cy=cy, s=s))


def _write_distortion(distortion: Distortion | None, path: str, ledger: Ledger) -> schema.DistortionElement | None:
    if distortion is None:
        return None
    if distortion.model is not DistortionModel.PLUMB_BOB:
        ledger.dropped(path, f"SDFormat has no distortion model {distortion.model.value}")
        return None
    k1, k2, p1, p2, k3 = (*distortion.coefficients, 0.0, 0.0, 0.0, 0.0, 0.0)[:5]
    if not any(distortion.coefficients) or len(distortion.coefficients) < 5:
        ledger.rewritten(path, "with five coefficients, or none if all are zero")
    return schema.DistortionElement(k1=k1, k2=k2, k3=k3, p1=p1, p2=p2)


def _write_force(force: Force6D, sensor: Sensor, path: str, ledger: Ledger) -> schema.ForceTorqueElement:
    if force.polarity == 1:
        ledger.rewritten(f"{path}.polarity", "the default")
    return schema.ForceTorqueElement(
        frame="child" if sensor.pose.wxyz == IDENTITY_WXYZ else "sensor",
        measure_direction="parent_to_child" if force.polarity == -1 else "child_to_parent",
    )
