"""Chromium for tests, if it is installed."""

from __future__ import annotations

import io
import math
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from conftest import PROJECT
from ossature.assets import MeshStore, Resolver
from ossature.spatial import Vector3
from ossature.viewer.camera_framing import FIELD_OF_VIEW, CameraFraming
from ossature.viewer.loaded_file import LoadedFile, open_file

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

    from ossature.viewer.app import ViewerApp

PICTURES = PROJECT / "build" / "viewer"
"""Folder of screenshots."""
WIDTH, HEIGHT = 900, 430
"""Size of the tabs [pixels]."""

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """Return the path of an installed Chromium, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name)) is not None), None)


def keep(name: str, frame: bytes) -> np.ndarray:
    """Save a screenshot, and return it as an array from 0 to 1, shape (height, width, 3)."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.png").write_bytes(frame)
    return np.asarray(Image.open(io.BytesIO(frame)).convert("RGB")) / 255.0


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Return the correlation of two downsampled images: 1 if they are equal."""
    small = [
        np.asarray(Image.fromarray((255 * p).astype(np.uint8)).convert("L").resize((40, 25))).ravel() for p in (one, other)
    ]
    return float(np.corrcoef(small[0], small[1])[0, 1])


def pixel_of(point: Vector3, framing: CameraFraming, eye: Vector3, box: dict[str, float]) -> tuple[float, float]:
    """Return the position of a point of the scene on the page with the initial camera [pixels]."""
    ahead = np.array(framing.look_at) - np.array(eye)
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, framing.up)
    right /= np.linalg.norm(right)
    way = np.array(point) - np.array(eye)
    scale = box["height"] / (2.0 * math.tan(FIELD_OF_VIEW / 2.0) * float(way @ ahead))
    x, y = float(way @ right) * scale, float(way @ np.cross(right, ahead)) * scale
    return box["x"] + box["width"] / 2.0 + x, box["y"] + box["height"] / 2.0 - y


def profile(folder: Path) -> str:
    """Return a new, empty folder for a browser profile."""
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def opened_file(path: Path) -> LoadedFile:
    return open_file(path, lambda found: MeshStore(Resolver(folder=found.parent)))


def visit(tab: Tab, url: str) -> None:
    tab.goto(url)
    tab.wait_for_selector("canvas")


def eye_of(page: ViewerApp) -> Vector3:
    """Return the position of the camera of the last client [m]."""
    clients = page.server.get_clients()
    x, y, z = map(float, clients[max(clients)].camera.position)
    return (x, y, z)


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.02)


def act_until(action: Callable[[], object], condition: Callable[[], object]) -> None:
    """Repeat a key or a click until it has its effect: a page that is still being built, or is slow, does not see it."""
    for _ in range(5):
        action()
        with suppress(AssertionError):
            wait_for(condition, 12.0)
            return
    wait_for(condition, 0.0)


def tab_named(tab: Tab, name: str) -> None:
    tab.get_by_role("tab", name=name, exact=True).click()


def tree_row(tab: Tab, name: str) -> Any:
    """Return the row of a body or joint in the tree, selected or not."""
    return tab.get_by_role("button", name=re.compile(rf"^[▾▸ ]*{re.escape(name)}( \(.*\))?( *◂)?$")).last


def pixels(tab: Tab) -> np.ndarray:
    """Return the page as an array from 0 to 1, shape (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(tab.screenshot())).convert("RGB")) / 255.0


def steady_pixels(tab: Tab) -> np.ndarray:
    """Return the page as :func:`pixels` when it does not change any more."""
    before = pixels(tab)
    for _ in range(30):
        time.sleep(0.3)
        after = pixels(tab)
        if np.abs(after - before).max() < 0.02:
            return after
        before = after
    raise AssertionError("the page changes all the time")


def screenshot(tab: Tab, name: str) -> np.ndarray:
    return keep(name, tab.screenshot())
