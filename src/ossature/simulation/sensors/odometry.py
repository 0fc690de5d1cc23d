"""Odometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import mujoco
import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.model import Odometry
from ossature.simulation.sensors.imu import rotate_by_vector
from ossature.simulation.sensors.noise import Noise
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import WorldFrame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OdometryReading(Reading):
    """The estimated pose of a body."""

    translation: Vector = output(
        "Translation of the body since the start, expressed in its frame at the start.", shape="3", unit="m"
    )
    rotation_wxyz: Vector = output("Rotation since the start, as a unit quaternion, scalar first.", shape="4")
    linear_velocity: Vector = output(
        "Mean velocity since the last reading, expressed in the body's frame at that reading.", shape="3", unit="m/s"
    )
    angular_velocity: Vector = output(
        "Mean angular velocity since the last reading, expressed in the body's frame at that reading.", shape="3", unit="rad/s"
    )


class OdometryDevice(Device):
    """Integrates the motion of a body from one reading to the next."""

    READING: ClassVar[type[Reading]] = OdometryReading
    TIMING: ClassVar[str] = (
        "One reading at each measurement time, at the first step that is not before it. It starts at the pose of the body when "
        "the sensor is switched on, or first read."
    )
    NOISE: ClassVar[str] = (
        "Drift: each increment has a normally distributed error of translation and rotation vector in the body's frame, whose "
        "covariance is `drift_covariance` times its duration. Errors accumulate."
    )
    description: Odometry

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        target = self.description.target or str(self.sensor.body)
        self._target = self._context.compiled.index.bodies[self._model.name][target].number
        self._drift = Noise(self.description.drift_covariance, 6)
        self.reset()

    def reset(self) -> None:
        """Start at the present pose of the body."""
        self._position, self._wxyz = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self._before = (self._context.time, self._target_frame())

    def _get_state(self) -> dict[str, AnyArray]:
        start_time, frame = self._before
        return {
            "position": self._position.copy(),
            "wxyz": self._wxyz.copy(),
            "began": np.array(start_time),
            "place": frame.position.copy(),
            "rotation": frame.rotation.copy(),
        }

    def _set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        self._position, self._wxyz = np.array(saved_state["position"]), np.array(saved_state["wxyz"])
        self._before = (
            float(saved_state["began"]),
            WorldFrame(np.array(saved_state["place"]), np.array(saved_state["rotation"])),
        )

    def sense(self) -> OdometryReading:
        """Integrate the motion until now, and return the pose."""
        start_time, before = self._before
        now, frame = self._context.time, self._target_frame()
        duration = now - start_time
        translation = before.rotation.T @ (frame.position - before.position)
        rotation_vector = _rotation_vector(before.rotation.T @ frame.rotation)
        velocity, angular_velocity = (
            (translation / duration, rotation_vector / duration) if duration > 0.0 else (np.zeros(3), np.zeros(3))
        )
        error = self._drift.draw(self._random, duration)
        self._position = self._position + _rotate(translation + error[:3], self._wxyz)
        self._wxyz = rotate_by_vector(rotate_by_vector(self._wxyz, rotation_vector), error[3:])
        self._before = (now, frame)
        return OdometryReading(
            **self._stamp(self.frame()),
            translation=self._position.copy(),
            rotation_wxyz=self._wxyz.copy(),
            linear_velocity=velocity,
            angular_velocity=angular_velocity,
        )

    def _target_frame(self) -> WorldFrame:
        return self._context.body_frame(self._target)


def _rotation_vector(rotation: Vector) -> Vector:
    wxyz, vector = np.zeros(4), np.zeros(3)
    mujoco.mju_mat2Quat(wxyz, np.ascontiguousarray(rotation).reshape(9))
    mujoco.mju_quat2Vel(vector, wxyz, 1.0)
    return vector


def _rotate(vector: Vector, wxyz: Vector) -> Vector:
    result = np.zeros(3)
    mujoco.mju_rotVecQuat(result, vector, wxyz)
    return result
