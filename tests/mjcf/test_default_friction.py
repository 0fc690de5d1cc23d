"""Friction equal to MuJoCo's defaults is written and verified like any other."""

from itertools import product

import pytest

import ossature
from ossature.model import Body, Box, Collision, Inertial, Material, Model, NamedList, World

FRICTIONS = {
    f"b{number}": friction
    for number, friction in enumerate(product((None, 1.0, 0.5), (None, 0.005, 0.02), (None, 0.0001, 0.01)))
}
"""Sliding, torsional and rolling friction by the name of a body."""


def sliding_body(name: str, friction: float | None, torsional: float | None, rolling: float | None) -> Body:
    material = Material(friction=friction, restitution=0.0, torsional_friction=torsional, rolling_friction=rolling)
    return Body(
        name=name,
        inertial=Inertial.from_box(1.0, (1.0, 1.0, 1.0)),
        collisions=(Collision(geometry=Box(size=(1.0, 1.0, 1.0)), material=material),),
    )


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A World with a body of each friction, written, verified and read again."""
    bodies = [sliding_body(name, *friction) for name, friction in FRICTIONS.items()]
    world = World(models=NamedList([Model(name="m", bodies=NamedList(bodies))]))
    path = tmp_path_factory.mktemp("friction") / "out.xml"
    done = ossature.convert(world, path, format="mjcf", verify=True)
    assert done.verifications
    assert all(each.is_verified for each in done.verifications)
    return ossature.load(path)


@pytest.mark.parametrize("name", FRICTIONS)
def test_friction_is_verified(name: str, read: World) -> None:
    friction, _, _ = FRICTIONS[name]
    found = read.models["m"].bodies[name].collisions[0].material
    assert (1.0 if found is None else found.friction) == (0.8 if friction is None else friction)
