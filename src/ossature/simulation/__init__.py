"""Worlds in motion: compiled for MuJoCo, driven by commands, recorded."""

from ossature.simulation.compiling.compiled import SimulationError
from ossature.simulation.exclusive_use import ConcurrentUseError
from ossature.simulation.follow import Following, TrackingError, recorded_trajectory
from ossature.simulation.moving.commands import read_commands
from ossature.simulation.moving.signals import Table
from ossature.simulation.records.recording import BodyState, Recording
from ossature.simulation.simulation import Simulation
from ossature.simulation.touching import Touching

__all__ = [
    "BodyState",
    "ConcurrentUseError",
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
