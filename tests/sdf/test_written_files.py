"""SDFormat files that are written: what they contain, and what the ledger states."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.assets import Resolver
from ossature.comparison import compare
from ossature.diagnostics import Action, Ledger, Report, Source
from ossature.formats.sdf import read_sdf
from ossature.kinematics import model_poses
from ossature.model import (
    Appearance,
    Axis,
    Body,
    Box,
    Collision,
    Compound,
    Coordinate,
    Coupling,
    Fixed,
    Floating,
    Force6D,
    Frame,
    Imu,
    Inertial,
    Joint,
    JointPosition,
    Laser2D,
    Light,
    Material,
    Model,
    Number,
    Operation,
    Operator,
    PinholeCamera,
    Planar,
    Plane,
    Revolute,
    Screw,
    Sensor,
    Spherical,
    Texture,
    TextureLayer,
    Universal,
    Visual,
    World,
)
from ossature.spatial import Pose, normalized, unit

EXAMPLES = [
    PROJECT / "examples" / name
    for name in ("arm.skel", "gripper_arm.sdf", "palletizer.urdf", "picker.dae", "slider_crank.yaml")
]
UNIT = Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def body(name: str, **fields: object) -> Body:
    return Body(name=name, inertial=UNIT, **fields)  # type: ignore[arg-type]  # as the test states them


def world_of(*joints: Joint, bodies: tuple[Body, ...] = (body("a"), body("b")), **fields: object) -> World:
    return World(models=[Model(name="m", bodies=bodies, joints=joints, **fields)])  # type: ignore[arg-type]


def document(path: Path) -> ElementTree.Element:
    return ElementTree.fromstring(path.read_bytes())  # noqa: S314  # our own output


def through_file(world: World, folder: Path) -> tuple[World, Ledger, ElementTree.Element]:
    """Return the World read from a written file, its ledger and the file."""
    ledger = ossature.convert(world, folder / "out.sdf", verify=True).ledger
    return ossature.load(folder / "out.sdf"), ledger, document(folder / "out.sdf")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_written_and_written_again_as_the_same_text(path: Path, tmp_path: Path) -> None:
    ossature.convert(path, tmp_path / "first.sdf", verify=True)
    ossature.convert(tmp_path / "first.sdf", tmp_path / "second.sdf", verify=True)
    assert (tmp_path / "first.sdf").read_bytes() == (tmp_path / "second.sdf").read_bytes()
    report = Report()
    read_sdf(Source("first.sdf", (tmp_path / "first.sdf").read_bytes()), report, resolver=Resolver())
    assert not report


def test_numbers_and_rotations_are_read_to_the_bit(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    poses = [Pose(tuple(random.normal(size=3)), normalized(tuple(random.normal(size=4)))) for _ in range(6)]
    links = (
        body("a", pose=poses[0], visuals=(Visual(geometry=Box(size=(0.1, 0.2, 1 / 3)), pose=poses[1], name="v"),)),
        body("b", pose=poses[2], frames=(Frame(name="tip", pose=poses[3]),)),
    )
    axis = unit(tuple(random.normal(size=3)))
    limits = Coordinate(position_limits=(-1 / 3, math.pi), velocity_limits=(-0.7, 0.7), damping=0.1, friction=1 / 7)
    world = world_of(
        Joint(name="j", type=Revolute(axis=axis), parent="a", child="b", pose=poses[4], coordinates=(limits,)),
        bodies=links,
        pose=poses[5],
    )
    again, _, _ = through_file(world, tmp_path)
    assert compare(world, again) == []


def test_a_world_states_gravity_and_time_step_and_a_robot_alone_is_a_model(tmp_path: Path) -> None:
    moon = World(name="moon", gravity=(0.0, 0.0, -1.62), time_step=0.002, models=world_of().models)
    again, ledger, file = through_file(moon, tmp_path)
    assert compare(moon, again) == []
    assert len(ledger) == 0
    assert file.findtext("world/gravity") == "0 0 -1.62"
    _, _, alone = through_file(world_of(), tmp_path)
    assert [child.tag for child in alone] == ["model"]
    ossature.save(world_of(), tmp_path / "out.world")
    assert document(tmp_path / "out.world").find("world/model") is not None


def test_names_with_separators_are_nested_models(tmp_path: Path) -> None:
    world = ossature.load(PROJECT / "examples" / "gripper_arm.sdf")
    again, _, file = through_file(world, tmp_path)
    assert [link.get("name") for link in file.findall("model/model[@name='gripper']/link")] == ["palm", "left", "right"]
    assert compare(world, again) == []


def test_equal_and_reserved_names_are_renamed(tmp_path: Path) -> None:
    links = (body("world"), body("arm", frames=(Frame(name="arm"),)), body("x::y"), body("x"))
    world = world_of(Joint(name="arm", type=Revolute(), parent="world", child="arm"), bodies=links)
    again, ledger, _ = through_file(world, tmp_path)
    assert again.models[0].bodies.names() == ("world_2", "arm", "x_y", "x")
    assert again.models[0].joints.names() == ("arm_joint",)
    assert [frame.name for frame in again.models[0].bodies["arm"].frames] == ["arm_frame"]
    assert {one.name for one in ledger.names} == {"world", "arm", "x::y"}
    assert not ossature.check(tmp_path / "out.sdf").has_errors


@pytest.mark.parametrize(
    ("joint_type", "name"),
    [
        (Fixed(), "fixed"),
        (Revolute(axis=(1.0, 0.0, 0.0)), "continuous"),
        (Screw(axis=(0.0, 1.0, 0.0), pitch=0.3), "screw"),
        (Universal(), "universal"),
        (Universal(axis1=(1.0, 0.0, 0.0), axis2=(0.6, 0.8, 0.0)), "revolute2"),
        (Compound(axes=(Axis(direction=(1.0, 0.0, 0.0)), Axis(direction=(0.6, 0.8, 0.0)))), "revolute2"),
        (Spherical(), "ball"),
    ],
)
def test_joint_types(joint_type: object, name: str, tmp_path: Path) -> None:
    offset = Pose((0.1, 0.2, 0.3), normalized((0.9, 0.1, 0.2, 0.3)))
    links = (body("a"), body("b", pose=Pose((1.0, 0.0, 0.0))))
    joint = Joint(name="j", type=joint_type, parent="a", child="b", pose=offset)  # type: ignore[arg-type]
    again, _, file = through_file(world_of(joint, bodies=links), tmp_path)
    assert [one.get("type") for one in file.iter("joint")] == [name]
    positions = {"j": (0.3, -0.4, 0.5)[: joint.degrees_of_freedom]}
    before, after = (model_poses(world.models[0], positions) for world in (world_of(joint, bodies=links), again))
    assert np.allclose(before["b"].matrix(), after["b"].matrix(), rtol=0.0, atol=1e-15)


def test_a_planar_joint_becomes_serial_joints_with_the_same_motion(tmp_path: Path) -> None:
    joint = Joint(name="j", type=Planar(), parent=None, child="b")
    again, _, _ = through_file(world_of(joint), tmp_path)
    first = model_poses(world_of(joint).models[0], {"j": (0.1, 0.2, 0.3)})
    second = model_poses(again.models[0], {"j_1": (0.1,), "j_2": (0.2,), "j_3": (0.3,)})
    assert np.allclose(first["b"].matrix(), second["b"].matrix(), atol=1e-15)


def test_a_free_joint_is_no_joint_and_its_initial_pose_that_of_the_links(tmp_path: Path) -> None:
    start = tuple([Coordinate(initial_position=value) for value in (0.1, -0.2, 0.3, 1.0, 2.0, 3.0)])
    links = (body("a", pose=Pose((0.0, 0.0, 1.0))), body("b", pose=Pose((0.5, 0.0, 1.0))))
    joints = (
        Joint(name="free", type=Floating(), parent=None, child="a", pose=Pose((0.2, 0.0, 0.0)), coordinates=start),
        Joint(name="j", type=Revolute(), parent="a", child="b"),
    )
    world = world_of(*joints, bodies=links)
    again, _, _ = through_file(world, tmp_path)
    assert again.models[0].joints.names() == ("j",)
    expected = model_poses(world.models[0], {"free": [one.initial_position for one in start], "j": (0.4,)})
    found = model_poses(again.models[0], {"j": (0.4,)})
    for name in ("a", "b"):
        assert np.allclose(expected[name].matrix(), found[name].matrix(), atol=1e-14)


def test_an_initial_position_is_dropped_with_its_value(tmp_path: Path) -> None:
    joint = Joint(name="j", type=Revolute(), parent="a", child="b", coordinates=(Coordinate(initial_position=0.5),))
    _, ledger, _ = through_file(world_of(joint), tmp_path)
    (entry,) = [one for one in ledger if one.path == "m/j.coordinates[0].initial_position"]
    assert (entry.action, entry.before) == (Action.DROPPED, "0.5 rad")


def test_couplings_to_both_axes_of_a_joint_are_written(tmp_path: Path) -> None:
    scaled = Operation(operator=Operator.MULTIPLY, operands=(Number(value=-2.0), JointPosition(joint="u", coordinate=1)))
    follower = Coordinate(coupling=Coupling(position=scaled))
    joints = (
        Joint(name="u", type=Universal(), parent=None, child="a"),
        Joint(name="j", type=Revolute(), parent="a", child="b", coordinates=(follower,)),
    )
    again, ledger, file = through_file(world_of(*joints), tmp_path)
    assert compare(world_of(*joints), again) == []
    assert len(ledger) == 0
    assert file.find(".//mimic").attrib == {"joint": "u", "axis": "axis2"}  # type: ignore[union-attr]


def test_a_closed_loop_is_written(tmp_path: Path) -> None:
    joints = [Joint(name=f"j{n}", type=Revolute(), parent=parent, child=child) for n, (parent, child) in enumerate(LOOP)]
    again, ledger, _ = through_file(world_of(*joints), tmp_path)
    assert again.models[0].joints.names() == ("j0", "j1", "j2")
    assert len(ledger) == 0


LOOP = ((None, "a"), ("a", "b"), (None, "b"))


def test_friction_and_restitution_are_stated_for_both_directions_and_all_speeds(tmp_path: Path) -> None:
    material = Material(friction=0.4, restitution=0.7, rolling_friction=0.01, young_modulus=1e7, poisson_ratio=0.3)
    shape = Collision(geometry=Box(size=(1.0, 1.0, 1.0)), material=material, name="c")
    world = world_of(bodies=(body("a", collisions=(shape,)),))
    again, ledger, file = through_file(world, tmp_path)
    assert compare(world, again) == []
    assert len(ledger) == 0
    surface = file.find(".//surface")
    assert surface is not None
    assert [surface.findtext(path) for path in ("friction/ode/mu2", "friction/bullet/friction2", "bounce/threshold")] == [
        "0.4",
        "0.4",
        "0",
    ]


def test_a_plane_beside_its_origin_is_moved_and_has_a_size(tmp_path: Path) -> None:
    plane = Plane(normal=(0.0, 0.6, 0.8), offset=2.0)
    world = world_of(bodies=(body("a", collisions=(Collision(geometry=plane, name="c"),)),), static=True)
    again, _, file = through_file(world, tmp_path)
    (shape,) = again.models[0].bodies["a"].collisions
    assert shape.pose.position == (0.0, 1.2, 1.6)
    assert file.findtext(".//plane/size") == "20 20"


def test_a_shape_that_does_not_collide_is_left_out(tmp_path: Path) -> None:
    shapes = (Collision(geometry=Box(size=(1.0, 1.0, 1.0)), enabled=False), Collision(geometry=Box(size=(2.0, 2.0, 2.0))))
    again, ledger, _ = through_file(world_of(bodies=(body("a", collisions=shapes),)), tmp_path)
    assert [shape.geometry for shape in again.models[0].bodies["a"].collisions] == [shapes[1].geometry]
    assert any(entry.path == "m/a.collisions[0]" and entry.action is Action.DROPPED for entry in ledger)


def test_sensors_of_other_formats_are_sensors_of_sdformat(tmp_path: Path) -> None:
    joint = Joint(name="j", type=Revolute(), parent="a", child="b", pose=Pose((0.1, 0.0, 0.0)))
    matrix = ((500.0, 0.0, 300.0), (0.0, 510.0, 250.0))
    noise = ((0.01, 0.0, 0.0), (0.0, 0.04, 0.0), (0.0, 0.0, 0.0))
    descriptions = {
        "eye": PinholeCamera(width=640, height=480, intrinsic=matrix, measurement_time=0.1),
        "scan": Laser2D(min_angle=-1.0, max_angle=1.0, angle_increment=0.01, min_distance=0.1, max_distance=9.0),
        "imu": Imu(measurement_time=0.01, angular_velocity_covariance=noise),
        "force": Force6D(polarity=-1),
    }
    pose = Pose((0.0, 0.5, 0.0), normalized((0.5, 0.5, 0.1, 0.2)))
    sensors = [
        Sensor(name=name, body="b", pose=pose, type=type(one).__name__, description=one) for name, one in descriptions.items()
    ]
    world = world_of(joint, sensors=sensors)
    again, _, file = through_file(world, tmp_path)
    assert [one.get("type") for one in file.iter("sensor")] == ["camera", "gpu_lidar", "imu", "force_torque"]
    assert file.find("model/joint/sensor[@name='force']") is not None
    for sensor in again.models[0].sensors:
        assert np.allclose(sensor.pose.matrix(), pose.matrix(), atol=1e-15)
        assert compare(descriptions[sensor.name], sensor.description, tolerance=1e-12) == []


def test_an_appearance_is_the_material_of_its_shapes(tmp_path: Path) -> None:
    textures = [Texture(name="wood", type="2d", file=str(tmp_path / "wood.png"))]
    layers = (TextureLayer(texture="wood"),)
    look = Appearance(name="look", color=(0.1, 0.2, 0.3, 1.0), textures=layers, emission=0.5, metallic=0.25, roughness=0.75)
    shape = Visual(geometry=Box(size=(1.0, 1.0, 1.0)), appearance="look", name="v")
    world = world_of(bodies=(body("a", visuals=(shape,)),), appearances=[look], textures=textures)
    again, ledger, file = through_file(world, tmp_path)
    assert again.models[0].bodies["a"].visuals[0].color == look.color
    material = file.find(".//material")
    assert material is not None
    assert material.findtext("emissive") == "0.05 0.1 0.15 1"
    metal = {one.tag: one.text for one in material.findall("pbr/metal/*")}
    assert metal == {"roughness": "0.75", "metalness": "0.25", "albedo_map": "wood.png"}
    assert {entry.action for entry in ledger if entry.path in ("m/look", "m/wood")} == {Action.EXTENSION}
    ossature.convert(tmp_path / "out.sdf", tmp_path / "again.sdf", verify=True)
    assert (tmp_path / "out.sdf").read_bytes() == (tmp_path / "again.sdf").read_bytes()


def test_lights_are_those_of_links_and_of_the_world(tmp_path: Path) -> None:
    lights = [
        Light(name="head", body="a", position=(0.0, 0.0, 1.0), type="spot", cutoff=0.5),
        Light(name="sun", body=None, direction=(0.0, 0.6, -0.8), type="directional"),
        Light(name="room", body=None, type="image"),
    ]
    _, ledger, file = through_file(world_of(lights=lights), tmp_path)
    assert file.findtext("world/model/link/light/spot/outer_angle") == "1"
    assert file.findtext("world/light/direction") == "0 0.6 -0.8"
    assert [entry.path for entry in ledger if entry.action is Action.DROPPED] == ["m/room"]


def test_declared_namespaces_are_written(tmp_path: Path) -> None:
    text = """<sdf version="1.11" xmlns:gz="http://gazebosim.org/schema">
    <model name="m"><gz:note/><link name="a"/></model></sdf>"""
    (tmp_path / "in.sdf").write_text(text)
    ossature.convert(tmp_path / "in.sdf", tmp_path / "out.sdf", verify=True)
    assert document(tmp_path / "out.sdf").find("model/{http://gazebosim.org/schema}note") is not None


def test_an_element_that_is_kept_as_text_does_not_hide_a_changed_value(tmp_path: Path) -> None:
    text = """<sdf version="1.11"><model name="m"><link name="a">
    <visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry>
    <material><ambient>1 0 0</ambient><diffuse>1 0 0</diffuse><specular>0.5 0.5 0.5</specular></material></visual>
    <collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry>
    <surface><friction><ode><mu>0.5</mu><mu2>0.1</mu2></ode></friction></surface></collision></link></model></sdf>"""
    world = ossature.load(text.encode(), format="sdf")
    one = world.models[0].bodies["a"]
    changed = replace(
        one,
        visuals=(replace(one.visuals[0], color=(0.0, 0.0, 1.0, 1.0)),),
        collisions=(replace(one.collisions[0], material=Material(friction=0.7)),),
    )
    again, _, file = through_file(World(models=[replace(world.models[0], bodies=[changed])]), tmp_path)
    assert again.models[0].bodies["a"].visuals[0].color == (0.0, 0.0, 1.0, 1.0)
    material = {child.tag: child.text for child in file.findall(".//material/*")}
    assert material == {"ambient": "0 0 1 1", "diffuse": "0 0 1 1", "specular": "0.5 0.5 0.5"}
    assert [child.text for child in file.findall(".//ode/*")] == ["0.7", "0.1"]
