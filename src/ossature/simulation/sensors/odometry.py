"""Odometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import mujoco
import numpy as np

from ossature.model import Odometry
from ossature.simulation.sensors.imu import turned
from ossature.simulation.sensors.noise import Noise
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import WorldFrame
from ossature.simulation.sensors.sensor_reading import Reading, output

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OdometryReading(Reading):
    """Where a body believes to be."""

    translation: Vector = output("How far the body has come, in its own axes as they were at the start.", shape="3", unit="m")
    rotation_wxyz: Vector = output("How it has turned since, as a unit quaternion, scalar first.", shape="4")
    linear_velocity: Vector = output("Mean velocity since the last reading, in its axes then.", shape="3", unit="m/s")
    angular_velocity: Vector = output("Mean angular velocity since the last reading, likewise.", shape="3", unit="rad/s")


class OdometryDevice(Device):
    """Adds up how a body moves from one reading to the next."""

    READING: ClassVar[type[Reading]] = OdometryReading
    TIMING: ClassVar[str] = (
        "One reading at each measurement time, of the first step that is not before it. It begins where the body is when the "
        "sensor is switched on, or first read."
    )
    NOISE: ClassVar[str] = (
        "Drift: every motion that is added gets a normal error, translation and rotation vector in the body's axes, whose "
        "covariance is `drift_covariance` times the time that it took. Errors stay in all that is added later."
    )
    description: Odometry

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        target = self.description.target or str(self.sensor.body)
        self._target = self._around.compiled.index.bodies[self._model.name][target].number
        self._drift = Noise(self.description.drift_covariance, 6)
        self.begin()

    def begin(self) -> None:
        """Begin where the body is."""
        self._position, self._wxyz = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self._before = (self._around.time, self._place())

    def _memory(self) -> dict[str, NDArray[Any]]:
        began, place = self._before
        return {
            "position": self._position.copy(),
            "wxyz": self._wxyz.copy(),
            "began": np.array(began),
            "place": place.position.copy(),
            "rotation": place.rotation.copy(),
        }

    def _recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        self._position, self._wxyz = np.array(memory["position"]), np.array(memory["wxyz"])
        self._before = (float(memory["began"]), WorldFrame(np.array(memory["place"]), np.array(memory["rotation"])))

    def sense(self) -> OdometryReading:
        """Add up the motion until now, and return where that leads."""
        began, before = self._before
        now, place = self._around.time, self._place()
        duration = now - began
        step = before.rotation.T @ (place.position - before.position)
        turn = _rotation_vector(before.rotation.T @ place.rotation)
        velocity, spin = (step / duration, turn / duration) if duration > 0.0 else (np.zeros(3), np.zeros(3))
        error = self._drift.draw(self._random, duration)
        self._position = self._position + _rotated(step + error[:3], self._wxyz)
        self._wxyz = turned(turned(self._wxyz, turn), error[3:])
        self._before = (now, place)
        return OdometryReading(
            **self._stamp(self.frame()),
            translation=self._position.copy(),
            rotation_wxyz=self._wxyz.copy(),
            linear_velocity=velocity,
            angular_velocity=spin,
        )

    def _place(self) -> WorldFrame:
        return self._around.body_frame(self._target)


def _rotation_vector(rotation: Vector) -> Vector:
    wxyz, vector = np.zeros(4), np.zeros(3)
    mujoco.mju_mat2Quat(wxyz, np.ascontiguousarray(rotation).reshape(9))
    mujoco.mju_quat2Vel(vector, wxyz, 1.0)
    return vector


def _rotated(vector: Vector, wxyz: Vector) -> Vector:
    result = np.zeros(3)
    mujoco.mju_rotVecQuat(result, vector, wxyz)
    return result
