"""The tree of bodies and joints, findings, and edited values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("viser")
pytest.importorskip("playwright")

import ossature

from ..browser import act_until, pixels, screenshot, steady_pixels, tab_named, tree_row, wait_for
from .opened_page import Opened

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.slow

BREAK = {".yaml": ("\nmodel:", "\nmodel")}
"""Text of a file and what makes it invalid, by suffix; of XML files the last end tag is removed."""


def test_joints_are_rows_that_are_folded_and_described(opened: Opened) -> None:
    page, tab, view = opened.page, opened.tab, opened.view
    tab_named(tab, "Tree")
    row = next(row for row in page.tree._rows[view] if row.joint is not None and row.has_rows)
    act_until(tree_row(tab, row.label).click, lambda: view.nodes.selected == (row.model, row.body))
    tab.get_by_text(f"Joint {row.joint}").first.wait_for()
    act_until(tree_row(tab, row.label).click, lambda: (view, (row.model, row.body, None)) not in page.tree._buttons)
    screenshot(tab, f"folded_{opened.path.stem}")
    page.selection.select(view, row.model, row.body)
    wait_for(lambda: (view, (row.model, row.body, None)) in page.tree._buttons)
    tab.get_by_text("Fold all", exact=True).click()
    wait_for(
        lambda: all(rows[1][2] is not None or rows[1][1] for rows in page.tree._buttons) and len(page.tree._folded[view]) > 1
    )
    tab.get_by_text("Unfold all", exact=True).click()
    wait_for(lambda: not page.tree._folded[view])
    tab_named(tab, "Findings")
    wait_for(lambda: not tree_row(tab, row.label).is_visible())  # the rows are in their tab


def test_bodies_are_hidden_isolated_and_measured(opened: Opened) -> None:
    page, tab, view = opened.page, opened.tab, opened.view
    tab_named(tab, "Tree")
    tab.get_by_text("Unfold all", exact=True).click()
    (model, first), (_, second) = [
        (model.name, body.name) for model in view.world.models if not model.static for body in model.bodies
    ][:2]
    act_until(tree_row(tab, first).click, lambda: view.nodes.selected == (model, first))
    act_until(tree_row(tab, second).click, lambda: view.nodes.selected == (model, second))
    tab.get_by_text(f"Measured from {first}").wait_for()
    apart = math.dist(view.poses[model][first].position, view.poses[model][second].position)
    tab.get_by_text(f"{apart:.4g} m", exact=True).first.wait_for()
    shown = steady_pixels(tab)
    bodies = {(model.name, body.name) for model in view.world.models for body in model.bodies}
    for button, hidden in (("Hide", {(model, second)}), ("Show all", set()), ("Isolate", bodies - {(model, second)})):
        tab.get_by_text(button, exact=True).click()
        wait_for(lambda hidden=hidden: set(page.selection.hidden[0]) == hidden)
    wait_for(lambda: np.abs(pixels(tab) - shown).max() > 0.1)
    screenshot(tab, f"isolated_{opened.path.stem}")
    tab.get_by_text("Show all", exact=True).click()
    wait_for(lambda: not page.selection.hidden[0])


def test_findings_and_their_filter_stay_while_a_saved_version_is_invalid(opened: Opened) -> None:
    page, tab, text = opened.page, opened.tab, opened.path.read_text()
    tab_named(tab, "Findings")
    field = tab.get_by_role("textbox").last
    field.fill("zzz")
    tab.get_by_text("0 listed").or_(tab.get_by_text("No findings")).first.wait_for()
    before, after = BREAK.get(opened.path.suffix, (f"</{text.rstrip().rpartition('</')[2]}", ""))
    assert before in text
    try:
        opened.write_and_reload(text.replace(before, after))
        tab.get_by_text("last valid version").first.wait_for()
        assert field.input_value() == "zzz"
        assert opened.open_tab() == "Findings"
        field.fill("")
        tab.get_by_role("button", name="✖").first.wait_for()
        screenshot(tab, f"invalid_{opened.path.stem}")
        assert opened.view.world.models
    finally:
        opened.write_and_reload(text)
    wait_for(lambda: not page.status.banner.visible)
    wait_for(lambda: opened.open_tab() == "Findings")


def test_a_mass_is_edited_undone_and_saved_as_a_copy(opened: Opened) -> None:
    page, tab = opened.page, opened.tab
    tab_named(tab, "Tree")
    model, body = opened.last_body()
    before = opened.mass_of(model, body)
    page.selection.select(opened.view, model, body)
    fields = tab.locator("input.mantine-TextInput-input:visible")
    if not page.editing.was_used:
        tab.get_by_text("Values", exact=True).click()
    opened.button("Apply").wait_for()
    text = repr(before + 1.0)

    def fill_mass() -> None:
        """Fill the field, also if it has the text already: the page may render it at the same time, and lose the change."""
        # Other fields may be visible above, such as the filter.
        number = fields.count() - sum(isinstance(field.value, str) for _, field, _ in page.tree._values._fields)
        fields.nth(number).fill("")
        fields.nth(number).fill(text)

    act_until(fill_mass, lambda: page.tree._values._fields[0][1].value == text)
    opened.button("Apply").click()
    wait_for(lambda: opened.mass_of(model, body) == before + 1.0)
    tab.get_by_text("inertial.mass").first.wait_for()
    wait_for(lambda: opened.open_tab() == "Tree")
    assert opened.view.nodes.selected == (model, body)
    screenshot(tab, f"edited_{opened.path.stem}")
    tab.get_by_text("Copy of the file", exact=True).click()
    copy = opened.path.with_name(f"{opened.path.stem}_edited{opened.path.suffix}")
    wait_for(copy.is_file)
    assert ossature.load(copy).models[model].bodies[body].inertial.mass == pytest.approx(before + 1.0)
    tab.get_by_text("Undo", exact=True).click()
    wait_for(lambda: opened.mass_of(model, body) == before)
    wait_for(lambda: opened.open_tab() == "Tree")
