"""Tendons and contacts of images: elements whose number depends on the state."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from ossature.assets import MeshStore
from ossature.model import ModelError, World
from ossature.spatial import Pose, Vector3
from ossature.viewer import color_palette
from ossature.viewer.contact_arrows import MOST, ContactFinder
from ossature.viewer.marker_meshes import arrow, rod
from ossature.viewer.scene_elements import Anchor, Connector
from ossature.viewer.scene_layers import Layer
from ossature.viewer.tendon_lines import DEFAULT_WIDTH, TendonPaths

_ARROW_WIDTH = 1.2
"""Width of the arrows of contacts, relative to their length: that of their head is 0.11 times it."""


class RenderedTendonsAndContacts:
    """Draws the tendons and contacts of a World at given poses; the engine is loaded when they are first drawn."""

    def __init__(self, world: World, meshes: MeshStore) -> None:
        self._world = world
        self._tendons, self._contacts = TendonPaths(world), ContactFinder(world, meshes)

    def elements(
        self,
        layers: Collection[Layer],
        poses: Mapping[str, Mapping[str, Pose]],
        positions: Mapping[str, Mapping[str, Sequence[float]]],
        size: float,
    ) -> Iterator[Connector]:
        """Yield the elements of the layers of tendons and contacts.

        Args:
            poses: Poses of bodies in the world, by model and body.
            positions: Joint positions by model and joint [rad or m], which determine the contacts.
            size: Length of the arrows of contacts [m].

        Raises:
            SimulationError: The World cannot be compiled, which finding contacts needs.
        """
        if Layer.TENDONS in layers:
            yield from self._tendon_elements(poses)
        if Layer.CONTACTS in layers:
            yield from self._contact_elements(positions, size)

    def _tendon_elements(self, poses: Mapping[str, Mapping[str, Pose]]) -> Iterator[Connector]:
        try:
            branches = list(self._tendons.branches(poses))
        except ModelError:  # a finding of `check`: a tendon refers to what does not exist
            return
        for number, (model, tendon, points) in enumerate(branches):
            width = 2.0 * (tendon.width or DEFAULT_WIDTH)
            color = tendon.color or color_palette.SPRING
            for part, (start, end) in enumerate(zip(points[:-1].tolist(), points[1:].tolist(), strict=True)):
                ends = (self._anchor(model, start), self._anchor(model, end))
                name = f"{tendon.name} {number} {part}"
                yield Connector(layer=Layer.TENDONS, model=model, name=name, surface=rod(), ends=ends, width=width, color=color)

    def _contact_elements(self, positions: Mapping[str, Mapping[str, Sequence[float]]], size: float) -> Iterator[Connector]:
        model = self._world.models[0].name
        for number, contact in enumerate(self._contacts.points(positions)[:MOST]):
            middle, half = np.array(contact.position), 0.5 * size * np.array(contact.normal)
            ends = (self._anchor(model, (middle - half).tolist()), self._anchor(model, (middle + half).tolist()))
            yield Connector(
                layer=Layer.CONTACTS,
                model=model,
                name=f"contact {number}",
                surface=arrow(),
                ends=ends,
                width=_ARROW_WIDTH * size,
                color=color_palette.CONTACT,
            )

    def _anchor(self, model: str, point: Sequence[float]) -> Anchor:
        """Return an end at a point of the world [m]."""
        x, y, z = point
        world_point: Vector3 = (x, y, z)
        return Anchor(body=None, point=self._world.models[model].pose.inverse().transform(world_point))
