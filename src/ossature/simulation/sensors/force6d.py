"""Force and torque sensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.kinematics.spanning_tree import parent_joint_outside_tree
from ossature.model import Force6D
from ossature.sensor_models import rules
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.sensor_base import Device


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Force6DReading(Reading):
    """Force and torque of the sensor's body on its parent."""

    force: Vector = output(
        "Force of the sensor's body, with all its descendants, on its parent body, expressed in the sensor's frame.",
        shape="3",
        unit="N",
    )
    torque: Vector = output(
        "Torque on the parent body about the sensor's origin, expressed in the sensor's frame.", shape="3", unit="N·m"
    )
    saturated: bool = output("Whether a component exceeds the range.")
    broken: bool = output("Whether the sensor is broken; then all components are NaN.")


class Force6DDevice(Device):
    """Measures the force and torque in the parent joint of its body: of several joints with this child, in the first one."""

    READING: ClassVar[type[Reading]] = Force6DReading
    TIMING: ClassVar[str] = (
        "One reading at each measurement time, at the first step that is not before it: the forces of the step that starts "
        "then. A gripper of 2 kg at rest gives 19.6 N downwards."
    )
    NOISE: ClassVar[str] = (
        "Quantization only: after correction and polarity, components are rounded to the resolution and clamped to the range. "
        "A load above the capacity breaks the sensor; findings report both."
    )
    description: Force6D

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self._is_broken = False
        self._is_reported = False
        self._loop_joint = parent_joint_outside_tree(self._model, self.sensor.body)

    def _get_state(self) -> dict[str, AnyArray]:
        return {"happened": np.array([self._is_broken, self._is_reported])}

    def _set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        self._is_broken, self._is_reported = (bool(value) for value in saved_state["happened"])

    def sense(self) -> Force6DReading:
        """Return the present force and torque."""
        frame = self.frame()
        force, torque = self._force_and_torque(frame.position)
        load = np.concatenate([force @ frame.rotation, torque @ frame.rotation])
        self._check_capacity(load)
        reported, saturated = self._clipped_load(load)
        return Force6DReading(
            **self._stamp(frame), force=reported[:3], torque=reported[3:], saturated=saturated, broken=self._is_broken
        )

    def _force_and_torque(self, point: Vector) -> tuple[Vector, Vector]:
        """Return the force of the body on its parent, and its torque about a point, in axes of the world."""
        if self._loop_joint is None:
            efforts = self._context.efforts()
            torque_on_body, force_on_body = np.split(efforts.wrenches[self._body], 2)
            arm = efforts.centers[self._body] - point
        else:
            reaction = self._context.reactions()[self._model.name][self._loop_joint.name]
            torque_on_body, force_on_body = np.array(reaction["torque"]), np.array(reaction["force"])
            body = self._context.body_frame(self._body)
            arm = body.position + body.rotation @ np.array(self._loop_joint.pose.position) - point
        return -force_on_body, -(torque_on_body + np.cross(arm, force_on_body))

    def _check_capacity(self, load: Vector) -> None:
        """Break if the load exceeds the capacity of the sensor."""
        capacity = _component_limits(self.description.force_capacity, self.description.torque_capacity)
        if not self._is_broken and (np.abs(load) > capacity).any():
            self._is_broken = True
            message = f"sensor '{self.sensor.name}' broke at {self._context.time:.6g} s: its load was {_format_load(load)}"
            self._context.report.add(rules.SENSOR_OVERLOADED, message, self.sensor.origin, path=self.path)

    def _clipped_load(self, load: Vector) -> tuple[Vector, bool]:
        """Return the measured value of a load, and whether the sensor is saturated."""
        sensor = self.description
        if sensor.correction is not None:
            load = np.array(sensor.correction).reshape(6, 6) @ load
        load = load * float(sensor.polarity or 1)
        largest = _component_limits(sensor.force_range, sensor.torque_range)
        saturated = bool((np.abs(load) > largest).any())
        if saturated and not self._is_reported:
            self._is_reported = True
            message = (
                f"sensor '{self.sensor.name}' is saturated at {self._context.time:.6g} s: its load is {_format_load(load)}"
            )
            self._context.report.add(rules.SENSOR_SATURATED, message, self.sensor.origin, path=self.path)
        step = np.array([*(sensor.force_resolution or (0.0,) * 3), *(sensor.torque_resolution or (0.0,) * 3)])
        rounded = np.where(step > 0.0, np.rint(load / np.where(step > 0.0, step, 1.0)) * step, load)
        reported = np.clip(rounded, -largest, largest)
        return (np.full(6, np.nan) if self._is_broken else reported), saturated


def _component_limits(force: tuple[float, ...] | None, torque: tuple[float, ...] | None) -> Vector:
    """Return the limits of force and torque components; infinite if there are none."""
    return np.array([*(force or (np.inf,) * 3), *(torque or (np.inf,) * 3)])


def _format_load(load: Vector) -> str:
    force, torque = (" ".join(f"{value:.4g}" for value in part) for part in (load[:3], load[3:]))
    return f"{force} N and {torque} N·m"
