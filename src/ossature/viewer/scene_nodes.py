"""The scene of one World in the browser: nodes for bodies, with the pieces of every layer that is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.model import MeshData, World
from ossature.spatial import Pose, Vector3
from ossature.viewer import color_palette
from ossature.viewer.crease_normals import with_creases
from ossature.viewer.layers import Layer
from ossature.viewer.primitives import Connector, Primitive
from ossature.viewer.scene_builder import build

if TYPE_CHECKING:
    import viser

    from ossature.viewer.camera_framing import CameraFraming

_ENDLESS = 3.0
"""How far a plane is drawn, in sizes of the scene."""

_SEE_THROUGH = 0.35

Clicked = Callable[[str, str], None]
"""Gets the names of a model and of one of its bodies."""


class WorldNodes:
    """Draws a World.

    Attributes:
        world: The World.
        offset: Where its origin is put in the scene [m].
        missing: What could not be drawn, and why.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        world: World,
        meshes: MeshStore,
        clicked: Clicked | None = None,
    ) -> None:
        self.world, self.missing = world, list[str]()
        self.offset: Vector3 = (0.0, 0.0, 0.0)
        self._scene, self._meshes, self._clicked = scene, meshes, clicked
        self._root = f"/{_plain(name)}"
        self._nodes: dict[tuple[str, str], Any] = {}
        self._layers: dict[Layer, list[tuple[Primitive | Connector, Any]]] = {}
        self._shown: set[Layer] = set()
        self._ready: dict[int, tuple[Any, MeshData]] = {}
        self._selected: tuple[str, str] | None = None
        self._poses: Mapping[str, Mapping[str, Pose]] = {}
        self._see_through = False
        self._size, self._marker = 1.0, 0.1
        self._base = scene.add_frame(self._root, show_axes=False)
        for model in world.models:
            for body in model.bodies:
                self._nodes.setdefault(
                    (model.name, body.name), scene.add_frame(self._path(model.name, body.name), show_axes=False)
                )

    @property
    def root(self) -> str:
        """Name of the node that everything belongs to."""
        return self._root

    @property
    def shown(self) -> frozenset[Layer]:
        """The layers that are shown."""
        return frozenset(self._shown)

    @property
    def selected(self) -> tuple[str, str] | None:
        """The names of the model and the body that is highlighted."""
        return self._selected

    def frame(self, framing: CameraFraming) -> None:
        """Take the size of markers from a framing."""
        self._size = framing.size
        self._marker = framing.axis_length

    # Places

    def place(self, poses: Mapping[str, Mapping[str, Pose]]) -> None:
        """Put all bodies where they are, and stretch what is between them."""
        previous, self._poses = self._poses, poses
        for model, bodies in poses.items():
            before = previous.get(model, {})
            for body, pose in bodies.items():
                if before.get(body) != pose:
                    node = self._nodes[model, body]
                    node.position, node.wxyz = pose.position, pose.wxyz
        for layer in self._shown:
            self._stretch(layer)

    def _stretch(self, layer: Layer) -> None:
        for piece, node in self._layers.get(layer, ()):
            if isinstance(piece, Connector):
                pose, factors = piece.placed(self.world.models[piece.model].pose, self._poses[piece.model])
                node.position, node.wxyz, node.scale = pose.position, pose.wxyz, factors

    # Layers

    def show(self, layer: Layer, visible: bool) -> None:
        """Show or hide a layer; it is built when it is first shown."""
        if visible and layer not in self._layers:
            pieces = build(self.world, layer, self._marker, self._meshes)
            self._layers[layer] = [(piece, node) for piece in pieces if (node := self._add(piece)) is not None]
        for _, node in self._layers.get(layer, ()):
            node.visible = visible
        if visible:
            self._shown.add(layer)
            self._stretch(layer)
            self._highlight(self._selected, selected=True)
        else:
            self._shown.discard(layer)

    def _add(self, piece: Primitive | Connector) -> Any | None:
        try:
            triangles = self._prepared(piece)
        except AssetError as error:
            self.missing.append(f"{piece.model}: {piece.name}: {error}")
            return None
        pose = self._pose(piece)
        name = f"{self._owner(piece)}/{_plain(piece.layer.value)}/{_plain(piece.name)}"
        node = self._scene.add_mesh_simple(
            self._free(name),
            triangles.vertices.astype(np.float32),
            triangles.faces.astype(np.uint32),
            color=color_palette.rgb(piece.color),
            opacity=self._opacity(piece),
            side="double",
            scale=self._factors(piece),
            position=pose.position,
            wxyz=pose.wxyz,
            cast_shadow=piece.color[3] >= 1.0 and not _is_endless(piece),
        )
        self._listen(piece, node)
        return node

    def _prepared(self, piece: Primitive | Connector) -> MeshData:
        surface = piece.surface
        if id(surface) not in self._ready:
            # The surface is kept with its triangles, so that no other one gets its number.
            self._ready[id(surface)] = (surface, with_creases(surface.triangles))
        return self._ready[id(surface)][1]

    def _factors(self, piece: Primitive | Connector) -> Vector3:
        if isinstance(piece, Connector):
            return (piece.width, piece.width, 1.0)
        return (_ENDLESS * self._size,) * 3 if piece.endless else piece.scale

    def _pose(self, piece: Primitive | Connector) -> Pose:
        if isinstance(piece, Connector):
            return Pose()
        return piece.pose if piece.body is not None else self.world.models[piece.model].pose @ piece.pose

    def _owner(self, piece: Primitive | Connector) -> str:
        if isinstance(piece, Connector) or piece.body is None:
            return f"{self._root}/{_plain(piece.model)}"
        return self._path(piece.model, piece.body)

    def _free(self, name: str) -> str:
        number, free = 1, name
        while self._scene.get_handle_by_name(free) is not None:
            number += 1
            free = f"{name} {number}"
        return free

    def _listen(self, piece: Primitive | Connector, node: Any) -> None:
        clicked = self._clicked
        if clicked is None or isinstance(piece, Connector) or piece.body is None or _is_endless(piece):
            return
        model, body = piece.model, piece.body
        node.on_click(lambda _: clicked(model, body))

    def see_through(self, see_through: bool) -> None:
        """Let visual shapes show what lies within them, or not."""
        self._see_through = see_through
        for piece, node in self._layers.get(Layer.VISUALS, ()):
            node.opacity = self._opacity(piece)

    def _opacity(self, piece: Primitive | Connector) -> float | None:
        stated = color_palette.opacity(piece.color)
        if self._see_through and piece.layer is Layer.VISUALS:
            return min(stated or 1.0, _SEE_THROUGH)
        return stated

    # Selection

    def select(self, body: tuple[str, str] | None) -> None:
        """Highlight a body, given by the names of its model and its own, in place of the one before."""
        self._highlight(self._selected, selected=False)
        self._selected = body
        self._highlight(body, selected=True)
        if body in self._nodes:
            self._scene.add_label(f"{self._path(*body)}/label", body[1], anchor="bottom-center", font_screen_scale=1.1)

    def _highlight(self, body: tuple[str, str] | None, *, selected: bool) -> None:
        if body is None:
            return
        for layer in (Layer.VISUALS, Layer.COLLISIONS):
            for piece, node in self._layers.get(layer, ()):
                if isinstance(piece, Primitive) and (piece.model, piece.body) == body:
                    node.color = color_palette.rgb(color_palette.ACCENT if selected else piece.color)
        if not selected:
            self._scene.remove_by_name(f"{self._path(*body)}/label")

    def move_to(self, offset: Vector3) -> None:
        """Put the World's origin somewhere else in the scene [m]."""
        self.offset = offset
        self._base.position = offset

    def remove(self) -> None:
        """Take everything away."""
        self._scene.remove_by_name(self._root)

    def _path(self, model: str, body: str) -> str:
        return f"{self._root}/{_plain(model)}/{_plain(body)}"


def _is_endless(piece: Primitive | Connector) -> bool:
    return isinstance(piece, Primitive) and piece.endless


def _plain(name: str) -> str:
    """Return a name that is one step in a path of the scene."""
    return name.replace("/", "∕") or "unnamed"  # noqa: RUF001  # a slash that divides nothing
