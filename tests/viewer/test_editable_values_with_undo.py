"""Values edited on the page: each reaches the World, is undone, and is saved as a copy and as a calibration."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore, Resolver
from ossature.diagnostics import Report
from ossature.formats.calibration import read_calibration, with_calibration
from ossature.formats.calibration.write import write_calibration
from ossature.model import ModelError, Rgba, World
from ossature.model.element_paths import resolve, value_at
from ossature.viewer.app import ViewerApp
from ossature.viewer.editable_values_with_undo import EditableValue, ValueEdits, editable_values, parse_number
from ossature.viewer.loaded_file import open_file
from ossature.viewer.server import LOOPBACK, serve

EXAMPLES = ("arm.skel", "palletizer.urdf", "scanner.dae", "slider_crank.yaml")
COLOR: Rgba = (0.1, 0.2, 0.3, 1.0)


def world_of(name: str) -> World:
    return ossature.load(PROJECT / "examples" / name)


def all_values(world: World) -> list[EditableValue]:
    return [value for model in world.models for body in model.bodies for value in editable_values(model, body.name)]


def changed_value(value: EditableValue) -> float | Rgba:
    if value.is_color:
        return COLOR
    assert isinstance(value.value, float | int)
    return value.value + 0.25 if math.isfinite(value.value) else math.copysign(3.0, value.value)


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_value_is_changed_alone_and_undone(name: str) -> None:
    world = world_of(name)
    values = all_values(world)
    assert len(values) > 5
    for value in values:
        assert value_at(world, resolve(world, value.path)) == value.value
        edits = ValueEdits().with_step(value.changes_to(changed_value(value)))
        edited = edits.apply(world)
        others = {other.path: other.value for other in all_values(edited)}
        assert others.pop(value.path) == changed_value(value)
        assert all(others[other.path] == other.value for other in values if other.path != value.path)
        assert edits.undo().apply(world) == world
        assert edits.undo().redo().apply(world) == edited


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_calibration_of_the_edits_changes_the_same(name: str, tmp_path: Path) -> None:
    world = world_of(name)
    values = [value for value in all_values(world) if value.value is not None]
    edits = ValueEdits()
    for value in values:
        edits = edits.with_step(value.changes_to(changed_value(value)))
    path = tmp_path / "edited.yaml"
    path.write_text(write_calibration(edits.to_calibration(world)))
    report = Report()
    calibration = read_calibration(path, report)
    assert calibration is not None
    assert with_calibration(world, calibration, report) == edits.apply(world)
    assert not report.has_errors


def test_steps_after_an_undone_one_are_forgotten() -> None:
    edits = ValueEdits().with_step({"a": 1.0}).with_step({"a": 2.0}).undo().with_step({"b": 3.0})
    assert edits.values == {"a": 1.0, "b": 3.0}
    assert not edits.can_redo
    assert edits.undo().undo().undo().values == {}


@pytest.mark.parametrize(("text", "path"), [("abc", "m/b.inertial.mass"), ("inf", "m/b.inertial.mass"), ("nan", "m/j.limits")])
def test_texts_that_are_no_values_are_refused(text: str, path: str) -> None:
    with pytest.raises(ModelError, match="Mass"):
        parse_number(text, EditableValue(path=path, label="Mass", value=1.0))


def test_limits_may_be_infinite() -> None:
    edited = EditableValue(path="m/j.coordinates[0].position_limits.upper", label="Upper limit", value=1.0)
    assert parse_number(" inf ", edited) == math.inf


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ViewerApp]:
    path = tmp_path / "arm.skel"
    shutil.copy(PROJECT / "examples" / "arm.skel", path)
    loaded = open_file(path, lambda found: MeshStore(Resolver(folder=found.parent)))
    app = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [loaded], shadows=False)
    yield app
    app.close()


def test_an_edit_is_shown_and_saved_as_a_copy(page: ViewerApp, tmp_path: Path) -> None:
    path = page.files[0].path
    before = path.read_bytes()
    page.check()
    page.selection.select(page.views[0], "arm", "hand")
    page.editing.change(page.views[0], {"arm/hand.inertial.mass": 2.5})
    assert page.views[0].nodes.selected == ("arm", "hand")
    assert page.views[0].world["arm/hand"].inertial.mass == 2.5
    written = [page.editing.save_copy(page.views[0]) for _ in range(2)]
    assert written == [tmp_path / "arm_edited.skel", tmp_path / "arm_edited2.skel"]
    copy = ossature.load(tmp_path / "arm_edited.skel")
    assert copy == ossature.load(path).replace_at("arm/hand", mass=2.5)
    assert path.read_bytes() == before
    page.editing.undo(page.views[0])
    assert page.views[0].world["arm/hand"].inertial.mass == 0.4


def test_an_edit_with_findings_says_so(page: ViewerApp, monkeypatch: pytest.MonkeyPatch) -> None:
    notices: list[str] = []
    monkeypatch.setattr(page, "notify", lambda title, text, color="red": notices.append(f"{title}: {text}"))
    page.check()
    page.editing.change(page.views[0], {"arm/hand.inertial.mass": -1.0})
    assert "new finding" in notices[-1]
    page.editing.change(page.views[0], {"arm/nothing.inertial.mass": 1.0})
    assert notices[-1].startswith("Not applied")
    assert page.views[0].world["arm/hand"].inertial.mass == -1.0


def test_edits_survive_a_new_version_unless_their_element_is_gone(page: ViewerApp) -> None:
    file = page.files[0]
    page.editing.change(page.views[0], {"arm/hand.inertial.mass": 2.5})
    page.reload(file)
    assert page.views[0].world["arm/hand"].inertial.mass == 2.5
    file.path.write_text(file.path.read_text().replace('"hand"', '"palm"').replace(">hand<", ">palm<"))
    page.reload(open_file(file.path, lambda found: MeshStore(Resolver(folder=found.parent))))
    assert page.views[0].world["arm/palm"].inertial.mass == 0.4
    assert not page.editing.of_file(file.path).values
