"""The timeline of recordings, plots, and the comparison of runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")


from ..browser import act_until, screenshot, tab_named, wait_for
from .opened_page import Opened

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.slow


def test_keys_and_controls_of_the_timeline(opened: Opened) -> None:
    opened.play(1.0)
    player, tab = opened.page.session.player, opened.tab
    act_until(lambda: tab.keyboard.press("ArrowRight"), lambda: player.time == pytest.approx(0.05, abs=1e-6))
    tab.keyboard.press("ArrowRight")
    wait_for(lambda: player.time == pytest.approx(0.1, abs=1e-6))
    tab.keyboard.press("ArrowLeft")
    wait_for(lambda: player.time == pytest.approx(0.05, abs=1e-6))
    wait_for(lambda: opened.view.poses == player.clips[0].frames[1].poses)
    opened.choose("Speed", "0.1")
    wait_for(lambda: player.speed == 0.1)
    tab.get_by_label("Loop", exact=True).click()
    wait_for(lambda: player.loop)
    wait_for(lambda: tab.evaluate("document.activeElement === document.body"))  # on a busy machine after a while
    act_until(lambda: tab.keyboard.press("Space"), lambda: player.is_running)
    assert player.loop, "the checkbox did not take the key"
    act_until(lambda: tab.keyboard.press("Space"), lambda: not player.is_running)
    player.speed = 4.0
    player.seek(0.9)
    act_until(lambda: tab.keyboard.press("Space"), lambda: player.is_running and player.time < 0.5)  # it started again
    act_until(lambda: tab.keyboard.press("Space"), lambda: not player.is_running)
    tab.get_by_label("Loop", exact=True).click()
    opened.choose("Speed", "1")
    wait_for(lambda: not player.loop and player.speed == 1.0)


GROUPS: dict[str, Callable[[str], bool]] = {
    "joint": lambda label: label.endswith(".positions"),
    "body": lambda label: label.endswith(".linear_velocity"),
    "energy": lambda label: label == "energy.kinetic",
    "reaction": lambda label: ".reaction_" in label,
    "contact": lambda label: ".contact_" in label,
    "element": lambda label: label.rsplit(".", 1)[-1] in ("force", "torque", "elongation", "length"),
    "measurement": lambda label: label.startswith("measurements") or ".measurement" in label,
}
"""Whether a label is that of a signal of a group."""


def test_signals_of_each_group_are_plotted_live_and_recorded_and_exported(opened: Opened) -> None:
    page, tab = opened.page, opened.tab
    tab_named(tab, "Simulate")
    tab.get_by_role("checkbox", name="Record").click()
    wait_for(lambda: page.session.runner.record)
    opened.run_until(0.3)
    names = page.session.signals.names()
    chosen = {group: next((name for name in names if is_one(name)), None) for group, is_one in GROUPS.items()}
    labels = [label for label in chosen.values() if label is not None]
    assert {"joint", "body", "energy", "reaction"} <= {group for group, label in chosen.items() if label is not None}
    tab_named(tab, "Plots")
    tab.get_by_role("textbox").first.fill(labels[0])
    wait_for(lambda: labels[0] in page.plots._choice.options)
    opened.choose("Signal", labels[0])
    wait_for(lambda: page.plots.labels == (labels[0],))
    for label in labels[1:]:
        page.plots.add(label)
    wait_for(lambda: tab.locator(".uplot").count() == len(labels))
    for label in labels:
        curves = page.session.signals.curves_of(label)
        assert curves is not None, label
        assert len(curves.times) > 3, label
        assert all(np.isfinite(values).any() for values in curves.values.values()), label
        tab.locator(".u-title", has_text=label).first.wait_for()
    screenshot(tab, f"plots_{opened.path.stem}")
    with tab.expect_download() as download:
        tab.get_by_text("CSV", exact=True).click()
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text())))
    assert rows[0][0] == "time"
    assert {name.rsplit("[", 1)[0] for name in rows[0][1:]} == set(labels)
    assert len(rows) > 4
    opened.run_until(opened.live.time + 0.3)
    page.session.player.load(())  # only what was sampled while it ran is left
    for label in labels:
        curves = page.session.signals.curves_of(label)
        assert curves is not None, label
        assert sum(np.isfinite(next(iter(curves.values.values())))) > 3, label


def test_a_run_is_compared_with_one_after_an_edit(opened: Opened) -> None:
    page, tab = opened.page, opened.tab
    tab_named(tab, "Simulate")
    tab.get_by_role("checkbox", name="Record").click()
    wait_for(lambda: page.session.runner.record)
    for _ in range(2):
        opened.run_until(0.4)
        wait_for(lambda: page.session.player.clips)
        if not page.session.references:
            tab.get_by_text("Keep as reference", exact=True).click()
            wait_for(lambda: page.session.references)
            model, body = opened.last_body()
            page.editing.change(opened.view, {f"{model}/{body}.inertial.mass": opened.mass_of(model, body) + 1.0})
            wait_for(lambda: opened.open_tab() == "Simulate")
    page.plots.add("energy.kinetic")
    tab_named(tab, "Plots")
    tab.get_by_text("reference: value").first.wait_for()
    screenshot(tab, f"compared_{opened.path.stem}")
    tab.get_by_role("checkbox", name="Difference").click()
    tab.get_by_text("difference value").first.wait_for()
    tab.get_by_role("checkbox", name="Difference").click()
    page.editing.undo(opened.view)
