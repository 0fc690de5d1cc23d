"""What motors and joints are told on the page."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

pytest.importorskip("viser")

import ossature
from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.spatial import quaternion_from_axis_angle
from ossature.viewer.commandable import commandables
from ossature.viewer.opened import open_file
from ossature.viewer.page import Page
from ossature.viewer.performance import Performance
from ossature.viewer.server import LOOPBACK, serve

CRANK = PROJECT / "examples" / "slider_crank.yaml"
ARM = PROJECT / "examples" / "arm.skel"


@pytest.fixture
def page() -> Iterator[Page]:
    opened = open_file(CRANK, lambda found: MeshStore())
    page = Page(serve(LOOPBACK, 0, "test", fine=False), [opened], fine=False)
    yield page
    page.close()


def turned(performance: Performance) -> float:
    """Return the angle by which the crank has turned about y [rad]."""
    w, _, y, _ = performance.picture().poses["slider crank"]["crank"].wxyz
    return 2.0 * math.atan2(y, w)


def test_motors_and_joints_that_follow_a_velocity_can_be_told() -> None:
    found = {(one.model, one.name, one.unit) for path in (CRANK, ARM) for one in commandables(ossature.load(path))}
    assert found == {("slider crank", "drive", "rad/s"), ("arm", "grip", "m/s")}


def test_a_motor_turns_as_it_is_told_until_it_begins_again() -> None:
    performance = Performance(ossature.load(CRANK), MeshStore(), {})
    begin = turned(performance)
    performance.command("slider crank", "drive", 3.0)
    performance.advance(0.2)
    assert turned(performance) - begin == pytest.approx(3.0 * 0.2, abs=1e-6)
    performance.restart()
    performance.advance(0.2)
    # The file lets the speed rise to 6 rad/s within half a second.
    assert turned(performance) - begin == pytest.approx(0.5 * (6.0 / 0.5) * 0.2**2, abs=1e-6)


def test_what_is_told_before_a_run_counts_from_its_beginning(page: Page) -> None:
    begin = quaternion_from_axis_angle((0.0, 1.0, 0.0), 0.0)
    assert page.exhibits[0].poses["slider crank"]["crank"].wxyz == pytest.approx(begin)
    page.running.command(page.exhibits[0], "slider crank", "drive", 5.0)
    for _ in range(100):
        page.running.conductor.step()
    performance = page.running.conductor.performances[0]
    assert turned(performance) == pytest.approx(5.0 * performance.time, abs=1e-6)
    page.running.command(page.exhibits[0], "slider crank", "drive", -5.0)
    for _ in range(100):
        page.running.conductor.step()
    assert turned(performance) == pytest.approx(0.0, abs=0.01)
    page.running.restart()
    page.running.conductor.step()
    assert abs(turned(performance)) < 1e-4
