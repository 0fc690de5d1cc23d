"""Scenes of COLLADA: several robots or none, nodes without kinematics, and gravity."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import ossature
from collada_documents import (
    BODY,
    document,
    geometry,
    read,
    read_arm,
    read_test_file,
    robot,
    shown,
)
from ossature.diagnostics import Report
from ossature.model import (
    World,
)
from ossature.simulation import Simulation


def test_two_robots_of_one_description(report: Report) -> None:
    text = robot(
        systems='<instance_articulated_system url="#arm_motion" sid="second" name="second"/>',
        geometries=geometry("g"),
        base_node=shown("g"),
        nodes='<node id="other"><translate>9 0 0</translate><instance_node url="#arm_node" sid="copy"/></node>',
        binds='<bind_kinematics_model node="other/copy/base_node"><SIDREF>second/arm_inst</SIDREF></bind_kinematics_model>'
        '<bind_joint_axis target="other/copy/hand_node/turn"><axis><SIDREF>second/arm_inst/elbow/axis0</SIDREF></axis>'
        "<value><float>45</float></value></bind_joint_axis>",
    )
    first, second = read(text, report).models
    assert (first.name, second.name) == ("arm", "second")
    assert (first.pose.position, second.pose.position) == ((0.0, 0.0, 0.0), (9.0, 0.0, 0.0))
    assert first.joints["elbow"].initial_positions == (0.0,)
    assert second.joints["elbow"].initial_positions == (math.pi / 4.0,)
    assert len(second.bodies["base"].visuals) == 1
    for rule in ("missing-mass", "free-base"):
        report.take(rule)


@pytest.mark.parametrize("start", ["vscene", "shown"])
def test_paths_that_start_at_the_visual_scene_or_its_instance(start: str, report: Report) -> None:
    text = robot(value="<float>30</float>", around="<translate>3 0 0</translate>")
    text = text.replace('<instance_visual_scene url="#vscene"/>', '<instance_visual_scene url="#vscene" sid="shown"/>')
    text = text.replace('"arm_node/base_node"', f'"{start}/arm_node/base_node"')
    text = text.replace('target="hand_node/turn"', f'target="{start}/arm_node/hand_node/turn"')
    model = read_arm(text, report)
    assert model.pose.position == (3.0, 0.0, 0.0)
    assert model.joints["elbow"].initial_positions == (math.radians(30.0),)


def test_a_robot_that_no_scene_shows(report: Report) -> None:
    text = robot(value="<float>20</float>")
    start, stop = text.index("<scene>"), text.index("</scene>") + len("</scene>")
    model = read_arm(text[:start] + text[stop:], report)
    assert [body.name for body in model.bodies] == ["base", "hand"]
    assert model.bodies["hand"].pose.position == (0.0, 0.0, 1.0)
    assert model.joints["elbow"].initial_positions == (0.0,)
    for rule in ("empty-scene", "unbound-model", "unbound-axis"):
        assert len(report.take(rule)) == 1


def test_only_a_visual_scene(report: Report) -> None:
    nodes = f'<node name="a">{shown("g")}<node>{shown("g")}</node></node><node name="b">{shown("g")}</node><node name="none"/>'
    text = document(
        f"<library_geometries>{geometry('g')}</library_geometries>"
        f'<library_visual_scenes><visual_scene id="v">{nodes}</visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#v"/></scene>'
    )
    world = read(text, report)
    assert [(model.name, len(model.bodies[0].visuals), model.static) for model in world.models] == [
        ("a", 2, True),
        ("b", 1, True),
    ]
    assert report.take("empty-scene")
    assert report.take("default-used")


def test_an_empty_document(report: Report) -> None:
    assert not read(document(""), report).models
    assert report.take("empty-scene")
    assert report.take("default-used")


def loose(rigid: str) -> World:
    return read(
        robot(
            geometries=geometry("g"),
            nodes=f'<node id="stone" name="stone"><translate>0 0 50</translate>{shown("g")}</node>',
            bodies=f'<rigid_body sid="stone"><technique_common>{rigid}</technique_common></rigid_body>',
            instances='<instance_rigid_body body="stone" sid="stone" target="#stone"/>' if rigid else "",
            parent=' parent="#stone"',
            base_body=BODY,
        ),
        Report(),
    )


def test_node_without_a_body_is_visual() -> None:
    stone = loose("").models["stone"]
    assert (stone.static, len(stone.bodies[0].visuals), stone.bodies[0].collisions) == (True, 1, ())


def test_a_node_with_a_body_falls() -> None:
    world = loose("<mass>3</mass><mass_frame/><inertia>1 1 1</inertia>")
    stone = world.models["stone"]
    assert (stone.bodies[0].inertial.mass, len(stone.bodies[0].collisions), len(stone.joints)) == (3.0, 1, 0)
    simulation = Simulation(world, report=Report())
    simulation.step(100)
    fallen = 50.0 - simulation.poses()["stone"]["stone"].position[2]
    assert fallen == pytest.approx(0.5 * 9.81 * simulation.time**2, rel=1e-2)


def test_a_body_that_is_not_dynamic_stays() -> None:
    world = loose("<dynamic>false</dynamic><mass>3</mass><mass_frame/><inertia>1 1 1</inertia>")
    simulation = Simulation(world, report=Report())
    simulation.step(100)
    assert simulation.poses()["stone"]["stone"].position == (0.0, 0.0, 50.0)


def test_bodies_inside_one_tree_are_bodies_of_their_own() -> None:
    node = f'<node id="{{0}}" name="{{0}}"><translate>{{1}} 0 0</translate>{shown("g")}</node>'
    rigid = '<instance_rigid_body body="rigid_hand" sid="{0}" target="#{0}"/>'
    tree = f'<node name="table"><translate>0 0 4</translate>{shown("g")}{node.format("cup", 1)}{node.format("jug", 2)}</node>'
    world = read(robot(geometries=geometry("g"), nodes=tree, instances=rigid.format("cup") + rigid.format("jug")))
    assert [model.name for model in world.models] == ["arm", "table", "cup", "jug"]
    assert [len(model.bodies[0].visuals) for model in world.models][1:] == [1, 1, 1]
    assert world.models["jug"].pose.position == (2.0, 0.0, 4.0)
    assert [model.static for model in world.models] == [False, True, False, False]


def test_initial_velocity_of_a_body() -> None:
    body = read_test_file("physics.dae").models["bench"].bodies[0]
    assert body.initial_velocity == (1.0, 0.0, 0.0)
    assert body.initial_angular_velocity_body == (0.0, 0.0, math.pi / 2.0)
    turned = """
    <node id="top" name="top"><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node>"""
    text = robot(
        geometries=geometry("g"),
        nodes=turned,
        instances='<instance_rigid_body body="rigid_hand" sid="top" target="#top"><technique_common>'
        "<angular_velocity>180 0 0</angular_velocity><velocity>2 0 0</velocity></technique_common></instance_rigid_body>",
    )
    body = read(text).models["top"].bodies[0]
    assert body.initial_velocity == pytest.approx((0.0, -2.0, 0.0))
    assert body.initial_angular_velocity_body == pytest.approx((0.0, -math.pi, 0.0))


def test_gravity_and_time_step_of_the_scene() -> None:
    world = read_test_file("physics.dae")
    assert (world.gravity, world.time_step) == ((0.0, 0.0, -9.5), 0.002)


def test_the_world_has_the_name_of_the_scene_that_is_shown() -> None:
    other = '<library_visual_scenes><visual_scene id="other" name="other"/></library_visual_scenes>'
    text = robot().replace('<visual_scene id="vscene">', '<visual_scene id="vscene" name="shown">')
    text = text.replace("<library_visual_scenes>", f"{other}<library_visual_scenes>", 1)
    assert text.index('name="other"') < text.index('name="shown"')
    assert read(text).name == "shown"


@pytest.mark.parametrize(("gravity", "count"), [("0 0 -1.62", 1), ("0 0 -9.81", 0)])
def test_scenes_with_different_gravity_are_reported(gravity: str, count: int, report: Report) -> None:
    scene = f'<physics_scene id="moon"><technique_common><gravity>{gravity}</gravity></technique_common></physics_scene>'
    text = robot(libraries=f"<library_physics_scenes>{scene}</library_physics_scenes>")
    text = text.replace("<instance_visual_scene", '<instance_physics_scene url="#moon"/><instance_visual_scene', 1)
    assert read(text, report).gravity == (0.0, 0.0, -9.81)
    assert len(report.take("unsupported-content")) == count


@pytest.mark.parametrize("example", ["picker.dae", "scanner.dae"])
def test_elements_with_a_prefix_of_the_namespace(example: str) -> None:
    """A document may state COLLADA's namespace with a prefix, as some XML libraries write it."""
    text = (Path(__file__).parents[2] / "examples" / example).read_text("utf-8")
    prefixed = re.sub(r"<(/?)(?=[A-Za-z_])", r"<\1c:", text.replace("xmlns=", "xmlns:c=", 1))
    plain, report = ossature.read(text)
    found, prefixed_report = ossature.read(prefixed)
    assert found is not None
    assert ossature.compare(plain, found) == []
    assert [finding.rule for finding in prefixed_report] == [finding.rule for finding in report]
