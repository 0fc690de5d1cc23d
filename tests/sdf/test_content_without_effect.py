"""Content of SDFormat that has no effect here is a finding, and static models inside others do not move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ossature
from ossature.diagnostics import Report
from ossature.simulation import Simulation

MASS, IXX, IYY, IZZ, GRAVITY = 2.0, 0.1, 0.2, 0.25, 9.8
INERTIAL = f"<inertial><mass>{MASS}</mass><inertia><ixx>{IXX}</ixx><iyy>{IYY}</iyy><izz>{IZZ}</izz></inertia></inertial>"
FALL = GRAVITY * 0.3**2 / 2.0


def link(name: str, x: float = 0.0, inside: str = INERTIAL) -> str:
    return f'<link name="{name}"><pose>{x} 0 0 0 0 0</pose>{inside}</link>'


def world(inside: str) -> str:
    return f'<sdf version="1.11"><world name="w"><gravity>0 0 {-GRAVITY}</gravity>{inside}</world></sdf>'


def model(inside: str) -> str:
    return f'<model name="m">{inside}</model>'


def joint(kind: str, parent: str, child: str, inside: str = "") -> str:
    return f'<joint name="j" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


def falls(text: str, folder: Path, report: Report) -> dict[str, float]:
    """Return how far each body falls in 0.3 s [m]; findings of reading and of simulating stay in the report."""
    (folder / "m.sdf").write_text(text)
    found, reading = ossature.read(folder / "m.sdf")
    assert found is not None
    report.extend(reading)
    simulation = Simulation(found, report=report)
    before = {name: pose.position[2] for poses in simulation.poses().values() for name, pose in poses.items()}
    simulation.run(0.3)
    after = {name: pose.position[2] for poses in simulation.poses().values() for name, pose in poses.items()}
    return {name: before[name] - after[name] for name in before}


def pendulum_fall(length: float) -> float:
    """Return how far a horizontal pendulum falls in 0.3 s, from an integrator of its own."""
    moment = IYY + MASS * length**2
    solved = solve_ivp(
        lambda _, state: (state[1], MASS * GRAVITY * length * np.cos(state[0]) / moment),
        (0.0, 0.3),
        (0.0, 0.0),
        method="DOP853",
        rtol=1e-11,
        atol=1e-12,
    )
    return float(length * np.sin(solved.y[0, -1]))


def test_a_static_child_of_a_joint_does_not_move(report: Report, tmp_path: Path) -> None:
    static = f'<model name="s"><static>true</static>{link("a")}{link("c", 3.0)}</model>'
    hinge = joint("revolute", "r", "s::a", "<axis><xyz>0 1 0</xyz></axis>")
    found = falls(world(model(link("r", 1.0) + static + hinge)), tmp_path, report)
    assert found["s::a"] == pytest.approx(0.0, abs=1e-9)
    assert found["s::c"] == pytest.approx(0.0, abs=1e-9)
    assert found["r"] == pytest.approx(pendulum_fall(1.0), abs=1e-6)


def test_a_link_that_is_fixed_to_a_static_one_does_not_move(report: Report, tmp_path: Path) -> None:
    static = f'<model name="s"><static>true</static>{link("a")}</model>'
    for ends in (("r", "s::a"), ("s::a", "r")):
        found = falls(world(model(link("r", 1.0) + static + joint("fixed", *ends))), tmp_path, report)
        assert found == pytest.approx({"r": 0.0, "s::a": 0.0}, abs=1e-9)


def test_links_of_a_merged_static_model_move(report: Report, tmp_path: Path) -> None:
    """As in libsdformat, which Drake uses: the links belong to the model that includes them."""
    inside = f"<static>true</static><self_collide>true</self_collide>{link('a')}"
    (tmp_path / "part.sdf").write_text(f'<sdf version="1.11"><model name="part">{inside}</model></sdf>')
    text = world(model(link("r", 1.0) + '<include merge="true"><uri>part.sdf</uri></include>'))
    assert falls(text, tmp_path, report) == pytest.approx({"r": FALL, "a": FALL}, abs=1e-9)
    (finding,) = report.take("ignored-sdf-element")
    assert finding.message.startswith("<static> of a merged model is ignored")
    assert not ossature.load(tmp_path / "m.sdf").models["m"].bodies["a"].self_collide


def test_changes_of_an_included_model_are_a_finding(report: Report, tmp_path: Path) -> None:
    (tmp_path / "part.sdf").write_text(f'<sdf version="1.11">{model(link("a"))}</sdf>')
    change = '<link element_id="a" action="modify"><inertial><mass>9</mass></inertial></link>'
    parameters = f'<experimental:params xmlns:experimental="x">{change}</experimental:params>'
    falls(world(f"<include><uri>part.sdf</uri>{parameters}</include>"), tmp_path, report)
    assert [finding.message for finding in report.take("ignored-sdf-element")] == [
        "<experimental:params> is ignored: the included model is read without its changes"
    ]


@pytest.mark.parametrize(
    ("kind", "axes", "ignored"),
    [
        ("ball", "<axis><xyz>0 0 1</xyz><dynamics><damping>3</damping></dynamics></axis>", ["axis"]),
        ("ball", "<axis><xyz>0 0 1</xyz></axis>", []),
        ("fixed", "<axis><limit><lower>0</lower></limit></axis>", ["axis"]),
        ("revolute", "<axis><xyz>0 1 0</xyz></axis><axis2><dynamics><friction>1</friction></dynamics></axis2>", ["axis2"]),
        ("revolute", "<axis><xyz>0 1 0</xyz><dynamics><damping>3</damping></dynamics></axis>", []),
        ("universal", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><limit><lower>-1</lower></limit></axis2>", []),
    ],
)
def test_axes_that_a_joint_does_not_have_are_findings(
    kind: str, axes: str, ignored: list[str], report: Report, tmp_path: Path
) -> None:
    falls(world(model(link("a") + link("b", 1.0) + joint(kind, "a", "b", axes))), tmp_path, report)
    found = [finding.message for finding in report.take("ignored-sdf-element")]
    assert found == [f"joint 'j' of type {kind} has no <{tag}>: its dynamics and limits are ignored" for tag in ignored]


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ("<velocity_decay><linear>0.5</linear></velocity_decay>", "damping of the velocity of a link (<velocity_decay>)"),
        ("<velocity_decay><linear>0</linear></velocity_decay>", ""),
        ("<kinematic>true</kinematic>", "a link without dynamics (<kinematic>)"),
        ("<kinematic>0</kinematic>", ""),
        ("<enable_wind>true</enable_wind>", "wind"),
        ("<enable_wind>false</enable_wind>", ""),
    ],
)
def test_motion_of_links_that_is_not_simulated_is_a_finding(inside: str, kind: str, report: Report, tmp_path: Path) -> None:
    wind = "<wind><linear_velocity>3 0 0</linear_velocity></wind>"
    falls(world(wind + model(link("a", inside=INERTIAL + inside))), tmp_path, report)
    found = [finding.message for finding in report.take("element-not-simulated")]
    assert found == ([f"'m': {kind} is not simulated: 'a'"] if kind else [])


@pytest.mark.parametrize(("speed", "is_reported"), [("3 0 0", True), ("0 0 0", False)])
def test_wind_that_a_model_enables_is_a_finding(speed: str, is_reported: bool, report: Report, tmp_path: Path) -> None:
    inside = f"<wind><linear_velocity>{speed}</linear_velocity></wind>"
    falls(world(inside + model("<enable_wind>1</enable_wind>" + link("a"))), tmp_path, report)
    assert bool(report.take("element-not-simulated")) is is_reported


def test_the_added_mass_of_a_fluid_is_a_finding(report: Report, tmp_path: Path) -> None:
    inside = INERTIAL.replace("</mass>", "</mass><fluid_added_mass><xx>5</xx></fluid_added_mass>")
    falls(world(model(link("a", inside=inside))), tmp_path, report)
    (finding,) = report.take("element-not-simulated")
    assert finding.message == "'m': the added mass of a fluid is not simulated: 'a'"
