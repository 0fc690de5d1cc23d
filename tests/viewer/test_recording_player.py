"""Simulation, playback and inverse kinematics of the viewer, without a browser."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.cli.app import app
from ossature.diagnostics import OssatureError, Report
from ossature.kinematics import poses
from ossature.kinematics.apply_state import start_at_positions
from ossature.model import Body, Collision, Floating, Joint, Model, NamedList, Plane, Sphere, World
from ossature.recordings.write import SUFFIXES
from ossature.simulation import Simulation
from ossature.simulation.contacts import ContactsAt, contact_points
from ossature.simulation.observation.concatenate_recordings import concatenate
from ossature.spatial import Pose, add
from ossature.viewer.file_watcher import FileWatcher
from ossature.viewer.interactive_ik import InteractiveIk, end_effector_choices
from ossature.viewer.joint_configuration import JointConfiguration
from ossature.viewer.latest_only_worker import LatestOnlyWorker
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.playback_recording import PlaybackFrame, playback_of, read_playback
from ossature.viewer.realtime_runner import RealtimeRunner
from ossature.viewer.recording_player import RecordingPlayer

ARM = PROJECT / "examples" / "arm.skel"
CRANK = PROJECT / "examples" / "slider_crank.yaml"
PICKER = PROJECT / "examples" / "picker.dae"


def live(path: Path, positions: dict | None = None) -> LiveSimulation:
    world = ossature.load(path)
    return LiveSimulation(world, MeshStore.of(world), positions or {})


def wait_for(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.005)


# Live simulations


@pytest.mark.parametrize("path", [ARM, CRANK], ids=lambda path: path.name)
def test_concatenated_parts_equal_the_whole_recording(path: Path) -> None:
    world = ossature.load(path)
    whole = Simulation(world).run(0.06, sample=0.02)
    parts = Simulation(world)
    together = concatenate([parts.run(0.02), parts.run(0.02), parts.run(0.02)])
    assert together.to_dict() == whole.to_dict()


def test_concatenating_no_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="no recordings"):
        concatenate([])


def test_live_simulation_starts_at_joint_positions_and_equals_simulation() -> None:
    world = ossature.load(ARM)
    positions = {"arm": {"elbow": [0.2]}}
    shown = live(ARM, positions)
    placed = shown.frame().poses["arm"]["hand"]
    assert placed.position == pytest.approx(poses(world, positions)["arm"]["hand"].position, abs=1e-9)
    simulation = Simulation(start_at_positions(world, positions))
    simulation.run(0.05)
    shown.advance(0.05)
    assert shown.frame().poses == simulation.poses()
    shown.restart()
    assert shown.time == 0.0
    assert shown.frame().poses["arm"]["hand"].position == pytest.approx(placed.position, abs=1e-12)


def test_recorded_frames_equal_shown_frames() -> None:
    shown = live(ARM)
    frames = [shown.frame()]
    for _ in range(3):
        shown.advance(0.01, record=True)
        frames.append(shown.frame())
    clip = playback_of(shown.recording())
    assert [frame.time for frame in clip.frames] == pytest.approx([frame.time for frame in frames])
    for played, shown_frame in zip(clip.frames, frames, strict=True):
        assert played.poses == shown_frame.poses
    assert clip.duration == pytest.approx(0.03)
    assert clip.at(0.014) == clip.frames[1]
    assert clip.at(-1.0) == clip.frames[0]
    assert clip.at(99.0) == clip.frames[-1]


def test_gap_starts_a_new_recording() -> None:
    shown = live(ARM)
    shown.advance(0.01, record=True)
    shown.advance(0.01)
    shown.advance(0.01, record=True)
    assert playback_of(shown.recording()).frames[0].time == pytest.approx(0.02)


def test_runner_runs_steps_and_restarts() -> None:
    made: list[LiveSimulation] = []
    seen: list[float] = []
    failures: list[OssatureError] = []

    def prepare() -> list[LiveSimulation]:
        made.append(live(ARM))
        return [made[-1]]

    runner = RealtimeRunner(prepare, lambda: seen.append(made[-1].time), failures.append)
    runner.step()
    assert seen == [pytest.approx(made[-1].time_step)]
    runner.run()
    wait_for(lambda: len(seen) > 4)
    runner.pause()
    assert np.all(np.diff(seen) > 0.0)
    runner.restart()
    assert seen[-1] == 0.0
    runner.drop()
    runner.step()
    assert len(made) == 2
    assert not failures
    runner.end()


def test_failure_is_reported_and_pauses() -> None:
    failures: list[OssatureError] = []

    def prepare() -> list[LiveSimulation]:
        raise OssatureError("no")

    runner = RealtimeRunner(prepare, lambda: None, failures.append)
    runner.run()
    wait_for(lambda: bool(failures))
    assert not runner.is_running
    runner.end()


# Playback


def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    Simulation(ossature.load(ARM)).run(0.05, sample=0.01).save(path)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_recordings_of_all_formats_are_played(tmp_path: Path, suffix: str) -> None:
    world, path = ossature.load(ARM), tmp_path / f"run{suffix}"
    words = ["simulate", str(ARM), "--duration", "0.05", "--sample", "0.01", "--record", str(path)]
    assert CliRunner().invoke(app, words).exit_code == 0
    clip = read_playback(path, world, Report())
    expected = playback_of(Simulation(world).run(0.05, sample=0.01))
    assert [frame.time for frame in clip.frames] == pytest.approx([frame.time for frame in expected.frames])
    for one, other in zip(clip.frames, expected.frames, strict=True):
        for body, pose in other.poses["arm"].items():
            assert np.allclose(one.poses["arm"][body].matrix(), pose.matrix(), atol=1e-12)
        for joint, values in other.positions["arm"].items():
            assert np.allclose(one.positions["arm"][joint], values, atol=1e-12)


def test_read_playback_equals_recording(tmp_path: Path) -> None:
    world = ossature.load(ARM)
    clip = read_playback(recorded(tmp_path), world, Report())
    expected = playback_of(Simulation(world).run(0.05, sample=0.01))
    assert len(clip.frames) == len(expected.frames) == 6
    for one, other in zip(clip.frames, expected.frames, strict=True):
        assert one.poses == other.poses
        assert {name: list(values) for name, values in other.positions["arm"].items()} == one.positions["arm"]


def changed(path: Path, change) -> Path:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.clear(), "no samples"),
        (lambda data: data.update(samples=[]), "no samples"),
        (lambda data: data["samples"][0]["bodies"]["arm"].pop("hand"), "another file: body 'arm/hand'"),
        (
            lambda data: data["samples"][1]["joints"]["arm"].update(elbow={"positions": [1.0, 2.0]}),
            "sample 1 has different",
        ),
        (lambda data: data["samples"][0].update(time="soon"), "sample 0 has different quantities"),
        (lambda data: data["samples"][0]["bodies"]["arm"]["hand"].update(position=[1.0]), "body 'arm/hand' lacks the columns"),
        (lambda data: data.update(samples={"a": 1}), "no samples"),
    ],
)
def test_recording_of_another_file_is_refused(tmp_path: Path, change, message: str) -> None:
    path = changed(recorded(tmp_path), change)
    with pytest.raises(OssatureError, match=message):
        read_playback(path, ossature.load(ARM), Report())


@pytest.mark.parametrize(("name", "content"), [("a.csv", "time"), ("b.json", "{"), ("c.json", "[" * 5000)])
def test_invalid_recording_files_are_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(OssatureError):
        read_playback(tmp_path / name, ossature.load(ARM), Report())
    with pytest.raises(OssatureError, match="no such file"):
        read_playback(tmp_path / "nowhere.json", ossature.load(ARM), Report())


def test_player_plays_to_the_end_and_restarts(tmp_path: Path) -> None:
    shown: list[PlaybackFrame] = []
    player = RecordingPlayer(lambda frames: shown.extend(frames))
    clip = read_playback(recorded(tmp_path), ossature.load(ARM), Report())
    player.load([clip])
    player.seek(0.02)
    assert shown[-1].time == pytest.approx(0.02)
    player.run()
    wait_for(lambda: not player.is_running)
    wait_for(lambda: shown[-1].time == pytest.approx(0.05))
    player.run()
    assert player.time < 0.05
    player.end()


# Contacts


def ball_over_plane(height: float) -> World:
    ground = Body(name="ground", collisions=(Collision(geometry=Plane(offset=1.0)),))
    ball = Body(name="ball", pose=Pose((0.2, 0.3, height)), collisions=(Collision(geometry=Sphere(radius=0.5)),))
    free = Joint(name="free", type=Floating(), parent=None, child="ball")
    models = [Model(name="floor", bodies=NamedList([ground]), static=True)]
    models.append(Model(name="toy", bodies=NamedList([ball]), joints=NamedList([free])))
    return World(models=NamedList(models))


def test_contact_of_sphere_and_plane() -> None:
    simulation = Simulation(ball_over_plane(1.45))
    [contact] = contact_points(simulation)
    assert set(contact.bodies) == {("floor", "ground"), ("toy", "ball")}
    assert contact.depth == pytest.approx(0.05)
    assert contact.position == pytest.approx((0.2, 0.3, 0.975))
    assert np.abs(contact.normal) == pytest.approx((0.0, 0.0, 1.0))
    assert contact_points(Simulation(ball_over_plane(1.6))) == []


def test_contacts_follow_joint_positions() -> None:
    at = ContactsAt(Simulation(ball_over_plane(2.0)))
    assert at.points({}) == []
    assert len(at.points({"toy": {"free": [0.0, 0.0, 0.0, 0.0, 0.0, -0.6]}})) == 1
    assert at.points({}) == []


# Inverse kinematics


def test_choices_are_manipulators_and_bodies() -> None:
    labels = [choice.label for choice in end_effector_choices(ossature.load(PICKER))]
    assert labels[0] == "picker / arm"
    assert any(label.startswith("picker / body") for label in labels)
    assert any("hand" in choice.label for choice in end_effector_choices(ossature.load(ARM)))


def test_arm_follows_target() -> None:
    world = ossature.load(PICKER)
    configuration = JointConfiguration(world)
    choice = end_effector_choices(world)[0]
    ik = InteractiveIk(world.models["picker"], choice.arm(world.models["picker"]), configuration.specified_positions("picker"))
    goal = ik.tip(configuration.specified_positions("picker"))
    for _ in range(5):
        goal = Pose(add(goal.position, (-0.01, 0.02, 0.01)), goal.wxyz)
        found = ik.solve(goal, configuration.positions()["picker"])
        assert found is not None
        configuration.set_positions({"picker": found})
        tip = ik.tip(configuration.specified_positions("picker"))
        assert tip.position == pytest.approx(goal.position, abs=2e-4)


def test_unreachable_target_has_no_solution() -> None:
    world = ossature.load(PICKER)
    configuration = JointConfiguration(world)
    ik = InteractiveIk(world.models["picker"], end_effector_choices(world)[0].arm(world.models["picker"]), {})
    assert ik.solve(Pose((9.0, 0.0, 0.0)), configuration.positions()["picker"]) is None


# Workers


def test_only_the_latest_request_is_served() -> None:
    served: list[int] = []
    begun, go_on = threading.Event(), threading.Event()

    def work(request: int) -> None:
        begun.set()
        go_on.wait(5.0)
        served.append(request)

    latest: LatestOnlyWorker[int] = LatestOnlyWorker(work)
    thread = threading.Thread(target=latest.submit, args=(0,))
    thread.start()
    begun.wait(5.0)
    for request in (1, 2, 3):
        latest.submit(request)
    go_on.set()
    thread.join(5.0)
    assert served == [0, 3]
    latest.submit(4)
    assert served == [0, 3, 4]


def test_saved_file_is_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "a.skel"
    path.write_text("one")
    saved: list[Path] = []
    watch = FileWatcher([path], saved.append)
    watch.poll()
    assert not saved
    path.write_text("other")
    watch.poll()
    watch.poll()
    assert saved == [path]
    path.unlink()
    watch.poll()
    assert saved == [path]
