"""Simulation of Worlds with MuJoCo: compilation, commands, observation and recording."""

from ossature.simulation.accuracy_examination import Examination, ExaminedItem, Judgement, examine_simulation
from ossature.simulation.collision_query import CollisionQuery
from ossature.simulation.compile.contact_model import ContactOptions
from ossature.simulation.compile.parameter_update import NeedsCompilingError
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.simulation.compiled_model import CompiledModel
from ossature.simulation.contacts import ContactPoint, contact_points
from ossature.simulation.distance_query import BodyDistance, body_distances
from ossature.simulation.exclusive_use import ConcurrentUseError
from ossature.simulation.observation.contact_forces import ContactForce, pair_forces
from ossature.simulation.observation.recording import BodyState, Recording
from ossature.simulation.plant import Plant
from ossature.simulation.ray_query import RayHits, RayQuery
from ossature.simulation.simulation import Simulation
from ossature.simulation.stepping.command_files import read_commands
from ossature.simulation.stepping.command_signals import SampledSignal
from ossature.simulation.tendon_paths import TendonPath, TendonRouter, tendon_paths
from ossature.simulation.trajectory_tracking import TrackingError, TrajectoryTracker, recorded_trajectory

__all__ = [
    "BodyDistance",
    "BodyState",
    "CollisionQuery",
    "CompiledModel",
    "ConcurrentUseError",
    "ContactForce",
    "ContactOptions",
    "ContactPoint",
    "Examination",
    "ExaminedItem",
    "Judgement",
    "NeedsCompilingError",
    "Plant",
    "RayHits",
    "RayQuery",
    "Recording",
    "SampledSignal",
    "Simulation",
    "SimulationError",
    "TendonPath",
    "TendonRouter",
    "TrackingError",
    "TrajectoryTracker",
    "body_distances",
    "contact_points",
    "examine_simulation",
    "pair_forces",
    "read_commands",
    "recorded_trajectory",
    "tendon_paths",
]
