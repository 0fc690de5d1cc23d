"""Joints of COLLADA: upward axis, order of axes, limits, units of angles, and actuation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ossature
from collada_documents import (
    DEFAULTS,
    read,
    read_arm,
    robot,
)
from ossature.diagnostics import Report, Source
from ossature.formats.collada import read_openrave
from ossature.model import (
    Actuation,
    Axis,
    Compound,
    Cylindrical,
    Prismatic,
    Revolute,
    Translational,
    Universal,
)
from ossature.spatial import Pose, quaternion_from_axis_angle

Z: tuple[float, float, float] = (0.0, 0.0, 1.0)


def rotation(axis: tuple[float, float, float], degrees: float) -> Pose:
    return Pose(wxyz=quaternion_from_axis_angle(axis, math.radians(degrees)))


@pytest.mark.parametrize(
    ("axis", "place", "stands"),
    [("X_UP", "5 1 2", (-1.0, -2.0, 5.0)), ("Y_UP", "1 5 2", (1.0, -2.0, 5.0)), ("Z_UP", "1 2 5", (1.0, 2.0, 5.0))],
)
def test_up_axis_becomes_z(axis: str, place: str, stands: tuple[float, ...], report: Report) -> None:
    asset = DEFAULTS["asset"].replace("Z_UP", axis)
    world = read(robot(asset=asset, around=f"<translate>{place}</translate>", physics=""), report)
    for rule in ("up-axis-converted", "default-used"):
        report.take(rule)
    assert ossature.poses(world)["arm"]["base"].position == pytest.approx(stands)
    assert world.gravity == pytest.approx((0.0, 0.0, -9.797930195020351))


@pytest.mark.parametrize(("axis", "stated"), [("X_UP", "-9.81 0.3 -0.1"), ("Y_UP", "-0.3 -9.81 -0.1"), ("", "-0.3 -9.81 -0.1")])
def test_gravity_is_rotated_without_rounding(axis: str, stated: str, report: Report) -> None:
    asset = DEFAULTS["asset"].replace("<up_axis>Z_UP</up_axis>", f"<up_axis>{axis}</up_axis>" if axis else "")
    world = read(robot(asset=asset, physics=f"<gravity>{stated}</gravity>"), report)
    assert report.take("up-axis-converted")
    assert world.gravity == (-0.3, 0.1, -9.81)


def test_openrave_turns_nothing() -> None:
    text = robot(asset=DEFAULTS["asset"].replace("Z_UP", "Y_UP"), around="<translate>0 5 0</translate>", physics="")
    world = read_openrave(Source("robot.dae", text.encode()), Report())
    assert world is not None
    assert ossature.poses(world)["arm"]["base"].position == (0.0, 5.0, 0.0)
    assert world.gravity == pytest.approx((0.0, -9.797930195020351, 0.0))


def axis(kind: str, direction: str, number: int) -> str:
    return f'<{kind} sid="axis{number}"><axis>{direction}</axis></{kind}>'


AXES = {
    (("revolute", "0 0 2"),): Revolute(axis=Z),
    (("prismatic", "0 3 0"),): Prismatic(axis=(0.0, 1.0, 0.0)),
    (("revolute", "0 0 1"), ("revolute", "0 1 0")): Universal(axis1=Z, axis2=(0.0, 1.0, 0.0)),
    (("revolute", "0 0 1"), ("prismatic", "0 0 1")): Cylindrical(axis=Z),
    (("prismatic", "1 0 0"), ("prismatic", "0 1 0"), ("prismatic", "0 0 1")): Translational(),
    (("revolute", "0 0 1"), ("prismatic", "1 0 0"), ("revolute", "0 1 0")): Compound(
        axes=(Axis(direction=Z), Axis(direction=(1.0, 0.0, 0.0), is_revolute=False), Axis(direction=(0.0, 1.0, 0.0)))
    ),
    (("prismatic", "0 0 1"), ("prismatic", "0 1 0")): Compound(
        axes=(Axis(direction=Z, is_revolute=False), Axis(direction=(0.0, 1.0, 0.0), is_revolute=False))
    ),
}
VALUES = (30.0, 40.0, 50.0)
"""Degrees, or hundredths of a metre."""


@pytest.mark.parametrize("axes", AXES, ids=lambda axes: "-".join(f"{kind} {direction}" for kind, direction in axes))
def test_axes_of_a_joint_move_one_after_the_other(axes: tuple[tuple[str, str], ...]) -> None:
    binds = "".join(
        f"<bind_joint_axis><axis><SIDREF>arm/elbow/axis{number}</SIDREF></axis><value><float>{VALUES[number]}</float></value>"
        "</bind_joint_axis>"
        for number in range(1, len(axes))
    )
    text = robot(
        joint="".join(axis(kind, direction, number) for number, (kind, direction) in enumerate(axes)),
        attachment="<translate>1 2 3</translate><rotate>1 0 0 20</rotate>",
        hand="<translate>0 0.5 0</translate><rotate>0 1 0 10</rotate>",
        value=f"<float>{VALUES[0]}</float>",
        binds=binds,
    )
    world = read(text)
    assert world.models["arm"].joints["elbow"].type == AXES[axes]
    expected = Pose((1.0, 2.0, 3.0)) @ rotation((1.0, 0.0, 0.0), 20.0)
    for (kind, direction), value in zip(axes, VALUES, strict=False):
        x, y, z = (float(number) / max(map(float, direction.split())) for number in direction.split())
        expected @= rotation((x, y, z), value) if kind == "revolute" else Pose((x * value, y * value, z * value))
    expected = expected @ Pose((0.0, 0.5, 0.0)) @ rotation((0.0, 1.0, 0.0), 10.0)
    assert np.allclose(ossature.poses(world)["arm"]["hand"].matrix(), expected.matrix(), atol=1e-12)


def test_joints_of_a_library() -> None:
    library = f'<library_joints><joint id="hinge" name="hinge">{axis("revolute", "0 1 0", 0)}</joint></library_joints>'
    text = robot(
        libraries=library,
        joints='<instance_joint url="#hinge" sid="wrist"/>',
        hand='<attachment_full joint="arm/wrist"><translate>0 0 2</translate><link sid="tip" name="tip"/></attachment_full>',
        hand_node='<node id="tip_node"><rotate sid="bend">0 1 0 0</rotate></node>',
        instances='<instance_rigid_body body="rigid_hand" sid="tip" target="#tip_node"/>',
        binds='<bind_joint_axis target="tip_node/bend"><axis><SIDREF>arm/wrist/axis0</SIDREF></axis></bind_joint_axis>',
    )
    joint = read_arm(text).joints["hinge"]
    assert (joint.type, joint.parent, joint.child) == (Revolute(axis=(0.0, 1.0, 0.0)), "hand", "tip")


LIMITS = "<limits><min>-90</min><max>45</max></limits>"


def test_limits_of_rotations_are_degrees() -> None:
    joint = f'<revolute sid="axis0"><axis>0 0 1</axis>{LIMITS}</revolute>'
    (coordinate,) = read_arm(robot(joint=joint)).joints["elbow"].coordinates
    assert (coordinate.position_limits.lower, coordinate.position_limits.upper) == (-math.pi / 2.0, math.pi / 4.0)
    assert (coordinate.continuous, coordinate.hard_limits) == (False, None)


def test_rotation_without_limits_is_unbounded() -> None:
    assert [one.continuous for one in read_arm(robot()).joints["elbow"].coordinates] == [True]
    specified = '<newparam sid="circular"><bool>false</bool></newparam>'
    assert [one.continuous for one in read_arm(robot(axis_info=specified)).joints["elbow"].coordinates] == [False]


RATES = "<speed><float>90</float></speed><acceleration><float>180</float></acceleration><jerk><float>360</float></jerk>"
HARD = "".join(f'<newparam sid="hardMax{name}"><float>720</float></newparam>' for name in ("Vel", "Accel", "Jerk"))


def test_rates_of_rotations_are_degrees() -> None:
    (coordinate,) = read_arm(robot(motion_info=HARD + RATES)).joints["elbow"].coordinates
    found = [
        (limit.lower, limit.upper)
        for limit in (coordinate.velocity_limits, coordinate.acceleration_limits, coordinate.jerk_limits)
    ]
    assert found == [(-rate, rate) for rate in (math.pi / 2.0, math.pi, 2.0 * math.pi)]
    assert coordinate.hard_limits is not None
    assert [
        limit.upper
        for limit in (coordinate.hard_limits.velocity, coordinate.hard_limits.acceleration, coordinate.hard_limits.jerk)
    ] == [4.0 * math.pi] * 3


def test_values_and_rates_of_old_tools_are_radians(report: Report) -> None:
    asset = "<contributor><authoring_tool>{}</authoring_tool></contributor>" + DEFAULTS["asset"]
    joint = f'<revolute sid="axis0"><axis>0 0 1</axis>{LIMITS}</revolute>'
    for tool, factor in (("OpenRAVE Collada Writer", 1.0), ("OpenRAVE Collada Writer v0.3.5", math.radians(1.0))):
        text = robot(asset=asset.format(tool), joint=joint, value="<float>0.5</float>", motion_info=RATES)
        (coordinate,) = read_arm(text, report).joints["elbow"].coordinates
        assert coordinate.initial_position == 0.5 * factor
        assert coordinate.velocity_limits.upper == 90.0 * factor
        assert coordinate.position_limits.upper == math.pi / 4.0
        assert bool(report.take("assumed-radians")) == (factor == 1.0)


@pytest.mark.parametrize(
    ("info", "actuation"),
    [
        ("", Actuation.FORCE),
        ("<active><bool>true</bool></active>", Actuation.FORCE),
        ("<active><bool>false</bool></active>", Actuation.PASSIVE),
        ("<locked><bool>true</bool></locked>", Actuation.LOCKED),
        ('<newparam sid="x"><bool>true</bool></newparam><locked><param>x</param></locked>', Actuation.LOCKED),
        ('<newparam sid="x"><bool>false</bool></newparam><active><param ref="x"/></active>', Actuation.PASSIVE),
    ],
)
def test_active_and_locked(info: str, actuation: Actuation) -> None:
    assert read_arm(robot(axis_info=info)).joints["elbow"].actuation is actuation


def test_bounds_that_soft_limits_do_not_state_are_hard_limits() -> None:
    joint = '<revolute sid="axis0"><axis>0 0 1</axis><limits><min>-100</min><max>90</max></limits></revolute>'
    info = "<limits><min><float>-45</float></min></limits>"
    (coordinate,) = read_arm(robot(joint=joint, axis_info=info)).joints["elbow"].coordinates
    limits = coordinate.position_limits
    assert (limits.lower, limits.upper) == (math.radians(-45.0), math.radians(90.0))
