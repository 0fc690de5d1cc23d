"""Contact forces by contact point and by pair of bodies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ossature.array_types import Vector
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.spatial import Vector3

if TYPE_CHECKING:
    import mujoco


BodyName: TypeAlias = "tuple[str, str]"
"""Names of a model and of one of its bodies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactForce:
    """The force at a contact point of two bodies.

    Attributes:
        bodies: The two bodies.
        position: The contact point in the world [m].
        normal: Unit vector in the world, from the first body to the second.
        depth: Penetration depth [m]; negative within the margin of a shape.
        force: Force on the second body, in axes of the world [N]; the opposite force is on the first.
        torque: Torque of torsional and rolling friction on the second body, in axes of the world [N·m].
    """

    bodies: tuple[BodyName, BodyName]
    position: Vector3
    normal: Vector3
    depth: float
    force: Vector3
    torque: Vector3


def geom_owners(compiled: EngineModel) -> dict[int, BodyName]:
    """Return the model and body of each of the engine's collision shapes."""
    return {
        geom: (model, name)
        for model, bodies in compiled.index.bodies.items()
        for name, body in bodies.items()
        for geom in (*body.touching, *body.inner_geoms)
        if geom is not None
    }


def contact_forces(owners: dict[int, BodyName], data: mujoco.MjData, forces: Vector, torques: Vector) -> list[ContactForce]:
    """Return the contacts of the engine's data.

    Args:
        owners: Model and body of each geom.
        forces: The force of each contact on its second body, in axes of the world, shape (contacts, 3) [N].
        torques: The torque of each contact on its second body, in axes of the world, shape (contacts, 3) [N·m].
    """
    contacts = data.contact
    rows = zip(
        contacts.geom.tolist(),
        contacts.pos.tolist(),
        contacts.frame[:, :3].tolist(),
        contacts.dist.tolist(),
        forces.tolist(),
        torques.tolist(),
        strict=True,
    )
    return [
        ContactForce(
            bodies=(owners[first], owners[second]),
            position=tuple(position),
            normal=tuple(normal),
            depth=-distance,
            force=tuple(force),
            torque=tuple(torque),
        )
        for (first, second), position, normal, distance, force, torque in rows
        if first in owners and second in owners
    ]


def pair_forces(contacts: Iterable[ContactForce]) -> dict[tuple[BodyName, BodyName], Vector]:
    """Return the resultant contact force of each pair of bodies, on the first body, in axes of the world [N].

    The two bodies of a pair are in alphabetical order of model and name.
    """
    sums: dict[tuple[BodyName, BodyName], Vector] = {}
    for contact in contacts:
        first, second = contact.bodies
        force = np.array(contact.force)
        if first < second:
            force = -force
        pair = (min(first, second), max(first, second))
        sums[pair] = sums.get(pair, np.zeros(3)) + force
    return sums


MOST_PAIRS = 300
"""Largest number of pairs whose contact forces are recorded; with more, the resultant of each body is recorded instead."""


class ContactPairs:
    """The pairs of bodies whose contact forces are recorded: those that can collide."""

    def __init__(self, compiled: EngineModel) -> None:
        bodies, pairs = _collidable_pairs(compiled)
        self._rows: dict[tuple[BodyName, BodyName], tuple[int, float]] = {}
        self._labels: list[tuple[str, str]] = []
        self._bodies: dict[BodyName, int] = {}
        if len(pairs) > MOST_PAIRS:
            self._labels = [(model, f"{name} on all") for model, name in bodies]
            self._bodies = {body: row for row, body in enumerate(bodies)}
            return
        for row, (first, second) in enumerate(pairs):
            self._labels.append((first[0], f"{first[1]} on {second[0]}:{second[1]}"))
            is_sorted = first < second
            self._rows[(first, second) if is_sorted else (second, first)] = (row, 1.0 if is_sorted else -1.0)

    def forces(self, contacts: Iterable[ContactForce]) -> Quantities:
        """Return the force on the first body of each pair, by its model, ``BODY on MODEL:BODY`` and ``force``.

        With more than :data:`MOST_PAIRS` pairs it is the force on each body, ``BODY on all``.
        """
        forces = np.zeros((len(self._labels), 3))
        for pair, force in pair_forces(contacts).items():
            if pair in self._rows:
                row, sign = self._rows[pair]
                forces[row] += sign * force
            for body, sign in zip(pair, (1.0, -1.0), strict=True):
                if body in self._bodies:
                    forces[self._bodies[body]] += sign * force
        quantities: Quantities = {}
        for (model, name), force in zip(self._labels, forces, strict=True):
            quantities.setdefault(model, {})[name] = {"force": force}
        return quantities


def _collidable_pairs(compiled: EngineModel) -> tuple[list[BodyName], list[tuple[BodyName, BodyName]]]:
    """Return the bodies that can collide, and the pairs of them, with a moving body first."""
    model = compiled.model
    geoms: dict[BodyName, list[int]] = {}
    for geom, body in geom_owners(compiled).items():
        if model.geom_contype[geom] or model.geom_conaffinity[geom]:
            geoms.setdefault(body, []).append(geom)
    bodies = list(geoms)
    kinds = np.array([np.bitwise_or.reduce(model.geom_contype[own]) for own in geoms.values()], dtype=np.int64)
    affinities = np.array([np.bitwise_or.reduce(model.geom_conaffinity[own]) for own in geoms.values()], dtype=np.int64)
    numbers = np.array([model.geom_bodyid[own[0]] for own in geoms.values()], dtype=np.int64)
    weld_ids = model.body_weldid[numbers]
    can_collide = (kinds[:, None] & affinities) | (affinities[:, None] & kinds) != 0
    can_collide &= weld_ids[:, None] != weld_ids
    signatures = (np.minimum(numbers[:, None], numbers) << 16) + np.maximum(numbers[:, None], numbers)
    can_collide &= ~np.isin(signatures, model.exclude_signature)
    pairs = []
    for first, second in np.argwhere(np.triu(can_collide, 1)).tolist():
        pair = (bodies[first], bodies[second])
        pairs.append(pair if weld_ids[first] else pair[::-1])
    return bodies, pairs
