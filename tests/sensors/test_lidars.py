"""Lasers: distances against closed forms, also while the laser moves."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import trimesh

from ossature.diagnostics import Report
from ossature.model import (
    Capsule,
    Collision,
    Cylinder,
    Geometry,
    Laser2D,
    Laser3D,
    LazyMesh,
    Model,
    NamedList,
    Plane,
    Sphere,
    TriangleMesh,
)
from ossature.model import MeshData as ModelTriangles
from ossature.sensor_models.validation import FaultKind, find_faults
from ossature.simulation.sensors.lidar import LaserLines, LaserScan
from ossature.spatial import Pose, quaternion_from_axis_angle, quaternion_from_rotation_vector
from sensors.sensor_scenes import box, carrier, simulation, thing

EXACT = 1e-9
FAN = Laser2D(min_angle=-0.4, max_angle=0.4, angle_increment=0.001, min_distance=0.0, max_distance=50.0)


def scan_of(*models: Model, laser: Laser2D = FAN, **place: Any) -> LaserScan:
    reading = simulation(carrier(laser, **place), *models).sensors["eye"].read()
    assert isinstance(reading, LaserScan)
    return reading


def of_sphere(angles: Any, distance: float, radius: float) -> Any:
    with np.errstate(invalid="ignore"):
        return distance * np.cos(angles) - np.sqrt(radius**2 - (distance * np.sin(angles)) ** 2)


SHAPES: dict[str, tuple[Geometry, Pose, Any]] = {
    "box": (box((1.0, 50.0, 2.0)), Pose((5.0, 0.0, 0.0)), lambda angles: 4.5 / np.cos(angles)),
    "sphere": (Sphere(radius=0.75), Pose((4.0, 0.0, 0.0)), lambda angles: of_sphere(angles, 4.0, 0.75)),
    "cylinder": (Cylinder(radius=0.3, length=2.0), Pose((3.0, 0.0, 0.0)), lambda angles: of_sphere(angles, 3.0, 0.3)),
    "capsule": (Capsule(radius=0.3, length=2.0), Pose((3.0, 0.0, 0.0)), lambda angles: of_sphere(angles, 3.0, 0.3)),
    "plane": (Plane(normal=(-1.0, 0.0, 0.0), offset=-7.0), Pose(), lambda angles: 7.0 / np.cos(angles)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_distances_to_shapes(name: str) -> None:
    geometry, pose, distances = SHAPES[name]
    scan = scan_of(thing("it", geometry, pose))
    expected = distances(scan.angles)
    hit = np.isfinite(expected)
    assert hit.sum() > 100
    assert np.abs(scan.distances[hit] - expected[hit]).max() < EXACT
    assert np.isinf(scan.distances[~hit]).all()


def turned_tetrahedron() -> tuple[ModelTriangles, Pose]:
    """Return a solid with corners that no number of 32 bits holds, turned any way."""
    corners = np.array([(1.1, 1.3, 0.7), (0.9, -1.7, -1.1), (-1.3, 1.1, -1.9), (-1.7, -0.7, 1.3)]) / 1.7
    faces = np.array([(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)])
    return ModelTriangles(vertices=corners, faces=faces), Pose(
        (3.3, 0.1, 0.2), quaternion_from_rotation_vector((0.7, -0.3, 1.1))
    )


def nearest_triangle(corners: Any, faces: Any, direction: Any) -> float:
    """Return the distance from the origin along a direction to the nearest triangle, by Cramer's rule."""
    found = math.inf
    for first, second, third in corners[faces]:
        matrix = np.stack([second - first, third - first, -direction], axis=1)
        u, v, distance = np.linalg.solve(matrix, -first)
        if u >= 0.0 and v >= 0.0 and u + v <= 1.0 and distance > 0.0:
            found = min(found, distance)
    return found


@pytest.mark.parametrize("stretch", [1.0, 37.0])
def test_distances_to_meshes(stretch: float) -> None:
    solid, pose = turned_tetrahedron()
    solid = ModelTriangles(vertices=solid.vertices * stretch, faces=solid.faces)
    pose = Pose((3.3 * stretch, 0.1, 0.2), pose.wxyz)
    laser = Laser2D(min_angle=-0.4, max_angle=0.4, angle_increment=0.004, min_distance=0.0, max_distance=1000.0)
    scan = scan_of(thing("it", TriangleMesh(surface=LazyMesh(solid)), pose), laser=laser)
    matrix = pose.matrix()
    corners = solid.vertices @ matrix[:3, :3].T + matrix[:3, 3]
    directions = np.stack([np.cos(scan.angles), np.sin(scan.angles), np.zeros_like(scan.angles)], axis=1)
    expected = np.array([nearest_triangle(corners, solid.faces, direction) for direction in directions])
    hit = np.isfinite(expected) & np.isfinite(scan.distances)
    assert hit.sum() > 60
    assert (np.isfinite(expected) != np.isfinite(scan.distances)).sum() <= 2, "only at the very edge may they differ"
    assert np.abs(scan.distances[hit] - expected[hit]).max() < EXACT


def test_rays_hit_a_concave_mesh_and_not_its_hull() -> None:
    # Two slabs with a gap between them, as one mesh: a ray through the gap meets nothing.
    block = trimesh.creation.box((1.0, 1.0, 2.0))
    slab, faces = np.array(block.vertices) + np.array((0.5, 1.0, 0.0)), np.array(block.faces)
    both = ModelTriangles(
        vertices=np.vstack([slab, slab * (1.0, -1.0, 1.0)]), faces=np.vstack([faces, faces[:, ::-1] + len(slab)])
    )
    scan = scan_of(thing("it", TriangleMesh(surface=LazyMesh(both)), Pose((4.0, 0.0, 0.0))))
    across = np.abs(4.0 * np.tan(scan.angles))
    through = np.abs(5.0 * np.tan(scan.angles)) < 0.499
    assert np.isinf(scan.distances[through]).all()
    onto = (across > 0.501) & (across < 1.499)
    assert np.abs(scan.distances[onto] - 4.0 / np.cos(scan.angles[onto])).max() < EXACT


def test_rays_hit_a_mesh_without_volume() -> None:
    pane = ModelTriangles(
        vertices=np.array([(0.0, -1.1, -1.3), (0.0, 1.1, -1.3), (0.0, 1.1, 1.3), (0.0, -1.1, 1.3)]),
        faces=np.array([(0, 1, 2), (0, 2, 3)]),
    )
    scan = scan_of(thing("pane", TriangleMesh(surface=LazyMesh(pane)), Pose((2.3, 0.0, 0.0))))
    hit = np.abs(2.3 * np.tan(scan.angles)) < 1.1 - 1e-6
    assert (np.isfinite(scan.distances) == hit).all()
    assert np.abs(scan.distances[hit] - 2.3 / np.cos(scan.angles[hit])).max() < EXACT


def test_rotated_and_translated_sensor() -> None:
    place = Pose((0.5, -1.0, 2.0), quaternion_from_axis_angle((0.0, 0.0, 1.0), 0.3))
    scan = scan_of(thing("wall", Plane(normal=(-1.0, 0.0, 0.0), offset=-7.0)), sensor_pose=place)
    assert np.abs(scan.distances - 6.5 / np.cos(scan.angles + 0.3)).max() < EXACT
    assert scan.pose_world_sensor.position == pytest.approx(place.position)
    ends = scan.points @ place.matrix()[:3, :3].T + place.position
    assert np.abs(ends[:, 0] - 7.0).max() < EXACT


def test_shapes_out_of_range_are_not_detected() -> None:
    near = Laser2D(min_angle=0.0, max_angle=0.0, angle_increment=1.0, min_distance=2.0, max_distance=6.0)
    pane, wall = thing("pane", box((0.1, 1.0, 1.0)), Pose((1.0, 0.0, 0.0))), thing("wall", box(), Pose((5.0, 0.0, 0.0)))
    assert scan_of(pane, wall, laser=near).distances == pytest.approx([4.5], abs=EXACT)
    assert np.isinf(scan_of(thing("far", box(), Pose((7.0, 0.0, 0.0))), laser=near).distances).all()


def test_scan_of_a_translating_lidar() -> None:
    increment, speed = 0.00037, 1.5
    laser = Laser2D(
        min_angle=0.0,
        max_angle=0.5,
        angle_increment=0.005,
        min_distance=0.0,
        max_distance=50.0,
        time_increment=increment,
        measurement_time=0.05,
    )
    running = simulation(
        carrier(laser, slides_along=(1.0, 0.0, 0.0), speed=speed),
        thing("wall", Plane(normal=(-1.0, 0.0, 0.0), offset=-7.0)),
        gravity=(0.0, 0.0, 0.0),
    )
    scans = running.run(0.2, sense=["eye"]).readings["carrier/eye"]
    assert [round(scan.time, 9) for scan in scans] == [0.0, 0.05, 0.1, 0.15]
    for scan in scans:
        assert isinstance(scan, LaserScan)
        assert scan.ray_times == pytest.approx(scan.time + increment * np.arange(len(scan.angles)))
        expected = (7.0 - speed * scan.ray_times) / np.cos(scan.angles)
        assert np.abs(scan.distances - expected).max() < EXACT


def test_scan_of_a_rotating_lidar() -> None:
    rate, increment = 2.0, 0.0007
    laser = Laser2D(
        min_angle=-0.3,
        max_angle=0.3,
        angle_increment=0.01,
        min_distance=0.0,
        max_distance=50.0,
        time_increment=increment,
        measurement_time=0.1,
    )
    running = simulation(
        carrier(laser, turns_about=(0.0, 0.0, 1.0), speed=rate),
        thing("wall", Plane(normal=(-1.0, 0.0, 0.0), offset=-7.0)),
        gravity=(0.0, 0.0, 0.0),
    )
    for scan in running.run(0.3, sense=["eye"]).readings["carrier/eye"]:
        assert isinstance(scan, LaserScan)
        expected = 7.0 / np.cos(scan.angles + rate * scan.ray_times)
        assert np.abs(scan.distances - expected).max() < EXACT


def test_lines_are_rotated_about_x() -> None:
    laser = Laser3D(
        min_angle=-0.5,
        max_angle=0.5,
        angle_increment=0.05,
        min_turn=-0.4,
        max_turn=0.4,
        turn_increment=0.1,
        min_distance=0.0,
        max_distance=50.0,
    )
    reading = simulation(carrier(laser), thing("floor", Plane(offset=-2.0))).sensors["eye"].read()
    assert isinstance(reading, LaserLines)
    assert reading.distances.shape == (9, 21)
    heights = np.outer(np.sin(reading.turns), np.sin(reading.angles))
    with np.errstate(divide="ignore"):
        expected = np.where(heights < 0.0, -2.0 / heights, np.inf)
    expected[expected > 50.0] = np.inf
    seen = np.isfinite(expected)
    assert (np.isfinite(reading.distances) == seen).all()
    assert np.abs(reading.distances[seen] - expected[seen]).max() < EXACT


def test_rays_pass_through_the_body_of_the_lidar() -> None:
    shelled = carrier(FAN)
    body = shelled.bodies["body"]
    shelled = replace(shelled, bodies=NamedList([replace(body, collisions=(Collision(geometry=Sphere(radius=0.5)),))]))
    reading = simulation(shelled, thing("wall", Plane(normal=(-1.0, 0.0, 0.0), offset=-7.0))).sensors["eye"].read()
    assert isinstance(reading, LaserScan)
    assert reading.distances == pytest.approx(7.0 / np.cos(reading.angles))


def test_noise_is_seeded_and_has_its_standard_deviation() -> None:
    laser = Laser2D(min_angle=-0.5, max_angle=0.5, angle_increment=1e-5, distance_deviation=0.02)
    running = simulation(carrier(laser), thing("wall", Plane(normal=(-1.0, 0.0, 0.0), offset=-7.0)))
    eye = running.sensors["eye"]
    first, second = eye.read(), eye.read()
    assert isinstance(first, LaserScan) and isinstance(second, LaserScan)
    error = first.distances - 7.0 / np.cos(first.angles)
    count = len(error)
    assert count > 100_000
    assert abs(error.mean()) < 5.0 * 0.02 / math.sqrt(count)
    assert error.std() == pytest.approx(0.02, rel=5.0 / math.sqrt(2.0 * count))
    assert (first.distances != second.distances).any()
    eye.seed(0)
    assert (eye.read().distances == first.distances).all()  # type: ignore[attr-defined]  # a scan


def test_noise_stays_within_the_range_of_the_lidar() -> None:
    wall = thing("it", box((1.0, 50.0, 2.0)), Pose((5.0, 0.0, 0.0)))
    laser = replace(FAN, min_distance=4.4, max_distance=4.6, distance_deviation=0.2)
    distances = scan_of(wall, laser=laser).distances
    hits = distances[np.isfinite(distances)]
    assert 0 < len(hits) < len(distances)
    assert hits.min() == 4.4
    assert hits.max() == 4.6


def test_a_million_rays_are_not_simulated(report: Report) -> None:
    laser = Laser2D(angle_increment=1e-6)
    assert [fault.kind for fault in find_faults(laser, carrier(laser))] == [FaultKind.COUNT]
    assert not simulation(carrier(laser), report=report).sensors
    assert "million" in report.take("unsupported-sensor")[0].message
    report.take("assumed-sensor-defaults")
