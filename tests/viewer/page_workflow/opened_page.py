"""A model in a tab, its controls, and its pixels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ossature
from ossature.viewer.playback_recording import playback_of

from ..browser import opened_file, pixels, steady_pixels, tab_named, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

    from ossature.array_types import Array
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.model_view import ModelView


@dataclass(frozen=True)
class Opened:
    """A model in a tab, as it was opened.

    Attributes:
        path: A copy of its file.
        page: Its page.
        tab: The tab.
        context: The browser.
    """

    path: Path
    page: ViewerApp
    tab: Tab
    context: Any

    @property
    def view(self) -> ModelView:
        return self.page.views[0]

    @property
    def client(self) -> Any:
        clients = self.page.server.get_clients()
        return clients[max(clients)]

    @property
    def live(self) -> Any:
        """The simulation, which may not have been created yet."""
        simulations = self.page.session.runner.simulations
        return simulations[0] if simulations else None

    def last_body(self) -> tuple[str, str]:
        model = next(model for model in reversed(self.view.world.models) if not model.static)
        return model.name, model.bodies[-1].name

    def mass_of(self, model: str, body: str) -> float:
        return float(self.view.world.models[model].bodies[body].inertial.mass)

    def open_tab(self) -> str:
        return str(self.tab.locator('[role="tab"][aria-selected="true"]').first.text_content())

    def button(self, name: str) -> Any:
        return self.tab.get_by_role("button", name=name, exact=True).first

    def run_until(self, end: float) -> None:
        """Run the simulation until a time [s], and pause it, by the buttons."""
        tab_named(self.tab, "Simulate")
        self.button("Run").click()
        wait_for(lambda: self.live is not None and self.live.time > end)
        self.button("Pause").click()
        wait_for(lambda: not self.page.session.runner.is_running)

    def play(self, duration: float) -> None:
        """Load a recording of a simulation with 20 samples."""
        recording = ossature.Simulation(self.view.world).run(duration, sample=duration / 20.0)
        self.page.load_clips([playback_of(recording)])
        wait_for(lambda: self.button("Play").is_visible())

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list of the open tab."""
        self.tab.get_by_label(label, exact=True).first.click()
        self.tab.get_by_role("option", name=option, exact=True).click()

    def write_and_reload(self, text: str) -> None:
        self.path.write_text(text)
        self.page.reload(opened_file(self.path))


def pixels_of_moving_bodies(opened: Opened) -> Array:
    """Return which pixels of the page show bodies that move: those that change when these are hidden."""
    shown = steady_pixels(opened.tab)
    opened.view.nodes.hide_bodies(opened.view._moving)
    wait_for(lambda: np.abs(pixels(opened.tab) - shown).max() > 0.1)
    changed: Array = np.abs(steady_pixels(opened.tab) - shown).max(axis=2) > 0.05
    opened.view.nodes.hide_bodies(())
    wait_for(lambda: np.abs(pixels(opened.tab) - shown).max() < 0.5)
    return changed


def canvas_of(tab: Tab) -> tuple[int, int, int, int]:
    """Return the left, upper, right and lower edge of the scene on the page [pixels]."""
    box = tab.locator("canvas").first.bounding_box()
    panel = tab.get_by_role("tab", name="Pose", exact=True).bounding_box()
    assert box is not None
    assert panel is not None
    return round(box["x"]), round(box["y"]), round(min(box["x"] + box["width"], panel["x"])), round(box["y"] + box["height"])
