"""A bit-exact restart requires the same contents of mesh files."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh
from test_grasp_dynamics import ball
from test_restart import same_bits, through_text

from ossature.assets import MeshStore, Resolver
from ossature.model import Body, Collision, Mesh, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import Pose


def thing(name: str, file: Path, x: float = 0.0) -> Model:
    shape = (Collision(geometry=Mesh(uri=file.name, convex=True)),)
    body = Body(name=name, pose=Pose((x, 0.0, 0.6)), inertial=ball(1.0), collisions=shape)
    return Model(name=name, bodies=NamedList([body]))


def two_things(folder: Path) -> World:
    files = [folder / "cube.obj", folder / "bar.obj"]
    for file, size in zip(files, ((1.0, 1.0, 1.0), (0.2, 2.0, 0.2)), strict=True):
        trimesh.creation.box(size).export(file)
    return World(models=NamedList([thing("cube", files[0]), thing("bar", files[1], 1.0)]))


def simulated(world: World, folder: Path) -> Simulation:
    return Simulation(world, meshes=MeshStore(Resolver(folder=folder)))


CHANGES = {
    "other size": lambda mesh: mesh.apply_scale((3.0, 1.0, 1.0)),
    "other place": lambda mesh: mesh.apply_translation((0.1, 0.0, 0.0)),
    "turned": lambda mesh: mesh.apply_transform(trimesh.transformations.rotation_matrix(0.2, (0.0, 0.0, 1.0))),
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_triangles_of_the_same_file_name_are_reported(tmp_path: Path, change: str) -> None:
    world = two_things(tmp_path)
    before = simulated(world, tmp_path)
    before.step(20)
    state = through_text(before.state())
    mesh = trimesh.load_mesh(tmp_path / "cube.obj")
    CHANGES[change](mesh)
    mesh.export(tmp_path / "cube.obj")
    after = simulated(world, tmp_path)
    after.restore(state)
    (finding,) = after.report.take("approximate-restart")
    assert finding.message.startswith("meshes: ")


def test_a_restart_with_the_same_triangles_is_bit_exact(tmp_path: Path) -> None:
    world = two_things(tmp_path)
    whole = simulated(world, tmp_path)
    whole.step(20)
    whole.grasp("bar", "cube")
    whole.step(20)
    second = simulated(world, tmp_path)
    second.restore(through_text(whole.state()))
    assert not second.report.take("approximate-restart")
    whole.step(50)
    second.step(50)
    assert same_bits(whole, second)
