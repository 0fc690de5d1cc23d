"""Every finding of the YAML binder and the Chrono reader: made by a small file, with its line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report, Source
from ossature.formats.chrono import read_chrono
from ossature.formats.chrono.rules import RULES as CHRONO_RULES
from ossature.syntax.rules import RULES as SYNTAX_RULES

HINGE = "- {name: j, type: REVOLUTE, body1: b, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}"
SPRING = "- {name: s, body1: b, body2: ground, point1: [0, 0, 0], point2: [1, 0, 0], free_length: 1, spring_coefficient: 5}"
MOTOR = (
    "- {name: m, type: ROTATION, body1: b, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], actuation_type: POSITION,"
    " actuation_function: {type: CONSTANT, value: 0}}"
)


def joint(old: str, new: str) -> str:
    return text(joints=HINGE.replace(old, new))


def spring(old: str, new: str) -> str:
    return text(tsdas=SPRING.replace(old, new))


def motor(old: str, new: str) -> str:
    return text(motors=MOTOR.replace(old, new))


def of_body(more: str) -> str:
    return text(GROUND, body("b", more=more))


CONTACT = "contact: {materials: [{name: steel}], shapes: [{type: SPHERE, material: steel, radius: 1, location: [0, 0, 0]}]}"
BUSHING = "bushing_data: {stiffness_linear: 1, damping_linear: 1, stiffness_rotational: 1, damping_rotational: 1}"
YOUNG = CONTACT.replace("steel}", "steel, properties: {§Youngs_modulus: 1, Poisson_ratio: 0.3}}", 1)
ROD = "- §{name: c, type: REVOLUTE-SPHERICAL, body1: b, body2: ground, point1: [0, 0, 0], point2: [0, 0, 1]}"
WHOLE_JOINT = HINGE.replace("{", "§{")
CASES: dict[str, list[str]] = {
    "unknown-key": [of_body("§lin_vel: [1, 0, 0]"), joint("}", ", §axes: [1, 0, 0]}")],
    "missing-element": [
        text("    - §{name: b, location: [0, 0, 0], mass: 1}"),
        text(joints=WHOLE_JOINT.replace(", axis: [0, 1, 0]", "")),
        text(spring_dampers="- §{name: s}"),
    ],
    "wrong-type": [
        text(GROUND, body("b"), joints="§5"),
        joint("location: [0, 0, 0]", "location: §here"),
        joint("location: [0, 0, 0]", "location: §"),
        text(joints="- §5"),
        of_body("com: §[1, 2, 3]"),
        spring("spring_coefficient: 5", "spring_curve_data: [[0, 1], §2]"),
    ],
    "invalid-number": [joint("[0, 1, 0]", "[0, §one, 0]"), of_body("com: {location: [§1e, 0, 0]}")],
    "list-length-mismatch": [joint("[0, 1, 0]", "§[0, 1]"), of_body("orientation: §[0, 0]")],
    "invalid-choice": [
        joint("REVOLUTE", "§REVOLUT"),
        text(spring_dampers="- {name: s, type: §SDA}"),
        of_body("fixed: §maybe"),
        motor("body1", "§spindle: PRISMATIC, body1"),
    ],
    "deprecated-spelling": [of_body(YOUNG)],
    "default-used": [
        joint("}", ", bushing_data: §{stiffness_linear: 1}}"),
        text(joints=WHOLE_JOINT.replace("type: REVOLUTE, ", "").replace(", axis: [0, 1, 0]", "")),
    ],
    "duplicate-key": [joint("axis: [0, 1, 0]", "axis: [0, 1, 0], §axis: [1, 0, 0]")],
    "wrong-root-element": [
        "§chrono-version: 10.0\ntype: FSI\nmbs: m.yaml\nfluid: f.yaml\n",
        "§chrono-version: 10.0\nsolver: {type: PSOR}\n",
        "§chrono-version: 10.0\nmodel: []\n",
    ],
    "untested-chrono-version": ["§" + text().replace("10.0", "7.0")],
    "duplicate-name": [text(GROUND, body("b"), body("b").replace("name", "§name"))],
    "unknown-body": [joint("body1: b", "§body1: a")],
    "self-connection": [joint("body1: b, ", "body1: ground, §")],
    "zero-axis": [
        joint("axis: [0, 1, 0]", "§axis: [0, 0, 0]"),
        joint("REVOLUTE", "UNIVERSAL").replace("axis: [0, 1, 0]", "axis1: [0, 1, 0], §axis2: [0, 2, 0]"),
    ],
    "non-unit-quaternion": [of_body("§orientation: [2, 0, 0, 0]")],
    "zero-quaternion": [of_body("§orientation: [0, 0, 0, 0]")],
    "value-out-of-range": [
        text(GROUND, body("b", mass=-1.0).replace("mass", "§mass")),
        motor("value: 0}", "value: 0, repeat: {start: 0, §width: 0, shift: 0}}"),
    ],
    "assumed-axis": [
        text(joints=WHOLE_JOINT.replace("REVOLUTE", "POINT_PLANE").replace(", axis: [0, 1, 0]", "")),
        text(constraints=ROD),
    ],
    "ignored-element": [
        joint("}", f", {BUSHING[:-1]}, DOF: {{§stiffness_linear: 5000}}}}}}"),
        joint("REVOLUTE", "SPHERICAL").replace(
            ", axis: [0, 1, 0]", ", bushing_data: {stiffness_linear: 1, §damping_rotational: 1}"
        ),
        joint("REVOLUTE", "SPHERICAL").replace("axis", "§axis"),
        motor("value: 0", "value: 0, §slope: 2"),
        # As in a sample of Chrono 9.
        motor("type: ROTATION", "type: LINEAR, §spindle: PRISMATIC"),
    ],
    "unsupported-bushing": [joint("REVOLUTE", "PRISMATIC").replace("axis:", f"§{BUSHING}, axis:")],
    "ignored-by-chrono": [
        joint("REVOLUTE", "POINT_LINE").replace("axis", "§axis"),
        spring("free_length: 1, spring_coefficient: 5", "damping_coefficient: 5, §preload: 2"),
        spring("spring_coefficient: 5", "§spring_coefficient: 5, spring_curve_data: [[0, 0], [1, 1]]"),
    ],
    "assumed-free-length": [text(tsdas=SPRING.replace("free_length: 1, ", "").replace("{", "§{"))],
    "invalid-lookup-table": [
        spring("spring_coefficient: 5", "§spring_curve_data: [[1, 0], [1, 1]]"),
        spring("free_length: 1, spring_coefficient: 5", "§deformation: [], map_data: [[0]]"),
        spring("free_length: 1, spring_coefficient: 5", "deformation: [0, 1], §map_data: [[0, 1]]"),
        motor("{type: CONSTANT, value: 0}", "{type: DATA, §data: [[1, 0], [1, 2]]}"),
        motor("{type: CONSTANT, value: 0}", "{type: POLYNOMIAL, §coefficients: [1]}"),
    ],
    "unordered-points": [
        spring("spring_coefficient: 5", "§spring_curve_data: [[1, 0], [0, 1]]"),
        motor("{type: CONSTANT, value: 0}", "{type: DATA, §data: [[1, 0], [0.5, 1], [2, 2]]}"),
    ],
    "negative-shift": [motor("value: 0}", "value: 0, repeat: {start: 0, width: 1, §shift: -0.25}}")],
    "one-sided-stop": [
        spring("spring_coefficient: 5", "spring_coefficient: 5, §minimum_length: 0.5"),
        spring("spring_coefficient: 5", "spring_coefficient: 5, §minimum_length: 2, maximum_length: 1"),
    ],
    "unknown-material": [of_body(CONTACT.replace("material: steel", "§material: stell"))],
    "suspected-degrees": [motor("value: 0", "value: 90").replace("actuation_function", "§actuation_function")],
    "non-perpendicular-axes": [
        joint("REVOLUTE", "UNIVERSAL").replace("axis: [0, 1, 0]", "axis1: [0, 1, 0], §axis2: [1, 1, 0]")
    ],
    "orientation-about-z-y-x": [of_body("§orientation: [10, 20, 30]")],
    "products-of-inertia-xy-xz-yz": [
        text(GROUND, "    - {name: b, location: [0, 0, 0], mass: 1, inertia: {moments: [1, 1, 1], §products: [0, 0.1, 0.2]}}")
    ],
    "center-of-mass-axes": [
        of_body("com: {orientation: [0.5, 0.5, 0.5, 0.5]}, §initial_angular_velocity: [1, 0, 0]"),
        text(
            GROUND,
            body("b", more="com: {orientation: [0.5, 0.5, 0.5, 0.5]}"),
            body_loads="- {name: l, type: TORQUE, body: b, §load: [0, 0, 1], local_load: true}",
        ),
        text(
            GROUND,
            body("b", more="com: {orientation: [0.5, 0.5, 0.5, 0.5]}"),
            load_controllers="- {name: l, type: TORQUE, body: b, §local_load: true}",
        ),
    ],
    "missing-file": ["chrono-version: 10.0\n§model: other.yaml\n"],
}
"""For each rule small files that break it alone; a mark stands where the finding has to point."""

MARK = "§"

OF_SOLVERS = {"unsupported-solver-settings"}
OF_YAML = {
    "malformed-yaml",
    "multiple-documents",
    "invalid-yaml-alias",
    "too-many-elements",
    "non-scalar-key",
    "nesting-too-deep",
}
OF_XML = {
    "malformed-xml",
    "misplaced-xml-declaration",
    "forbidden-entity",
    "unknown-element",
    "unknown-attribute",
    "duplicate-element",
    "unexpected-text",
    "unreadable-file",
}


def test_every_rule_has_a_case() -> None:
    names = {rule.name for rule in (*SYNTAX_RULES, *CHRONO_RULES)}
    assert names - OF_YAML - OF_XML - OF_SOLVERS == set(CASES)


SOLVERS = [
    ("integrator: {type: HHT, time_step: 1e-4}", "integrator: type"),
    ("integrator: {time_step: 1e-4, use_stepsize_control: true, rel_tolerance: 1e-3}", "integrator: use_stepsize_control"),
    ("solver: {tolerance: 1e-10}", "solver: tolerance"),
    ("integrator: {time_step: 1e-4, use_stepsize_control: false}", None),
]


@pytest.mark.parametrize(("settings", "named"), SOLVERS)
def test_settings_of_a_solver_that_have_no_effect(settings: str, named: str | None, tmp_path: Path, report: Report) -> None:
    (tmp_path / "model.yaml").write_text(text())
    (tmp_path / "solver.yaml").write_text(f"chrono-version: 10.0\n{settings}\n")
    run = "chrono-version: 10.0\nmodel: model.yaml\nsolver: solver.yaml\n"
    world = read_chrono(Source(str(tmp_path / "run.yaml"), run.encode()), report, folder=tmp_path)
    assert world is not None
    found = report.take("unsupported-solver-settings")
    assert [named in finding.message for finding in found] == ([] if named is None else [True])


def test_a_bushing_need_not_state_what_its_joint_does_not_have() -> None:
    read(joint("REVOLUTE", "SPHERICAL").replace(", axis: [0, 1, 0]", ", bushing_data: {stiffness_linear: 1}"))
    read(joint("}", ", bushing_data: {stiffness_linear: 1, stiffness_rotational: 1, DOF: {stiffness_rotational: 1}}}"))


def test_angles_that_mean_the_same_either_way_are_not_reported() -> None:
    read(of_body("orientation: [0, 20, 0]"))
    read(of_body("orientation: [30, 20, 30]"))


@pytest.mark.parametrize(("rule", "marked"), [(rule, case) for rule, cases in CASES.items() for case in cases])
def test_finding(rule: str, marked: str, report: Report) -> None:
    before, mark, after = marked.partition(MARK)
    assert mark
    read_chrono(Source("model.yaml", (before + after).encode()), report)
    (finding,) = report.take(rule)
    line = before.count("\n") + 1
    assert str(finding.location) == f"model.yaml:{line}:{len(before.rpartition(chr(10))[2]) + 1}"


def test_points_of_a_curve_are_sorted(report: Report) -> None:
    world = read(spring("spring_coefficient: 5", "spring_curve_data: [[1, 3], [-1, -2], [0, 1]]"), report)
    (element,) = world.models["m"].spring_dampers
    assert element.spring_curve == ((-1.0, -2.0), (0.0, 1.0), (1.0, 3.0))
    report.take("unordered-points")


def test_nothing_is_found_in_a_good_file() -> None:
    read(text(joints=HINGE, tsdas=SPRING, motors=MOTOR))


def test_the_nearest_word_is_named(report: Report) -> None:
    read(joint("REVOLUTE", "REVOLUT"), report)
    (finding,) = report.take("invalid-choice")
    assert "REVOLUTE" in (finding.hint or "")


def test_both_of_two_types_are_named() -> None:
    """ROTATION is nearest to TRANSLATION in spelling."""
    report = Report()
    read(text(motors="- {name: m, type: TRANSLATION}"), report)
    assert [finding.hint for finding in report.take("invalid-choice")] == ["one of LINEAR, ROTATION"]


MAP_OF_THE_DOCUMENT = """\
chrono-version: 10.0
model:
  bodies: [{name: a, fixed: true, location: [0, 0, 0]}, {name: b, fixed: true, location: [1, 0, 0]}]
  spring_dampers:
    - name: nonlinear
      type: TSDA
      body1: a
      body2: b
      point1: [6.5, 0, 0]
      point2: [5.5, 0, 0]
      deformation: [ 0.27, 0.28 ],
      map_data: [[-0.6, 1, 2], [0.6, 3, 4]]
"""


def test_the_documents_own_example_has_a_stray_comma(report: Report) -> None:
    assert read_chrono(Source("model.yaml", MAP_OF_THE_DOCUMENT.encode()), report) is None
    (finding,) = report.take("malformed-yaml")
    assert finding.location is not None
    assert finding.location.line in (11, 12)
    world = read(MAP_OF_THE_DOCUMENT.replace("],\n      map", "]\n      map"))
    assert world.models[0].spring_dampers["nonlinear"].force_map is not None
