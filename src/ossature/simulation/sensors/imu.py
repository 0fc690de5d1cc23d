"""Inertial measurement units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.model import Imu
from ossature.simulation.sensors.noise import Noise
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.sensor_base import Device


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImuReading(Reading):
    """Orientation, angular velocity and acceleration."""

    orientation_wxyz: Vector = output("Rotation of the sensor in the world, as a unit quaternion, scalar first.", shape="4")
    angular_velocity: Vector = output("Angular velocity, expressed in the sensor's frame.", shape="3", unit="rad/s")
    linear_acceleration: Vector = output(
        "Acceleration of the sensor's origin minus gravity, expressed in its frame: at rest it points upwards.",
        shape="3",
        unit="m/s²",
    )


class ImuDevice(Device):
    """Measures the motion of its body."""

    READING: ClassVar[type[Reading]] = ImuReading
    TIMING: ClassVar[str] = (
        "One reading at each measurement time, at the first step that is not before it; the acceleration is that of the step "
        "that starts then."
    )
    NOISE: ClassVar[str] = (
        "Normally distributed with the stated covariances, independent in each reading; the orientation error is a rotation "
        "vector expressed in the sensor's frame."
    )
    description: Imu

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        imu = self.description
        self._rotation_noise = Noise(imu.rotation_covariance, 3)
        self._rate_noise = Noise(imu.angular_velocity_covariance, 3)
        self._acceleration_noise = Noise(imu.linear_acceleration_covariance, 3)

    def sense(self) -> ImuReading:
        """Return the present orientation, angular velocity and acceleration."""
        frame, efforts = self.frame(), self._context.efforts()
        arm = frame.position - efforts.centers[self._body]
        angular_velocity, linear_velocity = np.split(efforts.velocities[self._body], 2)
        angular_acceleration, linear_acceleration = np.split(efforts.accelerations[self._body], 2)
        # The classical acceleration of a point from the spatial acceleration of its body.
        acceleration = (
            linear_acceleration
            + np.cross(angular_acceleration, arm)
            + np.cross(angular_velocity, linear_velocity + np.cross(angular_velocity, arm))
        )
        return ImuReading(
            **self._stamp(frame),
            orientation_wxyz=rotate_by_vector(np.array(frame.pose().wxyz), self._rotation_noise.draw(self._random)),
            angular_velocity=angular_velocity @ frame.rotation + self._rate_noise.draw(self._random),
            linear_acceleration=acceleration @ frame.rotation + self._acceleration_noise.draw(self._random),
        )


def rotate_by_vector(wxyz: Vector, rotation_vector: Vector) -> Vector:
    """Return a rotation followed by a rotation vector expressed in its own frame."""
    result = wxyz.copy()
    mujoco.mju_quatIntegrate(result, rotation_vector, 1.0)
    return result
