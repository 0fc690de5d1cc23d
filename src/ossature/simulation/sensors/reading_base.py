"""Readings: frozen data with time and frame, as numpy arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.spatial import Pose, pose_from

_KEY = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The description of a field of a reading.

    Attributes:
        doc: Its meaning.
        shape: The names of its dimensions, empty for a scalar.
    """

    doc: str
    shape: str = ""
    unit: str | None = None


def output(doc: str, *, shape: str = "", unit: str | None = None) -> Any:
    """Declare a field of a reading; see :class:`Output`."""
    return field(metadata={_KEY: Output(doc=doc, shape=shape, unit=unit)})


def outputs_of(kind: type) -> dict[str, Output]:
    """Return the descriptions of the fields of a reading, in order."""
    return {item.name: item.metadata[_KEY] for item in dataclasses.fields(kind) if _KEY in item.metadata}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """One reading of a sensor.

    Attributes:
        sensor: The sensor, as ``model/name``.
        time: The time of the measurement [s].
        pose_world_sensor: The sensor's frame in the world at that time.
    """

    sensor: str
    time: float
    pose_world_sensor: Pose

    def arrays(self) -> dict[str, AnyArray]:
        """Return the measured fields, the time, and the frame as position and quaternion, as arrays by name."""
        pose = self.pose_world_sensor
        measured = {name: np.asarray(getattr(self, name)) for name in outputs_of(type(self))}
        return {"time": np.array(self.time), "pose_world_sensor": pose_numbers(pose), **measured}

    def to_dict(self) -> dict[str, Any]:
        """Return the reading as plain data; numbers that are not finite are None."""
        pose = self.pose_world_sensor
        frame = {"position": list(pose.position), "wxyz": list(pose.wxyz)}
        measured = {name: _to_plain_data(getattr(self, name)) for name in outputs_of(type(self))}
        return {"sensor": self.sensor, "time": self.time, "pose_world_sensor": frame, **measured}

    @classmethod
    def of_arrays(cls, sensor: str, arrays: Mapping[str, AnyArray]) -> Reading:
        """Return the reading from the value of :meth:`arrays`."""
        measured = {name: _field_value(arrays[name]) for name in outputs_of(cls)}
        pose = pose_of(arrays["pose_world_sensor"])
        return cls(sensor=sensor, time=float(arrays["time"]), pose_world_sensor=pose, **measured)


def pose_numbers(pose: Pose) -> Vector:
    """Return a pose as seven numbers: position, then quaternion, scalar first."""
    return np.array([*pose.position, *pose.wxyz])


def pose_of(numbers: Vector) -> Pose:
    """Return the pose of seven numbers."""
    return pose_from(numbers[:3], numbers[3:])


def _field_value(array: AnyArray) -> Any:
    """Return the field value of an array: scalars as Python values, texts as a tuple."""
    if array.ndim == 0:
        return array.item()
    return tuple(array.tolist()) if array.dtype.kind == "U" else np.array(array)


def _to_plain_data(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _to_plain_data(value.tolist())
    if isinstance(value, list | tuple):
        return [_to_plain_data(item) for item in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
