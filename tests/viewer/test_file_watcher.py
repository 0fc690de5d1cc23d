"""Reloading of changed files, without a browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("viser")

from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.viewer.app import ViewerApp
from ossature.viewer.file_watcher import FileWatcher
from ossature.viewer.loaded_file import LoadedFile, open_file
from ossature.viewer.playback_recording import playback_of
from ossature.viewer.scene_layers import Layer
from ossature.viewer.server import LOOPBACK, serve

TEXT = (PROJECT / "examples" / "palletizer.urdf").read_text(encoding="utf-8")
RENAMED = TEXT.replace('"wrist"', '"wrist_joint"')


def loaded(path: Path, text: str = TEXT) -> LoadedFile:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return open_file(path, lambda found: MeshStore())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "robot.urdf"


@pytest.fixture
def page(file: Path) -> Iterator[ViewerApp]:
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded(file)], shadows=False)
    yield page
    page.close()


def time_of(page: ViewerApp) -> float:
    simulations = page.session.runner.simulations
    return simulations[0].time if simulations else 0.0


def test_simulation_may_start_while_the_file_is_reloaded(page: ViewerApp, file: Path) -> None:
    assert TEXT != RENAMED
    runner = page.session.runner
    texts = [RENAMED, TEXT] * 4
    for number, text in enumerate(texts):
        runner.run()
        saving = threading.Thread(target=page.reload, args=(loaded(file, text),))
        saving.start()
        time.sleep(0.01 * number)
        runner.run()
        saving.join()
    end = time.monotonic() + 60.0
    while time_of(page) == 0.0:
        assert time.monotonic() < end, "the simulation has ended"
        time.sleep(0.01)


def test_actions_on_a_replaced_view_are_ignored(page: ViewerApp, file: Path) -> None:
    before = page.views[0]
    page.reload(loaded(file, RENAMED))
    handle = next(handle for handle in before.sliders if handle.is_movable)
    page._move_joint(before, handle, 0.1)
    page._apply_preset(before, "Zero")
    page.selection.select(before, handle.model, "base")
    page.session.command(before, handle.model, handle.joint, 1.0)
    page.session.runner.step()
    assert time_of(page) > 0.0


def test_view_options_survive_reload(page: ViewerApp, file: Path) -> None:
    page.server.initial_camera.position = (9.0, 8.0, 7.0)
    page._toggle_layer(Layer.VISUALS, False)
    page._toggle_layer(Layer.FRAMES, True)
    page.session.runner.speed, page.session.runner.record = 2.0, True
    page.reload(loaded(file))
    shown = page.views[0].nodes.shown
    assert Layer.FRAMES in shown
    assert Layer.VISUALS not in shown
    assert tuple(page.server.initial_camera.position) == (9.0, 8.0, 7.0), "the camera is unchanged"
    assert (page.simulation._speed.value, page.simulation._record.value) == (2.0, True)


def test_default_layers_depend_on_the_current_file(page: ViewerApp, file: Path) -> None:
    first = page.views[0].nodes.shown
    page.reload(loaded(file, '<robot name="x"><link name="a"/></robot>'))
    page.reload(loaded(file))
    assert page.views[0].nodes.shown == first


def test_recording_is_discarded_when_it_does_not_match(page: ViewerApp, file: Path) -> None:
    runner = page.session.runner
    runner.record = True
    runner.step()
    runner.step()
    page.session.load_recorded()
    page.session.restart()
    assert page.session._recordings, "what is offered can be saved"
    page.reload(loaded(file))
    assert page.simulation.timeline.is_enabled
    page.reload(loaded(file, RENAMED))
    assert not page.simulation.timeline.is_enabled
    assert not page.session.player.clips


def test_recording_fits_world_with_same_bodies_and_joints(file: Path) -> None:
    from ossature.simulation import Simulation

    world, other = loaded(file).world, loaded(file, RENAMED).world
    assert world is not None
    assert other is not None
    clip = playback_of(Simulation(world).run(0.01))
    assert clip.fits(world)
    assert not clip.fits(other)


def test_files_of_equal_name_are_shown_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("robot.urdf")
    for files in ([loaded(path), loaded(Path("sub/robot.urdf"))], [loaded(path), loaded(path)]):
        page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), files, shadows=False)
        try:
            first, second = page.views
            assert first.name != second.name
            page.reload(loaded(path))
            handle = next(handle for handle in page.views[0].sliders if handle.is_movable)
            for view in page.views:
                page._move_joint(view, handle, 0.1)
        finally:
            page.close()


def notices(page: ViewerApp, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return the list to which the page's notifications are added."""
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(page, "notify", lambda title, text, color="red": shown.append((title, text)))
    return shown


def test_an_invalid_version_is_named_until_a_valid_one(page: ViewerApp, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, before = notices(page, monkeypatch), page.views[0]
    page.reload(loaded(file, TEXT.replace("</robot>", "")))
    assert page.views[0] is before
    assert page.status.banner.visible
    assert "robot.urdf has 1 error" in page.status.banner.content
    assert "last valid version" in page.status.banner.content
    page.set_simulation_environment(page.environment)
    assert page.status.banner.visible  # also after the panels are rebuilt
    page.reload(loaded(file, TEXT))
    assert not page.status.banner.visible
    assert shown[-1] == ("robot.urdf reloaded", "The page shows the current version.")


def test_new_findings_are_announced(page: ViewerApp, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = notices(page, monkeypatch)
    page.check()
    page.reload(loaded(file, TEXT.replace("<inertial>", "<unknown/><inertial>", 1)))
    assert shown[-1] == ("robot.urdf reloaded", "1 new finding: see Findings.")


def test_a_deleted_file_is_named_until_it_exists_again(page: ViewerApp, file: Path) -> None:
    watch = FileWatcher([file], lambda path: page.reload(loaded(path)), page.report_missing_file)
    file.unlink()
    for _ in range(20):
        watch.poll()
    assert "robot.urdf does not exist any more" in page.status.banner.content
    file.write_text(TEXT, encoding="utf-8")
    watch.poll()
    assert not page.status.banner.visible
