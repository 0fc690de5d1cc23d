"""A gearbox of SDFormat couples two hinges: compared with the equation of motion of a pendulum that drives a wheel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ossature
from ossature.diagnostics import Report
from ossature.model.expression import sources_of
from ossature.simulation import Simulation

MASS, LENGTH, INERTIA, WHEEL, GRAVITY, DURATION = 2.0, 0.5, 0.2, 0.03, 9.8, 0.3


def inertial(x: float, moment: float) -> str:
    tensor = f"<ixx>{moment}</ixx><iyy>{moment}</iyy><izz>{moment}</izz>"
    return f"<inertial><pose>{x} 0 0 0 0 0</pose><mass>{MASS}</mass><inertia>{tensor}</inertia></inertial>"


def hinge(name: str, axis: int, *ends: str) -> str:
    parent, child = ends
    return (
        f'<joint name="{name}" type="revolute"><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>0 {axis} 0</xyz></axis></joint>"
    )


def machine(ratio: float, hinges: str, axes: tuple[str, str] = ("0 1 0", "0 1 0"), reference: str = "case") -> str:
    """Return a pendulum and a wheel in a case, with a gearbox between them."""
    case = '<link name="case"/><joint name="weld" type="fixed"><parent>world</parent><child>case</child></joint>'
    first, second = (f"<{tag}><xyz>{axis}</xyz></{tag}>" for tag, axis in zip(("axis", "axis2"), axes, strict=True))
    gearbox = (
        f'<joint name="gear" type="gearbox"><parent>pendulum</parent><child>wheel</child><gearbox_ratio>{ratio}</gearbox_ratio>'
        f"<gearbox_reference_body>{reference}</gearbox_reference_body>{first}{second}</joint>"
    )
    return (
        f'<sdf version="1.10"><world name="w"><gravity>0 0 {-GRAVITY}</gravity><model name="m">{case}'
        f'<link name="pendulum">{inertial(LENGTH, INERTIA)}</link><link name="wheel">{inertial(0.0, WHEEL)}</link>'
        f"{hinges}{gearbox}</model></world></sdf>"
    )


PLAIN = hinge("in", 1, "case", "pendulum") + hinge("out", 1, "case", "wheel")


def angle_of_pendulum(ratio: float) -> float:
    moment = INERTIA + MASS * LENGTH**2 + ratio**2 * WHEEL
    solved = solve_ivp(
        lambda _, state: (state[1], MASS * GRAVITY * LENGTH * np.cos(state[0]) / moment),
        (0.0, DURATION),
        (0.0, 0.0),
        method="DOP853",
        rtol=1e-11,
        atol=1e-12,
    )
    return float(solved.y[0, -1])


@pytest.mark.parametrize(
    ("hinges", "axes", "sign"),
    [
        (PLAIN, ("0 1 0", "0 1 0"), -1.0),
        (PLAIN, ("0 -1 0", "0 2 0"), 1.0),
        (hinge("in", -1, "case", "pendulum") + hinge("out", 1, "wheel", "case"), ("0 1 0", "0 1 0"), -1.0),
        (hinge("in", 1, "pendulum", "case") + hinge("out", -3, "case", "wheel"), ("0 1 0", "0 -1 0"), 1.0),
    ],
)
@pytest.mark.parametrize("ratio", [3.0, -0.5])
def test_the_wheel_turns_by_the_ratio(hinges: str, axes: tuple[str, str], sign: float, ratio: float, report: Report) -> None:
    simulation = Simulation(ossature.load(machine(ratio, hinges, axes).encode(), format="sdf"), report=report)
    simulation.run(DURATION)
    expected = angle_of_pendulum(ratio)
    angles = {name: np.arctan2(pose.matrix()[0, 2], pose.matrix()[0, 0]) for name, pose in simulation.poses()["m"].items()}
    assert angles["pendulum"] == pytest.approx(expected, abs=1e-5)
    assert np.exp(1j * angles["wheel"]) == pytest.approx(np.exp(1j * sign * ratio * expected), abs=1e-4)


@pytest.mark.parametrize(
    ("hinges", "axes", "reference"),
    [
        (PLAIN, ("1 0 0", "0 1 0"), "case"),
        (PLAIN, ("0 1 0", "0 1 0"), "nothing"),
        (hinge("in", 1, "case", "pendulum"), ("0 1 0", "0 1 0"), "case"),
        (PLAIN.replace('name="out" type="revolute"', 'name="out" type="prismatic"'), ("0 1 0", "0 1 0"), "case"),
    ],
)
def test_a_gearbox_without_its_hinges_is_a_finding(hinges: str, axes: tuple[str, str], reference: str, report: Report) -> None:
    world, found = ossature.read(machine(2.0, hinges, axes, reference).encode(), format="sdf")
    assert [finding.rule.name for finding in found] == ["unsupported-sdf-joint"]
    assert world is not None
    assert "gear" in world.models["m"].joints


def test_the_coupling_names_the_hinge_of_the_parent(report: Report) -> None:
    joints = ossature.load(machine(2.0, PLAIN).encode(), format="sdf").models["m"].joints
    assert "gear" not in joints
    coupling = joints["out"].coordinates[0].coupling
    assert coupling is not None
    assert [source.joint for source in sources_of(coupling.position)] == ["in"]
