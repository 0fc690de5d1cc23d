"""Mobility and loop closure against closed forms."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from growth import is_growth_below
from linkages import POINTS, Z, hinged
from ossature.diagnostics import Limits
from ossature.kinematics import LoopClosureError, LoopSizeError, mobility_of, poses
from ossature.kinematics.constraint_graph import ConstraintEdge, loop_core
from ossature.kinematics.joint_graph_edges import connections
from ossature.model import Body, Fixed, Inertial, Joint, Model, NamedList, Revolute, World


def test_a_planar_four_bar_has_one_degree_of_freedom_and_three_redundant_constraints() -> None:
    found = mobility_of(hinged(POINTS))
    assert (found.degrees_of_freedom, found.redundant_count) == (1, 3)
    assert found.redundancies[0].joints == ("hinge0", "hinge1", "hinge2", "hinge3")
    assert not found.locked_joints and not found.is_singular_at_start


def test_a_four_bar_with_a_tilted_hinge_is_locked_and_its_joints_are_named() -> None:
    tilt = math.radians(1.15)
    found = mobility_of(hinged(POINTS, [Z, Z, (0.0, math.sin(tilt), math.cos(tilt)), Z]))
    assert found.degrees_of_freedom == 0
    assert found.locked_joints == ("hinge0", "hinge1", "hinge2", "hinge3")


@pytest.mark.parametrize("count", [4, 5, 6, 9])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_a_planar_chain_of_n_bars_has_n_minus_three_degrees_of_freedom(count: int, scale: float) -> None:
    """Grübler's count in the plane, in any unit of length."""
    angles = np.linspace(0.0, 1.7 * math.pi, count)
    points = [(scale * math.cos(a), scale * 1.3 * math.sin(a), 0.0) for a in angles]
    found = mobility_of(hinged(points))
    assert (found.degrees_of_freedom, found.redundant_count, found.locked_joints) == (count - 3, 3, ())


@pytest.mark.parametrize("twist", [0.4, 0.8])
def test_bennetts_linkage_is_mobile_although_overconstrained(twist: float) -> None:
    """Opposite bars are equal, and sines of twists are as the lengths: 4 hinges in space, by Grübler's count of -2."""
    a, b = 1.0, 1.3
    other = math.asin(math.sin(twist) * b / a)
    found = mobility_of(bennett(a, b, twist, other))
    assert (found.degrees_of_freedom, found.redundant_count, found.locked_joints) == (1, 3, ())
    assert mobility_of(bennett(a, b, twist, 0.9 * other)).degrees_of_freedom == 0


def bennett(a: float, b: float, alpha: float, beta: float) -> Model:
    """Return the linkage at the input angle of 1 rad, closed by the output angle of the closed form."""
    first = 1.0
    second = 2.0 * math.atan2(math.sin(0.5 * (beta + alpha)), math.sin(0.5 * (beta - alpha)) * math.tan(0.5 * first))
    frame, points, axes = np.eye(4), [], []
    for angle, length, twist in ((first, a, alpha), (second, b, beta), (-first, a, alpha), (-second, b, beta)):
        points.append(tuple(frame[:3, 3].tolist()))
        axes.append(tuple(frame[:3, 2].tolist()))
        frame = frame @ denavit_hartenberg(angle, length, twist)
    return hinged(points, axes)


def denavit_hartenberg(angle: float, length: float, twist: float) -> np.ndarray:
    c, s, ct, st = math.cos(angle), math.sin(angle), math.cos(twist), math.sin(twist)
    return np.array(
        [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0.0, st, ct, 0.0], [0.0, 0.0, 0.0, 1.0]]
    )


def test_a_parallelogram_with_a_redundant_bar_moves() -> None:
    points = ((0.0, 0.0, 0.0), (0.3, 1.0, 0.0), (2.3, 1.0, 0.0), (2.0, 0.0, 0.0))
    found = mobility_of(hinged(points, extra=[(0, 2, (1.0, 0.0, 0.0), (1.3, 1.0, 0.0))]))
    assert (found.degrees_of_freedom, found.redundant_count) == (1, 7)  # 3 a loop for the plane, and the bar's own one
    longer = mobility_of(hinged(points, extra=[(0, 2, (1.0, 0.0, 0.0), (1.35, 1.0, 0.0))]))
    assert longer.degrees_of_freedom == 0
    assert set(longer.locked_joints) == {"hinge0", "hinge1", "hinge2", "hinge3", "start0", "end0"}


def test_a_change_point_is_a_singular_initial_configuration() -> None:
    """A parallelogram whose bars lie in one line can go on in two ways."""
    found = mobility_of(hinged(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (3.0, 0.0, 0.0), (2.0, 0.0, 0.0))))
    assert (found.degrees_of_freedom, found.degrees_of_freedom_at_start) == (1, 2)
    assert found.is_singular_at_start


def test_a_collinear_triangle_is_rigid_although_it_has_an_infinitesimal_motion() -> None:
    found = mobility_of(hinged(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (3.0, 0.0, 0.0))))
    assert (found.degrees_of_freedom, found.degrees_of_freedom_at_start) == (0, 1)
    assert found.locked_joints == ("hinge0", "hinge1", "hinge2")


def four_bar_angle(crank: float) -> float:
    """Return by how much the bar at the far end turns when the crank turns by an angle, from two circles that meet."""
    points = np.array(POINTS)[:, :2]
    length, coupler, rocker = np.linalg.norm(np.diff(points, axis=0), axis=1)
    start = math.atan2(*points[1][::-1])
    pin = length * np.array([math.cos(start + crank), math.sin(start + crank)])
    way = points[3] - pin
    far = float(np.linalg.norm(way))
    along = (coupler**2 - rocker**2 + far**2) / (2.0 * far)
    across = math.sqrt(coupler**2 - along**2)
    unit = way / far
    end = pin + along * unit + across * np.array([-unit[1], unit[0]])
    before = points[2] - points[3]
    after = end - points[3]
    return math.atan2(before[0] * after[1] - before[1] * after[0], before @ after)


@pytest.mark.parametrize("crank", [-0.8, 0.3, 1.2])
def test_poses_close_the_loop_whichever_joint_is_given(crank: float) -> None:
    world = World(models=NamedList([hinged(POINTS)]))
    rocker = four_bar_angle(crank)
    by_crank = poses(world, {"m": {"hinge0": [crank]}})["m"]
    by_rocker = poses(world, {"m": {"hinge3": [rocker]}})["m"]
    for name, pose in by_crank.items():
        assert pose.position == pytest.approx(by_rocker[name].position, abs=1e-9)
        assert pose.wxyz == pytest.approx(by_rocker[name].wxyz, abs=1e-9)
    assert 2.0 * math.atan2(by_crank["bar2"].wxyz[3], by_crank["bar2"].wxyz[0]) == pytest.approx(rocker, abs=1e-9)


def test_loops_that_cannot_be_closed_are_an_error_with_joint_and_residual() -> None:
    world = World(models=NamedList([hinged(POINTS)]))
    with pytest.raises(
        LoopClosureError, match=r"model 'm' cannot be closed.*the residual of joint 'hinge\d' is .* m"
    ) as raised:
        poses(world, {"m": {"hinge0": [0.3], "hinge3": [-0.5]}})
    assert raised.value.residual > 1e-3


@pytest.mark.parametrize("digits", [4, 6, 8])
def test_rounded_coordinates_move_within_a_tolerance_until_loops_are_closed(digits: int) -> None:
    world = World(models=NamedList([hinged(POINTS)]))
    given = {"m": {"hinge0": [0.3], "hinge3": [round(four_bar_angle(0.3), digits)]}}
    rounding = 10.0**-digits
    with pytest.raises(LoopClosureError, match="they can if joints move by") as raised:
        poses(world, given)
    assert raised.value.displacement < rounding
    found = poses(world, given, tolerance=rounding)["m"]
    crank, rocker = (2.0 * math.atan2(found[name].wxyz[3], found[name].wxyz[0]) for name in ("bar0", "bar2"))
    assert four_bar_angle(crank) == pytest.approx(rocker, abs=1e-9)
    assert crank == pytest.approx(0.3, abs=rounding)
    with pytest.raises(LoopClosureError):
        poses(world, given, tolerance=0.1 * raised.value.displacement)


def test_loops_above_the_limit_are_refused_with_their_size() -> None:
    ring = hinged([(math.cos(a), math.sin(a), 0.0) for a in np.linspace(0.0, 6.0, 30)])
    with pytest.raises(LoopSizeError, match="30 joints and constraints connect 29 bodies"):
        mobility_of(ring, limits=Limits(loop_operations=10_000_000))
    assert mobility_of(ring).degrees_of_freedom == 27


def chain_beside_loop(count: int) -> Model:
    """Return a four-bar linkage with a chain of bodies, the last fixed joints first."""
    linkage = hinged(POINTS)
    names = ["bar1", *(f"link{number}" for number in range(count))]
    bodies = [Body(name=name, inertial=Inertial(mass=1.0)) for name in names[1:]]
    joints = [
        Joint(name=f"to {child}", type=Fixed() if number % 2 else Revolute(), parent=parent, child=child)
        for number, (parent, child) in enumerate(pairwise(names))
    ]
    return Model(name="m", bodies=NamedList([*linkage.bodies, *bodies]), joints=NamedList([*linkage.joints, *reversed(joints)]))


def test_the_time_of_mobility_is_linear_in_the_bodies_outside_of_loops() -> None:
    few, many = chain_beside_loop(250), chain_beside_loop(2000)
    assert mobility_of(few).degrees_of_freedom == 1 + 125
    edges = {count: core_edges(chain_beside_loop(count)) for count in (1000, 8000)}
    assert len(loop_core(edges[1000], {None})) == 4
    assert is_growth_below(32.0, lambda: loop_core(edges[1000], {None}), lambda: loop_core(edges[8000], {None}))
    assert is_growth_below(32.0, lambda: mobility_of(few), lambda: mobility_of(many))


def core_edges(model: Model) -> list[ConstraintEdge]:
    return [
        ConstraintEdge(one.joint.parent, one.joint.child, one) for one in connections(model) if one.joint.parent is not None
    ]
