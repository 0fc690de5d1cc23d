"""Fixes: each removes its finding, adds none, and changes nothing else, also in files with other encodings and line ends."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from ossature.cli.app import app
from ossature.comparison import compare
from ossature.diagnostics import Safety
from ossature.linting.fix_file import FixedFile, FixError, fix
from ossature.rule_catalogue import all_rules

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
SHAPE = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'
AXIS = '<axis xyz="0 0 1"/>'
URDF = f"""<?xml version="1.0"?>
<robot name="arm">
  <!-- a comment, with &, < and "quotes" -->
  <link name="world"/>
  <joint name="base" type="fixed"><parent link="world"/><child link="upper"/></joint>
  <link name="upper">
    {INERTIAL}
    {SHAPE}
  </link>
  <joint
      name='elbow'	type="revolute">
    <parent link="upper"/><child link="hand"/>
    {AXIS}
    {LIMIT}
  </joint>
  <link name="hand">
    {INERTIAL}
    {SHAPE}
  </link>
</robot>
"""
"""A robot without findings of errors or warnings."""

SKEL = """<skel version="1.0"><world name="w">
  <physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>
  <skeleton name="arm">
    <body name="base"><inertia><mass>1</mass><moment_of_inertia>
      <ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia>
      <visualization_shape><geometry><sphere><radius>0.5</radius></sphere></geometry></visualization_shape></body>
    <joint type="revolute" name="j"><parent>world</parent><child>base</child>
      <axis><xyz>0 0 1</xyz><dynamics><spring_stiffness>1</spring_stiffness></dynamics></axis></joint>
  </skeleton>
</world></skel>
"""
CHRONO = """chrono-version: 10.0
model:
  name: m
  bodies:
    - {name: ground, fixed: true, location: [0, 0, 0]}
    - name: b  # a comment
      location: [0, 0, 0]
      mass: 1.0
      inertia: {moments: [0.1, 0.1, 0.1]}
      orientation: [1, 0, 0, 0]
"""
MJCF = """<mujoco model="ball">
  <option ccd_iterations="20">
    <flag spring="disable" damper="disable"/>
  </option>
  <worldbody>
    <light name="sun" type="directional"/>
    <body name="ball"><freejoint name="free"/><geom name="shape" size="0.1"/></body>
  </worldbody>
</mujoco>
"""
SDF = """<sdf version="1.9"><model name="shelf"><link name="board">
  <inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
  <collision name="left"><geometry><box><size>1 1 1</size></box></geometry></collision>
  <collision name="right"><geometry><box><size>1 1 1</size></box></geometry></collision>
</link></model></sdf>
"""


@dataclass(frozen=True)
class Case:
    """A mistake: a text of a file without findings, what is there instead, and what the fix makes of it if not the former."""

    rule: str
    text: str
    right: str
    wrong: str
    fixed: str | None = None
    safety: Safety = Safety.SAFE
    keeps_model: bool = False


UNSAFE = Safety.UNSAFE
LARGEST = "1.7976931348623157e+308"
CASES = {
    "misspelt element": Case("unknown-element", URDF, AXIS, '<axsi xyz="0 0 1"/>'),
    "misspelt element with content": Case("unknown-element", URDF, SHAPE, SHAPE.replace("collision", "cllision")),
    "wrong case of an element": Case("unknown-element", URDF, '<box size="1 1 1"/>', '<Box size="1 1 1"/>'),
    "misspelt inertial": Case("unknown-element", URDF, INERTIAL, INERTIAL.replace("inertial", "inertail"), safety=UNSAFE),
    "misspelt attribute": Case("unknown-attribute", URDF, 'velocity="2"', "velocty = '2'", "velocity = '2'"),
    "misspelt moment": Case("unknown-attribute", URDF, 'izz="0.1"', 'Izz="0.1"', safety=UNSAFE),
    "duplicate attribute": Case("malformed-xml", URDF, 'effort="5"', 'effort="5" effort="5"'),
    "two values of an attribute": Case("malformed-xml", URDF, 'effort="5"', 'effort="5"\n effort="6"', safety=UNSAFE),
    "duplicate element": Case("duplicate-element", URDF, f"{AXIS}\n", f"{AXIS}\n    {AXIS}\n", keeps_model=True),
    "two elements": Case(
        "duplicate-element", URDF, f"{AXIS}\n", f'{AXIS}\n    <axis xyz="1 0 0"/>\n', safety=UNSAFE, keeps_model=True
    ),
    "axis of another length": Case("non-unit-axis", URDF, '"0 0 1"', '"0 3 4"', '"0 0.6 0.8"', keeps_model=True),
    "wrong case of a type": Case("unknown-joint-type", URDF, '"revolute"', '"Revolute"'),
    "misspelt type": Case("unknown-joint-type", URDF, '"revolute"', '"revolut"', safety=UNSAFE),
    "missing effort": Case(
        "missing-limit", URDF, ' effort="5" velocity="2"', ' effort="5"', f' effort="5" velocity="{LARGEST}"', keeps_model=True
    ),
    "missing lower limit": Case(
        "zero-joint-range",
        URDF,
        ' lower="-1" upper="1" effort="5" velocity="2"',
        ' upper="0" effort="5" velocity="2"',
        ' upper="0" effort="5" velocity="2" lower="0"',
        keeps_model=True,
    ),
    "reversed limits": Case("reversed-limits", URDF, 'lower="-1" upper="1"', 'lower="1" upper="-1"', safety=UNSAFE),
    "limits in degrees": Case(
        "suspected-degrees",
        URDF,
        'lower="-1" upper="1"',
        'lower="-90" upper="180"',
        'lower="-1.5707963267948966" upper="3.141592653589793"',
        safety=UNSAFE,
    ),
    "angles in degrees": Case(
        "suspected-degrees",
        URDF,
        '<child link="hand"/>',
        '<child link="hand"/><origin rpy="0 90 0"/>',
        '<child link="hand"/><origin rpy="0 1.5707963267948966 0"/>',
        safety=UNSAFE,
    ),
    "moments in kg mm²": Case(
        "implausible-inertia",
        URDF,
        'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>\n    ' + SHAPE + "\n  </link>\n</robot>",
        'ixx="100000" ixy="0" ixz="0" iyy="100000" iyz="0" izz="100000"/></inertial>\n    ' + SHAPE + "\n  </link>\n</robot>",
        safety=UNSAFE,
    ),
    "moments that no body has": Case(
        "inertia-violates-triangle-inequality",
        URDF,
        'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>\n    ' + SHAPE + "\n  </link>\n</robot>",
        'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.7"/></inertial>\n    ' + SHAPE + "\n  </link>\n</robot>",
        'ixx="{sixth}" ixy="0" ixz="0" iyy="{sixth}" iyz="0" izz="{sixth}"/></inertial>\n    '
        + SHAPE
        + "\n  </link>\n</robot>",
        safety=UNSAFE,
    ),
    "negative moment": Case(
        "inertia-not-positive-definite",
        URDF,
        'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>\n    ' + SHAPE + "\n  </link>\n</robot>",
        'ixx="0.1" ixy="0" ixz="0" iyy="-0.1" iyz="0" izz="0.1"/></inertial>\n    ' + SHAPE + "\n  </link>\n</robot>",
        'ixx="{sixth}" ixy="0" ixz="0" iyy="{sixth}" iyz="0" izz="{sixth}"/></inertial>\n    '
        + SHAPE
        + "\n  </link>\n</robot>",
        safety=UNSAFE,
    ),
    "unused suppression": Case(
        "unused-suppression",
        URDF,
        f"    {AXIS}\n",
        f"    <!-- ossature: ignore[missing-mesh] -->\n    {AXIS}\n",
        keeps_model=True,
    ),
    "one unused name": Case(
        "unused-suppression",
        URDF,
        LIMIT,
        '<limit lower="-1" upper="1" effort="5"/> <!-- ossature: ignore[missing-limit, missing-mesh] -->',
        '<limit lower="-1" upper="1" effort="5"/> <!-- ossature: ignore[missing-limit] -->',
        keeps_model=True,
    ),
    "misspelt element of SKEL": Case(
        "unknown-element", SKEL, "</axis>", "</axis><Init_pos>1</Init_pos>", "</axis><init_pos>1</init_pos>"
    ),
    "deprecated element": Case(
        "deprecated-spelling",
        SKEL,
        "<spring_stiffness>1</spring_stiffness>",
        "<sprint_stiffness>1</sprint_stiffness>",
        keeps_model=True,
    ),
    "missing radius": Case("default-used", SKEL, "<sphere><radius>0.5</radius></sphere>", "<sphere/>", keeps_model=True),
    "axis of another length of SKEL": Case(
        "non-unit-axis", SKEL, "<xyz>0 0 1</xyz>", "<xyz>\n 0 0 2 </xyz>", "<xyz>\n 0 0 1 </xyz>", keeps_model=True
    ),
    "removed attribute": Case(
        "removed-mjcf", MJCF, 'spring="disable" damper="disable"', 'passive = "disable"', keeps_model=True
    ),
    "renamed attribute": Case("removed-mjcf", MJCF, 'ccd_iterations="20"', 'mpr_iterations="20"', keeps_model=True),
    "earlier spelling": Case("obsolete-mjcf", MJCF, 'type="directional"', 'directional="true"', keeps_model=True),
    "two shapes of one name": Case("duplicate-name", SDF, '"right"', '"left"', '"left_2"'),
    "misspelt key": Case("unknown-key", CHRONO, "mass:", "Mass:"),
    "quaternion of another length": Case("non-unit-quaternion", CHRONO, "[1, 0, 0, 0]", "[2, 0, 0, 0]", keeps_model=True),
}


def write(folder: Path, text: str, name: str = "arm") -> Path:
    suffixes = {"<robot": ".urdf", "<skel": ".skel", "<mujoco": ".xml", "<sdf": ".sdf"}
    suffix = next((suffix for root, suffix in suffixes.items() if root in text), ".yaml")
    path = folder / f"{name}{suffix}"
    path.write_bytes(text.encode())
    return path


def grave(fixed: FixedFile) -> list[str]:
    return [finding.rule.name for finding in fixed.report if finding.severity != "note"]


@pytest.mark.parametrize("name", CASES)
def test_a_fix_removes_its_finding_and_changes_nothing_else(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    right = case.right if case.fixed is None else case.fixed.replace("{sixth}", repr(1 / 6))
    wrong = write(tmp_path, case.text.replace(case.right, case.wrong, 1))
    assert case.text.count(case.right) >= 1
    expected = case.text.replace(case.right, right, 1).encode()
    before, _ = ossature.read(wrong)
    if case.safety is Safety.UNSAFE:
        assert not any(finding.rule.name == case.rule for finding, _ in fix(wrong).applied)  # not without being asked
    fixed = fix(wrong, unsafe=case.safety is Safety.UNSAFE)
    assert wrong.read_bytes() == fixed.after == expected
    assert [(finding.rule.name, found.safety) for finding, found in fixed.applied] == [(case.rule, case.safety)]
    assert fixed.rejected == ()
    others = fix(write(tmp_path, case.text, "right"), dry_run=True)
    assert set(grave(fixed)) <= set(grave(others))
    again = fix(wrong, unsafe=True)
    assert not again.is_changed
    after, _ = ossature.read(wrong)
    if case.keeps_model:
        assert compare(before, after, tolerance=1e-12) == []


def test_each_rule_with_fixes_has_a_case() -> None:
    tested: dict[str, set[Safety]] = {}
    for case in CASES.values():
        tested.setdefault(case.rule, set()).add(case.safety)
    tested["guessed-package"] = {Safety.SAFE, Safety.UNSAFE}  # below
    assert tested == {name: set(rule.fixes) for name, rule in all_rules().items() if rule.fixes}


# Files

TWO_FIXES = URDF.replace("<axis", "<Axis").replace('"1 1 1"', '"1 1 1" nmae="é"')
"""A misspelt element and an attribute that is not near any other."""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16le", "utf-16be", "iso-8859-1"])
def test_all_other_bytes_stay(encoding: str, newline: str, tmp_path: Path) -> None:
    def encoded(text: str) -> bytes:
        declared = text.replace('version="1.0"', f'version="1.0" encoding="{encoding.removesuffix("-sig")}"')
        return declared.replace("\n", newline).replace("comment", "cömment &amp; &#xe9;").encode(encoding)

    path = tmp_path / "arm.urdf"
    path.write_bytes(encoded(URDF.replace("<axis", "<Axis").replace("</link>", "<!-- end --></link>")))
    fix(path)
    assert path.read_bytes() == encoded(URDF.replace("</link>", "<!-- end --></link>"))


def test_a_link_stays_a_link_and_permissions_stay(tmp_path: Path) -> None:
    path = write(tmp_path, TWO_FIXES)
    path.chmod(0o640)
    (tmp_path / "link.urdf").symlink_to(path)
    fix(tmp_path / "link.urdf")
    assert (tmp_path / "link.urdf").is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert "<axis" in path.read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everything")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path) -> None:
    path = write(tmp_path, TWO_FIXES)
    path.chmod(0o440)
    with pytest.raises(FixError, match="denied"):
        fix(path)


def test_a_file_that_was_changed_meanwhile_stays(tmp_path: Path) -> None:
    path = write(tmp_path, TWO_FIXES)
    fixed = fix(path, dry_run=True)
    path.write_text(URDF)
    with pytest.raises(FixError, match="was changed"):
        fixed.write()
    assert path.read_text() == URDF


def test_a_fix_in_a_comment_or_another_file_is_not_made(tmp_path: Path) -> None:
    path = write(tmp_path, URDF.replace("a comment", '<Axis xyz="0 0 1"/>'))
    assert not fix(path, unsafe=True).is_changed
    with pytest.raises(FixError, match="No such file"):
        fix(tmp_path / "gone.urdf")


@pytest.mark.parametrize("has_manifest", [False, True])
def test_files_of_a_package_with_another_name(has_manifest: bool, tmp_path: Path) -> None:
    for folder in ("robot/urdf", "robot/meshes"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "robot/meshes/hand.obj").write_bytes((Path(__file__).parents[1] / "urdf/files/hand.obj").read_bytes())
    if has_manifest:
        (tmp_path / "robot/package.xml").write_text("<package><name>robot</name></package>")
    mesh = SHAPE.replace('<box size="1 1 1"/>', '<mesh filename="{}meshes/hand.obj"/>')
    path = write(tmp_path / "robot/urdf", URDF.replace(SHAPE, mesh.format("package://old_name/")))
    assert fix(path).is_changed is has_manifest
    fix(path, unsafe=True)
    assert path.read_text() == URDF.replace(SHAPE, mesh.format("package://robot/" if has_manifest else "../"))


# The command


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["check", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_the_command_counts_prints_and_applies_fixes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = TWO_FIXES.replace('lower="-1" upper="1"', 'lower="1" upper="-1"')
    path = write(tmp_path, text)
    assert "1 can be fixed with --fix, 1 more with --unsafe-fixes" in run("arm.urdf", code=1)
    printed = run("arm.urdf", "--diff", code=1)
    assert '-    <Axis xyz="0 0 1"/>\n+    <axis xyz="0 0 1"/>\n' in printed
    assert "lower" not in printed.replace(' <limit lower="1" upper="-1"', "")
    assert path.read_text() == text
    assert "fixed unknown-element: rename <Axis> to <axis>" in run("arm.urdf", "--fix", code=1)
    run("arm.urdf", "--fix", "--unsafe-fixes", "--ignore", "reversed-limits")
    assert path.read_text() == text.replace("<Axis", "<axis")
    run("arm.urdf", "--fix", "--unsafe-fixes")
    assert path.read_text() == TWO_FIXES.replace("<Axis", "<axis")
    assert run("arm.urdf", "--diff") == ""
    run("arm.urdf", "--unsafe-fixes", code=2)


def test_programs_get_the_edits(tmp_path: Path) -> None:
    import json

    path = write(tmp_path, TWO_FIXES)
    line = URDF[: URDF.index("<axis")].count("\n") + 1
    for _ in range(2):  # the second time from the cache
        (found,) = [each for each in json.loads(run(path, "--format", "json")) if each["rule"] == "unknown-element"]
        edit = {"line": line, "column": 6, "end_line": line, "end_column": 10, "text": "axis"}
        assert found["fix"] == {"title": "rename <Axis> to <axis>", "safety": "safe", "edits": [edit]}
        (log,) = json.loads(run(path, "--format", "sarif"))["runs"]
        (result,) = [each for each in log["results"] if "fixes" in each]
        (change,) = result["fixes"][0]["artifactChanges"]
        region = {"startLine": line, "startColumn": 6, "endLine": line, "endColumn": 10}
        assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "axis"}}]
