"""Sensors in a simulation: what each of them reads, and when."""

from ossature.simulation.sensing.device import Device, SensorState
from ossature.simulation.sensing.reading import Reading
from ossature.simulation.sensing.sensors import Sensors
from ossature.simulation.sensing.surroundings import Surroundings

__all__ = ["Device", "Reading", "SensorState", "Sensors", "Surroundings"]
