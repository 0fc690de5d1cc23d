"""Contacts in the scene: an arrow along each contact normal, from the first body to the second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.assets import MeshStore
from ossature.model import World
from ossature.viewer import color_palette

if TYPE_CHECKING:
    import viser

    from ossature.simulation.contacts import ContactPoint, ContactsAt

MOST = 200
"""Number of contacts that are drawn at most."""


class ContactFinder:
    """Finds the contacts of a World at joint positions."""

    def __init__(self, world: World, meshes: MeshStore) -> None:
        self._world, self._meshes = world, meshes
        self._compiled: ContactsAt | None = None

    def points(self, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> list[ContactPoint]:
        """Return the contacts at given joint positions; the World is compiled at the first call.

        Raises:
            SimulationError: The World cannot be compiled.
        """
        if self._compiled is None:
            from ossature.simulation import Simulation  # loads the engine
            from ossature.simulation.contacts import ContactsAt

            self._compiled = ContactsAt(Simulation(self._world, meshes=self._meshes))
        return self._compiled.points(positions)


class ContactArrows:
    """Draws the contacts of a World.

    Attributes:
        finder: Finds them.
    """

    def __init__(self, scene: viser.SceneApi, root: str, world: World, meshes: MeshStore) -> None:
        self._scene, self._name = scene, f"{root}/Contacts"
        self.finder = ContactFinder(world, meshes)
        self._node: Any = None

    def show(self, contacts: Sequence[ContactPoint], size: float) -> None:
        """Draw contacts instead of the last ones, with arrows ``size`` metres long."""
        self.clear()
        if not contacts:
            return
        drawn = contacts[:MOST]
        middle = np.array([contact.position for contact in drawn])
        half = 0.5 * size * np.array([contact.normal for contact in drawn])
        self._node = self._scene.add_arrows(
            self._name,
            np.stack([middle - half, middle + half], axis=1),
            colors=color_palette.rgb(color_palette.CONTACT),
            shaft_radius=0.02 * size,
            head_radius=0.06 * size,
            head_length=0.2 * size,
        )

    def clear(self) -> None:
        """Remove all arrows."""
        if self._node is not None:
            self._node.remove()
            self._node = None
