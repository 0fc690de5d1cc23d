"""Sweeps: rows are those of single simulations, with the same bits in any order, in threads and in processes."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from ossature.simulation import Recording
from ossature.sweeps import (
    Design,
    Executor,
    Normal,
    Output,
    Parameter,
    ResultFolder,
    ResultsError,
    Run,
    StopCondition,
    SweepError,
    Values,
    Variants,
    make_executor,
)
from ossature.sweeps.task import InconsistentCompilationError, Task
from sweeps.pendulums import OUTPUTS, PARAMETERS, RUN, Shuffled, final_speed, pendulum

DESIGN = Design(method="random", count=14, seed=4)


@pytest.fixture(scope="module")
def reference() -> Any:
    """Return the table of a serial sweep."""
    return ossature.sweep(pendulum(), PARAMETERS, RUN, design=DESIGN).table


def rows(table: Any) -> list[dict[str, Any]]:
    return list(table.to_pylist())


def test_a_row_is_a_simulation_of_the_changed_world(reference: Any) -> None:
    for row in rows(reference)[:5]:
        world = replace(pendulum(), time_step=0.002)
        world = world.replace_at("pendulum/link", mass=row["mass"])
        world = world.replace_at("pendulum/hinge", damping=row["damping"], initial_position=0.5 + row["damping"])
        recording = ossature.Simulation(world).run(0.2, 0.02, forces=True)
        angles = [recording.joint_positions("pendulum", "hinge", sample)[0] for sample in range(11)]
        link = recording.index.bodies["pendulum"]["link"].number
        speeds = np.linalg.norm(recording.angular_velocities_body[:, link], axis=1)
        assert row["angle"] == angles[-1] and row["angles"] == angles
        assert row["lowest"] == recording.energy.sum(axis=1).min()
        assert row["speed"] == pytest.approx(np.sqrt(np.trapezoid(speeds**2, recording.times) / 0.2), rel=1e-12)
        assert row["torque"] == np.linalg.norm(recording.reactions["pendulum"]["hinge"]["force"], axis=1).max()
        assert row["ratio"] == angles[-1] / (0.5 + row["damping"])
        assert row["final_speed"] == final_speed(recording)
        assert row["status"] == "finished" and row["end_time"] == pytest.approx(0.2)


@pytest.mark.parametrize("executor", [Shuffled(1), Shuffled(2), make_executor("threads", 3), make_executor("processes", 2)])
def test_executors_and_orders_have_the_same_bits(executor: Executor, reference: Any, tmp_path: Path) -> None:
    result = ossature.sweep(pendulum(), PARAMETERS, RUN, design=DESIGN, executor=executor, output=tmp_path / "out")
    assert result.table.equals(reference)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shuffled", "threads", "processes", "ray"])
def test_a_thousand_points_have_the_same_bits(name: str, tmp_path: Path) -> None:
    if name == "ray":
        pytest.importorskip("ray")
    executor = Shuffled(1) if name == "shuffled" else make_executor(name, 2)
    design = replace(DESIGN, count=1000)
    expected = ossature.sweep(pendulum(), PARAMETERS, RUN, design=design).table
    result = ossature.sweep(pendulum(), PARAMETERS, RUN, design=design, executor=executor, output=tmp_path / "out")
    assert result.table.equals(expected)


def test_a_sweep_continues_where_it_was_interrupted(reference: Any, tmp_path: Path) -> None:
    folder, calls = tmp_path / "out", []

    def interrupt(progress: Any) -> None:
        calls.append(progress.finished)
        if len(calls) in (2, 5):
            raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            ossature.sweep(pendulum(), PARAMETERS, RUN, design=DESIGN, output=folder, progress=interrupt)
    before = ResultFolder(folder).table()
    assert 0 < before.num_rows < 14  # readable while it grows
    result = ossature.sweep(pendulum(), PARAMETERS, RUN, design=DESIGN, output=folder)
    assert result.statuses["finished"] == 14 - before.num_rows  # none is repeated
    assert result.table.equals(reference)
    assert not ossature.sweep(pendulum(), PARAMETERS, RUN, design=DESIGN, output=folder).statuses
    assert len(ResultFolder(folder).manifest()["sessions"]) == 4


def test_results_of_another_sweep_are_not_continued(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    run = Run(duration=0.01, outputs=OUTPUTS[:1])
    ossature.sweep(pendulum(), {"pendulum/link.mass": [1.0]}, run, output=folder)
    for world, values in ((pendulum(), [2.0]), (pendulum(0.6), [1.0])):
        with pytest.raises(ResultsError, match="these are results of another"):
            ossature.sweep(world, {"pendulum/link.mass": values}, run, output=folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    with pytest.raises(ResultsError, match=r"other content: 'thesis\.txt'"):
        ossature.sweep(pendulum(), {"pendulum/link.mass": [1.0]}, run, output=tmp_path / "other")


def test_failed_runs_are_rows() -> None:
    run = Run(duration=0.05, outputs=OUTPUTS[:1], functions={"inverse": _inverse})
    parameters = {"pendulum/link.mass": [1.0, -1.0], "gravity[2]": [-9.81, 1e12]}
    found = rows(ossature.sweep(pendulum(), parameters, run).table)
    assert [row["status"] for row in found] == ["finished", "failed", "failed", "failed"]
    assert found[2]["rule"] == "nonphysical-inertia" and "mass" in found[2]["message"]
    assert found[1]["rule"] == "simulation-diverged" and found[1]["angle"] is None
    stiff = rows(ossature.sweep(pendulum(), {"gravity[2]": [0.0, -9.81]}, run).table)
    assert stiff[0]["rule"] == "failed-metric" and "ZeroDivisionError" in stiff[0]["message"]
    assert stiff[0]["angle"] is not None and stiff[1]["status"] == "finished"


def _inverse(recording: Recording) -> float:
    return 1.0 / recording.joint_velocities("pendulum", "hinge")[0]


def test_a_formula_without_a_value_is_a_failed_run() -> None:
    parameters = {"pendulum/link.mass": "log(0 - 1)", "gravity[2]": [-9.81]}
    row = rows(ossature.sweep(pendulum(), parameters, Run(duration=0.01)).table)[0]
    assert (row["status"], row["rule"], row["pendulum/link.mass"]) == ("failed", "impossible-parameter", None)


def test_a_stop_condition_ends_a_run() -> None:
    condition = StopCondition(quantity="pendulum/hinge.positions[0]", below=0.0)
    run = Run(duration=2.0, time_step=0.002, sample_interval=0.01, outputs=OUTPUTS[:1], stop=[condition])
    row = rows(ossature.sweep(pendulum(), {"pendulum/link.mass": [2.0]}, run).table)[0]
    full = ossature.Simulation(replace(pendulum(), time_step=0.002)).run(2.0, 0.01)
    angles = [full.joint_positions("pendulum", "hinge", sample)[0] for sample in range(len(full.times))]
    first = next(sample for sample, angle in enumerate(angles) if angle < 0.0)
    assert (row["status"], row["end_time"], row["angle"]) == ("stopped", full.times[first], angles[first])


def test_events() -> None:
    quantity = "pendulum/hinge.positions[0]"
    outputs = [
        Output(name="below", quantity=quantity, statistic="first-below", threshold=0.3),
        Output(name="above", quantity=quantity, statistic="first-above", threshold=1.3),
        Output(name="limit", quantity=quantity, statistic="first-at-limit"),
        Output(name="when", quantity=quantity, statistic="time-of-minimum"),
        Output(name="travel", quantity="pendulum/hinge.velocities[0]", statistic="integral"),
    ]
    run = Run(duration=1.0, time_step=0.002, sample_interval=0.002, outputs=outputs)
    slow, fast = rows(ossature.sweep(pendulum(), {"pendulum/hinge.initial_velocity": [0.0, -9.0]}, run).table)
    full = ossature.Simulation(replace(pendulum(), time_step=0.002)).run(1.0, 0.002)
    angles = np.array([full.joint_positions("pendulum", "hinge", sample)[0] for sample in range(len(full.times))])
    assert slow["below"] == full.times[np.argmax(angles < 0.3)] and slow["above"] is None and slow["limit"] is None
    assert slow["when"] == full.times[angles.argmin()]
    assert slow["travel"] == pytest.approx(angles[-1] - angles[0], abs=1e-4)
    assert fast["limit"] is not None and 0.0 < fast["limit"] < 0.4


def test_lengths_and_time_steps_are_compiled_anew() -> None:
    run = Run(duration=0.1, outputs=OUTPUTS[:1])
    parameters = {"pendulum/link.inertial.center_of_mass[2]": [-0.2, -0.3], "time_step": [0.001, 0.002]}
    found = rows(ossature.sweep(pendulum(), parameters, run).table)
    for row in found:
        world = replace(pendulum(), time_step=row["time_step"])
        height = row["pendulum/link.inertial.center_of_mass[2]"]
        simulation = ossature.Simulation(world.replace_at("pendulum/link", center_of_mass=[0.0, 0.0, height]))
        simulation.run(0.1)
        assert row["angle"] == simulation.positions()["pendulum"]["hinge"][0]
    assert len({row["angle"] for row in found}) == 4


def test_variants_of_the_model() -> None:
    parameters = [Parameter(name="length", source=Variants(("short", "long"))), *PARAMETERS[:1]]
    worlds = {"short": pendulum(0.3), "long": pendulum(0.8)}
    table = ossature.sweep(worlds, parameters, replace(RUN, functions={}, metrics=()), design=replace(DESIGN, count=6)).table
    for row in rows(table):
        single = ossature.sweep(worlds[row["length"]], {"pendulum/link.mass": [row["mass"]]}, replace(RUN, metrics=())).table
        assert row["angles"] == rows(single)[0]["angles"]


def test_recordings_of_each_run(tmp_path: Path) -> None:
    run = replace(RUN, recordings=".parquet")
    result = ossature.sweep(pendulum(), PARAMETERS, run, design=replace(DESIGN, count=3), output=tmp_path / "out")
    from ossature.diagnostics import Report
    from ossature.recordings import open_recording

    for row in rows(result.table):
        recording = open_recording(tmp_path / "out" / "recordings" / f"run-{row['index']:08d}.parquet", Report())
        column = recording.header.columns.labels.index("pendulum/hinge.positions[0]")
        assert recording.table()[:, column].tolist() == row["angles"]


def test_relative_values_multiply_those_of_the_model() -> None:
    relative = Parameter(name="scale", paths=("pendulum/link.mass",), source=Values((0.5, 1.5)), is_relative=True)
    run = Run(duration=0.05, outputs=OUTPUTS[:1])
    scaled = ossature.sweep(pendulum(), [relative], run).table
    absolute = ossature.sweep(pendulum(), {"pendulum/link.mass": [1.0, 3.0]}, run).table
    assert scaled.column("angle").equals(absolute.column("angle"))


def test_errors_name_what_exists() -> None:
    run = Run(duration=0.1, outputs=[Output(name="mass", quantity="pendulum/hing.positions[0]")])
    parameters = [
        Parameter(name="mass", paths=("pendulum/link.mas",), source=Values((1.0,))),
        Parameter(name="pose", paths=("pendulum/link.pose",), source=Values((1.0,))),
        Parameter(name="index", paths=("gravity",), source=Values((1.0,))),
        Parameter(name="twice", paths=("gravity[2]", "gravity[2]"), source=Normal(0.0, 1.0)),
        Parameter(name="again", paths=("gravity[2]",), source=Normal(0.0, 1.0)),
    ]
    with pytest.raises(SweepError) as error:
        ossature.sweep(pendulum(), parameters, run, design=DESIGN, constraints=["mas < 1"])
    text = str(error.value)
    for expected in (
        "did you mean 'mass'?",
        "did you mean 'pendulum/hinge.positions[0]'?",
        "'pendulum/link.pose' is a Pose, not a number",
        "'gravity' is a tuple, not a number; append an index: [0]",
        "'gravity[2]' is set by two parameters: 'twice' and 'again'",
        "the name 'mass' is used twice",
        "the name 'index' is the name of another column",
        "unknown name 'mas': did you mean 'mass'?",
    ):
        assert expected in text


def test_a_difference_from_a_model_compiled_anew_ends_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Task.compiled

    def wrong(self: Task, point: Any, *, anew: bool = False) -> Any:
        other = replace(point, values={**point.values, "pendulum/link.mass": 2.5})
        return original(self, other if anew else point, anew=anew)

    monkeypatch.setattr(Task, "compiled", wrong)
    with pytest.raises(InconsistentCompilationError, match="run 0 differs"):
        ossature.sweep(pendulum(), {"pendulum/link.mass": [2.0]}, Run(duration=0.1, outputs=OUTPUTS[1:2]))


def test_provenance(tmp_path: Path) -> None:
    ossature.sweep(pendulum(), PARAMETERS, RUN, design=replace(DESIGN, count=2), output=tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    session = manifest["sessions"][0]
    assert (session["executor"], session["seed"], session["versions"]["ossature"]) == ("serial", 4, ossature.__version__)
    assert manifest["count"] == 2 and len(manifest["model_digest"]) == 64


@pytest.mark.skipif(sys.platform != "linux", reason="threads have an affinity on Linux")
def test_as_many_threads_as_processors_stay_on_one_each() -> None:
    """Those of the program that calls do not change."""
    before, found = os.sched_getaffinity(0), list[set[int]]()

    def note(recording: Recording) -> float:
        found.append(os.sched_getaffinity(0))
        return 0.0

    run = Run(duration=0.01, outputs=OUTPUTS[:1], functions={"affinity": note})
    ossature.sweep(pendulum(), PARAMETERS, run, design=replace(DESIGN, count=40), executor="threads")
    assert found and all(len(one) == 1 and one <= before for one in found)
    assert os.sched_getaffinity(0) == before
