"""``ossature state diff``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.state_commands import PALLETIZER, fine, run

pytest.importorskip("pyarrow")


def test_diff(crank: Path) -> None:
    assert run("state", "diff", crank / "run.usdf", crank / "run.parquet", "--tolerance", 1e-12).exit_code == 0
    result = run("state", "diff", crank / "half.usdf", crank / "whole.usdf", "--json", "--tolerance", 1e-3)
    assert result.exit_code == 1
    found = {(row["path"], row["quantity"]): row["amount"] for row in json.loads(result.stdout)}
    assert found["", "time"] == pytest.approx(0.2)
    assert found["slider crank/crank", "rotation"] > 0.1


def test_differences_have_units(crank: Path) -> None:
    lines = run("state", "diff", crank / "half.usdf", crank / "whole.usdf").stdout.splitlines()
    assert lines[0] == "time differs by 0.2 s"
    assert any(re.fullmatch(r"slider crank/crank: rotation differs by \S+ rad", line) for line in lines)
    assert any(re.fullmatch(r"slider crank/pin: positions differ by \S+ m or rad", line) for line in lines)


def test_a_missing_sample_is_the_only_message(crank: Path) -> None:
    result = run("state", "diff", crank / "run.parquet", crank / "run.parquet", "--sample-number", 99)
    assert result.exit_code == 1
    assert re.fullmatch(r"error: \S+: no such sample; the file has samples 0 to 40, .*\n", result.stderr, re.DOTALL)


def test_joints_without_numbers_make_no_difference(tmp_path: Path) -> None:
    for suffix in ("usdf", "csv"):
        fine("simulate", PALLETIZER, "--duration", 0.02, "--record", tmp_path / f"run.{suffix}")
    result = run("state", "diff", tmp_path / "run.usdf", tmp_path / "run.csv", "--tolerance", 1e-9)
    assert "the joint" not in result.stdout
