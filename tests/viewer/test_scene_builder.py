"""Content of the scene: shapes, markers and connectors, without a browser."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import ossature
from conftest import example_models
from ossature.assets import MeshStore, Resolver
from ossature.kinematics import poses
from ossature.model import (
    Body,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Inertial,
    Mesh,
    MeshData,
    Model,
    NamedList,
    Plane,
    Sphere,
    SpringDamper,
    Visual,
    World,
)
from ossature.model.solid_inertia import principal_moments
from ossature.model.tessellation import tessellate
from ossature.spatial import Pose, norm, quaternion_from_axis_angle, rotated_tensor, subtract
from ossature.viewer.body_markers import ellipsoid_of
from ossature.viewer.camera_framing import (
    FIELD_OF_VIEW,
    CameraFraming,
    frame_scene,
    offset_beside,
    projection,
    translate_framing,
    union_of_framings,
    up_of,
)
from ossature.viewer.crease_normals import with_creases
from ossature.viewer.marker_meshes import arrow, ball, coil, revolute_arrow, rod, square
from ossature.viewer.scene_builder import default_layers, elements_of_layer, framing_at
from ossature.viewer.scene_elements import Connector, Primitive
from ossature.viewer.scene_layers import Layer

EXAMPLES = example_models(".skel", ".yaml", ".dae")
SIZES = st.floats(0.01, 10.0)


def of_bodies(*bodies: Body, **fields: object) -> World:
    return World(models=NamedList([Model(name="thing", bodies=NamedList(bodies), **fields)]))


def pieces(world: World, layer: Layer) -> list[Primitive]:
    return [element for element in elements_of_layer(world, layer, 0.1, MeshStore()) if isinstance(element, Primitive)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("layer", Layer, ids=lambda layer: layer.name)
def test_each_layer_of_examples_can_be_built(path: Path, layer: Layer) -> None:
    world = ossature.load(path)
    meshes = MeshStore.of(world)
    for element in elements_of_layer(world, layer, 0.1, meshes):
        triangles = element.surface.triangles
        assert np.isfinite(triangles.vertices).all()
        assert triangles.faces.max() < len(triangles.vertices)
        assert element.layer is layer
        if isinstance(element, Primitive):
            assert element.body is None or element.body in world.models[element.model].bodies


def test_each_shape_is_a_primitive_of_its_layer() -> None:
    shapes = {"geometry": Box(size=(1.0, 1.0, 1.0)), "pose": Pose((0.0, 0.0, 2.0))}
    body = Body(
        name="b",
        visuals=(Visual(**shapes, color=(0.1, 0.2, 0.3, 0.5)), Visual(**shapes, visible=False)),
        collisions=(Collision(**shapes),) * 2,
        self_collisions=(Collision(**shapes),) * 3,
    )
    world = of_bodies(body)
    [seen] = pieces(world, Layer.VISUALS)
    assert (seen.body, seen.pose, seen.color) == ("b", shapes["pose"], (0.1, 0.2, 0.3, 0.5))
    assert len(pieces(world, Layer.COLLISIONS)) == 2
    assert len(pieces(world, Layer.SELF_COLLISIONS)) == 3


def test_collision_shapes_are_default_without_visual_shapes() -> None:
    shape = Box(size=(1.0, 1.0, 1.0))
    touched = Body(name="b", collisions=(Collision(geometry=shape),))
    assert Layer.COLLISIONS in default_layers(of_bodies(touched), MeshStore())
    assert Layer.COLLISIONS not in default_layers(
        of_bodies(touched, Body(name="c", visuals=(Visual(geometry=shape),))), MeshStore()
    )


def test_plane_pose_follows_normal_and_offset() -> None:
    normal = (0.6, 0.0, 0.8)
    [element] = pieces(of_bodies(Body(name="b", visuals=(Visual(geometry=Plane(normal=normal, offset=2.0)),))), Layer.VISUALS)
    assert element.is_infinite
    for corner in ((0.5, 0.5, 0.0), (-0.5, 0.5, 0.0), (0.0, 0.0, 0.0)):
        assert np.dot(element.pose.transform(corner), normal) == pytest.approx(2.0)


@settings(max_examples=30, deadline=None)
@given(SIZES, SIZES, SIZES, st.floats(-3.0, 3.0))
def test_the_inertia_ellipsoid_has_the_moments_of_its_body(x: float, y: float, z: float, angle: float) -> None:
    # The ellipsoid that comes out is weighed as a homogeneous one in closed form.
    solid = Box(size=(x, y, z))
    wxyz = quaternion_from_axis_angle((0.0, 0.6, 0.8), angle)
    moments = principal_moments(solid, 3.0)
    tensor = rotated_tensor(((moments[0], 0.0, 0.0), (0.0, moments[1], 0.0), (0.0, 0.0, moments[2])), wxyz)
    body = Body(name="b", inertial=Inertial(mass=3.0, center_of_mass=(1.0, 2.0, 3.0), moment=tensor))
    found = ellipsoid_of(body, MeshStore())
    assert found is not None
    pose, diameters = found
    assert pose.position == (1.0, 2.0, 3.0)
    radii = np.array(diameters) / 2.0
    own = 3.0 / 5.0 * np.diag((radii**2).sum() - radii**2)
    turn = pose.matrix()[:3, :3]
    assert turn @ own @ turn.T == pytest.approx(np.array(tensor), rel=1e-3, abs=1e-3 * max(moments))


def test_massless_body_has_no_ellipsoid() -> None:
    assert ellipsoid_of(Body(name="b", inertial=Inertial(mass=0.0)), MeshStore()) is None


def test_a_spring_is_stretched_between_its_points() -> None:
    spring = SpringDamper(name="s", body1="a", body2="b", point1=(0.1, 0.0, 0.0), point2=(0.0, 0.2, 0.0))
    bodies = (Body(name="a", pose=Pose((0.0, 0.0, 1.0))), Body(name="b", pose=Pose((3.0, 0.0, 0.0))))
    world = of_bodies(*bodies, pose=Pose((0.0, 5.0, 0.0)), spring_dampers=NamedList([spring]))
    [connector] = elements_of_layer(world, Layer.SPRINGS, 0.1, MeshStore())
    assert isinstance(connector, Connector)
    placed = poses(world)["thing"]
    pose, factors = connector.pose_and_scale(world.models["thing"].pose, placed)
    ends = placed["a"].transform(spring.point1), placed["b"].transform(spring.point2)
    assert pose.position == pytest.approx(ends[0])
    assert pose.transform((0.0, 0.0, factors[2])) == pytest.approx(ends[1])
    assert factors[2] == pytest.approx(norm(subtract(*ends)))


def test_spring_of_zero_length_can_be_drawn() -> None:
    spring = SpringDamper(name="s", body1="a", body2=None)
    world = of_bodies(Body(name="a"), spring_dampers=NamedList([spring]))
    [connector] = elements_of_layer(world, Layer.SPRINGS, 0.1, MeshStore())
    assert isinstance(connector, Connector)
    pose, factors = connector.pose_and_scale(Pose(), poses(world)["thing"])
    assert pose.position == (0.0, 0.0, 0.0)
    assert all(factor > 0.0 for factor in factors)


@pytest.mark.parametrize("form", [rod, arrow, revolute_arrow, coil], ids=lambda form: form.__name__)
def test_connector_meshes_have_unit_length(form) -> None:
    bounds = form().triangles.bounds
    assert bounds[:, 2] == pytest.approx([0.0, 1.0], abs=0.02)
    assert np.abs(bounds[:, :2]).max() <= 0.51


@pytest.mark.parametrize(("form", "extents"), [(ball, (1.0, 1.0, 1.0)), (square, (1.0, 1.0, 0.0))])
def test_marker_meshes_have_unit_size(form, extents: tuple[float, ...]) -> None:
    assert np.diff(form().triangles.bounds, axis=0)[0] == pytest.approx(extents, abs=1e-3)


# Creases


def normals_of_vertices(triangles: MeshData) -> np.ndarray:
    corners = triangles.vertices[triangles.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.zeros_like(triangles.vertices)
    for corner in range(3):
        np.add.at(total, triangles.faces[:, corner], normals)
    return total / np.linalg.norm(total, axis=1, keepdims=True)


def soup(triangles: MeshData) -> MeshData:
    return MeshData(
        vertices=triangles.vertices[triangles.faces].reshape(-1, 3), faces=np.arange(triangles.faces.size).reshape(-1, 3)
    )


@pytest.mark.parametrize("scattered", [False, True], ids=["shared", "soup"])
def test_box_has_creases_and_sphere_has_none(scattered: bool) -> None:
    box, sphere = tessellate(Box(size=(1.0, 2.0, 3.0))), tessellate(Sphere(radius=2.0), 48)
    if scattered:
        box, sphere = soup(box), soup(sphere)
    sharp = with_creases(box)
    assert len(sharp.vertices) == 24
    assert np.abs(normals_of_vertices(sharp)).max(axis=1) == pytest.approx(np.ones(24))
    smooth = with_creases(sphere)
    assert np.abs(normals_of_vertices(smooth) - smooth.vertices / 2.0).max() < 0.1


def test_cylinder_has_creases_at_its_ends() -> None:
    creased = with_creases(tessellate(Cylinder(radius=1.0, length=2.0), 32))
    normals = normals_of_vertices(creased)
    assert set(np.round(np.abs(normals[:, 2]), 9)) == {0.0, 1.0}


@settings(max_examples=20, deadline=None)
@given(SIZES, SIZES)
def test_creases_keep_triangles(radius: float, length: float) -> None:
    before = tessellate(Capsule(radius=radius, length=length))
    after = with_creases(before)
    assert np.array_equal(before.vertices[before.faces], after.vertices[after.faces])


@pytest.mark.filterwarnings("error")
def test_creases_of_a_mesh_of_subnormal_size() -> None:
    tiny = MeshData(vertices=1e-320 * np.eye(3), faces=np.array([[0, 1, 2]]))
    assert np.array_equal(with_creases(tiny).vertices[with_creases(tiny).faces], tiny.vertices[tiny.faces])


def test_creases_of_degenerate_and_empty_meshes() -> None:
    vertices = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    flat = MeshData(vertices=vertices, faces=np.array([[0, 1, 2], [0, 0, 0]]))
    assert np.array_equal(with_creases(flat).vertices[with_creases(flat).faces], vertices[flat.faces])
    empty = MeshData(vertices=vertices, faces=np.zeros((0, 3), np.int64))
    assert with_creases(empty) is empty


# Framing


def test_camera_sees_the_whole_scene() -> None:
    for path in EXAMPLES:
        world = ossature.load(path)
        framing = frame_scene(pieces(world, Layer.VISUALS), poses(world), up_of(world))
        assert framing.corners is not None
        assert 0.84 < max(abs(image_of(framing.corners, framing)).max(axis=0)) < 0.86
        assert framing.cell <= framing.size / 8.0 < 2.6 * framing.cell


def image_of(points: NDArray[np.float64], framing: CameraFraming) -> NDArray[np.float64]:
    """Return the coordinates of points in the square image of the framing, from -1 to 1, shape (n, 2)."""
    ahead = np.array(framing.look_at) - np.array(framing.eye)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, framing.up)
    right /= np.linalg.norm(right)
    seen = np.asarray(points) - np.array(framing.eye)
    sides = np.stack([seen @ right, seen @ np.cross(right, ahead)], axis=1)
    return np.asarray(sides / (seen @ ahead)[:, None] / math.tan(FIELD_OF_VIEW / 2.0))


def test_the_slab_of_a_floor_does_not_make_what_moves_small(tmp_path: Path) -> None:
    """A cube of 0.2 m on a slab of 100 m fills the image as far as its surroundings let it, at any place of the slab."""
    slab = Body(name="slab", visuals=(Visual(geometry=Box(size=(100.0, 100.0, 0.5)), pose=Pose((0.0, 0.0, -0.25))),))
    cube = Body(name="cube", pose=Pose((20.0, 3.0, 0.1)), visuals=(Visual(geometry=Box(size=(0.2, 0.2, 0.2))),))
    models = [Model(name="floor", bodies=NamedList([slab]), static=True), Model(name="cube", bodies=NamedList([cube]))]
    world = World(models=NamedList(models))
    framing = framing_at(world, poses(world), MeshStore(Resolver(folder=tmp_path)))
    corners = np.array([(20.0 + x, 3.0 + y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (0.0, 0.2)])
    extent = np.ptp(image_of(corners, framing), axis=0) / 2.0
    assert extent.prod() > 0.2
    assert framing.floor == 0.0
    floor = World(models=NamedList(models[:1]))
    alone = framing_at(floor, poses(floor), MeshStore(Resolver(folder=tmp_path)))
    assert alone.upper[0] == 50.0


def test_up_is_against_gravity() -> None:
    assert up_of(World(gravity=(0.0, -9.81, 0.0))) == (0.0, 1.0, 0.0)
    assert up_of(World(gravity=(0.0, 0.0, 0.0))) == (0.0, 0.0, 1.0)


def test_a_world_without_shapes_is_framed_by_its_bodies() -> None:
    world = of_bodies(Body(name="a"), Body(name="b", pose=Pose((0.0, 0.0, 4.0))))
    framing = frame_scene([], poses(world), up_of(world))
    assert framing.lower[2] < 0.0 < 4.0 < framing.upper[2]


def test_body_with_missing_mesh_is_framed_by_its_origin() -> None:
    nowhere = Visual(geometry=Mesh(uri="nowhere.stl"))
    world = of_bodies(
        Body(name="a", visuals=(Visual(geometry=Box(size=(1.0, 1.0, 1.0))),)),
        Body(name="b", pose=Pose((0.0, 0.0, 4.0)), visuals=(nowhere,)),
    )
    framing = frame_scene(pieces(world, Layer.VISUALS), poses(world), up_of(world))
    assert (framing.lower, framing.upper) == ((-0.5, -0.5, -0.5), (0.5, 0.5, 4.0))


def test_empty_scene_can_be_framed() -> None:
    assert frame_scene([], {}, (0.0, 0.0, 1.0)).size > 0.0


def test_second_scene_is_beside_the_first_in_the_picture() -> None:
    world = ossature.load(EXAMPLES[0])
    framing = frame_scene(pieces(world, Layer.VISUALS), poses(world), (0.0, 0.0, 1.0))
    offset = offset_beside(framing, framing)
    assert offset[2] == pytest.approx(0.0, abs=1e-12)
    other = translate_framing(framing, offset)
    both = union_of_framings([framing, other])
    assert all(map(lambda low, one, two: low <= min(one, two), both.lower, framing.lower, other.lower))
    eye = np.array(both.look_at) + 1e6 * (np.array(both.eye) - both.look_at)  # without perspective
    left, right = (projection(shown.corners, both, tuple(eye.tolist()))[:, 0] for shown in (framing, other))
    assert left.max() < right.min(), "neither occludes the other"
    for shown in (framing, other):
        assert np.abs(projection(np.array([shown.top]), both, both.eye)).max() < 1.0, "its name is in the picture"
        assert shown.top[2] == pytest.approx(max(corner[2] for corner in shown.corners))
