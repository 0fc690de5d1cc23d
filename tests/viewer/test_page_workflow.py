"""Every control of the page in Chromium, with one model of each format."""

from __future__ import annotations

import csv
import io
import math
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
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
from ossature.model import NamedList
from ossature.viewer.camera_tracking import floating_roots
from ossature.viewer.closed_loop_configuration import ClosedLoopConfiguration
from ossature.viewer.list_command_inputs import list_command_inputs
from ossature.viewer.playback_recording import playback_of
from ossature.viewer.scene_layers import Layer
from ossature.viewer.simulation_environment import SimulationEnvironment
from ossature.viewer.standard_views import StandardView

from . import browser
from .browser import act_until, opened_file, pixels, screenshot, steady_pixels, tab_named, tree_row, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

    from ossature.array_types import Array
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.model_view import ModelView

MODELS = ("arm.skel", "slider_crank.yaml", "picker.dae", "palletizer.urdf", "finger.xml", "gripper_arm.sdf")
BREAK = {".yaml": ("\nmodel:", "\nmodel")}
"""Text of a file and what makes it invalid, by suffix; of XML files the last end tag is removed."""
NOT_WRITTEN = (".sdf",)
"""Suffixes of formats that are read and not written."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Opened:
    """A model in a tab, as it was opened.

    Attributes:
        path: A copy of its file.
        page: Its page.
        tab: The tab.
        context: The browser.
    """

    path: Path
    page: ViewerApp
    tab: Tab
    context: Any

    @property
    def view(self) -> ModelView:
        return self.page.views[0]

    @property
    def client(self) -> Any:
        clients = self.page.server.get_clients()
        return clients[max(clients)]

    @property
    def live(self) -> Any:
        """The simulation, which may not have been created yet."""
        simulations = self.page.session.runner.simulations
        return simulations[0] if simulations else None

    def last_body(self) -> tuple[str, str]:
        model = next(model for model in reversed(self.view.world.models) if not model.static)
        return model.name, model.bodies[-1].name

    def mass_of(self, model: str, body: str) -> float:
        return float(self.view.world.models[model].bodies[body].inertial.mass)

    def open_tab(self) -> str:
        return str(self.tab.locator('[role="tab"][aria-selected="true"]').first.text_content())

    def button(self, name: str) -> Any:
        return self.tab.get_by_role("button", name=name, exact=True).first

    def run_until(self, end: float) -> None:
        """Run the simulation until a time [s], and pause it, by the buttons."""
        tab_named(self.tab, "Simulate")
        self.button("Run").click()
        wait_for(lambda: self.live is not None and self.live.time > end)
        self.button("Pause").click()
        wait_for(lambda: not self.page.session.runner.is_running)

    def play(self, duration: float) -> None:
        """Load a recording of a simulation with 20 samples."""
        recording = ossature.Simulation(self.view.world).run(duration, sample=duration / 20.0)
        self.page.load_clips([playback_of(recording)])
        wait_for(lambda: self.button("Play").is_visible())

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list of the open tab."""
        self.tab.get_by_label(label, exact=True).first.click()
        self.tab.get_by_role("option", name=option, exact=True).click()

    def write_and_reload(self, text: str) -> None:
        self.path.write_text(text)
        self.page.reload(opened_file(self.path))


@pytest.fixture(scope="module", params=MODELS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(PROJECT / "examples" / request.param, tmp_path_factory.mktemp("model")))


@pytest.fixture
def opened(path: Path, show: Callable[..., tuple[ViewerApp, Tab]], context: Any) -> Opened:
    """The model in a tab that all tests of it share, without what earlier ones left."""
    page, tab = show(path)
    wait_for(lambda: bool(page.server.get_clients()))
    tab.get_by_role("tab", name="Pose", exact=True).wait_for()
    opened = Opened(path, page, tab, context)
    tab.evaluate("document.querySelectorAll('.mantine-Notification-closeButton').forEach(button => button.click())")
    page.session.drop()
    page.session.player.load(())
    page.simulation._record.value = page.session.runner.record = False
    page.session.set_references({})
    page.simulation.timeline.disable()
    page.plots.clear()
    page.selection.deselect()
    if page.environment != SimulationEnvironment():
        page.set_simulation_environment(SimulationEnvironment())
    page._apply_preset(opened.view, "Initial")
    page.cameras.fit_all(opened.client)
    return opened


# First picture


def pixels_of_moving_bodies(opened: Opened) -> Array:
    """Return which pixels of the page show bodies that move: those that change when these are hidden."""
    shown = steady_pixels(opened.tab)
    opened.view.nodes.hide_bodies(opened.view._moving)
    wait_for(lambda: np.abs(pixels(opened.tab) - shown).max() > 0.1)
    changed: Array = np.abs(steady_pixels(opened.tab) - shown).max(axis=2) > 0.05
    opened.view.nodes.hide_bodies(())
    wait_for(lambda: np.abs(pixels(opened.tab) - shown).max() < 0.5)
    return changed


def canvas_of(tab: Tab) -> tuple[int, int, int, int]:
    """Return the left, upper, right and lower edge of the scene on the page [pixels]."""
    box = tab.locator("canvas").first.bounding_box()
    panel = tab.get_by_role("tab", name="Pose", exact=True).bounding_box()
    assert box is not None
    assert panel is not None
    return round(box["x"]), round(box["y"]), round(min(box["x"] + box["width"], panel["x"])), round(box["y"] + box["height"])


def test_what_moves_fills_the_first_picture(opened: Opened) -> None:
    left, upper, right, lower = canvas_of(opened.tab)
    rows, columns = np.nonzero(pixels_of_moving_bodies(opened)[upper:lower, left:right])
    assert rows.min() > 0
    assert rows.max() < lower - upper - 1
    assert columns.min() > 0
    assert columns.max() < right - left - 1
    assert max(np.ptp(rows) / (lower - upper), np.ptp(columns) / (right - left)) > 0.4
    screenshot(opened.tab, f"first_{opened.path.stem}")


def write_without_shapes(path: Path) -> None:
    """Write a file again without the shapes of its bodies."""
    if path.suffix in NOT_WRITTEN:
        path.write_text(re.sub(r"<(visual|collision)\b.*?</\1>", "", path.read_text(), flags=re.DOTALL))
        return
    world = ossature.load(path)
    bare = {"visuals": (), "collisions": (), "self_collisions": None}
    models = [replace(model, bodies=NamedList([replace(body, **bare) for body in model.bodies])) for model in world.models]
    ossature.save(replace(world, models=NamedList(models)), path)


def test_bodies_without_shapes_are_drawn_as_a_skeleton(opened: Opened) -> None:
    text = opened.path.read_text()
    try:
        write_without_shapes(opened.path)
        opened.page.reload(opened_file(opened.path))
        assert Layer.SKELETON in opened.view.nodes.shown
        with_skeleton = steady_pixels(opened.tab)
        screenshot(opened.tab, f"skeleton_{opened.path.stem}")
        tab_named(opened.tab, "Layers")
        box = opened.tab.get_by_label(Layer.SKELETON.value)
        box.click()
        wait_for(lambda: Layer.SKELETON not in opened.view.nodes.shown)
        left, upper, right, lower = canvas_of(opened.tab)
        changed = np.abs(steady_pixels(opened.tab) - with_skeleton)[upper:lower, left:right].max(axis=2) > 0.05
        assert changed.mean() > 0.005
        box.click()
        wait_for(lambda: Layer.SKELETON in opened.view.nodes.shown)
    finally:
        opened.page._toggle_layer(Layer.SKELETON, False)
        opened.write_and_reload(text)


def test_the_open_tab_stays_open_in_a_narrow_window(opened: Opened) -> None:
    tab_named(opened.tab, "Layers")
    wait_for(lambda: opened.open_tab() == "Layers")
    try:
        for width, height in ((420, 800), (browser.WIDTH, browser.HEIGHT)):
            opened.tab.set_viewport_size({"width": width, "height": height})
            wait_for(lambda: opened.tab.get_by_label("Follow").first.is_visible())
            wait_for(lambda: opened.open_tab() == "Layers")
            screenshot(opened.tab, f"{width}_{opened.path.stem}")
    finally:
        opened.tab.set_viewport_size({"width": browser.WIDTH, "height": browser.HEIGHT})


# Camera


def direction_of_camera(opened: Opened) -> Array:
    camera = opened.client.camera
    away = np.array(camera.position) - np.array(camera.look_at)
    return np.asarray(away / np.linalg.norm(away))


def test_the_camera_shows_standard_views_the_selection_and_everything(opened: Opened) -> None:
    up = opened.view.framing.up

    def looks_from(view: StandardView) -> bool:
        wanted = np.array(view.direction(up) or np.array(opened.view.framing.eye) - opened.view.framing.look_at)
        return bool(direction_of_camera(opened) @ (wanted / np.linalg.norm(wanted)) > 0.999)

    for key, view in {
        "1": StandardView.FRONT,
        "2": StandardView.LEFT,
        "3": StandardView.TOP,
        "0": StandardView.ISOMETRIC,
    }.items():
        act_until(lambda key=key: opened.tab.keyboard.press(key), lambda view=view: looks_from(view))
    tab_named(opened.tab, "Layers")
    opened.choose("View", "Back")
    wait_for(lambda: looks_from(StandardView.BACK))
    body = opened.last_body()
    opened.page.selection.select(opened.view, *body)

    def distance() -> float:
        return math.dist(opened.client.camera.look_at, opened.view.framing_of_body(*body).center)

    opened.tab.get_by_text("Go to selection", exact=True).click()
    wait_for(lambda: distance() < 0.1 * opened.view.framing.size)
    opened.tab.get_by_text("Fit all", exact=True).click()
    everything = opened.view.current_framing()
    wait_for(
        lambda: math.dist(opened.client.camera.look_at, everything.look_at_from(tuple(direction_of_camera(opened)))) < 0.02
    )
    act_until(lambda: opened.tab.keyboard.press("f"), lambda: distance() < 0.1 * opened.view.framing.size)
    act_until(lambda: opened.tab.keyboard.press("Home"), lambda: distance() > 0.1 * opened.view.framing.size)
    before = opened.page.tracking.is_active
    act_until(lambda: opened.tab.keyboard.press("c"), lambda: opened.page.tracking.is_active is not before)
    opened.tab.get_by_label("Follow").click()
    wait_for(lambda: opened.page.tracking.is_active is before)


# Environment and simulation


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


# Timeline and plots


def test_keys_and_controls_of_the_timeline(opened: Opened) -> None:
    opened.play(1.0)
    player, tab = opened.page.session.player, opened.tab
    act_until(lambda: tab.keyboard.press("ArrowRight"), lambda: player.time == pytest.approx(0.05, abs=1e-6))
    tab.keyboard.press("ArrowRight")
    wait_for(lambda: player.time == pytest.approx(0.1, abs=1e-6))
    tab.keyboard.press("ArrowLeft")
    wait_for(lambda: player.time == pytest.approx(0.05, abs=1e-6))
    wait_for(lambda: opened.view.poses == player.clips[0].frames[1].poses)
    opened.choose("Speed", "0.1")
    wait_for(lambda: player.speed == 0.1)
    tab.get_by_label("Loop", exact=True).click()
    wait_for(lambda: player.loop)
    wait_for(lambda: tab.evaluate("document.activeElement === document.body"))  # on a busy machine after a while
    act_until(lambda: tab.keyboard.press("Space"), lambda: player.is_running)
    assert player.loop, "the checkbox did not take the key"
    act_until(lambda: tab.keyboard.press("Space"), lambda: not player.is_running)
    player.speed = 4.0
    player.seek(0.9)
    act_until(lambda: tab.keyboard.press("Space"), lambda: player.is_running and player.time < 0.5)  # it started again
    act_until(lambda: tab.keyboard.press("Space"), lambda: not player.is_running)
    tab.get_by_label("Loop", exact=True).click()
    opened.choose("Speed", "1")
    wait_for(lambda: not player.loop and player.speed == 1.0)


GROUPS: dict[str, Callable[[str], bool]] = {
    "joint": lambda label: label.endswith(".positions"),
    "body": lambda label: label.endswith(".linear_velocity"),
    "energy": lambda label: label == "energy.kinetic",
    "reaction": lambda label: ".reaction_" in label,
    "contact": lambda label: ".contact_" in label,
    "element": lambda label: label.rsplit(".", 1)[-1] in ("force", "torque", "elongation", "length"),
    "measurement": lambda label: label.startswith("measurements") or ".measurement" in label,
}
"""Whether a label is that of a signal of a group."""


def test_signals_of_each_group_are_plotted_live_and_recorded_and_exported(opened: Opened) -> None:
    page, tab = opened.page, opened.tab
    tab_named(tab, "Simulate")
    tab.get_by_role("checkbox", name="Record").click()
    wait_for(lambda: page.session.runner.record)
    opened.run_until(0.3)
    names = page.session.signals.names()
    chosen = {group: next((name for name in names if is_one(name)), None) for group, is_one in GROUPS.items()}
    labels = [label for label in chosen.values() if label is not None]
    assert {"joint", "body", "energy", "reaction"} <= {group for group, label in chosen.items() if label is not None}
    tab_named(tab, "Plots")
    tab.get_by_role("textbox").first.fill(labels[0])
    wait_for(lambda: labels[0] in page.plots._choice.options)
    opened.choose("Signal", labels[0])
    wait_for(lambda: page.plots.labels == (labels[0],))
    for label in labels[1:]:
        page.plots.add(label)
    wait_for(lambda: tab.locator(".uplot").count() == len(labels))
    for label in labels:
        curves = page.session.signals.curves_of(label)
        assert curves is not None, label
        assert len(curves.times) > 3, label
        assert all(np.isfinite(values).any() for values in curves.values.values()), label
        tab.locator(".u-title", has_text=label).first.wait_for()
    screenshot(tab, f"plots_{opened.path.stem}")
    with tab.expect_download() as download:
        tab.get_by_text("CSV", exact=True).click()
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text())))
    assert rows[0][0] == "time"
    assert {name.rsplit("[", 1)[0] for name in rows[0][1:]} == set(labels)
    assert len(rows) > 4
    opened.run_until(opened.live.time + 0.3)
    page.session.player.load(())  # only what was sampled while it ran is left
    for label in labels:
        curves = page.session.signals.curves_of(label)
        assert curves is not None, label
        assert sum(np.isfinite(next(iter(curves.values.values())))) > 3, label


def test_a_run_is_compared_with_one_after_an_edit(opened: Opened) -> None:
    page, tab = opened.page, opened.tab
    tab_named(tab, "Simulate")
    tab.get_by_role("checkbox", name="Record").click()
    wait_for(lambda: page.session.runner.record)
    for _ in range(2):
        opened.run_until(0.4)
        wait_for(lambda: page.session.player.clips)
        if not page.session.references:
            tab.get_by_text("Keep as reference", exact=True).click()
            wait_for(lambda: page.session.references)
            model, body = opened.last_body()
            page.editing.change(opened.view, {f"{model}/{body}.inertial.mass": opened.mass_of(model, body) + 1.0})
            wait_for(lambda: opened.open_tab() == "Simulate")
    page.plots.add("energy.kinetic")
    tab_named(tab, "Plots")
    tab.get_by_text("reference: value").first.wait_for()
    screenshot(tab, f"compared_{opened.path.stem}")
    tab.get_by_role("checkbox", name="Difference").click()
    tab.get_by_text("difference value").first.wait_for()
    tab.get_by_role("checkbox", name="Difference").click()
    page.editing.undo(opened.view)


# Tree, findings and values


def test_joints_are_rows_that_are_folded_and_described(opened: Opened) -> None:
    page, tab, view = opened.page, opened.tab, opened.view
    tab_named(tab, "Tree")
    row = next(row for row in page.tree._rows[view] if row.joint is not None and row.has_rows)
    act_until(tree_row(tab, row.label).click, lambda: view.nodes.selected == (row.model, row.body))
    tab.get_by_text(f"Joint {row.joint}").first.wait_for()
    act_until(tree_row(tab, row.label).click, lambda: (view, (row.model, row.body, None)) not in page.tree._buttons)
    screenshot(tab, f"folded_{opened.path.stem}")
    page.selection.select(view, row.model, row.body)
    wait_for(lambda: (view, (row.model, row.body, None)) in page.tree._buttons)
    tab.get_by_text("Fold all", exact=True).click()
    wait_for(
        lambda: all(rows[1][2] is not None or rows[1][1] for rows in page.tree._buttons) and len(page.tree._folded[view]) > 1
    )
    tab.get_by_text("Unfold all", exact=True).click()
    wait_for(lambda: not page.tree._folded[view])
    tab_named(tab, "Findings")
    wait_for(lambda: not tree_row(tab, row.label).is_visible())  # the rows are in their tab


def test_bodies_are_hidden_isolated_and_measured(opened: Opened) -> None:
    page, tab, view = opened.page, opened.tab, opened.view
    tab_named(tab, "Tree")
    tab.get_by_text("Unfold all", exact=True).click()
    (model, first), (_, second) = [
        (model.name, body.name) for model in view.world.models if not model.static for body in model.bodies
    ][:2]
    act_until(tree_row(tab, first).click, lambda: view.nodes.selected == (model, first))
    act_until(tree_row(tab, second).click, lambda: view.nodes.selected == (model, second))
    tab.get_by_text(f"Measured from {first}").wait_for()
    apart = math.dist(view.poses[model][first].position, view.poses[model][second].position)
    tab.get_by_text(f"{apart:.4g} m", exact=True).first.wait_for()
    shown = steady_pixels(tab)
    bodies = {(model.name, body.name) for model in view.world.models for body in model.bodies}
    for button, hidden in (("Hide", {(model, second)}), ("Show all", set()), ("Isolate", bodies - {(model, second)})):
        tab.get_by_text(button, exact=True).click()
        wait_for(lambda hidden=hidden: set(page.selection.hidden[0]) == hidden)
    wait_for(lambda: np.abs(pixels(tab) - shown).max() > 0.1)
    screenshot(tab, f"isolated_{opened.path.stem}")
    tab.get_by_text("Show all", exact=True).click()
    wait_for(lambda: not page.selection.hidden[0])


def test_findings_and_their_filter_stay_while_a_saved_version_is_invalid(opened: Opened) -> None:
    page, tab, text = opened.page, opened.tab, opened.path.read_text()
    tab_named(tab, "Findings")
    field = tab.get_by_role("textbox").last
    field.fill("zzz")
    tab.get_by_text("0 listed").or_(tab.get_by_text("No findings")).first.wait_for()
    before, after = BREAK.get(opened.path.suffix, (f"</{text.rstrip().rpartition('</')[2]}", ""))
    assert before in text
    try:
        opened.write_and_reload(text.replace(before, after))
        tab.get_by_text("last valid version").first.wait_for()
        assert field.input_value() == "zzz"
        assert opened.open_tab() == "Findings"
        field.fill("")
        tab.get_by_role("button", name="✖").first.wait_for()
        screenshot(tab, f"invalid_{opened.path.stem}")
        assert opened.view.world.models
    finally:
        opened.write_and_reload(text)
    wait_for(lambda: not page.status.banner.visible)
    wait_for(lambda: opened.open_tab() == "Findings")


def test_a_mass_is_edited_undone_and_saved_as_a_copy(opened: Opened) -> None:
    page, tab = opened.page, opened.tab
    tab_named(tab, "Tree")
    model, body = opened.last_body()
    before = opened.mass_of(model, body)
    page.selection.select(opened.view, model, body)
    fields = tab.locator("input.mantine-TextInput-input:visible")
    if not page.editing.was_used:
        tab.get_by_text("Values", exact=True).click()
    opened.button("Apply").wait_for()
    text = repr(before + 1.0)

    def fill_mass() -> None:
        """Fill the field, also if it has the text already: the page may render it at the same time, and lose the change."""
        # Other fields may be visible above: the filter, and the address of the server while the tab connects.
        number = fields.count() - sum(isinstance(field.value, str) for _, field, _ in page.tree._values._fields)
        fields.nth(number).fill("")
        fields.nth(number).fill(text)

    act_until(fill_mass, lambda: page.tree._values._fields[0][1].value == text)
    opened.button("Apply").click()
    wait_for(lambda: opened.mass_of(model, body) == before + 1.0)
    tab.get_by_text("inertial.mass").first.wait_for()
    wait_for(lambda: opened.open_tab() == "Tree")
    assert opened.view.nodes.selected == (model, body)
    screenshot(tab, f"edited_{opened.path.stem}")
    tab.get_by_text("Copy of the file", exact=True).click()
    copy = opened.path.with_name(f"{opened.path.stem}_edited{opened.path.suffix}")
    if opened.path.suffix in NOT_WRITTEN:
        tab.get_by_text("No copy was written").first.wait_for()
    else:
        wait_for(copy.is_file)
        assert ossature.load(copy).models[model].bodies[body].inertial.mass == pytest.approx(before + 1.0)
    tab.get_by_text("Undo", exact=True).click()
    wait_for(lambda: opened.mass_of(model, body) == before)
    wait_for(lambda: opened.open_tab() == "Tree")


# Sharing


def download(tab: Tab, name: str) -> bytes:
    with tab.expect_download(timeout=120_000) as expected:
        tab.get_by_text(name, exact=True).click()
    return Path(expected.value.path()).read_bytes()


WHERE = """name => {
    const node = window.__viserMutable && window.__viserMutable.nodeRefFromName[name];
    return node ? [...node.matrixWorld.elements] : null;
}"""
"""Returns the pose of a node of the scene as the browser has it."""
WHERE_ALL = """() => window.ossature.data.files[0].links.filter((link) => link.node !== null).map(
    (link) => [...window.__viserMutable.nodeRefFromName[link.node].matrixWorld.elements])"""
"""Returns the poses of all bodies of an exported page."""


def test_picture_video_and_page_show_layers_and_joint_positions(opened: Opened, tmp_path: Path) -> None:
    page, tab, view = opened.page, opened.tab, opened.view
    tab_named(tab, "Layers")
    tab.get_by_label(Layer.JOINT_AXES.value).click()
    wait_for(lambda: Layer.JOINT_AXES in view.nodes.shown)
    slider = next(one for one in view.sliders if one.is_movable and one.is_angular)
    page._move_joint(view, slider, 0.5 * (slider.range.lower + slider.range.upper) + 0.1)
    models = [model for model in view.world.models if not model.static]
    moved = [(model.name, body.name) for model in models for body in model.bodies if body.visuals][-1]
    name = view.nodes._node_path(*moved)
    picture = np.asarray(Image.open(io.BytesIO(download(tab, "Picture"))))
    assert picture.shape[2] == 4
    assert (picture[..., 3] == 0).mean() > 0.1
    assert picture[picture[..., 3] == 255].std() > 10.0
    html = tmp_path / "page.html"
    html.write_bytes(download(tab, "Page"))
    shared = opened.context.new_page()
    browser.visit(shared, html.as_uri())
    wait_for(lambda: browser.pixels(shared).std() > 0.03)
    assert shared.title() == opened.path.name
    wait_for(lambda: shared.evaluate(WHERE, name) is not None)
    wait_for(lambda: np.allclose(shared.evaluate(WHERE, name), tab.evaluate(WHERE, name), atol=1e-4))
    nodes = shared.evaluate("Object.keys(window.__viserMutable.nodeRefFromName)")
    assert any(Layer.JOINT_AXES.value in node for node in nodes)
    screenshot(shared, f"shared_{opened.path.stem}")
    if isinstance(view.configuration, ClosedLoopConfiguration):
        shared.get_by_text("has no sliders").first.wait_for()
    else:
        before = shared.evaluate(WHERE_ALL)
        shared.get_by_role("slider", name=slider.label, exact=True).press("Home")
        wait_for(lambda: not np.allclose(shared.evaluate(WHERE_ALL), before, atol=1e-3))
    shared.get_by_label(Layer.JOINT_AXES.value).click()
    axes = next(node for node in nodes if f"/{Layer.JOINT_AXES.value}" in node)
    hidden = "name => window.__viserSceneTree.getState()[name].effectiveVisibility === false"
    wait_for(lambda: shared.evaluate(hidden, axes))
    shared.close()
    page._toggle_layer(Layer.JOINT_AXES, False)


def test_a_recording_is_saved_as_a_video(opened: Opened) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    opened.play(0.4 if opened.path.suffix == ".urdf" else 0.2)
    tab_named(opened.tab, "Layers")
    video = browser.PICTURES / f"{opened.path.stem}.mp4"
    video.parent.mkdir(parents=True, exist_ok=True)
    video.write_bytes(download(opened.tab, "Video"))
    count, _ = ffmpeg.count_frames_and_secs(str(video))
    assert count == round(25.0 * opened.page.session.player.duration) + 1


# Two files


def test_two_files_are_beside_each_other_and_their_difference_is_plotted(path: Path, show: Any) -> None:
    other = path.with_name(f"heavier{path.suffix}")
    world = ossature.load(path)
    model = next(model for model in reversed(world.models) if not model.static)
    body = model.bodies[-1]
    if path.suffix in NOT_WRITTEN:
        before, mass, after = path.read_text().rpartition(f"<mass>{body.inertial.mass:g}</mass>")
        assert mass
        other.write_text(f"{before}<mass>{body.inertial.mass + 1.0}</mass>{after}")
    else:
        with world.edit() as edit:
            edit.body(f"{model.name}/{body.name}").inertial.mass = body.inertial.mass + 1.0
        ossature.save(edit.world, other)
    page, tab = show(path, other)
    tab.get_by_text(other.name, exact=True).first.wait_for()
    assert page.views[1].nodes.offset != (0.0, 0.0, 0.0)
    tab_named(tab, "Findings")
    row = tab.get_by_role("button", name=re.compile("^inertia: .*mass"))
    row.first.wait_for()
    act_until(row.first.click, lambda: page.views[0].nodes.selected == (model.name, body.name))
    page.plots.add("energy.kinetic")
    tab_named(tab, "Simulate")
    tab.get_by_role("button", name="Run", exact=True).first.click()
    wait_for(lambda: len(page.session.runner.simulations) == 2 and page.session.runner.simulations[1].time > 0.2)
    tab.get_by_role("button", name="Pause", exact=True).first.click()
    tab_named(tab, "Plots")
    tab.get_by_text("2: value").first.wait_for()
    tab.get_by_role("checkbox", name="Difference").click()
    tab.get_by_text("difference value").first.wait_for()
    screenshot(tab, f"two_{path.stem}")
