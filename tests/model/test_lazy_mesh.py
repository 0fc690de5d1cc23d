"""Triangles are fetched when somebody asks for them, once, and by nothing else."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from complete_robot import TETRAHEDRON, robot
from ossature.cli import info, pose, read_options
from ossature.cli.app import app
from ossature.kinematics import poses
from ossature.model import LazyMesh, MeshData, TriangleMesh, World
from ossature.model.element_fields import elements


def unwanted() -> MeshData:
    raise AssertionError("nobody needs these triangles")


def unfetched(world: World) -> World:
    """Return a World whose triangles nobody may fetch."""
    for _, element, _ in elements(world):
        if isinstance(element, TriangleMesh):
            object.__setattr__(element, "surface", LazyMesh(unwanted))
    return world


def test_fetched_once() -> None:
    fetched = []

    def fetch() -> MeshData:
        fetched.append(1)
        return TETRAHEDRON

    surface = LazyMesh(fetch)
    assert repr(surface) == "Surface(not fetched)"
    assert not surface.is_fetched
    assert surface.triangles is surface.triangles is TETRAHEDRON
    assert repr(surface) == "Surface(4 triangles)"
    assert fetched == [1]
    assert surface == LazyMesh(TETRAHEDRON)
    assert hash(surface) == hash(LazyMesh(TETRAHEDRON))


def test_a_pickled_world_has_its_triangles() -> None:
    world = robot()
    shape = TriangleMesh(surface=LazyMesh(lambda: TETRAHEDRON))
    hand = world.models["arm"].bodies["hand"]
    seen = replace(hand, visuals=(replace(hand.visuals[0], geometry=shape),))
    assert pickle.loads(pickle.dumps(seen)) == hand  # noqa: S301  # its own bytes


@pytest.mark.parametrize("command", [("info",), ("info", "--json"), ("pose",), ("pose", "--json")])
def test_commands_that_need_no_triangles(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in (read_options, info, pose):
        monkeypatch.setattr(module, "load_world", lambda *arguments, **options: unfetched(robot()), raising=False)
    path = tmp_path / "robot.skel"
    path.write_text("")
    result = CliRunner().invoke(app, [command[0], str(path), *command[1:]])
    assert result.exit_code == 0, result.output
    assert "hand" in result.stdout


def test_poses_and_parts_need_no_triangles() -> None:
    world = unfetched(robot())
    assert poses(world)["arm"]["hand"] == ossature.poses(robot())["arm"]["hand"]
    assert list(elements(world))
    repr(world)
