"""Recordings in all formats: equal numbers, and complete samples after process termination or disk errors."""

from __future__ import annotations

import io
import json
import random
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT, example_models
from ossature.diagnostics import OssatureError, Report
from ossature.model import Body, Coordinate, Floating, Inertial, Joint, Model, NamedList, Spherical, World
from ossature.recordings import SUFFIXES, RecordingError, RecordingFile, open_recording
from ossature.recordings.sample_interpolation import resample_rows
from ossature.recordings.state_conversion import states_of_rows
from ossature.recordings.write_parquet_and_npz import NPZ_HEADER, NPZ_SAMPLES
from ossature.simulation import Simulation
from ossature.simulation.observation.file_recorder import RecordingStoppedError
from ossature.spatial import Pose, conjugate, multiply, quaternion_from_rotation_vector
from simulation.test_grasp_dynamics import arm, cup

pytest.importorskip("pyarrow")

EXAMPLES = example_models(".skel", ".yaml", ".dae")
IN_PLACE = (".usdf", ".csv", ".json")


def opened(path: Path) -> RecordingFile:
    report = Report()
    recording = open_recording(path, report)
    assert not report, str(report)
    return recording


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_all_formats_have_the_same_numbers(path: Path, tmp_path: Path) -> None:
    world = ossature.load(path)
    kept = Simulation(world).run(0.1, sample=0.01)
    kept.save(tmp_path / "kept.json")
    expected = json.loads((tmp_path / "kept.json").read_text())
    files = {}
    for suffix in SUFFIXES:
        file = tmp_path / f"run{suffix}"
        last = Simulation(world).run(0.1, sample=0.01, record=file, keep=False)
        assert len(last.times) == 1
        files[suffix] = opened(file)
    assert json.loads((tmp_path / "run.json").read_text())["samples"] == expected["samples"]
    assert files[".json"].header == files[".parquet"].header
    kept.save(tmp_path / "kept.csv")
    assert (tmp_path / "run.csv").read_text() == (tmp_path / "kept.csv").read_text()
    tables = {suffix: recording.table() for suffix, recording in files.items()}
    for suffix in (".npz", ".csv", ".json"):
        assert tables[suffix].tobytes() == tables[".parquet"].tobytes()
    for of_usdf, of_arrow in zip(files[".usdf"].states(), files[".parquet"].states(), strict=True):
        assert of_usdf.models == of_arrow.models
        assert (of_usdf.time, of_usdf.fingerprint) == (of_arrow.time, of_arrow.fingerprint)
    assert files[".usdf"].header == files[".parquet"].header
    # Velocities of bodies are turned into their axes and back.
    assert np.allclose(tables[".usdf"], tables[".parquet"], rtol=1e-15, atol=1e-12)


def test_parquet_is_read_by_arrow(tmp_path: Path) -> None:
    import pyarrow.parquet

    file = tmp_path / "run.parquet"
    recording = Simulation(ossature.load(PROJECT / "examples" / "arm.skel")).run(0.1, sample=0.01, record=file)
    table = pyarrow.parquet.read_table(str(file))
    assert table["time"].to_pylist() == recording.times.tolist()
    assert not file.with_name("run.parquet.part").exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_growing_file_can_be_read(suffix: str, tmp_path: Path) -> None:
    """Samples are written together only if they are taken within 50 ms."""
    file = tmp_path / f"run{suffix}"
    counts = []

    def look(share: float) -> None:
        counts.append(len(opened(file).table()))
        time.sleep(0.06)

    simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    simulation.run(0.05, sample=0.01, progress=look, record=file)
    assert counts == [1, 2, 3, 4, 5]
    assert len(opened(file).table()) == 6


ENDLESS = """if True:
    import sys, ossature
    from pathlib import Path
    from ossature.simulation import Simulation
    simulation = Simulation(ossature.load(sys.argv[1]))
    simulation.run(1e4, sample=simulation.time_step, record=Path(sys.argv[2]), keep=False,
                   progress=lambda share: print(round(share * 1e4 / simulation.time_step), flush=True))
"""


def killed(file: Path, wait: float) -> int:
    """Record until the process is killed; return the number of steps that it reported."""
    arguments = [sys.executable, "-c", ENDLESS, str(PROJECT / "examples" / "double_pendulum.skel"), str(file)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        first = program.stdout.readline()
        time.sleep(wait)
        program.send_signal(signal.SIGKILL)
        output = [first, *program.stdout.readlines()]
    return int([line for line in output if line.endswith("\n")][-1])


def survives(suffix: str, tmp_path: Path, wait: float) -> None:
    file = tmp_path / f"run{suffix}"
    steps = killed(file, wait)
    report = Report()
    recording = open_recording(file, report)
    table = recording.table()
    report.take("truncated-recording")
    assert not report
    # Progress is reported after steps, and samples are taken between them; up to 16 are written together.
    assert len(table) >= steps - 15
    whole = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    whole.run(whole.time_step * (len(table) - 1), sample=whole.time_step, record=tmp_path / "whole.npz", keep=False)
    expected = opened(tmp_path / "whole.npz").table()
    if suffix == ".usdf":
        assert np.allclose(table, expected, atol=1e-12)
    else:
        assert table.tobytes() == expected.tobytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_killed_processes_leave_all_complete_samples(suffix: str, tmp_path: Path) -> None:
    survives(suffix, tmp_path, random.Random(suffix).uniform(0.0, 0.3))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_processes_killed_at_any_instant(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    survives(chance.choice(SUFFIXES), tmp_path, chance.uniform(0.0, 1.0))


@pytest.mark.parametrize("suffix", IN_PLACE)
def test_truncated_files(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"run{suffix}"
    Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel")).run(0.02, sample=0.002, record=file)
    content, whole = file.read_bytes(), opened(file).table()
    begin = len(content) // 4
    chance = random.Random(0)
    for cut in sorted({begin, len(content) - 1, *(chance.randrange(begin, len(content)) for _ in range(30))}):
        file.write_bytes(content[:cut])
        report = Report()
        try:
            table = open_recording(file, report).table()
        except RecordingError:
            assert suffix == ".usdf"  # the first state with its checkpoint was incomplete
            continue
        assert table.tobytes() == whole[: len(table)].tobytes()
        assert len(table) >= (cut - begin) * len(whole) // len(content) // 2
        report.take("truncated-recording")
        assert not report


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_loses_nothing(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"run{suffix}"
    simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        with pytest.raises(RecordingStoppedError, match=r"file too large; \d+ samples are in .*run") as caught:
            simulation.run(10.0, sample=0.001, record=file, keep=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    table = opened(file).table()
    assert f"; {len(table)} samples" in str(caught.value)
    assert len(table) > 5
    if suffix == ".json":
        json.loads(file.read_text())  # for anybody's reader
    assert np.allclose(np.diff(table[:, 0]), 0.001)


@pytest.mark.parametrize("suffix", [".csv", ".usdf"])
def test_memory_does_not_grow(suffix: str, tmp_path: Path) -> None:
    def most(duration: float) -> int:
        tracemalloc.start()
        try:
            simulation.run(duration, sample=0.001, record=tmp_path / f"run{suffix}", keep=False)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    most(0.01)
    short, long = most(0.1), most(1.0)
    assert long - short < (tmp_path / f"run{suffix}").stat().st_size / 5  # garbage that waits for its collector


def test_files_that_are_not_recordings(tmp_path: Path) -> None:
    world = ossature.load(PROJECT / "examples" / "arm.skel")
    with pytest.raises(OssatureError, match=r"\.usdf, \.parquet"):
        Simulation(world).run(0.1, record=tmp_path / "run.xls")
    for name, content in {
        "a.csv": "x,y\n1,2\n",
        "a.json": "[1",
        "b.json": '{"samples": []}',
        "a.parquet": "PAR1",
        "a.npz": "PK",
        "a.npz.part": "no",
        "b.usdf": "<robot/>",
        "a.xls": "",
    }.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(RecordingError):
            open_recording(tmp_path / name, Report())
    with pytest.raises(RecordingError):
        open_recording(tmp_path / "missing.csv", Report())


def test_a_path_may_be_a_string(tmp_path: Path) -> None:
    Simulation(ossature.load(PROJECT / "examples" / "arm.skel")).run(0.01, record=str(tmp_path / "run.csv"))
    assert len(opened(tmp_path / "run.csv").table()) == 2


def test_a_journal_of_another_run_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    simulation.run(0.01, sample=0.001, record=file)
    (tmp_path / "run.npz.part").write_bytes(b"left")
    with pytest.raises(OssatureError, match="contains an interrupted recording"):
        simulation.run(0.01, sample=0.001, record=file)
    assert (tmp_path / "run.npz.part").read_bytes() == b"left"


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_damage_in_the_middle_is_an_error_with_its_location(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"run{suffix}"
    Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel")).run(0.02, sample=0.001, record=file)
    lines = file.read_bytes().splitlines(keepends=True)
    lines[10] = lines[10].replace(b",", b",,", 1)
    file.write_bytes(b"".join(lines))
    report = Report()
    with pytest.raises(RecordingError, match=r"line 11" if suffix == ".csv" else r"line 11 column"):
        open_recording(file, report).table()
    assert not report.take("truncated-recording")
    assert report.take("invalid-recording")


@pytest.mark.parametrize("word", ["1_0", "\u0663", "1\u00a0"], ids=ascii)
def test_csv_has_numbers_of_ascii_characters_without_underscores(word: str, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel")).run(0.02, sample=0.001, record=file)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[10] = ",".join([*lines[10].split(",")[:-1], f"{word}\n"])
    file.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(RecordingError, match="line 11"):
        open_recording(file, Report()).table()


def test_hostile_headers_do_not_allocate_memory(tmp_path: Path) -> None:
    file = tmp_path / "wide.npz.part"
    columns = [["time", "", "", "", None], *(["bodies", "m", f"b{n}", "position", 9999] for n in range(1500))]
    header = {"columns": columns, "name": "w", "poses": {}, "fingerprint": None}
    file.write_bytes(b"ossature-journal 1 " + json.dumps(header).encode() + b"\n")
    tracemalloc.start()
    with pytest.raises(RecordingError, match="columns"):
        open_recording(file, Report())
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()
    header["columns"] = []
    file.write_bytes(b"ossature-journal 1 " + json.dumps(header).encode() + b"\n")
    with pytest.raises(RecordingError, match="not those of an Ossature recording"):
        open_recording(file, Report())


@pytest.mark.parametrize("kind", ["<U", ">U"])
def test_a_header_with_invalid_code_points_is_refused(kind: str, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.array("x" * 40, dtype=f"{kind}40"))
    data = bytearray(buffer.getvalue())
    data[-160:] = np.full(40, 0x110000, dtype=f"{kind[0]}u4").tobytes()
    file = tmp_path / "recording.npz"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{NPZ_HEADER}.npy", bytes(data))
        archive.writestr(f"{NPZ_SAMPLES}.npy", b"")
    with pytest.raises(RecordingError, match="UTF-32"):
        open_recording(file, Report())


ODD_NAMES = """<robot name="a/b %2F $x$ [m]">
  <link name="base"/>
  <link name="ar/m"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hi/nge" type="continuous"><parent link="base"/><child link="ar/m"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_unusual_names_and_poses_of_models(suffix: str, tmp_path: Path) -> None:
    (tmp_path / "odd.urdf").write_text(ODD_NAMES)
    world = ossature.load(tmp_path / "odd.urdf")
    placed = replace(world.models[0], pose=Pose((1.0, 2.0, 3.0), (0.6, 0.0, 0.0, 0.8)))
    world = replace(world, models=NamedList([placed]))
    simulation = Simulation(world, report=Report())
    file = tmp_path / f"run{suffix}"
    simulation.run(0.1, sample=0.05, record=file)
    recording = opened(file)
    assert {(one.model, one.name) for one in recording.header.columns.quantities if one.group == "joints"} >= {
        ("a/b %2F $x$ [m]", "hi/nge")
    }
    *_, last = recording.states()
    again = Simulation(world, report=Report())
    again.restore(last)
    np.testing.assert_allclose(again.data.xpos, simulation.data.xpos, atol=1e-12)
    np.testing.assert_allclose(again.data.qvel, simulation.data.qvel, atol=1e-12)


def test_grasps_are_in_every_usdf_sample(tmp_path: Path) -> None:
    world = World(models=NamedList([arm(), cup()]))
    simulation = Simulation(world, report=Report())
    simulation.schedule(0.02, lambda: simulation.grasp("arm/hand", "cup/cup"))
    simulation.schedule(0.04, lambda: simulation.release("cup/cup"))
    simulation.run(0.06, sample=0.01, record=tmp_path / "run.usdf")
    grasp_counts = [len(state.grasps or ()) for state in opened(tmp_path / "run.usdf").states()]
    assert grasp_counts == [0, 0, 0, 1, 1, 0, 0]


def test_rotation_vectors_are_resampled_as_rotations(tmp_path: Path) -> None:
    """A body that turns at a steady rate passes half a turn, where its rotation vector jumps."""
    spin = Joint(name="free", type=Floating(), parent=None, child="body", coordinates=_coordinates((0.0, 0.0, 3.0), 6))
    ball = Joint(name="ball", type=Spherical(), parent=None, child="ball", coordinates=_coordinates((0.0, 0.0, 3.0), 3))
    bodies = [Body(name=name, inertial=Inertial(moment=((0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)))) for name in ("body", "ball")]
    world = World(
        models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList([spin, ball]))]), gravity=(0.0, 0.0, 0.0)
    )
    for suffix in (".npz", ".usdf", ".json"):
        file = tmp_path / f"spin{suffix}"
        Simulation(world, report=Report()).run(2.0, sample=0.1, record=file)
        recording = opened(file)
        rows = (row for block in recording.rows() for row in block)
        header = recording.header
        found = list(resample_rows(header, rows, 0.03))
        assert len(found) == 67
        again = Simulation(world, report=Report())
        for state in (next(states_of_rows(header, row[None])) for row in found):
            again.restore(state)
            expected = Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector((0.0, 0.0, 3.0 * state.time)))
            for body in ("body", "ball"):
                turn = multiply(conjugate(expected.wxyz), again.poses()["m"][body].wxyz)
                assert abs(turn[0]) == pytest.approx(1.0, abs=1e-6)


def _coordinates(velocities: tuple[float, ...], count: int) -> tuple[Coordinate, ...]:
    padded = (*velocities, *(0.0 for _ in range(count - len(velocities))))
    return tuple(Coordinate(initial_velocity=velocity) for velocity in padded)


def test_every_interval_has_its_last_sample(tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel")).run(2.0, sample=0.01, record=file)
    recording = opened(file)
    table = recording.table()
    assert len(table) == 201
    assert np.array(list(resample_rows(recording.header, table, 0.01))).tobytes() == table.tobytes()
    assert [row[0] for row in resample_rows(recording.header, table, 0.5, start=-3.0, end=1.2)] == pytest.approx(
        [0.0, 0.5, 1.0]
    )
