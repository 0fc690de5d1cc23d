"""A page whose file is saved while somebody looks at it, without a browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("viser")

from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.viewer.film import film_of
from ossature.viewer.layers import Layer
from ossature.viewer.opened import Opened, open_file
from ossature.viewer.page import Page
from ossature.viewer.server import LOOPBACK, serve

TEXT = (PROJECT / "examples" / "palletizer.urdf").read_text(encoding="utf-8")
RENAMED = TEXT.replace('"wrist"', '"wrist_joint"')


def opened(path: Path, text: str = TEXT) -> Opened:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return open_file(path, lambda found: MeshStore())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "robot.urdf"


@pytest.fixture
def page(file: Path) -> Iterator[Page]:
    page = Page(serve(LOOPBACK, 0, "test", fine=False), [opened(file)], fine=False)
    yield page
    page.close()


def time_of(page: Page) -> float:
    performances = page.running.conductor.performances
    return performances[0].time if performances else 0.0


def test_a_simulation_may_be_begun_while_the_file_is_read_anew(page: Page, file: Path) -> None:
    assert TEXT != RENAMED
    conductor = page.running.conductor
    texts = [RENAMED, TEXT] * 4
    for number, text in enumerate(texts):
        conductor.run()
        saving = threading.Thread(target=page.reload, args=(opened(file, text),))
        saving.start()
        time.sleep(0.01 * number)
        conductor.run()
        saving.join()
    end = time.monotonic() + 10.0
    while time_of(page) == 0.0:
        assert time.monotonic() < end, "the simulation has ended"
        time.sleep(0.01)


def test_what_was_done_to_a_file_that_is_no_longer_shown_is_passed_over(page: Page, file: Path) -> None:
    before = page.exhibits[0]
    page.reload(opened(file, RENAMED))
    handle = next(handle for handle in before.handles if handle.free)
    page._move(before, handle, 0.1)
    page._pose(before, "Zero")
    page._select(before, handle.model, "base")
    page.running.command(before, handle.model, handle.joint, 1.0)
    page.running.conductor.step()
    assert time_of(page) > 0.0


def test_what_was_chosen_stays(page: Page, file: Path) -> None:
    page.server.initial_camera.position = (9.0, 8.0, 7.0)
    page._toggle(Layer.VISUALS, False)
    page._toggle(Layer.FRAMES, True)
    page.running.conductor.speed, page.running.conductor.record = 2.0, True
    page.reload(opened(file))
    shown = page.exhibits[0].stage.shown
    assert Layer.FRAMES in shown
    assert Layer.VISUALS not in shown
    assert tuple(page.server.initial_camera.position) == (9.0, 8.0, 7.0), "whoever looks goes on looking from there"
    assert (page.run._speed.value, page.run._record.value) == (2.0, True)


def test_layers_that_a_file_switches_on_go_with_it(page: Page, file: Path) -> None:
    first = page.exhibits[0].stage.shown
    page.reload(opened(file, '<robot name="x"><link name="a"/></robot>'))
    page.reload(opened(file))
    assert page.exhibits[0].stage.shown == first


def test_a_recording_is_offered_as_long_as_it_fits(page: Page, file: Path) -> None:
    conductor = page.running.conductor
    conductor.record = True
    conductor.step()
    conductor.step()
    page.running.offer_recorded()
    page.running.restart()
    assert page.running._recordings, "what is offered can be saved"
    page.reload(opened(file))
    assert not page.run._play.disabled
    page.reload(opened(file, RENAMED))
    assert page.run._play.disabled
    assert not page.running.projector.films


def test_a_film_fits_a_world_of_the_same_bodies_and_joints(file: Path) -> None:
    from ossature.simulation import Simulation

    world, other = opened(file).world, opened(file, RENAMED).world
    assert world is not None
    assert other is not None
    film = film_of(Simulation(world).run(0.01))
    assert film.fits(world)
    assert not film.fits(other)


def test_files_of_one_name_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("robot.urdf")
    for files in ([opened(path), opened(Path("sub/robot.urdf"))], [opened(path), opened(path)]):
        page = Page(serve(LOOPBACK, 0, "test", fine=False), files, fine=False)
        try:
            first, second = page.exhibits
            assert first.name != second.name
            page.reload(opened(path))
            handle = next(handle for handle in page.exhibits[0].handles if handle.free)
            for exhibit in page.exhibits:
                page._move(exhibit, handle, 0.1)
        finally:
            page.close()
