"""Included files find the same files as in MuJoCo, which opens each model here too."""

from pathlib import Path

import mujoco
import pytest

import ossature

_MAIN = (
    '<mujoco>{compiler}<include file="sub/part.xml"/>'
    '<worldbody><body name="body"><freejoint/><geom type="mesh" mesh="m" density="1000"/></body></worldbody></mujoco>'
)
_ASSET = '<mujoco><asset><mesh name="m" file="{file}"/></asset></mujoco>'
_FOLDERS = (".", "sub", "sub/deep", "deep", "meshes", "sub/meshes", "x", "sub/x")


def _write_tetrahedron(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    corners = "".join(f"v {x} {y} {z}\n" for x, y, z in ((0, 0, 0), (size, 0, 0), (0, size, 0), (0, 0, size)))
    path.write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")


def _assert_same_mass(path: Path) -> None:
    """Assert that both programs open the model and find the same mesh, or that none opens it."""
    world, report = ossature.read(path)
    try:
        expected = mujoco.MjModel.from_xml_path(str(path)).body_mass[1]
    except ValueError:
        assert report.has_errors
    else:
        assert not report.has_errors, str(report)
        assert world is not None
        inertial = world.models[0].bodies["body"].inertial
        assert inertial is not None
        assert inertial.mass == pytest.approx(expected)


@pytest.mark.parametrize("placed", [*[(folder,) for folder in _FOLDERS], _FOLDERS])
@pytest.mark.parametrize("compiler", ["", '<compiler meshdir="meshes"/>', '<compiler strippath="true"/>'])
@pytest.mark.parametrize("file", ["m.obj", "x/m.obj", "../m.obj"])
def test_a_mesh_of_an_included_file(tmp_path: Path, placed: tuple[str, ...], compiler: str, file: str) -> None:
    for folder in placed:
        _write_tetrahedron(tmp_path / folder / "m.obj", 1 + _FOLDERS.index(folder))
    (tmp_path / "sub").mkdir(exist_ok=True)
    (tmp_path / "sub/part.xml").write_text(_ASSET.format(file=file))
    (tmp_path / "main.xml").write_text(_MAIN.format(compiler=compiler))
    _assert_same_mass(tmp_path / "main.xml")


@pytest.mark.parametrize("folder", ["sub/deep/last", "deep/last", "sub/last", "last"])
def test_an_included_file_includes_one_that_includes_another(tmp_path: Path, folder: str) -> None:
    for path in ("sub/deep", folder):
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
    (tmp_path / "main.xml").write_text(_MAIN.format(compiler=""))
    (tmp_path / "sub/part.xml").write_text('<mujoco><include file="deep/next.xml"/></mujoco>')
    (tmp_path / "sub/deep/next.xml").write_text('<mujoco><include file="last/asset.xml"/></mujoco>')
    (tmp_path / folder / "asset.xml").write_text(_ASSET.format(file="m.obj"))
    _write_tetrahedron(tmp_path / folder / "m.obj", 2)
    _assert_same_mass(tmp_path / "main.xml")
