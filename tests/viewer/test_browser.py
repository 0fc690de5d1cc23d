"""The page in Chromium; skipped if it is not installed. Screenshots are saved in build/viewer."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from conftest import PROJECT

pytest.importorskip("viser")
pytest.importorskip("playwright")

import viser

import ossature
from ossature.spatial import add, rotate, scale
from ossature.viewer.app import ViewerApp
from ossature.viewer.playback_recording import playback_of
from ossature.viewer.raycast_render import render_image
from ossature.viewer.render_camera import RenderCamera
from ossature.viewer.scene_layers import Layer
from ossature.viewer.scene_setup import framing_of
from ossature.viewer.server import LOOPBACK, address_of, disconnect_clients, serve, show_text
from ossature.viewer.triangle_scene import build_triangle_scene
from ossature.viewer.web_page_export import page_of

from . import browser
from .browser import act_until, eye_of, opened_file, pixels, screenshot, tab_named, tree_row, visit, wait_for

EXAMPLES = PROJECT / "examples"
ONE_OF_EACH_FORMAT = [
    EXAMPLES / "palletizer.urdf",
    *(pytest.param(EXAMPLES / name, marks=pytest.mark.slow) for name in ("slider_crank.yaml", "arm.skel", "picker.dae")),
]


@pytest.mark.parametrize("path", ONE_OF_EACH_FORMAT, ids=lambda path: path.stem)
def test_sliders_layers_simulation_and_playback_of_each_format(show, path: Path) -> None:
    page, tab = show(path)
    view = page.views[0]
    slider = tab.locator('[role="slider"]').first
    slider.wait_for()
    before = view.configuration.positions()
    slider.focus()
    slider.press("End")
    first = next(handle for handle in view.sliders if handle.is_movable)

    def moved() -> float:
        return float(view.configuration.positions()[first.model][first.joint][first.number])

    wait_for(lambda: abs(moved() - first.range.upper) < 2e-3)
    assert view.configuration.positions() != before
    wait_for(lambda: view.poses == view.configuration.poses())

    tab_named(tab, "Layers")
    tab.get_by_label(Layer.JOINT_AXES.value).click()
    wait_for(lambda: Layer.JOINT_AXES in view.nodes.shown)
    tab.get_by_label(Layer.VISUALS.value).click()
    wait_for(lambda: Layer.VISUALS not in view.nodes.shown)
    tab.get_by_label(Layer.VISUALS.value).click()
    wait_for(lambda: Layer.VISUALS in view.nodes.shown)

    tab_named(tab, "Simulate")
    tab.get_by_label("Record").click()
    tab.get_by_role("button", name="Run", exact=True).click()
    wait_for(lambda: page.session.runner.simulations and page.session.runner.simulations[0].time > 0.15)
    tab.get_by_role("button", name="Pause", exact=True).click()
    wait_for(lambda: page.session.player.clips)
    clip = page.session.player.clips[0]
    assert len(clip.frames) > 3
    scrub = tab.get_by_role("slider").last
    scrub.focus()
    act_until(lambda: scrub.press("Home"), lambda: view.poses == clip.frames[0].poses)
    tab.get_by_role("button", name="Play", exact=True).click()
    wait_for(lambda: view.poses == clip.frames[-1].poses)
    screenshot(tab, path.stem)


@pytest.mark.slow
def test_page_resembles_raycast_render(show) -> None:
    page, tab = show(EXAMPLES / "picker.dae")
    page.simulation.timeline.disable()  # what an earlier test of this file may have left
    page._apply_preset(page.views[0], "Initial")
    for client in page.server.get_clients().values():
        page.cameras.fit_all(client)
    time.sleep(1.0)
    seen = screenshot(tab, "picker_at_first")
    box = tab.locator("canvas").first.bounding_box()
    assert box is not None
    area = seen[int(box["y"]) : int(box["y"] + box["height"]), int(box["x"]) : int(box["x"] + box["width"])]
    view = page.views[0]
    still = build_triangle_scene(view.world, view.poses, view.nodes.shown, view.framing, view.loaded.meshes)
    camera = RenderCamera(position=eye_of(page), target=view.framing.look_at, up=view.framing.up)
    drawn = render_image(still, view.framing, area.shape[1] // 4, area.shape[0] // 4, camera=camera).colors
    assert browser.likeness(area, drawn) > 0.75


@pytest.mark.slow
def test_arm_follows_dragged_target_in_browser(show) -> None:
    page, tab = show(EXAMPLES / "picker.dae")
    visit(tab, page.url)  # an earlier test of this file may have moved the camera
    page.simulation.timeline.disable()  # or have left a recording, whose timeline covers the target
    view = page.views[0]
    tab_named(tab, "Pose")
    framing = framing_of(page.views)
    box = tab.locator("canvas").first.bounding_box()
    assert box is not None
    without_target = pixels(tab)
    tab.get_by_label("End effector", exact=True).first.click()
    tab.get_by_role("option", name="picker / arm").click()
    wait_for(lambda: page.server.scene.get_handle_by_name("/ik_target") is not None)
    handle = page.server.scene.get_handle_by_name("/ik_target")
    before = view.configuration.positions()["picker"]
    origin, wxyz = tuple(handle.position), tuple(handle.wxyz)
    reach = 1.5 * framing.axis_length
    arrow = add(origin, scale(rotate(wxyz, (0.0, 0.0, 1.0)), 0.8 * reach))
    start = browser.pixel_of(arrow, framing, eye_of(page), box)
    center = browser.pixel_of(origin, framing, eye_of(page), box)
    column, row = round(start[0]), round(start[1])
    wait_for(lambda: np.any(np.abs(pixels(tab) - without_target)[row - 2 : row + 3, column - 2 : column + 3] > 0.1))

    def drag_moves_arm() -> bool:
        tab.mouse.move(*start)
        time.sleep(0.1)
        tab.mouse.down()
        for share in (0.1, 0.2, 0.3, 0.4):
            tab.mouse.move(start[0] - share * (start[0] - center[0]), start[1] - share * (start[1] - center[1]))
            time.sleep(0.1)
        has_moved = view.configuration.positions()["picker"] != before
        if not has_moved:
            tab.mouse.move(*start)  # if the camera was turned instead, it is turned back
        tab.mouse.up()
        return has_moved

    wait_for(drag_moves_arm)
    screenshot(tab, "picker_dragged")


@pytest.mark.slow
def test_click_on_finding_selects_body_and_shows_file_and_line(show) -> None:
    page, tab = show(EXAMPLES / "arm.skel")
    tab_named(tab, "Findings")
    tab.get_by_role("button", name="forearm").first.click()
    wait_for(lambda: page.views[0].nodes.selected == ("arm", "forearm"))
    tab.get_by_text("examples/arm.skel:").first.wait_for()
    tab_named(tab, "Tree")
    tab.get_by_role("textbox").first.fill("hand")
    tree_row(tab, "hand").click()
    wait_for(lambda: page.views[0].nodes.selected == ("arm", "hand"))
    screenshot(tab, "arm_finding")


@pytest.mark.slow
def test_bodies_are_isolated_and_their_joints_described(show) -> None:
    page, tab = show(EXAMPLES / "arm.skel")
    tab_named(tab, "Tree")
    tab.get_by_role("textbox").first.fill("")  # an earlier test filters the rows
    view = page.views[0]

    def click(name: str, condition: Callable[[], object]) -> None:
        act_until(tree_row(tab, name).click, condition)

    click("forearm", lambda: view.nodes.selected == ("arm", "forearm"))
    tab.get_by_text("Joint elbow").wait_for()
    click("hand", lambda: view.nodes.selected == ("arm", "hand"))
    tab.get_by_text("Measured from forearm").wait_for()
    click("forearm", lambda: view.nodes.selected == ("arm", "forearm"))
    nodes = view.nodes._frames
    click("Isolate", lambda: [body for body, node in nodes.items() if node.visible] == [("arm", "forearm")])
    screenshot(tab, "isolated_body")
    click("Show all", lambda: all(node.visible for node in nodes.values()))


@pytest.mark.slow
def test_findings_are_grouped_and_filtered_and_an_invalid_version_is_named(show, tmp_path: Path) -> None:
    path = tmp_path / "arm.skel"
    text = (EXAMPLES / "arm.skel").read_text().replace("damping", "dampening")
    path.write_text(text)
    page, tab = show(path)
    tab_named(tab, "Findings")
    tab.get_by_text("unknown-element (").wait_for()
    screenshot(tab, "grouped_findings")
    tab.get_by_role("textbox").last.fill("forearm")
    tab.get_by_text("listed").wait_for()
    path.write_text(text.replace("</skel>", ""))
    page.reload(opened_file(path))
    tab.get_by_text("last valid version").first.wait_for()
    screenshot(tab, "invalid_version")
    assert page.views[0].world.models["arm"].bodies


@pytest.mark.slow
def test_two_files_are_shown_side_by_side(show) -> None:
    page, tab = show(EXAMPLES / "arm.skel", EXAMPLES / "picker.dae", layers=[Layer.FRAMES])
    tab.get_by_text("picker.dae", exact=True).first.wait_for()
    assert page.views[1].nodes.offset != (0.0, 0.0, 0.0)
    screenshot(tab, "side_by_side")


@pytest.mark.slow
def test_saved_file_is_reloaded(show, tmp_path: Path) -> None:
    path = tmp_path / "arm.skel"
    text = (EXAMPLES / "arm.skel").read_text()
    path.write_text(text)
    page, tab = show(path)
    path.write_text(text.replace("forearm", "lower_arm"))
    page.reload(opened_file(path))
    tab_named(tab, "Tree")
    tree_row(tab, "lower_arm").wait_for()
    assert "lower_arm" in page.views[0].world.models["arm"].bodies


@pytest.mark.slow
def test_page_shows_that_no_model_can_be_shown(context: Any) -> None:
    server = serve(LOOPBACK, 0, "test", shadows=False)
    tab = context.new_page()
    visit(tab, address_of(server))
    disconnect_clients(server, "The model cannot be shown: see the terminal.", wait=20.0)
    tab.get_by_text("The model cannot be shown").wait_for()
    tab.close()


CONNECT = """([address, protocol]) => new Promise(done => {
    const socket = new WebSocket(address, [protocol]);
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
})"""
ASK_ELSEWHERE = """address => new Promise(done => {
    document.addEventListener("securitypolicyviolation", event => done(event.blockedURI));
    fetch(address).then(() => done("answered"), () => {});
})"""
HOSTILE = '<img src="x" onerror="window.owned = 1"><iframe srcdoc="&lt;script>parent.owned=1&lt;&sol;script>"></iframe>.skel'
"""A file name: both elements run a script if parsed as HTML, the second one also in viser's Markdown."""


def test_file_name_runs_no_script_while_reading(context: Any) -> None:
    server = serve(LOOPBACK, 0, HOSTILE, shadows=False)
    show_text(server, f"Reading {HOSTILE} …")
    tab = context.new_page()
    visit(tab, address_of(server))
    tab.get_by_text(f"Reading {HOSTILE} …").wait_for()
    time.sleep(0.5)
    assert tab.evaluate("window.owned") is None
    tab.close()
    server.stop()


def test_model_names_and_messages_run_no_script(context: Any, tmp_path: Path) -> None:
    path = tmp_path / "hostile.yaml"
    body = {"name": HOSTILE, "mass": 1.0, "location": [0, 0, 0], "inertia": {"moments": [1.0, 1.0, 1.0]}}
    path.write_text(yaml.safe_dump({"chrono-version": "10.0", "model": {"name": HOSTILE, "bodies": [body]}}))
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [opened_file(path)], shadows=False)
    tab = context.new_page()
    visit(tab, page.url)
    tab_named(tab, "Tree")
    tab.get_by_text(HOSTILE).first.wait_for()
    page.notify(HOSTILE, HOSTILE)
    time.sleep(1.0)
    assert tab.evaluate("window.owned") is None
    tab.close()
    page.close()


def test_page_of_another_port_cannot_connect_with_the_token(context: Any) -> None:
    one, other = (serve(LOOPBACK, 0, "test", shadows=False) for _ in range(2))
    tab = context.new_page()
    tab.goto(address_of(other).replace(other.access.token, "") + "x")  # a page of that port, without its policy
    address = address_of(one).replace("http:", "ws:")
    assert tab.evaluate(CONNECT, [address, f"viser-v{viser.__version__}"]) == "refused"
    visit(tab, address_of(one))
    assert tab.evaluate(CONNECT, [address, f"viser-v{viser.__version__}"]) == "open"
    assert tab.evaluate(ASK_ELSEWHERE, address_of(other)).startswith(address_of(other).replace(other.access.token, "")[:-2])
    tab.close()
    one.stop()
    other.stop()


@pytest.mark.slow
def test_exported_page_opens_offline_and_plays(context: Any, tmp_path: Path) -> None:
    tab = context.new_page()
    loaded = opened_file(EXAMPLES / "arm.skel")
    clip = playback_of(ossature.Simulation(loaded.world).run(0.2, sample=0.05))
    path = tmp_path / "page.html"
    path.write_text(page_of([loaded], shadows=False, clips=[clip]))
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    context.set_offline(True)
    try:
        visit(tab, path.as_uri())
        time.sleep(1.5)
        seen = screenshot(tab, "exported")
    finally:
        context.set_offline(False)
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    assert seen.std() > 0.03
