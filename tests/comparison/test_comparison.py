"""What differs between two Worlds."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from complete_robot import TETRAHEDRON, robot
from conftest import PROJECT
from ossature import model as m
from ossature.assets import AssetError
from ossature.comparison import ABSENT, compare
from ossature.diagnostics import Location, Report, Source
from ossature.formats.skel import read_skel
from ossature.model import Actuation, Body, Coordinate, Joint, Model, NamedList, Revolute, Sphere, Visual, World
from ossature.spatial import Pose, quaternion_from_rotation_vector
from perturb import perturbations

BALL = Visual(geometry=Sphere(radius=1.0))


def world(*bodies: Body, joints: tuple[Joint, ...] = ()) -> World:
    return World(models=NamedList([Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints))]))


def joint(**fields: object) -> Joint:
    return replace(Joint(name="elbow", type=Revolute(), parent=None, child="b"), **fields)


def found(a: object, b: object, tolerance: float = 0.0) -> list[str]:
    return [str(difference) for difference in compare(a, b, tolerance=tolerance)]


def test_a_world_equals_itself() -> None:
    path = PROJECT / "examples" / "arm.skel"
    first, second = (read_skel(Source(name, path.read_bytes()), Report()) for name in ("a.skel", "b.skel"))
    assert first is not second
    assert not compare(first, second)


def test_a_change_is_found_where_it_was_made() -> None:
    original = read_skel(Source("arm.skel", (PROJECT / "examples" / "arm.skel").read_bytes()), Report())
    assert original is not None
    for where, changed in perturbations(original):
        differences = compare(original, changed)
        assert differences, where
        assert all(difference.path.startswith(where.removesuffix(".name")) for difference in differences), where


def test_paths_lead_to_the_field() -> None:
    a, b = (world(Body(name="b"), joints=(joint(coordinates=(Coordinate(damping=d),)),)) for d in (1.0, 2.0))
    assert found(a, b) == ["arm/elbow.coordinates[0].damping: 1 → 2"]


def test_parts_have_paths_too() -> None:
    assert found(Pose(), Pose((1.0, 0.0, 0.0))) == ["position: (0, 0, 0) → (1, 0, 0)"]
    assert found(joint(), joint(actuation=Actuation.LOCKED)) == ["actuation: 'force' → 'locked'"]


def test_a_change_of_a_robot_is_found_where_it_was_made() -> None:
    original = robot()
    assert not compare(original, robot())
    for where, changed in perturbations(original):
        differences = compare(original, changed)
        assert differences, where
        assert all(difference.path.startswith(where.removesuffix(".name")) for difference in differences), where


def scaled(factor: float) -> m.TriangleMesh:
    vertices = TETRAHEDRON.vertices * factor
    return m.TriangleMesh(surface=m.LazyMesh(m.MeshData(vertices=vertices, faces=TETRAHEDRON.faces)))


def test_triangles_are_told_shortly() -> None:
    assert not compare(scaled(1.0), scaled(1.0))
    away = 0.1 * math.sqrt(3.0)
    assert found(scaled(1.0), scaled(2.0)) == [
        f"surface: 4 triangles of 4 vertices → 4 triangles of 4 vertices, up to {away:.3g} m apart"
    ]
    fewer = m.MeshData(vertices=TETRAHEDRON.vertices[:3], faces=TETRAHEDRON.faces[:1])
    assert found(scaled(1.0), m.TriangleMesh(surface=m.LazyMesh(fewer))) == [
        "surface: 4 triangles of 4 vertices → 1 triangles of 3 vertices"
    ]


def test_triangles_within_a_tolerance() -> None:
    assert not compare(scaled(1.0), scaled(1.0 + 1e-9), tolerance=1e-8)
    assert compare(scaled(1.0), scaled(1.0 + 1e-6), tolerance=1e-8)
    assert compare(scaled(1.0), scaled(1.0 + 1e-9))


def torn(reason: str) -> m.TriangleMesh:
    def fetch() -> m.MeshData:
        raise AssetError("robot.zae", reason)

    return m.TriangleMesh(surface=m.LazyMesh(fetch))


def test_triangles_that_cannot_be_had() -> None:
    assert not compare(torn("it is torn"), torn("it is torn"))
    assert found(torn("it is torn"), torn("it is gone")) == ["surface: 'robot.zae: it is torn' → 'robot.zae: it is gone'"]
    assert found(scaled(1.0), torn("it is torn")) == ["surface: 4 triangles of 4 vertices → 'robot.zae: it is torn'"]


def test_added_and_removed() -> None:
    a, b = world(Body(name="x"), Body(name="y")), world(Body(name="y"), Body(name="z"))
    assert found(a, b) == ["arm/x: body 'x' → absent", "arm/z: absent → body 'z'"]
    assert compare(a, b)[0].b is ABSENT


def test_order() -> None:
    x, y, z = (Body(name=name) for name in "xyz")
    assert found(world(x, y), world(y, x)) == ["arm.bodies (order): 'x', 'y' → 'y', 'x'"]
    assert found(world(x, y), world(y, x, z)) == ["arm/z: absent → body 'z'", "arm.bodies (order): 'x', 'y' → 'y', 'x'"]
    assert found(world(x, y), world(z, x, y)) == ["arm/z: absent → body 'z'"]


def test_names_that_occur_twice() -> None:
    light, heavy = Body(name="b"), Body(name="b", gravity=False)
    assert not compare(world(light, heavy), world(light, heavy))
    assert found(world(light, heavy), world(light, light)) == ["arm/b.gravity: false → true"]
    assert found(world(light, heavy), world(light)) == ["arm/b: body 'b' → absent"]


def test_elements_without_names_are_matched_by_position() -> None:
    two, one = Body(name="b", visuals=(BALL, BALL)), Body(name="b", visuals=(BALL,))
    assert [difference.path for difference in compare(two, one)] == ["visuals"]
    other = replace(BALL, geometry=Sphere(radius=2.0))
    assert found(two, replace(two, visuals=(BALL, other))) == ["visuals[1].geometry.radius: 1 → 2"]


def test_another_kind() -> None:
    assert [difference.path for difference in compare(joint(), joint(type=m.Prismatic()))] == ["type"]
    assert [difference.path for difference in compare(Body(name="b"), joint())] == [""]


def test_set_and_not_set() -> None:
    assert found(BALL, replace(BALL, color=(0.0, 0.0, 0.0, 1.0))) == ["color: none → (0, 0, 0, 1)"]


@pytest.mark.parametrize(
    ("a", "b", "tolerance", "same"),
    [
        (1.0, 1.0 + 1e-9, 0.0, False),
        (1.0, 1.0 + 1e-9, 1e-8, True),
        (1e6, 1e6 + 1.0, 1e-5, True),
        (0.0, 1e-9, 1e-8, True),
        (0.0, 1e-7, 1e-8, False),
        (math.nan, math.nan, 0.0, True),
        (math.nan, 1.0, 1.0, False),
        (math.inf, math.inf, 1e-3, True),
        (math.inf, -math.inf, 1e-3, False),
        (math.inf, 1.0, 1e-3, False),
        (0.0, -0.0, 0.0, True),
        (1, 1.0, 0.0, True),
        (True, 1.0, 0.0, False),
    ],
)
def test_numbers(a: float, b: float, tolerance: float, same: bool) -> None:
    assert (not compare(a, b, tolerance=tolerance)) is same
    assert (not compare((a,), (b,), tolerance=tolerance)) is same


def test_a_rotation_has_two_quaternions() -> None:
    wxyz = quaternion_from_rotation_vector((0.1, 0.2, 0.3))
    opposite = (-wxyz[0], -wxyz[1], -wxyz[2], -wxyz[3])
    assert [difference.path for difference in compare(Pose(wxyz=wxyz), Pose(wxyz=opposite))] == ["wxyz"]
    assert not compare(Pose(wxyz=wxyz), Pose(wxyz=opposite), tolerance=1e-12)
    assert compare(Pose(wxyz=wxyz), Pose(), tolerance=1e-12)


def test_the_place_in_a_file_makes_no_difference() -> None:
    assert not compare(Body(name="b"), Body(name="b", origin=Location(Source("f", b""), 0)))


def test_long_values_are_cut() -> None:
    (line,) = found(Body(name="a" * 500), Body(name="b" * 500))
    assert len(line) < 300
