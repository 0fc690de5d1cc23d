"""Everything that can be seen of a World, layer by layer, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from ossature.assets import MeshStore
from ossature.model import Model, World
from ossature.spatial import Pose
from ossature.viewer import body_markers, connector_primitives, sensor_markers, shape_primitives
from ossature.viewer.camera_framing import CameraFraming, frame_scene, up_of
from ossature.viewer.layers import SHOWN_AT_FIRST, Layer
from ossature.viewer.primitives import Connector, Primitive

Builder: TypeAlias = Callable[[Model, float, MeshStore], Iterator[Primitive | Connector]]

_BUILDERS: dict[Layer, Builder] = {
    Layer.VISUALS: shape_primitives.visuals,
    Layer.COLLISIONS: shape_primitives.collisions,
    Layer.SELF_COLLISIONS: shape_primitives.self_collisions,
    Layer.FRAMES: body_markers.frames,
    Layer.JOINT_AXES: body_markers.joint_axes,
    Layer.MASSES: body_markers.masses,
    Layer.INERTIAS: body_markers.inertias,
    Layer.SPRINGS: connector_primitives.springs,
    Layer.LOOPS: connector_primitives.loops,
    Layer.MANIPULATORS: body_markers.manipulators,
    Layer.SENSORS: sensor_markers.sensors,
    Layer.IGNORED_PAIRS: connector_primitives.ignored_pairs,
}
"""Contacts are not among them: they come and go with every state."""


def build(world: World, layer: Layer, size: float, meshes: MeshStore) -> Iterator[Primitive | Connector]:
    """Yield what a layer consists of; none for contacts.

    Args:
        world: The World.
        layer: The layer.
        size: Length of an axis [m], to which markers are in proportion.
        meshes: Where the World's meshes are.
    """
    builder = _BUILDERS.get(layer)
    if builder is not None:
        for model in world.models:
            yield from builder(model, size, meshes)


def layers_of(world: World, meshes: MeshStore) -> set[Layer]:
    """Return the layers that something is part of; no mesh is loaded."""
    found: set[Layer] = {layer for layer in _BUILDERS if layer is not Layer.INERTIAS and _is_there(world, layer, meshes)}
    if Layer.MASSES in found:
        found.add(Layer.INERTIAS)
    if any(body.collisions or body.self_collisions for model in world.models for body in model.bodies):
        found.add(Layer.CONTACTS)
    return found


def _is_there(world: World, layer: Layer, meshes: MeshStore) -> bool:
    return next(build(world, layer, 1.0, meshes), None) is not None


def shown_at_first(world: World) -> frozenset[Layer]:
    """Return the layers that are shown when a World is opened: collision shapes too, where nothing else could be seen."""
    if any(visual.visible for model in world.models for body in model.bodies for visual in body.visuals):
        return SHOWN_AT_FIRST
    return SHOWN_AT_FIRST | {Layer.COLLISIONS}


def framing_at(world: World, poses: Mapping[str, Mapping[str, Pose]], meshes: MeshStore) -> CameraFraming:
    """Return the framing of what is shown of a World when it is opened; its meshes are loaded.

    Args:
        world: The World.
        poses: Where its bodies are, by model and body.
        meshes: Where its meshes are.
    """
    shapes = [layer for layer in (Layer.VISUALS, Layer.COLLISIONS) if layer in shown_at_first(world)]
    seen = [piece for layer in shapes for piece in build(world, layer, 1.0, meshes) if isinstance(piece, Primitive)]
    ends = [
        end.in_world(world.models[tie.model].pose, poses[tie.model])
        for tie in build(world, Layer.SPRINGS, 1.0, meshes)
        if isinstance(tie, Connector)
        for end in tie.ends
    ]
    return frame_scene(seen, poses, up_of(world), ends)
