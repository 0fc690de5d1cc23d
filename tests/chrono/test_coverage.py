"""Every declared key stands in a file of our own, changes the World that is read, and survives being written."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from chrono.coverage import FOLDER, Row, is_read, measure, occurrences, reason, rows
from generated_pages import generate, is_on_the_page
from ossature.model import ChronoContact

ROWS = list(rows())
ELSEWHERE = {
    "simulation file / simulation / time_step": "in an older simulation file: the test below",
    "simulation file / simulation / contact_method": "in an older simulation file: the test below",
    "model file / model / data_path": "its mesh lies beside the file, as it would without",
    "model file / model / joints / bushing_data / DOF": "of a revolute joint only what turns is free",
    "model file / model / bodies / contact / materials / Coefficients": (
        "the schema's spelling of 'coefficients': tests/chrono/test_findings.py"
    ),
}
NOT_READ_ALONE = {
    "type": "another word needs other keys, and is refused without them",
    "root": "of meshes that are then elsewhere",
}


def test_every_key_is_read_or_has_a_reason() -> None:
    expected = [row for row in ROWS if occurrences(row) and reason(row) is None and row.name not in NOT_READ_ALONE]
    assert [str(row) for row in expected if not is_read(row) and not str(row).startswith(tuple(ELSEWHERE))] == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_key_says_something(row: Row) -> None:
    result = measure(row)
    assert is_on_the_page(generate.chrono_line(row, result))
    if str(row).startswith(tuple(ELSEWHERE)):
        return
    if result is None and reason(row) is not None:
        return
    if result is None:
        assert _is_declared_elsewhere(row), f"{row} stands in no file"
        return
    why = reason(row)
    if why is not None and not result.read:
        return
    assert result.read or row.name in NOT_READ_ALONE, f"changing {row} changes nothing"
    assert result.written or not result.read, f"{row} is lost in writing"


def _is_declared_elsewhere(row: Row) -> bool:
    """Whether the same declaration stands in a file under another way that leads to it."""
    return any(other.spelling is row.spelling and occurrences(other) for other in ROWS if other is not row)


def test_an_older_simulation_file_says_step_and_contact_method(tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text(
        "chrono-version: 10.0\nmodel:\n  bodies:\n    - {name: b, location: [0, 0, 0], fixed: true}\n"
    )
    (tmp_path / "solver.yaml").write_text((FOLDER / "solver.yaml").read_text(encoding="utf-8"))
    run = "chrono-version: 10.0\nmodel: model.yaml\nsolver: solver.yaml\nsimulation: {}\n"
    (tmp_path / "run.yaml").write_text(run.format("{time_step: 2e-3, contact_method: NSC}"))
    world = ossature.load(tmp_path / "run.yaml")
    assert world.time_step == 2e-3
    assert world.hints == (ChronoContact(method="NSC"),)
