"""One model of each format after the other in a tab, which the tests of all modules share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conftest import PROJECT

from ..browser import wait_for
from ..conftest import open_browser, open_pages

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

    from ossature.viewer.app import ViewerApp

    from .opened_page import Opened

MODELS = ("arm.skel", "slider_crank.yaml", "picker.dae", "palletizer.urdf", "finger.xml", "gripper_arm.sdf")


@pytest.fixture(scope="package")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_browser(tmp_path_factory) as context:
        yield context


@pytest.fixture(scope="package")
def show(context: Any) -> Iterator[Callable[..., tuple[ViewerApp, Tab]]]:
    with open_pages(context) as show:
        yield show


@pytest.fixture(scope="package", params=MODELS)
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(PROJECT / "examples" / request.param, tmp_path_factory.mktemp("model")))


@pytest.fixture
def opened(path: Path, show: Callable[..., tuple[ViewerApp, Tab]], context: Any) -> Opened:
    """The model in a tab that all tests of it share, without what earlier ones left."""
    from ossature.viewer.simulation_environment import SimulationEnvironment

    from .opened_page import Opened

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
