"""What sensing costs: rays, images, and a running simulation that senses."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import trimesh
from rich.table import Table

from benchmarks.timing import interleaved, seconds
from ossature.diagnostics import Report
from ossature.model import (
    Body,
    Collision,
    Coordinate,
    Encoder,
    Force6D,
    Imu,
    Inertial,
    Joint,
    Laser2D,
    LazyMesh,
    MeshData,
    Model,
    NamedList,
    Odometry,
    PinholeCamera,
    Revolute,
    Sensor,
    SensorDescription,
    TriangleMesh,
    World,
)
from ossature.simulation import Simulation
from ossature.simulation.sensors.camera import CameraBackend
from ossature.simulation.sensors.renderer import RendererError
from ossature.spatial import Pose, quaternion_from_rotation_vector

TITLE = "sensing"
MESHES, RAYS, ROUNDS, STEPS = 100, 1000, 5, 1000
SCAN = Laser2D(
    min_angle=-math.pi,
    max_angle=math.pi,
    angle_increment=2.0 * math.pi / (RAYS - 0.5),
    min_distance=0.0,
    max_distance=100.0,
    measurement_time=0.1,
)
FORWARD = Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector((0.0, math.pi / 2.0, 0.0)))


def run() -> Iterator[Table]:
    """Time a scan, images both ways, and what sensors add to a running simulation."""
    yield scans()
    yield images()
    yield running()


def scene(*sensors: Sensor) -> World:
    """Return a pendulum that carries sensors among 100 meshes of 1,280 triangles."""
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.4)
    random = np.random.default_rng(0)
    bodies = []
    for number, (x, y) in enumerate(random.uniform(-12.0, 12.0, (MESHES, 2)).tolist()):
        vertices = np.array(ball.vertices) * random.uniform(0.5, 1.5, 3)
        surface = LazyMesh(MeshData(vertices=vertices, faces=np.array(ball.faces, np.int64)))
        place = Pose((x + math.copysign(1.5, x), y, 0.0))
        bodies.append(Body(name=f"b{number}", pose=place, collisions=(Collision(geometry=TriangleMesh(surface=surface)),)))
    swing = Joint(
        name="swing",
        type=Revolute(axis=(0.0, 0.0, 1.0)),
        parent=None,
        child="body",
        coordinates=(Coordinate(initial_velocity=0.5),),
    )
    moment = ((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1))
    body = Body(name="body", inertial=Inertial(mass=1.0, moment=moment))
    robot = Model(name="robot", bodies=NamedList([body]), joints=NamedList([swing]), sensors=NamedList(sensors))
    return World(models=NamedList([robot, Model(name="things", static=True, bodies=NamedList(bodies))]))


def eye(description: SensorDescription) -> Sensor:
    """Return a sensor on the pendulum."""
    pose = FORWARD if isinstance(description, PinholeCamera) else Pose()
    return Sensor(name=type(description).__name__, body="body", pose=pose, description=description)


def scans() -> Table:
    """Return how many rays are cast in a second."""
    table = Table(f"a scan of {RAYS:,} rays among {MESHES} meshes", "ms", "rays/s", box=None)
    for name, duration in (("in one instant", at_once()), ("one ray after the other", one_by_one())):
        table.add_row(name, f"{duration * 1e3:.2f}", f"{RAYS / duration:,.0f}")
    return table


def at_once() -> float:
    """Return how long a scan takes whose rays are all cast in one instant."""
    device = Simulation(scene(eye(SCAN)), report=Report()).sensors["Laser2D"]
    return statistics.median(seconds(device.read) for _ in range(4 * ROUNDS))


def one_by_one() -> float:
    """Return how long a scan takes whose rays are cast one after the other while the robot moves, steps left out."""
    simulation = Simulation(scene(eye(replace(SCAN, time_increment=1e-4))), report=Report())
    still = Simulation(scene(), report=Report())
    simulation.sensors["Laser2D"].start()
    sensing, plain = interleaved(lambda: simulation.step(100), lambda: still.step(100), ROUNDS)
    return sensing - plain


def images() -> Table:
    """Return how many images are made in a second, both ways."""
    table = Table("an image of 640 x 480", "ms", "images/s", box=None)
    simulation = Simulation(scene(eye(PinholeCamera())), report=Report())
    device = simulation.sensors["PinholeCamera"]
    for way in CameraBackend:
        device.backend = way  # type: ignore[attr-defined]  # a camera
        try:
            device.read()
        except RendererError as error:
            table.add_row(way.value, "-", str(error))
            continue
        duration = statistics.median(seconds(device.read) for _ in range(ROUNDS))
        table.add_row(way.value, f"{duration * 1e3:.0f}", f"{1.0 / duration:.1f}")
    return table


def running() -> Table:
    """Return what each sensor, at its own default rate, adds to a simulated second."""
    table = Table("a second of 1 ms steps that senses", "without [ms]", "with [ms]", "each reading [µs]", box=None)
    for description in (SCAN, Imu(), Force6D(), Odometry(), Encoder(joint="swing")):
        plain, sensing = (Simulation(scene(eye(description)), report=Report()) for _ in range(2))
        device = sensing.sensors[type(description).__name__]
        device.start()
        without, with_it = interleaved(lambda plain=plain: plain.step(STEPS), lambda s=sensing: s.step(STEPS), ROUNDS)
        readings = STEPS * sensing.time_step / device.period
        each = (with_it - without) / readings
        table.add_row(type(description).__name__, f"{without * 1e3:.1f}", f"{with_it * 1e3:.1f}", f"{each * 1e6:.0f}")
    return table
