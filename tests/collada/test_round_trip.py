"""What is written is read again as it was, and is sound COLLADA; what it says differently is in the ledger."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import ossature
from collada_validator import Problem, validate
from complete_robot import robot
from conftest import PROJECT, corpus_folder
from format_conversion import read_as, written, written_with_meshes
from ossature.assets import MeshStore, Resolver
from ossature.comparison import compare
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Action, Ledger, Report, Source
from ossature.formats.collada import read_collada, read_openrave, write_collada
from ossature.formats.load_file import read_file
from ossature.model import Body, Coordinate, Joint, Model, NamedList, Range, Revolute, TriangleMesh, World
from perturb import EACH, Changes, before

ROUNDING = 1e-12
SKEL_FILES = sorted([*(PROJECT / "examples").glob("*.skel"), *(PROJECT / "tests" / "skel" / "files").glob("*.skel")])
CHRONO_FILE = PROJECT / "tests" / "chrono" / "files" / "run.yaml"


def corpus_files() -> list[Path]:
    folder = corpus_folder()
    if folder is None:
        return []
    return [path for name in ("openrave", "openrave-elements") for path in sorted((folder / "corpus" / name).iterdir())]


def read(path: Path) -> World:
    world = read_file(path, Report())
    assert world is not None
    return world


def through(world: World) -> tuple[World, Ledger, str]:
    """Write a World and read it again."""
    ledger = Ledger()
    text = write_collada(world, ledger)
    again = read_collada(Source("written", text.encode()), Report())
    assert again is not None
    return again, ledger, text


def uncovered(world: World, again: World, ledger: Ledger) -> list[str]:
    return list(map(str, uncovered_differences(world, again, ledger, tolerance=ROUNDING)))


def faults(text: str) -> list[Problem]:
    """Return what is wrong with a document, beyond words of extensions that were kept as they stood."""
    return [problem for problem in validate(text.encode()) if not problem.extension]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.name)
def test_corpus(path: Path) -> None:
    world = read_file(path, Report())
    if world is None:
        pytest.skip("no World")
    again, ledger, text = through(world)
    assert not uncovered(world, again, ledger)
    if ledger.lossless:
        assert not compare(world, again, tolerance=ROUNDING)
    assert not faults(text)


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=pytest.mark.slow if number % 4 else ())
        for number, path in enumerate(corpus_files())
    ],
)
def test_openrave_is_meant_the_same(path: Path) -> None:
    """A document that is written means the same to OpenRAVE as to every other program."""
    world = read_file(path, Report())
    if world is None:
        pytest.skip("no World")
    source = Source("written", write_collada(world, Ledger()).encode())
    assert not compare(read_collada(source, Report()), read_openrave(source, Report()), tolerance=ROUNDING)


@EACH
def test_every_field_of_a_robot_comes_back_or_is_in_the_ledger(changes: Changes) -> None:
    count = 0
    for where, changed in [("as it is", robot()), *changes(robot())]:
        again, ledger, _ = through(changed)
        lost = uncovered(changed, again, ledger)
        assert not lost, f"{where}: {lost[0]} is not in the ledger"
        count += len(where.split(" or "))
    assert count > 200
    assert not faults(through(robot())[2])


@pytest.mark.parametrize("path", [*SKEL_FILES, CHRONO_FILE], ids=lambda path: path.stem)
def test_worlds_of_other_formats(path: Path) -> None:
    world = read(path)
    again, ledger, text = through(world)
    assert not uncovered(world, again, ledger)
    assert all("mesh" in f"{entry.path} {entry.detail}" or "omitted" in entry.detail for entry in losses(ledger))
    assert not faults(text)


def losses(ledger: Ledger) -> list[object]:
    return [entry for entry in ledger if entry.action in ("dropped", "approximated")]


@EACH
@pytest.mark.parametrize("path", [*SKEL_FILES, CHRONO_FILE], ids=lambda path: path.stem)
def test_every_field_of_worlds_of_other_formats(path: Path, changes: Changes) -> None:
    others = [robot(), *map(read, before(path, [*SKEL_FILES, CHRONO_FILE]))]
    for where, changed in changes(read(path), *others):
        again, ledger, _ = through(changed)
        lost = uncovered(changed, again, ledger)
        assert not lost, f"{where}: {lost[0]} is not in the ledger"


@pytest.mark.parametrize("format_name", ["skel", "chrono", "urdf"])
def test_a_robot_goes_to_other_formats_and_back(format_name: str, tmp_path: Path) -> None:
    """What differs after the way through another format is what that format's ledger says."""
    world = read_collada(Source("written", write_collada(robot(), Ledger()).encode()), Report())
    assert world is not None
    ledger = Ledger()
    other = read_as(format_name, written_with_meshes(world, format_name, tmp_path / "robot", ledger), tmp_path)
    assert other is not None
    second = Ledger()
    meshes = MeshStore(Resolver(folder=tmp_path))
    again = read_as("collada", written(other, "collada", tmp_path / "again.dae", second, meshes), tmp_path)
    assert again is not None
    assert not uncovered(other, again, second)
    assert not losses(second)
    for entry in second:
        ledger.add(entry)
    assert not uncovered(world, again, ledger)


def test_equal_worlds_are_equal_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert write_collada(robot(), Ledger()) == write_collada(robot(), Ledger())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "<created>1970-01-02T00:00:00Z</created>" in write_collada(robot(), Ledger())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    assert "<created>2008-03-01T00:00:00Z</created>" in write_collada(robot(), Ledger())


def test_archives(tmp_path: Path) -> None:
    path = tmp_path / "a robot.zae"
    ossature.save(robot(), path)
    first = path.read_bytes()
    assert not compare(robot(), ossature.load(path), tolerance=ROUNDING)
    ossature.save(robot(), path)
    assert path.read_bytes() == first
    assert zipfile.ZipFile(path).namelist() == ["manifest.xml", "a robot.dae"]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_triangles_of_files_are_taken_into_the_document(tmp_path: Path) -> None:
    world = read(PROJECT / "tests" / "skel" / "files" / "shapes.skel")
    path = tmp_path / "shapes.dae"
    ledger = ossature.save(world, path)
    assert not losses(ledger)
    again = ossature.load(path)
    (visual,) = again.models["mesh"].bodies["mesh body"].visuals
    assert isinstance(visual.geometry, TriangleMesh)
    assert len(visual.geometry.surface.triangles.faces) == 4


def test_angles_whose_degrees_exceed_the_largest_number(tmp_path: Path) -> None:
    """They became infinite, which COLLADA has not: the written file was invalid."""
    limits = Range(lower=-1e308, upper=1e308)
    joint = Joint(
        name="j",
        type=Revolute(),
        parent="a",
        child="b",
        coordinates=(Coordinate(position_limits=limits, velocity_limits=limits, jerk_limits=limits),),
    )
    bodies = NamedList([Body(name="a"), Body(name="b")])
    world = World(models=NamedList([Model(name="m", bodies=bodies, joints=NamedList([joint]))]))
    ledger = ossature.convert(world, tmp_path / "m.dae", verify=True).ledger
    fields = {entry.path.rpartition(".")[2] for entry in ledger if entry.action is Action.APPROXIMATED}
    assert fields == {"position_limits", "velocity_limits", "jerk_limits"}
    assert ossature.load(tmp_path / "m.dae").models["m"].joints["j"].coordinates[0].position_limits.upper > 1e306
