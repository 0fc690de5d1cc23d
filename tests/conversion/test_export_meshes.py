"""Triangles inside the model on their way into files beside the written one, and those of files on their way into the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from complete_robot import MOMENT, TETRAHEDRON, robot
from conftest import PROJECT
from ossature import model as m
from ossature.assets import AssetError, MemoryFiles, MeshStore, Resolver, embedded_triangles
from ossature.comparison import compare
from ossature.conversion import save
from ossature.diagnostics import Action, Ledger
from ossature.formats import WriteContext
from ossature.formats.passes.embed_meshes import embed_meshes
from ossature.model import Body, Collision, Inertial, LazyMesh, Mesh, MeshData, Model, NamedList, TriangleMesh, Visual, World

FORMATS = pytest.mark.parametrize("suffix", [".skel", ".yaml", ".urdf"])


def world(*bodies: Body) -> World:
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies))]))


def body(name: str, *triangles: MeshData, convex: bool = False) -> Body:
    shapes = [TriangleMesh(surface=LazyMesh(each), convex=convex) for each in triangles]
    return Body(
        name=name,
        inertial=Inertial(moment=MOMENT),
        visuals=tuple(Visual(geometry=shape) for shape in shapes),
        collisions=tuple(Collision(geometry=shape) for shape in shapes),
    )


def random_triangles(seed: int) -> MeshData:
    rng = np.random.default_rng(seed)
    vertices = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-200, 28, size=(40, 1))
    extremes = [[-0.0, 0.0, 5e-324], [0.1, 1.0 / 3.0, 1e22], [0.1, 1.0 / 3.0, 1e22], [-9.876543210987654e28, 1.0, -2.0]]
    faces = np.array([*rng.integers(0, 44, size=(200, 3)), [40, 41, 42], [42, 43, 40], [0, 0, 1]])
    return MeshData(vertices=np.vstack([vertices, extremes]), faces=faces)


def bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.float64).view(np.int64)


def meshes_in(folder: Path) -> list[str]:
    """Return the names of the files that hold triangles, beside the robot's."""
    return sorted(path.name for path in (folder / "robot_meshes").glob("*"))


@FORMATS
def test_mesh_files_are_bit_exact(suffix: str, tmp_path: Path) -> None:
    triangles = [random_triangles(seed) for seed in range(3)]
    original = world(body("a", *triangles[:2]), body("b", triangles[0]), body("A", triangles[2]))
    ledger = save(original, tmp_path / f"robot{suffix}")
    assert meshes_in(tmp_path) == ["A_2.obj", "a_0.obj", "a_1.obj"]
    again = ossature.load(tmp_path / f"robot{suffix}")
    meshes = MeshStore.of(again)
    for name, expected in (("a", triangles[:2]), ("b", triangles[:1]), ("A", triangles[2:])):
        for kind in ("visuals", "collisions"):
            shapes = getattr(again.models[-1].bodies[name], kind)
            for shape, wanted in zip(shapes, expected, strict=True):
                found = meshes.triangles(shape.geometry)
                np.testing.assert_array_equal(bits(found.vertices), bits(wanted.vertices))
                np.testing.assert_array_equal(found.faces, wanted.faces)
    assert not [found for found in compare(original, again, tolerance=1e-12) if not ledger.covers(found.path)]
    entry = next(entry for entry in ledger if entry.path == "m/b.collisions[0].geometry")
    assert (entry.action, entry.detail) == (Action.REWRITTEN, "the mesh is written to robot_meshes/a_0.obj")


def test_vertices_that_no_triangle_has_are_left_out(tmp_path: Path) -> None:
    vertices = np.vstack([[[9.0, 9.0, 9.0]], TETRAHEDRON.vertices, [[8.0, 8.0, 8.0]]])
    triangles = MeshData(vertices=vertices, faces=TETRAHEDRON.faces + 1)
    assert embedded_triangles(TriangleMesh(surface=LazyMesh(triangles))) == TETRAHEDRON
    save(world(body("a", triangles)), tmp_path / "robot.skel")
    again = ossature.load(tmp_path / "robot.skel")
    assert MeshStore.of(again).triangles(again.models["m"].bodies["a"].visuals[0].geometry) == TETRAHEDRON


@FORMATS
def test_saving_again_replaces_the_files(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"robot{suffix}"
    save(world(body("a", TETRAHEDRON)), path)
    larger = MeshData(vertices=2.0 * TETRAHEDRON.vertices, faces=TETRAHEDRON.faces)
    assert not [entry for entry in save(world(body("a", larger)), path) if entry.action is Action.DROPPED]
    again = ossature.load(path)
    assert MeshStore.of(again).triangles(again.models[-1].bodies["a"].visuals[0].geometry) == larger


@FORMATS
def test_no_other_file_is_overwritten(suffix: str, tmp_path: Path) -> None:
    foreign = tmp_path / "robot_meshes" / "a_0.obj"
    foreign.parent.mkdir()
    foreign.write_text("# somebody's own\n")
    ledger = save(world(body("a", TETRAHEDRON)), tmp_path / f"robot{suffix}")
    assert foreign.read_text() == "# somebody's own\n"
    assert meshes_in(tmp_path) == ["a_0.obj", "a_1.obj"]
    assert not [entry for entry in ledger if entry.action is Action.DROPPED and "visuals" in entry.path]
    again = ossature.load(tmp_path / f"robot{suffix}")
    assert MeshStore.of(again).triangles(again.models[-1].bodies["a"].visuals[0].geometry) == TETRAHEDRON


def torn() -> MeshData:
    raise AssetError("robot.zae", "its triangles are torn")


@FORMATS
def test_unavailable_triangles(suffix: str, tmp_path: Path) -> None:
    shapes = (Visual(geometry=TriangleMesh(surface=LazyMesh(torn))), Visual(geometry=m.Sphere(radius=0.5)))
    original = world(replace(body("a"), visuals=shapes))
    ledger = save(original, tmp_path / f"robot{suffix}")
    assert not meshes_in(tmp_path)
    (entry,) = [entry for entry in ledger if entry.path == "m/a.visuals[0]"]
    assert (entry.action, entry.detail) == (
        Action.DROPPED,
        "unavailable mesh: robot.zae: its triangles are torn",
    )
    again = ossature.load(tmp_path / f"robot{suffix}")
    assert [visual.geometry for visual in again.models[-1].bodies["a"].visuals] == [m.Sphere(radius=0.5)]


@FORMATS
def test_unsupported_shapes_need_no_file(suffix: str, tmp_path: Path) -> None:
    inner = (Collision(geometry=TriangleMesh(surface=LazyMesh(TETRAHEDRON))),)
    ledger = save(world(replace(body("a"), self_collisions=inner)), tmp_path / f"robot{suffix}")
    assert not meshes_in(tmp_path)
    assert any(entry.action is Action.DROPPED and entry.path == "m/a.self_collisions" for entry in ledger)


def test_where_the_folder_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "robot_meshes").write_text("a file, where the folder should be")
    with pytest.raises(OSError, match="robot_meshes"):
        save(world(body("a", TETRAHEDRON)), tmp_path / "robot.skel")
    assert not (tmp_path / "robot.skel").exists()


@pytest.mark.parametrize("name", ["a/b", "..", "", "x" * 300, "ünïcödé", "two\nlines", "a.b"])
def test_bodies_of_odd_names(name: str, tmp_path: Path) -> None:
    save(world(body(name, TETRAHEDRON)), tmp_path / "robot.yaml")
    (found,) = meshes_in(tmp_path)
    assert found.endswith("_0.obj")
    again = ossature.load(tmp_path / "robot.yaml")
    assert MeshStore.of(again).triangles(again.models[-1].bodies[-1].visuals[0].geometry) == TETRAHEDRON


def test_a_mesh_that_stands_for_its_hull(tmp_path: Path) -> None:
    save(world(body("a", TETRAHEDRON, convex=True)), tmp_path / "robot.yaml")
    assert ossature.load(tmp_path / "robot.yaml").models[-1].bodies["a"].collisions[0].geometry.convex


def test_formats_that_hold_triangles_need_no_files(tmp_path: Path) -> None:
    save(robot(), tmp_path / "robot.dae")
    assert [path.name for path in tmp_path.iterdir()] == ["robot.dae"]


# The other way


def store(**contents: bytes) -> MeshStore:
    held = {f"/robot/{name.replace('_', '.')}": data for name, data in contents.items()}
    return MeshStore(Resolver(folder=Path("/robot"), files=MemoryFiles(held)))


def test_files_become_triangles_inside_the_model() -> None:
    data = (PROJECT / "tests" / "skel" / "files" / "tetrahedron.obj").read_bytes()
    there, absent = Mesh(uri="/robot/there.obj", scale=(1.0, -2.0, 3.0), convex=True), Mesh(uri="/robot/absent.obj")
    original = world(
        replace(
            body("a"),
            visuals=(Visual(geometry=there), Visual(geometry=absent), Visual(geometry=m.Sphere(radius=1.0))),
            collisions=(Collision(geometry=there),),
            self_collisions=(Collision(geometry=there),),
        )
    )
    meshes, ledger = store(there_obj=data), Ledger()
    changed = embed_meshes(original, WriteContext(path=Path("x.dae"), meshes=meshes, ledger=ledger)).models["m"].bodies["a"]
    seen, ball = [visual.geometry for visual in changed.visuals]
    assert isinstance(seen, TriangleMesh)
    assert seen.convex
    assert seen.surface.triangles == meshes.triangles(there)
    assert seen.surface is changed.collisions[0].geometry.surface is changed.self_collisions[0].geometry.surface
    assert ball == m.Sphere(radius=1.0)
    actions = {entry.path: entry.action for entry in ledger}
    assert actions == {
        "m/a.visuals[0].geometry": Action.REWRITTEN,
        "m/a.visuals[1]": Action.DROPPED,
        "m/a.collisions[0].geometry": Action.REWRITTEN,
        "m/a.self_collisions[0].geometry": Action.REWRITTEN,
    }


def test_there_and_back(tmp_path: Path) -> None:
    """Triangles in the model, in files, and in the model again are the same."""
    original = world(body("a", random_triangles(7)))
    save(original, tmp_path / "robot.skel")
    again = ossature.load(tmp_path / "robot.skel")
    inside = embed_meshes(again, WriteContext(path=tmp_path / "x.dae", meshes=MeshStore.of(again)))
    assert inside.models["m"].bodies["a"].collisions == original.models["m"].bodies["a"].collisions
