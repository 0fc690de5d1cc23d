"""What holds for all checks: each is tested, finds nothing where all is well, and tells where a fault is."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from conftest import example_models
from ossature.checks import RULES, check
from ossature.diagnostics import Location, Report, Source
from ossature.formats.skel import read_skel
from ossature.spatial import Pose

from . import (
    test_closed_loops,
    test_coupled_joints,
    test_inertia,
    test_joint_axes_and_limits,
    test_motors,
    test_names_and_references,
    test_numbers_and_settings,
    test_sensors,
    test_shapes_and_files,
    test_trajectories,
)
from .worlds_and_cases import good_body, good_joint, world_of

TOPICS = (
    test_closed_loops,
    test_coupled_joints,
    test_inertia,
    test_joint_axes_and_limits,
    test_motors,
    test_names_and_references,
    test_numbers_and_settings,
    test_sensors,
    test_shapes_and_files,
    test_trajectories,
)


def test_every_check_is_tested() -> None:
    assert {rule.name for rule in RULES} == {name for topic in TOPICS for name in topic.BAD}
    assert all(set(topic.BAD) == set(topic.NEARLY) for topic in TOPICS)


def test_findings_tell_the_place() -> None:
    place = Location(Source("f.skel", b"<a/>"), 0)
    world = world_of(
        good_body(origin=place, pose=Pose((math.nan, 0.0, 0.0))),
        good_body("c", origin=place, pose=Pose(wxyz=(2.0, 0.0, 0.0, 0.0)), collisions=()),
        good_body("c", origin=place),
        joints=(good_joint(origin=place, parent="B"),),
    )
    report = check(world)
    names = {
        "non-finite-number",
        "non-unit-quaternion",
        "duplicate-name",
        "unknown-body",
        "disconnected-body",
        "missing-collision-shape",
    }
    assert {finding.rule.name for finding in report} == names
    assert all(finding.location == place for finding in report)
    (duplicate,) = report.take("duplicate-name")
    assert [related.location for related in duplicate.related] == [place]


def test_nothing_is_found_in_a_good_world(report: Report) -> None:
    check(world_of(), report=report)


@pytest.mark.parametrize("path", example_models(".skel"), ids=lambda path: path.stem)
def test_nothing_is_found_in_the_examples(path: Path, report: Report) -> None:
    world = read_skel(Source(str(path), path.read_bytes()), report)
    report.take("computed-inertia")
    assert world is not None
    check(world, report=report)


def test_explanations_are_sentences() -> None:
    for rule in RULES:
        assert rule.summary[-1] in ".?", rule.name
        assert rule.explanation.endswith("."), rule.name
        assert rule.name == rule.name.lower().replace(" ", "-")


def test_ten_thousand_bodies() -> None:
    import time

    names = [f"b{number}" for number in range(10_000)]
    bodies = [good_body(name) for name in names]
    joints = [good_joint(f"j{name}", parent=parent, child=name) for parent, name in zip([None, *names], names, strict=False)]
    started = time.process_time()
    check(world_of(*bodies, joints=tuple(joints)))
    assert time.process_time() - started < 10.0
