"""Editing, comparing and sharing in Chromium, with one model of each format."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from conftest import PROJECT

pytest.importorskip("viser")
pytest.importorskip("playwright")

import ossature

from . import browser
from .browser import act_until, screenshot, tab_named, tree_row, wait_for

EXAMPLES = PROJECT / "examples"
MODELS = ("arm.skel", "slider_crank.yaml", "picker.dae", "palletizer.urdf", "finger.xml")

pytestmark = pytest.mark.slow


def open_tab_of(tab: Any) -> str:
    return str(tab.locator('[role="tab"][aria-selected="true"]').first.text_content())


def last_body(page: Any) -> tuple[str, str]:
    model = next(model for model in reversed(page.views[0].world.models) if not model.static)
    return model.name, model.bodies[-1].name


def mass_of(page: Any, model: str, body: str) -> float:
    return float(page.views[0].world.models[model].bodies[body].inertial.mass)


@pytest.mark.parametrize("name", MODELS)
def test_a_mass_is_edited_and_undone_in_the_open_tab(show: Any, name: str) -> None:
    page, tab = show(PROJECT / "examples" / name)
    tab_named(tab, "Tree")
    model, body = last_body(page)
    before = mass_of(page, model, body)
    page.selection.select(page.views[0], model, body)
    tab.get_by_text("Values", exact=True).click()
    field = tab.locator("input.mantine-TextInput-input:visible").nth(1)
    field.fill(repr(before + 1.0))
    wait_for(lambda: page.tree._values._fields[0][1].value == repr(before + 1.0))
    tab.get_by_role("button", name="Apply").click()
    wait_for(lambda: mass_of(page, model, body) == before + 1.0)
    tab.get_by_text("inertial.mass").first.wait_for()
    wait_for(lambda: open_tab_of(tab) == "Tree")
    assert page.views[0].nodes.selected == (model, body)
    screenshot(tab, f"edited_{Path(name).stem}")
    tab.get_by_text("Undo", exact=True).click()
    wait_for(lambda: mass_of(page, model, body) == before)
    wait_for(lambda: open_tab_of(tab) == "Tree")


@pytest.mark.parametrize("name", MODELS)
def test_joints_are_rows_that_are_folded(show: Any, name: str) -> None:
    page, tab = show(PROJECT / "examples" / name)
    tab_named(tab, "Tree")
    view = page.views[0]
    row = next(row for row in page.tree._rows[view] if row.joint is not None and row.has_rows)
    act_until(tree_row(tab, row.label).click, lambda: view.nodes.selected == (row.model, row.body))
    tab.get_by_text(f"Joint {row.joint}").first.wait_for()
    act_until(tree_row(tab, row.label).click, lambda: (view, (row.model, row.body, None)) not in page.tree._buttons)
    screenshot(tab, f"folded_{Path(name).stem}")
    page.selection.select(view, row.model, row.body)
    wait_for(lambda: (view, (row.model, row.body, None)) in page.tree._buttons)


@pytest.mark.parametrize("name", MODELS)
def test_a_run_is_compared_with_one_after_an_edit(show: Any, name: str) -> None:
    page, tab = show(PROJECT / "examples" / name)
    tab_named(tab, "Simulate")
    tab.get_by_role("checkbox", name="Record").click()
    wait_for(lambda: page.session.runner.record)
    for _ in range(2):
        tab.get_by_role("button", name="Run", exact=True).click()
        wait_for(lambda: page.session.runner.simulations and page.session.runner.simulations[0].time > 0.4)
        tab.get_by_role("button", name="Pause", exact=True).first.click()
        wait_for(lambda: not page.session.runner.is_running and page.session.player.clips)
        if not page.session.references:
            tab.get_by_text("Keep as reference", exact=True).click()
            wait_for(lambda: page.session.references)
            model, body = last_body(page)
            page.editing.change(page.views[0], {f"{model}/{body}.inertial.mass": mass_of(page, model, body) + 1.0})
            wait_for(lambda: open_tab_of(tab) == "Simulate")
    page.plots.add("energy.kinetic")
    tab_named(tab, "Plots")
    tab.get_by_text("reference: value").first.wait_for()
    screenshot(tab, f"compared_{Path(name).stem}")
    tab.get_by_role("checkbox", name="Difference").click()
    tab.get_by_text("difference value").first.wait_for()
    screenshot(tab, f"difference_{Path(name).stem}")
    page.session.set_references({})


def download(tab: Any, name: str) -> bytes:
    with tab.expect_download(timeout=120_000) as expected:
        tab.get_by_text(name, exact=True).click()
    return Path(expected.value.path()).read_bytes()


@pytest.mark.parametrize("name", MODELS)
def test_picture_video_and_page_are_downloaded(show: Any, context: Any, name: str, tmp_path: Path) -> None:
    page, tab = show(PROJECT / "examples" / name)
    wait_for(lambda: bool(page.server.get_clients()))
    page.session.runner.record = True
    page.session.runner.run()
    wait_for(lambda: page.session.runner.simulations and page.session.runner.simulations[0].time > 0.2)
    page.simulation.toggle()
    wait_for(lambda: page.session.player.clips)
    tab_named(tab, "Layers")
    picture = np.asarray(Image.open(io.BytesIO(download(tab, "Picture"))))
    assert picture.shape[2] == 4
    assert (picture[..., 3] == 0).mean() > 0.1
    assert picture[picture[..., 3] == 255].std() > 10.0
    html = tmp_path / "page.html"
    html.write_bytes(download(tab, "Page"))
    shared = context.new_page()
    browser.visit(shared, html.as_uri())
    wait_for(lambda: browser.pixels(shared).std() > 0.03)
    assert shared.title() == name
    screenshot(shared, f"shared_{Path(name).stem}")
    shared.close()
    if name == "palletizer.urdf":
        ffmpeg = pytest.importorskip("imageio_ffmpeg")
        video = browser.PICTURES / "palletizer.mp4"
        video.write_bytes(download(tab, "Video"))
        count, _ = ffmpeg.count_frames_and_secs(str(video))
        assert count == round(25.0 * page.session.player.duration) + 1


def drop(tab: Any, path: Path) -> None:
    """Drop a file on the scene."""
    make = "([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name)); return data; }"
    data = tab.evaluate_handle(make, [path.name, path.read_text()])
    tab.dispatch_event("canvas[data-engine]", "drop", {"dataTransfer": data})


def test_a_dropped_recording_is_played_and_a_dropped_state_is_the_initial_one(show: Any, tmp_path: Path) -> None:
    page, tab = show(EXAMPLES / "arm.skel")
    tab.get_by_role("tab", name="Pose", exact=True).wait_for()
    simulation = ossature.Simulation(ossature.load(EXAMPLES / "arm.skel"))
    recording = simulation.run(0.2, sample=0.05)
    recording.save(tmp_path / "run.json")
    drop(tab, tmp_path / "run.json")
    wait_for(lambda: bool(page.session.player.clips))
    assert page.session.player.duration == pytest.approx(0.2)
    ossature.save_state(simulation.state(), tmp_path / "late.usdf")
    drop(tab, tmp_path / "late.usdf")
    wait_for(lambda: bool(page.session.runner.simulations))
    assert page.views[0].configuration.positions()["arm"]["lift"] == pytest.approx(simulation.positions()["arm"]["lift"])
    tab_named(tab, "Simulate")
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save state").click()
    download.value.save_as(tmp_path / "saved.usdf")
    saved = ossature.load_state(tmp_path / "saved.usdf")
    expected = ossature.load_state(tmp_path / "late.usdf")
    assert saved.models["arm"].joints["lift"].positions == expected.models["arm"].joints["lift"].positions
    drop(tab, EXAMPLES / "palletizer.urdf")
    tab.get_by_text("palletizer.urdf is neither a state").wait_for()
    tab.keyboard.press("Escape")
