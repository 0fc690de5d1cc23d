"""Documents that are not perfect and that OpenRAVE loads: they give a robot, with warnings at most."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from collada_documents import OUTWARD, TETRAHEDRON, geometry, read, robot, shown
from ossature.diagnostics import Report
from ossature.kinematics import mobility_of
from ossature.model import Actuation, Collision, Model, NamedList, Sphere, TriangleMesh
from ossature.simulation import Simulation
from ossature.simulation.compile.collision_filter import excluded_pairs

FACE = '<triangles count="1"><input offset="0" semantic="VERTEX" source="#g_vertices"/><p>{}</p></triangles>'
LOCKED = '<revolute sid="axis0"><axis>0 0 1</axis><limits><min>{}</min><max>{}</max></limits></revolute>'


def model_of(text: str) -> Model:
    report = Report()
    (model,) = read(text, report).models
    assert not report.has_errors, str(report)
    return model


def tetrahedron_in_groups(size: str = "1") -> str:
    corners = OUTWARD.split()
    groups = "".join(FACE.format(" ".join(corners[start : start + 3])) for start in range(0, 12, 3))
    points = TETRAHEDRON.format(id="g").replace("0 0 0 1 0 0 0 1 0 0 0 1", f"0 0 0 {size} 0 0 0 {size} 0 0 0 {size}")
    return f'<geometry id="g"><mesh>{points}{groups}</mesh></geometry>'


def test_groups_of_faces_collide_as_one_mesh() -> None:
    model = model_of(robot(geometries=tetrahedron_in_groups(), hand_node=shown("g")))
    hand = model.bodies["hand"]
    assert len(hand.visuals) == 4
    (collision,) = hand.collisions
    assert isinstance(collision.geometry, TriangleMesh)
    triangles = collision.geometry.surface.triangles
    assert len(triangles.faces) == 4
    assert np.ptp(triangles.vertices, axis=0).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("size", ["1e-4", "1e-5", "1e-7"])
def test_small_mesh_can_be_simulated(size: str) -> None:
    report = Report()
    world = read(robot(geometries=tetrahedron_in_groups(size), hand_node=shown("g")), report)
    simulation = Simulation(world, report=report)
    simulation.run(duration=0.01)


def test_swapped_counts_of_array_and_accessor() -> None:
    swapped = geometry("g").replace('count="12"', 'count="?"').replace('accessor count="4"', 'accessor count="12"')
    model = model_of(robot(geometries=swapped.replace('count="?"', 'count="4"'), hand_node=shown("g")))
    (visual,) = model.bodies["hand"].visuals
    assert isinstance(visual.geometry, TriangleMesh)
    assert len(visual.geometry.surface.triangles.vertices) == 4


def test_instance_of_a_joint_in_a_kinematics_model() -> None:
    text = robot(
        joints='<joint id="spare" sid="spare"><prismatic sid="axis0"><axis>1 0 0</axis></prismatic></joint>'
        '<instance_joint url="#spare" sid="slide"/>',
        hand='<attachment_full joint="arm/slide"><link sid="tool" name="tool"/></attachment_full>',
    )
    assert model_of(text).joints["slide"].child == "tool"


@pytest.mark.parametrize(
    ("limits", "value", "position"), [((0, 0), 0, 0.0), ((30, 30), 0, 0.0), ((30, 30), 30, 30.0), ((20, 10), 0, 0.0)]
)
def test_joint_without_a_range_is_locked(limits: tuple[int, int], value: int, position: float) -> None:
    report = Report()
    world = read(robot(joint=LOCKED.format(*limits), value=f"<float>{value}</float>"), report)
    assert report.take("joint-locked-by-limits")
    (model,) = world.models
    joint = model.joints["elbow"]
    assert joint.actuation is Actuation.LOCKED
    assert joint.initial_positions == pytest.approx((math.radians(position),))
    assert mobility_of(model).degrees_of_freedom == 0
    simulation = Simulation(world, report=report)
    simulation.run(duration=0.1)
    assert simulation.positions()["arm"]["elbow"] == joint.initial_positions


def test_bodies_beyond_locked_joints_are_adjacent() -> None:
    hinge = '<revolute sid="axis0"><axis>0 0 1</axis></revolute>'
    locked = LOCKED.format(0, 0)
    text = robot(
        joint=locked,
        joints=f'<joint sid="wrist" name="wrist">{hinge}</joint>',
        hand='<attachment_full joint="arm/wrist"><link sid="tool" name="tool"/></attachment_full>',
    )
    assert ("base", "tool") in excluded_pairs(with_spheres(model_of(text)))
    moving = with_spheres(model_of(text.replace(locked, hinge)))
    assert ("base", "tool") not in excluded_pairs(moving)
    assert ("base", "hand") in excluded_pairs(moving)


def with_spheres(model: Model) -> Model:
    collisions = (Collision(geometry=Sphere(radius=0.1)),)
    return replace(model, bodies=NamedList([replace(body, collisions=collisions) for body in model.bodies]))
