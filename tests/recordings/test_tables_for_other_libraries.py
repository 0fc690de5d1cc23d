"""Recordings and ledgers in pandas, Polars, xarray, MCAP and Rerun, against the recording itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import Ledger, Report
from ossature.recordings import open_recording

EXAMPLES = PROJECT / "examples"


@pytest.fixture(scope="module", params=["arm.skel", "slider_crank.yaml", "double_pendulum.skel"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[ossature.Recording, Path]:
    path = tmp_path_factory.mktemp("run") / "run.npz"
    simulation = ossature.Simulation(ossature.load(EXAMPLES / request.param))
    return simulation.run(0.05, 0.01, record=path), path


def test_columns_are_those_of_the_file(recorded: tuple[ossature.Recording, Path]) -> None:
    recording, path = recorded
    columns, rows = recording.to_rows()
    file = open_recording(path, Report())
    assert columns.labels == file.header.columns.labels
    assert np.array_equal(rows, file.table())
    assert list(recording.to_columns()) == columns.labels
    assert np.array_equal(recording.to_columns()["time"], recording.times)


def test_arrow(recorded: tuple[ossature.Recording, Path]) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    recording, path = recorded
    columns = recording.to_columns()
    for source in (recording, open_recording(path, Report())):
        frames = (
            [pandas.DataFrame.from_arrow(source), polars.DataFrame(source)] if hasattr(pandas.DataFrame, "from_arrow") else []
        )
        for frame in [*frames, pyarrow.table(source).to_pandas()]:
            assert list(frame.columns) == list(columns)
            assert all(np.array_equal(frame[name], values) for name, values in columns.items())


def test_xarray(recorded: tuple[ossature.Recording, Path]) -> None:
    pytest.importorskip("xarray")
    recording, _ = recorded
    dataset, columns = recording.to_xarray(), recording.to_columns()
    assert np.array_equal(dataset["time"], recording.times)
    assert dataset["time"].attrs["units"] == "s"
    joined = {
        f"{name}[{number}]": values[:, number]
        for name, values in dataset.items()
        if values.ndim == 2
        for number in range(values.shape[1])
    }
    joined |= {name: values for name, values in dataset.items() if values.ndim == 1}
    assert joined.keys() == columns.keys() - {"time"}
    assert all(np.array_equal(values, columns[name]) for name, values in joined.items())


def test_ledgers_are_tables() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    ledger = Ledger()
    ledger.dropped("arm/elbow.coordinates[0].damping", "not in the format", before="0.5 N·m·s/rad")
    ledger.approximated("arm/hand", "as a box", error=1e-3)
    rows = pyarrow.table(ledger).to_pylist()
    assert rows == ledger.to_records()
    assert pyarrow.table(Ledger()).num_rows == 0


def test_mcap(tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader")
    simulation = ossature.Simulation(ossature.load(EXAMPLES / "slider_crank.yaml"))
    recording = simulation.run(0.03, 0.01, record=tmp_path / "run.mcap")
    assert not list(tmp_path.glob("*.part"))
    messages: dict[str, list[dict[str, object]]] = {}
    with (tmp_path / "run.mcap").open("rb") as file:
        for schema, channel, message in reader.make_reader(file).iter_messages():
            assert schema.encoding == "jsonschema"
            assert json.loads(schema.data)["title"] == schema.name
            assert message.log_time == round(recording.times[len(messages.get(channel.topic, []))] * 1e9)
            messages.setdefault(channel.topic, []).append(json.loads(message.data))
    model = next(iter(recording.index.bodies))
    assert set(messages) == {"/tf", f"/{model}/joint_states", "/dynamics"}
    last = {one["child_frame_id"]: one for one in messages["/tf"][-1]["transforms"]}
    crank = recording.body(model, "crank")
    assert tuple(last[f"{model}/crank"]["translation"].values()) == crank.position
    assert tuple(last[f"{model}/crank"]["rotation"][axis] for axis in "wxyz") == crank.wxyz
    states = messages[f"/{model}/joint_states"][-1]
    joints = recording.index.joints[model]
    assert states["position"] == [value for name in joints for value in recording.joint_positions(model, name)]
    assert states["velocity"] == [value for name in joints for value in recording.joint_velocities(model, name)]
    assert len(set(states["name"])) == len(states["position"])
    assert messages["/dynamics"][-1] == recording._energy_and_forces_data(-1)


def test_rerun(tmp_path: Path) -> None:
    pytest.importorskip("rerun")
    simulation = ossature.Simulation(ossature.load(EXAMPLES / "slider_crank.yaml"))
    simulation.run(0.03, 0.01, record=tmp_path / "run.rrd")
    content = (tmp_path / "run.rrd").read_bytes()
    assert content.startswith(b"RRF")
    assert b"/world/" in content and b"/plots/energy/kinetic" in content  # entity paths
