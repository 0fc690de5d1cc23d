"""Random Worlds, converted and verified: nothing differs beyond the ledger, and what the ledger approximates is named."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from ossature.conversion import convert
from ossature.model import Model, World
from random_mechanisms import random_mechanism
from random_models import random_robot, random_tree

FORMATS = {"mjcf": ".xml", "urdf": ".urdf", "sdf": ".sdf", "usd": ".usda"}
QUICK = [
    ("mechanism", "mjcf"),
    ("robot", "mjcf"),
    ("robot", "urdf"),
    ("tree", "urdf"),
    ("mechanism", "sdf"),
    ("robot", "sdf"),
    ("tree", "sdf"),
]
ALL = [(kind, name) for kind in ("mechanism", "robot", "tree") for name in FORMATS]


def random_world(kind: str, seed: int, folder: Path) -> World:
    if kind == "mechanism":
        return random_mechanism(seed, folder)
    model: Model = random_tree(seed) if kind == "tree" else random_robot(seed).models[0]
    return World(models=[model])


def require_no_difference(kind: str, name: str, seed: int, folder: Path) -> None:
    done = convert(random_world(kind, seed, folder), folder / f"out{FORMATS[name]}", verify=True)
    assert done.differences == ()


@pytest.mark.parametrize(("kind", "name"), QUICK)
def test_nothing_differs_beyond_the_ledger(kind: str, name: str, tmp_path: Path) -> None:
    require_no_difference(kind, name, 0, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), ALL)
@pytest.mark.parametrize("seed", range(1, 25))
def test_nothing_differs_in_many_conversions(kind: str, name: str, seed: int, tmp_path: Path) -> None:
    require_no_difference(kind, name, seed, tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("pinocchio") is None, reason="no Pinocchio: pip install pin")
def test_pinocchio_verifies_a_robot_with_one_coordinate(tmp_path: Path) -> None:
    world = next(
        world for world in (World(models=[random_tree(seed)]) for seed in range(50)) if world.models[0].degrees_of_freedom == 1
    )
    done = convert(world, tmp_path / "out.urdf", verify=True)
    assert [each.mass_matrices for each in done.verifications if each.program == "Pinocchio"] == [1]
