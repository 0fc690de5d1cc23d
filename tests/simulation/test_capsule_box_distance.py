"""The distance of a capsule and a box, against coal, and capsules that pass through boxes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest
from test_distances_and_rays import two_bodies

from ossature.diagnostics import Report
from ossature.model import Box, Capsule, Inertial, NamedList
from ossature.simulation import CollisionQuery, Simulation
from ossature.simulation.capsule_box_distance import capsule_box_distance, select_near_boxes, shape_distance
from ossature.spatial import Pose, quaternion_from_rotation_vector

BEAM = Box(size=(0.6, 0.05, 0.3))
ROD = Capsule(radius=0.02, length=1.0)
ALONG_Y = quaternion_from_rotation_vector((0.5 * np.pi, 0.0, 0.0))


def frame_along(direction: np.ndarray) -> np.ndarray:
    """Return a rotation matrix whose third column is a unit vector."""
    first = np.cross(direction, np.eye(3)[np.abs(direction).argmin()])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(direction, first), direction], axis=1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(3))
def test_distances_and_points_against_coal(seed: int) -> None:
    coal: Any = pytest.importorskip("coal", reason="no coal: pip install pin")
    request = coal.DistanceRequest()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 500
    random, kinds = np.random.default_rng(seed), set[tuple[bool, bool]]()
    for number in range(1500):
        half_sizes, radius = 10.0 ** random.uniform(-2.0, 0.0, 3), 10.0 ** random.uniform(-2.5, -0.5)
        start, end = (random.normal(size=3) * random.choice([0.05, 0.2, 1.0]) for _ in range(2))
        if number % 5 == 0:  # along an edge or a face
            end = start + np.eye(3)[number % 3] + random.choice([0.0, 1.0]) * np.eye(3)[number % 2]
        distance, on_capsule, on_box = capsule_box_distance(radius, start, end, half_sizes)
        length = float(np.linalg.norm(end - start))
        direction = (end - start) / length
        shapes = coal.Capsule(radius, length), coal.Box(*(2.0 * half_sizes))
        at = coal.Transform3s(frame_along(direction), 0.5 * (start + end)), coal.Transform3s(np.eye(3), np.zeros(3))
        expected = coal.distance(shapes[0], at[0], shapes[1], at[1], request, coal.DistanceResult())
        assert distance == pytest.approx(expected, abs=1e-8)
        assert np.linalg.norm(on_capsule - on_box) == pytest.approx(abs(distance), abs=1e-12)
        assert (np.abs(on_box) <= half_sizes + 1e-9).all()
        nearest = start + np.clip((on_capsule - start) @ direction, 0.0, length) * direction
        assert np.linalg.norm(on_capsule - nearest) == pytest.approx(radius, abs=1e-9)
        kinds.add((distance < 0.0, distance < -radius))
    assert kinds == {(False, False), (True, False), (True, True)}


def test_boxes_that_are_not_near_are_not_touched() -> None:
    random, far, near = np.random.default_rng(0), 0, 0
    for _ in range(500):
        sizes, places, turns = (
            0.01 + np.abs(random.normal(size=5)),
            random.normal(size=(2, 3), scale=0.3),
            random.normal(size=(2, 4)),
        )
        boxes = [("box", sizes[:3] * (1.0, 0.1, 0.4)), ("capsule", sizes[3:] * (0.1, 1.0))]
        geoms = [
            f'<geom type="{kind}" size="{numbers(size)}" pos="{numbers(place)}" quat="{numbers(turn)}"/>'
            for (kind, size), place, turn in zip(boxes, places, turns, strict=True)
        ]
        model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{''.join(geoms)}</worldbody></mujoco>")
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        is_near = len(select_near_boxes(model, data, np.array([[1, 0]]))) == 1
        distance = shape_distance(model, data, 1, 0)[0]
        assert is_near or distance > 0.0
        far, near = far + (not is_near), near + (distance < 0.0)
    assert far > 50 and near > 50


def numbers(values: np.ndarray) -> str:
    return " ".join(map(str, values.tolist()))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_capsule_that_passes_through_a_box_collides_with_it(reverse: bool) -> None:
    # The shortest translation out of the beam is along x, by half of its size less the offset, and by the radius.
    pose = Pose((0.28, 0.0, 0.0), ALONG_Y)
    shapes = (ROD, BEAM) if reverse else (BEAM, ROD)
    pose = pose.inverse() if reverse else pose
    query = CollisionQuery(two_bodies(*shapes, pose))
    depths = query.penetration_depths("b", {})
    (found,) = query.distances("b", {})
    assert list(depths) == [("a/body", "body")] if reverse else [("body", "a/body")]
    assert list(depths.values()) == [pytest.approx(0.04, abs=1e-10)]
    assert found.distance == pytest.approx(-0.04, abs=1e-10)


def test_a_capsule_that_passes_through_a_box_is_reported_by_simulations(report: Report) -> None:
    Simulation(two_bodies(BEAM, ROD, Pose((0.1, 0.4, 0.0), ALONG_Y)), report=report)
    (finding,) = report.take("undetected-overlap")
    assert finding.path == "b/body"


@pytest.mark.parametrize("radius", [0.002, 0.01])
@pytest.mark.parametrize("height", [0.5, 3.0])
@pytest.mark.parametrize("time_step", [1e-3, 5e-3])
def test_a_rod_that_falls_flat_on_a_smaller_plate_rests_on_it(radius: float, height: float, time_step: float) -> None:
    plate, rod = Box(size=(0.3, 0.3, 0.005)), Capsule(radius=radius, length=0.5)
    world = replace(two_bodies(plate, rod, Pose((0.02, 0.0, height), ALONG_Y)), time_step=time_step)
    inertial = Inertial(mass=0.2, moment=((0.004, 0.0, 0.0), (0.0, 0.004, 0.0), (0.0, 0.0, 0.2 * radius**2)))
    model = world.models["b"]
    body = replace(model.bodies["body"], inertial=inertial)
    simulation = Simulation(replace(world, models=NamedList([world.models["a"], replace(model, bodies=NamedList([body]))])))
    simulation.run(math.sqrt(2.0 * height / 9.8) + 0.3)
    assert simulation.poses()["b"]["body"].position[2] == pytest.approx(0.0025 + radius, abs=2e-5)


@pytest.mark.parametrize("position", [(0.1, 0.6, 0.0), (0.33, 0.0, 0.0), (0.0, 0.0, 0.16)])
def test_capsules_beside_boxes_are_not_reported(report: Report, position: tuple[float, float, float]) -> None:
    Simulation(two_bodies(BEAM, ROD, Pose(position, ALONG_Y)), report=report)
    report.take("initial-overlap")
