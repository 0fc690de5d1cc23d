"""Two files beside each other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")

import ossature

from ..browser import act_until, screenshot, tab_named, wait_for

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.slow


def test_two_files_are_beside_each_other_and_their_difference_is_plotted(path: Path, show: Any) -> None:
    other = path.with_name(f"heavier{path.suffix}")
    world = ossature.load(path)
    model = next(model for model in reversed(world.models) if not model.static)
    body = model.bodies[-1]
    with world.edit() as edit:
        edit.body(f"{model.name}/{body.name}").inertial.mass = body.inertial.mass + 1.0
    ossature.save(edit.world, other)
    page, tab = show(path, other)
    tab.get_by_text(other.name, exact=True).first.wait_for()
    assert page.views[1].nodes.offset != (0.0, 0.0, 0.0)
    tab_named(tab, "Findings")
    row = tab.get_by_role("button", name=re.compile("^inertia: .*mass"))
    row.first.wait_for()
    act_until(row.first.click, lambda: page.views[0].nodes.selected == (model.name, body.name))
    page.plots.add("energy.kinetic")
    tab_named(tab, "Simulate")
    tab.get_by_role("button", name="Run", exact=True).first.click()
    wait_for(lambda: len(page.session.runner.simulations) == 2 and page.session.runner.simulations[1].time > 0.2)
    tab.get_by_role("button", name="Pause", exact=True).first.click()
    tab_named(tab, "Plots")
    tab.get_by_text("2: value").first.wait_for()
    tab.get_by_role("checkbox", name="Difference").click()
    tab.get_by_text("difference value").first.wait_for()
    screenshot(tab, f"two_{path.stem}")
