"""Commands to motors and joints on the page."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest

pytest.importorskip("viser")

import ossature
from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.model import NamedList
from ossature.model.time_function import ConstantFunction
from ossature.spatial import quaternion_from_axis_angle
from ossature.viewer.app import ViewerApp
from ossature.viewer.list_command_inputs import list_command_inputs
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.loaded_file import open_file
from ossature.viewer.server import LOOPBACK, serve

CRANK = PROJECT / "examples" / "slider_crank.yaml"
ARM = PROJECT / "examples" / "arm.skel"
ODD = PROJECT / "tests" / "mjcf" / "files" / "odd.xml"


@pytest.fixture
def page() -> Iterator[ViewerApp]:
    loaded = open_file(CRANK, lambda found: MeshStore())
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded], shadows=False)
    yield page
    page.close()


def crank_angle(live: LiveSimulation) -> float:
    """Return the rotation of the crank about y [rad]."""
    w, _, y, _ = live.frame().poses["slider crank"]["crank"].wxyz
    return 2.0 * math.atan2(y, w)


def test_inputs_are_motors_and_velocity_controlled_joints() -> None:
    found = {(one.model, one.name, one.unit) for path in (CRANK, ARM) for one in list_command_inputs(ossature.load(path))}
    assert found == {("slider crank", "drive", "rad/s"), ("arm", "grip", "m/s")}


def test_inputs_that_follow_a_function_of_time_name_it() -> None:
    world = ossature.load(CRANK)
    model = world.models["slider crank"]
    constant = replace(model.motors["drive"], function=ConstantFunction(value=2.0))
    found = [
        [(one.follows, one.value) for one in list_command_inputs(replace(world, models=NamedList([changed])))]
        for changed in (model, replace(model, motors=NamedList([constant])))
    ]
    assert found == [[("table function", 0.0)], [(None, 2.0)]]


def test_actuators_of_mujoco_are_inputs_with_their_control_range() -> None:
    world = ossature.load(ODD)
    found = {one.name: one.limits for one in list_command_inputs(world)}
    assert found == {
        **dict.fromkeys(("shoulder", "filtered", "muscle", "iv", "thrust")),
        "torque": (-1.0, 1.0),
        "grip": (0.0, 1.0),
    }
    live = LiveSimulation(world, MeshStore(), {})
    for one in list_command_inputs(world):
        live.command(one.model, one.name, 0.5)
    live.advance(0.1)
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [open_file(ODD, lambda found: MeshStore())], shadows=False)
    page.close()


def test_motor_follows_command_until_restart() -> None:
    live = LiveSimulation(ossature.load(CRANK), MeshStore(), {})
    initial = crank_angle(live)
    live.command("slider crank", "drive", 3.0)
    live.advance(0.2)
    assert crank_angle(live) - initial == pytest.approx(3.0 * 0.2, abs=1e-6)
    live.restart()
    live.advance(0.2)
    # The file lets the speed rise to 6 rad/s within half a second.
    assert crank_angle(live) - initial == pytest.approx(0.5 * (6.0 / 0.5) * 0.2**2, abs=1e-6)


def test_command_before_a_run_applies_from_its_start(page: ViewerApp) -> None:
    initial = quaternion_from_axis_angle((0.0, 1.0, 0.0), 0.0)
    assert page.views[0].poses["slider crank"]["crank"].wxyz == pytest.approx(initial)
    page.session.command(page.views[0], "slider crank", "drive", 5.0)
    for _ in range(100):
        page.session.runner.step()
    live = page.session.runner.simulations[0]
    assert crank_angle(live) == pytest.approx(5.0 * live.time, abs=1e-6)
    page.session.command(page.views[0], "slider crank", "drive", -5.0)
    for _ in range(100):
        page.session.runner.step()
    assert crank_angle(live) == pytest.approx(0.0, abs=0.01)
    page.session.restart()
    page.session.runner.step()
    assert abs(crank_angle(live)) < 1e-4
