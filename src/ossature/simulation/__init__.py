"""Worlds in motion: compiled for MuJoCo, driven by commands, recorded."""

from ossature.simulation.commands import read_commands
from ossature.simulation.compile import SimulationError
from ossature.simulation.follow import Following, TrackingError, recorded_trajectory
from ossature.simulation.recording import BodyState, Recording
from ossature.simulation.signals import Table
from ossature.simulation.simulation import Simulation
from ossature.simulation.touching import Touching

__all__ = [
    "BodyState",
    "Following",
    "Recording",
    "Simulation",
    "SimulationError",
    "Table",
    "Touching",
    "TrackingError",
    "read_commands",
    "recorded_trajectory",
]
