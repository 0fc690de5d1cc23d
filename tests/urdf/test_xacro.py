"""xacro templates: refused unless asked for, and expanded with xacrodoc."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ossature.cli.app import app

TEMPLATE = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="1"/>
  <xacro:property name="l" value="$(arg length)"/>
  <xacro:include filename="macros.xacro"/>
  <link name="base"/>
  <xacro:arm prefix="left" y="${l/2}"/>
</robot>
"""
MACROS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="arm" params="prefix y">
    <link name="${prefix}_link"/>
    <joint name="${prefix}_joint" type="revolute">
      <parent link="base"/> <child link="${prefix}_link"/> <origin xyz="0 ${y} 0"/>
      <limitt lower="-1" upper="1" effort="1" velocity="1"/>
    </joint>
  </xacro:macro>
</robot>
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    pytest.importorskip("xacrodoc")
    (tmp_path / "macros.xacro").write_text(MACROS)
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(TEMPLATE)
    return path


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, words)])
    return result.exit_code, result.output


def test_a_template_is_not_expanded_unasked(template: Path) -> None:
    code, output = run("check", template, "--input-format", "urdf", "--no-cache")
    assert code == 1
    assert "xacro-file" in output
    assert "--xacro" in output


@pytest.mark.parametrize(("arguments", "expected"), [((), 0.5), (("--xacro-arg", "length:=3"), 1.5)])
def test_arguments(template: Path, arguments: tuple[str, ...], expected: float) -> None:
    code, output = run("pose", template, "--xacro", *arguments, "--json")
    assert code == 0
    poses = json.loads(output[output.index("{") :])
    assert poses["arm"]["left_link"][1][3] == pytest.approx(expected)


@pytest.mark.parametrize("command", ["check", "info"])
def test_findings_are_in_the_expansion_and_in_the_macro(template: Path, command: str) -> None:
    _, output = run(command, template, "--xacro")
    assert "arm.urdf.xacro (expanded):" in output
    assert "did you mean 'limit'?" in output
    assert "macros.xacro:6:7: in the template" in output


@pytest.mark.parametrize(
    ("expression", "rule"),
    [("9**9**9", "reading-too-long"), ("[0] * 10**10", "out-of-memory"), ("no_name", "xacro-error"), ("(", "xacro-error")],
)
def test_expressions_have_bounds(expression: str, rule: str, template: Path) -> None:
    template.write_text(TEMPLATE.replace("${l/2}", f"${{{expression}}}"))
    code, output = run("check", template, "--xacro", "--limit", "seconds=8")
    assert code == 1
    assert f"error[{rule}]" in output


def test_what_a_template_prints_is_escaped(template: Path) -> None:
    template.write_text(TEMPLATE.replace("${l/2}", "0${xacro.warning('\u202e\\x1b[2J')}"))
    _, output = run("info", template, "--xacro")
    assert "xacro: warning: \\u202e\\x1b[2J" in output


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--xacro-arg", "length"), 2, "use NAME:=VALUE"),
        (("--xacro", "--fix"), 2, "are for files"),
        (("--xacro-arg", "length:=nothing"), 1, "xacro-error"),
    ],
)
def test_mistakes(template: Path, words: tuple[str, ...], code: int, message: str) -> None:
    found, output = run("check", template, *words)
    assert found == code
    assert message in output
