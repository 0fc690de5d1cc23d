"""One mesh that is fixed to many bodies as a single node of the scene: a browser draws it in one call."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.model import MeshData
from ossature.spatial import Pose, Vector3
from ossature.viewer.scene_elements import Primitive

if TYPE_CHECKING:
    import viser

LEAST_INSTANCES = 40
"""Number of shapes with one mesh from which they are one node."""


class InstancedMesh:
    """The shapes of a layer that have the same mesh and opacity.

    A browser shows new positions of instances some frames after those of other nodes. So the node does not move with its
    World: while the camera follows a robot, its instances hardly move, and their delay is invisible.

    Args:
        elements: The shapes, each fixed to a body.
        colors: Colour of each of them, from 0 to 255.
        scales: Scale factors of each of them along its own axes.
        opacity: Their opacity, or None if they are opaque.
        casts_shadow: Whether they cast shadows.

    Attributes:
        node: The node of the scene; the events of its clicks have the index of a shape.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        elements: Sequence[Primitive],
        triangles: MeshData,
        *,
        colors: Sequence[tuple[int, int, int]],
        scales: Sequence[Vector3],
        opacity: float | None,
        casts_shadow: bool,
    ) -> None:
        self.elements = elements
        self._colors = np.array(colors, dtype=np.uint8)
        self._scales = np.array(scales, dtype=np.float32)
        self._positions = np.zeros((len(elements), 3), dtype=np.float32)
        self._wxyzs = np.tile(np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32), (len(elements), 1))
        self._body_poses: list[Pose | None] = [None] * len(elements)
        self._offset: Vector3 = (0.0, 0.0, 0.0)
        self.node: Any = scene.add_batched_meshes_simple(
            name,
            triangles.vertices.astype(np.float32),
            triangles.faces.astype(np.uint32),
            self._wxyzs.copy(),
            self._positions.copy(),
            batched_scales=self._scales.copy(),
            batched_colors=self._colors.copy(),
            opacity=opacity,
            side="double",
            cast_shadow=casts_shadow,
        )

    def place(self, poses: Mapping[str, Mapping[str, Pose]], offset: Vector3) -> None:
        """Move the shapes with their bodies.

        Args:
            poses: Poses of the bodies in the World, by model and body.
            offset: Position of the origin of the World in the scene [m].
        """
        has_moved, self._offset = offset != self._offset, offset
        for number, element in enumerate(self.elements):
            body_pose = poses.get(element.model, {}).get(element.body or "")
            if body_pose is not None and body_pose != self._body_poses[number]:
                self._body_poses[number] = body_pose
                pose = body_pose @ element.pose
                self._positions[number], self._wxyzs[number] = pose.position, pose.wxyz
                has_moved = True
        if has_moved:
            self.node.batched_positions = (self._positions + np.array(offset)).astype(np.float32)
            self.node.batched_wxyzs = self._wxyzs.copy()

    def set_color(self, number: int, color: tuple[int, int, int]) -> None:
        """Set the colour of a shape, from 0 to 255."""
        self._colors[number] = color
        self.node.batched_colors = self._colors.copy()

    def hide(self, hidden: Collection[tuple[str, str]]) -> None:
        """Show the shapes of all bodies but some, by the names of model and body."""
        is_shown = [(element.model, element.body) not in hidden for element in self.elements]
        self.node.batched_scales = np.where(np.array(is_shown)[:, None], self._scales, np.float32(0.0))
