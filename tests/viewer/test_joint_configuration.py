"""Sliders, coupled joints, kinematic tree, findings and properties of bodies, without a browser."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest

import ossature
from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.diagnostics import Diagnostic, Rule, Severity
from ossature.kinematics import poses
from ossature.model import (
    Body,
    Coordinate,
    Coupling,
    Euler,
    Floating,
    Joint,
    JointPosition,
    Model,
    NamedList,
    Number,
    Operation,
    Operator,
    Planar,
    Prismatic,
    Range,
    Revolute,
    Universal,
    World,
    sources_of,
)
from ossature.spatial import Pose, quaternion_from_rotation_vector
from ossature.viewer.body_of_finding import body_of_finding
from ossature.viewer.body_tree_rows import ancestors, matches, rows_to_fold, tree_rows, unfolded
from ossature.viewer.joint_configuration import JointConfiguration, coordinate_sliders
from ossature.viewer.loaded_file import open_file
from ossature.viewer.properties_and_findings_html import body_details, finding_details, joint_details, measurement_details

PICKER = PROJECT / "examples" / "picker.dae"
ARM = PROJECT / "examples" / "arm.skel"


def with_joint(joint_type, **coordinate: object) -> World:
    count = joint_type.degrees_of_freedom
    joint = Joint(name="j", type=joint_type, parent=None, child="b", coordinates=(Coordinate(**coordinate),) * count)
    return World(models=NamedList([Model(name="m", bodies=NamedList([Body(name="b")]), joints=NamedList([joint]))]))


def test_sliders_agree_with_forward_kinematics() -> None:
    world = ossature.load(ARM)
    configuration = JointConfiguration(world)
    configuration.move("arm", "elbow", 0, 1.2)
    configuration.move("arm", "wrist", 1, 0.4)
    wrist = (world.models["arm"].joints["wrist"].initial_positions[0], 0.4)
    assert configuration.poses() == poses(world, {"arm": {"elbow": [1.2], "wrist": wrist}})
    configuration.reset()
    assert configuration.poses() == poses(world)


def test_coupled_joints_move_together() -> None:
    world = ossature.load(PICKER)
    handles = coordinate_sliders(world, 1.0)
    following = [handle for handle in handles if not handle.is_movable]
    assert following
    configuration = JointConfiguration(world)
    model = world.models[following[0].model]
    before = configuration.positions()[model.name][following[0].joint]
    formula = model.joints[following[0].joint].coordinates[following[0].number].coupling
    assert formula is not None
    source = sources_of(formula.position)[0]
    lead = model.joints[source.joint]
    configuration.move(model.name, lead.name, source.coordinate, lead.initial_positions[source.coordinate] + 0.01)
    after = configuration.positions()[model.name]
    assert after[following[0].joint] != before
    assert configuration.poses() == poses(world, {model.name: {lead.name: after[lead.name]}})


def test_the_independent_coordinate_of_a_partly_coupled_joint_moves_the_other_one() -> None:
    twice = Operation(operator=Operator.MULTIPLY, operands=(Number(value=2.0), JointPosition(joint="j")))
    coordinates = (Coordinate(), Coordinate(coupling=Coupling(position=twice)))
    joint = Joint(name="j", type=Universal(), parent=None, child="b", coordinates=coordinates)
    world = World(models=NamedList([Model(name="m", bodies=NamedList([Body(name="b")]), joints=NamedList([joint]))]))
    assert [slider.is_movable for slider in coordinate_sliders(world, 1.0)] == [True, False]
    configuration = JointConfiguration(world)
    configuration.move("m", "j", 0, 0.3)
    assert configuration.positions() == {"m": {"j": [0.3, 0.6]}}
    assert configuration.specified_positions("m") == {"j": [0.3, 0.6]}
    assert configuration.poses() == poses(world, {"m": {"j": (0.3, 0.6)}})
    configuration.set_positions({"m": {"j": (0.4, 9.0)}})
    assert configuration.positions() == {"m": {"j": [0.4, 0.8]}}


def test_positions_of_coupled_joints_are_ignored() -> None:
    world = ossature.load(PICKER)
    configuration = JointConfiguration(world)
    [first, *_] = [handle for handle in coordinate_sliders(world, 1.0) if not handle.is_movable]
    configuration.set_positions({first.model: {first.joint: [99.0]}})
    assert configuration.poses() == poses(world)


@pytest.mark.parametrize(
    ("joint_type", "limits", "expected"),
    [
        (Revolute(), Range(lower=-1.0, upper=2.0), (-1.0, 2.0)),
        (Revolute(), Range(), (-math.pi, math.pi)),
        (Prismatic(), Range(), (-5.0, 5.0)),
        (Prismatic(), Range(lower=1.0), (1.0, 11.0)),
        (Revolute(), Range(lower=2.0, upper=-1.0), (-1.0, 2.0)),
    ],
)
def test_slider_range_is_joint_range(joint_type, limits: Range, expected: tuple[float, float]) -> None:
    initial = min(max(0.0, min(expected)), max(expected))
    [handle] = coordinate_sliders(with_joint(joint_type, position_limits=limits, initial_position=initial), 5.0)
    assert (handle.range.lower, handle.range.upper) == pytest.approx(expected)


def test_slider_range_includes_initial_position() -> None:
    [handle] = coordinate_sliders(
        with_joint(Revolute(), position_limits=Range(lower=0.0, upper=1.0), initial_position=3.0), 1.0
    )
    assert handle.range.upper == 3.0


@pytest.mark.parametrize(
    ("joint_type", "turns"),
    [
        (Revolute(), [True]),
        (Prismatic(), [False]),
        (Planar(), [False, False, True]),
        (Euler(), [True, True, True]),
        (Floating(), [True, True, True, False, False, False]),
    ],
)
def test_angles_and_lengths_are_distinguished(joint_type, turns: list[bool]) -> None:
    assert [handle.is_angular for handle in coordinate_sliders(with_joint(joint_type), 1.0)] == turns


def test_random_configuration_is_within_limits() -> None:
    world = ossature.load(ARM)
    handles = coordinate_sliders(world, 1.0)
    configuration = JointConfiguration(world)
    configuration.shuffle(handles, seed=3)
    for handle in handles:
        value = configuration.positions()[handle.model][handle.joint][handle.number]
        assert handle.range.lower <= value <= handle.range.upper
    assert configuration.poses() != poses(world)


@pytest.mark.parametrize("path", [ARM, PICKER, PROJECT / "examples" / "slider_crank.yaml"], ids=lambda path: path.name)
def test_tree_has_each_body_and_joint_once_below_its_parent(path: Path) -> None:
    world = ossature.load(path)
    rows = tree_rows(world)
    bodies = [(row.model, row.body) for row in rows if row.joint is None]
    assert sorted(bodies) == sorted((m.name, b.name) for m in world.models for b in m.bodies)
    joints = [(row.model, row.joint) for row in rows if row.joint is not None]
    assert set(joints) >= {(m.name, j.name) for m in world.models for j in m.joints if j.degrees_of_freedom < 6}
    assert len(joints) == len(set(joints))
    for before, row in itertools.pairwise(rows):
        assert row.depth <= before.depth + 1


def test_search_ignores_case() -> None:
    rows = tree_rows(ossature.load(ARM))
    assert [row.body for row in rows if matches(row, "HAND") and row.joint is None] == ["hand"]
    assert any(row.joint == "elbow" for row in rows if matches(row, "elbow"))
    assert all(matches(row, "") for row in rows)


def test_rows_below_a_folded_one_are_not_listed() -> None:
    rows = tree_rows(ossature.load(ARM))
    key = next(row.key for row in rows if row.joint == "elbow")
    listed = list(unfolded(rows, {key}))
    assert key in {row.key for row in listed}
    hidden = {row.key for row in rows} - {row.key for row in listed}
    assert hidden == {row.key for row in rows if key in ancestors(rows, row.key)}
    assert ("arm", "hand", None) in hidden


def test_many_rows_are_folded_at_the_start() -> None:
    rows = tree_rows(ossature.load(ARM))
    for most in range(1, len(rows) + 1):
        listed = list(unfolded(rows, rows_to_fold(rows, most)))
        assert 1 <= len(listed) <= max(most, sum(row.depth == 0 for row in rows))
    assert not rows_to_fold(rows, len(rows))


RULE = Rule(name="some-rule", code="X001", severity=Severity.WARNING, summary="s", explanation="e")


@pytest.mark.parametrize(
    ("path", "subject"),
    [
        ("arm/hand", ("arm", "hand")),
        ("arm/hand.visuals[0]", ("arm", "hand")),
        ("arm/elbow", ("arm", "forearm")),
        ("arm/elbow.coordinates[0]", ("arm", "forearm")),
        ("arm/nothing", None),
        ("nobody/hand", None),
        ("", None),
    ],
)
def test_finding_has_subject_body(path: str, subject: tuple[str, str] | None) -> None:
    world = ossature.load(ARM)
    assert body_of_finding(Diagnostic(rule=RULE, message="m", path=path), world) == subject


def test_details_have_file_and_line_and_escape_names() -> None:
    world = ossature.load(ARM)
    model = world.models["arm"]
    text = body_details(model, model.bodies["hand"], poses(world)["arm"]["hand"], MeshStore())
    line = model.bodies["hand"].origin.line
    assert f"arm.skel:{line}" in text
    hostile = Body(name="<img src=x onerror=alert(1)>")
    joint = joint_details(model.joints["elbow"])
    for text in ("revolute", "forearm", "position limits", "damping"):
        assert text in joint
    assert "<img" not in body_details(
        Model(name="<b>", bodies=NamedList([hostile])), hostile, poses(world)["arm"]["hand"], MeshStore()
    )
    assert "<script" not in finding_details(Diagnostic(rule=RULE, message="<script>", path="<script>", hint="<script>"))


def test_distance_and_angle_between_two_bodies_are_measured() -> None:
    start = Pose((1.0, 2.0, 3.0), quaternion_from_rotation_vector((0.0, 0.0, 0.5)))
    end = start @ Pose((3.0, 4.0, 0.0), quaternion_from_rotation_vector((0.0, math.pi / 2.0, 0.0)))
    text = measurement_details("<b>", start, end)
    assert "5 m" in text
    assert "1.571 rad (90°)" in text
    assert "<b>" not in text


def test_file_with_error_has_no_world(tmp_path: Path) -> None:
    (tmp_path / "broken.skel").write_text("<skel><world>")
    loaded = open_file(tmp_path / "broken.skel", lambda path: MeshStore())
    assert loaded.world is None
    assert loaded.report.has_errors


def test_findings_are_those_of_reading_and_checking() -> None:
    loaded = open_file(ARM, lambda path: MeshStore())
    assert loaded.world is not None
    expected = [*loaded.report, *ossature.check(loaded.world)]
    assert sorted(map(str, loaded.findings())) == sorted(map(str, expected))
