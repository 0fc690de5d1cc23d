"""How soon a model is seen in a browser, and how many states a second are shown while it is simulated."""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import trimesh
from rich.table import Table

from benchmarks.timing import PROJECT, corpus
from ossature.assets import MeshStore, Resolver
from ossature.model import Body, Capsule, Joint, Mesh, Model, NamedList, Range, Revolute, Visual, World
from ossature.model.joint import Coordinate
from ossature.spatial import Pose, Vector3

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

TITLE = "viewing"

PUMA = "unimation-pumaarm.zae"
LINKS = 90
BODIES = 1000
ABOVE_EMPTY = 1.2
"""Target of the first picture after that of an empty page of viser [s]."""
STATES_PER_SECOND = 30.0
_BROWSER = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader"),
    *("--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
_RUNS = 3
_LONGEST_WAIT = 200_000.0
"""For the panels [ms]."""
_COUNT_WHAT_IS_DRAWN = """
window.frames_drawn = [];
let drawn = 0, context = null;
for (const name of ["drawElements", "drawElementsInstanced"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...all) {
    drawn += all[1];
    context = this;
    return draw.apply(this, all);
  };
}
const request = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (callback) => request((time) => {
  drawn = 0;
  callback(time);
  if (!drawn) return;
  context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));  // waits until it is drawn
  window.frames_drawn.push([performance.timeOrigin + performance.now(), drawn]);
});
"""
_EMPTY_PAGE = """
import contextlib, io, time, viser
with contextlib.redirect_stdout(io.StringIO()):
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
with server.gui.add_tab_group().add_tab("Pose"):
    server.gui.add_markdown("nothing")
print(f"http://127.0.0.1:{server.get_port()}", flush=True)
time.sleep(60.0)
"""
"""What no page of viser can be faster than."""


def run() -> Iterator[Table]:
    """Time the page of an arm and that of a chain; without a Chromium only what is done before it.

    Times are from the start of the command to what a tab of a running browser shows that is opened when the command names
    the address. Chromium draws without a graphics card.
    """
    with tempfile.TemporaryDirectory() as folder, _browser() as browser:
        chain, many = Path(folder) / "chain.skel", Path(folder) / "many.skel"
        _write_chain(chain, 1, LINKS)
        _write_chain(many, BODIES // 10, 10)
        puma = corpus().parent / "openrave" / PUMA
        arm = puma if puma.is_file() else PROJECT / "examples" / "picker.dae"
        files = {"a PUMA": arm, f"{LINKS} links": chain, f"{BODIES} bodies": many}
        columns = ("page served [s]", "first frame [s]", "after an empty page [s]", "target", "panels [s]")
        table = Table("model", *columns, "states/s with two plots", "target", box=None)
        empty = _measure_median(["-c", _EMPTY_PAGE], browser)
        table.add_row("an empty page of viser alone", *_cells(empty, empty, browser), "", "")
        for name, path in files.items():
            found = _measure_median(["-m", "ossature", "view", str(path), "--no-open", "--port", "0"], browser)
            states = f"{_states_per_second(path):.0f}"
            cells, target = _cells(found, empty, browser), f"{STATES_PER_SECOND:g}"
            if path == many:  # which has no target
                cells[3] = target = ""
            table.add_row(name, *cells, states, target)
        yield table
        recorded = Table("model", "states/s of a recording with two plots", box=None)
        recorded.add_row(f"{BODIES} bodies", f"{_states_per_second(many, is_recorded=True):.0f}")
        yield recorded
        times = Table(f"{BODIES} bodies, each with a mesh of its own", "CPU time of the server [s]", box=None)
        for action, seconds in _times_with_different_meshes(Path(folder)):
            times.add_row(action, f"{seconds:.3f}")
        yield times


def _measure_median(command: list[str], browser: Browser | None) -> tuple[float, float, float]:
    """Return the medians of when the page is served, the whole scene is seen, and the panels are [s]."""
    measured = [_measure(command, browser) for _ in range(_RUNS + 1)][1:]  # the first one compiles Python's files
    served, seen, ready = (statistics.median(times) for times in zip(*measured, strict=True))
    return served, seen, ready


def _cells(found: tuple[float, float, float], empty: tuple[float, float, float], browser: Browser | None) -> list[str]:
    served, seen, ready = found
    if browser is None:
        return [f"{served:.2f}", "no Chromium", "", "", ""]
    later = "" if found is empty else f"{seen - empty[1]:.2f}"
    return [f"{served:.2f}", f"{seen:.2f}", later, "" if found is empty else f"{ABOVE_EMPTY:g}", f"{ready:.2f}"]


@contextmanager
def _browser() -> Iterator[Browser | None]:
    chromium = shutil.which("chromium")
    if chromium is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(_BROWSER))
        browser.new_page()  # so that the browser is up
        yield browser
        browser.close()


def _write_chain(path: Path, chains: int, links: int) -> None:
    """Write chains of capsules in rows of ten."""
    import ossature

    models = [
        _make_chain(f"chain{number}", (0.3 * (number % 10), 0.3 * (number // 10), 0.0), links) for number in range(chains)
    ]
    ossature.save(replace(World(), models=NamedList(models)), path)


def _make_chain(name: str, start: Vector3, links: int) -> Model:
    x, y, z = start
    link = Visual(geometry=Capsule(radius=0.02, length=0.08), pose=Pose((0.0, 0.0, 0.05)))
    bodies = [Body(name=f"link{number}", pose=Pose((x, y, z + 0.1 * number)), visuals=(link,)) for number in range(links)]
    bound = Coordinate(position_limits=Range(lower=-1.0, upper=1.0), damping=0.1)
    joints = [
        Joint(
            name=f"joint{number}",
            type=Revolute(axis=(1.0, 0.0, 0.0) if number % 2 else (0.0, 1.0, 0.0)),
            parent=f"link{number - 1}" if number else None,
            child=f"link{number}",
            coordinates=(bound,),
        )
        for number in range(links)
    ]
    return Model(name=name, bodies=NamedList(bodies), joints=NamedList(joints))


def _times_with_different_meshes(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield what a page does with bodies that each have a mesh of their own, and the CPU time of the server for it [s]."""
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.loaded_file import open_file
    from ossature.viewer.scene_layers import Layer
    from ossature.viewer.server import LOOPBACK, serve

    path = folder / "meshes.skel"
    _write_bodies_with_different_meshes(path)

    def timed(action: Callable[[], Any]) -> tuple[float, Any]:
        start = time.process_time()
        result = action()
        return time.process_time() - start, result

    server = serve(LOOPBACK, 0, path.name, shadows=False)
    read, loaded = timed(lambda: open_file(path, lambda found: MeshStore(Resolver(folder=found.parent))))
    yield "read the file", read
    built, page = timed(lambda: ViewerApp(server, [loaded], shadows=False))
    yield "build the page", built
    view = page.views[0]
    yield "select a body", timed(lambda: page.selection.select(view, "chain3", "link4"))[0]
    yield "show the joint axes", timed(lambda: page._toggle_layer(Layer.JOINT_AXES, True))[0]
    page._toggle_layer(Layer.JOINT_AXES, False)
    yield "check", timed(page.check)[0]
    page.session.runner.show_initial_state()
    live = page.session.runner.simulations[0]
    frames = 20

    def show_states() -> None:
        for _ in range(frames):
            live.advance(1.0 / STATES_PER_SECOND)
            page.session._show_simulation()

    show_states()
    yield f"simulate and show 1/{STATES_PER_SECOND:g} s", timed(show_states)[0] / frames
    page.close()


def _write_bodies_with_different_meshes(path: Path) -> None:
    """Write chains of ten bodies, each with a deformed sphere of 320 triangles in an STL file."""
    import ossature

    generator = np.random.default_rng(1)
    models = [
        _make_chain(f"chain{number}", (0.3 * (number % 10), 0.3 * (number // 10), 0.0), 10) for number in range(BODIES // 10)
    ]
    changed = []
    for model in models:
        bodies = []
        for body in model.bodies:
            name = f"{model.name}_{body.name}.stl"
            sphere = trimesh.creation.icosphere(subdivisions=2, radius=0.04)
            sphere.vertices *= 1.0 + 0.2 * generator.random(3)
            sphere.export(path.parent / name)
            bodies.append(replace(body, visuals=(Visual(geometry=Mesh(uri=name)),)))
        changed.append(replace(model, bodies=NamedList(bodies)))
    world = replace(World(), models=NamedList(changed))
    ossature.save(world, path, meshes=MeshStore(Resolver(folder=path.parent)))


def _measure(command: list[str], browser: Browser | None) -> tuple[float, float, float]:
    """Return when the page is served, when the whole scene is seen, and when the panels are: from the command's start [s]."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    tab = None if browser is None else browser.new_page(viewport={"width": 1280, "height": 800})
    if tab is not None:
        tab.add_init_script(_COUNT_WHAT_IS_DRAWN)
        tab.goto("about:blank")
        time.sleep(1.0)
    started = time.time()
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[-1]
            served = time.time()
            seen, ready = (math.nan, math.nan) if tab is None else _pictures(tab, url)
        finally:
            process.kill()
    if tab is not None:
        tab.close()
    return served - started, seen - started, ready - started


def _pictures(tab: Tab, url: str) -> tuple[float, float]:
    """Return when a tab has drawn as much as it ever will, and when its panels are there [s since 1970]."""
    tab.goto(url, wait_until="commit")
    tab.get_by_role("tab", name="Pose", exact=True).wait_for(timeout=_LONGEST_WAIT)
    ready = time.time()
    time.sleep(2.0)
    frames: list[tuple[float, int]] = tab.evaluate("window.frames_drawn")
    most = max(count for _, count in frames)
    return next(moment for moment, count in frames if count >= 0.98 * most) / 1e3, ready


def _states_per_second(path: Path, *, is_recorded: bool = False) -> float:
    """Return how many states a second the page shows with two plots, while a simulation or its recording runs."""
    from ossature.simulation import Simulation
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.loaded_file import open_file
    from ossature.viewer.playback_recording import playback_of
    from ossature.viewer.server import LOOPBACK, serve

    page = ViewerApp(serve(LOOPBACK, 0, path.name, shadows=False), [open_file(path, lambda found: MeshStore())], shadows=False)
    shown: list[float] = []
    frame = page.show_frame

    def counted(*arguments: Any) -> None:
        frame(*arguments)
        shown.append(time.perf_counter())

    page.show_frame = counted  # type: ignore[method-assign, assignment]
    for label in page.session.signals.names()[:2]:
        page.plots.add(label)
    if is_recorded:
        world = page.views[0].world
        page.load_clips([playback_of(Simulation(world).run(0.5, sample=1.0 / STATES_PER_SECOND))])
        page.session.player.loop = True
        page.session.player.run()
    else:
        page.session.runner.run()
    while len(shown) < 3:  # the first state is shown when the model is compiled
        time.sleep(0.1)
    time.sleep(4.0)
    page.session.runner.pause()
    page.session.player.pause()
    page.close()
    recent = [moment for moment in shown if moment > shown[-1] - 2.0]
    return (len(recent) - 1) / (recent[-1] - recent[0])
