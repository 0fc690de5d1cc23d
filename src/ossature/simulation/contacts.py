"""Where bodies touch: the engine's contacts in the words of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.coordinate_mapping import write_positions
from ossature.simulation.engine_warnings import suppress_engine_warnings
from ossature.simulation.observation.contact_forces import geom_owners
from ossature.simulation.simulation import Simulation
from ossature.spatial import Vector3

CONTACT_DISTANCE_M = 1e-6
"""Distance of bodies that touch: rigid contacts rest at a distance of zero, with the rounding of meshes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactPoint:
    """A place where two bodies touch.

    Attributes:
        bodies: Names of model and body of the two.
        position: Where, in the world [m].
        normal: Unit vector in the world, from the first body to the second.
        depth: How far they overlap [m].
    """

    bodies: tuple[tuple[str, str], tuple[str, str]]
    position: Vector3
    normal: Vector3
    depth: float


def contact_points(simulation: Simulation) -> list[ContactPoint]:
    """Return where bodies touch at the beginning of a simulation's last step."""
    return _points(simulation.compiled, simulation.data)


class ContactsAt:
    """A World compiled once to look at who touches whom where its joints are placed; nothing moves."""

    def __init__(self, simulation: Simulation) -> None:
        self._compiled = simulation.compiled
        self._start = np.array(simulation.data.qpos)
        self._data = mujoco.MjData(self._compiled.model)

    def points(self, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> list[ContactPoint]:
        """Return where bodies touch with joints at given coordinates, by model and joint; others are where they start."""
        self._data.qpos[:] = self._start
        for model, joints in self._compiled.index.joints.items():
            stated = positions.get(model, {})
            for name, index in joints.items():
                write_positions(index, stated.get(name, index.joint.initial_positions), self._data.qpos)
        with suppress_engine_warnings():
            mujoco.mj_fwdPosition(self._compiled.model, self._data)
        return _points(self._compiled, self._data)


def _points(compiled: Compiled, data: Any) -> list[ContactPoint]:
    owners = geom_owners(compiled)
    found = []
    for contact in data.contact:
        first, second = (owners.get(int(geom)) for geom in contact.geom)
        if contact.dist < CONTACT_DISTANCE_M and first is not None and second is not None:
            x, y, z = contact.pos.tolist()
            i, j, k = contact.frame[:3].tolist()
            depth = max(0.0, -float(contact.dist))
            found.append(ContactPoint(bodies=(first, second), position=(x, y, z), normal=(i, j, k), depth=depth))
    return found
