"""The rule that chooses the bases of robots whose files do not state them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ossature import load
from ossature import model as m
from ossature.kinematics import BaseChoice, choose_bases, floating_bases
from ossature.model import Body, Fixed, Inertial, Joint, Model, NamedList, Revolute, World

SOLID = Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
MASSLESS = Inertial(mass=0.0, moment=((0.0, 0.0, 0.0),) * 3)


def robot(root: str, inertial: Inertial, limbs: int, *, mount: m.JointType | None = None) -> World:
    bodies = [Body(name=root, inertial=inertial), Body(name="mount", inertial=SOLID)]
    joints = [Joint(name="mounting", type=mount or Fixed(), parent=root, child="mount")]
    for number in range(limbs):
        bodies.append(Body(name=f"limb{number}", inertial=SOLID))
        joints.append(Joint(name=f"joint{number}", type=Revolute(), parent="mount", child=f"limb{number}"))
    return World(models=NamedList([Model(name="r", bodies=NamedList(bodies), joints=NamedList(joints))]))


@pytest.mark.parametrize(
    ("root", "inertial", "limbs", "is_fixed"),
    [
        ("platform", MASSLESS, 1, True),
        ("platform", replace(SOLID, mass=0.0), 1, True),
        ("platform", SOLID, 1, False),
        ("base_link", SOLID, 1, True),
        ("panda_link0", SOLID, 1, True),
        ("database", SOLID, 1, False),
        ("base_link", SOLID, 4, False),
        ("base_footprint", MASSLESS, 2, False),
    ],
)
def test_the_rule(root: str, inertial: Inertial, limbs: int, is_fixed: bool) -> None:
    world, (chosen,) = choose_bases(robot(root, inertial, limbs))
    assert (chosen.model, chosen.body, chosen.is_fixed) == ("r", root, is_fixed)
    assert floating_bases(world.models["r"]) == (() if is_fixed else (root,))
    assert ("is fixed" if is_fixed else "is floating") in chosen.message


def test_options_have_precedence() -> None:
    arm, walker = robot("base", SOLID, 1), robot("base", SOLID, 4)
    floating, _ = choose_bases(choose_bases(arm)[0], BaseChoice.FLOATING)
    assert floating == arm
    fixed, (chosen,) = choose_bases(walker, BaseChoice.FIXED)
    assert chosen.is_fixed
    assert not floating_bases(fixed.models["r"])


def test_the_rule_applies_only_to_models_whose_file_leaves_the_base_open() -> None:
    arm = robot("base", SOLID, 1)
    assert choose_bases(arm, unspecified=()) == (arm, ())


def test_load_chooses_bases() -> None:
    urdf = """<robot name="r"><link name="base_link"/><link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="j" type="continuous"><parent link="base_link"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
    for base, is_floating in ((None, True), ("by-rule", False), ("fixed", False), ("floating", True)):
        assert bool(floating_bases(load(urdf, base=base).models[0])) == is_floating, base
    with pytest.raises(ValueError, match="loose"):
        load(urdf, base="loose")
