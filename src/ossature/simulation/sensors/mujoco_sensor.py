"""Sensors of states, whose values MuJoCo computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ossature.array_types import Array
from ossature.model import Model, Sensor
from ossature.simulation.sensors.reading_base import Reading, output
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.sensor_context import SensorContext


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasurementReading(Reading):
    """The values that a sensor of MuJoCo measures."""

    values: Array = output("The values, as MuJoCo's sensor data of the present state.", shape="n")


class MeasurementDevice(Device):
    """Measures a quantity of the state, as a sensor of MuJoCo does.

    Args:
        seed: Unused: it has no noise.
    """

    READING: ClassVar[type[Reading]] = MeasurementReading
    TIMING: ClassVar[str] = "One reading after each time step, of the state after that step."
    NOISE: ClassVar[str] = "None: MuJoCo does not apply the noise that a file states."

    def __init__(self, sensor: Sensor, model: Model, context: SensorContext, seed: int) -> None:
        self._attach(sensor, model, context, seed)

    @property
    def period(self) -> float:
        """Time between two readings [s]: a time step."""
        return float(self._context.compiled.model.opt.timestep)

    def sense(self) -> MeasurementReading:
        """Return the values of the present state."""
        values = self._context.measured(self._model.name, self.sensor.name)
        return MeasurementReading(**self._stamp(self.frame()), values=values)
