"""MJCF → World → MJCF: every field is preserved or in the ledger, and the written file compiles to an equal model."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from conftest import example_models
from joint_models import PLACES, TYPES, model_of, name_of
from mjcf.engine_models import differences
from mjcf.mujoco_reference import compiled_by_mujoco, read_mjcf
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Ledger, Report
from ossature.model import JointType, ModelError, NamedList, World
from ossature.spatial import IDENTITY, Pose
from perturb import perturbations
from random_models import random_robot

FILES = [*example_models(".xml"), *sorted((Path(__file__).parent / "files").glob("*.xml"))]
TOLERANCE = 1e-12
"""Inertias and poses at reference positions are computed anew."""
ROUNDING = 1e-9
"""That of poses in the frame of the world, and of joint frames in that of a body."""


OFTEN_REFUSED = {
    *("nsample", "interval", "delay", "dim", "datatype", "damping", "armature", "length_range", "actearly", "actdim"),
    *("dynamics", "gain", "bias", "gain_parameters", "lower", "upper", "terms", "elements", "hints"),
}
"""Fields of which MuJoCo refuses some values beside those of others: a delay without a history, the bias of a muscle."""


def read(path: Path) -> World:
    world = read_mjcf(path, Report())
    assert world is not None
    return world


def written_and_read(world: World, folder: Path) -> tuple[World | None, Ledger, Report]:
    path, report = folder / "written.xml", Report()
    ledger = ossature.save(world, path)
    return read_mjcf(path, report), ledger, report


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_own_files(path: Path, tmp_path: Path) -> None:
    world = read(path)
    again, ledger, _ = written_and_read(world, tmp_path)
    assert uncovered_differences(world, again, ledger, tolerance=TOLERANCE) == []
    assert ledger.lossless, "\n".join(ledger.lines())
    assert not differences(compiled_by_mujoco(path), compiled_by_mujoco(tmp_path / "written.xml"))


@pytest.mark.parametrize("step", [pytest.param(211, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_field_is_preserved_or_in_the_ledger(path: Path, step: int, tmp_path: Path) -> None:
    count = 0
    for where, changed in itertools.islice(perturbations(read(path)), 0, None, step):
        try:
            again, ledger, report = written_and_read(changed, tmp_path)
        except ModelError as error:  # an element to which others refer is removed or renamed
            assert "there is no" in str(error)  # other errors are raised
            continue
        if again is None:
            assert where.rpartition(".")[2] in OFTEN_REFUSED, (where, str(report))
            continue
        lost = uncovered_differences(changed, again, ledger, tolerance=TOLERANCE)
        assert not lost, f"{where}: {lost[0]} is not in the ledger"
        count += 1
    assert count > 200 / step


@pytest.mark.parametrize("seed", range(4))
def test_robots_of_other_formats_are_preserved_or_in_the_ledger(seed: int, tmp_path: Path) -> None:
    world = random_robot(seed)
    again, ledger, _ = written_and_read(world, tmp_path)
    assert uncovered_differences(world, again, ledger, tolerance=ROUNDING) == []


@pytest.mark.parametrize("pose", [IDENTITY, PLACES[0]], ids=["in the world's frame", "displaced"])
@pytest.mark.parametrize("joint_type", TYPES, ids=name_of)
def test_joints_of_other_formats_are_preserved_or_in_the_ledger(joint_type: JointType, pose: Pose, tmp_path: Path) -> None:
    model = model_of(joint_type)
    joint = model.joints["j1"]
    coordinates = [replace(each, initial_position=0.1, initial_velocity=0.2) for each in joint.coordinates]
    joints = model.joints.replaced(replace(joint, parent=None, coordinates=tuple(coordinates)))
    world = World(name="arm", models=NamedList([replace(model, pose=pose, joints=joints)]))
    again, ledger, _ = written_and_read(world, tmp_path)
    assert uncovered_differences(world, again, ledger, tolerance=ROUNDING) == []


def test_a_changed_joint_of_a_displaced_model_is_a_difference(tmp_path: Path) -> None:
    model = model_of(TYPES[0])
    world = World(name="arm", models=NamedList([model]))
    again, ledger, _ = written_and_read(world, tmp_path)
    assert again is not None
    read = again.models["arm"]
    joint = read.joints["j1"]
    damped = replace(joint, coordinates=(replace(joint.coordinates[0], damping=7.0),))
    changed = replace(again, models=again.models.replaced(replace(read, joints=read.joints.replaced(damped))))
    found = uncovered_differences(world, changed, ledger, tolerance=ROUNDING)
    assert [each.path for each in found] == ["arm/j1.coordinates[0].damping"]
