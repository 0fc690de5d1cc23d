"""Which bodies touch where joints have given coordinates, by the rules of the models: nothing moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import RigidGroups, grasped_bodies, joint_positions, path_of
from ossature.model import BodyPath, World
from ossature.simulation.compile.coordinate_mapping import write_positions
from ossature.simulation.engine_warnings import suppress_engine_warnings
from ossature.simulation.simulation import Simulation


class CollisionQuery:
    """A World compiled to look at who touches whom.

    What a hand holds moves with it and touches others. It does not touch its holder, bodies that the grasp ignores, and those
    of the holder's model that it touches from the start, such as fingers that are closed round it: these hold it.
    """

    def __init__(self, world: World, meshes: MeshStore | None = None, report: Report | None = None) -> None:
        """Compile a World.

        Args:
            world: The World.
            meshes: Where its meshes are, or None for those of the World itself.
            report: Gets the findings.

        Raises:
            SimulationError: It cannot be compiled.
        """
        simulation = Simulation(world, meshes=meshes, report=report)
        self._world = world
        self._pieces = RigidGroups(world)
        self._compiled = simulation.compiled
        self._start = np.array(simulation.data.qpos)
        self._data = mujoco.MjData(self._compiled.model)
        self._owners = {
            geom: BodyPath(model=model, body=name)
            for model, bodies in self._compiled.index.bodies.items()
            for name, body in bodies.items()
            for geom in (*body.touching, *body.inner_geoms)
            if geom is not None
        }
        self._place(None, {})
        self._grips = {pair for pair in self._depths() if self._is_grip(pair)}

    def colliding_pairs(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs of bodies that touch, each once; ``MODEL/BODY`` where they belong to another model.

        Args:
            model: The model whose joints are placed; all else is where it starts.
            positions: Coordinates by joint [rad or m]; the others stay at their initial positions or follow.
            moved: Names of bodies of the model of which one at least belongs to every pair, or None for all of its bodies; what
                they hold counts as they do.

        Raises:
            FormulaError: A formula gives no value.
        """
        return tuple(self.penetration_depths(model, positions, moved))

    def penetration_depths(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> dict[tuple[str, str], float]:
        """Return how deep the bodies of each pair that touches are in each other [m]; see :meth:`pairs`."""
        self._place(model, positions)
        names = self._world.models[model].bodies.names() if moved is None else moved
        own = {BodyPath(model=model, body=name) for name in names}
        wanted = own | grasped_bodies(self._world, own)
        return {
            (_name(first, model), _name(second, model)): depth
            for (first, second), depth in self._depths().items()
            if (first in wanted or second in wanted) and (first, second) not in self._grips
        }

    def _place(self, model: str | None, positions: Mapping[str, Sequence[float]]) -> None:
        self._data.qpos[:] = self._start
        if model is not None:
            self._write(model, positions)
        with suppress_engine_warnings():
            mujoco.mj_fwdPosition(self._compiled.model, self._data)

    def _write(self, model: str, positions: Mapping[str, Sequence[float]]) -> None:
        owner = self._world.models[model]
        known = joint_positions(owner, positions)
        for name, index in self._compiled.index.joints[model].items():
            stated = known.get(name)
            write_positions(index, index.joint.initial_positions if stated is None else stated, self._data.qpos)

    def _depths(self) -> dict[tuple[BodyPath, BodyPath], float]:
        """Return the depths of all pairs that touch where bodies are placed now."""
        found: dict[tuple[BodyPath, BodyPath], float] = {}
        for contact in self._data.contact:
            first, second = (self._owners.get(int(geom)) for geom in contact.geom)
            if contact.dist < 0.0 and first is not None and second is not None:
                found[first, second] = max(found.get((first, second), 0.0), -float(contact.dist))
        return found

    def _is_grip(self, pair: tuple[BodyPath, BodyPath]) -> bool:
        """Whether one of two bodies is held, and the other one belongs to the model of its holder."""
        for grasp in self._world.grasps:
            carried = {grasp.body, *self._pieces.bodies(grasp.body)}
            if any(body in carried and other.model == grasp.link.model for body, other in (pair, pair[::-1])):
                return True
        return False


def _name(body: BodyPath, model: str) -> str:
    return body.body if body.model == model else path_of(body)
