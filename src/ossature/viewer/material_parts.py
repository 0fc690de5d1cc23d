"""Parts of visual shapes that have different materials: those of mesh files, and textures of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ossature.assets import MeshStore
from ossature.assets.mesh_formats import PART_READERS
from ossature.assets.mesh_store import mesh_suffix, scaled_triangles
from ossature.model import Appearance, Box, Mesh, Model, Rgba, Texture, Visual
from ossature.model.mujoco_hints import MujocoGeom
from ossature.model.tessellation import tessellate
from ossature.viewer.scene_elements import MaterialPart
from ossature.viewer.surface_textures import texture_of, texture_of_box, texture_of_part

_WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)


def material_splitter(model: Model, visual: Visual, meshes: MeshStore) -> Callable[[], Sequence[MaterialPart]] | None:
    """Return what splits a shape by its materials; None if it has one colour.

    The materials of a mesh file are used if the model states no colour; MuJoCo ignores them.
    """
    texture, geometry = _image_texture(model, visual), visual.geometry
    if isinstance(geometry, Box) and texture is not None:
        box, appearance, image = geometry, model.appearances[visual.appearance or ""], texture
        return lambda: [_textured_box(box, image, appearance, meshes, visual.color or _WHITE)]
    if not isinstance(geometry, Mesh) or mesh_suffix(geometry.uri) not in PART_READERS:
        return None
    is_from_mjcf = any(isinstance(hint, MujocoGeom) for hint in visual.hints)
    if texture is None and (visual.color is not None or visual.appearance is not None or is_from_mjcf):
        return None
    mesh = geometry
    return lambda: _parts_of_file(mesh, texture, meshes, visual.color or _WHITE)


def _image_texture(model: Model, visual: Visual) -> Texture | None:
    """Return the texture of a shape if it is one flat image."""
    texture = texture_of(model, visual)
    return texture if texture is not None and texture.type == "2d" and texture.file is not None else None


def _parts_of_file(mesh: Mesh, texture: Texture | None, meshes: MeshStore, tint: Rgba) -> list[MaterialPart]:
    return [
        MaterialPart(
            triangles=scaled_triangles(part.triangles, mesh),
            color=None if texture is not None else part.material.rgba,
            texture=texture_of_part(mesh, part, meshes, texture=texture, tint=tint),
        )
        for part in meshes.colored_parts(mesh.uri)
    ]


def _textured_box(box: Box, texture: Texture, appearance: Appearance, meshes: MeshStore, tint: Rgba) -> MaterialPart:
    triangles = tessellate(box)
    found = texture_of_box(box, triangles, texture, appearance, meshes, tint)
    return MaterialPart(triangles=triangles, color=None, texture=found)
