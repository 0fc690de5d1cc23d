"""Every row of the coverage table occurs in an own file, and a change of it has an effect."""

from __future__ import annotations

import pytest

from generated_pages import generate, is_on_the_page

from .coverage import Row, changes_the_world, measure, rows, why_not_simulated

NO_EFFECT_ON_THE_WORLD = {
    "@version": "there is one version of the format",
    "frags": "ignored for rigid shapes; reported by a finding",
    "num_slices": "ignored for rigid shapes; reported by a finding",
    "num_stacks": "ignored for rigid shapes; reported by a finding",
    "num_rings": "ignored for rigid shapes; reported by a finding",
    "translation_axis2": "without it the default is used, which is the same here; reported by a finding",
    "@type": "redundant with the soft shape",
}

NOT_IN_ANY_FILE = {
    "frags": "it belongs to soft shapes",
    "num_slices": "it belongs to soft shapes",
    "num_stacks": "it belongs to soft shapes",
    "num_rings": "it belongs to soft shapes",
}


def needed(row: Row) -> bool:
    """Whether a row has to occur: the same element under visual and collision shapes, skeletons with and without a world
    and the three axes is one declaration, and occurs where it makes a difference."""
    rigid = "visualization_shape" in row.path or "collision_shape" in row.path
    if rigid and row.name in NOT_IN_ANY_FILE:
        return False
    if row.alias_of or row.name in ("effort", "velocity"):
        return row.path.count("/axis/") == 1
    if "/axis2" in row.path or "/axis3" in row.path:
        return row.name in ("axis2", "axis3", "dynamics", "limit")
    return not ("translation_axis" in row.path and row.name == "xyz" and "axis2" in row.path)


ROWS = [row for row in rows() if not row.path.startswith("skel/skeleton/")]


def test_every_row_changes_the_world_or_has_a_reason() -> None:
    without = [row for row in ROWS if needed(row) and not changes_the_world(row)]
    assert [row.path for row in without if row.name not in NO_EFFECT_ON_THE_WORLD] == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.path)
def test_row(row: Row) -> None:
    result = measure(row)
    assert is_on_the_page(generate.skel_line(row, result))
    if not needed(row):
        return
    assert result is not None, f"{row.path} is in no file under tests/skel/files"
    if result.read != "World":
        assert row.name in NO_EFFECT_ON_THE_WORLD, f"changing {row.path} changes nothing"
        return
    assert result.written, f"{row.path} is changed and does not survive writing"
    assert result.simulated or why_not_simulated(row), f"{row.path} is changed and nothing moves differently"
