"""Worlds in motion: compiled for MuJoCo, driven by commands, recorded."""

from ossature.simulation.compiling.compiled import SimulationError
from ossature.simulation.compiling.contact_settings import ContactOptions
from ossature.simulation.exclusive_use import ConcurrentUseError
from ossature.simulation.follow import Following, TrackingError, recorded_trajectory
from ossature.simulation.moving.commands import read_commands
from ossature.simulation.moving.signals import Table
from ossature.simulation.records.contact_forces import ContactForce, pair_forces
from ossature.simulation.records.recording import BodyState, Recording
from ossature.simulation.simulation import Simulation
from ossature.simulation.touching import Touching

__all__ = [
    "BodyState",
    "ConcurrentUseError",
    "ContactForce",
    "ContactOptions",
    "Following",
    "Recording",
    "Simulation",
    "SimulationError",
    "Table",
    "Touching",
    "TrackingError",
    "pair_forces",
    "read_commands",
    "recorded_trajectory",
]
