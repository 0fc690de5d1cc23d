"""Files are opened where the caller allows it, and nowhere else; broken ones are told."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.assets import (
    SEARCH_PATH_VARIABLE,
    AssetError,
    MemoryFiles,
    MeshStore,
    Resolver,
    search_path_from_environment,
    write_file_atomically,
)
from ossature.diagnostics import Report
from ossature.model import Mesh

TETRAHEDRON = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
FILES = MemoryFiles(
    {
        "/robot/mesh.obj": TETRAHEDRON,
        "/robot/parts/a b.obj": TETRAHEDRON,
        "/packages/arm/hand.obj": TETRAHEDRON,
        "/packages/skel/cube.obj": TETRAHEDRON,
        "/secret/mesh.obj": TETRAHEDRON,
        "/robot/broken.stl": b"solid",
        "/robot/empty.obj": b"",
        "/robot/broken.dae": b"<COLLADA>",
        "/robot/broken.glb": b"glTF\0\0\0\0",
        "/robot/model.max": b"",
    }
)


def resolver(**fields: object) -> Resolver:
    return Resolver(folder=Path("/robot"), files=FILES, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("mesh.obj", "/robot/mesh.obj"),
        ("./parts/../mesh.obj", "/robot/mesh.obj"),
        ("/robot/mesh.obj", "/robot/mesh.obj"),
        ("file:///robot/mesh.obj", "/robot/mesh.obj"),
        ("file:///robot/parts/a%20b.obj", "/robot/parts/a b.obj"),
        ("file://localhost/robot/mesh.obj", "/robot/mesh.obj"),
        ("FILE:///robot/mesh.obj", "/robot/mesh.obj"),
        ("package://arm//hand.obj", "/packages/arm/hand.obj"),
        ("package://arm/hand.obj", "/packages/arm/hand.obj"),
        ("dart://sample/skel/cube.obj", "/packages/skel/cube.obj"),
    ],
)
def test_found(uri: str, path: str) -> None:
    assert resolver(search_path=(Path("/packages"),)).locate(uri) == Path(path)


@pytest.mark.parametrize(
    "uri",
    [
        "../secret/mesh.obj",
        "/secret/mesh.obj",
        "file:///secret/mesh.obj",
        "file:///robot/%2e%2e/secret/mesh.obj",
        "package://../secret/mesh.obj",
        "package://arm/..%2f..%2fsecret/mesh.obj",
        "dart://sample/../secret/mesh.obj",
    ],
)
def test_outside(uri: str) -> None:
    with pytest.raises(AssetError, match="outside") as caught:
        resolver(search_path=(Path("/packages"),)).locate(uri)
    assert "--allow-path /secret" in (caught.value.hint or "")
    assert resolver(search_path=(Path("/packages"),), allowed=(Path("/secret"),)).locate(uri) == Path("/secret/mesh.obj")


@pytest.mark.parametrize(
    "uri",
    [
        "absent.obj",
        "",
        "a\0b",
        "x" * 10_000,
        "file:///a%00b",
        "file://elsewhere/robot/mesh.obj",
        "package://arm/hand.obj",
        "package://",
        "dart://sample/x",
        "http://localhost/x.obj",
        "HTTPS://localhost/x.obj",
        "ftp://x",
    ],
)
def test_not_found(uri: str, tmp_path: Path) -> None:
    for at_hand in (resolver(), Resolver(folder=tmp_path)):
        with pytest.raises(AssetError) as caught:
            at_hand.locate(uri)
        assert caught.value.hint


@pytest.mark.parametrize("uri", ["http://localhost/x.obj", "HTTPS://localhost/x.obj"])
def test_nothing_is_fetched(uri: str) -> None:
    with pytest.raises(AssetError) as caught:
        resolver().locate(uri)
    assert "nothing is fetched from a network" in (caught.value.hint or "")


def test_the_search_path_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEARCH_PATH_VARIABLE, os.pathsep.join(["/packages", "", "/more"]))
    assert search_path_from_environment() == (Path("/packages"), Path("/more"))
    monkeypatch.delenv(SEARCH_PATH_VARIABLE)
    assert search_path_from_environment() == ()


def test_a_folder_of_the_search_path_may_be_the_package(tmp_path: Path) -> None:
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "hand.obj").write_bytes(TETRAHEDRON)
    assert Resolver(search_path=(tmp_path / "arm",)).locate("package://arm/hand.obj") == tmp_path / "arm" / "hand.obj"


def test_a_folder_and_an_unreadable_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "folder.obj").mkdir()
    with pytest.raises(AssetError, match="no such file"):
        Resolver(folder=tmp_path).read("folder.obj")


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.obj").open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(AssetError, match="1073741825 bytes, more than 1073741824") as refused:
        Resolver(folder=tmp_path).read("huge.obj")
    assert "--limit file_bytes=1073741825" in (refused.value.hint or "")


def test_links_do_not_lead_outside(tmp_path: Path) -> None:
    (tmp_path / "robot").mkdir()
    (tmp_path / "secret.obj").write_bytes(TETRAHEDRON)
    (tmp_path / "robot" / "link.obj").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(AssetError, match="outside") as caught:
        Resolver(folder=tmp_path / "robot").locate("link.obj")
    assert caught.value.hint == f"allow it with --allow-path {tmp_path.resolve()}", "where the link leads, not where it lies"


def test_meshes_are_scaled_and_mirrored() -> None:
    store = MeshStore(resolver())
    plain = store.triangles(Mesh(uri="mesh.obj"))
    scaled = store.triangles(Mesh(uri="mesh.obj", scale=(2.0, 3.0, 4.0)))
    np.testing.assert_array_equal(scaled.bounds, plain.bounds * (2.0, 3.0, 4.0))
    mirrored = store.triangles(Mesh(uri="mesh.obj", scale=(-1.0, 1.0, 1.0)))
    assert volume(mirrored) == pytest.approx(volume(plain)) == pytest.approx(1.0 / 6.0)


def volume(triangles: object) -> float:
    corners = triangles.vertices[triangles.faces]  # type: ignore[attr-defined]
    return float(np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


@pytest.mark.parametrize("name", ["broken.stl", "empty.obj", "broken.dae", "broken.glb", "model.max", "absent.obj"])
def test_broken_meshes(name: str) -> None:
    with pytest.raises(AssetError):
        MeshStore(resolver()).triangles(Mesh(uri=name))


def test_a_world_brings_its_folder(report: Report) -> None:
    world = ossature.load(PROJECT / "tests" / "skel" / "files" / "shapes.skel")
    ossature.Simulation(world, report=report)
    for name in ("polyhedral-approximation", "soft-body-simulated-as-rigid", "soft-skin-contact-approximated"):
        assert report.take(name)
    assert not [finding for finding in ossature.check(world) if "mesh" in finding.rule.name]


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_file_atomically(path, "one")
    write_file_atomically(path, "two")
    assert path.read_text() == "two"
    with pytest.raises(UnicodeEncodeError):
        write_file_atomically(path, "\ud800")
    assert path.read_text() == "two"
    assert list(tmp_path.iterdir()) == [path]


def in_package(*files: str, folder: str = "/robots/arm/urdf") -> Resolver:
    return Resolver(folder=Path(folder), files=MemoryFiles(dict.fromkeys(files, TETRAHEDRON)))


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("package://arm_description/meshes/hand.obj", "meshes/hand.obj"),
        ("package://meshes/hand.obj", "meshes/hand.obj"),
        ("package://many/models/arm/meshes/hand.obj", "meshes/hand.obj"),
    ],
)
def test_a_folder_laid_out_as_a_package_is_taken_for_it(uri: str, place: str) -> None:
    found = in_package(f"/robots/arm/{place}")
    assert found.locate(uri) == Path("/robots/arm") / place
    assert found.guessed_package(uri) == Path("/robots/arm")


def test_what_tells_more_than_the_layout_counts() -> None:
    found = in_package("/robots/arm/meshes/hand.obj")
    assert found.locate("package://arm/meshes/hand.obj")
    assert found.guessed_package("package://arm/meshes/hand.obj") is None
    assert found.guessed_package("package://arm/meshes/foot.obj") is None


@pytest.mark.parametrize(
    ("folder", "uri"),
    [
        ("/robots/arm/model", "package://other/meshes/hand.obj"),
        ("/urdf", "package://other/robots/arm/meshes/hand.obj"),
        ("/robots/arm/urdf", "package://other/../meshes/hand.obj"),
        ("/robots/arm/urdf", "package://other/%2e%2e/arm/../../secret/mesh.obj"),
    ],
)
def test_the_layout_leads_nowhere_else(folder: str, uri: str) -> None:
    with pytest.raises(AssetError):
        in_package("/robots/arm/meshes/hand.obj", "/robots/meshes/hand.obj", "/secret/mesh.obj", folder=folder).locate(uri)


def test_somebodys_home_is_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/robots/arm"))
    with pytest.raises(AssetError):
        in_package("/robots/arm/meshes/hand.obj").locate("package://other/meshes/hand.obj")
