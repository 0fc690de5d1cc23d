"""Inertial measurement units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np

from ossature.model import Imu
from ossature.simulation.sensors.noise import Noise
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_reading import Reading, output

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImuReading(Reading):
    """Orientation, turning and acceleration."""

    orientation_wxyz: Vector = output("Rotation of the sensor in the world, as a unit quaternion, scalar first.", shape="4")
    angular_velocity: Vector = output("Angular velocity, in the sensor's axes.", shape="3", unit="rad/s")
    linear_acceleration: Vector = output(
        "Acceleration of the sensor's origin less that of gravity, in its axes: at rest it points upwards.",
        shape="3",
        unit="m/s²",
    )


class ImuDevice(Device):
    """Measures how its body moves."""

    READING: ClassVar[type[Reading]] = ImuReading
    TIMING: ClassVar[str] = (
        "One reading at each measurement time, of the first step that is not before it; the acceleration is that of the step "
        "that begins then."
    )
    NOISE: ClassVar[str] = (
        "Normal, drawn anew for each reading with the covariance that is stated; the orientation is turned by a rotation "
        "vector in the sensor's axes."
    )
    description: Imu

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        imu = self.description
        self._turning_noise = Noise(imu.rotation_covariance, 3)
        self._rate_noise = Noise(imu.angular_velocity_covariance, 3)
        self._acceleration_noise = Noise(imu.linear_acceleration_covariance, 3)

    def sense(self) -> ImuReading:
        """Return orientation, rates and acceleration of now."""
        frame, efforts = self.frame(), self._around.efforts()
        arm = frame.position - efforts.centers[self._body]
        spin, flow = np.split(efforts.velocities[self._body], 2)
        turn, push = np.split(efforts.accelerations[self._body], 2)
        # A spatial acceleration is that of the flow past a point; the point itself goes along.
        acceleration = push + np.cross(turn, arm) + np.cross(spin, flow + np.cross(spin, arm))
        return ImuReading(
            **self._stamp(frame),
            orientation_wxyz=turned(np.array(frame.pose().wxyz), self._turning_noise.draw(self._random)),
            angular_velocity=spin @ frame.rotation + self._rate_noise.draw(self._random),
            linear_acceleration=acceleration @ frame.rotation + self._acceleration_noise.draw(self._random),
        )


def turned(wxyz: Vector, rotation_vector: Vector) -> Vector:
    """Return a rotation, turned by a rotation vector in its own axes."""
    result = wxyz.copy()
    mujoco.mju_quatIntegrate(result, rotation_vector, 1.0)
    return result
