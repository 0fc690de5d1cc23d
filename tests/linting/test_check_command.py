"""``ossature check`` as a linter: folders, configuration, suppression, the cache, baselines and output formats."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import Limits
from ossature.linting import check_files
from ossature.linting.file_reading_options import CheckOptions
from ossature.linting.result_cache import ResultCache

ROBOT = """<robot name="arm">
  <link name="base"/>
  <joint name="elbow" type="revolute">
    <parent link="base"/>
    <child link="hand"/>
    <axis xyz="0 0 2"/>
  </joint>
  <link name="hand"><visual><geometry><mesh filename="hand.stl"/></geometry></visual></link>
</robot>
"""
"""A robot with the findings missing-limit and non-unit-axis, missing-mesh, and others."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(ROBOT)
    return tmp_path


def run(*arguments: object, code: int = 0, text: bytes | None = None) -> Result:
    result = CliRunner().invoke(app, ["check", *map(str, arguments)], input=text)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code == code, result.output
    return result


def findings(*arguments: object, code: int = 0, text: bytes | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(*arguments, "--format", "json", code=code, text=text).stdout)
    return found


def rules(*arguments: object, code: int = 0, text: bytes | None = None) -> set[str]:
    return {finding["rule"] for finding in findings(*arguments, code=code, text=text)}


ALL = {"missing-limit", "non-unit-axis", "missing-mesh", "non-positive-mass", "free-base", "missing-collision-shape"}


def test_the_findings_of_the_robot(project: Path) -> None:
    assert rules("arm.urdf") == ALL


def test_a_folder_is_searched_by_suffix_and_content(project: Path) -> None:
    for name in (
        "a/one.urdf",
        "a/b/two.xml",
        ".hidden/three.urdf",
        "a/mesh.dae",
        "a/solver.yaml",
        "a/states.usdf",
        "a/notes.txt",
    ):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / "a/one.urdf").write_text(ROBOT)
    (project / ".hidden/three.urdf").write_text(ROBOT)
    (project / "a/b/two.urdf").write_text("<launch/>")
    (project / "a/mesh.dae").write_text("<COLLADA><library_geometries/><scene><instance_visual_scene/></scene></COLLADA>")
    (project / "a/solver.yaml").write_text("chrono-version: 10\nsolver:\n  type: PSOR\n")
    (project / "a/states.usdf").write_text("<world_state/>")
    (project / "a/notes.txt").write_text(ROBOT)
    assert {finding["file"] for finding in findings(".")} == {"arm.urdf", "a/one.urdf"}
    assert {finding["file"] for finding in findings("a/*.urdf", "**/one.urdf")} == {"a/one.urdf"}
    assert "no file matches" in run("b/*.urdf", code=2).stderr
    assert "there is no model file" in run("a/b").stderr


def test_standard_input(project: Path) -> None:
    found = findings("-", "--stdin-filename", "sub/arm.urdf", text=ROBOT.encode())
    assert {finding["file"] for finding in found} == {"sub/arm.urdf"}
    assert rules("-", text=ROBOT.encode()) == ALL
    run("arm.urdf", "--stdin-filename", "x.urdf", code=2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--select", "URDF"), {"missing-limit"}),
        (("--select", "URDF007,missing-mesh"), {"missing-limit", "missing-mesh"}),
        (("--select", "MDL", "--ignore", "missing-mesh"), ALL - {"missing-limit", "missing-mesh"}),
        (("--ignore", "URDF,MDL"), set()),
        (("--ignore", "MDL", "--select", "MDL031"), {"missing-mesh"}),
        (("--ignore", "ALL"), set()),
        (("--ignore", "ALL", "--select", "URDF"), {"missing-limit"}),
    ],
)
def test_the_most_specific_selector_decides(project: Path, options: Sequence[str], expected: set[str]) -> None:
    assert rules("arm.urdf", *options) == expected


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_rule_is_an_error(project: Path, option: str) -> None:
    assert "did you mean 'missing-mesh'" in run("arm.urdf", option, "mising-mesh", code=2).stderr


def test_configuration(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "vendor").mkdir()
    for folder in ("sub", "vendor"):
        shutil.copy("arm.urdf", folder)
    (project / "pyproject.toml").write_text(
        "[tool.ossature]\nignore = ['free-base', 'non-positive-mass', 'MDL034']\nexclude = ['vendor']\n"
        "[tool.ossature.per-file-ignores]\n'sub/*.urdf' = ['MDL']\n"
        "[tool.ossature.severities]\nMDL = 'note'\nmissing-mesh = 'error'\n"
    )
    found = {(each["file"], each["rule"], each["severity"]) for each in findings(".", code=1)}
    assert found == {
        ("arm.urdf", "missing-mesh", "error"),
        ("arm.urdf", "non-unit-axis", "note"),
        ("arm.urdf", "missing-limit", "warning"),
        ("sub/arm.urdf", "missing-limit", "warning"),
    }
    assert rules(".", "--isolated") == ALL
    assert rules("vendor/arm.urdf", code=1) == {"missing-mesh", "non-unit-axis", "missing-limit"}
    assert findings("vendor/arm.urdf", "--force-exclude") == []
    (project / "sub" / "ossature.toml").write_text("select = ['URDF']\nprofile = 'ros'\n")
    assert {(each["rule"], each["severity"]) for each in findings("sub", code=1)} == {("missing-limit", "error")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("selects = []", "did you mean 'select'"),
        ("select = 'URDF'", "not a list of strings"),
        ("ignore = ['nothing']", "there is no rule 'nothing'"),
        ("profile = 'moon'", "one of ros, sim, strict"),
        ("[severities]\nmissing-mesh = 'fatal'", "one of error, warning, note"),
        ("per-file-ignores = 1", "not a table"),
        ("[per-file-ignores]\na = 1", """'per-file-ignores."a"' is not a list"""),
        ("select = [", "ossature.toml"),
    ],
)
def test_an_invalid_configuration_is_an_error(project: Path, text: str, message: str) -> None:
    (project / "ossature.toml").write_text(text)
    assert message in run("arm.urdf", code=2).stderr


def test_a_project_file_with_an_error_of_syntax_is_not_ignored_if_it_configures_this_program(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.black\n")
    assert rules("arm.urdf") == ALL
    (project / "pyproject.toml").write_text("[tool.ossature]\nselect = ['URDF'\n")
    assert "pyproject.toml: Unclosed array" in run("arm.urdf", code=2).stderr


def test_notes_are_counted_and_kinds_are_grouped(project: Path) -> None:
    more = ROBOT.replace("</robot>", ROBOT.split("\n", 2)[2].replace('"hand"', '"tip"').replace('"elbow"', '"wrist"'))
    (project / "arm.urdf").write_text(more)
    output = run("arm.urdf").stdout
    assert output.count("warning[missing-mesh]") == 1
    assert "  and 1 more: line" in output
    assert "not shown without --notes: note[free-base]" in output
    assert ": note[free-base]: " in run("arm.urdf", "--notes").stdout
    assert run("arm.urdf", "--verbose").stdout.count("warning[missing-mesh]") == 2
    assert "warnings," not in run("arm.urdf", "--quiet").stdout
    assert "     2  MDL031   missing-mesh (warning)" in run("arm.urdf", "--statistics").stdout


def test_exit_zero(project: Path) -> None:
    run("arm.urdf", "--strict", code=1)
    run("arm.urdf", "--strict", "--exit-zero")


def test_a_baseline_accepts_all_findings_on_equal_lines(project: Path) -> None:
    joints = "".join(
        f'''<link name="{child}"/><joint name="{child}_joint" type="revolute"><parent link="base"/><child link="{child}"/>
        <limit effort="1" velocity="1"/>
        </joint>'''
        for child in ("left", "right")
    )
    (project / "arm.urdf").write_text(f'<robot name="arm"><link name="base"/>{joints}</robot>')
    run("arm.urdf", "--baseline", "accepted.json", "--update-baseline")
    assert findings("arm.urdf", "--baseline", "accepted.json") == []


def test_a_baseline_accepts_findings_until_their_lines_change(project: Path) -> None:
    run("arm.urdf", "--baseline", "accepted.json", code=2)
    run("arm.urdf", "--baseline", "accepted.json", "--update-baseline")
    assert findings("arm.urdf", "--baseline", "accepted.json") == []
    (project / "arm.urdf").write_text("<!-- moved -->\n" + ROBOT.replace("hand.stl", "arm.stl"))
    result = run("arm.urdf", "--baseline", "accepted.json", "--format", "json")
    assert [finding["rule"] for finding in json.loads(result.stdout)] == ["missing-mesh"]
    assert "1 findings of accepted.json do not exist any more" in result.stderr
    (project / "accepted.json").write_text("{}")
    assert "not a baseline" in run("arm.urdf", "--baseline", "accepted.json", code=2).stderr


def test_the_fingerprint_of_a_finding_stays_if_lines_are_inserted(project: Path) -> None:
    def prints() -> set[str]:
        (log,) = json.loads(run("arm.urdf", "--format", "sarif").stdout)["runs"]
        return {result["partialFingerprints"]["ossature/v1"] for result in log["results"]}

    before = prints()
    assert len(before) == len(findings("arm.urdf"))
    (project / "arm.urdf").write_text("\n\n" + ROBOT)
    assert prints() == before


def test_findings_end_after_what_they_are_about(project: Path) -> None:
    ends = {each["rule"]: (each["line"], each["column"], each["end_line"], each["end_column"]) for each in findings("arm.urdf")}
    assert ends["non-unit-axis"] == (6, 11, 6, 22)  # xyz="0 0 2"
    assert ends["missing-limit"] == (3, 3, 3, 39)  # the tag
    (annotation,) = [line for line in run("arm.urdf", "--format", "github").stdout.splitlines() if "non-unit-axis" in line]
    assert "line=6,col=11,endLine=6,endColumn=22" in annotation


def test_nothing_is_printed_for_a_workflow_without_findings(project: Path) -> None:
    assert run("arm.urdf", "--ignore", "ALL", "--format", "github").stdout == ""


def test_junit(project: Path) -> None:
    options = ("--ignore", "ALL", "--select", "URDF", "--format", "junit")
    (project / "fine.urdf").write_text(ROBOT.replace("revolute", "continuous"))
    root = ElementTree.fromstring(run("arm.urdf", "fine.urdf", *options).stdout)  # noqa: S314  # our own output
    assert [(suite.get("name"), [test.get("name") for test in suite]) for suite in root] == [
        ("arm.urdf", ["URDF007 missing-limit line 3"]),
        ("fine.urdf", ["no findings"]),
    ]
    assert len(root.findall(".//failure")) == int(root.get("failures", "")) == 1


# The cache


def checked(project: Path, *arguments: object) -> tuple[str, str]:
    """Return the output of two calls with one cache."""
    options = ("arm.urdf", "--cache-dir", project / "cache", *arguments)
    return run(*options).stdout, run(*options).stdout


@pytest.fixture
def forbid_checks(monkeypatch: pytest.MonkeyPatch) -> Any:
    def refuse(*_: object) -> Any:
        raise AssertionError("a file was checked")

    return lambda: monkeypatch.setattr(check_files, "_check", refuse)


def test_a_second_call_uses_the_cache(project: Path, forbid_checks: Any) -> None:
    formats = ("text", "json", "sarif", "github", "junit")
    first = [run("arm.urdf", "--cache-dir", "cache", "--format", name).stdout for name in formats]
    assert first == [run("arm.urdf", "--no-cache", "--format", name).stdout for name in formats]
    forbid_checks()
    assert first == [run("arm.urdf", "--cache-dir", "cache", "--format", name).stdout for name in formats]


@pytest.mark.parametrize("change", ["content", "mesh appears", "package appears", "options", "version"])
def test_the_cache_notices_a_change(project: Path, change: str, forbid_checks: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run("arm.urdf", "--cache-dir", "cache")
    options: list[str] = []
    if change == "content":
        (project / "arm.urdf").write_text(ROBOT + "\n")
    elif change == "mesh appears":
        (project / "hand.stl").write_text("solid\nendsolid\n")
    elif change == "package appears":
        (project / "package.xml").write_text("<package><name>arm</name></package>")
    elif change == "version":
        monkeypatch.setattr("ossature.assets.user_cache._PROGRAM", ["another one"])
    else:
        options = ["--meshes"]
    forbid_checks()
    with pytest.raises(AssertionError, match="a file was checked"):
        CliRunner().invoke(app, ["check", "arm.urdf", "--cache-dir", "cache", *options], catch_exceptions=False)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"key": 1}', b"\xff" * 100, b'{"key":"KEY","found":{},"digests":{},"record":X}']
)
@pytest.mark.parametrize(
    "record", [b"{}", b'{"rules":{},"findings":[["gone","note","m","",null,null,[]]]}', b'{"rules":[],"findings":3}']
)
def test_hostile_entries_are_no_entries(project: Path, content: bytes, record: bytes) -> None:
    expected = run("arm.urdf", "--cache-dir", "cache").stdout
    (entry,) = (project / "cache").iterdir()
    hostile = content.replace(b"KEY", entry.stem.encode()).replace(b"X", record)
    entry.write_bytes(zlib.crc32(hostile).to_bytes(4, "little") + hostile)
    assert run("arm.urdf", "--cache-dir", "cache").stdout == expected


def test_an_entry_that_is_a_pipe_is_not_read(project: Path) -> None:
    run("arm.urdf", "--cache-dir", "cache")
    (entry,) = (project / "cache").iterdir()
    entry.unlink()
    os.mkfifo(entry)
    run("arm.urdf", "--cache-dir", "cache")


def test_the_oldest_entries_are_removed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ossature.assets.user_cache._MOST_BYTES", 12_000)
    for number in range(8):
        (project / "arm.urdf").write_text(f"<!-- {number} -->{ROBOT}")
        run("arm.urdf", "--cache-dir", "cache")
    sizes = [path.stat().st_size for path in (project / "cache").iterdir()]
    assert 0 < sum(sizes) <= 12_000


def test_a_folder_that_cannot_be_used_is_reported(project: Path) -> None:
    assert "cannot be used as a cache" in run("arm.urdf", "--cache-dir", "arm.urdf").stderr


# Processes


def test_processes_return_the_same_in_the_same_order(project: Path) -> None:
    for number in range(9):
        (project / f"arm{number}.urdf").write_text(ROBOT.replace("arm", f"arm{number}"))
    alone = run(".", "--no-cache", "--jobs", 1, "--format", "json").stdout
    assert run(".", "--no-cache", "--jobs", 2, "--format", "json").stdout == alone


_CHECK = check_files._check


def _die(file: Path, options: CheckOptions) -> Any:
    if file.name == "deadly.urdf":
        os.kill(os.getpid(), signal.SIGKILL)
    return _CHECK(file, options)


def test_a_process_that_ends_is_a_finding(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [project / f"arm{number}.urdf" for number in range(8)] + [project / "deadly.urdf"]
    for file in files:
        file.write_text(ROBOT)
    monkeypatch.setattr(check_files, "_check", _die)
    cache = ResultCache(project / "cache")
    found = dict(check_files.check_files(files, CheckOptions(limits=Limits()), jobs=2, cache=cache))
    assert [finding.rule.name for finding in found[files[-1]]] == ["interrupted-check"]
    assert all({finding.rule.name for finding in found[file]} == ALL for file in files[:-1])


def test_files_are_checked_in_this_process_if_no_other_can_start(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise PermissionError("no interpreter")

    files = [project / f"arm{number}.urdf" for number in range(9)]
    for file in files:
        file.write_text(ROBOT)
    monkeypatch.setattr(check_files, "_submit", refuse)
    cache = ResultCache(project / "cache")
    found = dict(check_files.check_files(files, CheckOptions(limits=Limits()), jobs=2, cache=cache))
    assert all({finding.rule.name for finding in found[file]} == ALL for file in files)


# The page docs/linting.md

PAGE = (PROJECT / "docs" / "linting.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_configuration_of_the_page(project: Path) -> None:
    (project / "ossature.toml").write_text(block("toml"))
    (project / "tests").mkdir()
    shutil.copy("arm.urdf", "tests")
    found = {(each["file"], each["rule"], each["severity"]) for each in findings(".", code=1)}
    assert ("arm.urdf", "missing-mesh", "error") in found
    assert {(rule, severity) for file, rule, severity in found if file == "tests/arm.urdf"} == {("missing-limit", "error")}


def test_the_comments_of_the_page(project: Path) -> None:
    (project / "arm.urdf").write_text(block("xml"))
    assert rules("arm.urdf") <= {"missing-collision-shape", "non-positive-mass"}
    (project / "arm.urdf").write_text(re.sub("<!--.*?-->", "", block("xml")))
    assert {"free-base", "missing-limit", "non-unit-axis"} <= rules("arm.urdf")


def test_findings_in_an_included_file_are_reported_once(project: Path) -> None:
    (project / "arm.xml").write_text(
        '<mujoco><worldbody><body><joint name="j" range="1 2" limited="true"/><geom size="1"/></body></worldbody></mujoco>'
    )
    (project / "scene.xml").write_text('<mujoco><include file="arm.xml"/></mujoco>')
    (project / "keys.xml").write_text('<mujoco><keyframe><key name="home" qpos="0"/></keyframe></mujoco>')
    (project / "arm.urdf").unlink()
    found = findings(".")
    assert {Path(each["file"]).name for each in found} == {"arm.xml"}
    assert [each["rule"] for each in found].count("initial-position-outside-limits") == 1


def test_a_dialect_is_of_the_files_whose_format_has_it(project: Path) -> None:
    shutil.copy(PROJECT / "examples" / "arm.skel", project)
    shutil.copy(PROJECT / "examples" / "picker.dae", project)
    (project / "arm.urdf").unlink()
    assert rules(".", "--dialect", "openrave") <= {"computed-inertia"}
    assert "unknown dialect" in run("arm.skel", "--dialect", "opnrave", code=2).output


def test_an_expansion_of_a_template_cannot_be_fixed(project: Path) -> None:
    pytest.importorskip("xacrodoc")
    Path("arm.xacro").write_text(Path("arm.urdf").read_text())
    assert any(each["fix"] for each in findings("arm.urdf", code=0))
    expanded = findings("arm.xacro", "--xacro")
    assert "non-unit-axis" in {each["rule"] for each in expanded}
    assert [each["fix"] for each in expanded if each["fix"]] == []
