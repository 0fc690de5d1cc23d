"""Mistakes in files of SKEL, Chrono and COLLADA: each is found, with its line and a message that names what is wrong.

Those of URDF are in ``tests/urdf/test_finding_locations.py``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from conftest import PROJECT

ARM, CRANK, PICKER = "arm.skel", "slider_crank.yaml", "picker.dae"
MISTAKES = [
    ("gravity in centimetres", ARM, "0 0 -9.81", "0 0 -981", "large-gravity", "gravity is 981 m/s²"),
    ("time step in milliseconds", ARM, "<time_step>0.001", "<time_step>0.5", "large-time-step", "the time step is 0.5 s"),
    ("misspelt start tag", ARM, "<gravity>", "<gravty>", "malformed-xml", "mismatched tag"),
    ("negative mass", ARM, "<mass>2<", "<mass>-2<", "non-positive-mass", "body 'shoulder' has a mass of -2 kg"),
    ("decimal comma", ARM, "<mass>2<", "<mass>2,5<", "invalid-number", "<mass> is '2,5', not a number"),
    ("moment in other units", ARM, "<ixx>0.004", "<ixx>4000", "implausible-inertia", "radius of gyration of 44.7 m"),
    ("moments that no body has", ARM, "<ixx>0.004", "<ixx>1", "inertia-violates-triangle-inequality", "0.004, 0.004 and 1 kg"),
    ("negative radius", ARM, "<radius>0.07", "<radius>-0.07", "non-positive-size", "a sphere has the size -0.07 m"),
    ("misspelt element", ARM, "<radius>0.07</radius>", "<raduis>0.07</raduis>", "unknown-element", "unknown element <raduis>"),
    ("missing number", ARM, "0.09 0.05 0.08", "0.09 0.05", "list-length-mismatch", "<size> has 2 numbers"),
    (
        "position without angles",
        ARM,
        "0.02 0 0.82 0 0 0",
        "0.02 0 0.82",
        "list-length-mismatch",
        "<transformation> has 3 numbers",
    ),
    (
        "misspelt child",
        ARM,
        "<child>forearm",
        "<child>forarm",
        "unknown-body",
        "joint 'elbow' refers to the unknown body 'forarm'",
    ),
    ("misspelt parent", ARM, "<parent>forearm", "<parent>foerarm", "unknown-body", "refers to the unknown body 'foerarm'"),
    ("misspelt type", ARM, '"prismatic"', '"prismatc"', "invalid-choice", "attribute 'type' is 'prismatc'"),
    (
        "axis that is no unit vector",
        ARM,
        "<xyz>0 1 0",
        "<xyz>0 1 1",
        "non-unit-axis",
        "<axis> of joint 'lift' has length 1.41421",
    ),
    (
        "reversed limits",
        ARM,
        "<lower>-1.9</lower><upper>1.9",
        "<lower>1.9</lower><upper>-1.9",
        "reversed-limits",
        "the position limits of joint 'lift' are reversed: 1.9 to -1.9",
    ),
    ("limits in degrees", ARM, "<upper>1.9", "<upper>109", "suspected-degrees", "joint 'lift' is limited to 109 rad"),
    ("copied name", ARM, '<body name="hand">', '<body name="forearm">', "duplicate-name", "duplicate body 'forearm'"),
    ("start outside the limits", ARM, "<init_pos>0.9", "<init_pos>2.9", "initial-position-outside-limits", "starts at 2.9"),
    ("negative damping", ARM, "<damping>0.5", "<damping>-0.5", "negative-damping-or-stiffness", "of joint 'elbow' is -0.5"),
    ("negative mass", CRANK, "mass: 0.8", "mass: -0.8", "non-positive-mass", "body 'crank' has a mass of -0.8 kg"),
    ("misspelt key", CRANK, "mass: 0.8", "mas: 0.8", "unknown-key", "unknown key 'mas'"),
    (
        "moments that no body has",
        CRANK,
        "0.0005, 0.006, 0.006",
        "0.0005, 0.06, 0.006",
        "inertia-violates-triangle-inequality",
        "'crank'",
    ),
    ("negative radius", CRANK, "radius: 0.02", "radius: -0.02", "value-out-of-range", "'radius' is negative"),
    ("misspelt type", CRANK, "REVOLUTE, body1", "REVOLUT, body1", "invalid-choice", "'type' is 'REVOLUT'"),
    ("misspelt body", CRANK, "body2: rod,", "body2: rodd,", "unknown-body", "'pin' refers to the unknown body 'rodd'"),
    ("axis without direction", CRANK, "axis: [0, 1, 0]}", "axis: [0, 0, 0]}", "zero-axis", "'axis' of 'pin' is zero"),
    (
        "missing number",
        CRANK,
        "location: [0.75, 0, 0]",
        "location: [0.75, 0]",
        "list-length-mismatch",
        "'location' has 2 numbers",
    ),
    (
        "negative stiffness",
        CRANK,
        "spring_coefficient: 120",
        "spring_coefficient: -120",
        "negative-damping-or-stiffness",
        "'spring' is -120",
    ),
    ("copied name", CRANK, "- name: slider\n", "- name: rod\n", "duplicate-name", "duplicate name 'rod'"),
    ("word that is no truth value", CRANK, "fixed: true", "fixed: maybe", "invalid-choice", "neither true nor false"),
    (
        "two points in a number",
        CRANK,
        "free_length: 0.6",
        "free_length: 0.6.1",
        "invalid-number",
        "'free_length' is '0.6.1', not a number",
    ),
    ("singular for plural", CRANK, "  motors:\n", "  motor:\n", "unknown-key", "unknown key 'motor' in 'model'"),
    ("wrong indentation", CRANK, "      spindle:", "     spindle:", "malformed-yaml", "did not find expected"),
    ("misspelt joint", PICKER, '"kmodel1/joint3"', '"kmodel1/joint33"', "unknown-joint", "there is no joint 'kmodel1/joint33'"),
    ("negative mass", PICKER, "<mass>3<", "<mass>-3<", "non-positive-mass", "body 'turret' has a mass of -3 kg"),
    (
        "moments that no body has",
        PICKER,
        "0.025625 0.025625 0.02",
        "0.025625 0.025625 0.2",
        "inertia-violates-triangle-inequality",
        "body 'turret' has the principal moments",
    ),
    ("word that is no truth value", PICKER, "<dynamic>true", "<dynamic>yes", "invalid-choice", "<dynamic> is 'yes'"),
    (
        "misspelt shape",
        PICKER,
        '#g1_link1_geom0"/>\n            <translate',
        '#g1_link1_gem0"/>\n            <translate',
        "unresolved-reference",
        "'#g1_link1_gem0' refers to no Geometry",
    ),
    ("misspelt axis", PICKER, '"kmodel1/joint0/axis0"', '"kmodel1/joint0/axis9"', "unresolved-binding", "refers to no axis"),
    ("two points in a number", PICKER, "0 0 0.375", "0 0 0.3.75", "invalid-number", "'0.3.75', not a number"),
    ("misspelt attribute", PICKER, 'sid="link4" name=', 'sid="link4" nmae=', "unknown-attribute", "unknown attribute 'nmae'"),
    (
        "unit that is no number",
        PICKER,
        '<unit name="meter"/>',
        '<unit name="meter" meter="zero"/>',
        "invalid-number",
        "not a valid unit",
    ),
    ("misspelt element", PICKER, "<mass>2.5</mass>", "<mas>2.5</mas>", "unknown-element", "unknown element <mas>"),
]
"""Name, file, text, the mistake, the rule, and a part of the message. The finding is on the line of the mistake."""


@pytest.mark.parametrize(("name", "file", "right", "wrong", "rule", "message"), MISTAKES, ids=lambda value: str(value)[:30])
def test_a_mistake_is_found(name: str, file: str, right: str, wrong: str, rule: str, message: str, tmp_path: Path) -> None:
    text = (PROJECT / "examples" / file).read_text(encoding="utf-8")
    at = text.index(right)
    path = tmp_path / file
    path.write_text(text[:at] + wrong + text[at + len(right) :], encoding="utf-8")
    first = text.count("\n", 0, at + len(wrong) - len(wrong.lstrip())) + 1
    found = [finding for finding in ossature.check(path) if finding.rule.name == rule]
    assert [message for finding in found if message in finding.message], [finding.message for finding in found]
    lines = [finding.location.line for finding in found if finding.location is not None]
    assert first in lines, (first, lines)


def test_there_are_enough() -> None:
    assert len(MISTAKES) >= 40
    assert len({(name, file) for name, file, *_ in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize(
    ("limit", "is_suspected"), [("90", True), ("355", True), ("31.415", False), ("31.41592653589793", False)]
)
def test_several_turns_are_no_degrees(limit: str, is_suspected: bool, tmp_path: Path) -> None:
    text = (PROJECT / "examples" / ARM).read_text(encoding="utf-8")
    path = tmp_path / ARM
    path.write_text(text.replace("<lower>-1.9</lower><upper>1.9", f"<lower>-{limit}</lower><upper>{limit}"), encoding="utf-8")
    assert is_suspected is any(finding.rule.name == "suspected-degrees" for finding in ossature.check(path))
