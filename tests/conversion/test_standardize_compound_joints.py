"""Compound joints become plain ones where those move alike, and bodies keep their velocities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ossature import model as m
from ossature.formats import WriteContext
from ossature.formats.passes.bake_initial_pose import bake_initial_pose
from ossature.formats.passes.standardize_compound_joints import standard_type
from ossature.kinematics import motion_pose, poses
from ossature.model import Axis, Body, Compound, Coordinate, Inertial, Joint, Model, NamedList, World
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Vector3, rotation_vector_from_quaternion, unit

SKEW = unit((1.0, 2.0, 2.0))
ACROSS = unit((0.0, 1.0, -1.0))
PLAIN = {
    "": m.Fixed(),
    "T": m.Revolute(axis=SKEW),
    "S": m.Prismatic(axis=SKEW),
    "TT": m.Universal(axis1=SKEW, axis2=X_AXIS),
    "TS": m.Cylindrical(axis=SKEW),
    "TTT": m.Euler(order="zyx"),
    "SS": m.Translational2D(axis1=SKEW, axis2=ACROSS),
    "SSS": m.Translational(),
    "SST": m.Planar(axis1=X_AXIS, axis2=Y_AXIS),
}
AXES: dict[str, tuple[Vector3, ...]] = {
    "": (),
    "T": (SKEW,),
    "S": (SKEW,),
    "TT": (SKEW, X_AXIS),
    "TS": (SKEW, SKEW),
    "TTT": (Z_AXIS, Y_AXIS, X_AXIS),
    "SS": (SKEW, ACROSS),
    "SSS": (X_AXIS, Y_AXIS, Z_AXIS),
    "SST": (X_AXIS, Y_AXIS, Z_AXIS),
}


def compound(kinds: str, axes: tuple[Vector3, ...]) -> Compound:
    return Compound(axes=tuple(Axis(direction=axis, is_revolute=kind == "T") for kind, axis in zip(kinds, axes, strict=True)))


@pytest.mark.parametrize("kinds", PLAIN)
def test_the_standard_type_moves_alike(kinds: str) -> None:
    original = compound(kinds, AXES[kinds])
    plain = standard_type(original)
    assert plain == PLAIN[kinds]
    positions = (0.4, -0.3, 1.2)[: len(kinds)]
    np.testing.assert_allclose(
        motion_pose(plain, positions).matrix(), motion_pose(original, positions).matrix(), rtol=0.0, atol=1e-14
    )


@pytest.mark.parametrize(
    ("kinds", "axes"),
    [
        ("TS", (X_AXIS, Y_AXIS)),
        ("ST", (X_AXIS, X_AXIS)),
        ("TTT", (X_AXIS, Y_AXIS, X_AXIS)),
        ("SS", (X_AXIS, SKEW)),
        ("SSS", (X_AXIS, Z_AXIS, Y_AXIS)),
        ("SST", (X_AXIS, Y_AXIS, X_AXIS)),
        ("TTTT", (X_AXIS, Y_AXIS, Z_AXIS, X_AXIS)),
    ],
)
def test_others_stay_what_they_are(kinds: str, axes: tuple[Vector3, ...]) -> None:
    assert standard_type(compound(kinds, axes)) is None


def test_velocities_of_bodies_by_finite_differences() -> None:
    """The initial velocity of a joint is written as the velocity of its child body."""
    center = (0.1, 0.2, 0.3)
    positions, rates = (0.4, -0.3, 1.2, 0.7), (0.5, 1.5, -2.0, 0.25)
    joint_type = compound("TSTS", (SKEW, ACROSS, Z_AXIS, X_AXIS))
    world = _world(joint_type, positions, rates, center)
    moved = bake_initial_pose(world, WriteContext(path=Path("x.yaml"))).models["m"].bodies["b"]
    step = 1e-6
    before, after = (
        poses(_world(joint_type, [q + sign * step * v for q, v in zip(positions, rates, strict=True)], rates, center))["m"]["b"]
        for sign in (-0.5, 0.5)
    )
    linear = (np.array(after.transform(center)) - np.array(before.transform(center))) / step
    spin = np.array(rotation_vector_from_quaternion((before.inverse() @ after).wxyz)) / step
    np.testing.assert_allclose(moved.initial_velocity, linear, atol=1e-8)
    np.testing.assert_allclose(moved.initial_angular_velocity_body, spin, atol=1e-8)


def _world(joint_type: Compound, positions: object, rates: object, center: Vector3) -> World:
    coordinates = tuple(
        Coordinate(initial_position=q, initial_velocity=v)
        for q, v in zip(positions, rates, strict=True)  # type: ignore[call-overload]
    )
    joint = Joint(name="j", type=joint_type, parent=None, child="b", coordinates=coordinates)
    body = Body(name="b", inertial=Inertial(center_of_mass=center))
    return World(models=NamedList([Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]))]))
