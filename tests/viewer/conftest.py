"""The page in tabs of Chromium: tests with it are skipped if it is not installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import browser

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

    from ossature.viewer.app import ViewerApp


@contextmanager
def open_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    if browser.chromium() is None:
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            browser.profile(tmp_path_factory.mktemp("chromium")),
            executable_path=browser.chromium(),
            args=list(browser.ARGUMENTS),
            viewport={"width": browser.WIDTH, "height": browser.HEIGHT},
        )
        yield context
        context.close()


@contextmanager
def open_pages(context: Any) -> Iterator[Callable[..., tuple[ViewerApp, Tab]]]:
    """Open files in a tab, which is reused by the next test of the same files."""
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.server import LOOPBACK, serve

    shown: dict[tuple[Path, ...], tuple[ViewerApp, Tab]] = {}

    def close() -> None:
        for page, tab in shown.values():
            tab.close()
            page.close()
        shown.clear()

    def show(*paths: Path, **options: Any) -> tuple[ViewerApp, Tab]:
        if paths not in shown:
            close()
            files = [browser.opened_file(path) for path in paths]
            page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), files, shadows=False, **options)
            shown[paths] = (page, context.new_page())
            browser.visit(shown[paths][1], page.url)
        return shown[paths]

    yield show
    close()


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_browser(tmp_path_factory) as context:
        yield context


@pytest.fixture(scope="module")
def show(context: Any) -> Iterator[Callable[..., tuple[ViewerApp, Tab]]]:
    with open_pages(context) as show:
        yield show
