"""The page of a file that cannot be read: its findings, and the model when it is saved valid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import PROJECT

pytest.importorskip("viser")

from typer.testing import CliRunner

from ossature.assets import MeshStore
from ossature.cli import app as command_line
from ossature.viewer.app import ViewerApp
from ossature.viewer.file_watcher import FileWatcher
from ossature.viewer.invalid_file_page import InvalidFilePage
from ossature.viewer.loaded_file import LoadedFile, open_file
from ossature.viewer.server import LOOPBACK, serve

from . import browser

VALID = (PROJECT / "examples" / "palletizer.urdf").read_text()
BROKEN = VALID.replace('type="revolute"', 'type="revolut"', 1)


def opened(path: Path) -> LoadedFile:
    return open_file(path, lambda found: MeshStore())


def texts(handles: Any) -> str:
    """Return the HTML and labels of all controls of a page."""
    return " ".join(str(getattr(handle, name, "")) for handle in handles for name in ("content", "label"))


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(BROKEN)
    return path


def invalid_page(path: Path) -> InvalidFilePage:
    server = serve(LOOPBACK, 0, "test", shadows=False)
    return InvalidFilePage(server, [opened(path)], lambda files: ViewerApp(server, files, shadows=False))


def test_the_page_becomes_that_of_the_model_when_the_file_is_valid(broken: Path) -> None:
    page = invalid_page(broken)
    gui = page._server.gui
    assert "unknown-joint-type" in texts(gui._gui_input_handle_from_uuid.values())
    broken.write_text(BROKEN.replace("<robot", "<robt", 1))
    page.reload(opened(broken))
    assert page.app is None
    broken.unlink()
    page.report_missing_file(broken)
    broken.write_text(VALID)
    page.reload(opened(broken))
    assert page.app is not None
    assert page.app.views[0].world.models
    broken.write_text(BROKEN)
    page.reload(opened(broken))  # the page keeps the last valid version
    assert page.app.views[0].world.models
    assert page.app.status.banner.visible
    page.close()


def test_a_page_that_cannot_be_opened_says_so(broken: Path) -> None:
    def open_none(files: Sequence[LoadedFile]) -> None:
        return None

    page = InvalidFilePage(serve(LOOPBACK, 0, "test", shadows=False), [opened(broken)], open_none)
    broken.write_text(VALID)
    page.reload(opened(broken))
    assert page.app is None
    page.close()


def test_view_prints_the_findings_and_serves_their_page(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: FileWatcher) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FileWatcher, "start", interrupt)
    result = CliRunner().invoke(command_line.app, ["view", str(broken), "--no-open", "--port", "0"])
    assert result.exit_code == 0
    assert "unknown-joint-type" in result.stderr
    assert "shows the model when the file is saved without errors" in result.stderr


@pytest.mark.slow
def test_findings_are_read_in_the_browser_until_the_file_is_valid(context: Any, broken: Path) -> None:
    page = invalid_page(broken)
    tab = context.new_page()
    browser.visit(tab, page.url)
    tab.get_by_text("unknown-joint-type").first.click()
    tab.get_by_text("did you mean 'revolute'?").first.wait_for()
    browser.screenshot(tab, "invalid_file")
    broken.write_text(VALID)
    page.reload(opened(broken))
    browser.tab_named(tab, "Tree")
    tab.get_by_role("button", name="palm").wait_for()
    tab.close()
    page.close()
