"""Textures of mesh files and of models in pictures and in the scene of the page."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
from PIL import Image

import ossature
from ossature.assets import MeshStore
from ossature.spatial import Pose
from ossature.viewer.camera_framing import CameraFraming
from ossature.viewer.crease_normals import with_creases
from ossature.viewer.raycast_render import render_image
from ossature.viewer.render_camera import RenderCamera
from ossature.viewer.scene_builder import elements_of_layer
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_layers import Layer
from ossature.viewer.scene_nodes import WorldNodes
from ossature.viewer.server import LOOPBACK, serve
from ossature.viewer.textured_mesh import encode_glb
from ossature.viewer.triangle_scene import build_triangle_scene

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
    elements = list(elements_of_layer(world, Layer.VISUALS, 1.0, meshes))
    return [part for element in elements if isinstance(element, Primitive) for part in element.parts()]


def colors_by_side(parts: list[Primitive]) -> dict[bool, tuple[float, ...]]:
    """Return the colour in the middle of each triangle of the mesh, by whether it is the second one."""
    (part,) = parts
    assert part.texture is not None
    triangles = part.surface.triangles
    colors = part.texture.colors_at(np.arange(len(triangles.faces)), np.full((len(triangles.faces), 3), 1 / 3))
    is_second = (triangles.vertices[triangles.faces][..., 0] > 2.0).all(axis=1)
    return {bool(side): tuple(color[:3].round(3).tolist()) for side, color in zip(is_second, colors, strict=True)}


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
    ball, *mesh_parts = sorted(drawn_parts(path), key=lambda part: part.texture is not None)
    assert ball.color == (0.5, 1.0, 0.5, 1.0)
    assert colors_by_side(mesh_parts) == {False: RED, True: (0.0, 0.0, 0.5)}


def test_a_mirrored_mesh_has_the_same_colours(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(image())
    path = tmp_path / "robot.urdf"
    visual = f'<visual><geometry><mesh filename="{write_obj(tmp_path)}" scale="1 -1 1"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    assert colors_by_side(drawn_parts(path)) == {False: RED, True: BLUE}
    (part,) = drawn_parts(path)
    assert part.texture is not None
    corners = part.surface.triangles.vertices[part.surface.triangles.faces]
    for point, stated in zip(POINTS, COORDINATES, strict=True):
        is_here = np.all(corners == (point[0], -point[1], point[2]), axis=2)
        np.testing.assert_allclose(part.texture.coordinates[is_here], [stated])


@pytest.mark.parametrize(
    ("attributes", "upper_left", "lower_left", "middle_left"),
    [("", RED, BLUE, None), ('texrepeat="2 2"', RED, BLUE, BLUE), ('texrepeat="1 2" texuniform="true"', RED, BLUE, None)],
)
def test_a_box_has_the_image_on_its_upper_face_as_in_mujoco(
    attributes: str,
    upper_left: tuple[float, ...],
    lower_left: tuple[float, ...],
    middle_left: tuple[float, ...] | None,
    tmp_path: Path,
) -> None:
    (tmp_path / "skin.png").write_bytes(image())
    path = tmp_path / "scene.xml"
    assets = f'<asset><texture name="t" type="2d" file="skin.png"/><material name="m" texture="t" {attributes}/></asset>'
    path.write_text(f'<mujoco>{assets}<worldbody><geom type="box" size="0.2 0.5 0.1" material="m"/></worldbody></mujoco>')
    (part,) = drawn_parts(path)

    def color_at(x: float, y: float) -> tuple[float, ...]:
        triangles = part.surface.triangles
        corners = triangles.vertices[triangles.faces]
        for number in np.flatnonzero((corners[..., 2] == 0.1).all(axis=1)):
            weights = np.linalg.solve(np.vstack([corners[number, :, :2].T, np.ones(3)]), [x, y, 1.0])
            if (weights >= 0.0).all():
                assert part.texture is not None
                return tuple(part.texture.colors_at(np.array([number]), weights[None])[0, :3].tolist())
        raise AssertionError((x, y))

    assert color_at(-0.19, 0.49) == upper_left
    assert color_at(-0.19, -0.49) == lower_left
    if middle_left is not None:
        assert color_at(-0.19, 0.01) == middle_left


def test_the_page_gets_the_image_and_its_coordinates(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(image())
    path = tmp_path / "robot.urdf"
    visual = f'<visual><geometry><mesh filename="{write_obj(tmp_path)}"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    (part,) = drawn_parts(path)
    assert part.texture is not None
    document = trimesh.load_scene(io.BytesIO(encode_glb(with_creases(part.surface.triangles), part.texture)), file_type="glb")
    (mesh,) = document.geometry.values()
    found = mesh.visual.material.to_color(mesh.visual.uv)[mesh.faces].mean(axis=1)
    is_second = (mesh.vertices[mesh.faces][..., 0] > 2.0).all(axis=1)
    assert np.abs(found[~is_second] - (255, 0, 0, 255)).max() < 2
    assert np.abs(found[is_second] - (0, 0, 255, 255)).max() < 2


def test_a_selected_or_transparent_mesh_has_one_colour(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(image())
    path = tmp_path / "robot.urdf"
    visual = f'<visual><geometry><mesh filename="{write_obj(tmp_path)}"/></geometry></visual>'
    path.write_text(f'<robot name="r"><link name="a">{visual}</link></robot>')
    world = ossature.load(path)
    server = serve(LOOPBACK, 0, "test", shadows=False)
    try:
        nodes = WorldNodes(server.scene, "world", world, MeshStore.of(world), on_click=lambda model, body: None)
        nodes.show(Layer.VISUALS, True)
        name = "/world/r/a/Visual shapes/mesh 0 part 0"

        def shown() -> tuple[bool, bool | None]:
            plain = server.scene.get_handle_by_name(f"{name} without texture")
            textured = server.scene.get_handle_by_name(name)
            assert textured is not None
            return textured.visible, None if plain is None else plain.visible

        assert shown() == (True, None)
        nodes.select(("r", "a"))
        assert shown() == (False, True)
        nodes.select(None)
        assert shown() == (True, False)
        nodes.set_transparent(True)
        assert shown() == (False, True)
        nodes.show(Layer.VISUALS, False)
        assert shown() == (False, False)
        nodes.show(Layer.VISUALS, True)
        nodes.set_transparent(False)
        assert shown() == (True, False)
    finally:
        server.stop()


def test_a_picture_has_the_colours_of_the_image(tmp_path: Path) -> None:
    (tmp_path / "skin.png").write_bytes(image())
    path = tmp_path / "scene.xml"
    assets = '<asset><texture name="t" type="2d" file="skin.png"/><material name="m" texture="t"/></asset>'
    path.write_text(f'<mujoco>{assets}<worldbody><geom type="box" size="0.5 0.5 0.1" material="m"/></worldbody></mujoco>')
    world = ossature.load(path)
    poses = {model.name: {body.name: Pose() for body in model.bodies} for model in world.models}
    framing = CameraFraming(lower=(-0.5, -0.5, -0.1), upper=(0.5, 0.5, 0.1), up=(0.0, 0.0, 1.0), floor=-0.1)
    triangles = build_triangle_scene(world, poses, [Layer.VISUALS], framing, MeshStore.of(world))
    camera = RenderCamera(position=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0))
    colors = render_image(triangles, framing, 40, 40, camera=camera).colors
    assert colors[15, 20, 0] > 2.0 * colors[15, 20, 2]
    assert colors[25, 20, 2] > 2.0 * colors[25, 20, 0]
