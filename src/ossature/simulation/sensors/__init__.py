"""Sensors in a simulation: what each of them reads, and when."""

from ossature.simulation.sensors.sensor_base import Device, SensorState
from ossature.simulation.sensors.sensor_context import SensorContext
from ossature.simulation.sensors.sensor_reading import Reading
from ossature.simulation.sensors.sensor_set import Sensors

__all__ = ["Device", "Reading", "SensorContext", "SensorState", "Sensors"]
