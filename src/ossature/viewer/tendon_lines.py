"""Tendons in the scene: lines along their paths, around the shapes that they wrap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.array_types import Array
from ossature.model import Model, NamedList, SpatialPath, Tendon, World
from ossature.spatial import Pose
from ossature.viewer import color_palette

if TYPE_CHECKING:
    import viser

    from ossature.simulation.tendon_paths import TendonRouter

DEFAULT_WIDTH = 0.003
"""Radius of tendons whose file states none, as in MuJoCo [m]."""


def has_lines(model: Model) -> bool:
    """Whether a model has tendons with a path through space."""
    return any(isinstance(tendon.path, SpatialPath) for tendon in model.tendons)


class TendonPaths:
    """Routes the tendons of a World; the engine is loaded when they are first routed."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._routers: dict[str, TendonRouter] | None = None

    def branches(self, poses: Mapping[str, Mapping[str, Pose]]) -> Iterator[tuple[str, Tendon, Array]]:
        """Yield the name of the model, the tendon, and the points of each branch of its path in the world [m], shape (n, 3).

        Raises:
            ModelError: A tendon refers to what does not exist.
        """
        if self._routers is None:
            self._routers = {model.name: _router(model) for model in self._world.models if has_lines(model)}
        for name, router in self._routers.items():
            if name in poses:
                for tendon, path in router.paths(poses[name]).items():
                    for branch in path.branches:
                        yield name, self._world.models[name].tendons[tendon], np.array(branch)


class TendonLines:
    """Draws the tendons of a World.

    Attributes:
        name: Name of their node.
    """

    def __init__(self, scene: viser.SceneApi, root: str, world: World) -> None:
        self._scene, self.name, self._world = scene, f"{root}/Tendons", world
        self._paths = TendonPaths(world)
        self._node: Any = None

    @property
    def thickness(self) -> float:
        """Diameter of all lines [m]: that of the thickest tendon."""
        widths = [tendon.width or DEFAULT_WIDTH for model in self._world.models for tendon in model.tendons]
        return 2.0 * max(widths, default=DEFAULT_WIDTH)

    def show(self, poses: Mapping[str, Mapping[str, Pose]]) -> None:
        """Draw the tendons at poses in the world by model and body.

        Raises:
            ModelError: A tendon refers to what does not exist.
        """
        segments, colors = [], []
        for _, tendon, points in self._paths.branches(poses):
            lines = np.stack([points[:-1], points[1:]], axis=1)
            segments.append(lines)
            color = color_palette.rgb(tendon.color or color_palette.SPRING)
            colors.append(np.broadcast_to(np.array(color, dtype=np.uint8), lines.shape))
        if not segments:
            self.clear()
            return
        points, shades = np.concatenate(segments).astype(np.float32), np.concatenate(colors)
        if self._node is not None and self._node.points.shape == points.shape:
            self._node.points = points
            return
        self.clear()
        self._node = self._scene.add_line_segments(self.name, points, shades, thickness=self.thickness)

    @property
    def drawn(self) -> tuple[Array, Array]:
        """The ends of the lines that are drawn [m], and their colours from 0 to 255, each of shape (n, 2, 3)."""
        if self._node is None:
            return np.zeros((0, 2, 3)), np.zeros((0, 2, 3))
        return np.asarray(self._node.points), np.asarray(self._node.colors)

    def clear(self) -> None:
        """Remove all lines."""
        if self._node is not None:
            self._node.remove()
            self._node = None


def _router(model: Model) -> TendonRouter:
    """Return what computes the paths of a model's tendons through space; others need positions of joints."""
    from ossature.simulation.tendon_paths import TendonRouter  # loads the engine

    spatial = [tendon for tendon in model.tendons if isinstance(tendon.path, SpatialPath)]
    return TendonRouter(replace(model, tendons=NamedList(spatial)))
