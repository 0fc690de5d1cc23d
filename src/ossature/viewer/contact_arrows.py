"""Contacts in the scene: an arrow along each contact normal, from the first body to the second, or along each force."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Array
from ossature.assets import MeshStore
from ossature.kinematics import spanning_tree
from ossature.model import World
from ossature.spatial import Vector3, norm, scale
from ossature.viewer import color_palette

if TYPE_CHECKING:
    import viser

    from ossature.simulation import ContactForce
    from ossature.simulation.contacts import ContactPoint, ContactsAt

MOST = 200
"""Number of contacts that are drawn at most."""
MOST_LABELS = 20
"""Number of pairs of bodies whose force is drawn as a number at most: those with the largest forces."""
_LONGEST = 3.0
"""Longest arrow of a force, relative to that of the weight of all that moves."""
COLOR = color_palette.rgb(color_palette.CONTACT)
"""Colour of the arrows, from 0 to 255."""


def arrow_dimensions(size: float) -> tuple[float, float, float]:
    """Return the radii of shaft and head, and the length of the head, for the length of arrows of contacts [m]."""
    return 0.02 * size, 0.06 * size, 0.2 * size


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
        name: Name of the node of the arrows.
    """

    def __init__(self, scene: viser.SceneApi, root: str, world: World, meshes: MeshStore) -> None:
        self._scene, self.name = scene, f"{root}/Contacts"
        self.finder = ContactFinder(world, meshes)
        self._node: Any = None
        self._labels: list[Any] = []
        trees = [(model, spanning_tree(model).moving_bodies()) for model in world.models if not model.static]
        self._moving = {(model.name, body) for model, bodies in trees for body in bodies}
        masses = [model.bodies[body].inertial.mass for model, bodies in trees for body in bodies]
        self._weight = norm(world.gravity) * sum(filter(math.isfinite, masses))

    def show(self, contacts: Sequence[ContactPoint], size: float) -> None:
        """Draw contacts instead of the last ones, with arrows ``size`` metres long."""
        self.clear()
        if contacts:
            drawn = contacts[:MOST]
            middle = np.array([contact.position for contact in drawn])
            half = 0.5 * size * np.array([contact.normal for contact in drawn])
            self._draw_arrows(middle - half, middle + half, size)

    def show_forces(self, contacts: Sequence[ContactForce], size: float) -> None:
        """Draw the forces on the bodies that move instead of the last contacts.

        Args:
            size: Length of the arrow of a force that is as large as the weight of all bodies that move [m].
        """
        self._remove_arrows()
        drawn = [(contact, self._force_on_moving(contact)) for contact in contacts[:MOST]]
        if drawn:
            forces = np.array([force for _, force in drawn])
            start = np.array([contact.position for contact, _ in drawn])
            largest = float(np.linalg.norm(forces, axis=1).max())
            unit = max(self._weight or largest, largest / _LONGEST)
            self._draw_arrows(start, start + forces * (size / unit if unit > 0.0 else 0.0), size)
        self._label_pairs(drawn)

    def _force_on_moving(self, contact: ContactForce) -> Vector3:
        """Return the force on the second body, or on the first one if the second one does not move [N]."""
        return scale(contact.force, -1.0) if contact.bodies[1] not in self._moving else contact.force

    def _label_pairs(self, drawn: Sequence[tuple[ContactForce, Vector3]]) -> None:
        """Draw the resultant force of each pair of bodies as a number in the middle of its contact points."""
        pairs: dict[object, list[tuple[Vector3, Vector3]]] = {}
        for contact, force in drawn:
            pairs.setdefault(contact.bodies, []).append((contact.position, force))
        means = [np.mean(points, axis=0) for points in pairs.values()]  # of positions and of forces
        sums = [
            (float(np.linalg.norm(mean[1])) * len(points), mean[0]) for mean, points in zip(means, pairs.values(), strict=True)
        ]
        shown = sorted(sums, key=lambda pair: -pair[0])[:MOST_LABELS]
        for number, (newtons, position) in enumerate(shown):
            if number == len(self._labels):
                name = f"{self.name} {number}"
                self._labels.append(self._scene.add_label(name, "", anchor="bottom-center", font_screen_scale=0.9))
            label = self._labels[number]
            label.text, label.position, label.visible = f"{newtons:.3g} N", position, True
        for label in self._labels[len(shown) :]:
            label.visible = False

    def _draw_arrows(self, start: Array, end: Array, size: float) -> None:
        points = np.stack([start, end], axis=1)
        shaft, head, length = arrow_dimensions(size)
        self._node = self._scene.add_arrows(
            self.name, points, colors=COLOR, shaft_radius=shaft, head_radius=head, head_length=length
        )

    @property
    def drawn(self) -> Array:
        """The ends of the arrows that are drawn [m], shape (n, 2, 3)."""
        return np.zeros((0, 2, 3)) if self._node is None else np.asarray(self._node.points)

    def clear(self) -> None:
        """Remove all arrows and numbers."""
        self._remove_arrows()
        for label in self._labels:
            label.remove()
        self._labels.clear()

    def _remove_arrows(self) -> None:
        if self._node is not None:
            self._node.remove()
            self._node = None
