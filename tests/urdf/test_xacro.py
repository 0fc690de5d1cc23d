"""xacro templates: refused unless asked for, and expanded with xacrodoc."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ossature.cli.app import app
from ossature.diagnostics import Report, Source
from ossature.formats.urdf import read_urdf
from ossature.formats.urdf.xacro_expansion import read_template

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


def write_packages(folder: Path, *, with_manifest: bool) -> Path:
    """Write a template that includes a file of its own package and one of another package, and return it."""
    pytest.importorskip("xacrodoc")
    for name in ("robot_pkg", "parts_pkg"):
        (folder / name / "urdf").mkdir(parents=True)
        if with_manifest:
            (folder / name / "package.xml").write_text(f"<package><name>{name}</name></package>")
    header = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    (folder / "parts_pkg" / "urdf" / "part.xacro").write_text(f'{header}<xacro:property name="part" value="arm"/></robot>')
    (folder / "robot_pkg" / "urdf" / "own.xacro").write_text(f'{header}<xacro:property name="mass" value="${{1/4}}"/></robot>')
    robot = folder / "robot_pkg" / "urdf" / "robot.xacro"
    robot.write_text(
        f'{header}<xacro:include filename="$(find robot_pkg)/urdf/own.xacro"/>'
        '<xacro:include filename="$(find parts_pkg)/urdf/part.xacro"/>'
        '<link name="${part}"><inertial><mass value="${mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link></robot>"
    )
    return robot


@pytest.mark.parametrize("with_manifest", [True, False])
@pytest.mark.parametrize("source", ["option", "OSSATURE_PATH", "AMENT_PREFIX_PATH"])
def test_packages_are_found_as_those_of_meshes(
    source: str, with_manifest: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = write_packages(tmp_path / "share", with_manifest=with_manifest)
    if source != "option":
        monkeypatch.setenv(source, str(tmp_path / "share" if source == "OSSATURE_PATH" else tmp_path))
    options = ("--search-path", str(tmp_path / "share")) if source == "option" else ()
    code, output = run("info", robot, "--xacro", *options)
    assert code == 0, output
    assert "0.25 kg" in output


def test_a_package_that_is_not_found(tmp_path: Path) -> None:
    code, output = run("check", write_packages(tmp_path, with_manifest=True), "--xacro")
    assert code == 1
    assert output.count("Package not found: parts_pkg") == 1
    assert "--search-path" in output
    assert "--xacro-arg" not in output


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<link name="$(arg q)"/>', "Undefined substitution argument: q;"),
        ('<xacro:include filename="none.xacro"/>', "No such file or directory: {folder}/none.xacro; when processing file"),
        ('<link name="${foo}"/>', "name 'foo' is not defined; when evaluating expression 'foo'; when processing file"),
        (
            '<xacro:macro name="m" params="a"><link name="${a/0}"/></xacro:macro><xacro:m a="1"/>',
            "when instantiating macro: m ({folder}/r.xacro); in file: {folder}/r.xacro",
        ),
        (
            '<xacro:property name="p" value="${q}"/><xacro:property name="q" value="${p}"/><link name="${p}"/>',
            "circular variable definition: p -> q -> p; ",
        ),
    ],
)
def test_errors_state_reason_and_place_once(content: str, message: str, tmp_path: Path) -> None:
    pytest.importorskip("xacrodoc")
    robot = tmp_path / "r.xacro"
    robot.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{content}</robot>')
    code, output = run("check", robot, "--xacro")
    assert code == 1
    assert output.count(message.format(folder=tmp_path)) == 1
    assert "<class" not in output
    assert "\\n" not in output


ODD = """<robot name="$(arg robot)" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="robot" default="odd"/>
  <xacro:arg name="flag" default="1"/>
  <xacro:property name="a" value="1"/>
  <xacro:property name="data" value="${xacro.load_yaml('data.yaml')}"/>
  <xacro:property name="shape"><sphere radius="${a + 1}"/></xacro:property>
  <xacro:macro name="part" params="name a:=^|7 size:=${2*a} *origin **body">
    <link name="${name}$${a}_$$(arg flag)_${a}"><visual><xacro:insert_block name="origin"/>
      <geometry><xacro:insert_block name="body"/></geometry></visual></link>
    <joint name="${name}_joint" type="fixed"><parent link="base"/><child link="${name}$${a}_$$(arg flag)_${a}"/>
      <origin xyz="${size} ${-size} 0"/></joint>
  </xacro:macro>
  <link name="base"><xacro:if value="$(arg flag)"><visual><geometry><xacro:insert_block name="shape"/></geometry></visual>
    </xacro:if><xacro:unless value="${False}"><inertial><mass value="${data.mass[1]}"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></xacro:unless></link>
  <xacro:part name="first"><origin xyz="1 2 3"/><body><box size="1 2 ${sum([1, a])}"/></body></xacro:part>
  <xacro:property name="a" value="${a * 0.5}" lazy_eval="false"/>
  <xacro:part name="second" a="4" size="9"><origin/><body><sphere radius="${a}"/></body></xacro:part>
  <xacro:property name="macro_name" value="part"/>
  <xacro:call macro="${macro_name}" name="third"><origin xyz="${' '.join(map(str, range(3)))}"/>
    <body><sphere radius="${pi}"/></body></xacro:call>
</robot>
"""


def test_an_expansion_is_that_of_xacro(tmp_path: Path) -> None:
    """Also ``$${a}`` and ``$$(arg flag)``, which are the literal texts ``${a}`` and ``$(arg flag)``."""
    xacro = pytest.importorskip("xacro")
    (tmp_path / "data.yaml").write_text("mass: [1, 2.5]\n")
    path = tmp_path / "odd.urdf.xacro"
    path.write_text(ODD.replace("sum([1, a])", "max(2, a)"))
    text = xacro.process_file(str(path), mappings={"robot": "r"}).toxml()
    escaped = read_urdf(Source("odd.urdf", text.replace("$", "dollar").encode()), Report())
    world = read_template(path, {"robot": "r"}, Report())
    assert world is not None
    assert escaped is not None
    model, expected = world.models[0], escaped.models[0]
    assert [body.name.replace("$", "dollar") for body in model.bodies] == list(expected.bodies.names())
    assert "first${a}_$(arg flag)_1" in model.bodies.names()
    for body, other in zip(model.bodies, expected.bodies, strict=True):
        assert (body.inertial, body.pose) == (other.inertial, other.pose)
        assert [each.geometry for each in body.visuals] == [each.geometry for each in other.visuals]


HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
MACRO = '<xacro:macro name="m" params="x">\n  <link name="${x.name}"/>\n</xacro:macro>\n'


@pytest.mark.parametrize(
    ("content", "place", "hint"),
    [
        (f'{MACRO}<xacro:m x="3"/>', "robot.xacro:3:15: error", "correct the template"),
        ('<link name="a"/>\n  <xacro:none/>', "robot.xacro:3:3: error", "correct the template"),
        (f"{MACRO}  <xacro:m/>", "robot.xacro:5:3: error", "correct the template"),
        (f'{MACRO}  <xacro:m x="1" y="2"/>', "robot.xacro:5:3: error", "correct the template"),
        ('<link name="$(arg q)"/>', "robot.xacro:2:13: error", "--xacro-arg"),
        ('<xacro:include filename="part.xacro"/>', "part.xacro:2:3: error", "correct the template"),
        (MACRO.replace("<link", '<xacro:m x="${x}"/><link') + '<xacro:m x="1"/>', "robot.xacro:1:1: error", "calls itself"),
        ('<link name="\xe9"/>', "robot.xacro:1:1: error", "save the file as UTF-8"),
    ],
)
def test_places_of_errors(content: str, place: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xacrodoc")
    monkeypatch.chdir(tmp_path)
    Path("part.xacro").write_text("<robot>\n</link>")
    Path("robot.xacro").write_text(f"{HEAD}{content}</robot>", encoding="latin-1")
    code, output = run("check", "robot.xacro", "--xacro")
    assert code == 1
    assert place in output
    assert hint in output
    assert ("robot.xacro:5:1: the macro is called here" in output) == ("x.name" in output)
