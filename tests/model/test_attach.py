"""Robots of several files: an arm and a hand are the robot that somebody drew as one."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from complete_robot import robot
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.kinematics import poses
from ossature.model import Actuator, Encoder, Joint, JointPosition, Model, NamedList, Revolute, Sensor
from ossature.model.attach import attach
from ossature.spatial import Pose, quaternion_from_axis_angle

ROUNDING = 1e-9


def barrett(corpus: Path, name: str) -> Model:
    world, _ = ossature.read(corpus / "corpus" / "openrave" / f"{name}.zae")
    assert world is not None
    return world.models[0]


@pytest.mark.corpus
def test_arm_and_hand_are_the_robot_that_was_drawn_as_one(corpus: Path) -> None:
    """At any angles every finger stands where it does in the file of the whole robot; what weighs the same there, does here."""
    arm, hand, whole = (barrett(corpus, name) for name in ("barrett-wam", "barrett-hand", "barrett-wam-sensors"))
    composition = attach(arm, hand, onto="wam7", root="handbase")
    merged = composition.model
    assert {old for old, _ in composition.renamed if "motor" not in old} == {"BarrettHand/handbase"}
    assert "handbase" not in merged.bodies
    assert len(merged.joints) - len(composition.left_out) <= len(arm.joints) + len(hand.joints)
    assert {joint.name for joint in merged.joints} >= {joint.name for joint in whole.joints}
    assert merged.mass == pytest.approx(arm.mass + hand.mass, rel=1e-12)
    assert merged.bodies["wam1"].inertial.mass == whole.bodies["wam1"].inertial.mass
    random = np.random.default_rng(0)
    moving = [joint.name for joint in whole.joints if joint.coordinates and joint.coordinates[0].coupling is None]
    for _ in range(5):
        angles = {name: [float(random.uniform(-1.0, 1.0))] for name in moving}
        world = ossature.World(models=NamedList([whole, replace(merged, name="merged")]))
        placed = poses(world, {whole.name: angles, "merged": angles})
        for finger in (body.name for body in whole.bodies if body.name.startswith("Finger")):
            assert np.allclose(placed["merged"][finger].matrix(), placed[whole.name][finger].matrix(), atol=1e-5), finger


@pytest.mark.corpus
def test_the_hand_follows_its_formulas_and_the_file_is_written_whole(corpus: Path, tmp_path: Path) -> None:
    folder, output = corpus / "corpus" / "openrave", tmp_path / "both.dae"
    words = ["attach", str(folder / "barrett-wam.zae"), str(folder / "barrett-hand.zae"), str(output), "--at", "wam7"]
    result = CliRunner().invoke(app, [*words, "--part-link", "handbase", "--name", "both"])
    assert result.exit_code == 0, result.output
    world, report = ossature.read(output)
    assert world is not None
    assert not report.has_errors
    both = world.models["both"]
    assert any(extension.key == "part BarrettHand" for extension in both.extensions)
    arm, hand = barrett(corpus, "barrett-wam"), barrett(corpus, "barrett-hand")
    assert len(both.bodies) == len(arm.bodies) + len(hand.bodies) - 1
    result = CliRunner().invoke(app, [*words[:-1], "wam9"])
    assert result.exit_code == 2
    assert "has no link 'wam9'" in result.output


@pytest.mark.corpus
def test_a_document_that_only_refers_to_its_parts_is_the_whole(corpus: Path, tmp_path: Path) -> None:
    for name in ("barrett-wam", "barrett-hand"):
        (tmp_path / f"{name}.zae").write_bytes((corpus / "corpus" / "openrave" / f"{name}.zae").read_bytes())
    arm, hand, output = tmp_path / "barrett-wam.zae", tmp_path / "barrett-hand.zae", tmp_path / "both.dae"
    words = ["attach", str(arm), str(hand), str(output), "--at", "wam7", "--part-link", "handbase", "--reference"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert output.stat().st_size < 20_000
    assert "barrett-hand.zae" in output.read_text()
    world, report = ossature.read(output)
    assert world is not None
    assert not report.has_errors
    assert any(finding.rule.name == "renamed" for finding in report)
    whole = attach(barrett(corpus, "barrett-wam"), barrett(corpus, "barrett-hand"), onto="wam7", root="handbase").model
    (found,) = world.models
    assert found.bodies.names() == whole.bodies.names()
    for body in whole.bodies:
        assert np.allclose(found.bodies[body.name].pose.matrix(), body.pose.matrix(), atol=ROUNDING)
        assert found.bodies[body.name].inertial.mass == pytest.approx(body.inertial.mass)
    # A part that is not there, and a document that is a part of itself, are findings.
    output.write_text(output.read_text().replace("barrett-hand.zae", "both.dae"))
    assert "cyclic-reference" in {finding.rule.name for finding in ossature.read(output)[1]}
    output.write_text(output.read_text().replace('onto="wam7"', 'onto="wam9"').replace('url="both.dae"', f'url="{hand.name}"'))
    assert "invalid-attachment" in {finding.rule.name for finding in ossature.read(output)[1]}


def test_names_that_are_taken_get_the_parts_name_and_all_that_refers_to_them_follows() -> None:
    arm = robot().models["arm"]
    hand = replace(arm, name="second")
    composition = attach(arm, hand, onto="hand", root="base", pose=Pose((0.0, 0.0, 0.25)))
    whole = composition.model
    assert ("second/wrist", "arm/second_wrist") in composition.renamed
    assert len(set(whole.joints.names())) == len(whole.joints) == 2 * len(arm.joints)
    follower = whole.joints["second_wrist"]
    assert (follower.parent, follower.child) == ("second_upper", "second_hand")
    formula = follower.coordinates[0].coupling
    assert formula is not None
    named = [part.joint for part in formula.position.operands if isinstance(part, JointPosition)]  # type: ignore[union-attr]
    assert named == ["second_shoulder"]
    assert [partial.joint for partial in formula.partials] == ["second_shoulder"]
    assert whole.actuators["second_motor"].joint == "second_shoulder"
    assert ("hand", "second_hand") in whole.ignored_pairs
    manipulator = whole.manipulators["second_hand"]
    assert (manipulator.base, manipulator.tip) == ("hand", "second_hand")
    report = ossature.check(ossature.World(models=NamedList([whole])), report=Report())
    assert not [finding for finding in report if finding.rule.name in ("unknown-body", "unknown-joint", "duplicate-name")]


def test_two_links_that_become_one_weigh_as_both() -> None:
    """Mass, centre and moments are those of the two bodies fixed to each other, seen from any point."""
    arm = robot().models["arm"]
    turned = Pose((0.25, -0.5, 0.125), quaternion_from_axis_angle((0.0, 0.6, 0.8), 0.75))
    merged = attach(arm, replace(arm, name="part"), onto="hand", root="base", pose=turned).model.bodies["hand"].inertial
    first, second = arm.bodies["hand"].inertial, arm.bodies["base"].inertial

    def kinetic(spin: np.ndarray) -> float:
        """Return twice the energy of both while they turn about the origin of the link."""
        total = 0.0
        for inertial, pose in ((first, Pose()), (second, turned)):
            rotation = pose.matrix()[:3, :3]
            moment = rotation @ np.asarray(inertial.moment) @ rotation.T
            speed = np.cross(spin, pose.transform(inertial.center_of_mass))
            total += spin @ moment @ spin + inertial.mass * speed @ speed
        return total

    for spin in [*np.eye(3).tolist(), [0.3, -0.4, 0.5]]:
        vector = np.asarray(spin)
        speed = np.cross(vector, merged.center_of_mass)
        found = vector @ np.asarray(merged.moment) @ vector + merged.mass * speed @ speed
        assert found == pytest.approx(kinetic(vector), rel=ROUNDING)


def test_what_hangs_on_the_root_keeps_its_place() -> None:
    arm = robot().models["arm"]
    encoder = Sensor(name="turns", body="base", pose=Pose((0.5, 0.0, 0.0)), description=Encoder(joint="wrist"))
    part = replace(arm, name="part", sensors=NamedList([encoder]), actuators=NamedList([Actuator(name="new", joint="wrist")]))
    pose = Pose((0.0, 0.0, 0.25), quaternion_from_axis_angle((0.0, 0.0, 1.0), math.pi / 2.0))
    whole = attach(arm, part, onto="hand", root="base", pose=pose).model
    sensor = whole.sensors["turns"]
    assert sensor.body == "hand"
    assert sensor.pose.position == pytest.approx((0.0, 0.5, 0.25))
    assert sensor.description == Encoder(joint="part_wrist")


def test_a_root_that_moves_cannot_be_merged() -> None:
    arm = robot().models["arm"]
    moved = Joint(name="turntable", type=Revolute(), parent=None, child="base")
    part = replace(arm, name="part", joints=NamedList([*arm.joints, moved]))
    with pytest.raises(ValueError, match="'turntable' of 'part' moves 'base'"):
        attach(arm, part, onto="hand")
    with pytest.raises(ValueError, match="no link 'foot'"):
        attach(arm, part, onto="foot")
    with pytest.raises(ValueError, match="no link 'foot'"):
        attach(arm, part, onto="hand", root="foot")
    with pytest.raises(ValueError, match="moves 'upper'"):
        attach(arm, part, onto="hand", root="upper")
