"""USDF recordings whose samples have other links, joints or numbers of values than the first state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.formats.usdf import read_recording
from ossature.recordings import open_recording
from ossature.syntax import xml_parser

HEAD = '<world_state xmlns:ossature="urn:ossature:usdf" name="w" ossature:time="0">'


def model(joints: str) -> str:
    return f'<model_state name="arm"><pose>0 0 0 0 0 0</pose>{joints}</model_state>'


def joint(name: str, positions: str) -> str:
    return f'<joint_state name="{name}"><positions>{positions}</positions></joint_state>'


def recording(tmp_path: Path, *contents: str) -> Path:
    path = tmp_path / "run.usdf"
    first, *others = map(model, contents)
    samples = [f'<ossature:sample time="{time}">{each}</ossature:sample>' for time, each in enumerate(others, 1)]
    path.write_text(f"{HEAD}{first}{''.join(samples)}</world_state>")
    return path


@pytest.mark.parametrize(
    ("contents", "message", "turn"),
    [
        (
            [joint("wrist", "1 2"), joint("wrist", "3"), joint("wrist", "4 5")],
            "'arm/wrist' does not have 2 positions, but 1",
            [1, np.nan, 4],
        ),
        ([joint("wrist", "1"), joint("wrist", "2") + joint("lift", "3")], "'arm/lift' has no positions in the first", [1, 2]),
    ],
)
def test_joints_that_the_first_state_does_not_have(
    contents: list[str], message: str, turn: list[float], tmp_path: Path, report: Report
) -> None:
    opened = open_recording(recording(tmp_path, *contents), report)
    np.testing.assert_array_equal(opened.table()[:, 1], turn)
    (finding,) = report.take("column-count-mismatch")
    assert message in finding.message
    assert finding.location is not None
    assert finding.location.line == 1


def test_links_that_the_first_state_does_not_have(tmp_path: Path, report: Report) -> None:
    link = '<link_state name="hand"><pose>1 0 0 0 0 0</pose></link_state>'
    opened = open_recording(recording(tmp_path, joint("turn", "1"), joint("turn", "2") + link), report)
    assert len(opened.table()) == 2
    assert "'arm/hand' has no pose in the first sample" in report.take("column-count-mismatch")[0].message
    assert [len(state.models["arm"].links) for state in opened.states()] == [0, 1]  # nothing is lost from states


def test_a_state_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    stream = xml_parser.stream
    monkeypatch.setattr(read_recording.xml_parser, "stream", lambda *args: passes.append(args) or stream(*args))
    path = recording(tmp_path, joint("turn", "1"), joint("turn", "2"))
    assert ossature.load_state(path).models["arm"].joints["turn"].positions == (2.0,)
    assert len(passes) == 1
    opened = open_recording(path)
    assert [len(list(opened.states())) for _ in range(2)] == [2, 2]
    assert len(passes) == 3
