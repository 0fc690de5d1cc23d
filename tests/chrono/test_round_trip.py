"""What is written is read again as it was; what Chrono cannot say is in the ledger. The same for SKEL on the other side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from complete_robot import robot
from conftest import PROJECT
from format_conversion import read_as, written
from ossature.assets import MeshStore
from ossature.comparison import compare
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Ledger, Report
from ossature.formats.load_file import read_file
from ossature.model import NamedList, World
from ossature.simulation import Simulation
from perturb import EACH, Changes, before

CHRONO_FILES = [PROJECT / "tests" / "chrono" / "files" / name for name in ("everything.yaml", "run.yaml")]
SKEL_FILES = sorted([*(PROJECT / "examples").glob("*.skel"), *(PROJECT / "tests" / "skel" / "files").glob("*.skel")])
ROUNDING = 1e-12


def read(path: Path) -> World:
    world = read_file(path, Report())
    assert world is not None
    return world


MESHES: dict[Path, MeshStore] = {}
"""Meshes that were loaded, by the folder of the file that names them."""


def through(world: World, format_name: str, folder: Path) -> tuple[World, Ledger]:
    """Write a World in a format and read it again."""
    ledger, meshes = Ledger(), MESHES.setdefault(folder, MeshStore.of(world))
    again = read_as(format_name, written(world, format_name, folder / "robot.txt", ledger, meshes), folder)
    assert again is not None
    return again, ledger


def uncovered(world: World, again: World, ledger: Ledger) -> list[str]:
    return list(map(str, uncovered_differences(world, again, ledger, tolerance=ROUNDING)))


@pytest.mark.parametrize("path", CHRONO_FILES, ids=lambda path: path.stem)
def test_own_files(path: Path) -> None:
    world = read(path)
    again, ledger = through(world, "chrono", path.parent)
    if path.stem == "everything":
        assert not compare(world, again, tolerance=ROUNDING)
        assert not list(ledger)
    assert not uncovered(world, again, ledger)


@EACH
def test_every_field_comes_back_or_is_in_the_ledger(changes: Changes) -> None:
    path, count = CHRONO_FILES[1], 0
    for where, changed in changes(read(path)):
        lost = uncovered(changed, *through(changed, "chrono", path.parent))
        assert not lost, f"{where}: {lost[0]} is not in the ledger"
        count += len(where.split(" or "))
    assert count > 300


@EACH
@pytest.mark.parametrize("path", SKEL_FILES, ids=lambda path: path.stem)
def test_skel_as_chrono(path: Path, changes: Changes) -> None:
    others = [robot(), *map(read, before(path, SKEL_FILES))]
    for where, changed in [("as it is", read(path)), *changes(read(path), *others)]:
        lost = uncovered(changed, *through(changed, "chrono", path.parent))
        assert not lost, f"{where}: {lost[0]} is not in the ledger"


@EACH
@pytest.mark.parametrize("name", ["chrono", "skel"])
def test_every_field_of_a_robot_comes_back_or_is_in_the_ledger(name: str, changes: Changes, tmp_path: Path) -> None:
    for where, changed in [("as it is", robot()), *changes(robot())]:
        lost = uncovered(changed, *through(changed, name, tmp_path))
        assert not lost, f"{where}: {lost[0]} is not in the ledger"


@EACH
def test_chrono_as_skel(changes: Changes) -> None:
    path = CHRONO_FILES[0]
    for where, changed in [("as it is", read(path)), *changes(read(path), robot())]:
        lost = uncovered(changed, *through(changed, "skel", path.parent))
        assert not lost, f"{where}: {lost[0]} is not in the ledger"


def test_a_skel_robot_moves_alike_as_a_chrono_model() -> None:
    """Revolute joints with springs and a start away from zero: both ways of saying it fall in the same way."""
    world = read(PROJECT / "examples" / "double_pendulum.skel")
    again, _ = through(world, "chrono", PROJECT)
    ends = []
    for each in (replace(world, hints=()), replace(again, gravity=world.gravity)):
        simulation = Simulation(each, time_step=1e-4, report=Report())
        simulation.step(5000)
        (poses,) = [found for found in simulation.poses().values() if len(found) > 1]
        ends.append(poses)
    for name, pose in ends[0].items():
        assert pose.position == pytest.approx(ends[1][name].position, abs=1e-6)


def test_a_chrono_tree_moves_alike_as_skel() -> None:
    path = PROJECT / "tests" / "chrono" / "files" / "everything.yaml"
    world = read(path)
    model = world.models[0]
    kept = {"ground", "wheel"}
    joints = [joint for joint in model.joints if joint.child in kept and joint.parent in (*kept, None)]
    small = replace(model, bodies=NamedList([b for b in model.bodies if b.name in kept]), joints=NamedList(joints))
    plain = replace(world, models=NamedList([without_the_rest(small)]))
    again, _ = through(plain, "skel", path.parent)
    ends = []
    for each in (plain, replace(again, hints=())):
        simulation = Simulation(each, time_step=1e-4, report=Report())
        simulation.step(5000)
        ends.append(simulation.poses()["everything"]["wheel"].position)
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def without_the_rest(model):  # type: ignore[no-untyped-def]
    empty = {
        name: NamedList()
        for name in ("bushings", "constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads")
    }
    return replace(model, **empty)
