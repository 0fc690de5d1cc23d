"""The first minute with a model in Chromium: something is seen, robots stay in the image, keys move the camera."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import PROJECT

pytest.importorskip("viser")
pytest.importorskip("playwright")

from ossature.kinematics import BaseChoice
from ossature.viewer.scene_layers import Layer
from ossature.viewer.simulation_environment import SimulationEnvironment

from .browser import act_until, opened_file, pixels, screenshot, tab_named, visit, wait_for

EXAMPLES = PROJECT / "examples"

pytestmark = pytest.mark.slow

WALKER = """<robot name="walker">
  <link name="hip"><inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial>
    <visual><geometry><mesh filename="missing.stl"/></geometry></visual>
    <collision><geometry><box size="0.3 0.3 0.1"/></geometry></collision></link>
  <link name="left"><inertial><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial></link>
  <link name="right"><inertial><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial></link>
  <joint name="l" type="revolute"><parent link="hip"/><child link="left"/><origin xyz="0 0.3 0.2"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="r" type="revolute"><parent link="hip"/><child link="right"/><origin xyz="0 -0.3 0.2"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def walker(tmp_path: Path) -> Path:
    path = tmp_path / "walker.urdf"
    path.write_text(WALKER)
    return path


def connected_client(page: Any) -> Any:
    """Return the browser's side of the page, which connects after the page is shown."""
    wait_for(lambda: bool(page.server.get_clients()))
    return next(iter(page.server.get_clients().values()))


def press(tab: Any, key: str, condition: Callable[[], object]) -> None:
    act_until(lambda: tab.keyboard.press(key), condition)


def saturation(image: np.ndarray) -> np.ndarray:
    return image.max(axis=2) - image.min(axis=2)


def test_robot_without_meshes_is_seen_and_stays_on_its_floor(show, walker: Path) -> None:
    page, tab = show(walker)
    view = page.views[0]
    assert Layer.SKELETON in view.nodes.shown
    assert "ground" in view.world.models
    wait_for(lambda: tab.title() == "walker.urdf - Ossature")
    wait_for(lambda: (saturation(pixels(tab)[:, :400]) > 0.2).mean() > 0.02)
    screenshot(tab, "walker")
    tab_named(tab, "Simulate")
    tab.get_by_text("a floor is added at").wait_for()
    press(tab, "Space", lambda: page.session.runner.simulations and page.session.runner.simulations[0].time > 1.0)
    press(tab, "Space", lambda: not page.session.runner.is_running)
    height = view.poses["walker"]["hip"].position[2]
    assert -0.06 < height < 0.2, "it lies on the floor"
    tab.get_by_label("Base", exact=True).first.click()
    tab.get_by_role("option", name="fixed").click()
    wait_for(lambda: page.environment.base is BaseChoice.FIXED and page.views[0] is not view)
    assert "ground" not in page.views[0].world.models, "a robot whose base is fixed needs no floor"
    tab_named(tab, "Simulate")
    tab.get_by_role("checkbox", name="Floor").click()
    wait_for(lambda: "ground" in page.views[0].world.models)
    screenshot(tab, "walker_fixed")


def test_camera_follows_a_falling_robot(show, walker: Path) -> None:
    page, tab = show(walker)
    page.set_simulation_environment(SimulationEnvironment(base=BaseChoice.FLOATING, has_floor=False))
    assert "ground" not in page.views[0].world.models
    page.session.runner.run()
    wait_for(lambda: page.views[0].poses["walker"]["hip"].position[2] < -1.0)
    page.session.runner.pause()
    view = page.views[0]
    height = view.poses["walker"]["hip"].position[2]
    assert view.nodes.offset[2] == pytest.approx(-height, abs=1e-6)
    press(tab, "c", lambda: view.nodes.offset == (0.0, 0.0, 0.0))


def seen(page: Any) -> np.ndarray:
    """Return what moves in the window of the client: x and y from -1 to 1, shape (n, 2)."""
    camera = connected_client(page).camera
    ahead = np.array(camera.look_at) - np.array(camera.position)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, camera.up_direction)
    right /= np.linalg.norm(right)
    offsets = np.concatenate([view.moving_points() for view in page.views]) - np.array(camera.position)
    depth = offsets @ ahead * np.tan(camera.fov / 2.0)
    return np.stack([offsets @ right / (depth * camera.aspect), offsets @ np.cross(right, ahead) / depth], axis=1)


ARM = """<robot name="pole">
  <link name="base_link"><visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual></link>
  <link name="pole"><inertial><origin xyz="0 0 0.5"/><mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
    <visual><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="1"/></geometry></visual></link>
  <joint name="hinge" type="continuous"><parent link="base_link"/><child link="pole"/><axis xyz="1 0 0"/>
    <dynamics damping="0.3"/></joint>
</robot>"""


def test_the_camera_shows_an_arm_that_falls_out_of_the_picture_unless_it_was_moved(show, tmp_path: Path) -> None:
    path = tmp_path / "pole.urdf"
    path.write_text(ARM)
    page, tab = show(path)
    page.set_simulation_environment(SimulationEnvironment(base=BaseChoice.FIXED))
    page.set_positions({"pole": {"hinge": [0.1]}})
    client = connected_client(page)
    wait_for(lambda: np.abs(seen(page)).max() < 1.0)
    page.session.runner.run()
    wait_for(lambda: page.views[0].poses["pole"]["pole"].matrix()[2, 2] < -0.99)
    wait_for(lambda: np.abs(seen(page)).max() <= 1.0)
    page.session.runner.pause()
    screenshot(tab, "fallen_pole")
    page.session.restart()
    act_until(lambda: tab.keyboard.press("Home"), lambda: np.abs(seen(page)).max() < 1.0)
    canvas = tab.locator("canvas[data-engine]").bounding_box()
    tab.mouse.move(canvas["x"] + 50, canvas["y"] + 200)
    before = np.array(client.camera.position)
    tab.mouse.down()
    tab.mouse.move(canvas["x"] + 150, canvas["y"] + 220, steps=5)
    tab.mouse.up()
    wait_for(lambda: np.linalg.norm(np.array(client.camera.position) - before) > 0.1)
    tab.wait_for_timeout(1000)  # the camera comes to rest
    moved = np.array(client.camera.position)
    page.session.runner.run()
    wait_for(lambda: page.views[0].poses["pole"]["pole"].matrix()[2, 2] < -0.99)
    page.session.runner.pause()
    assert np.array(client.camera.position) == pytest.approx(moved)


def test_a_narrow_window_shows_the_model_above_the_panel(show, context: Any) -> None:
    page, _ = show(EXAMPLES / "arm.skel")
    tab = context.new_page()
    try:
        tab.set_viewport_size({"width": 420, "height": 800})
        tab.goto(page.url)
        tab.get_by_role("tab", name="Pose", exact=True).wait_for()
        client = max(page.server.get_clients().items())[1]
        panel = tab.locator('div[style*="max-height: 60%"]')
        wait_for(lambda: client.camera.image_height <= panel.bounding_box()["y"] + 1.0)
        assert panel.bounding_box()["width"] == 420.0
        distance = np.linalg.norm(np.array(client.camera.position) - np.array(client.camera.look_at))
        screenshot(tab, "narrow_window")
        tab.set_viewport_size({"width": 1100, "height": 600})
        wait_for(lambda: client.camera.image_width > 600)
        tab.set_viewport_size({"width": 420, "height": 800})
        wait_for(lambda: client.camera.image_width == 420)

        def is_as_before() -> bool:
            now = np.linalg.norm(np.array(client.camera.position) - np.array(client.camera.look_at))
            return bool(abs(now - distance) < 0.1 * distance)

        wait_for(is_as_before)
    finally:
        tab.close()


def test_keys_move_the_camera_and_show_help(show) -> None:
    page, tab = show(EXAMPLES / "palletizer.urdf")
    client = connected_client(page)

    def direction() -> np.ndarray:
        offset = np.array(client.camera.position) - np.array(client.camera.look_at)
        return offset / np.linalg.norm(offset)

    press(tab, "1", lambda: direction()[0] > 0.999)
    press(tab, "3", lambda: direction()[2] > 0.999)
    tab_named(tab, "Tree")
    page.selection.select(page.views[0], "palletizer", "palm")
    distance = np.linalg.norm(np.array(client.camera.position) - np.array(client.camera.look_at))
    press(tab, "f", lambda: np.linalg.norm(np.array(client.camera.position) - np.array(client.camera.look_at)) < 0.9 * distance)
    press(tab, "Escape", lambda: page.views[0].nodes.selected is None)
    press(tab, "Home", lambda: abs(direction()[2]) < 0.6)
    press(tab, "?", lambda: tab.get_by_text("Keyboard and mouse").is_visible())
    screenshot(tab, "keyboard_help")
    press(tab, "?", lambda: not tab.get_by_text("Keyboard and mouse").is_visible())
    axes = tab.locator("#ossature-axes")
    drawn = axes.evaluate("canvas => canvas.getContext('2d').getImageData(0, 0, 168, 168).data.some(value => value > 0)")
    assert drawn, "viser exposes its camera to scripts of the page"


def test_a_second_click_goes_to_the_body(show) -> None:
    page, _ = show(EXAMPLES / "palletizer.urdf")
    view, model = page.views[0], page.views[0].world.models[0]
    client = connected_client(page)
    before = np.array(client.camera.look_at)
    for _ in range(2):
        page.selection.click(view, model.name, model.bodies[-1].name)
    assert view.nodes.selected == (model.name, model.bodies[-1].name)
    wait_for(lambda: np.linalg.norm(np.array(client.camera.look_at) - before) > 0.05)


def test_a_page_that_the_user_made_dark_stays_dark_when_the_model_is_rebuilt(show) -> None:
    page, tab = show(EXAMPLES / "slider_crank.yaml")

    def brightness() -> float:
        return float(screenshot(tab, "dark_page")[-40:, -200:].mean())

    wait_for(lambda: brightness() > 0.9)
    tab.get_by_label("Dark Mode").dispatch_event("click")
    wait_for(lambda: brightness() < 0.25)
    page.set_simulation_environment(page.environment)
    time.sleep(2.0)
    assert brightness() < 0.25


def test_a_page_is_served_dark(context: Any) -> None:
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.server import LOOPBACK, serve

    server = serve(LOOPBACK, 0, "test", shadows=False, is_dark=True)
    page = ViewerApp(server, [opened_file(EXAMPLES / "arm.skel")], shadows=False)
    tab = context.new_page()
    try:
        visit(tab, page.url)
        wait_for(lambda: screenshot(tab, "page_served_dark")[-40:, -200:].mean() < 0.25)
    finally:
        tab.close()
        page.close()
