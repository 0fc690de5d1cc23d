"""Shapes of bodies as primitives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from ossature.assets import MeshStore
from ossature.model import Body, Collision, Geometry, LazyMesh, Mesh, Model, Plane, Rgba, TriangleMesh, Visual
from ossature.model.mujoco_hints import MujocoGeom
from ossature.model.tessellation import tessellate
from ossature.spatial import Pose, quaternion_between, scale, unit
from ossature.viewer import color_palette
from ossature.viewer.marker_meshes import square
from ossature.viewer.material_parts import material_splitter
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_layers import Layer
from ossature.viewer.surface_textures import mean_color, texture_of

_SIDES = 32


def visuals(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the visual shapes of a model; meshes are loaded later."""
    for number, body in enumerate(model.bodies):
        color = color_palette.body_color(number)
        yield from _primitives(model, body, Layer.VISUALS, drawn_visuals(body), meshes, color)
        if body.soft_skin is not None:
            skin = Visual(geometry=body.soft_skin.geometry, pose=body.soft_skin.pose, name="soft skin")
            yield from _primitives(model, body, Layer.VISUALS, [skin], meshes, color)


def drawn_visuals(body: Body) -> list[Visual]:
    """Return the visible shapes of a body, without geoms for collisions that are in another group than its visual meshes.

    MJCF files of robots often have both, in almost the same place, and their programs hide the group of the first.
    """
    shown = [shape for shape in body.visuals if shape.visible]
    specified = {(shape.name, shape.pose, shape.geometry): _group_of(shape) for shape in body.collisions}
    groups = {
        _group_of(shape)
        for shape in shown
        if isinstance(shape.geometry, Mesh | TriangleMesh) and (shape.name, shape.pose, shape.geometry) not in specified
    }
    return [
        shape
        for shape in shown
        if not groups or specified.get((shape.name, shape.pose, shape.geometry), next(iter(groups))) in groups
    ]


def _group_of(shape: Visual | Collision) -> int:
    """Return the group of a geom in the viewer of MuJoCo; 0, its default, for other formats."""
    return next((hint.group or 0 for hint in shape.hints if isinstance(hint, MujocoGeom)), 0)


def collisions(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the collision shapes of a model."""
    for body in model.bodies:
        floors = [shape.geometry for shape in body.visuals if shape.visible and isinstance(shape.geometry, Plane)]
        shapes = [shape for shape in body.collisions if shape.geometry not in floors]  # an infinite plane hides itself
        yield from _primitives(model, body, Layer.COLLISIONS, shapes, meshes, color_palette.COLLISION)


def self_collisions(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield the self-collision shapes of a model."""
    for body in model.bodies:
        yield from _primitives(
            model, body, Layer.SELF_COLLISIONS, body.self_collisions or (), meshes, color_palette.SELF_COLLISION
        )


def _primitives(
    model: Model, body: Body, layer: Layer, shapes: Sequence[Visual | Collision], meshes: MeshStore, color: Rgba
) -> Iterator[Primitive]:
    for number, shape in enumerate(shapes):
        geometry = shape.geometry
        specified = _specified_color(model, shape, meshes) if isinstance(shape, Visual) else None
        is_infinite = isinstance(geometry, Plane)
        yield Primitive(
            layer=layer,
            model=model.name,
            body=body.name,
            name=shape.name or f"{type(geometry).__name__.lower()} {number}",
            surface=square() if is_infinite else surface_of(geometry, meshes),
            pose=shape.pose @ _plane_pose(geometry) if isinstance(geometry, Plane) else shape.pose,
            color=specified
            if specified is not None
            else color_palette.PLANE
            if is_infinite and layer is Layer.VISUALS
            else color,
            is_infinite=is_infinite,
            split_materials=material_splitter(model, shape, meshes) if isinstance(shape, Visual) else None,
        )


def _specified_color(model: Model, visual: Visual, meshes: MeshStore) -> Rgba | None:
    """Return the colour of a shape, times the mean colour of its texture; None if it has none."""
    texture = texture_of(model, visual)
    mean = None if texture is None else mean_color(texture, meshes)
    if mean is None:
        return visual.color
    red, green, blue, alpha = visual.color or _WHITE
    return red * mean[0], green * mean[1], blue * mean[2], alpha


_WHITE = (1.0, 1.0, 1.0, 1.0)


def _plane_pose(plane: Plane) -> Pose:
    try:
        normal = unit(plane.normal)
    except ValueError:  # a finding of `check`
        normal = (0.0, 0.0, 1.0)
    return Pose(scale(normal, plane.offset), quaternion_between((0.0, 0.0, 1.0), normal))


def surface_of(geometry: Geometry, meshes: MeshStore) -> LazyMesh:
    """Return the mesh of a shape in its own frame, which is loaded on demand and may raise an
    :class:`~ossature.assets.AssetError` then.
    """
    if isinstance(geometry, Mesh | TriangleMesh):
        return LazyMesh(lambda: meshes.triangles(geometry))
    return _tessellate_lazily(geometry)


@lru_cache(maxsize=1024)
def _tessellate_lazily(geometry: Geometry) -> LazyMesh:
    return LazyMesh(lambda: tessellate(geometry, _SIDES))
