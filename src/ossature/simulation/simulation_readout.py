"""The present state of a World that is simulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.exclusive_use import ExclusiveUse, exclusive
from ossature.simulation.monitored_steps import MonitoredSteps
from ossature.simulation.observation.contact_forces import ContactForce
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.simulation.observation.recording import BodyState
from ossature.simulation.simulation_runtime import SimulationRuntime
from ossature.spatial import Pose

if TYPE_CHECKING:
    import mujoco

T = TypeVar("T")


class SimulationReadout:
    """The present state of a World that is simulated: what can be read without changing it.

    Attributes:
        exclusive_use: The context in which one thread uses it.
    """

    exclusive_use: ExclusiveUse
    _engine: SimulationRuntime
    _steps: MonitoredSteps

    @property
    def time(self) -> float:
        """The simulation time [s]."""
        return float(self._engine.data.time)

    @property
    def engine(self) -> SimulationRuntime:
        """The compiled World at run time, for advanced use; it is replaced by a grasp or release."""
        return self._engine

    @property
    def compiled(self) -> EngineModel:
        """The compiled World."""
        return self._engine.compiled

    @property
    def data(self) -> mujoco.MjData:
        """The engine's data (``mujoco.MjData``)."""
        return self._engine.data

    @exclusive
    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world."""
        self._engine.sampler.refresh()
        positions, wxyz = self._engine.data.xpos, self._engine.data.xquat
        return {
            model: {
                name: Pose(tuple(positions[body.number].tolist()), tuple(wxyz[body.number].tolist()))
                for name, body in bodies.items()
            }
            for model, bodies in self._engine.compiled.index.bodies.items()
        }

    @exclusive
    def positions(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the coordinates of every joint."""
        return _by_name(self._engine.compiled.index.joints, self._engine.now().joint_positions)

    @exclusive
    def velocities(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the velocities of every joint."""
        return _by_name(self._engine.compiled.index.joints, self._engine.now().joint_velocities)

    @exclusive
    def body_states(self) -> dict[str, dict[str, BodyState]]:
        """Return pose and velocity of every body."""
        return _by_name(self._engine.compiled.index.bodies, self._engine.now().body)

    @exclusive
    def energy(self) -> tuple[float, float]:
        """Return potential and kinetic energy [J]; see :class:`ossature.simulation.energy.EnergyMeter` for what is included."""
        return self._engine.energy()

    @exclusive
    def reactions(self) -> Quantities:
        """Return the force [N] and torque [N·m] that every joint exerts on its child, at the joint, in axes of the world.

        They are those of the next step, by model, name and ``force`` or ``torque``. Motors, bushings and constraints also have
        reactions, on their first bodies. The reaction of a joint includes its own springs, dampers, stops and motors, but not
        separate force elements; see docs/conventions.md. In a mechanism with redundant constraints the distribution of
        reactions among the joints is arbitrary, which is reported once (`reactions-not-unique`).
        """
        self._steps.report_redundant_constraints()
        return self._engine.observe().reactions

    @exclusive
    def elements(self) -> Quantities:
        """Return the current lengths, angles and forces of springs, bushings, loads and motors, by model, name and quantity."""
        return self._engine.observe().elements

    @exclusive
    def contact_forces(self) -> list[ContactForce]:
        """Return the forces at all contact points in the next step.

        :func:`ossature.simulation.pair_forces` returns their sum for each pair of bodies.
        """
        return self._engine.observe().contacts

    @exclusive
    def measurements(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the present values of the sensors of states, by model and sensor, of a World of an MJCF file."""
        engine = self._engine
        return {
            model: {name: tuple(engine.measurement(model, name).tolist()) for name in sensors}
            for model, sensors in engine.compiled.index.sensors.items()
        }


def _by_name(index: Mapping[str, Mapping[str, object]], value: Callable[[str, str], T]) -> dict[str, dict[str, T]]:
    return {model: {name: value(model, name) for name in elements} for model, elements in index.items()}
