"""A recording kept as reference: drawn and plotted beside what is shown next, and their difference."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore, Resolver
from ossature.viewer.app import ViewerApp
from ossature.viewer.loaded_file import open_file
from ossature.viewer.playback_recording import PlaybackRecording, playback_of
from ossature.viewer.server import LOOPBACK, serve

ELBOW = "arm/elbow.positions"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ViewerApp]:
    path = tmp_path / "arm.skel"
    shutil.copy(PROJECT / "examples" / "arm.skel", path)
    loaded = open_file(path, lambda found: MeshStore(Resolver(folder=found.parent)))
    app = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded], shadows=False)
    yield app
    app.close()


def run_of(damping: float, duration: float = 0.4) -> PlaybackRecording:
    world = ossature.load(PROJECT / "examples" / "arm.skel").replace_at("arm/elbow", damping=damping)
    return playback_of(ossature.Simulation(world).run(duration, sample=0.05))


def test_both_recordings_and_their_difference_are_plotted(page: ViewerApp) -> None:
    first, second = run_of(0.5), run_of(5.0)
    page.load_clips([second])
    page.session.set_references({0: first})
    values = [clip.signals.values(ELBOW)[:, 0] for clip in (second, first)]
    both = page.session.signals.curves_of(ELBOW)
    assert both is not None
    assert list(both.values) == ["value", "reference: value"]
    np.testing.assert_allclose(list(both.values.values()), values, atol=1e-12)
    page.session.signals.shows_difference = True
    difference = page.session.signals.curves_of(ELBOW)
    assert difference is not None
    np.testing.assert_allclose(difference.values["difference value"], values[0] - values[1], atol=1e-12)
    assert np.abs(difference.values["difference value"]).max() > 0.05
    page.session.set_references({})
    assert list(page.session.signals.curves_of(ELBOW).values) == ["value"]


def test_the_reference_is_drawn_at_the_time_that_is_shown_until_its_end(page: ViewerApp) -> None:
    first, second = run_of(0.5, 0.2), run_of(5.0)
    page.load_clips([second])
    page.session.set_references({0: first})
    nodes = page.session._references[0]._nodes._frames
    for time, expected in ((0.1, 0.1), (0.4, 0.2)):
        page.session.player.seek(time)
        for body, pose in first.at(expected).poses["arm"].items():
            np.testing.assert_allclose(nodes["arm", body].position, pose.position, atol=1e-6)
    page.session.set_references({})
    assert page.server.scene.get_handle_by_name("/arm.skel reference") is None


def test_bodies_that_nearly_coincide_are_drawn_once(page: ViewerApp) -> None:
    page.load_clips([run_of(5.0)])
    page.session.set_references({0: run_of(0.5)})
    frames = page.session._references[0]._nodes._frames
    page.session.player.seek(0.0)
    assert not any(frame.visible for frame in frames.values())
    page.session.player.seek(0.4)
    assert frames["arm", "finger"].visible
    page.session.player.seek(0.0)
    assert not any(frame.visible for frame in frames.values())


@pytest.mark.parametrize(("angle", "is_drawn"), [(2e-3, True), (5e-4, False)])
def test_long_bodies_are_drawn_twice_from_smaller_angles(tmp_path: Path, angle: float, is_drawn: bool) -> None:
    path = tmp_path / "boom.urdf"
    path.write_text(
        '<robot name="boom"><link name="base"/><link name="beam"><visual><origin xyz="1 0 0"/><geometry>'
        '<box size="2 0.01 0.01"/></geometry></visual><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="pivot" type="continuous"><parent link="base"/>'
        '<child link="beam"/><axis xyz="0 0 1"/></joint></robot>'
    )
    loaded = open_file(path, lambda found: MeshStore(Resolver(folder=found.parent)))
    app = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded], shadows=False)
    try:
        turned = ossature.load(path).replace_at("boom/pivot", initial_position=angle)
        app.session.set_references({0: playback_of(ossature.Simulation(turned).run(0.0))})
        assert app.session._references[0]._nodes._frames["boom", "beam"].visible is is_drawn
    finally:
        app.close()


def test_a_reference_stays_when_values_are_edited_and_goes_with_its_bodies(page: ViewerApp) -> None:
    page.session.set_references({0: run_of(0.5)})
    page.editing.change(page.views[0], {"arm/elbow.coordinates[0].damping": 5.0})
    assert list(page.session.references) == [0]
    path = page.files[0].path
    path.write_text(path.read_text().replace('"hand"', '"palm"').replace(">hand<", ">palm<"))
    page.reload(open_file(path, lambda found: MeshStore(Resolver(folder=found.parent))))
    assert not page.session.references


def test_after_an_edit_a_run_starts_where_the_last_one_did(page: ViewerApp) -> None:
    start = page.views[0].configuration.positions()["arm"]["elbow"]
    page.session.runner.show_initial_state()
    page.session.runner.simulations[0].advance(0.3)
    page.session._show_simulation()
    assert page.views[0].configuration.positions()["arm"]["elbow"] != start
    page.editing.change(page.views[0], {"arm/elbow.coordinates[0].damping": 5.0})
    assert page.views[0].configuration.positions()["arm"]["elbow"] == pytest.approx(start)


def test_recordings_that_were_sent_to_the_page_are_played(page: ViewerApp, tmp_path: Path) -> None:
    world = ossature.load(PROJECT / "examples" / "arm.skel")
    path = tmp_path / "run.json"
    ossature.Simulation(world).run(0.2, sample=0.05).save(path)
    page.session.load_recording("run.json", path.read_bytes())
    assert page.session.player.duration == pytest.approx(0.2)
    notices: list[str] = []
    page.notify = lambda title, text, color="red": notices.append(title)  # type: ignore[method-assign]
    page.session.load_recording("run.json", b"{}")
    assert notices == ["run.json is not a recording of this file"]
    for name in ("run.js\0n", f"run.{'n' * 1000}"):  # which no file can have
        page.session.load_recording(name, path.read_bytes())
    assert len(notices) == 3
    assert page.session.player.duration == pytest.approx(0.2)
