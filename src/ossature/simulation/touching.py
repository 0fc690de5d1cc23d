"""Which bodies touch where joints have given coordinates, by the rules of the models: nothing moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import joint_positions
from ossature.model import World
from ossature.simulation.coordinates import write_positions
from ossature.simulation.quiet import quiet
from ossature.simulation.simulation import Simulation


class Touching:
    """A World compiled to look at who touches whom."""

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
        self._compiled = simulation.compiled
        self._start = np.array(simulation.data.qpos)
        self._data = mujoco.MjData(self._compiled.model)
        self._owners = {
            geom: (model, name)
            for model, bodies in self._compiled.index.bodies.items()
            for name, body in bodies.items()
            for geom in (*body.touching, *body.inner_geoms)
            if geom is not None
        }

    def pairs(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs of bodies that touch, each once; ``MODEL/BODY`` where they belong to another model.

        Args:
            model: The model whose joints are placed; all else is where it starts.
            positions: Coordinates by joint [rad or m]; the others stay at their initial positions or follow.
            moved: Names of bodies of the model of which one at least belongs to every pair, or None for all of its bodies.

        Raises:
            FormulaError: A formula gives no value.
        """
        owner = self._world.models[model]
        known = joint_positions(owner, positions)
        self._data.qpos[:] = self._start
        for name, index in self._compiled.index.joints[model].items():
            stated = known.get(name)
            write_positions(index, index.joint.initial_positions if stated is None else stated, self._data.qpos)
        with quiet():
            mujoco.mj_fwdPosition(self._compiled.model, self._data)
        wanted = set(owner.bodies.names() if moved is None else moved)
        return tuple(dict.fromkeys(self._found(model, wanted)))

    def _found(self, model: str, wanted: set[str]) -> list[tuple[str, str]]:
        found = []
        for contact in self._data.contact:
            ends = [self._owners.get(int(geom)) for geom in contact.geom]
            first, second = ends
            if contact.dist >= 0.0 or first is None or second is None:
                continue
            if any(owner == model and body in wanted for owner, body in (first, second)):
                found.append((_name(first, model), _name(second, model)))
        return found


def _name(body: tuple[str, str], model: str) -> str:
    return body[1] if body[0] == model else f"{body[0]}/{body[1]}"
