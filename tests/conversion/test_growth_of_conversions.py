"""The work of conversions grows in proportion to the number of elements, counted in calls of functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from growth import count_calls
from ossature.model import (
    Body,
    Box,
    Equality,
    Inertial,
    Joint,
    JointEquality,
    LazyMesh,
    MeshData,
    Model,
    Prismatic,
    Revolute,
    TriangleMesh,
    Visual,
    World,
)

INERTIAL = Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def tree(count: int) -> World:
    """Return a tree of links, each with a box."""
    bodies = [Body(name=f"l{i}", inertial=INERTIAL, visuals=[Visual(geometry=Box(size=(1.0, 1.0, 1.0)))]) for i in range(count)]
    joints = [Joint(name=f"j{i}", type=Revolute(), parent=f"l{(i - 1) // 2}", child=f"l{i}") for i in range(1, count)]
    return World(models=[Model(name="m", bodies=bodies, joints=joints)])


def body_with_meshes(count: int) -> World:
    """Return a body with different meshes."""
    meshes = [MeshData(vertices=np.vstack([np.eye(3), [[0.0, 0.0, 2.0 + i]]]), faces=FACES) for i in range(count)]
    visuals = [Visual(geometry=TriangleMesh(surface=LazyMesh(mesh))) for mesh in meshes]
    return World(models=[Model(name="m", bodies=[Body(name="l", inertial=INERTIAL, visuals=visuals)])])


@pytest.mark.parametrize(("make", "suffix"), [(tree, ".dae"), (body_with_meshes, ".dae"), (body_with_meshes, ".xml")])
def test_writing_is_linear(make: Callable[[int], World], suffix: str, tmp_path: Path) -> None:
    few, many = make(80), make(320)

    def count(world: World, name: str) -> int:
        return count_calls(lambda: ossature.convert(world, tmp_path / f"{name}{suffix}"))

    count(few, "few"), count(many, "many")  # what is counted imports nothing, and files of the first time exist
    few_calls, many_calls = count(few, "few again"), count(many, "many again")
    assert many_calls < 4.1 * few_calls


def test_formats_that_no_program_reads_are_written_once(tmp_path: Path) -> None:
    ossature.convert(tree(50), tmp_path / "a.dae")  # what is counted imports nothing
    written = count_calls(lambda: ossature.convert(tree(50), tmp_path / "a.dae"))
    assert count_calls(lambda: ossature.convert(tree(50), tmp_path / "a.dae", verify=True)) < 2.5 * written


def coupled_by_equalities(count: int) -> World:
    """Return sliders, each of which an equality couples to the one before."""
    bodies = [Body(name=name, inertial=INERTIAL) for name in ("base", *(f"l{i}" for i in range(count)))]
    joints = [Joint(name=f"j{i}", type=Prismatic(), parent="base", child=f"l{i}") for i in range(count)]
    equalities = [
        Equality(name=f"e{i}", type=JointEquality(joint1=f"j{i}", joint2=f"j{i - 1}", polynomial=(0.0, 1.0, 0.0, 0.0, 0.0)))
        for i in range(1, count)
    ]
    return World(models=[Model(name="m", bodies=bodies, joints=joints, equalities=equalities)])


@pytest.mark.parametrize("format", ["sdf", "urdf"])
def test_equalities_become_couplings_in_linear_time(format: str) -> None:
    few, many = coupled_by_equalities(80), coupled_by_equalities(320)
    ossature.dumps(few, format), ossature.dumps(many, format)  # what is counted imports nothing
    assert count_calls(lambda: ossature.dumps(many, format)) < 4.4 * count_calls(lambda: ossature.dumps(few, format))


def test_equalities_in_a_cycle_become_couplings_but_for_one() -> None:
    world = coupled_by_equalities(5)
    closing = Equality(name="closing", type=JointEquality(joint1="j0", joint2="j4", polynomial=(0.0, 1.0, 0.0, 0.0, 0.0)))
    model = world.models[0]
    cyclic = replace(world, models=[replace(model, equalities=[closing, *model.equalities])])
    written = ossature.load(ossature.dumps(cyclic, "sdf")).models[0]
    assert [joint.name for joint in written.joints if joint.coordinates[0].coupling is None] == ["j4"]
