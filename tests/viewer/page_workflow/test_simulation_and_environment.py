"""The environment of a simulation, contacts, commands, pulled bodies, and dropped recordings and states."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image, ImageFilter

from conftest import PROJECT

pytest.importorskip("viser")
pytest.importorskip("playwright")

import ossature
from ossature.kinematics import BaseChoice
from ossature.viewer.camera_tracking import floating_roots
from ossature.viewer.list_command_inputs import list_command_inputs
from ossature.viewer.scene_layers import Layer
from ossature.viewer.simulation_environment import SimulationEnvironment

from ..browser import act_until, pixels, screenshot, steady_pixels, tab_named, wait_for
from .opened_page import Opened, canvas_of, pixels_of_moving_bodies

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.slow


def test_base_and_floor_are_changed_and_the_camera_follows_the_base(opened: Opened) -> None:
    tab_named(opened.tab, "Simulate")
    base = opened.tab.get_by_label("Base", exact=True).first
    if not base.is_visible():
        opened.tab.get_by_text("Environment", exact=True).click()
    base.wait_for()
    assert not floating_roots(opened.view.world)
    opened.choose("Base", "floating")
    wait_for(lambda: opened.page.environment.base is BaseChoice.FLOATING and floating_roots(opened.view.world))
    opened.tab.get_by_text("is floating").first.wait_for()
    had_floor = any(model.name.startswith("ground") for model in opened.view.world.models if model.static)
    opened.tab.get_by_label("Floor", exact=True).first.click()
    wait_for(lambda: opened.page.environment.has_floor is not had_floor)
    opened.page.set_simulation_environment(SimulationEnvironment(base=BaseChoice.FLOATING, has_floor=True))
    opened.page.set_follows(True)
    opened.run_until(1.0)
    model, body = floating_roots(opened.view.world)[0]
    fallen = opened.view.poses[model][body].position[2] + opened.view.nodes.offset[2]
    assert fallen == pytest.approx(opened.page.tracking._start[2], abs=1e-6), "the scene moves so that the base stays"
    opened.page.set_follows(False)


def test_contacts_of_a_simulation_have_forces_and_numbers(opened: Opened) -> None:
    opened.page.set_simulation_environment(SimulationEnvironment(base=BaseChoice.FLOATING, has_floor=True))
    if not any(body.collisions for model in opened.view.world.models for body in model.bodies if not model.static):
        pytest.skip("the format has no collision shapes, or the example none")
    tab_named(opened.tab, "Layers")
    opened.tab.get_by_label(Layer.CONTACTS.value).click()
    wait_for(lambda: Layer.CONTACTS in opened.view.nodes.shown)
    try:
        opened.run_until(1.5)
        labels = [label for label in opened.view.contact_arrows._labels if label.visible]
        assert labels
        assert all(float(label.text.removesuffix(" N")) >= 0.0 for label in labels)
        with_numbers = steady_pixels(opened.tab)
        screenshot(opened.tab, f"contacts_{opened.path.stem}")
        for label in labels:
            label.visible = False
        wait_for(lambda: np.abs(pixels(opened.tab) - with_numbers).max() > 0.3)
    finally:
        opened.page._toggle_layer(Layer.CONTACTS, False)


def test_commands_of_motors_and_actuators_reach_the_simulation(opened: Opened) -> None:
    inputs = list_command_inputs(opened.view.world)
    if not inputs:
        pytest.skip("the example has no motor, actuator or velocity-controlled joint")
    first = inputs[0]
    tab_named(opened.tab, "Simulate")
    if not opened.tab.get_by_text(f"{first.name}, {first.unit}").first.is_visible():
        opened.tab.get_by_text("Inputs", exact=True).click()
    value = 0.5 if first.limits is None else 0.5 * sum(first.limits)
    text = opened.tab.locator("input:visible").filter(has_not=opened.tab.locator("[type=checkbox]"))
    number = next(one for one in reversed(range(text.count())) if _is_below(text.nth(one), opened.tab.get_by_text(first.name)))
    text.nth(number).fill(repr(value))
    text.nth(number).press("Enter")
    key = (0, first.model, first.name)
    wait_for(lambda: opened.page.session._commands.get(key) == pytest.approx(value, abs=0.01))
    opened.run_until(0.2)
    opened.tab.keyboard.press("r")
    wait_for(lambda: not opened.page.session._commands)


def _is_below(field: Any, title: Any) -> bool:
    one, other = field.bounding_box(), title.last.bounding_box()
    return one is not None and other is not None and abs(one["y"] - other["y"]) < 25.0


def test_a_body_is_pulled_with_the_mouse(opened: Opened) -> None:
    mask = Image.fromarray((255 * pixels_of_moving_bodies(opened)).astype(np.uint8))
    inside = np.asarray(mask.filter(ImageFilter.BoxBlur(6)))
    left, upper, right, lower = canvas_of(opened.tab)
    row, column = np.unravel_index(np.argmax(inside[upper:lower, left:right]), (lower - upper, right - left))
    x, y = left + int(column), upper + int(row)

    def drag() -> None:
        opened.tab.mouse.move(x, y)
        opened.tab.keyboard.down("Control")
        opened.tab.mouse.down()
        for step in range(1, 6):
            opened.tab.mouse.move(x + 6 * step, y - 6 * step)
            time.sleep(0.1)

    def is_pulled() -> bool:
        return opened.live is not None and opened.live._pull is not None

    def release() -> None:
        opened.tab.mouse.up()
        opened.tab.keyboard.up("Control")

    try:
        drag()
        wait_for(is_pulled)
        pull = opened.live._pull
        assert (pull.model, pull.body) in opened.view._moving
        start = opened.live.time
        wait_for(lambda: opened.live.time > start + 0.1)
    finally:
        release()
    wait_for(lambda: not is_pulled())
    assert opened.page.session.runner.is_running
    opened.page.session.runner.pause()


def drop(tab: Tab, path: Path) -> None:
    """Drop a file on the scene."""
    make = "([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name)); return data; }"
    data = tab.evaluate_handle(make, [path.name, path.read_text()])
    tab.dispatch_event("canvas[data-engine]", "drop", {"dataTransfer": data})


def test_a_dropped_recording_is_played_and_a_dropped_state_is_saved_again(opened: Opened, tmp_path: Path) -> None:
    simulation = ossature.Simulation(opened.view.world)
    simulation.run(0.2, sample=0.05).save(tmp_path / "run.json")
    drop(opened.tab, tmp_path / "run.json")
    wait_for(lambda: bool(opened.page.session.player.clips))
    assert opened.page.session.player.duration == pytest.approx(0.2)
    ossature.save_state(simulation.state(), tmp_path / "late.usdf")
    drop(opened.tab, tmp_path / "late.usdf")
    wait_for(lambda: opened.live is not None)
    tab_named(opened.tab, "Simulate")
    with opened.tab.expect_download() as download:
        opened.button("Save state").click()
    download.value.save_as(tmp_path / "saved.usdf")
    saved, expected = (ossature.load_state(tmp_path / name) for name in ("saved.usdf", "late.usdf"))
    assert [(model.name, model.joints) for model in saved.models] == [(model.name, model.joints) for model in expected.models]
    drop(opened.tab, PROJECT / "examples" / "palletizer.urdf")
    message = opened.tab.get_by_text("palletizer.urdf is neither a state")
    message.wait_for()
    act_until(lambda: opened.tab.keyboard.press("Escape"), lambda: not message.is_visible())
