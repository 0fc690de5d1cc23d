"""Kinematics and scenes of COLLADA in closed form: joints, loops, parameters, limits, what is shown, and other documents."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ossature
from assets.archives import packed
from collada_coverage import FILES
from collada_documents import BODY, CENTIMETRE, DEFAULTS, document, geometry, read, robot, shown, technique
from ossature.diagnostics import Report, Source
from ossature.formats.collada import read_openrave
from ossature.model import (
    Actuation,
    Axis,
    Box,
    Compound,
    Cylindrical,
    Model,
    Prismatic,
    Revolute,
    Translational,
    TriangleMesh,
    Universal,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_axis_angle

Z: tuple[float, float, float] = (0.0, 0.0, 1.0)


def arm(text: str, report: Report | None = None) -> Model:
    return read(text, report).models["arm"]


def file_of_our_own(name: str) -> World:
    path = FILES / name
    return read(path.read_text(encoding="utf-8"), Report(), name=str(path), folder=FILES)


def turn(axis: tuple[float, float, float], degrees: float) -> Pose:
    return Pose(wxyz=quaternion_from_axis_angle(axis, math.radians(degrees)))


# Upward axes


@pytest.mark.parametrize(
    ("axis", "place", "stands"),
    [("X_UP", "5 1 2", (-1.0, -2.0, 5.0)), ("Y_UP", "1 5 2", (1.0, -2.0, 5.0)), ("Z_UP", "1 2 5", (1.0, 2.0, 5.0))],
)
def test_upwards_is_z(axis: str, place: str, stands: tuple[float, ...], report: Report) -> None:
    asset = DEFAULTS["asset"].replace("Z_UP", axis)
    world = read(robot(asset=asset, around=f"<translate>{place}</translate>", physics=""), report)
    for rule in ("up-axis-converted", "default-used"):
        report.take(rule)
    assert ossature.poses(world)["arm"]["base"].position == pytest.approx(stands)
    assert world.gravity == pytest.approx((0.0, 0.0, -9.797930195020351))


@pytest.mark.parametrize(("axis", "stated"), [("X_UP", "-9.81 0.3 -0.1"), ("Y_UP", "-0.3 -9.81 -0.1"), ("", "-0.3 -9.81 -0.1")])
def test_a_specified_gravity_is_turned_too_without_rounding(axis: str, stated: str, report: Report) -> None:
    asset = DEFAULTS["asset"].replace("<up_axis>Z_UP</up_axis>", f"<up_axis>{axis}</up_axis>" if axis else "")
    world = read(robot(asset=asset, physics=f"<gravity>{stated}</gravity>"), report)
    assert report.take("up-axis-converted")
    assert world.gravity == (-0.3, 0.1, -9.81)


def test_openrave_turns_nothing() -> None:
    text = robot(asset=DEFAULTS["asset"].replace("Z_UP", "Y_UP"), around="<translate>0 5 0</translate>", physics="")
    world = read_openrave(Source("robot.dae", text.encode()), Report())
    assert world is not None
    assert ossature.poses(world)["arm"]["base"].position == (0.0, 5.0, 0.0)
    assert world.gravity == pytest.approx((0.0, -9.797930195020351, 0.0))


# Joints


def axis(kind: str, direction: str, number: int) -> str:
    return f'<{kind} sid="axis{number}"><axis>{direction}</axis></{kind}>'


AXES = {
    (("revolute", "0 0 2"),): Revolute(axis=Z),
    (("prismatic", "0 3 0"),): Prismatic(axis=(0.0, 1.0, 0.0)),
    (("revolute", "0 0 1"), ("revolute", "0 1 0")): Universal(axis1=Z, axis2=(0.0, 1.0, 0.0)),
    (("revolute", "0 0 1"), ("prismatic", "0 0 1")): Cylindrical(axis=Z),
    (("prismatic", "1 0 0"), ("prismatic", "0 1 0"), ("prismatic", "0 0 1")): Translational(),
    (("revolute", "0 0 1"), ("prismatic", "1 0 0"), ("revolute", "0 1 0")): Compound(
        axes=(Axis(direction=Z), Axis(direction=(1.0, 0.0, 0.0), is_revolute=False), Axis(direction=(0.0, 1.0, 0.0)))
    ),
    (("prismatic", "0 0 1"), ("prismatic", "0 1 0")): Compound(
        axes=(Axis(direction=Z, is_revolute=False), Axis(direction=(0.0, 1.0, 0.0), is_revolute=False))
    ),
}
VALUES = (30.0, 40.0, 50.0)
"""Degrees, or hundredths of a metre."""


@pytest.mark.parametrize("axes", AXES, ids=lambda axes: "-".join(f"{kind} {direction}" for kind, direction in axes))
def test_axes_of_a_joint_move_one_after_the_other(axes: tuple[tuple[str, str], ...]) -> None:
    binds = "".join(
        f"<bind_joint_axis><axis><SIDREF>arm/elbow/axis{number}</SIDREF></axis><value><float>{VALUES[number]}</float></value>"
        "</bind_joint_axis>"
        for number in range(1, len(axes))
    )
    text = robot(
        joint="".join(axis(kind, direction, number) for number, (kind, direction) in enumerate(axes)),
        attachment="<translate>1 2 3</translate><rotate>1 0 0 20</rotate>",
        hand="<translate>0 0.5 0</translate><rotate>0 1 0 10</rotate>",
        value=f"<float>{VALUES[0]}</float>",
        binds=binds,
    )
    world = read(text)
    assert world.models["arm"].joints["elbow"].type == AXES[axes]
    expected = Pose((1.0, 2.0, 3.0)) @ turn((1.0, 0.0, 0.0), 20.0)
    for (kind, direction), value in zip(axes, VALUES, strict=False):
        x, y, z = (float(number) / max(map(float, direction.split())) for number in direction.split())
        expected @= turn((x, y, z), value) if kind == "revolute" else Pose((x * value, y * value, z * value))
    expected = expected @ Pose((0.0, 0.5, 0.0)) @ turn((0.0, 1.0, 0.0), 10.0)
    assert np.allclose(ossature.poses(world)["arm"]["hand"].matrix(), expected.matrix(), atol=1e-12)


def test_joints_of_a_library() -> None:
    library = f'<library_joints><joint id="hinge" name="hinge">{axis("revolute", "0 1 0", 0)}</joint></library_joints>'
    text = robot(
        libraries=library,
        joints='<instance_joint url="#hinge" sid="wrist"/>',
        hand='<attachment_full joint="arm/wrist"><translate>0 0 2</translate><link sid="tip" name="tip"/></attachment_full>',
        hand_node='<node id="tip_node"><rotate sid="bend">0 1 0 0</rotate></node>',
        instances='<instance_rigid_body body="rigid_hand" sid="tip" target="#tip_node"/>',
        binds='<bind_joint_axis target="tip_node/bend"><axis><SIDREF>arm/wrist/axis0</SIDREF></axis></bind_joint_axis>',
    )
    joint = arm(text).joints["hinge"]
    assert (joint.type, joint.parent, joint.child) == (Revolute(axis=(0.0, 1.0, 0.0)), "hand", "tip")


LIMITS = "<limits><min>-90</min><max>45</max></limits>"


def test_limits_of_turns_are_degrees() -> None:
    joint = f'<revolute sid="axis0"><axis>0 0 1</axis>{LIMITS}</revolute>'
    (coordinate,) = arm(robot(joint=joint)).joints["elbow"].coordinates
    assert (coordinate.position_limits.lower, coordinate.position_limits.upper) == (-math.pi / 2.0, math.pi / 4.0)
    assert (coordinate.continuous, coordinate.hard_limits) == (False, None)


def test_a_turn_without_limits_has_no_end() -> None:
    assert [one.continuous for one in arm(robot()).joints["elbow"].coordinates] == [True]
    specified = '<newparam sid="circular"><bool>false</bool></newparam>'
    assert [one.continuous for one in arm(robot(axis_info=specified)).joints["elbow"].coordinates] == [False]


RATES = "<speed><float>90</float></speed><acceleration><float>180</float></acceleration><jerk><float>360</float></jerk>"
HARD = "".join(f'<newparam sid="hardMax{name}"><float>720</float></newparam>' for name in ("Vel", "Accel", "Jerk"))


def test_rates_of_turns() -> None:
    (coordinate,) = arm(robot(motion_info=HARD + RATES)).joints["elbow"].coordinates
    found = [
        (limit.lower, limit.upper)
        for limit in (coordinate.velocity_limits, coordinate.acceleration_limits, coordinate.jerk_limits)
    ]
    assert found == [(-rate, rate) for rate in (math.pi / 2.0, math.pi, 2.0 * math.pi)]
    assert coordinate.hard_limits is not None
    assert [
        limit.upper
        for limit in (coordinate.hard_limits.velocity, coordinate.hard_limits.acceleration, coordinate.hard_limits.jerk)
    ] == [4.0 * math.pi] * 3


def test_values_and_rates_of_old_tools_are_radians(report: Report) -> None:
    asset = "<contributor><authoring_tool>{}</authoring_tool></contributor>" + DEFAULTS["asset"]
    joint = f'<revolute sid="axis0"><axis>0 0 1</axis>{LIMITS}</revolute>'
    for tool, factor in (("OpenRAVE Collada Writer", 1.0), ("OpenRAVE Collada Writer v0.3.5", math.radians(1.0))):
        text = robot(asset=asset.format(tool), joint=joint, value="<float>0.5</float>", motion_info=RATES)
        (coordinate,) = arm(text, report).joints["elbow"].coordinates
        assert coordinate.initial_position == 0.5 * factor
        assert coordinate.velocity_limits.upper == 90.0 * factor
        assert coordinate.position_limits.upper == math.pi / 4.0
        assert bool(report.take("assumed-radians")) == (factor == 1.0)


@pytest.mark.parametrize(
    ("info", "actuation"),
    [
        ("", Actuation.FORCE),
        ("<active><bool>true</bool></active>", Actuation.FORCE),
        ("<active><bool>false</bool></active>", Actuation.PASSIVE),
        ("<locked><bool>true</bool></locked>", Actuation.LOCKED),
        ('<newparam sid="x"><bool>true</bool></newparam><locked><param>x</param></locked>', Actuation.LOCKED),
        ('<newparam sid="x"><bool>false</bool></newparam><active><param ref="x"/></active>', Actuation.PASSIVE),
    ],
)
def test_active_and_locked(info: str, actuation: Actuation) -> None:
    assert arm(robot(axis_info=info)).joints["elbow"].actuation is actuation


# Loops


def test_a_closed_loop_stands_where_it_should() -> None:
    poses = ossature.poses(file_of_our_own("loop.dae"))["four_bars"]
    assert {name: pose.position for name, pose in poses.items()} == {
        "ground": (0.0, 0.0, 0.0),
        "left": (0.0, 0.0, 0.0),
        "top": (0.0, 0.0, 1.0),
        "right": (2.0, 0.0, 1.0),
    }


def test_a_loop_stays_closed_while_it_moves() -> None:
    simulation = Simulation(file_of_our_own("loop.dae"), report=Report())
    simulation.step(2000)
    poses = simulation.poses()["four_bars"]
    end = poses["right"].transform((0.0, 0.0, -1.0))
    assert end == pytest.approx((2.0, 0.0, 0.0), abs=1e-6)
    (angle,) = simulation.positions()["four_bars"]["a"]
    assert angle > 0.1
    # The opposite bars of a parallelogram stay parallel.
    assert poses["top"].position == pytest.approx((math.sin(angle), 0.0, math.cos(angle)), abs=1e-6)
    assert np.allclose(poses["top"].wxyz, (1.0, 0.0, 0.0, 0.0), atol=1e-6)


# Parameters


def test_parameters_through_three_levels() -> None:
    (model,) = file_of_our_own("kinematics.dae").models
    (bearing,), (rail,) = (model.joints[name].coordinates for name in ("bearing", "rail"))
    assert bearing.position_limits.lower == math.radians(-85.0)  # set by the scene, in the parameters of the kinematics system
    assert bearing.initial_position == math.radians(15.0)
    assert bearing.velocity_limits.upper == math.radians(90.0)  # set by the motion system
    assert bearing.acceleration_limits.upper == math.radians(45.0)  # bound by it
    assert rail.position_limits.upper == pytest.approx(0.275)  # declared by the model, set by its instance
    assert rail.initial_position == pytest.approx(0.0875)  # named by the scene through both systems, set by it
    assert model.joints["bearing"].actuation is Actuation.PASSIVE
    assert model.joints["rail"].actuation is Actuation.LOCKED


@pytest.mark.parametrize(
    "path",
    [
        "kscene/arm/arm_motion/kin_inst/arm_kinematics/arm_inst/elbow/axis0",
        "arm_motion/arm_kinematics/arm_inst/elbow/axis0",
        "arm/arm_inst/elbow/axis0",
        "arm_inst/./elbow/axis0",
        "arm/elbow/axis0",
        "elbow/axis0",
        "elbow",
    ],
)
def test_paths_to_an_axis(path: str) -> None:
    text = robot(value="<float>20</float>").replace("kscene/arm/arm_kinematics/arm_inst/elbow/axis0", path)
    assert arm(text).joints["elbow"].initial_positions == (math.radians(20.0),)


@pytest.mark.parametrize("path", ["legs/elbow/axis0", "arm/elbow/axis7", "arm/elbow/axis0/more"])
def test_paths_that_lead_nowhere(path: str, report: Report) -> None:
    text = robot(value="<float>20</float>").replace("kscene/arm/arm_kinematics/arm_inst/elbow/axis0", path)
    assert arm(text, report).joints["elbow"].initial_positions == (0.0,)
    assert report.take("unresolved-binding")
    assert report.take("unbound-axis")


def test_parameters_that_name_each_other_have_no_value(report: Report) -> None:
    text = robot(
        scene_instance='<newparam sid="a"><SIDREF>b</SIDREF></newparam><newparam sid="b"><SIDREF>a</SIDREF></newparam>',
        value="<param>a</param>",
    )
    assert arm(text, report).joints["elbow"].initial_positions == (0.0,)
    assert report.take("unresolved-parameter")


# What collides, and what is visible


def states(kind: str, value: str, link: str = "base") -> str:
    return technique("collision", f'<link_{kind}_state link="{link}"><bool>{value}</bool></link_{kind}_state>')


@pytest.mark.parametrize(
    ("system", "instance", "expected"),
    [
        ("", "", True),
        ("false", "", False),
        ("", "false", False),
        ("false", "true", False),
        ("true", "false", False),
        ("true", "true", True),
    ],
)
@pytest.mark.parametrize("kind", ["collision", "visible"])
def test_an_instance_switches_off_and_never_on(kind: str, system: str, instance: str, expected: bool) -> None:
    text = robot(
        geometries=geometry("g"),
        base_node=shown("g"),
        motion_extra=states(kind, system) if system else "",
        scene_instance=states(kind, instance) if instance else "",
    )
    base = arm(text).bodies["base"]
    shapes = [shape.enabled for shape in base.collisions] if kind == "collision" else [one.visible for one in base.visuals]
    assert shapes == [expected]


def test_outer_levels_of_a_system_count_before_inner_ones() -> None:
    text = robot(
        geometries=geometry("g"),
        base_node=shown("g"),
        model_extra=states("collision", "false"),
        kinematics_extra=states("collision", "false"),
        motion_extra=states("collision", "true"),
    )
    assert [shape.enabled for shape in arm(text).bodies["base"].collisions] == [True]


@pytest.mark.parametrize("kind", ["collision", "visible"])
def test_visibility_of_links_in_both_places(kind: str) -> None:
    hidden = technique(kind, '<link_visible_state link="base"><bool>false</bool></link_visible_state>')
    base = arm(robot(geometries=geometry("g"), base_node=shown("g"), motion_extra=hidden)).bodies["base"]
    assert [visual.visible for visual in base.visuals] == [False]
    assert [shape.enabled for shape in base.collisions] == [True]


@pytest.mark.parametrize("name", ["base", "arm/base", "arm_inst/base"])
def test_links_by_their_paths(name: str) -> None:
    pair = technique("collision", f'<ignore_link_pair link0="{name}" link1="hand"/>')
    assert arm(robot(motion_extra=pair)).ignored_pairs == (("base", "hand"),)


# Several robots, and none


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
    model = arm(text, report)
    assert model.pose.position == (3.0, 0.0, 0.0)
    assert model.joints["elbow"].initial_positions == (math.radians(30.0),)


def test_a_robot_that_no_scene_shows(report: Report) -> None:
    text = robot(value="<float>20</float>")
    start, stop = text.index("<scene>"), text.index("</scene>") + len("</scene>")
    model = arm(text[:start] + text[stop:], report)
    assert [body.name for body in model.bodies] == ["base", "hand"]
    assert model.bodies["hand"].pose.position == Z
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


# Nodes without kinematics


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


def test_a_node_without_a_body_is_drawn_only() -> None:
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


def test_how_a_body_moves_at_the_start() -> None:
    body = file_of_our_own("physics.dae").models["bench"].bodies[0]
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
    world = file_of_our_own("physics.dae")
    assert (world.gravity, world.time_step) == ((0.0, 0.0, -9.5), 0.002)


# Other documents

PART = document(f"<library_geometries>{geometry('g')}</library_geometries>")


@pytest.mark.parametrize(
    ("url", "attribute"),
    [("part.dae#g", ""), ("part.dae", ""), ("./parts/part.dae#g", ""), ("part.dae#g", ' xml:base="parts/"')],
)
def test_a_part_of_another_document(url: str, attribute: str, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "parts"):
        folder.mkdir(exist_ok=True)
        (folder / "part.dae").write_text(PART, encoding="utf-8")
    text = robot(base_node=f'<instance_geometry url="{url}"/>').replace(' version="1.5.0"', f' version="1.5.0"{attribute}')
    (visual,) = read(text, name=str(tmp_path / "robot.dae"), folder=tmp_path).models["arm"].bodies["base"].visuals
    assert isinstance(visual.geometry, TriangleMesh)
    assert len(visual.geometry.surface.triangles.faces) == 4


@pytest.mark.parametrize("url", ["parts.zae#g", "parts.zae"])
def test_a_part_of_an_archive(url: str, tmp_path: Path) -> None:
    manifest = b"<dae_root>./part.dae</dae_root>"
    (tmp_path / "parts.zae").write_bytes(packed({"manifest.xml": manifest, "part.dae": PART.encode()}))
    text = robot(base_node=f'<instance_geometry url="{url}"/>')
    (visual,) = read(text, name=str(tmp_path / "robot.dae"), folder=tmp_path).models["arm"].bodies["base"].visuals
    assert isinstance(visual.geometry, TriangleMesh)
    assert len(visual.geometry.surface.triangles.faces) == 4


def test_a_document_that_names_its_parts_inside_an_archive(tmp_path: Path) -> None:
    main = robot(base_node='<instance_geometry url="parts/part.dae#g"/>')
    members = {"manifest.xml": b"<dae_root>robot.dae</dae_root>", "robot.dae": main.encode(), "parts/part.dae": PART.encode()}
    path = tmp_path / "robot.zae"
    path.write_bytes(packed(members))
    world = ossature.load(path)
    assert len(world.models["arm"].bodies["base"].visuals) == 1


def test_a_document_is_not_read_from_elsewhere(tmp_path: Path, report: Report) -> None:
    (tmp_path / "part.dae").write_text(PART, encoding="utf-8")
    (tmp_path / "inner").mkdir()
    text = robot(base_node='<instance_geometry url="../part.dae#g"/>')
    model = read(text, report, name=str(tmp_path / "inner" / "robot.dae"), folder=tmp_path / "inner").models["arm"]
    assert not model.bodies["base"].visuals
    assert report.take("missing-file")


def test_materials_are_those_of_the_document_that_binds_them(tmp_path: Path) -> None:
    painted = document(f"<library_geometries>{geometry('g', symbol='s')}</library_geometries>")
    (tmp_path / "part.dae").write_text(painted, encoding="utf-8")
    materials = """
    <library_effects><effect id="e"><profile_COMMON><technique sid="t">
      <lambert><diffuse><color>0 1 0 1</color></diffuse></lambert>
    </technique></profile_COMMON></effect></library_effects>
    <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>"""
    node = (
        '<instance_geometry url="part.dae#g"><bind_material><technique_common><instance_material symbol="s" target="#m"/>'
        "</technique_common></bind_material></instance_geometry>"
    )
    text = robot(base_node=node, libraries=materials)
    (visual,) = read(text, name=str(tmp_path / "robot.dae"), folder=tmp_path).models["arm"].bodies["base"].visuals
    assert visual.color == (0.0, 1.0, 0.0, 1.0)


# What a hand holds


def test_a_hand_holds_a_stick() -> None:
    (grasp,) = file_of_our_own("extensions.dae").grasps
    assert (grasp.link.model, grasp.link.body) == ("gripper", "finger")
    assert (grasp.body.model, grasp.body.body) == ("stick", "stick")
    assert grasp.ignored_bodies == ("palm",)


def test_links_are_ignored_by_their_bare_names_too(report: Report) -> None:
    text = (FILES / "extensions.dae").read_text(encoding="utf-8").replace('link="robot/palm"', 'link="palm"')
    (grasp,) = read(text, report).grasps
    assert grasp.ignored_bodies == ("palm",)
    report.take("deprecated-spelling")
    report.take("unsupported-content")


def test_a_collision_state_refers_to_a_parameter_of_the_model() -> None:
    state = '<link_collision_state link="base"><param>collides</param></link_collision_state>'
    for value in ("true", "false"):
        parameter = f'<newparam sid="collides"><bool>{value}</bool></newparam>'
        world = read(
            robot(
                joints=parameter,
                geometries=geometry("g"),
                base_node=shown("g"),
                model_extra=technique("collision", state),
            )
        )
        assert [shape.enabled for shape in world.models[0].bodies["base"].collisions] == [value == "true"]


def test_bounds_that_soft_limits_do_not_state_are_hard_limits() -> None:
    joint = '<revolute sid="axis0"><axis>0 0 1</axis><limits><min>-100</min><max>90</max></limits></revolute>'
    info = "<limits><min><float>-45</float></min></limits>"
    (coordinate,) = arm(robot(joint=joint, axis_info=info)).joints["elbow"].coordinates
    limits = coordinate.position_limits
    assert (limits.lower, limits.upper) == (math.radians(-45.0), math.radians(90.0))


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


# Units of parts of a document


def with_unit(text: str, container: str) -> str:
    """Return a document one of whose elements has the unit of a centimetre."""
    assert text.count(container) == 1
    return text.replace(container, container + CENTIMETRE)


def test_formulas_of_systems_have_the_unit_of_the_system() -> None:
    joint = '<prismatic sid="axis0"><axis>0 0 1</axis></prismatic>'
    formula = "<formula><technique_common><math><cn>3</cn></math></technique_common></formula>"
    text = robot(joint=joint, place='<translate sid="turn">0 0 0</translate>', axis_info=formula)
    (coordinate,) = arm(with_unit(text, '<articulated_system id="arm_kinematics">')).joints["elbow"].coordinates
    assert coordinate.coupling is not None
    hand = ossature.poses(read(with_unit(text, '<articulated_system id="arm_kinematics">')))["arm"]["hand"]
    assert hand.position == pytest.approx((0.0, 0.0, 1.03), abs=1e-15)


def test_formulas_of_systems_refer_to_the_document_of_the_system(tmp_path: Path) -> None:
    formula = '<formula id="half"><technique_common><math><cn>0.5</cn></math></technique_common></formula>'
    text = robot(axis_info='<instance_formula url="#half"/>', extra=f"<library_formulas>{formula}</library_formulas>")
    begin, end = text.index("<library_kinematics_models>"), text.index("</library_kinematics_models>")
    library = text[begin:end] + "</library_kinematics_models>"
    (tmp_path / "parts.dae").write_text(document(library))
    text = text.replace(library, "").replace('url="#arm" sid', 'url="parts.dae#arm" sid')
    (coordinate,) = read(text, folder=tmp_path).models["arm"].joints["elbow"].coordinates
    assert coordinate.coupling is not None


def test_instances_of_rigid_bodies_have_the_unit_of_their_scene() -> None:
    body = "<mass>2</mass><mass_frame><translate>0 3 0</translate></mass_frame><inertia>1 1 1</inertia>"
    box = "<shape><translate>1 0 0</translate><box><half_extents>2 3 4</half_extents></box></shape>"
    own = f"<technique_common><mass_frame><translate>5 0 0</translate></mass_frame>{box}</technique_common>"
    text = robot(base_body=f"<dynamic>false</dynamic>{body}", place="<translate>0 0 1</translate>").replace(
        'sid="rigid_base" target="#base_node"/>', f'sid="rigid_base" target="#base_node">{own}</instance_rigid_body>'
    )
    base = arm(with_unit(text, '<physics_scene id="pscene">')).bodies["base"]
    assert base.inertial.center_of_mass == pytest.approx((0.05, 0.0, 0.0), abs=1e-15)
    (shape,) = base.collisions
    assert (shape.geometry, shape.pose.position) == (Box(size=(0.04, 0.06, 0.08)), (0.01, 0.0, 0.0))
