"""Checks of shapes, meshes, textures and colors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from complete_robot import TETRAHEDRON
from ossature import model as m
from ossature.assets import AssetError, MeshStore, Resolver
from ossature.checks import check
from ossature.diagnostics import Report
from ossature.model import Collision, Joint, NamedList, Visual, World

from .worlds_and_cases import (
    BOX,
    FILES,
    FIXED,
    Cases,
    chain_of,
    find_none,
    find_one,
    good_body,
    good_joint,
    meshes,
    numbered,
    on_the_ground,
    world_of,
)


def with_shape(geometry: m.Geometry) -> World:
    return world_of(good_body(collisions=(Collision(geometry=geometry),)))


FREE = Joint(name="j", type=m.Floating(), parent=None, child="b")


def colored(*color: float) -> World:
    return world_of(good_body(visuals=(Visual(geometry=BOX, color=color),)))  # type: ignore[arg-type]


def soft(**fields: object) -> World:
    return world_of(good_body(soft_skin=m.SoftSkin(geometry=BOX, **fields)))  # type: ignore[arg-type]


def torn() -> m.MeshData:
    raise AssetError("robot.zae", "its triangles are torn")


NOTHING = m.MeshData(vertices=np.zeros((0, 3)), faces=np.zeros((0, 3), dtype=np.int64))


def textured(file: str) -> World:
    world = world_of()
    material = m.Extension(format="urdf", key="material", value=f'<material name="m"><texture filename="{file}"/></material>')
    return replace(world, models=NamedList([replace(world.models[0], extensions=(material,))]))


BAD: Cases = {
    "missing-mesh": (
        lambda: with_shape(m.Mesh(uri="/robot/urdf/absent.obj")),
        lambda: with_shape(m.Mesh(uri="package://arm/absent.obj")),
        lambda: with_shape(m.Mesh(uri="https://example.org/absent.obj")),
        lambda: with_shape(m.Mesh(uri="")),
    ),
    "unreadable-mesh": (
        lambda: with_shape(m.Mesh(uri="/robot/urdf/there.max")),
        lambda: with_shape(m.TriangleMesh(surface=m.LazyMesh(torn))),
        lambda: with_shape(m.TriangleMesh(surface=m.LazyMesh(NOTHING))),
        lambda: world_of(good_body(self_collisions=(Collision(geometry=m.TriangleMesh(surface=m.LazyMesh(torn))),))),
    ),
    "guessed-package": (
        lambda: with_shape(m.Mesh(uri="package://other/meshes/hand.obj")),
        lambda: with_shape(m.Mesh(uri="package://meshes/hand.obj")),
    ),
    "missing-texture": (lambda: textured("gone.png"), lambda: textured("a&amp;b.png")),
    "implausible-mesh-scale": (lambda: chain_of(0.3, mesh_scale=1000.0), lambda: chain_of(0.3, mesh_scale=1e-5)),
    "non-positive-size": (
        lambda: with_shape(m.Sphere(radius=-1.0)),
        lambda: with_shape(m.Box(size=(1.0, 0.0, 1.0))),
        lambda: with_shape(m.MultiSphere(balls=())),
        lambda: with_shape(m.Mesh(uri="/robot/urdf/there.obj", scale=(1.0, 0.0, 1.0))),
    ),
    "missing-collision-shape": (
        lambda: world_of(good_body(collisions=()), joints=(FREE,)),
        lambda: world_of(
            good_body(collisions=()), good_body("c", collisions=()), joints=(FREE, good_joint("k", parent="b", child="c"))
        ),
    ),
    "plane-on-moving-body": (lambda: with_shape(m.Plane()),),
    "invalid-soft-body": (lambda: soft(mass=0.0), lambda: soft(edge_stiffness=-1.0), lambda: soft(damping=-1.0)),
    "color-out-of-range": (lambda: colored(255.0, 0.0, 0.0, 1.0), lambda: colored(-0.1, 0.0, 0.0, 1.0)),
}

NEARLY: Cases = {
    "missing-mesh": (lambda: with_shape(m.Mesh(uri="/robot/urdf/there.obj")),),
    "unreadable-mesh": (
        lambda: with_shape(m.Mesh(uri="/robot/urdf/THERE.OBJ")),
        lambda: with_shape(m.TriangleMesh(surface=m.LazyMesh(TETRAHEDRON))),
    ),
    "guessed-package": (lambda: with_shape(m.Mesh(uri="package://robot/meshes/hand.obj")),),
    "missing-texture": (lambda: textured("there.png"),),
    "implausible-mesh-scale": (lambda: chain_of(0.3), lambda: chain_of(0.3, mesh_scale=0.005)),
    "non-positive-size": (
        lambda: with_shape(m.Sphere(radius=1.0)),
        lambda: with_shape(m.Mesh(uri="/robot/urdf/there.obj", scale=(1.0, -1.0, 1.0))),
    ),
    "missing-collision-shape": (
        lambda: world_of(good_body(collisions=())),
        lambda: world_of(good_body(collisions=()), joints=(FREE,), gravity=(0.0, 0.0, 0.0)),
        lambda: world_of(good_body(collisions=(), gravity=False), joints=(FREE,)),
        lambda: world_of(good_body(collisions=()), joints=(FREE, FIXED)),
        lambda: world_of(good_body(collisions=()), good_body("c"), joints=(FREE, good_joint("k", parent="b", child="c"))),
        lambda: world_of(
            good_body(collisions=()),
            good_body("c", collisions=()),
            joints=(FREE, good_joint("k", child="c"), good_joint("l", parent="b", child="c")),
        ),
    ),
    "plane-on-moving-body": (lambda: on_the_ground(m.Plane()),),
    "invalid-soft-body": (lambda: soft(mass=0.5, damping=1.0),),
    "color-out-of-range": (lambda: colored(0.0, 1.0, 0.0, 0.0),),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)


def test_mesh_files_are_opened_on_request(report: Report) -> None:
    world = with_shape(m.Mesh(uri="empty.stl"))
    check(world, report=report, meshes=meshes())
    check(world, report=report, meshes=meshes(), open_meshes=True)
    (finding,) = report.take("unreadable-mesh")
    assert "empty.stl" in finding.message


def test_the_search_for_a_mesh_is_told() -> None:
    resolver = Resolver(search_path=(Path("/one"), Path("/two")), files=FILES)
    (finding,) = check(with_shape(m.Mesh(uri="package://arm/hand.obj")), meshes=MeshStore(resolver)).take("missing-mesh")
    assert str(Path("/one/arm/hand.obj")) in finding.message
    assert str(Path("/two/arm/hand.obj")) in finding.message
    assert finding.hint


@pytest.mark.parametrize("scale", [0.0, 1e-320, 1e-8])
def test_meshes_without_area_are_reported_if_meshes_are_opened(scale: float, report: Report) -> None:
    vertices = scale * TETRAHEDRON.vertices + float(scale == 0.0)
    shape = m.TriangleMesh(surface=m.LazyMesh(m.MeshData(vertices=vertices, faces=TETRAHEDRON.faces)))
    check(with_shape(shape), report=report, meshes=meshes())
    assert not report.take("non-positive-size")
    check(with_shape(shape), report=report, meshes=meshes(), open_meshes=True)
    (finding,) = report.take("non-positive-size")
    assert "the triangles of a mesh have an area of" in finding.message


def test_small_and_flat_meshes_have_an_area(report: Report) -> None:
    for factors in ((1e-6, 1e-6, 1e-6), (1.0, 1.0, 0.0)):
        data = m.MeshData(vertices=TETRAHEDRON.vertices * factors, faces=TETRAHEDRON.faces)
        check(with_shape(m.TriangleMesh(surface=m.LazyMesh(data))), report=report, meshes=meshes(), open_meshes=True)
    assert not report.take("non-positive-size")


INERTIAL = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
UNNAMED = f"""<robot name="r"><link name="b"><inertial>{INERTIAL}</inertial>
<visual><geometry><mesh filename=""/></geometry></visual></link></robot>"""


@pytest.mark.parametrize("name", ["robot.urdf", "robot.sdf", "robot.yaml"])
def test_an_empty_name_of_a_mesh_file_is_reported(name: str, tmp_path: Path) -> None:
    ossature.save(ossature.load(UNNAMED), tmp_path / name)
    (finding,) = ossature.check(tmp_path / name, open_meshes=True).warnings
    assert (finding.rule.name, finding.message) == ("missing-mesh", "the name of the file is empty")


def test_an_empty_name_of_a_mesh_file_in_skel_is_reported() -> None:
    mesh = "<visualization_shape><geometry><mesh><file_name/></mesh></geometry></visualization_shape>"
    text = f'<skel version="1.0"><world name="w"><skeleton name="s"><body name="b">{mesh}</body></skeleton></world></skel>'
    (finding,) = ossature.check(text).take("missing-mesh")
    assert finding.message == "the name of the file is empty"
