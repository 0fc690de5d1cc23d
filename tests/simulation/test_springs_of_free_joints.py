"""Springs of free and ball joints, compared with dartpy, and in the ledger of MJCF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.conversion import convert
from ossature.model import World

STEPS = 100
SPRINGS = (2.0, 2.0, 2.0)


def world(kind: str = "free", stiffness: tuple[float, ...] = SPRINGS, turn: str = "0.5 0.4 0.9", force: str = "") -> str:
    inertia = (
        "<inertia><mass>1</mass><moment_of_inertia><ixx>1</ixx><iyy>0.8</iyy><izz>0.6</izz>"
        "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia>"
    )
    actuator = ' actuator="passive"' if force else ""
    dofs = "".join(
        f'<dof local_index="{number}"><spring_stiffness>{value}</spring_stiffness>{force}</dof>'
        for number, value in enumerate(stiffness)
    )
    start = "0.4 -0.2 0.3 0 0 0" if kind == "free" else "0.4 -0.2 0.3"
    return (
        '<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 0</gravity></physics>'
        f'<skeleton name="s"><body name="a"><transformation>0 0 0 {turn}</transformation>{inertia}</body>'
        f'<joint type="{kind}" name="j"{actuator}><parent>world</parent><child>a</child><init_pos>{start}</init_pos>'
        f"{dofs}</joint>"
        "</skeleton></world></skel>"
    )


def loaded(text: str, folder: Path) -> World:
    (folder / "spring.skel").write_text(text)
    return ossature.load(folder / "spring.skel")


def moved_by_dart(text: str, folder: Path) -> np.ndarray:
    dart = pytest.importorskip("dartpy")
    (folder / "dart.skel").write_text(text)
    found = dart.utils.SkelParser.readWorld(str(folder / "dart.skel"))
    for _ in range(STEPS):
        found.step(False)
    return np.array(found.getSkeleton(0).getBodyNode(0).getTransform().matrix())


@pytest.mark.parametrize("turn", ["0 0 0", "0.5 0.4 0.9", "3 0 0"])
def test_rotational_springs_act_about_axes_of_the_parent(turn: str, tmp_path: Path) -> None:
    text = world(turn=turn)
    simulation = ossature.Simulation(loaded(text, tmp_path))
    simulation.step(STEPS)
    np.testing.assert_allclose(simulation.poses()["s"]["a"].matrix(), moved_by_dart(text, tmp_path), atol=1e-9)


def test_a_passive_joint_keeps_its_springs_beside_an_initial_force(tmp_path: Path) -> None:
    text = world("ball", (2.0, 0.0, 1.0), force='<force initial="3"/>')
    simulation = ossature.Simulation(loaded(text, tmp_path))
    simulation.step(STEPS)
    # The drive of these springs is explicit, as that of DART is not: both differ by the square of the step.
    np.testing.assert_allclose(simulation.poses()["s"]["a"].matrix(), moved_by_dart(text, tmp_path), atol=2e-6)


@pytest.mark.parametrize(("turn", "is_recorded"), [("0 0 0", False), ("0.5 0.4 0.9", True)])
def test_springs_about_other_axes_are_in_the_ledger_of_mjcf(turn: str, is_recorded: bool, tmp_path: Path) -> None:
    ledger = convert(loaded(world(turn=turn), tmp_path), tmp_path / "spring.xml").ledger
    assert any(entry.path == "s/j.coordinates" for entry in ledger) is is_recorded
