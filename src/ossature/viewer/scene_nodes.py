"""The nodes of one World in the scene of the browser: a frame for each body, and meshes for each shown layer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.model import MeshData, Rgba, World
from ossature.spatial import Pose, Vector3
from ossature.viewer import color_palette
from ossature.viewer.crease_normals import with_creases
from ossature.viewer.layers import Layer
from ossature.viewer.scene_builder import build
from ossature.viewer.scene_elements import Connector, Primitive

if TYPE_CHECKING:
    import viser

    from ossature.viewer.camera_framing import CameraFraming

_PLANE_SIZE = 3.0
"""Size of infinite planes, in sizes of the scene."""

_TRANSPARENT_OPACITY = 0.35

OnClick = Callable[[str, str], None]
"""Gets the names of a model and of one of its bodies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drag:
    """A body that is dragged with the mouse.

    Attributes:
        phase: Whether it starts, goes on or ends: ``start``, ``update`` or ``end``.
        point: The point of the body that was pressed [m], in the scene.
        pointer: The pointer [m], in the scene.
    """

    phase: str
    point: Vector3
    pointer: Vector3


OnPull = Callable[[str, str, Drag], None]
"""Gets the names of a model and of one of its bodies, and how it is dragged."""


class WorldNodes:
    """Draws a World.

    Attributes:
        world: The World.
        offset: Position of its origin in the scene [m].
        missing: Messages about unavailable meshes.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        world: World,
        meshes: MeshStore,
        on_click: OnClick | None = None,
        on_pull: OnPull | None = None,
        tint: Rgba | None = None,
    ) -> None:
        """Add a World to a scene.

        Args:
            scene: The scene.
            name: Name of its root node.
            world: The World.
            meshes: Its meshes.
            on_click: Called when a body is clicked, or None.
            on_pull: Called while a body is dragged with the mouse, or None.
            tint: Colour of all shapes, or None for their own.
        """
        self.world, self.missing = world, list[str]()
        self.offset: Vector3 = (0.0, 0.0, 0.0)
        self._scene, self._meshes, self._on_click, self._on_pull = scene, meshes, on_click, on_pull
        self._tint = tint
        self._root = f"/{_path_component(name)}"
        self._nodes: dict[tuple[str, str], Any] = {}
        self._layers: dict[Layer, list[tuple[Primitive | Connector, Any]]] = {}
        self._shown: set[Layer] = set()
        self._mesh_cache: dict[int, tuple[Any, MeshData]] = {}
        self._selected: tuple[str, str] | None = None
        self._poses: Mapping[str, Mapping[str, Pose]] = {}
        self._is_transparent = False
        self._size, self._marker = 1.0, 0.1
        self._base = scene.add_frame(self._root, show_axes=False)
        for model in world.models:
            for body in model.bodies:
                self._nodes.setdefault(
                    (model.name, body.name), scene.add_frame(self._node_path(model.name, body.name), show_axes=False)
                )

    @property
    def root(self) -> str:
        """Name of the root node."""
        return self._root

    @property
    def shown(self) -> frozenset[Layer]:
        """The layers that are shown."""
        return frozenset(self._shown)

    @property
    def selected(self) -> tuple[str, str] | None:
        """Names of model and body of the selected body, or None."""
        return self._selected

    def set_size(self, framing: CameraFraming) -> None:
        """Set the size of markers from a framing."""
        self._size = framing.size
        self._marker = framing.axis_length

    # Poses

    def set_poses(self, poses: Mapping[str, Mapping[str, Pose]]) -> None:
        """Set the poses of bodies, and stretch the connectors between them."""
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
        for element, node in self._layers.get(layer, ()):
            if isinstance(element, Connector):
                pose, factors = element.pose_and_scale(self.world.models[element.model].pose, self._poses[element.model])
                node.position, node.wxyz, node.scale = pose.position, pose.wxyz, factors

    def hide_bodies(self, hidden: Collection[tuple[str, str]]) -> None:
        """Show all bodies but some, by the names of model and body; springs between bodies stay visible."""
        for body, node in self._nodes.items():
            node.visible = body not in hidden

    # Layers

    def show(self, layer: Layer, visible: bool) -> None:
        """Show or hide a layer; it is built when it is first shown."""
        if visible and layer not in self._layers:
            elements = build(self.world, layer, self._marker, self._meshes)
            self._layers[layer] = [pair for element in elements for pair in self._add_element(element)]
        for _, node in self._layers.get(layer, ()):
            node.visible = visible
        if visible:
            self._shown.add(layer)
            self._stretch(layer)
            self._highlight(self._selected, selected=True)
        else:
            self._shown.discard(layer)

    def _add_element(self, element: Primitive | Connector) -> list[tuple[Primitive | Connector, Any]]:
        """Add a node for an element, or one for each of its materials; none if its mesh is unavailable."""
        try:
            parts = element.parts() if isinstance(element, Primitive) and self._tint is None else [element]
            return [(part, self._add_node(part, self._mesh_of(part))) for part in parts]
        except AssetError as error:
            self.missing.append(f"{element.model}: {element.name}: {error}")
            return []

    def _add_node(self, element: Primitive | Connector, triangles: MeshData) -> Any:
        pose = self._element_pose(element)
        name = f"{self._owner_node(element)}/{_path_component(element.layer.value)}/{_path_component(element.name)}"
        node = self._scene.add_mesh_simple(
            self._unique_name(name),
            triangles.vertices.astype(np.float32),
            triangles.faces.astype(np.uint32),
            color=color_palette.rgb(self._tint or element.color),
            opacity=self._element_opacity(element),
            side="double",
            scale=self._scale_factors(element),
            position=pose.position,
            wxyz=pose.wxyz,
            cast_shadow=self._tint is None and element.color[3] >= 1.0 and not _is_infinite(element),
        )
        self._add_click_handler(element, node)
        return node

    def _mesh_of(self, element: Primitive | Connector) -> MeshData:
        surface = element.surface
        if id(surface) not in self._mesh_cache:
            # Keeping the surface too ensures that its id is not reused.
            self._mesh_cache[id(surface)] = (surface, with_creases(surface.triangles))
        return self._mesh_cache[id(surface)][1]

    def _scale_factors(self, element: Primitive | Connector) -> Vector3:
        if isinstance(element, Connector):
            return (element.width, element.width, 1.0)
        return (_PLANE_SIZE * self._size,) * 3 if element.is_infinite else element.scale

    def _element_pose(self, element: Primitive | Connector) -> Pose:
        if isinstance(element, Connector):
            return Pose()
        return element.pose if element.body is not None else self.world.models[element.model].pose @ element.pose

    def _owner_node(self, element: Primitive | Connector) -> str:
        if isinstance(element, Connector) or element.body is None:
            return f"{self._root}/{_path_component(element.model)}"
        return self._node_path(element.model, element.body)

    def _unique_name(self, name: str) -> str:
        number, free = 1, name
        while self._scene.get_handle_by_name(free) is not None:
            number += 1
            free = f"{name} {number}"
        return free

    def _add_click_handler(self, element: Primitive | Connector, node: Any) -> None:
        on_click = self._on_click
        if on_click is None or isinstance(element, Connector) or element.body is None or _is_infinite(element):
            return
        model, body = element.model, element.body
        node.on_click(lambda _: on_click(model, body))
        on_pull = self._on_pull
        if on_pull is not None:
            node.on_drag("left", modifier="cmd/ctrl")(lambda event: on_pull(model, body, _drag_of(event)))

    def set_transparent(self, transparent: bool) -> None:
        """Draw visual shapes transparent or opaque."""
        self._is_transparent = transparent
        for element, node in self._layers.get(Layer.VISUALS, ()):
            node.opacity = self._element_opacity(element)

    def _element_opacity(self, element: Primitive | Connector) -> float | None:
        if self._tint is not None:
            return color_palette.opacity(self._tint)
        stated = color_palette.opacity(element.color)
        if self._is_transparent and element.layer is Layer.VISUALS:
            return min(stated or 1.0, _TRANSPARENT_OPACITY)
        return stated

    # Selection

    def select(self, body: tuple[str, str] | None) -> None:
        """Highlight a body, given by the names of model and body, instead of the last one."""
        self._highlight(self._selected, selected=False)
        self._selected = body
        self._highlight(body, selected=True)
        if body in self._nodes:
            self._scene.add_label(f"{self._node_path(*body)}/label", body[1], anchor="bottom-center", font_screen_scale=1.1)

    def _highlight(self, body: tuple[str, str] | None, *, selected: bool) -> None:
        if body is None:
            return
        for layer in (Layer.VISUALS, Layer.COLLISIONS):
            for element, node in self._layers.get(layer, ()):
                if isinstance(element, Primitive) and (element.model, element.body) == body:
                    node.color = color_palette.rgb(color_palette.ACCENT if selected else element.color)
        if not selected:
            self._scene.remove_by_name(f"{self._node_path(*body)}/label")

    def move_to(self, offset: Vector3) -> None:
        """Translate the World in the scene [m]."""
        self.offset = offset
        self._base.position = offset

    def remove(self) -> None:
        """Remove all nodes."""
        self._scene.remove_by_name(self._root)

    def _node_path(self, model: str, body: str) -> str:
        return f"{self._root}/{_path_component(model)}/{_path_component(body)}"


def _drag_of(event: Any) -> Drag:
    (x, y, z), (u, v, w) = map(float, event.start_position), map(float, event.end_position)
    return Drag(phase=event.phase, point=(x, y, z), pointer=(u, v, w))


def _is_infinite(element: Primitive | Connector) -> bool:
    return isinstance(element, Primitive) and element.is_infinite


def _path_component(name: str) -> str:
    """Return a name as one component of a node path."""
    return name.replace("/", "∕") or "unnamed"  # noqa: RUF001  # a slash that is not a separator
