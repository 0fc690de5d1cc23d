"""The examination of a simulation: its numbers converge with the order of the integrator, and problems are found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.simulation import Examination, ExaminedItem, Judgement, examine_simulation

EXAMPLES = PROJECT / "examples"


def item(examined: Examination, topic: str) -> ExaminedItem:
    return next(one for one in examined.items if one.topic == topic)


@pytest.mark.parametrize(("name", "time_step", "order"), [("double_pendulum.skel", 0.002, 1), ("slider_crank.yaml", 0.004, 2)])
def test_the_difference_to_half_the_step_decreases_with_the_order(name: str, time_step: float, order: int) -> None:
    world = ossature.load(EXAMPLES / name)
    coarse = examine_simulation(world, 0.4, time_step=time_step).largest_difference
    fine = examine_simulation(world, 0.4, time_step=time_step / 2).largest_difference
    assert coarse is not None
    assert fine is not None
    assert coarse / fine == pytest.approx(2**order, rel=0.2)


def test_a_run_that_diverges_is_a_problem() -> None:
    report = Report()
    examined = examine_simulation(ossature.load(EXAMPLES / "double_pendulum.skel"), 5.0, time_step=0.05, report=report)
    assert item(examined, "run").judgement is Judgement.PROBLEM
    assert "simulation-diverged" in item(examined, "run").text
    assert examined.largest_difference is None
    assert examined.has_problems
    assert report.has_errors


def test_a_step_that_is_too_large_for_the_motion_is_a_problem() -> None:
    examined = examine_simulation(ossature.load(EXAMPLES / "double_pendulum.skel"), 1.0, time_step=0.02)
    assert item(examined, "half step").judgement is Judgement.PROBLEM
    assert item(examined, "half step").advice


def test_redundant_constraints_are_noted() -> None:
    examined = examine_simulation(ossature.load(EXAMPLES / "slider_crank.yaml"), 0.1)
    assert not examined.has_problems
    notes = [one for one in examined.items if one.judgement is Judgement.NOTE]
    assert any("redundant constraints: 2" in one.text for one in notes)


def test_contacts_are_counted() -> None:
    examined = examine_simulation(ossature.load(EXAMPLES / "contact.skel"), 0.7)
    assert item(examined, "contacts").judgement is Judgement.NOTE


def test_the_command_prints_json_and_text() -> None:
    file = str(EXAMPLES / "double_pendulum.skel")
    found = CliRunner().invoke(app, ["doctor", file, "--duration", "0.1", "--json"], catch_exceptions=False)
    assert found.exit_code == 0
    data = json.loads(found.output)
    assert {"integrator", "energy", "half step"} <= {one["topic"] for one in data["items"]}
    text = CliRunner().invoke(app, ["doctor", file, "--duration", "1", "--time-step", "0.02"], catch_exceptions=False)
    assert text.exit_code == 1
    assert "problem: half step" in text.output
    assert "to do: " in text.output


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.urdf").write_text("<robot>")
    assert CliRunner().invoke(app, ["doctor", str(tmp_path / "broken.urdf")]).exit_code == 1
