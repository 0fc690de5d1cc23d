"""Every COLLADA file of the corpus: what is found in it, and how it moves."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import ossature
from ossature.checks import check
from ossature.diagnostics import Report

FOLDERS = ("openrave", "openrave-elements")
EXPECTED: dict[str, dict[str, int]] = {
    "openrave/barrett-hand.zae": {"free-base": 1, "inertia-violates-triangle-inequality": 8, "inconsistent-derivative": 4},
    "openrave/barrett-wam-sensors.zae": {"free-base": 1, "implausible-inertia": 1, "assumed-sensor-defaults": 2},
    "openrave/barrett-wam.zae": {"free-base": 1},
    "openrave/barrett-wam4.zae": {"free-base": 1},
    "openrave/box0.dae": {"assumed-radians": 1},
    "openrave/calibration_board.dae": {"implausible-inertia": 1, "assumed-radians": 1},
    "openrave/cmu-permma.zae": {"free-base": 1, "implausible-inertia": 9, "renamed": 2, "inconsistent-derivative": 6},
    "openrave/crustcrawler-ax12.zae": {"free-base": 1, "implausible-inertia": 7, "joint-locked-by-limits": 1},
    "openrave/darpa-arm.zae": {
        "free-base": 1,
        "implausible-inertia": 20,
        "inconsistent-derivative": 12,
        "joint-locked-by-limits": 9,
    },
    "openrave/exactdynamics-manusarmleft.zae": {
        "free-base": 1,
        "implausible-inertia": 9,
        "renamed": 2,
        "inconsistent-derivative": 6,
    },
    "openrave/fail1.dae": {"free-base": 1, "joint-named-like-body": 6, "implausible-inertia": 3, "assumed-radians": 1},
    "openrave/fail4.dae": {
        "default-used": 1,
        "free-base": 1,
        "implausible-inertia": 7,
        "missing-mass": 7,
        "openrave-differs": 1,
        "unknown-link": 8,
    },
    "openrave/fail5_4d.zae": {
        "default-used": 1,
        "free-base": 1,
        "missing-collision-shape": 1,
        "missing-mass": 5,
        "assumed-radians": 1,
    },
    "openrave/kawada-hironx.zae": {"free-base": 1, "zero-principal-moment": 22},
    "openrave/kuka-kr150.zae": {
        "default-used": 1,
        "free-base": 1,
        "implausible-inertia": 9,
        "missing-mass": 10,
        "unsupported-content": 12,
        "openrave-differs": 2,
        "ignored-element": 1,
        "joint-locked-by-limits": 1,
    },
    "openrave/kuka-kr3-cr.zae": {"free-base": 1, "implausible-inertia": 4},
    "openrave/kuka-kr5-r650.zae": {"free-base": 1, "implausible-inertia": 7},
    "openrave/kuka-youbot.zae": {
        "free-base": 1,
        "implausible-inertia": 7,
        "inconsistent-derivative": 2,
        "joint-locked-by-limits": 1,
    },
    "openrave/man1.zae": {"free-base": 1, "assumed-radians": 1},
    "openrave/mitsubishi-pa10.zae": {"free-base": 1, "implausible-inertia": 3},
    "openrave/mug1.dae": {"implausible-inertia": 1, "assumed-radians": 1},
    "openrave/neuronics-katana.zae": {
        "free-base": 1,
        "implausible-inertia": 9,
        "inconsistent-derivative": 2,
        "joint-locked-by-limits": 1,
    },
    "openrave/pumaarm.zae": {"free-base": 1, "inertia-violates-triangle-inequality": 2},
    "openrave/pumagripper.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave/romela-darwin-op.zae": {"free-base": 1, "assumed-sensor-defaults": 3},
    "openrave/rotation_stage.zae": {"free-base": 1, "implausible-inertia": 4},
    "openrave/schunk-lwa3.zae": {"free-base": 1, "implausible-inertia": 8},
    "openrave/testik0.zae": {
        "default-used": 1,
        "free-base": 1,
        "missing-collision-shape": 1,
        "missing-mass": 7,
        "assumed-radians": 1,
    },
    "openrave/unimation-pumaarm.zae": {"free-base": 1, "inertia-violates-triangle-inequality": 2},
    "openrave/weldinggun.zae": {
        "default-used": 1,
        "free-base": 1,
        "implausible-inertia": 9,
        "zero-axis": 1,
        "missing-mass": 11,
        "unsupported-content": 10,
        "openrave-differs": 1,
        "unbound-axis": 1,
        "joint-locked-by-limits": 8,
    },
    "openrave-elements/pg.dae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/pg.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/robot.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s00_base.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s01_mm_yup.dae": {
        "default-used": 1,
        "free-base": 1,
        "implausible-inertia": 1,
        "openrave-differs": 1,
        "up-axis-converted": 1,
    },
    "openrave-elements/s02_radians_tool.dae": {"default-used": 1, "free-base": 1, "assumed-radians": 1},
    "openrave-elements/s03_axisinfo.dae": {
        "soft-limit-exceeds-hard-limit": 2,
        "default-used": 1,
        "free-base": 1,
        "unsupported-content": 1,
    },
    "openrave-elements/s04_jointkinds.dae": {"default-used": 1, "free-base": 1, "zero-axis": 1, "joint-locked-by-limits": 2},
    "openrave-elements/s06_formula.dae": {"unreachable-coupled-position": 1, "default-used": 1, "free-base": 1},
    "openrave-elements/s07_formula_mm.dae": {
        "default-used": 1,
        "free-base": 1,
        "implausible-inertia": 1,
        "openrave-differs": 1,
    },
    "openrave-elements/s08_geometry.dae": {
        "default-used": 1,
        "elliptic-cylinder": 1,
        "triangulated-polygons": 2,
        "free-base": 1,
        "plane-on-moving-body": 1,
        "openrave-differs": 1,
        "scaled-shape": 2,
        "ignored-element": 1,
    },
    "openrave-elements/s09_collision_info.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s10_actuators.dae": {
        "default-used": 1,
        "free-base": 1,
        "inconsistent-motor-datasheet": 1,
        "suspected-rpm": 1,
    },
    "openrave-elements/s11_sensors.dae": {
        "default-used": 1,
        "free-base": 1,
        "assumed-sensor-defaults": 6,
        "unknown-sensor-target": 2,
    },
    "openrave-elements/s12_manip.dae": {"default-used": 1, "free-base": 1, "zero-axis": 1, "unknown-link": 1},
    "openrave-elements/s13_grab.dae": {"default-used": 1, "free-base": 1, "missing-mass-frame": 1},
    "openrave-elements/s14_minimal.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s14b_minimal_allaxes.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s15_minimal_openrave_uri.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s15b_minimal_zae.dae": {
        "default-used": 1,
        "missing-file": 3,
        "empty-scene": 1,
        "up-axis-converted": 1,
    },
    "openrave-elements/s15c_minimal_pgdae.dae": {
        "free-base": 1,
        "implausible-inertia": 3,
        "missing-file": 1,
        "rigid-body-without-link": 3,
        "inconsistent-derivative": 1,
    },
    "openrave-elements/s15d_minimal_relzae.dae": {
        "free-base": 1,
        "implausible-inertia": 3,
        "missing-file": 1,
        "rigid-body-without-link": 3,
        "inconsistent-derivative": 1,
    },
    "openrave-elements/s15e_host.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s15f_auth.dae": {"default-used": 1, "missing-file": 2, "empty-scene": 1, "openrave-differs": 1},
    "openrave-elements/s16_no_interface.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s17_noscene.dae": {
        "default-used": 1,
        "free-base": 1,
        "empty-scene": 1,
        "unbound-axis": 2,
        "unbound-model": 1,
    },
    "openrave-elements/s18_visual_only.dae": {
        "default-used": 1,
        "free-base": 1,
        "empty-scene": 1,
        "unbound-axis": 2,
        "unbound-model": 1,
    },
    "openrave-elements/s19_attachment_start.dae": {"default-used": 1, "free-base": 1, "incomplete-attachment": 1},
    "openrave-elements/s20_idsuffix.dae": {"default-used": 1, "free-base": 2},
    "openrave-elements/s22_kinbody.dae": {"default-used": 1, "missing-mass-frame": 3},
    "openrave-elements/s23_nomass.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s25_matrix.dae": {"default-used": 1, "free-base": 1, "openrave-differs": 1, "unknown-element": 1},
    "openrave-elements/s27_names.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/s28_xup_nounit.dae": {"default-used": 1, "free-base": 1, "up-axis-converted": 1},
    "openrave-elements/s29_gravity.dae": {"free-base": 1},
    "openrave-elements/s31_readable.dae": {"default-used": 1, "free-base": 1, "unknown-extension": 2},
    "openrave-elements/s32_bool.dae": {"default-used": 1, "free-base": 1},
    "openrave-elements/z10_manifest_ns.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z1_nomanifest.zae": {
        "free-base": 1,
        "implausible-inertia": 3,
        "missing-manifest": 1,
        "inconsistent-derivative": 1,
    },
    "openrave-elements/z2_subdir.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z3_frag.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z4_store.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z5_ws.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z6_daeext.dae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z7_case.ZAE": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z8_plain.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
    "openrave-elements/z9_subdir_entry.zae": {"free-base": 1, "implausible-inertia": 3, "inconsistent-derivative": 1},
}
"""Which findings reading and checking each file makes, and how many."""


def counts(report: Report) -> dict[str, int]:
    return dict(Counter(finding.rule.name for finding in report))


def test_every_file_is_in_the_table(corpus: Path) -> None:
    found = {f"{name}/{path.name}" for name in FOLDERS for path in (corpus / "corpus" / name).iterdir()}
    assert found == set(EXPECTED)


@pytest.mark.corpus
@pytest.mark.parametrize("name", EXPECTED)
def test_findings(name: str, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENRAVE_DATA", str(corpus / "corpus" / "openrave-elements"))
    world, report = ossature.read(corpus / "corpus" / name)
    assert world is not None
    report.extend(check(world))
    assert counts(report) == EXPECTED[name], str(report)


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["s15b_minimal_zae.dae", "s15c_minimal_pgdae.dae", "s15d_minimal_relzae.dae"])
def test_scenes_on_which_the_program_crashes(name: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robots = tmp_path / "robots"
    robots.mkdir()
    (robots / "pumagripper.zae").write_bytes((corpus / "corpus" / "openrave" / "pumagripper.zae").read_bytes())
    monkeypatch.setenv("OPENRAVE_DATA", str(tmp_path))
    world, report = ossature.read(corpus / "corpus" / "openrave-elements" / name)
    assert world is not None
    assert not report.has_errors, str(report)
    model = world.models["PumaGripper"]
    assert len(model.bodies) == 3
    assert model.joints["m1"].coordinates[0].initial_position == pytest.approx(1.5 * 3.141592653589793 / 180.0)
