"""Differences of two files on the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.viewer.app import ViewerApp
from ossature.viewer.loaded_file import open_file
from ossature.viewer.server import LOOPBACK, serve

ARM = PROJECT / "examples" / "arm.skel"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ViewerApp]:
    world = ossature.load(ARM)
    with world.edit() as edit:
        edit.body("arm/upper_arm").inertial.mass = 2.5
        edit.joint("arm/elbow").limits = (-2.0, 2.0)
    ossature.save(edit.world, tmp_path / "new.dae")
    files = [open_file(path, lambda found: MeshStore()) for path in (ARM, tmp_path / "new.dae")]
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), files, shadows=False)
    yield page
    page.close()


def rows_of(page: ViewerApp) -> dict[str, object]:
    assert page.differences is not None
    children = page.differences._folder._children.values()
    return {child.label: child for child in children if hasattr(child, "on_click")}


def test_differences_are_those_of_ossature_diff_also_after_an_edit(page: ViewerApp) -> None:
    page.check()
    found = ossature.diff(page.views[0].world, page.views[1].world)
    assert list(rows_of(page)) == [f"{change.category.value}: {change}" for change in found.changes]
    assert any("mass 1.5 → 2.5 kg" in row for row in rows_of(page))
    page.editing.change(page.views[0], {"arm/upper_arm.inertial.mass": 2.5})
    assert not any("mass" in row for row in rows_of(page))
    page.editing.undo(page.views[0])
    assert any("mass 1.5 → 2.5 kg" in row for row in rows_of(page))


def test_a_difference_selects_the_body_that_it_is_about(page: ViewerApp) -> None:
    page.check()
    changes = {change.quantity: change for change in ossature.diff(page.views[0].world, page.views[1].world).changes}
    page._select_changed(changes["mass"])
    assert page.views[0].nodes.selected == ("arm", "upper_arm")
    page._select_changed(changes["position limits"])
    assert page.views[0].nodes.selected == ("arm", "forearm")
