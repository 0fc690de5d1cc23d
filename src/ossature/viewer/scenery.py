"""Everything that can be seen of a World, layer by layer, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from ossature.assets import MeshStore
from ossature.model import Model, World
from ossature.spatial import Pose
from ossature.viewer import marks, sensor_marks, shapes, ties
from ossature.viewer.framing import Framing, frame_scene, up_of
from ossature.viewer.layers import SHOWN_AT_FIRST, Layer
from ossature.viewer.pieces import Piece, Tie

Builder: TypeAlias = Callable[[Model, float, MeshStore], Iterator[Piece | Tie]]

_BUILDERS: dict[Layer, Builder] = {
    Layer.VISUALS: shapes.visuals,
    Layer.COLLISIONS: shapes.collisions,
    Layer.SELF_COLLISIONS: shapes.self_collisions,
    Layer.FRAMES: marks.frames,
    Layer.JOINT_AXES: marks.joint_axes,
    Layer.MASSES: marks.masses,
    Layer.INERTIAS: marks.inertias,
    Layer.SPRINGS: ties.springs,
    Layer.LOOPS: ties.loops,
    Layer.MANIPULATORS: marks.manipulators,
    Layer.SENSORS: sensor_marks.sensors,
    Layer.IGNORED_PAIRS: ties.ignored_pairs,
}
"""Contacts are not among them: they come and go with every state."""


def build(world: World, layer: Layer, size: float, meshes: MeshStore) -> Iterator[Piece | Tie]:
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


def framing_at(world: World, poses: Mapping[str, Mapping[str, Pose]], meshes: MeshStore) -> Framing:
    """Return the framing of what is shown of a World when it is opened; its meshes are loaded.

    Args:
        world: The World.
        poses: Where its bodies are, by model and body.
        meshes: Where its meshes are.
    """
    shapes = [layer for layer in (Layer.VISUALS, Layer.COLLISIONS) if layer in shown_at_first(world)]
    seen = [piece for layer in shapes for piece in build(world, layer, 1.0, meshes) if isinstance(piece, Piece)]
    ends = [
        end.in_world(world.models[tie.model].pose, poses[tie.model])
        for tie in build(world, Layer.SPRINGS, 1.0, meshes)
        if isinstance(tie, Tie)
        for end in tie.ends
    ]
    return frame_scene(seen, poses, up_of(world), ends)
