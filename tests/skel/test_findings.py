"""Each rule for SKEL files has a file with exactly this finding, with a location."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ossature
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.formats.skel.rules import RULES as SKEL_RULES
from ossature.model import Euler, World
from ossature.syntax.rules import RULES as SYNTAX_RULES

INERTIA = (
    "<inertia><mass>1</mass><moment_of_inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz>"
    "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia>"
)
BODY = f'<body name="b">{INERTIA}</body>'
WELD = '<joint type="weld" name="j"><parent>world</parent><child>b</child></joint>'
PHYSICS = "<physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>"


def skeleton(inside: str) -> str:
    return f'<skel version="1.0"><world name="w">{PHYSICS}<skeleton name="s">{inside}</skeleton></world></skel>'


def joint(inside: str, kind: str = "revolute") -> str:
    return skeleton(f'{BODY}<joint type="{kind}" name="j"><parent>world</parent><child>b</child>{inside}</joint>')


def geometry(inside: str) -> str:
    shape = f"<visualization_shape><geometry>{inside}</geometry></visualization_shape>"
    return skeleton(f'<body name="b">{INERTIA}{shape}</body>{WELD}')


AXIS = "<axis><xyz>0 0 1</xyz></axis>"

CASES = {
    "malformed-xml": "<skel><world></skel>",
    "misplaced-xml-declaration": ' <?xml version="1.0"?>' + joint(AXIS),
    "forbidden-entity": '<!DOCTYPE skel [<!ENTITY a "b">]><skel/>',
    "unknown-element": skeleton(BODY + WELD + "<colour/>"),
    "unknown-attribute": skeleton(BODY.replace('name="b"', 'name="b" nmae="c"') + WELD),
    "duplicate-element": skeleton(BODY + WELD + "<mobile>1</mobile><mobile>1</mobile>"),
    "deprecated-spelling": joint("<axis><xyz>0 0 1</xyz><damping>1</damping></axis>"),
    "missing-element": skeleton(BODY + WELD.replace("<parent>world</parent>", "") + WELD),
    "default-used": joint(""),
    "unexpected-text": skeleton(BODY + WELD + "what"),
    "invalid-number": joint(AXIS.replace("0 0 1", "0 0 one") + AXIS.replace("<axis>", "<axis>")[:0]),
    "list-length-mismatch": joint(AXIS.replace("0 0 1", "0 0 1 0")),
    "invalid-choice": joint(AXIS, "revolute").replace('type="revolute" name="j"', 'type="revolute" name="j" actuator="motor"'),
    "empty-file": f'<skel version="1.0"><world name="w">{PHYSICS}</world></skel>',
    "wrong-root-element": "<robot/>",
    "skeleton-without-world": f'<skel version="1.0"><skeleton name="s">{BODY}{WELD}</skeleton></skel>',
    "generated-name": skeleton(BODY + WELD.replace(' name="j"', "")),
    "renamed": skeleton(BODY + BODY.replace('"b"', '"c"') + WELD + WELD.replace("<child>b", "<child>c")),
    "duplicate-name": skeleton(BODY + BODY + WELD),
    "unknown-body": skeleton(BODY + WELD + WELD.replace("<child>b", "<child>nobody").replace('"j"', '"k"')),
    "multiple-parents": skeleton(BODY + WELD + WELD.replace('"j"', '"k"')),
    "joint-added": skeleton(BODY),
    "conflicting-values": skeleton(BODY + WELD + "<mobile>1</mobile><immobile>1</immobile>"),
    "ignored-element": joint(AXIS.replace("axis>", "axis2>"), "weld"),
    "ignored-by-dart": joint("<axis><xyz>0 0 1</xyz><limit><effort>3</effort></limit></axis>"),
    "assumed-inertia": skeleton(BODY.replace(INERTIA, "") + WELD),
    "computed-inertia": skeleton(BODY.replace(INERTIA, "<inertia><mass>1</mass></inertia>") + WELD),
    "zero-axis": joint(AXIS.replace("0 0 1", "0 0 0")),
    "non-unit-axis": joint(AXIS.replace("0 0 1", "0 0 2")),
    "suspected-degrees": joint("<transformation>0 0 0 0 0 90</transformation>" + AXIS),
    "non-orthogonal-axes": joint(
        '<plane type="arbitrary"><translation_axis1><xyz>1 0 0</xyz></translation_axis1>'
        "<translation_axis2><xyz>0.6 0.8 0</xyz></translation_axis2></plane>",
        "planar",
    ),
    "coordinate-count-mismatch": joint(AXIS + "<init_pos>1 2</init_pos>"),
    "unknown-coordinate": joint(AXIS + '<dof local_index="3"/>'),
    "force-on-free-joint": joint(
        '<transformation>1 0 0 0 0 0</transformation><dof local_index="4"><force initial="1"/></dof>', "free"
    ),
}

ELSEWHERE = {
    "unreadable-file": "it requires a file: tests/skel/test_invalid_input.py",
    **dict.fromkeys(
        (
            "malformed-yaml",
            "multiple-documents",
            "invalid-yaml-alias",
            "non-scalar-key",
            "duplicate-key",
            "unknown-key",
            "missing-element",
            "wrong-type",
        ),
        "for YAML: tests/syntax/test_yaml.py, tests/chrono/test_findings.py",
    ),
    "ignored-element": "SKEL has no such elements: tests/collada/test_findings.py",
}


def read(text: str, report: Report) -> World | None:
    return read_skel(Source("bad.skel", text.encode()), report)


def test_every_rule_has_a_case() -> None:
    names = {rule.name for rule in (*SYNTAX_RULES, *SKEL_RULES)}
    assert names == set(CASES) | set(ELSEWHERE)


@pytest.mark.parametrize("name", CASES)
def test_finding(name: str, report: Report) -> None:
    read(CASES[name], report)
    findings = report.take(name)
    assert len(findings) == 1, str(findings)
    location = findings[0].location
    assert location is not None
    assert location.line == 1
    assert location.column is not None


def test_valid_file_has_no_findings(report: Report) -> None:
    assert read(joint(AXIS), report) is not None


DEFAULTS = {
    "box": "<box/>",
    "sphere": "<sphere/>",
    "ellipsoid": "<ellipsoid/>",
    "cylinder": "<cylinder/>",
    "capsule": "<capsule/>",
    "cone": "<cone/>",
    "pyramid": "<pyramid/>",
    "plane": "<plane/>",
}


@pytest.mark.parametrize("shape", DEFAULTS)
def test_default_sizes_are_reported(shape: str, report: Report) -> None:
    world = read(geometry(DEFAULTS[shape]), report)
    assert world is not None
    assert report.take("default-used")


def test_location(report: Report) -> None:
    text = "\n".join(
        [
            '<?xml version="1.0"?>',
            '<skel version="1.0">',
            '  <world name="w"><physics><time_step>fast</time_step><gravity>0 0 -9.81</gravity></physics>',
            "  </world>",
            "</skel>",
        ]
    )
    read(text, report)
    (finding,) = report.take("invalid-number")
    assert str(finding.location) == "bad.skel:3:28"
    assert "'fast'" in finding.message
    report.take("empty-file")


def test_a_misspelt_element_gets_a_suggestion(report: Report) -> None:
    read(joint(AXIS.replace("</axis>", "<limits/></axis>")), report)
    (finding,) = report.take("unknown-element")
    assert finding.hint == "did you mean 'limit'?"


@pytest.mark.parametrize("number", ["nan", "0x10", "1_000", "1,5", "", "one", "--1", "1e", "٣x"])
def test_invalid_numbers(number: str, report: Report) -> None:
    read(skeleton(BODY.replace("<mass>1<", f"<mass>{number}<") + WELD), report)
    assert report.take("invalid-number")


def test_initial_positions_of_a_weld_joint_are_ignored(report: Report) -> None:
    world = read(joint("<init_pos>0.0</init_pos><init_vel>0</init_vel>", "weld"), report)
    assert world is not None
    assert [finding.message for finding in report.take("ignored-element")] == [
        "<init_pos> is ignored for a weld joint",
        "<init_vel> is ignored for a weld joint",
    ]


def test_infinity_is_valid_for_limits_only(report: Report) -> None:
    world = read(joint("<axis><xyz>0 0 1</xyz><limit><lower>-inf</lower><upper>inf</upper></limit></axis>"), report)
    assert world is not None
    read(joint("<axis><xyz>0 0 inf</xyz></axis>"), report)
    assert report.take("invalid-number")


class TestDocuments:
    """The examples of the published documents, unchanged."""

    def text(self, corpus: Path, name: str) -> str:
        return (corpus / "documents" / name).read_text()

    def test_newer_example(self, corpus: Path, report: Report) -> None:
        text = self.text(corpus, "skel-newer.md")
        example = text[text.index("<?xml") : text.rindex("</skel>") + len("</skel>")]
        world = read(example, report)
        assert world is not None
        assert report.take("computed-inertia")  # it states a mass, but no moments of inertia
        assert world.models["box skeleton"].bodies["box"].inertial.mass == 1.0

    def test_newer_outline(self, corpus: Path, report: Report) -> None:
        text = self.text(corpus, "skel-newer.md")
        outline = text[text.index("<skel version") : text.index("</skel>") + len("</skel>")]
        read(outline, report)  # its dots represent omitted content
        assert len(report.take("unexpected-text")) == 3
        for expected in ("default-used", "generated-name", "missing-element", "assumed-inertia", "joint-added"):
            assert report.take(expected), expected

    def test_older_hierarchy_is_not_a_file(self, corpus: Path, report: Report) -> None:
        text = self.text(corpus, "skel-older.md")
        hierarchy = text[text.index("<skel>") : text.index("## Details")]
        assert read(hierarchy, report) is None  # an outline without end tags
        assert report.take("malformed-xml")


def test_a_coordinate_without_index_is_reported_if_the_joint_has_several(report: Report) -> None:
    world = read(joint("<dof><damping>2</damping></dof>", "ball"), report)
    assert world is not None
    assert world.models[0].joints[0].coordinates[0].damping == 2.0
    (finding,) = report.take("default-used")
    assert "local_index" in finding.message
    assert read(joint(AXIS + "<dof><damping>2</damping></dof>"), report) is not None
    assert not report.take("default-used")


def test_messages_about_joints_without_a_name() -> None:
    report = Report()
    nameless = '<joint type="revolute"><parent>world</parent><child>b</child></joint>'
    read(skeleton(BODY + nameless + nameless.replace(">b<", ">c<") + nameless), report)
    assert "None" not in " ".join(finding.message for finding in report)


@pytest.mark.parametrize(("given", "word"), [("Revolute", "revolute"), (" revolute ", "revolute")])
def test_joint_types_that_dart_does_not_know_are_reported(given: str, word: str, report: Report) -> None:
    assert read(joint(AXIS, given), report) is not None
    (finding,) = report.take("deprecated-spelling")
    assert f"is read as '{word}'" in finding.message
    assert finding.fix is not None


def test_actuators_that_dart_does_not_know_are_reported(report: Report) -> None:
    assert read(joint(AXIS).replace('name="j"', 'name="j" actuator="SERVO"'), report) is not None
    (finding,) = report.take("deprecated-spelling")
    assert "'SERVO'" in finding.message


PLANE = '<plane type="zx"/>'


@pytest.mark.parametrize(
    ("kind", "inside", "stated", "given"),
    [
        ("euler", "<axis_order>zyx</axis_order>", ">zyx<", ">ZYX<"),
        ("euler", "<axis_order>zyx</axis_order>", ">zyx<", "> zyx <"),
        ("planar", PLANE, '"zx"', '"ZX"'),
        ("planar", PLANE, '"zx"', '" zx"'),
        ("weld", "", "<parent>world<", "<parent> world <"),
        ("weld", "", "<child>b<", "<child>\nb<"),
    ],
)
def test_words_that_dart_reads_otherwise_are_reported(kind: str, inside: str, stated: str, given: str, report: Report) -> None:
    text = joint(inside, kind)
    expected = read(text, report)
    found = read(text.replace(stated, given), report)
    assert expected is not None
    assert found is not None
    assert found.models[0].joints[0] == expected.models[0].joints[0]
    (finding,) = report.take("deprecated-spelling")
    assert "DART" in (finding.hint or "")
    given_text = text.replace(stated, given)
    if finding.fix is None:
        assert ">" in stated
        return
    (edit,) = finding.fix.edits
    assert given_text[: edit.start] + edit.text + given_text[edit.stop :] == text


def test_a_missing_axis_order_is_reported(report: Report) -> None:
    world = read(joint("", "euler"), report)
    assert world is not None
    assert world.models[0].joints[0].type == Euler(order="xyz")
    (finding,) = report.take("default-used")
    assert "axis_order" in finding.message


@pytest.mark.parametrize(("shape", "hinted"), [("<pyramid/>", True), ("<box/>", False)])
def test_a_moment_computed_for_a_pyramid_names_the_one_of_dart(shape: str, hinted: bool, report: Report) -> None:
    visual = f"<visualization_shape><geometry>{shape}</geometry></visualization_shape>"
    inertia = "<inertia><mass>1</mass></inertia>"
    assert read(skeleton(f'<body name="b">{inertia}{visual}</body>{WELD}'), report) is not None
    (finding,) = report.take("computed-inertia")
    assert ("unit moments" in (finding.hint or "")) is hinted
    report.take("default-used")


JOINT_TYPES = ("weld", "revolute", "prismatic", "screw", "ball", "translational", "planar", "free")
LOAD = """import sys, dartpy
world = dartpy.utils.SkelParser.readWorld("file://" + sys.argv[1])
print("read" if world.getSkeleton(0).getNumBodyNodes() == 1 else "not read")
"""


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_joint_types_that_dart_does_not_read_are_reported(kind: str, report: Report, tmp_path: Path) -> None:
    pytest.importorskip("dartpy")
    plane = '<plane type="xy"/>' if kind == "planar" else ""
    path = tmp_path / "joint.skel"
    path.write_text(joint(plane + AXIS * (kind in ("revolute", "prismatic", "screw")), kind))
    # A process of its own: DART accesses a skeleton without bodies, and ends it.
    done = subprocess.run([sys.executable, "-c", LOAD, str(path)], capture_output=True, text=True, check=False)
    world = read(path.read_text(), report)
    assert world is not None
    assert bool(report.take("ignored-by-dart")) is (done.stdout.strip() != "read")
    ledger = ossature.save(world, tmp_path / "again.skel")
    assert any("DART" in entry.detail for entry in ledger) is (done.stdout.strip() != "read")
