"""Each rule for URDF files has a file with exactly this finding, with a location."""

from __future__ import annotations

from pathlib import Path

import pytest

from ossature.diagnostics import Report, Severity, Source
from ossature.formats.urdf import read_urdf
from ossature.formats.urdf.rules import RULES as URDF_RULES
from ossature.model import Fixed, Prismatic, Range, Revolute, World

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def robot(inside: str, links: str = "ab") -> str:
    return '<robot name="r">' + "".join(f'<link name="{name}"/>' for name in links) + inside + "</robot>"


def joint(inside: str = LIMIT, kind: str = "revolute", parent: str = "a", child: str = "b", name: str = "j") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def visual(inside: str) -> str:
    return f'<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry>{inside}</visual></link></robot>'


RED, GREEN = '<color rgba="1 0 0 1"/>', '<color rgba="0 1 0 1"/>'

CASES = {
    "wrong-root-element": "<sdf/>",
    "xacro-file": robot('<xacro:macro name="leg"/>' + joint()),
    "xacro-leftover": visual('<material name="m"><color rgba="${grey} 1"/></material>'),
    "unsupported-encoding": robot(joint()),
    "blank-in-name": robot(joint(name="the joint")),
    "no-links": '<robot name="r"/>',
    "duplicate-name": robot(joint() + joint(child="c"), "abc"),
    "unknown-link": robot(joint(child="B")),
    "multiple-parents": robot(joint() + joint(name="k")),
    "kinematic-cycle": robot(
        joint() + joint(parent="b", child="c", name="k") + joint(parent="c", child="b", name="l"), "abc"
    ).replace('<parent link="a"/><child link="b"/>', '<parent link="c"/><child link="a"/>'),
    "multiple-roots": robot(joint(), "abc"),
    "undeclared-world-link": robot(joint(parent="world"), "b"),
    "unknown-joint": robot(joint(f'{LIMIT}<mimic joint="k"/>')),
    "unknown-joint-type": robot(joint("", "spherical")),
    "missing-limit": robot(joint("", "prismatic")),
    "zero-joint-range": robot(joint('<limit lower="0.5" effort="1" velocity="1"/>')),
    "zero-limit": robot(joint(LIMIT.replace('effort="1"', 'effort="0"'))),
    "non-unit-axis": robot(joint(LIMIT + '<axis xyz="1 1 0"/>')),
    "zero-axis": robot(joint(LIMIT + '<axis xyz="0 0 0"/>')),
    "ignored-element": robot(joint(LIMIT, "fixed")),
    "unknown-material": visual('<material name="blue"/>'),
    "duplicate-material": visual(f'<material name="m">{RED}</material>').replace(
        "<link", f'<material name="m">{GREEN}</material><link'
    ),
    "zero-quaternion": visual('<origin quat_xyzw="0 0 0 0"/>'),
    "passthrough-element": robot(joint() + '<ros2_control name="c" type="system"/>'),
    "unknown-element": robot(joint(LIMIT + '<dynamic damping="1"/>')),
    "misplaced-element": robot(joint(), "ab").replace('<link name="a"/>', '<link name="a"><sphere radius="1"/></link>'),
    "suspected-degrees": robot(joint(LIMIT + '<origin rpy="0 0 90"/>')),
    "unresolved-reference": robot(joint() + '<gazebo reference="c"/>'),
    "soft-limit-exceeds-hard-limit": robot(joint(LIMIT + '<safety_controller soft_upper_limit="1.5" k_velocity="1"/>')),
    "transmission-without-actuator": robot(joint() + '<transmission name="t"><joint name="j"/></transmission>'),
    "incomplete-inertia": robot(joint()).replace(
        '<link name="a"/>', '<link name="a"><inertial><mass value="1"/></inertial></link>'
    ),
    "free-base": robot(joint()),
    "missing-element": robot(joint().replace('<child link="b"/>', "")),
    "unknown-attribute": robot(joint(LIMIT + '<axis xzy="0 0 1"/>')),
    "invalid-number": robot(joint(LIMIT + '<axis xyz="0 0 one"/>')),
    "list-length-mismatch": robot(joint(LIMIT + '<axis xyz="0 0 0 1"/>')),
    "duplicate-element": robot(joint(LIMIT + LIMIT)),
}
ALONGSIDE = {"free-base", "passthrough-element"}
"""Notes about most files."""
CONSEQUENCES = {"xacro-leftover": {"unknown-material"}}
"""Findings that follow from others."""


def read(text: str, report: Report, encoding: str = "utf-8") -> World | None:
    return read_urdf(Source("robot.urdf", text.encode(encoding)), report)


@pytest.mark.parametrize("name", sorted(CASES))
def test_finding(name: str, report: Report) -> None:
    text = CASES[name]
    read(text, report, encoding="utf-16" if name == "unsupported-encoding" else "utf-8")
    (finding,) = report.take(name)
    assert finding.location is not None
    assert finding.location.line >= 1
    assert finding.message
    for other in (ALONGSIDE | CONSEQUENCES.get(name, set())) - {name}:
        report.take(other)


def test_every_rule_has_a_case() -> None:
    assert {rule.name for rule in URDF_RULES} - {"xacro-error"} <= set(CASES)  # templates: see test_xacro


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:leg/><link name="a"/></robot>',
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="${r}"/></geometry></visual></link></robot>',
        '<robot name="r"><link name="$(arg prefix)a"/></robot>',
    ],
)
def test_xacro_is_rejected(text: str, report: Report) -> None:
    assert read(text, report) is None
    (finding,) = report.take("xacro-file")
    assert finding.severity is Severity.ERROR
    assert "xacro" in (finding.hint or "")


def test_definitions_of_xacro_that_nothing_uses_are_removed(report: Report) -> None:
    definitions = '<xacro:arg name="side" default="left"/><xacro:property name="width" value="1"/>'
    world = read(f'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{definitions}<link name="a"/></robot>', report)
    assert world is not None
    assert len(list(report.take("xacro-leftover"))) == 2


def test_the_namespace_of_xacro_alone_is_not_a_template(report: Report) -> None:
    text = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><!-- ${gone} --><link name="a"/></robot>'
    assert read(text, report) is not None


def test_message_of_a_cycle_has_its_links(report: Report) -> None:
    read(
        robot(joint(child="b") + joint(parent="c", child="d", name="k") + joint(parent="d", child="c", name="l"), "abcd"),
        report,
    )
    (finding,) = report.take("kinematic-cycle")
    assert "c → d → c" in finding.message or "d → c → d" in finding.message
    report.take("free-base")


def test_joint_without_limits_is_unlimited(report: Report) -> None:
    world = read(robot(joint("", "revolute") + joint("", "prismatic", "b", "c", "k"), "abc"), report)
    assert world is not None
    turn, slide = world.models[0].joints
    assert (turn.type, slide.type) == (Revolute(axis=(1.0, 0.0, 0.0)), Prismatic(axis=(1.0, 0.0, 0.0)))
    assert turn.coordinates[0].position_limits == slide.coordinates[0].effort_limits == Range()
    assert len(report.take("missing-limit")) == 2
    report.take("free-base")


def test_link_without_inertial_is_massless(report: Report) -> None:
    world = read(robot(joint("", "fixed")), report)
    assert world is not None
    assert [body.inertial.mass for body in world.models[0].bodies] == [0.0, 0.0]
    report.take("free-base")


def test_fixed_joints_are_preserved(report: Report) -> None:
    world = read(robot(joint("", "fixed") + joint("", "fixed", "b", "c", "k"), "abc"), report)
    assert world is not None
    assert [type(joint.type) for joint in world.models[0].joints] == [Fixed, Fixed]
    assert len(world.models[0].bodies) == 3
    report.take("free-base")


def test_world_link(report: Report) -> None:
    for links in ('<link name="world"/><link name="b"/>', '<link name="b"/>'):
        world = read(f'<robot name="r">{links}{joint(parent="world")}</robot>', report)
        assert world is not None
        assert world.models[0].bodies.names() == ("b",)
        assert world.models[0].joints["j"].parent is None
    report.take("undeclared-world-link")
    ground = '<link name="world"><visual><geometry><box size="9 9 1"/></geometry></visual></link><link name="b"/>'
    world = read(f'<robot name="r">{ground}{joint(parent="world")}</robot>', report)
    assert world is not None
    assert world.models[0].joints["world_fixed"].type == Fixed()


def test_materials(report: Report) -> None:
    text = visual('<material name="m"/>').replace("</robot>", f'<material name="m">{RED}</material></robot>')
    world = read(text, report)
    assert world is not None
    assert world.models[0].bodies["a"].visuals[0].color == (1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(("source", "kind"), [("c", "fixed"), ("k", "fixed"), ("k", "floating"), ("k", "planar")])
def test_a_joint_that_mimics_no_joint_of_one_coordinate_is_independent(source: str, kind: str, report: Report) -> None:
    """As in Pinocchio and PyBullet: a leftover of an edited robot does not refuse it."""
    mimic = f'{LIMIT}<mimic joint="{source}"/>'
    other = joint("", kind, "b", "c", "k")
    world = read(robot(joint(mimic) + other, "abc"), report)
    assert world is not None
    assert world.models[0].joints["j"].coordinates[0].coupling is None
    (finding,) = report.take("unknown-joint")
    assert finding.severity == "warning"
    assert "moves independently" in finding.message
    assert report.take("free-base")


def test_a_shape_of_another_program_is_ignored_with_a_warning(report: Report) -> None:
    """As by the parser of ROS: PyBullet has planes, Drake ellipsoids."""
    visual = '<visual><geometry><plane normal="0 0 1"/></geometry></visual>'
    world = read(f'<robot name="r"><link name="a">{visual}</link></robot>', report)
    assert world is not None
    assert not world.models[0].bodies["a"].visuals
    (finding,) = report.take("missing-element")
    assert finding.severity == "warning"
    assert report.take("unknown-element")


def test_hint_for_an_empty_file(tmp_path: Path, report: Report) -> None:
    assert read("", report) is None
    (finding,) = report.take("malformed-xml")
    assert finding.hint == "the file is empty"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('<robot name="r"/>', "a robot has at least one <link name=…>"),
        ('<robot name="r"><deformable/></robot>', "; it has <deformable>, which is no part of a robot of links and joints"),
        ('<!-- | This document was autogenerated by xacro from arm.xacro | --><robot name="r"/>', "only defines macros"),
    ],
)
def test_files_without_links_are_explained(text: str, hint: str) -> None:
    report = Report()
    assert read_urdf(Source("robot.urdf", text.encode()), report) is None
    (finding,) = report.take("no-links")
    assert hint in (finding.hint or "")
