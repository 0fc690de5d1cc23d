"""Textures of meshes and of models as colours of triangles."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ossature
from ossature.assets import MeshStore
from ossature.viewer.layers import Layer
from ossature.viewer.scene_builder import build
from ossature.viewer.scene_elements import Primitive

RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
POINTS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (3.0, 0.0, 0.0), (4.0, 0.0, 0.0), (3.0, 1.0, 0.0)]
"""Two triangles: the first has the upper half of the image, the second its lower half."""
COORDINATES = [(0.1, 0.6), (0.9, 0.6), (0.1, 0.9), (0.1, 0.1), (0.9, 0.1), (0.1, 0.4)]
"""Fractions of the image from the left and from the bottom."""


def image() -> bytes:
    """Return an image that is red above and blue below."""
    content = io.BytesIO()
    Image.fromarray(np.array([[[255, 0, 0]] * 8] * 8 + [[[0, 0, 255]] * 8] * 8, np.uint8)).save(content, "PNG")
    return content.getvalue()


def write_obj(folder: Path, *, material: bool = True) -> str:
    lines = [f"v {x} {y} {z}" for x, y, z in POINTS] + [f"vt {u} {v}" for u, v in COORDINATES]
    head = ["mtllib skin.mtl", "usemtl skin"] if material else []
    (folder / "mesh.obj").write_text("\n".join([*head, *lines, "f 1/1 2/2 3/3", "f 4/4 5/5 6/6"]))
    (folder / "skin.mtl").write_text("newmtl skin\nKd 1 1 1\nmap_Kd -clamp on skin.png\n")
    return "mesh.obj"


def write_collada(folder: Path) -> str:
    points, coordinates = (" ".join(str(number) for row in rows for number in row) for rows in (POINTS, COORDINATES))
    sources = (
        f'<source id="p"><float_array count="18">{points}</float_array></source>'
        f'<source id="t"><float_array id="ta" count="12">{coordinates}</float_array><technique_common>'
        '<accessor source="#ta" count="6" stride="2"/></technique_common></source>'
    )
    (folder / "mesh.dae").write_text(
        '<COLLADA version="1.4.1"><library_images><image id="picture"><init_from>skin.png</init_from></image></library_images>'
        '<library_effects><effect id="e"><profile_COMMON>'
        '<newparam sid="surface"><surface type="2D"><init_from>picture</init_from></surface></newparam>'
        '<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>'
        '<technique sid="c"><lambert><diffuse><texture texture="sampler" texcoord="UV"/></diffuse></lambert></technique>'
        "</profile_COMMON></effect></library_effects>"
        '<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>'
        f'<library_geometries><geometry id="g"><mesh>{sources}'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        '<triangles count="2" material="s"><input semantic="VERTEX" source="#v" offset="0"/>'
        '<input semantic="TEXCOORD" source="#t" offset="1" set="0"/><p>0 0 1 1 2 2 3 3 4 4 5 5</p></triangles>'
        "</mesh></geometry></library_geometries>"
        '<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common>'
        '<instance_material symbol="s" target="#m"/></technique_common></bind_material></instance_geometry></node>'
        '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>'
    )
    return "mesh.dae"


def write_gltf(folder: Path) -> str:
    (folder / "mesh.bin").write_bytes(
        np.array(POINTS, "<f4").tobytes() + (np.array(COORDINATES, "<f4") * (1, -1) + (0, 1)).astype("<f4").tobytes() + image()
    )
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": "mesh.bin", "byteLength": 120 + len(image())}],
        "bufferViews": [
            {"buffer": 0, "byteLength": 72},
            {"buffer": 0, "byteOffset": 72, "byteLength": 48},
            {"buffer": 0, "byteOffset": 120, "byteLength": len(image())},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5126, "count": 6, "type": "VEC2"},
        ],
        "images": [{"bufferView": 2, "mimeType": "image/png"}],
        "textures": [{"source": 0}],
        "materials": [{"name": "skin", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
    }
    (folder / "mesh.gltf").write_text(json.dumps(document))
    return "mesh.gltf"


WRITERS = {"obj": write_obj, "dae": write_collada, "gltf": write_gltf}


def drawn_parts(path: Path) -> list[Primitive]:
    world = ossature.load(path)
    meshes = MeshStore.of(world)
    elements = list(build(world, Layer.VISUALS, 1.0, meshes))
    return [part for element in elements if isinstance(element, Primitive) for part in element.parts()]


def colors_by_side(parts: list[Primitive]) -> dict[bool, tuple[float, ...]]:
    """Return the colour of each triangle of the mesh, by whether it is the second one."""
    found = {}
    for part in parts:
        corners = part.surface.triangles.vertices[part.surface.triangles.faces][..., 0]
        (is_second,) = {bool(x) for x in (corners > 2.0).ravel()}
        found[is_second] = tuple(round(value, 3) for value in part.color[:3])
    return found


@pytest.mark.parametrize("suffix", sorted(WRITERS))
def test_a_triangle_has_the_colour_of_its_part_of_the_texture(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(image())
    mesh = WRITERS[suffix](tmp_path)
    path = tmp_path / "robot.urdf"
    visual = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    assert colors_by_side(drawn_parts(path)) == {False: RED, True: BLUE}


@pytest.mark.parametrize("content", [None, b"", b"no image", image()[:60]])
def test_an_image_that_is_missing_or_invalid_leaves_the_mesh_in_its_own_colour(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "skin.png").write_bytes(content)
    path = tmp_path / "robot.urdf"
    visual = f'<visual><geometry><mesh filename="{write_obj(tmp_path)}"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    (part,) = drawn_parts(path)
    assert len(part.surface.triangles.faces) == 2


def test_textures_of_mjcf_tint_meshes_and_shapes(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(image())
    textures = (
        '<texture name="t" type="2d" file="skin.png"/><texture name="c" type="2d" builtin="checker" rgb1="1 1 0" rgb2="0 1 1"'
    )
    textures += ' width="8" height="8"/><material name="m" texture="t" rgba="1 1 0.5 1"/><material name="k" texture="c"/>'
    mesh = f'<mesh name="mesh" file="{write_obj(tmp_path, material=False)}" inertia="shell"/>'
    no_contacts = 'contype="0" conaffinity="0"'
    geoms = f'<geom type="mesh" mesh="mesh" material="m" {no_contacts}/><geom size="0.1" material="k" {no_contacts}/>'
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco><asset>{textures}{mesh}</asset><worldbody>{geoms}</worldbody></mujoco>")
    ball, *mesh_parts = sorted(drawn_parts(path), key=lambda part: part.color[1], reverse=True)
    assert ball.color == (0.5, 1.0, 0.5, 1.0)
    assert colors_by_side(mesh_parts) == {False: RED, True: (0.0, 0.0, 0.5)}
