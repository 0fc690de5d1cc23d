"""Force and torque sensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ossature.model import Force6D
from ossature.sensor_models import rules
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_reading import Reading, output

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Force6DReading(Reading):
    """Force and torque of what the sensor carries on what carries it."""

    force: Vector = output(
        "Force of the sensor's body, and all that it carries, on the body that carries it, in the sensor's axes.",
        shape="3",
        unit="N",
    )
    torque: Vector = output("Torque likewise, about the sensor's origin.", shape="3", unit="N·m")
    saturated: bool = output("Whether a component is beyond what can be told.")
    broken: bool = output("Whether the sensor broke, now or before; then nothing is a number.")


class Force6DDevice(Device):
    """Measures what passes through the joint of the body that carries it."""

    READING: ClassVar[type[Reading]] = Force6DReading
    TIMING: ClassVar[str] = (
        "One reading at each measurement time, of the first step that is not before it: the forces of the step that begins "
        "then. A hand of 2 kg that hangs still reads 19.6 N downwards."
    )
    NOISE: ClassVar[str] = (
        "None but steps: after correction and polarity, components are rounded to the resolution and cut off at the range. "
        "A load beyond the capacity breaks the sensor; findings tell of both."
    )
    description: Force6D

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self._is_broken = False
        self._is_reported = False

    def _memory(self) -> dict[str, NDArray[Any]]:
        return {"happened": np.array([self._is_broken, self._is_reported])}

    def _recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        self._is_broken, self._is_reported = (bool(value) for value in memory["happened"])

    def sense(self) -> Force6DReading:
        """Return force and torque of now."""
        frame = self.frame()
        efforts = self._around.efforts()
        wrench = efforts.wrenches[self._body]
        arm = efforts.centers[self._body] - frame.position
        force, torque = -wrench[3:], -(wrench[:3] + np.cross(arm, wrench[3:]))
        load = np.concatenate([force @ frame.rotation, torque @ frame.rotation])
        self._bear(load)
        reported, saturated = self._clipped_load(load)
        return Force6DReading(
            **self._stamp(frame), force=reported[:3], torque=reported[3:], saturated=saturated, broken=self._is_broken
        )

    def _bear(self, load: Vector) -> None:
        """Break where the load is beyond what the sensor withstands."""
        capacity = _six(self.description.force_capacity, self.description.torque_capacity)
        if not self._is_broken and (np.abs(load) > capacity).any():
            self._is_broken = True
            message = f"sensor '{self.sensor.name}' broke at {self._around.time:.6g} s under {_shown(load)}"
            self._around.report.add(rules.BROKEN, message, self.sensor.origin, path=self.path)

    def _clipped_load(self, load: Vector) -> tuple[Vector, bool]:
        """Return what the sensor tells of a load, and whether it is saturated."""
        sensor = self.description
        if sensor.correction is not None:
            load = np.array(sensor.correction).reshape(6, 6) @ load
        load = load * float(sensor.polarity or 1)
        largest = _six(sensor.force_range, sensor.torque_range)
        saturated = bool((np.abs(load) > largest).any())
        if saturated and not self._is_reported:
            self._is_reported = True
            message = f"sensor '{self.sensor.name}' is saturated at {self._around.time:.6g} s by {_shown(load)}"
            self._around.report.add(rules.SATURATED, message, self.sensor.origin, path=self.path)
        step = np.array([*(sensor.force_resolution or (0.0,) * 3), *(sensor.torque_resolution or (0.0,) * 3)])
        rounded = np.where(step > 0.0, np.rint(load / np.where(step > 0.0, step, 1.0)) * step, load)
        reported = np.clip(rounded, -largest, largest)
        return (np.full(6, np.nan) if self._is_broken else reported), saturated


def _six(force: tuple[float, ...] | None, torque: tuple[float, ...] | None) -> Vector:
    """Return limits of force and torque; infinite where there are none."""
    return np.array([*(force or (np.inf,) * 3), *(torque or (np.inf,) * 3)])


def _shown(load: Vector) -> str:
    force, torque = (" ".join(f"{value:.4g}" for value in part) for part in (load[:3], load[3:]))
    return f"{force} N and {torque} N·m"
