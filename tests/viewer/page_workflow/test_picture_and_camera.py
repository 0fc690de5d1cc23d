"""The first picture, bodies without shapes, narrow windows, and the camera."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")

import ossature
from ossature.model import NamedList
from ossature.viewer.scene_layers import Layer
from ossature.viewer.standard_views import StandardView

from .. import browser
from ..browser import act_until, opened_file, screenshot, steady_pixels, tab_named, wait_for
from .opened_page import Opened, canvas_of, pixels_of_moving_bodies

if TYPE_CHECKING:
    from ossature.array_types import Array

pytestmark = pytest.mark.slow


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
