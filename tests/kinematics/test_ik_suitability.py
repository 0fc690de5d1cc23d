"""Which types of targets an arm supports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ossature.kinematics import Arm, suitability, with_solvers
from ossature.model import Body, IkSolver, IkType, Joint, JointType, Manipulator, Model, NamedList, Prismatic, Revolute, World
from ossature.spatial import Pose, Vector3

X: Vector3 = (1.0, 0.0, 0.0)
Y: Vector3 = (0.0, 1.0, 0.0)
Z: Vector3 = (0.0, 0.0, 1.0)
EVERY = set(IkType)


def arm(*types: JointType) -> Model:
    """Return joints of given types, half a metre apart along x and z in turn."""
    bodies, joints, x, z = [Body(name="b0")], [], 0.0, 0.0
    for number, joint_type in enumerate(types):
        x, z = (x + 0.5, z) if number % 2 else (x, z + 0.5)
        bodies.append(Body(name=f"b{number + 1}", pose=Pose((x, 0.0, z))))
        joints.append(Joint(name=f"j{number}", type=joint_type, parent=f"b{number}", child=f"b{number + 1}"))
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints))


def turns(*axes: Vector3) -> Model:
    return arm(*[Revolute(axis=axis) for axis in axes])


ARMS: dict[str, tuple[Model, set[IkType]]] = {
    "six turns": (turns(Z, Y, Y, Z, Y, X), EVERY),
    "seven turns": (turns(Z, Y, Z, Y, Z, Y, X), EVERY),
    "five turns": (turns(Z, Y, Y, Y, X), EVERY - {IkType.TRANSFORM_6D}),
    "three slides": (arm(Prismatic(axis=X), Prismatic(axis=Y), Prismatic(axis=Z)), {IkType.TRANSLATION_3D, IkType.LOOKAT_3D}),
    "a plane": (turns(Z, Z, Z), set()),
    "a turret": (turns(Z, Y), {IkType.DIRECTION_3D, IkType.LOOKAT_3D}),
}


@pytest.mark.parametrize("name", ARMS)
def test_supported_types(name: str) -> None:
    model, expected = ARMS[name]
    arm_ = Arm(base="b0", tip=model.bodies[-1].name, pose=Pose((0.3, 0.1, 0.0)), direction=X)
    found = suitability(model, arm_)
    assert {one.type for one in found if one.is_supported} == expected
    assert all(one.rank <= min(one.conditions, one.degrees_of_freedom) for one in found)


def test_types_are_added_to_the_model() -> None:
    specified = IkSolver(type=IkType.LOOKAT_3D)
    manipulator = Manipulator(name="gun", base="b0", tip="b2", direction=X, solvers=(specified,))
    model = replace(turns(Z, Y), manipulators=NamedList([manipulator]))
    world, new = with_solvers(World(models=NamedList([model])), model, manipulator)
    assert new == (IkType.DIRECTION_3D,)
    assert world.models[0].manipulators["gun"].solvers == (specified, IkSolver(type=IkType.DIRECTION_3D))
    again, none = with_solvers(world, world.models[0], world.models[0].manipulators["gun"])
    assert again == world
    assert none == ()
