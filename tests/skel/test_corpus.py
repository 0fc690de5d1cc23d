"""Every file of the corpus with its expected findings: additional and missing findings fail the test."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from dart_reference import skel_files
from ossature.assets import MeshStore, Resolver
from ossature.checks import check
from ossature.diagnostics import Report, Severity, Source
from ossature.formats.skel import read_skel

EXPECTED: dict[str, dict[str, int]] = {
    "bullet_collision": {"missing-mesh": 2},
    "empty": {"empty-file": 1},
    "ground": {"default-used": 1},
    "kima/kima_human_left_leg": {"non-positive-size": 2},
    "shapes": {"missing-mesh": 2},
    "skateboard": {"deprecated-spelling": 6},
    "spheres": {"implausible-inertia": 2},
    "test/SimplePendulum": {"implausible-inertia": 2},
    "test/ball_joints": {"implausible-inertia": 1},
    "test/boxes": {"implausible-inertia": 1},
    "test/dof_attribute_test": {"initial-position-outside-limits": 2},
    "test/double_pendulum_with_base": {"renamed": 7},
    "test/drop_BENCHMARK": {"empty-file": 1},
    "test/empty": {"empty-file": 1},
    "test/free_joints": {"implausible-inertia": 1},
    "test/gazebo/force_torque_test": {"large-gravity": 1, "deprecated-spelling": 2},
    "test/gazebo/force_torque_test2": {
        "inertia-violates-triangle-inequality": 3,
        "deprecated-spelling": 2,
        "zero-principal-moment": 3,
    },
    "test/planar_joint": {"deprecated-spelling": 12},
    "test/serial_chain_BENCHMARK": {"empty-file": 1},
    "test/single_pendulum": {"implausible-inertia": 1, "deprecated-spelling": 1},
    "test/single_pendulum_ball_joint": {"implausible-inertia": 1},
    "test/single_pendulum_euler_joint": {"implausible-inertia": 1, "deprecated-spelling": 1},
    "test/single_rigid_body": {"implausible-inertia": 1},
    "test/spheres": {"implausible-inertia": 2},
    "test/test_double_pendulum": {"deprecated-spelling": 2, "unknown-element": 1},
    "test/test_shapes": {"missing-mesh": 2},
    "test/translational_joints": {"implausible-inertia": 1},
    "vehicle": {"duplicate-element": 2, "deprecated-spelling": 6},
}
"""Errors and warnings by file; a file that is not listed has none."""


def findings(corpus: Path, name: str) -> Report:
    path = corpus / "corpus" / "skel" / f"{name}.skel"
    report = Report()
    world = read_skel(Source(str(path), path.read_bytes()), report, folder=path.parent)
    assert world is not None
    return check(world, report=report, meshes=MeshStore(Resolver(folder=path.parent)))


@pytest.mark.parametrize("name", skel_files())
def test_findings(corpus: Path, name: str) -> None:
    report = findings(corpus, name)
    counts = Counter(finding.rule.name for finding in report if finding.severity is not Severity.NOTE)
    assert dict(counts) == EXPECTED.get(name, {}), str(report)
    assert all(finding.location is not None for finding in report)


def test_all_files_are_there(corpus: Path) -> None:
    assert len(skel_files()) >= 84
    assert set(EXPECTED) <= set(skel_files())
