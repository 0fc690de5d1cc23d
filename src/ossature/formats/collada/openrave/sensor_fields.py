"""Fields of sensor descriptions with their elements and units, which the reader and the writer share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ossature.formats.collada.openrave import schema_sensors
from ossature.model import Encoder, Force6D, Imu, Laser2D, Laser3D, Odometry, SensorDescription


@dataclass(frozen=True, slots=True)
class Quantity:
    """How numbers of a document and of the model are converted.

    Attributes:
        to_model: Returns the value in SI units, from that of a document and the length of its unit [m].
        to_document: Returns the value in a document whose unit is the metre.
    """

    to_model: Callable[[Any, float], Any]
    to_document: Callable[[Any], Any] = lambda value: value


def _scaled(values: Iterable[float], factors: Iterable[float]) -> tuple[float, ...]:
    return tuple([value * factor for value, factor in zip(values, factors, strict=True)])


def _rows(values: tuple[float, ...]) -> tuple[tuple[float, ...], ...]:
    return (values[:3], values[3:6], values[6:])


def flat(rows: Any) -> tuple[float, ...]:
    """Return the numbers of a matrix, row by row."""
    return tuple([value for row in rows for value in row])


def _units(meter: float, others: float) -> tuple[float, ...]:
    return (meter,) * 3 + (others,) * 3


def _read_correction(matrix: tuple[float, ...], meter: float) -> tuple[float, ...]:
    if meter == 1.0:
        return matrix
    units = _units(meter, meter**2)  # of forces and torques
    return tuple([matrix[6 * row + column] * units[row] / units[column] for row in range(6) for column in range(6)])


def _read_drift(matrix: tuple[float, ...], meter: float) -> tuple[float, ...]:
    units = _units(meter, 1.0)
    return tuple([matrix[6 * row + column] * units[row] * units[column] for row in range(6) for column in range(6)])


def _if_complete(matrix: tuple[float, ...]) -> tuple[float, ...] | None:
    return matrix if len(matrix) == 36 else None


_PLAIN = Quantity(lambda value, meter: value)
_LENGTH = Quantity(lambda value, meter: value * meter)
_ANGLE = Quantity(lambda value, meter: math.radians(value), math.degrees)
_FORCE = Quantity(lambda values, meter: _scaled(values, (meter,) * 3))
_TORQUE = Quantity(lambda values, meter: _scaled(values, (meter**2,) * 3))
_ANGLE_COVARIANCE = Quantity(lambda values, meter: _rows(values), flat)
_ACCELERATION_COVARIANCE = Quantity(lambda values, meter: _rows(_scaled(values, (meter**2,) * 9)), flat)
_CORRECTION = Quantity(_read_correction, _if_complete)
_DRIFT = Quantity(_read_drift, _if_complete)


@dataclass(frozen=True, slots=True)
class SensorField:
    """A field of a description.

    Attributes:
        quantity: Its unit.
        elements: Its elements in the order of preference, separated by blanks; ``angle_range[0]`` is an item of a list.
        written: The one that is written; by default the first.
        documented: One that is also written, unless the sensor has a type of OpenRAVE's own.
    """

    name: str
    quantity: Quantity
    elements: str
    written: str = ""
    documented: str = ""

    def spellings(self, words: schema_sensors.SensorElements) -> list[tuple[str, Any]]:
        """Return the name and the value of each of its elements."""
        return [(name.partition("[")[0], _item(words, name)) for name in self.elements.split()]


def _item(words: schema_sensors.SensorElements, name: str) -> Any:
    tag, _, index = name.partition("[")
    value = getattr(words, tag)
    return value[int(index[0])] if index and value is not None else value


RANGE_FIELDS = (
    SensorField("min_distance", _LENGTH, "distance_range[0] range_min min_range minrange", "min_range", "distance_range[0]"),
    SensorField("max_distance", _LENGTH, "distance_range[1] range_max max_range maxrange", "max_range", "distance_range[1]"),
    SensorField("measurement_time", _PLAIN, "measurement_time scantime time_scan", "scantime", "measurement_time"),
    SensorField("distance_deviation", _LENGTH, "distance_deviation"),
)
_LASER_FIELDS = (
    *RANGE_FIELDS,
    SensorField("min_angle", _ANGLE, "angle_range[0] angle_min min_angle minangle", "min_angle", "angle_range[0]"),
    SensorField("max_angle", _ANGLE, "angle_range[1] angle_max max_angle maxangle", "max_angle", "angle_range[1]"),
    SensorField("angle_increment", _ANGLE, "angle_increment resolution", "resolution", "angle_increment"),
    SensorField("time_increment", _PLAIN, "time_increment"),
)
FIELDS: dict[type[schema_sensors.SensorElements], tuple[type[SensorDescription], tuple[SensorField, ...]]] = {
    schema_sensors.Laser2DElements: (Laser2D, _LASER_FIELDS),
    schema_sensors.Laser3DElements: (
        Laser3D,
        (
            *_LASER_FIELDS,
            SensorField("min_turn", _ANGLE, "turn_range[0] min_turn", "min_turn"),
            SensorField("max_turn", _ANGLE, "turn_range[1] max_turn", "max_turn"),
            SensorField("turn_increment", _ANGLE, "turn_increment"),
        ),
    ),
    schema_sensors.EncoderElements: (
        Encoder,
        tuple([SensorField(name, _PLAIN, name) for name in ("coordinate", "resolution", "counts", "measurement_time")]),
    ),
    schema_sensors.Force6DElements: (
        Force6D,
        (
            SensorField("force_range", _FORCE, "load_range_force"),
            SensorField("torque_range", _TORQUE, "load_range_torque"),
            SensorField("force_resolution", _FORCE, "load_resolution_force"),
            SensorField("torque_resolution", _TORQUE, "load_resolution_torque"),
            SensorField("force_capacity", _FORCE, "load_capacity_range_force"),
            SensorField("torque_capacity", _TORQUE, "load_capacity_range_torque"),
            SensorField("polarity", _PLAIN, "polarity"),
            SensorField("correction", _CORRECTION, "correction_matrix"),
            SensorField("measurement_time", _PLAIN, "measurement_time"),
        ),
    ),
    schema_sensors.ImuElements: (
        Imu,
        (
            SensorField("measurement_time", _PLAIN, "measurement_time"),
            SensorField("rotation_covariance", _ANGLE_COVARIANCE, "rotation_covariance"),
            SensorField("angular_velocity_covariance", _ANGLE_COVARIANCE, "angular_velocity_covariance"),
            SensorField("linear_acceleration_covariance", _ACCELERATION_COVARIANCE, "linear_acceleration_covariance"),
        ),
    ),
    schema_sensors.OdometryElements: (
        Odometry,
        (
            SensorField("measurement_time", _PLAIN, "measurement_time"),
            SensorField("drift_covariance", _DRIFT, "drift_covariance"),
        ),
    ),
}
"""The fields of the descriptions whose elements correspond to them one by one, without the names of joints and bodies."""


def written_values(description: SensorDescription, fields: Iterable[SensorField], *, only_openrave: bool) -> dict[str, Any]:
    """Return the values of elements by name; a list is stated if all its items are."""
    values: dict[str, Any] = {}
    for each in fields:
        value = getattr(description, each.name)
        written = None if value is None else each.quantity.to_document(value)
        for name in (each.written or each.elements, "" if only_openrave else each.documented):
            tag, _, index = name.partition("[")
            if tag:
                values[tag] = (*values.get(tag, ()), written) if index else written
    return {tag: None if isinstance(value, tuple) and None in value else value for tag, value in values.items()}
