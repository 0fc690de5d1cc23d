"""How soon a model is seen in a browser, and how many states a second are shown while it is simulated."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.common import PROJECT, corpus
from ossature.assets import MeshStore
from ossature.model import Body, Capsule, Joint, Model, Named, Range, Revolute, Visual, World
from ossature.model.joint import Coordinate
from ossature.spatial import Pose

TITLE = "viewing"

PUMA = "unimation-pumaarm.zae"
LINKS = 90
FIRST_PICTURE = {"a PUMA": 2.0, f"{LINKS} links": 6.0}
"""Targets on a machine of two cores [s]."""
STATES_PER_SECOND = 30.0
_BROWSER = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader"),
    *("--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)


def run() -> Iterator[Table]:
    """Time the page of an arm and that of a chain; without a Chromium only what is done before it."""
    with tempfile.TemporaryDirectory() as folder:
        chain = Path(folder) / "chain.skel"
        _write_chain(chain)
        puma = corpus().parent / "openrave" / PUMA
        files = {"a PUMA": puma if puma.is_file() else PROJECT / "examples" / "picker.dae", f"{LINKS} links": chain}
        chromium = shutil.which("chromium")
        table = Table("model", "page is served [s]", "first picture [s]", "target [s]", "states/s", "target", box=None)
        for name, path in files.items():
            served, seen, states = _measure(path, chromium)
            picture = f"{seen:.2f}" if seen is not None else "no Chromium"
            table.add_row(name, f"{served:.2f}", picture, f"{FIRST_PICTURE[name]:g}", f"{states:.0f}", f"{STATES_PER_SECOND:g}")
        yield table


def _write_chain(path: Path) -> None:
    """Write a chain of capsules."""
    import ossature

    link = Visual(geometry=Capsule(radius=0.02, length=0.08), pose=Pose((0.0, 0.0, 0.05)))
    bodies = [Body(name=f"link{number}", pose=Pose((0.0, 0.0, 0.1 * number)), visuals=(link,)) for number in range(LINKS)]
    bound = Coordinate(position=Range(lower=-1.0, upper=1.0), damping=0.1)
    joints = [
        Joint(
            name=f"joint{number}",
            type=Revolute(axis=(1.0, 0.0, 0.0) if number % 2 else (0.0, 1.0, 0.0)),
            parent=f"link{number - 1}" if number else None,
            child=f"link{number}",
            coordinates=(bound,),
        )
        for number in range(LINKS)
    ]
    model = Model(name="chain", bodies=Named(bodies), joints=Named(joints))
    ossature.save(replace(World(), models=Named([model])), path)


def _measure(path: Path, chromium: str | None) -> tuple[float, float | None, float]:
    """Return when the page is served and when it is seen, both from the start of the command [s], and states a second."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "ossature", "view", str(path), "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            served = time.perf_counter() - started
            seen = None if chromium is None else served + _first_picture(url, chromium)
        finally:
            process.kill()
    return served, seen, _states_per_second(path)


def _first_picture(url: str, chromium: str) -> float:
    """Return how long a running browser takes from an address to a picture with the model in it [s]."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_BROWSER))
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        started = time.perf_counter()
        tab.goto(url)
        tab.wait_for_selector("canvas")
        # The panel is filled after the scene; two frames later both have been drawn.
        tab.get_by_role("tab", name="Joints", exact=True).wait_for()
        tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        elapsed = time.perf_counter() - started
        browser.close()
    return elapsed


def _states_per_second(path: Path) -> float:
    """Return how many states a second the page shows while a simulation runs."""
    from ossature.viewer.opened import open_file
    from ossature.viewer.page import Page

    page = Page([open_file(path, lambda found: MeshStore())], port=0, fine=False)
    shown: list[float] = []
    picture = page.picture

    def counted(*arguments: Any) -> None:
        picture(*arguments)
        shown.append(time.perf_counter())

    page.picture = counted  # type: ignore[method-assign]
    page.running.conductor.run()
    time.sleep(4.0)
    page.running.conductor.pause()
    page.close()
    recent = [moment for moment in shown if moment > shown[-1] - 2.0]
    return (len(recent) - 1) / (recent[-1] - recent[0])
