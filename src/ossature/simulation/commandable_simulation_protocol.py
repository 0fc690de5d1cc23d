"""The part of a simulation that handles of motors and grippers use."""

from __future__ import annotations

from typing import Protocol

from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation.exclusive_use import ExclusiveUse
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.simulation.stepping.command_router import Command


class CommandableSimulation(Protocol):
    """A simulation that accepts commands; see :class:`~ossature.simulation.Simulation`."""

    exclusive_use: ExclusiveUse
    report: Report
    world: World

    @property
    def engine(self) -> SimulationRuntime:
        """The compiled World and its state."""

    @property
    def time(self) -> float:
        """Simulation time [s]."""

    def command(self, model: str, joint: str, values: Command) -> None:
        """Command a joint, motor or load."""

    def disable_motor(self, model: str, actuator: str) -> None:
        """Disconnect an electric motor."""

    def elements(self) -> Quantities:
        """Return the current quantities of force elements and motors."""
