"""Every robot of the corpus with its expected findings: additional and missing findings fail the test."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ossature.assets import MeshStore, Resolver
from ossature.checks import check
from ossature.diagnostics import Report, Severity, Source
from ossature.formats.urdf import read_urdf
from urdf_corpus import urdf_files, urdf_path

EXPECTED: dict[str, dict[str, int]] = {
    "drake/allegro_hand_description/urdf/allegro_hand_description_left": {
        "initial-position-outside-limits": 1,
    },
    "drake/allegro_hand_description/urdf/allegro_hand_description_right": {
        "initial-position-outside-limits": 1,
    },
    "drake/pr2/pr2_description/urdf/pr2_simplified": {
        "implausible-inertia": 17,
        "missing-limit": 2,
        "missing-mesh": 82,
        "undeclared-world-link": 1,
    },
    "matlab/Atlas/urdf/atlas": {
        "non-positive-size": 16,
        "missing-mesh": 30,
        "soft-limit-exceeds-hard-limit": 30,
        "unknown-attribute": 32,
    },
    "matlab/robotiq2F85/urdf/robotiq2F85": {"unreachable-coupled-position": 2},
    "oems/pioneer_adept_mobile_robots/description/urdf/pioneer-lx": {"missing-mesh": 1, "unknown-attribute": 6},
    "oems/pioneer_adept_mobile_robots/description/urdf/pioneer-lx-devil": {
        "non-positive-mass": 3,
        "missing-mesh": 41,
        "reversed-limits": 1,
        "unknown-attribute": 11,
        "unknown-element": 3,
    },
    "oems/pioneer_adept_mobile_robots/description/urdf/pioneer3at": {"unknown-attribute": 16},
    "oems/pioneer_adept_mobile_robots/description/urdf/pioneer3dx": {"unknown-attribute": 10},
    "oems/spot_boston_dynamics/spot_base_urdf/model": {"non-positive-mass": 1, "initial-position-outside-limits": 4},
    "random/schunk_lwa4p/robot": {
        "unresolved-reference": 1,
        "implausible-density": 2,
        "implausible-inertia": 2,
        "initial-position-outside-limits": 1,
        "missing-mesh": 16,
    },
    "robotics-toolbox/abb_irb140/urdf/irb140": {"non-positive-mass": 1},
    "robotics-toolbox/abb_irb140/urdf/irb140QT": {"non-positive-mass": 1},
    "robotics-toolbox/pxpincher/urdf/pincher_arm": {"non-positive-mass": 1, "initial-position-outside-limits": 1},
    "robotics-toolbox/pxpincher/urdf/turtlebot_arm": {"non-positive-mass": 1},
}
"""Errors and warnings by file; a file that is not listed has none."""


def findings(corpus: Path, name: str) -> Report:
    path = urdf_path(corpus, name)
    report = Report()
    world = read_urdf(Source(str(path), path.read_bytes()), report, folder=path.parent)
    assert world is not None
    assert not report.has_errors, str(report)
    packages = corpus / "corpus" / "urdf" / Path(name).parts[0]
    return check(world, report=report, meshes=MeshStore(Resolver(folder=path.parent, search_path=(packages,))))


@pytest.mark.parametrize("name", urdf_files())
def test_findings(corpus: Path, name: str) -> None:
    report = findings(corpus, name)
    counts = Counter(finding.rule.name for finding in report if finding.severity is not Severity.NOTE)
    assert dict(counts) == EXPECTED.get(name, {}), str(report)
    assert all(finding.location is not None for finding in report)


def test_all_files_are_there(corpus: Path) -> None:
    assert len(urdf_files()) >= 19
    assert set(EXPECTED) <= set(urdf_files())
