"""Angles of poses of more than a turn are reported in each format that has radians, with a fix."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import ossature
from ossature.diagnostics import Report
from ossature.diagnostics.shared_rules import SUSPECTED_DEGREES
from ossature.recordings import open_recording

BODY = '<body name="b"><transformation>1 2 3 0 0 {}</transformation><inertia><mass>1</mass></inertia></body>'
WELD = '<joint type="weld" name="j"><parent>world</parent><child>b</child></joint>'
SKEL = f'<skel version="1.0"><world name="w"><skeleton name="s">{BODY}{WELD}</skeleton></world></skel>'
SDF = '<sdf version="1.9"><model name="m"><link name="l"><pose{}>1 2 3 0 0 {}</pose></link></model></sdf>'
USDF = '<world_state><model_state name="m"><pose>1 2 3 0 0 {}</pose></model_state></world_state>'
URDF = (
    '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
    '<origin xyz="1 2 3" rpy="0 0 {}"/></joint></robot>'
)
TEXTS = {".skel": SKEL, ".sdf": SDF.replace("{}", "", 1), ".usdf": USDF, ".urdf": URDF}


def findings(path: Path) -> list[ossature.diagnostics.Diagnostic]:
    report = Report()
    if path.suffix == ".usdf":
        open_recording(path, report)
    else:
        report = ossature.read(path)[1]
    return [finding for finding in report if finding.rule is SUSPECTED_DEGREES]


@pytest.mark.parametrize("suffix", TEXTS)
def test_angles_of_more_than_a_turn(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    text = TEXTS[suffix].format("-90.0")
    path.write_text(text)
    (finding,) = findings(path)
    assert "90 rad" in finding.message
    assert finding.location is not None
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    path.write_text(text[: edit.start] + edit.text + text[edit.stop :])
    assert edit.text.split()[-1] == repr(math.radians(-90.0))
    assert not findings(path)


@pytest.mark.parametrize("suffix", TEXTS)
def test_a_whole_turn_is_plausible(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{suffix}"
    path.write_text(TEXTS[suffix].format("-6.2832"))
    assert not findings(path)


def test_stated_degrees_are_not_suspected(tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(SDF.format(' degrees="true"', "90"))
    assert not findings(path)


def test_each_pose_of_a_model_is_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(
        '<sdf version="1.9"><model name="m"><pose>0 0 0 0 0 90</pose><frame name="f"><pose>0 0 0 0 0 91</pose></frame>'
        '<link name="l"><pose relative_to="f">0 0 0 0 0 92</pose></link><link name="k"/>'
        '<joint name="j" type="fixed"><pose>0 0 0 0 0 93</pose><parent>l</parent><child>k</child></joint></model></sdf>'
    )
    assert sorted(finding.message.split()[5] for finding in findings(path)) == ["90", "91", "92", "93"]


def test_bodies_may_turn_more_than_once_in_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "recording.usdf"
    model = '<model_state name="m"><pose>1 2 3 0 0 {}</pose></model_state>'
    samples = "".join(f'<ossature:sample time="{yaw}">{model.format(yaw)}</ossature:sample>' for yaw in range(1, 20))
    path.write_text(USDF.format("0").replace("</world_state>", f"{samples}</world_state>"))
    report = Report()
    assert len(list(open_recording(path, report).states())) == 20
    assert not report.take("suspected-degrees")
