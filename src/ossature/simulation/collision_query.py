"""Collision queries at given joint positions, with the collision filters of the models and without simulation."""

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
    """A World compiled for collision queries.

    A grasped body moves with its gripper and collides with other bodies. It does not collide with the gripper link, with bodies
    that the grasp ignores, and with bodies of the gripper's model that it touches initially, such as closed fingers.
    """

    def __init__(self, world: World, meshes: MeshStore | None = None, report: Report | None = None) -> None:
        """Compile a World.

        Args:
            world: The World.
            meshes: Source of the meshes, or None for those of the World itself.
            report: Collects the findings.

        Raises:
            SimulationError: It cannot be compiled.
        """
        simulation = Simulation(world, meshes=meshes, report=report)
        self._world = world
        self._rigid_groups = RigidGroups(world)
        self._compiled = simulation.compiled
        self._initial_positions = np.array(simulation.data.qpos)
        self._data = mujoco.MjData(self._compiled.model)
        self._owners = {
            geom: BodyPath(model=model, body=name)
            for model, bodies in self._compiled.index.bodies.items()
            for name, body in bodies.items()
            for geom in (*body.touching, *body.inner_geoms)
            if geom is not None
        }
        self._set_positions(None, {})
        self._grasp_contacts = {pair for pair in self._pair_depths() if self._is_grasp_contact(pair)}

    def colliding_pairs(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs of colliding bodies, each once; as ``MODEL/BODY`` if a body belongs to another model.

        Args:
            model: The model whose joints are set; all others have their initial positions.
            positions: Positions by joint [rad or m]; other joints have their initial positions or are coupled.
            moved: Names of bodies of the model; each pair includes at least one of them or of the bodies that they grasp. None
                for all bodies of the model.

        Raises:
            FormulaError: A formula has no value.
        """
        return tuple(self.penetration_depths(model, positions, moved))

    def penetration_depths(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> dict[tuple[str, str], float]:
        """Return the penetration depth of each pair of colliding bodies [m]; see :meth:`colliding_pairs`."""
        self._set_positions(model, positions)
        names = self._world.models[model].bodies.names() if moved is None else moved
        own = {BodyPath(model=model, body=name) for name in names}
        selected = own | grasped_bodies(self._world, own)
        return {
            (_body_name(first, model), _body_name(second, model)): depth
            for (first, second), depth in self._pair_depths().items()
            if (first in selected or second in selected) and (first, second) not in self._grasp_contacts
        }

    def _set_positions(self, model: str | None, positions: Mapping[str, Sequence[float]]) -> None:
        self._data.qpos[:] = self._initial_positions
        if model is not None:
            self._write_positions(model, positions)
        with suppress_engine_warnings():
            mujoco.mj_fwdPosition(self._compiled.model, self._data)

    def _write_positions(self, model: str, positions: Mapping[str, Sequence[float]]) -> None:
        owner = self._world.models[model]
        known = joint_positions(owner, positions)
        for name, index in self._compiled.index.joints[model].items():
            stated = known.get(name)
            write_positions(index, index.joint.initial_positions if stated is None else stated, self._data.qpos)

    def _pair_depths(self) -> dict[tuple[BodyPath, BodyPath], float]:
        """Return the penetration depths of all colliding pairs at the current positions [m]."""
        found: dict[tuple[BodyPath, BodyPath], float] = {}
        for contact in self._data.contact:
            first, second = (self._owners.get(int(geom)) for geom in contact.geom)
            if contact.dist < 0.0 and first is not None and second is not None:
                found[first, second] = max(found.get((first, second), 0.0), -float(contact.dist))
        return found

    def _is_grasp_contact(self, pair: tuple[BodyPath, BodyPath]) -> bool:
        """Whether one of two bodies is grasped, and the other one belongs to the model of the gripper."""
        for grasp in self._world.grasps:
            grasped = {grasp.body, *self._rigid_groups.bodies(grasp.body)}
            if any(body in grasped and other.model == grasp.link.model for body, other in (pair, pair[::-1])):
                return True
        return False


def _body_name(body: BodyPath, model: str) -> str:
    return body.body if body.model == model else path_of(body)
