"""One state of a recording, selected by its time or number, and states as files."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import Report
from ossature.recordings import MissingSampleError, open_recording


@pytest.fixture(scope="module", params=["usdf", "npz"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / f"run.{request.param}"
    simulation = ossature.Simulation(ossature.load(PROJECT / "examples" / "palletizer.urdf", base="by-rule"))
    simulation.run(0.05, sample=0.01, record=path)
    return path


@pytest.mark.parametrize(
    ("selection", "time"),
    [({}, 0.05), ({"time": 0.025}, 0.02), ({"number": 1}, 0.01), ({"number": -6}, 0.0), ({"time": 9.0}, 0.05)],
)
def test_a_sample_is_selected_by_time_or_number(file: Path, selection: dict[str, float], time: float) -> None:
    assert ossature.load_state(file, **selection).time == pytest.approx(time)  # type: ignore[arg-type]


@pytest.mark.parametrize("selection", [{"time": -1.0}, {"number": 6}, {"number": -7}])
def test_a_missing_sample_is_an_error_with_those_that_exist(file: Path, selection: dict[str, float]) -> None:
    with pytest.raises(MissingSampleError, match=r"samples 0 to 5, from 0 to 0\.05 s"):
        ossature.load_state(file, **selection)  # type: ignore[arg-type]


@pytest.mark.parametrize("selection", [{"time": 0.0, "number": 0}, {"time": float("nan")}])
def test_an_ambiguous_selection_is_refused(file: Path, selection: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="time"):
        ossature.load_state(file, **selection)  # type: ignore[arg-type]


def test_a_saved_state_is_loaded_bit_exactly(tmp_path: Path) -> None:
    world = ossature.load(PROJECT / "examples" / "double_pendulum.skel")
    simulation, restarted = ossature.Simulation(world), ossature.Simulation(world)
    simulation.step(100)
    ossature.save_state(simulation.state(), tmp_path / "s.usdf")
    restarted.restore(ossature.load_state(tmp_path / "s.usdf"))
    simulation.step(50)
    restarted.step(50)
    assert restarted.data.qpos.tobytes() == simulation.data.qpos.tobytes()


def test_findings_of_a_state_are_reported_once(tmp_path: Path) -> None:
    joint = '<joint_state name="a"><position>1</position></joint_state>'
    (tmp_path / "s.usdf").write_text(f'<world_state><model_state name="m">{joint}</model_state></world_state>')
    report = Report()
    recording = open_recording(tmp_path / "s.usdf", report)
    for _ in range(2):
        recording.state()
    assert [finding.rule.name for finding in report] == ["unknown-element"]


def test_errors_name_the_file_and_the_valid_choices(tmp_path: Path) -> None:
    state = ossature.Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel")).state()
    with pytest.raises(ValueError, match=r"\.usdf files, not to 's.json'"):
        ossature.save_state(state, tmp_path / "s.json")
    with pytest.raises(ossature.LoadError, match="no such file"):
        ossature.load_state(tmp_path / "missing.usdf")
    (tmp_path / "broken.usdf").write_text("<world_state><model_state></world_state>")
    with pytest.raises(ossature.LoadError, match=r"broken.usdf:1"):
        ossature.load_state(tmp_path / "broken.usdf")
