"""Pictures, videos and pages for others."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("viser")
pytest.importorskip("playwright")

from ossature.viewer.closed_loop_configuration import ClosedLoopConfiguration
from ossature.viewer.scene_layers import Layer

from .. import browser
from ..browser import screenshot, tab_named, wait_for
from .opened_page import Opened

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

pytestmark = pytest.mark.slow


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
