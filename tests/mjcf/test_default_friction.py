"""Friction equal to MuJoCo's defaults is written and verified like any other."""

from itertools import product
from pathlib import Path

import pytest

import ossature
from ossature.model import Body, Box, Collision, Inertial, Material, Model, NamedList, World


@pytest.mark.parametrize(
    ("friction", "torsional", "rolling"), list(product((None, 1.0, 0.5), (None, 0.005, 0.02), (None, 0.0001, 0.01)))
)
def test_friction_is_verified(friction: float | None, torsional: float | None, rolling: float | None, tmp_path: Path) -> None:
    material = Material(friction=friction, restitution=0.0, torsional_friction=torsional, rolling_friction=rolling)
    body = Body(
        name="b",
        inertial=Inertial.from_box(1.0, (1.0, 1.0, 1.0)),
        collisions=(Collision(geometry=Box(size=(1.0, 1.0, 1.0)), material=material),),
    )
    world = World(models=NamedList([Model(name="m", bodies=NamedList([body]))]))
    done = ossature.convert(world, tmp_path / "out.xml", format="mjcf", verify=True)
    assert all(each.is_verified for each in done.verifications)
    read = ossature.load(tmp_path / "out.xml").models["m"].bodies["b"].collisions[0].material
    assert (1.0 if read is None else read.friction) == (0.8 if friction is None else friction)
