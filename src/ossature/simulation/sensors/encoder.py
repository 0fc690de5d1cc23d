"""Encoders."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ossature.array_types import AnyArray
from ossature.kinematics import motion_pose
from ossature.model import Encoder
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.sensor_base import Device
from ossature.spatial import IDENTITY_WXYZ


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EncoderReading(Reading):
    """The measured position of a joint."""

    position: float = output("Position of the joint's coordinate, quantized to counts.", unit="rad or m")
    velocity: float = output(
        "Velocity, from the counts since the last reading; exact in the first reading.", unit="rad/s or m/s"
    )
    count: int = output("The count; 0 without a resolution.")


class EncoderDevice(Device):
    """Measures a joint."""

    READING: ClassVar[type[Reading]] = EncoderReading
    NOISE: ClassVar[str] = (
        "Quantization only: positions are rounded down to counts of `resolution`, or of 1/`counts` of a revolution or metre. "
        "If neither is stated, position and velocity are exact."
    )
    description: Encoder

    def __init__(self, *details: Any) -> None:
        super().__init__(*details)
        self._before: tuple[float, int] | None = None
        self._unit = self._count_unit()

    def reset(self) -> None:
        """Forget the last count."""
        self._before = None

    def _get_state(self) -> dict[str, AnyArray]:
        return {} if self._before is None else {"before": np.array(self._before)}

    def _set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        self._before = None
        if saved_state:
            now, count = saved_state["before"].tolist()
            self._before = (now, int(count))

    def sense(self) -> EncoderReading:
        """Return the present position."""
        encoder, now = self.description, self._context.time
        positions, velocities = self._context.coordinates(self._model.name, str(encoder.joint))
        position, velocity = positions[encoder.coordinate or 0], velocities[encoder.coordinate or 0]
        stamp = self._stamp(self.frame())
        if self._unit is None:
            return EncoderReading(**stamp, position=position, velocity=velocity, count=0)
        # A position below a count by rounding alone belongs to that count.
        count = math.floor(position / self._unit + 1e-9)
        if self._before is not None and now > self._before[0]:
            velocity = (count - self._before[1]) * self._unit / (now - self._before[0])
        if self._is_on:
            self._before = (now, count)
        return EncoderReading(**stamp, position=count * self._unit, velocity=velocity, count=count)

    def _count_unit(self) -> float | None:
        """Return the size of one count [rad or m], or None."""
        encoder = self.description
        if encoder.resolution is not None:
            return encoder.resolution
        if encoder.counts is None:
            return None
        joint = self._model.joints[str(encoder.joint)]
        unit_position = [float(number == (encoder.coordinate or 0)) for number in range(joint.degrees_of_freedom)]
        is_rotation = motion_pose(joint.type, unit_position).wxyz != IDENTITY_WXYZ
        return (math.tau if is_rotation else 1.0) / encoder.counts
