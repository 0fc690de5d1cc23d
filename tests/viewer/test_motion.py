"""Simulations, recordings and handles of the viewer, without a browser."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError
from ossature.kinematics import poses
from ossature.model import Body, Collision, Free, Joint, Model, Named, Plane, Sphere, World
from ossature.simulation import Simulation
from ossature.simulation.contact_points import ContactsAt, contact_points
from ossature.simulation.records.joined import joined
from ossature.spatial import Pose, add
from ossature.viewer.conductor import Conductor
from ossature.viewer.film import FilmError, Picture, film_of, read_film
from ossature.viewer.latest import Latest
from ossature.viewer.performance import Performance, starting_at
from ossature.viewer.posture import Posture
from ossature.viewer.projector import Projector
from ossature.viewer.reaching import Reacher, choices_of
from ossature.viewer.watching import Watch

ARM = PROJECT / "examples" / "arm.skel"
CRANK = PROJECT / "examples" / "slider_crank.yaml"
PICKER = PROJECT / "examples" / "picker.dae"


def performance(path: Path, positions: dict | None = None) -> Performance:
    world = ossature.load(path)
    return Performance(world, MeshStore.of(world), positions or {})


def wait_for(condition, seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.005)


# Performances


@pytest.mark.parametrize("path", [ARM, CRANK], ids=lambda path: path.name)
def test_parts_joined_are_the_recording_of_the_whole(path: Path) -> None:
    world = ossature.load(path)
    whole = Simulation(world).run(0.06, sample=0.02)
    parts = Simulation(world)
    together = joined([parts.run(0.02), parts.run(0.02), parts.run(0.02)])
    assert together.to_json() == whole.to_json()


def test_nothing_cannot_be_joined() -> None:
    with pytest.raises(ValueError, match="nothing"):
        joined([])


def test_a_performance_begins_where_the_joints_are_and_goes_as_a_simulation() -> None:
    world = ossature.load(ARM)
    positions = {"arm": {"elbow": [0.2]}}
    shown = performance(ARM, positions)
    placed = shown.picture().poses["arm"]["hand"]
    assert placed.position == pytest.approx(poses(world, positions)["arm"]["hand"].position, abs=1e-9)
    simulation = Simulation(starting_at(world, positions))
    simulation.run(0.05)
    shown.advance(0.05)
    assert shown.picture().poses == simulation.poses()
    shown.restart()
    assert shown.time == 0.0
    assert shown.picture().poses["arm"]["hand"].position == pytest.approx(placed.position, abs=1e-12)


def test_what_was_recorded_is_what_was_shown() -> None:
    shown = performance(ARM)
    pictures = [shown.picture()]
    for _ in range(3):
        shown.advance(0.01, record=True)
        pictures.append(shown.picture())
    film = film_of(shown.recording())
    assert [picture.time for picture in film.pictures] == pytest.approx([picture.time for picture in pictures])
    for told, seen in zip(film.pictures, pictures, strict=True):
        assert told.poses == seen.poses
    assert film.duration == pytest.approx(0.03)
    assert film.at(0.014) == film.pictures[1]
    assert film.at(-1.0) == film.pictures[0]
    assert film.at(99.0) == film.pictures[-1]


def test_a_gap_begins_a_recording_anew() -> None:
    shown = performance(ARM)
    shown.advance(0.01, record=True)
    shown.advance(0.01)
    shown.advance(0.01, record=True)
    assert film_of(shown.recording()).pictures[0].time == pytest.approx(0.02)


def test_a_conductor_runs_steps_and_restarts() -> None:
    made: list[Performance] = []
    seen: list[float] = []
    failures: list[OssatureError] = []

    def prepare() -> list[Performance]:
        made.append(performance(ARM))
        return [made[-1]]

    conductor = Conductor(prepare, lambda: seen.append(made[-1].time), failures.append)
    conductor.step()
    assert seen == [pytest.approx(made[-1].time_step)]
    conductor.run()
    wait_for(lambda: len(seen) > 4)
    conductor.pause()
    assert np.all(np.diff(seen) > 0.0)
    conductor.restart()
    assert seen[-1] == 0.0
    conductor.drop()
    conductor.step()
    assert len(made) == 2
    assert not failures
    conductor.end()


def test_a_simulation_that_cannot_be_is_told_and_stops() -> None:
    failures: list[OssatureError] = []

    def prepare() -> list[Performance]:
        raise OssatureError("no")

    conductor = Conductor(prepare, lambda: None, failures.append)
    conductor.run()
    wait_for(lambda: bool(failures))
    assert not conductor.is_running
    conductor.end()


# Films


def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    Simulation(ossature.load(ARM)).run(0.05, sample=0.01).save(path)
    return path


def test_a_recorded_file_is_shown_as_it_was(tmp_path: Path) -> None:
    world = ossature.load(ARM)
    film = read_film(recorded(tmp_path), world)
    expected = film_of(Simulation(world).run(0.05, sample=0.01))
    assert len(film.pictures) == len(expected.pictures) == 6
    for one, other in zip(film.pictures, expected.pictures, strict=True):
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
        (lambda data: data.clear(), "no recording"),
        (lambda data: data.update(samples=[]), "no samples"),
        (lambda data: data["samples"][0]["bodies"]["arm"].pop("hand"), "another file: 'arm/hand'"),
        (lambda data: data["samples"][1]["joints"]["arm"].update(elbow={"positions": [1.0, 2.0]}), "arm/elbow"),
        (lambda data: data["samples"][0].update(time="soon"), "no recording"),
        (lambda data: data["samples"][0]["bodies"]["arm"]["hand"].update(position=[1.0]), "no recording"),
        (lambda data: data.update(samples={"a": 1}), "no recording"),
    ],
)
def test_what_is_no_recording_of_the_file_is_refused(tmp_path: Path, change, message: str) -> None:
    path = changed(recorded(tmp_path), change)
    with pytest.raises(FilmError, match=message):
        read_film(path, ossature.load(ARM))


@pytest.mark.parametrize(("name", "content"), [("a.csv", "time"), ("b.json", "{"), ("c.json", "[" * 5000)])
def test_files_that_are_no_json_are_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FilmError):
        read_film(tmp_path / name, ossature.load(ARM))
    with pytest.raises(FilmError, match="no such file"):
        read_film(tmp_path / "nowhere.json", ossature.load(ARM))


def test_a_projector_plays_to_the_end_and_begins_anew(tmp_path: Path) -> None:
    shown: list[Picture] = []
    projector = Projector(lambda pictures: shown.extend(pictures))
    film = read_film(recorded(tmp_path), ossature.load(ARM))
    projector.load([film])
    projector.seek(0.02)
    assert shown[-1].time == pytest.approx(0.02)
    projector.run()
    wait_for(lambda: not projector.is_running)
    wait_for(lambda: shown[-1].time == pytest.approx(0.05))
    projector.run()
    assert projector.time < 0.05
    projector.end()


# Contacts


def ball_over_plane(height: float) -> World:
    ground = Body(name="ground", collisions=(Collision(geometry=Plane(offset=1.0)),))
    ball = Body(name="ball", pose=Pose((0.2, 0.3, height)), collisions=(Collision(geometry=Sphere(radius=0.5)),))
    free = Joint(name="free", type=Free(), parent=None, child="ball")
    models = [Model(name="floor", bodies=Named([ground]), static=True)]
    models.append(Model(name="toy", bodies=Named([ball]), joints=Named([free])))
    return World(models=Named(models))


def test_a_ball_touches_a_plane_where_geometry_says() -> None:
    simulation = Simulation(ball_over_plane(1.45))
    [contact] = contact_points(simulation)
    assert set(contact.bodies) == {("floor", "ground"), ("toy", "ball")}
    assert contact.depth == pytest.approx(0.05)
    assert contact.position == pytest.approx((0.2, 0.3, 0.975))
    assert np.abs(contact.normal) == pytest.approx((0.0, 0.0, 1.0))
    assert contact_points(Simulation(ball_over_plane(1.6))) == []


def test_contacts_follow_joints_that_are_put_somewhere() -> None:
    at = ContactsAt(Simulation(ball_over_plane(2.0)))
    assert at.points({}) == []
    assert len(at.points({"toy": {"free": [0.0, 0.0, 0.0, 0.0, 0.0, -0.6]}})) == 1
    assert at.points({}) == []


# Handles


def test_manipulators_can_be_dragged_and_bodies_too() -> None:
    labels = [choice.label for choice in choices_of(ossature.load(PICKER))]
    assert labels[0] == "picker / arm"
    assert any(label.startswith("picker / body") for label in labels)
    assert any("hand" in choice.label for choice in choices_of(ossature.load(ARM)))


def test_an_arm_follows_its_handle() -> None:
    world = ossature.load(PICKER)
    posture = Posture(world)
    choice = choices_of(world)[0]
    reacher = Reacher(world.models["picker"], choice.arm(world.models["picker"]), posture.stated("picker"))
    goal = reacher.tip(posture.stated("picker"))
    for _ in range(5):
        goal = Pose(add(goal.position, (-0.01, 0.02, 0.01)), goal.wxyz)
        found = reacher.reach(goal, posture.positions()["picker"])
        assert found is not None
        posture.place({"picker": found})
        tip = reacher.tip(posture.stated("picker"))
        assert tip.position == pytest.approx(goal.position, abs=2e-4)


def test_a_handle_beyond_reach_moves_nothing() -> None:
    world = ossature.load(PICKER)
    posture = Posture(world)
    reacher = Reacher(world.models["picker"], choices_of(world)[0].arm(world.models["picker"]), {})
    assert reacher.reach(Pose((9.0, 0.0, 0.0)), posture.positions()["picker"]) is None


# Small machines


def test_only_the_latest_request_is_served() -> None:
    served: list[int] = []
    begun, go_on = threading.Event(), threading.Event()

    def work(request: int) -> None:
        begun.set()
        go_on.wait(5.0)
        served.append(request)

    latest: Latest[int] = Latest(work)
    thread = threading.Thread(target=latest.ask, args=(0,))
    thread.start()
    begun.wait(5.0)
    for request in (1, 2, 3):
        latest.ask(request)
    go_on.set()
    thread.join(5.0)
    assert served == [0, 3]
    latest.ask(4)
    assert served == [0, 3, 4]


def test_a_saved_file_is_noticed_once(tmp_path: Path) -> None:
    path = tmp_path / "a.skel"
    path.write_text("one")
    saved: list[Path] = []
    watch = Watch([path], saved.append)
    watch.look()
    assert not saved
    path.write_text("other")
    watch.look()
    watch.look()
    assert saved == [path]
    path.unlink()
    watch.look()
    assert saved == [path]
