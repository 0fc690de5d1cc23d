"""Simulated sensors: their readings, timing and noise."""

from ossature.simulation.sensors.reading_base import Reading
from ossature.simulation.sensors.sensor_base import Device, SensorState
from ossature.simulation.sensors.sensor_context import SensorContext
from ossature.simulation.sensors.sensor_set import Sensors

__all__ = ["Device", "Reading", "SensorContext", "SensorState", "Sensors"]
