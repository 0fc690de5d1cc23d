"""All files of the corpora through SDFormat: what is read equals the World in all that the ledger does not list."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ossature
from ossature.assets import MeshStore
from ossature.conversion import convert, save
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import LoadError
from ossature.model import World

TOLERANCE = 1e-12
SUFFIXES = {
    "urdf": (".urdf",),
    "skel": (".skel",),
    "contact": (".skel",),
    "chrono": (".yaml",),
    "chrono-elements": (".yaml",),
    "mechanisms": (".yaml",),
    "openrave": (".dae", ".zae"),
    "openrave-elements": (".dae", ".zae"),
    "sdf": (".sdf", ".world"),
}
LARGE_SUFFIXES = {"mjcf": (".xml",), "mjcf-elements": (".xml",)}
DANGLING = ("openrave-elements/s11_sensors.dae",)
"""Files with references to bodies that do not exist, which no conversion accepts."""


def is_well_formed(path: Path) -> bool:
    """Whether a file is well-formed XML that declares its namespaces."""
    try:
        ElementTree.fromstring(path.read_bytes())  # noqa: S314  # our own output, and files of the corpora
    except ElementTree.ParseError:
        return False
    return True


def worlds(corpus: Path, name: str, suffixes: tuple[str, ...], one_in: int = 1) -> Iterator[tuple[str, World]]:
    """Yield the name and the World of each file of a corpus that can be read, or of one in several files."""
    root = corpus / "corpus"
    for path in [path for path in sorted((root / name).rglob("*")) if path.suffix in suffixes][::one_in]:
        file = path.relative_to(root).as_posix()
        if file not in DANGLING:
            try:
                yield file, ossature.load(path, search_path=search_path(root, path, name))
            except LoadError:
                continue


def search_path(root: Path, path: Path, name: str) -> list[Path]:
    if name == "sdf":
        return [root / "sdf", root / "sdf" / "integration", root / "sdf" / "integration" / "model"]
    return [root / "urdf" / path.relative_to(root / "urdf").parts[0]] if name == "urdf" else []


def require_equal_worlds(corpus: Path, name: str, suffixes: tuple[str, ...], folder: Path, one_in: int = 1) -> None:
    """Require that files are read, written and read again as the same; those of SDFormat are written again as the same text."""
    differences, count = {}, 0
    for file, world in worlds(corpus, name, suffixes, one_in):
        count += 1
        meshes = MeshStore.of(world)
        ledger = save(world, folder / "out.sdf", meshes=meshes, overwrite=True)
        assert is_well_formed(folder / "out.sdf") or not is_well_formed(corpus / "corpus" / file), file
        again = ossature.load(folder / "out.sdf")
        if name == "sdf":
            second = save(again, folder / "second.sdf", overwrite=True)
            assert not len(second) and (folder / "second.sdf").read_bytes() == (folder / "out.sdf").read_bytes(), file
        found = uncovered_differences(world, again, ledger, tolerance=TOLERANCE)
        if found:
            differences[file] = list(map(str, found))
    assert count
    assert not differences


@pytest.mark.corpus
@pytest.mark.parametrize("one_in", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SUFFIXES)
def test_worlds_are_equal_beyond_the_ledger(corpus: Path, name: str, one_in: int, tmp_path: Path) -> None:
    require_equal_worlds(corpus, name, SUFFIXES[name], tmp_path, one_in)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("name", LARGE_SUFFIXES)
def test_worlds_of_mjcf_files_are_equal_beyond_the_ledger(corpus: Path, name: str, tmp_path: Path) -> None:
    require_equal_worlds(corpus, name, LARGE_SUFFIXES[name], tmp_path)


REFUSED = {
    "openrave/barrett-hand.zae": "Failed to load a world",
    "openrave/pumaarm.zae": "Failed to load a world",
    "openrave/unimation-pumaarm.zae": "Failed to load a world",
    "skel/test/gazebo/force_torque_test2.skel": "Failed to load a world",
    "urdf/oems/pioneer_adept_mobile_robots/description/urdf/pioneer-lx-devil.urdf": "links without mass",
    "urdf/oems/pioneer_adept_mobile_robots/description/urdf/pioneer3dx.urdf": "links without mass",
}
"""Files that Drake refuses: their moments of inertia are those of no body."""


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.skipif(importlib.util.find_spec("pydrake") is None, reason="no Drake: pip install drake")
@pytest.mark.parametrize("name", [*SUFFIXES][:-1])
def test_drake_finds_the_poses_and_mass_matrices(corpus: Path, name: str, tmp_path: Path) -> None:
    """Drake reads the files with libsdformat. It has no closed loops, and no hinges whose axes are not perpendicular."""
    refused = {}
    for file, world in worlds(corpus, name, SUFFIXES[name]):
        done = convert(world, tmp_path / "out.sdf", verify=True, overwrite=True)
        (found,) = done.verifications
        assert not found.differences, file
        if found.refusal is not None and "loops in the system graph" not in found.refusal:
            refused[file] = found.refusal
    assert {file for file in REFUSED if file.startswith(f"{name}/")} == refused.keys()
    assert all(REFUSED[file] in refusal for file, refusal in refused.items())
