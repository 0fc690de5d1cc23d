"""Inferred inertia compared with closed forms, with trimesh, and with the same solid cut into pieces."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from ossature import model as m
from ossature.kinematics import infer_inertia
from ossature.kinematics.inertia_inference import LEAST_MASS, LEAST_MOMENT
from ossature.model import Body, Collision, Inertial, Model, NamedList, Visual, World
from ossature.model.shape_mass_properties import mesh_mass_properties, shape_mass_properties
from ossature.model.tessellation import tessellate
from ossature.spatial import Pose, rotation_matrix

ZERO = ((0.0, 0.0, 0.0),) * 3
MASSLESS = Inertial(mass=0.0, moment=ZERO)
DENSITY = 700.0


def mesh_of(solid: trimesh.Trimesh) -> m.MeshData:
    return m.MeshData(vertices=np.array(solid.vertices), faces=np.array(solid.faces, dtype=np.int64))


def inferred(body: Body, *, joints: tuple[m.Joint, ...] = (), others: tuple[Body, ...] = ()) -> Inertial:
    model = Model(name="m", bodies=NamedList([*others, body]), joints=NamedList(joints))
    world, _ = infer_inertia(World(models=NamedList([model])), density=DENSITY)
    return world.models["m"].bodies[body.name].inertial


def test_a_box_has_its_closed_form() -> None:
    a, b, c = size = (0.2, 0.3, 0.7)
    pose = Pose.from_euler((1.0, 2.0, 3.0), (0.3, 0.4, 0.5), "zyx")
    found = inferred(Body(name="b", inertial=MASSLESS, collisions=(Collision(geometry=m.Box(size=size), pose=pose),)))
    mass = DENSITY * a * b * c
    R = np.array(rotation_matrix(pose.wxyz))
    expected = R @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ R.T * mass / 12.0
    assert found.mass == pytest.approx(mass, rel=1e-14)
    assert found.center_of_mass == pytest.approx(pose.position)
    assert np.allclose(found.moment, expected, rtol=1e-12)


def test_shapes_without_finite_moments_do_not_count() -> None:
    field = m.HeightField(rows=2, columns=2, size=(1.0, 1.0, 1.0, 1.0), elevations=(0.0, 1.0, 1.0, 0.0))
    huge = m.Box(size=(1e100, 1e100, 1e100))
    for shape in (field, huge):
        found = inferred(Body(name="b", inertial=MASSLESS, collisions=(Collision(geometry=shape),)))
        assert (found.mass, found.moment) == (LEAST_MASS, ((LEAST_MOMENT, 0, 0), (0, LEAST_MOMENT, 0), (0, 0, LEAST_MOMENT)))


def test_moments_that_overflow_are_not_inferred() -> None:
    pea = Collision(geometry=m.Sphere(radius=1e-100))
    heavy = Body(name="b", inertial=Inertial(mass=1e300, moment=ZERO), collisions=(pea,))
    assert inferred(heavy) == heavy.inertial
    far = tuple(Collision(geometry=m.Box(size=(1.0, 1.0, 1.0)), pose=Pose((x, 0.0, 0.0))) for x in (-1e300, 1e300))
    assert inferred(Body(name="b", inertial=MASSLESS, collisions=far)).mass == LEAST_MASS


def test_a_box_in_two_pieces_is_the_same_box() -> None:
    halves = [Collision(geometry=m.Box(size=(0.2, 0.3, 0.5)), pose=Pose((0.0, 0.0, z))) for z in (0.25, 0.75)]
    whole = Collision(geometry=m.Box(size=(0.2, 0.3, 1.0)), pose=Pose((0.0, 0.0, 0.5)))
    one, other = (inferred(Body(name="b", inertial=MASSLESS, collisions=tuple(shapes))) for shapes in (halves, [whole]))
    assert one.mass == pytest.approx(other.mass)
    assert one.center_of_mass == pytest.approx(other.center_of_mass)
    assert np.allclose(one.moment or ZERO, other.moment or ZERO, rtol=1e-12)


@pytest.mark.parametrize(
    "shape",
    [m.Cone(radius=0.3, length=0.8), m.Cylinder(radius=0.3, length=0.8), m.Pyramid(base_width=0.2, base_depth=0.4, height=0.6)],
)
def test_shapes_agree_with_their_tessellation(shape: m.Geometry) -> None:
    closed, mesh = shape_mass_properties(shape), mesh_mass_properties(tessellate(shape, 400))
    assert mesh.volume == pytest.approx(closed.volume, rel=1e-3)
    assert mesh.center_of_mass == pytest.approx(closed.center_of_mass, abs=1e-4)
    assert np.allclose(mesh.moment, closed.moment, rtol=1e-3, atol=1e-6)


def test_meshes_agree_with_trimesh() -> None:
    random = np.random.default_rng(2)
    for solid in (trimesh.creation.annulus(0.1, 0.3, 0.5), trimesh.creation.icosphere(2), trimesh.creation.box((1, 2, 3))):
        solid.apply_transform(trimesh.transformations.random_rotation_matrix(random.random(3)))
        solid.apply_translation(random.uniform(-50.0, 50.0, 3))
        expected = solid.mass_properties
        found = mesh_mass_properties(mesh_of(solid))
        assert not found.is_hull
        assert found.volume == pytest.approx(expected["volume"], rel=1e-9)
        assert np.allclose(found.center_of_mass, expected["center_mass"], rtol=1e-9)
        assert np.allclose(found.moment, expected["inertia"], rtol=1e-4, atol=1e-6 * np.abs(expected["inertia"]).max())


def test_separate_vertices_and_the_other_direction_make_no_difference() -> None:
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    plain = mesh_mass_properties(mesh_of(box))
    corners = np.array(box.vertices)[box.faces]
    faces = np.arange(36, dtype=np.int64).reshape(-1, 3)
    loose = mesh_mass_properties(m.MeshData(vertices=corners.reshape(-1, 3), faces=faces))
    inverted = mesh_mass_properties(m.MeshData(vertices=np.array(box.vertices), faces=np.array(box.faces)[:, ::-1]))
    assert plain.volume == pytest.approx(6.0)
    for other in (loose, inverted):
        assert not other.is_hull
        assert other.volume == pytest.approx(6.0)
        assert np.allclose(other.moment, plain.moment)


def test_an_open_mesh_counts_as_its_hull() -> None:
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    mesh = m.MeshData(vertices=np.array(box.vertices), faces=np.array(box.faces, dtype=np.int64)[1:])
    found = mesh_mass_properties(mesh)
    assert found.is_hull
    assert found.volume == pytest.approx(6.0)


def test_a_flat_mesh_has_no_volume_and_the_body_gets_the_least_mass() -> None:
    flat = m.MeshData(vertices=np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), faces=np.array([[0, 1, 2]]))
    shape = m.TriangleMesh(surface=m.LazyMesh(flat))
    found = inferred(Body(name="b", inertial=MASSLESS, collisions=(Collision(geometry=shape),)))
    assert found.mass == LEAST_MASS
    assert np.linalg.eigvalsh(np.array(found.moment)) == pytest.approx([LEAST_MOMENT] * 3)


def test_visual_shapes_are_used_without_collision_shapes() -> None:
    sphere = m.Sphere(radius=0.1)
    found = inferred(Body(name="b", inertial=MASSLESS, visuals=(Visual(geometry=sphere),)))
    assert found.mass == pytest.approx(DENSITY * 4.0 / 3.0 * math.pi * 1e-3)


def test_specified_inertia_is_kept_and_a_specified_mass_gets_moments() -> None:
    sphere = (Collision(geometry=m.Sphere(radius=0.1)),)
    specified = Inertial(mass=3.0, center_of_mass=(1.0, 0.0, 0.0), moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    assert inferred(Body(name="b", inertial=specified, collisions=sphere)) == specified
    point = replace(specified, moment=ZERO)
    found = inferred(Body(name="b", inertial=point, collisions=sphere))
    assert (found.mass, found.center_of_mass) == (3.0, (1.0, 0.0, 0.0))
    assert np.allclose(found.moment, 0.4 * 3.0 * 0.01 * np.eye(3))


def test_a_moving_tip_without_shapes_gets_the_least_mass_and_a_frame_stays_massless() -> None:
    arm = Body(name="arm", inertial=Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))))
    tip = Body(name="tip", inertial=MASSLESS)
    turning = m.Joint(name="turning", type=m.Revolute(), parent="arm", child="tip")
    rigid = m.Joint(name="rigid", type=m.Fixed(), parent="arm", child="tip")
    assert inferred(tip, joints=(turning,), others=(arm,)).mass == LEAST_MASS
    assert inferred(tip, joints=(rigid,), others=(arm,)) == MASSLESS


def test_a_density_must_be_positive() -> None:
    with pytest.raises(ValueError, match="density"):
        infer_inertia(World(), density=0.0)
