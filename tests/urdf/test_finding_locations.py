"""Mistakes in a robot without findings: each finding has the line and column of the attribute that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from ossature.assets import MeshStore
from ossature.diagnostics import Report

ARM = Path(__file__).parent / "files" / "arm.urdf"
EXPECTED_NOTES = {"free-base", "passthrough-element"}
MISTAKES = [
    ('mass value="2"', 'mass value="-2"', "non-positive-mass", "value="),
    ('mass value="2"', 'mass value="0"', "non-positive-mass", "value="),
    ('mass value="2"', 'mass value="two"', "invalid-number", "value="),
    ('mass value="2"', 'mass val="2"', "unknown-attribute", "val="),
    ('ixx="0.0275"', 'ixx="-0.0275"', "inertia-not-positive-definite", "ixx="),
    ('izz="0.0017"', 'izz="0.5"', "inertia-violates-triangle-inequality", "izz="),
    ('izz="0.0008"', 'izz="0"', "zero-principal-moment", "izz="),
    (
        'ixx="0.0275" ixy="0" ixz="0" iyy="0.0275" iyz="0" izz="0.0017"',
        'ixx="27500" ixy="0" ixz="0" iyy="27500" iyz="0" izz="1700"',
        "implausible-inertia",
        "ixx=",
    ),
    (
        'ixx="0.0275" ixy="0" ixz="0" iyy="0.0275" iyz="0" izz="0.0017"',
        'ixx="0.0000275" ixy="0" ixz="0" iyy="0.0000275" iyz="0" izz="0.0000017"',
        "implausible-inertia",
        "ixx=",
    ),
    (
        'ixx="0.0079" ixy="0" ixz="0" iyy="0.0079" iyz="0" izz="0.0008"',
        'ixx="7.9" ixy="0" ixz="0" iyy="7.9" iyz="0" izz="0.8"',
        "implausible-inertia",
        "ixx=",
    ),
    ('mass value="2"', 'mass value="2000"', "implausible-density", "value="),
    ('mass value="1"', 'mass value="0.001"', "implausible-density", "value="),
    ('box size="0.1 0.1 0.4"', 'box size="0.1 0 0.4"', "non-positive-size", "size="),
    ('cylinder radius="0.04" length="0.3"', 'cylinder radius="-0.04" length="0.3"', "non-positive-size", "radius="),
    ('cylinder radius="0.04" length="0.3"', 'cylinder radius="0.04" length="0"', "non-positive-size", "length="),
    ('rgba="0.5 0.5 0.5 1"', 'rgba="0.5 0.5 0.5"', "list-length-mismatch", "rgba="),
    ('filename="hand.obj"', 'filename="hnad.obj"', "missing-mesh", "filename="),
    ('scale="0.001 0.001 0.001"', 'scale="1 1 1"', "implausible-mesh-scale", "scale="),
    ('scale="0.001 0.001 0.001"', 'scale="0.001 0.001"', "list-length-mismatch", "scale="),
    ('material name="grey"/', 'material name="gray"/', "unknown-material", "name="),
    ('lower="-1.5" upper="1.5"', 'lower="1.5" upper="-1.5"', "reversed-limits", "lower="),
    ('lower="-1.5" upper="1.5"', 'lower="-90" upper="90"', "suspected-degrees", "upper="),
    ('lower="-2" upper="2"', 'lower="0.5" upper="2"', "initial-position-outside-limits", "lower="),
    ('lower="-2" upper="2"', 'lower="-2" upper="-1"', "initial-position-outside-limits", "upper="),
    ('effort="100"', 'effort="0"', "zero-limit", "effort="),
    ('damping="0.5"', 'damping="-0.5"', "negative-damping-or-stiffness", "damping="),
    ('friction="0.1"', 'friction="-0.1"', "negative-damping-or-stiffness", "friction="),
    ('axis xyz="0 1 0"', 'axis xyz="0 0 0"', "zero-axis", "xyz="),
    ('axis xyz="0 1 0"', 'axis xyz="0 1 1"', "non-unit-axis", "xyz="),
    ('axis xyz="0 1 0"', 'axis xzy="0 1 0"', "unknown-attribute", "xzy="),
    ('mimic joint="elbow"', 'mimic joint="elbo"', "unknown-joint", "joint="),
    ('multiplier="0.5" offset="0.1"', 'multiplier="5" offset="0.1"', "unreachable-coupled-position", "multiplier="),
    ('child link="fore"', 'child link="foer"', "unknown-link", "link="),
    ('parent link="upper"', 'parent link="upp"', "unknown-link", "link="),
    ('joint name="elbow" type="revolute"', 'joint name="elbow" type="revolut"', "unknown-joint-type", "type="),
    ('joint name="elbow" type', 'joint name="shoulder" type', "duplicate-name", "name="),
    ('link name="fore">', 'link name="upper">', "duplicate-name", "name="),
    ('origin xyz="0 0 0.4" rpy="0 0 0"', 'origin xyz="0 0 0.4" rpy="0 0 90"', "suspected-degrees", "rpy="),
    ('origin xyz="0 0 0.4" rpy', 'origin xyz="0 0 400" rpy', "implausible-distance", "xyz="),
    (
        'origin xyz="0 0 0.2" rpy="0 0 0"/>\n      <geometry>\n        <box',
        'origin xyz="0 0 200" rpy="0 0 0"/>\n      <geometry>\n        <box',
        "implausible-distance",
        "xyz=",
    ),
    (
        'origin xyz="0 0 0.15" rpy="0 0 0"/>\n      <mass',
        'origin xyz="0 0 150" rpy="0 0 0"/>\n      <mass',
        "implausible-distance",
        "xyz=",
    ),
    ('soft_upper_limit="1.4"', 'soft_upper_limit="1.8"', "soft-limit-exceeds-hard-limit", "soft_upper_limit="),
    ('soft_lower_limit="-1.4"', 'soft_lower_limit="-80"', "soft-limit-exceeds-hard-limit", "soft_lower_limit="),
    ('<joint name="shoulder">', '<joint name="shouldr">', "unresolved-reference", "name="),
    ('mass value="2"', 'mass value="nan"', "invalid-number", "value="),
    ('lower="-2"', 'lower="nan"', "invalid-number", "lower="),
    ('xyz="0 0 0.4"', 'xyz="0 0 inf"', "invalid-number", "xyz="),
]
"""What is replaced by what, the rule, and the text at which its finding begins, which is at or after the replaced text."""


def findings(file: Path) -> Report:
    world, report = ossature.read(file)
    if world is not None:
        ossature.check(world, report=report, meshes=MeshStore.of(world), open_meshes=True)
    return report


def test_the_robot_has_no_findings() -> None:
    assert {finding.rule.name for finding in findings(ARM)} == EXPECTED_NOTES


@pytest.mark.parametrize(("before", "after", "rule", "start"), MISTAKES)
def test_a_finding_has_the_location_of_its_attribute(before: str, after: str, rule: str, start: str, tmp_path: Path) -> None:
    text = ARM.read_text()
    at = text.index(before)
    mistaken = text[:at] + after + text[at + len(before) :]
    (tmp_path / "hand.obj").write_bytes((ARM.parent / "hand.obj").read_bytes())
    (tmp_path / "arm.urdf").write_text(mistaken)
    expected = mistaken.index(start, at)
    line = mistaken.count("\n", 0, expected) + 1
    column = expected - mistaken.rfind("\n", 0, expected)
    places = [finding.location for finding in findings(tmp_path / "arm.urdf") if finding.rule.name == rule]
    assert (line, column) in [(place.line, place.column) for place in places if place is not None]
