"""The nodes of one World in the scene of the browser: a frame for each body, and meshes for each shown layer."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.model import MeshData, Rgba, World
from ossature.spatial import Pose, Vector3
from ossature.viewer import color_palette
from ossature.viewer.crease_normals import with_creases
from ossature.viewer.default_pose_messages import send_default_pose
from ossature.viewer.instanced_mesh import LEAST_INSTANCES, InstancedMesh
from ossature.viewer.scene_builder import elements_of_layer
from ossature.viewer.scene_elements import Connector, Primitive
from ossature.viewer.scene_layers import Layer
from ossature.viewer.textured_mesh import TexturedMesh

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
            name: Name of its root node.
            on_click: Called when a body is clicked, or None.
            on_pull: Called while a body is dragged with the mouse, or None.
            tint: Colour of all shapes, or None for their own.
        """
        self.world, self.missing = world, list[str]()
        self.offset: Vector3 = (0.0, 0.0, 0.0)
        self._scene, self._meshes, self._on_click, self._on_pull = scene, meshes, on_click, on_pull
        self._tint = tint
        self._root = f"/{_path_component(name)}"
        self._frames: dict[tuple[str, str], Any] = {}
        self._layers: dict[Layer, list[tuple[Primitive | Connector, Any]]] = {}
        self._instanced: dict[Layer, list[InstancedMesh]] = {}
        self._hidden: Collection[tuple[str, str]] = ()
        self._shown: set[Layer] = set()
        self._mesh_cache: dict[int, tuple[Any, MeshData]] = {}
        self._selected: tuple[str, str] | None = None
        self._poses: Mapping[str, Mapping[str, Pose]] = {}
        self._is_transparent = False
        self._size, self._marker = 1.0, 0.1
        self._base = scene.add_frame(self._root, show_axes=False)
        self._bodies = {(model.name, body.name) for model in world.models for body in model.bodies}

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
                frame = self._frames.get((model, body))
                if frame is not None and before.get(body) != pose:
                    frame.position, frame.wxyz = pose.position, pose.wxyz
        for layer in self._shown:
            self._stretch(layer)

    def _add_body_frame(self, model: str, body: str) -> None:
        """Add the node of a body, to which its shapes are fixed, if there is none yet."""
        if (model, body) not in self._frames:
            pose = self._poses.get(model, {}).get(body, Pose())
            self._frames[model, body] = self._scene.add_frame(
                self._node_path(model, body),
                show_axes=False,
                position=pose.position,
                wxyz=pose.wxyz,
                visible=(model, body) not in self._hidden,
            )
            send_default_pose(self._frames[model, body])

    def _stretch(self, layer: Layer) -> None:
        for element, node in self._layers.get(layer, ()):
            if isinstance(element, Connector):
                pose, factors = element.pose_and_scale(self.world.models[element.model].pose, self._poses[element.model])
                node.position, node.wxyz, node.scale = pose.position, pose.wxyz, factors
        for shapes in self._instanced.get(layer, ()):
            shapes.place(self._poses, self.offset)

    def hide_bodies(self, hidden: Collection[tuple[str, str]]) -> None:
        """Show all bodies but some, by the names of model and body; springs between bodies stay visible."""
        self._hidden = set(hidden)
        for body, frame in self._frames.items():
            frame.visible = body not in self._hidden
        for shapes in itertools.chain.from_iterable(self._instanced.values()):
            shapes.hide(self._hidden)

    # Layers

    def show(self, layer: Layer, visible: bool) -> None:
        """Show or hide a layer; it is built when it is first shown."""
        if visible and layer not in self._layers:
            self._build(layer)
        for _, node in self._layers.get(layer, ()):
            node.visible = visible
        for shapes in self._instanced.get(layer, ()):
            shapes.node.visible = visible
        if visible:
            self._shown.add(layer)
            self._stretch(layer)
            self._highlight(self._selected, selected=True)
        else:
            self._shown.discard(layer)

    def _build(self, layer: Layer) -> None:
        """Add a node for each element of a layer, and one for all shapes with a mesh that many have."""
        groups: dict[tuple[int, float | None, bool], list[Primitive]] = {}
        others: list[Primitive | Connector] = []
        for part in self._available_parts(elements_of_layer(self.world, layer, self._marker, self._meshes)):
            if isinstance(part, Connector) or part.body is None or part.is_infinite or part.texture is not None:
                others.append(part)
            else:
                key = (id(self._mesh_of(part)), self._element_opacity(part), self._casts_shadow(part))
                groups.setdefault(key, []).append(part)
        few = [part for group in groups.values() if len(group) < LEAST_INSTANCES for part in group]
        many = [group for group in groups.values() if len(group) >= LEAST_INSTANCES]
        self._layers[layer] = [(part, self._add_node(part)) for part in (*others, *few)]
        self._instanced[layer] = [self._add_instances(group) for group in many]

    def _available_parts(self, elements: Iterable[Primitive | Connector]) -> Iterator[Primitive | Connector]:
        """Yield the elements, each of their materials by itself; notes those whose mesh is unavailable."""
        for element in elements:
            try:
                parts = element.parts() if isinstance(element, Primitive) and self._tint is None else [element]
                for part in parts:
                    self._mesh_of(part)
            except AssetError as error:
                self.missing.append(f"{element.model}: {element.name}: {error}")
            else:
                yield from parts

    def _add_instances(self, elements: Sequence[Primitive]) -> InstancedMesh:
        first = elements[0]
        shapes = InstancedMesh(
            self._scene,
            self._unique_name(f"{self._root} {_path_component(first.layer.value)} of many bodies"),
            elements,
            self._mesh_of(first),
            colors=[self._drawn_color(element) for element in elements],
            scales=[self._scale_factors(element) for element in elements],
            opacity=self._element_opacity(first),
            casts_shadow=self._casts_shadow(first),
        )
        shapes.place(self._poses, self.offset)
        if self._hidden:
            shapes.hide(self._hidden)
        self._add_handlers(shapes.node, elements)
        return shapes

    def _add_node(self, element: Primitive | Connector) -> Any:
        pose, triangles = self._element_pose(element), self._mesh_of(element)
        if isinstance(element, Primitive) and element.body is not None:
            self._add_body_frame(element.model, element.body)
        name = f"{self._owner_node(element)}/{_path_component(element.layer.value)}/{_path_component(element.name)}"
        name, color, opacity = self._unique_name(name), self._drawn_color(element), self._element_opacity(element)
        options: dict[str, Any] = {
            "scale": self._scale_factors(element),
            "position": pose.position,
            "wxyz": pose.wxyz,
            "cast_shadow": self._casts_shadow(element),
        }
        node: Any
        if isinstance(element, Primitive) and element.texture is not None:
            node = TexturedMesh(
                self._scene,
                name,
                triangles,
                element.texture,
                color=color,
                opacity=color_palette.opacity(element.color),
                options=options,
            )
            node.opacity = opacity
        else:
            node = self._scene.add_mesh_simple(
                name,
                triangles.vertices.astype(np.float32),
                triangles.faces.astype(np.uint32),
                color=color,
                opacity=opacity,
                side="double",
                **options,
            )
            send_default_pose(node)
        if isinstance(element, Primitive) and element.body is not None and not element.is_infinite:
            self._add_handlers(node, [element])
        return node

    def _drawn_color(self, element: Primitive | Connector) -> tuple[int, int, int]:
        return color_palette.rgb(self._tint or element.color)

    def _casts_shadow(self, element: Primitive | Connector) -> bool:
        return self._tint is None and element.color[3] >= 1.0 and not _is_infinite(element)

    def _mesh_of(self, element: Primitive | Connector) -> MeshData:
        triangles = element.surface.triangles
        if id(triangles) not in self._mesh_cache:
            # Keeping the triangles too ensures that their id is not reused.
            self._mesh_cache[id(triangles)] = (triangles, with_creases(triangles))
        return self._mesh_cache[id(triangles)][1]

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

    def _add_handlers(self, node: Any, elements: Sequence[Primitive]) -> None:
        """Report clicks and drags of a node, whose events have the index of an element if there are several."""
        on_click, on_pull = self._on_click, self._on_pull
        owners = [(element.model, element.body) for element in elements if element.body is not None]
        if on_click is not None:
            node.on_click(lambda event: on_click(*owners[event.instance_index or 0]))
        if on_pull is not None:
            node.on_drag("left", modifier="cmd/ctrl")(
                lambda event: on_pull(*owners[event.instance_index or 0], _drag_of(event))
            )

    # Names in the scene

    def names_of_nodes(self, layer: Layer) -> list[str]:
        """Return the names of the nodes of a layer that was shown, those that are drawn instead of others only."""
        names = [node.drawn_name if isinstance(node, TexturedMesh) else node.name for _, node in self._layers.get(layer, ())]
        return names + [shapes.node.name for shapes in self._instanced.get(layer, ())]

    def opacities_of_visuals(self) -> dict[str, tuple[float | None, float | None]]:
        """Return the opacities of visual shapes without and with transparency, by node; not of those with a texture."""
        parts = [(element, node) for element, node in self._layers.get(Layer.VISUALS, ()) if not isinstance(node, TexturedMesh)]
        parts += [(shapes.elements[0], shapes.node) for shapes in self._instanced.get(Layer.VISUALS, ())]
        opacities = [(node.name, color_palette.opacity(element.color)) for element, node in parts]
        return {name: (opacity, min(opacity or 1.0, _TRANSPARENT_OPACITY)) for name, opacity in opacities}

    def connectors(self) -> list[tuple[Connector, str]]:
        """Return the connectors of the layers that were shown, each with the name of its node."""
        parts = itertools.chain.from_iterable(self._layers.values())
        return [(element, node.name) for element, node in parts if isinstance(element, Connector)]

    def instanced_meshes(self) -> list[InstancedMesh]:
        """Return the meshes of many bodies of the layers that were shown."""
        return list(itertools.chain.from_iterable(self._instanced.values()))

    def name_of_body_node(self, model: str, body: str) -> str | None:
        """Return the name of the node of a body, or None if nothing is fixed to it."""
        frame = self._frames.get((model, body))
        return None if frame is None else str(frame.name)

    def set_transparent(self, transparent: bool) -> None:
        """Draw visual shapes transparent or opaque."""
        self._is_transparent = transparent
        for element, node in self._layers.get(Layer.VISUALS, ()):
            node.opacity = self._element_opacity(element)
        for shapes in self._instanced.get(Layer.VISUALS, ()):
            shapes.node.opacity = self._element_opacity(shapes.elements[0])

    def _element_opacity(self, element: Primitive | Connector) -> float | None:
        if self._tint is not None:
            return color_palette.opacity(self._tint)
        specified = color_palette.opacity(element.color)
        if self._is_transparent and element.layer is Layer.VISUALS:
            return min(specified or 1.0, _TRANSPARENT_OPACITY)
        return specified

    # Selection

    def select(self, body: tuple[str, str] | None) -> None:
        """Highlight a body, given by the names of model and body, instead of the last one."""
        self._highlight(self._selected, selected=False)
        self._selected = body
        self._highlight(body, selected=True)
        if body in self._bodies:
            self._add_body_frame(*body)
            self._scene.add_label(f"{self._node_path(*body)}/label", body[1], anchor="bottom-center", font_screen_scale=1.1)

    def _highlight(self, body: tuple[str, str] | None, *, selected: bool) -> None:
        if body is None:
            return
        for layer in (Layer.VISUALS, Layer.COLLISIONS):
            for element, node in self._layers.get(layer, ()):
                if isinstance(element, Primitive) and (element.model, element.body) == body:
                    node.color = color_palette.rgb(color_palette.ACCENT if selected else element.color)
            for shapes in self._instanced.get(layer, ()):
                for number, element in enumerate(shapes.elements):
                    if (element.model, element.body) == body:
                        shapes.set_color(number, color_palette.rgb(color_palette.ACCENT if selected else element.color))
        if not selected:
            self._scene.remove_by_name(f"{self._node_path(*body)}/label")

    def move_to(self, offset: Vector3) -> None:
        """Translate the World in the scene [m]."""
        self.offset = offset
        self._base.position = offset
        for layer in self._shown:
            for shapes in self._instanced.get(layer, ()):
                shapes.place(self._poses, offset)

    def remove(self) -> None:
        """Remove all nodes."""
        self._scene.remove_by_name(self._root)
        for shapes in itertools.chain.from_iterable(self._instanced.values()):
            shapes.node.remove()

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
