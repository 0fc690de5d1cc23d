"""The visible content of a World as primitives and connectors, layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from ossature.assets import MeshStore
from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Model, World
from ossature.spatial import IDENTITY, Pose
from ossature.viewer import body_markers, connector_primitives, sensor_markers, shape_primitives, skeleton_primitives
from ossature.viewer.camera_framing import CameraFraming, frame_scene, primitive_corners, up_of
from ossature.viewer.scene_elements import Connector, Primitive
from ossature.viewer.scene_layers import DEFAULT_LAYERS, Layer
from ossature.viewer.tendon_lines import has_lines

Builder: TypeAlias = Callable[[Model, float, MeshStore], Iterator[Primitive | Connector]]

_BUILDERS: dict[Layer, Builder] = {
    Layer.VISUALS: shape_primitives.visuals,
    Layer.COLLISIONS: shape_primitives.collisions,
    Layer.SELF_COLLISIONS: shape_primitives.self_collisions,
    Layer.SKELETON: skeleton_primitives.skeleton,
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
"""All layers except contacts and tendons, whose number of elements depends on the state."""


_MARKER_FOR_FRAMING = 1e-6
"""Length of frame axes when a scene is measured, to which markers are in proportion [m]."""


def elements_of_layer(world: World, layer: Layer, size: float, meshes: MeshStore) -> Iterator[Primitive | Connector]:
    """Yield the primitives and connectors of a layer; none for contacts and tendons.

    Args:
        size: Length of frame axes [m], to which all markers are in proportion.
        meshes: Meshes of the World.
    """
    builder = _BUILDERS.get(layer)
    if builder is not None:
        for model in world.models:
            yield from builder(model, size, meshes)


def layers_of(world: World, meshes: MeshStore) -> set[Layer]:
    """Return the layers that are not empty, without loading meshes."""
    found: set[Layer] = {layer for layer in _BUILDERS if layer is not Layer.INERTIAS and _has_content(world, layer, meshes)}
    if Layer.MASSES in found:
        found.add(Layer.INERTIAS)
    if any(body.collisions or body.self_collisions for model in world.models for body in model.bodies):
        found.add(Layer.CONTACTS)
    if any(has_lines(model) for model in world.models):
        found.add(Layer.TENDONS)
    return found


def _has_content(world: World, layer: Layer, meshes: MeshStore) -> bool:
    return next(elements_of_layer(world, layer, 1.0, meshes), None) is not None


def default_layers(world: World, meshes: MeshStore) -> frozenset[Layer]:
    """Return the layers that are shown when a World is opened; loads its meshes.

    With collision shapes if no visual shape is visible, and with the skeleton if the shapes do not show all bodies.
    """
    shown = set(DEFAULT_LAYERS)
    models = [model for model in world.models if not model.static] or list(world.models)
    visuals = [visual for model in models for body in model.bodies for visual in body.visuals]
    if not any(visual.visible and skeleton_primitives.is_available(visual.geometry, meshes) for visual in visuals):
        shown.add(Layer.COLLISIONS)
    if any(skeleton_primitives.needs_skeleton(model, meshes) for model in world.models):
        shown.add(Layer.SKELETON)
    return frozenset(shown)


def framed_primitives(world: World, meshes: MeshStore) -> list[Primitive]:
    """Return the shapes of the default layers of a World; loads its meshes."""
    shown = default_layers(world, meshes)
    return [
        element
        for layer in (Layer.VISUALS, Layer.COLLISIONS, Layer.SKELETON)
        if layer in shown
        for element in elements_of_layer(world, layer, _MARKER_FOR_FRAMING, meshes)
        if isinstance(element, Primitive)
    ]


def body_radii(world: World, meshes: MeshStore) -> dict[tuple[str, str], float]:
    """Return the radius about its origin of each body with shapes in the default layers [m], by model and body."""
    origins = {model.name: {body.name: IDENTITY for body in model.bodies} for model in world.models}
    radii: dict[tuple[str, str], float] = {}
    for shape in framed_primitives(world, meshes):
        if shape.body is not None and not shape.is_infinite:
            reach = float(np.linalg.norm(primitive_corners(shape, origins), axis=1).max())
            radii[shape.model, shape.body] = max(radii.get((shape.model, shape.body), 0.0), reach)
    return radii


def framing_at(world: World, poses: Mapping[str, Mapping[str, Pose]], meshes: MeshStore) -> CameraFraming:
    """Return the framing of the default layers of a World; loads its meshes.

    Args:
        poses: Poses of its bodies in the world, by model and body.
    """
    primitives = framed_primitives(world, meshes)
    ends = [
        end.in_world(world.models[connector.model].pose, poses[connector.model])
        for connector in elements_of_layer(world, Layer.SPRINGS, 1.0, meshes)
        if isinstance(connector, Connector)
        for end in connector.ends
    ]
    moving = {model.name: set() if model.static else spanning_tree(model).moving_bodies() for model in world.models}
    return frame_scene(primitives, poses, up_of(world), ends, moving)
