"""Conversions of stages to other formats, read again and evaluated by other programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ossature.cli.app import app
from usd import body, joint, stage

STAGES = (
    "from_urdf/irb140/abb_irb140.usda",
    "from_mjcf/robotiq_2f85/robotiq_2f85.usda",
    "examples/boxes_fourbar.usda",
    pytest.param("from_mjcf/umi_gripper/umi_gripper.usda", marks=pytest.mark.slow),
    pytest.param("from_mjcf/dynamixel_2r/dynamixel_2r.usda", marks=pytest.mark.slow),
    pytest.param("tests/humanoid.usda", marks=pytest.mark.slow),
)


@pytest.mark.one_in(2)
@pytest.mark.corpus
@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("suffix", ["xml", "urdf"])
def test_a_converted_stage_equals_the_stage_except_for_the_ledger(
    corpus: Path, name: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["convert", str(corpus / "corpus" / "usd" / name), f"robot.{suffix}", "--verify"])
    assert result.exit_code == 0, result.output
    assert "verified" in result.output


def test_the_mark_of_a_layer_is_no_comment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("robot.usda").write_bytes(stage(body("a") + body("b") + joint("RevoluteJoint", "# a hinge\n")))
    output = CliRunner().invoke(app, ["convert", "robot.usda", "robot.urdf"]).output
    assert "comment" in output
    assert "a hinge" in output
    assert "usda 1.0" not in output
