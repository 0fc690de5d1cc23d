"""Contact points: the engine's contacts with the bodies of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.formats.mjcf.engine_data import make_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation.compile.coordinate_mapping import write_positions
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.contact_forces import geom_owners
from ossature.simulation.simulation import Simulation
from ossature.spatial import Vector3, vector_from

CONTACT_DISTANCE_M = 1e-6
"""Distance below which bodies are in contact: rigid contacts rest at a distance of zero, with the rounding of meshes [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactPoint:
    """A point of contact between two bodies.

    Attributes:
        bodies: Model and name of each of the two bodies.
        position: Position in the world [m].
        normal: Unit vector in the world, from the first body to the second.
        depth: Penetration depth [m].
    """

    bodies: tuple[tuple[str, str], tuple[str, str]]
    position: Vector3
    normal: Vector3
    depth: float


def contact_points(simulation: Simulation) -> list[ContactPoint]:
    """Return the contact points at the beginning of a simulation's last step."""
    return _read_contacts(simulation.compiled, simulation.data)


class ContactsAt:
    """A World compiled for contact queries at given joint positions, without simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._compiled = simulation.compiled
        self._initial_positions = np.array(simulation.data.qpos)
        self._data = make_engine_data(self._compiled.model)

    def points(self, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> list[ContactPoint]:
        """Return the contact points at given positions, by model and joint; other joints have their initial positions."""
        self._data.qpos[:] = self._initial_positions
        for model, joints in self._compiled.index.joints.items():
            specified = positions.get(model, {})
            for name, index in joints.items():
                write_positions(index, specified.get(name, index.joint.initial_positions), self._data.qpos)
        with suppress_engine_warnings():
            mujoco.mj_fwdPosition(self._compiled.model, self._data)
        return _read_contacts(self._compiled, self._data)


def _read_contacts(compiled: EngineModel, data: mujoco.MjData) -> list[ContactPoint]:
    owners = geom_owners(compiled)
    found = []
    for contact in data.contact:
        first, second = (owners.get(int(geom)) for geom in contact.geom)
        if contact.dist < CONTACT_DISTANCE_M and first is not None and second is not None:
            position, normal = vector_from(contact.pos), vector_from(contact.frame[:3])
            depth = max(0.0, -float(contact.dist))
            found.append(ContactPoint(bodies=(first, second), position=position, normal=normal, depth=depth))
    return found
