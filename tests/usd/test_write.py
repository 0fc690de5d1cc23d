"""The writer of OpenUSD: what is written is read back as it was, but for the ledger."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from format_conversion import read_as, written
from joint_models import BALLS, TYPES, model_of, name_of
from ossature.comparison import compare
from ossature.conversion import convert
from ossature.conversion.round_trip_differences import uncovered_differences, with_written_names
from ossature.diagnostics import Ledger, Limits, OssatureError, Report, Severity
from ossature.formats.usd.usda_text import point_array, single
from ossature.kinematics import model_poses
from ossature.model import (
    Actuator,
    ActuatorModel,
    Bias,
    Body,
    Box,
    Collision,
    Connection,
    Coordinate,
    Ellipsoid,
    Equality,
    Fixed,
    Floating,
    Inertial,
    Joint,
    JointEquality,
    JointSum,
    JointTerm,
    JointType,
    Material,
    Model,
    Plane,
    Prismatic,
    Range,
    Revolute,
    Screw,
    Tendon,
    TendonTransmission,
    Weld,
    World,
)
from ossature.spatial import Pose, quaternion_from_rotation_vector
from random_models import random_robot, random_tree

pytest.importorskip("pxr", reason="the extra usd is not installed")

SAMPLES = (
    *("tests/skel/files/skeleton.skel", "tests/skel/files/joints.skel", "tests/skel/files/shapes.skel"),
    *("tests/chrono/files/everything.yaml", "tests/urdf/files/everything.urdf", "tests/sdf/files/everything.sdf"),
    *("tests/mjcf/files/everything.xml", "examples/picker.dae", "examples/palletizer.urdf", "examples/gripper_arm.sdf"),
    *("examples/finger.xml", "examples/arm.skel", "examples/slider_crank.yaml", "examples/pick_and_place.dae"),
)
JOINTS = [kind for kind in (*TYPES, BALLS) if not isinstance(kind, Screw | Floating)]
ROUNDING = 1e-12
SINGLE = 1e-6
"""Error of frames with 32 bits along a chain of a few joints [m or rad]."""


def round_trip(world: World, ledger: Ledger | None = None) -> tuple[World, Report]:
    report = Report()
    text = written(world, "usd", Path("robot.usda"), ledger if ledger is not None else Ledger())
    again = read_as("usd", text, None, report)
    assert again is not None, str(report)
    return again, report


def require_equal(world: World) -> World:
    ledger = Ledger()
    again, report = round_trip(world, ledger)
    assert [str(each) for each in uncovered_differences(world, again, ledger, tolerance=ROUNDING)] == []
    assert [str(found) for found in report if found.severity is not Severity.NOTE] == []
    return again


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_of_each_format_is_read_back_as_it_was(name: str) -> None:
    path = Path(__file__).parents[2] / name
    assert require_equal(ossature.load(path)).models


@pytest.mark.parametrize("seed", range(6))
def test_a_random_tree_is_read_back_as_it_was(seed: int) -> None:
    require_equal(World(name="scene", models=[random_tree(seed, "first"), random_tree(seed + 100, "second")]))


@pytest.mark.parametrize("seed", range(3))
def test_a_random_robot_with_all_elements_is_read_back_as_it_was(seed: int) -> None:
    require_equal(random_robot(seed))


@pytest.mark.parametrize("kind", JOINTS, ids=name_of)
def test_bodies_are_where_they_were_at_random_positions(kind: JointType) -> None:
    world = World(models=[model_of(kind)])
    ledger = Ledger()
    again = round_trip(world, ledger)[0].models[0]
    model = with_written_names(world, ledger).world.models[0]
    random = np.random.default_rng(7)
    for _ in range(5):
        positions = {joint.name: random.uniform(-1.2, 1.2, joint.degrees_of_freedom).tolist() for joint in model.joints}
        before, after = model_poses(model, positions), model_poses(again, positions)
        assert before.keys() == after.keys()
        for name, pose in before.items():
            assert np.abs(pose.matrix() - after[name].matrix()).max() < SINGLE


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", JOINTS, ids=name_of)
def test_initial_positions_are_the_poses_of_bodies(kind: JointType) -> None:
    model = model_of(kind)
    start = np.random.default_rng(3).uniform(-0.9, 0.9, 8).tolist()
    joints = [
        replace(joint, coordinates=tuple([Coordinate(initial_position=start[n]) for n in range(joint.degrees_of_freedom)]))
        for joint in model.joints
    ]
    world = World(models=[replace(model, joints=model.joints.__class__(joints))])
    again = require_equal(world)
    before, after = model_poses(world.models[0]), model_poses(again.models[0])
    for name, pose in before.items():
        assert np.abs(pose.matrix() - after[name].matrix()).max() < SINGLE


def hinge(coordinate: Coordinate, axis: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> World:
    bodies = [Body(name="base"), Body(name="link", pose=Pose((0.0, 0.0, 1.0)))]
    joints = [
        Joint(name="foot", type=Fixed(), parent=None, child="base"),
        Joint(name="hinge", type=Revolute(axis=axis), parent="base", child="link", coordinates=(coordinate,)),
    ]
    return World(models=[Model(name="arm", bodies=bodies, joints=joints)])


@pytest.mark.parametrize("position", [1e-8, -1.9e-6, 2.1e-6, np.pi, -np.pi])
def test_positions_near_zero_and_of_half_a_revolution_are_read_as_the_ledger_states(position: float) -> None:
    world = ossature.load(Path(__file__).parents[2] / "examples" / "arm.skel")
    again = require_equal(world.replace_at("arm/lift", initial_position=position))
    found = again.models["arm"].joints["lift"].coordinates[0].initial_position
    assert np.remainder(found - position + 1.0, 2.0 * np.pi) - 1.0 == pytest.approx(0.0, abs=2e-6)


def test_resistance_springs_and_limits_have_their_exact_values() -> None:
    coordinate = Coordinate(
        position_limits=Range(-np.pi / 2.0, 0.1),
        effort_limits=Range(-12.3, 45.6),
        damping=0.123456789012,
        friction=1.0 / 3.0,
        armature=0.0123456789,
        stiffness=1.23456789012,
        spring_reference=0.1,
    )
    again = require_equal(hinge(coordinate)).models[0].joints["hinge"].coordinates[0]
    for field in ("effort_limits", "damping", "friction", "armature", "stiffness"):
        assert getattr(again, field) == getattr(coordinate, field)
    assert again.position_limits.lower == pytest.approx(-np.pi / 2.0, rel=1e-15)


def test_the_ledger_states_the_error_of_numbers_with_32_bits() -> None:
    ledger = Ledger()
    world = hinge(Coordinate(position_limits=Range(-1.23456789, 2.0)))
    again, _ = round_trip(world, ledger)
    (entry,) = [one for one in ledger if one.path == "arm/hinge.coordinates[0].position_limits"]
    limits = again.models[0].joints["hinge"].coordinates[0].position_limits
    assert entry.error == pytest.approx(max(abs(limits.lower + 1.23456789), abs(limits.upper - 2.0)), rel=1e-6)
    assert 0.0 < entry.error < 1e-7


def test_negative_axes_need_no_rounded_rotation() -> None:
    for axis in ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)):
        ledger = Ledger()
        round_trip(hinge(Coordinate(), axis), ledger)
        assert [one for one in ledger if one.error is not None] == []


def test_names_that_are_no_identifiers_are_those_of_the_display() -> None:
    names = ("left arm", "1st", "é", "-", "", 'a"b\\c\n')
    bodies = [Body(name=name or "x") for name in names]
    joints = [Joint(name=f"j {n}", type=Fixed(), parent=None, child=body.name) for n, body in enumerate(bodies)]
    world = World(name="a world", models=[Model(name="my robot", bodies=bodies, joints=joints)])
    again = require_equal(world)
    assert again.name == "a world"
    assert again.models[0].name == "my robot"
    assert again.models[0].bodies.names() == world.models[0].bodies.names()


def test_models_with_equal_names_of_bodies_stay_apart() -> None:
    parts = [Model(name=name, pose=Pose((x, 0.0, 0.0)), bodies=[Body(name="link")]) for name, x in (("a", 1.0), ("b", 2.0))]
    again = require_equal(World(models=parts))
    assert [(model.name, model.bodies.names(), model.pose.position[0]) for model in again.models] == [
        ("a", ("link",), 1.0),
        ("b", ("link",), 2.0),
    ]


def test_free_bodies_of_one_model_stay_together() -> None:
    world = World(models=[Model(name="toys", bodies=[Body(name="ball"), Body(name="cube", pose=Pose((1.0, 0.0, 0.0)))])])
    assert [model.bodies.names() for model in require_equal(world).models] == [("ball", "cube")]


def test_a_static_model_has_no_rigid_bodies() -> None:
    ground = Body(name="ground", inertial=Inertial(mass=0.0), collisions=(Collision(geometry=Plane(), name="floor"),))
    world = World(models=[Model(name="scene", static=True, bodies=[ground])])
    assert b"PhysicsRigidBodyAPI" not in written(world, "usd", Path("a.usda"), Ledger())
    again = require_equal(world)
    assert again.models[0].static
    assert again.models[0].bodies["ground"].collisions[0].geometry == Plane()


def test_planes_and_ellipsoids_have_their_shape() -> None:
    normal = (0.6, 0.0, 0.8)
    shapes = (
        Collision(geometry=Plane(normal=normal, offset=0.5), name="slope"),
        Collision(geometry=Ellipsoid(diameters=(0.2, 0.4, 0.6)), name="egg", pose=Pose((0.1, 0.2, 0.3))),
        Collision(geometry=Box(size=(0.1, 0.1, 0.1)), name="cube"),
    )
    body = Body(name="ground", inertial=Inertial(mass=0.0), collisions=shapes)
    world = World(models=[Model(name="scene", static=True, bodies=[body])])
    plane = require_equal(world).models[0].bodies[0].collisions[0]
    point = plane.pose.transform((3.0, 4.0, 0.0))
    assert np.dot(normal, point) == pytest.approx(0.5, abs=1e-12)
    assert np.allclose(plane.pose.transform((0.0, 0.0, 1.0)), np.add(plane.pose.position, normal), atol=1e-12)


def test_a_body_without_mass_keeps_none_from_its_shapes() -> None:
    body = Body(
        name="marker", inertial=Inertial(mass=0.0), collisions=(Collision(geometry=Box(size=(1.0, 1.0, 1.0)), name="b"),)
    )
    hand = Body(name="hand")
    joints = [Joint(name="j", type=Revolute(), parent="hand", child="marker")]
    again = require_equal(World(models=[Model(name="m", bodies=[hand, body], joints=joints)]))
    assert again.models[0].bodies["marker"].inertial.mass < 1e-8


def test_an_inertia_tensor_has_32_bits() -> None:
    moment = ((0.3, 0.01, -0.02), (0.01, 0.4, 0.03), (-0.02, 0.03, 0.5))
    body = Body(name="b", inertial=Inertial(mass=1.5, center_of_mass=(0.1, 0.2, 0.3), moment=moment))
    again = require_equal(World(models=[Model(name="m", bodies=[body])])).models[0].bodies["b"].inertial
    assert np.abs(np.subtract(again.moment, moment)).max() < 1e-7


def test_an_unspecified_friction_is_announced() -> None:
    ledger = Ledger()
    shape = Collision(geometry=Box(size=(1.0, 1.0, 1.0)), name="b", material=Material(restitution=0.5))
    round_trip(World(models=[Model(name="m", bodies=[Body(name="a", collisions=(shape,))])]), ledger)
    assert any("friction" in one.path and "1 is written" in one.detail for one in ledger)


def test_the_output_is_the_same_each_time() -> None:
    world = random_robot(1)
    first, second = (written(world, "usd", Path("robot.usda"), Ledger()) for _ in range(2))
    assert first == second


def test_gravity_of_the_moon_is_exact() -> None:
    assert require_equal(World(gravity=(0.0, 0.0, -1.62), models=[random_tree(1)])).gravity == (0.0, 0.0, -1.62)


def test_a_world_without_bodies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OssatureError, match="no bodies"):
        convert(World(name="empty"), tmp_path / "empty.usda")


def test_a_verified_conversion_writes_a_stage(tmp_path: Path) -> None:
    done = convert(random_robot(0), tmp_path / "robot.usda", verify=True)
    assert done.differences == ()
    assert (tmp_path / "robot.usda").read_bytes().startswith(b"#usda 1.0\n")


def test_roots_of_articulations_are_bodies_and_the_world_is_the_default_prim() -> None:
    """MuJoCo lets bodies move freely that are fixed to another prim than the default one, or to a root without a body."""
    ledger = Ledger()
    text = written(World(name="scene", models=[random_tree(3)]), "usd", Path("a.usda"), ledger).decode()
    lines = text.splitlines()
    roots = [line for line in lines if "PhysicsArticulationRootAPI" in line]
    assert roots
    assert all("PhysicsRigidBodyAPI" in line for line in roots)
    assert "rel physics:body0 = </scene>" in text
    assert "</scene/robot>" not in text


def test_motions_of_generic_joints_state_that_they_have_no_limits() -> None:
    """Newton locks the motions of a generic joint that have no limit."""
    kind = next(kind for kind in TYPES if name_of(kind) == "Planar")
    text = written(World(models=[model_of(kind)]), "usd", Path("a.usda"), Ledger()).decode()
    (line,) = [line for line in text.splitlines() if "PhysicsLimitAPI:transX" in line]
    assert all(f"PhysicsLimitAPI:{name}" in line for name in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"))


def test_actuators_tendons_and_equalities_are_exact() -> None:
    base = hinge(Coordinate()).models[0]
    other = Joint(name="other", type=Prismatic(axis=(1.0, 0.0, 0.0)), parent="base", child="slider")
    servo = ActuatorModel(
        gain_parameters=(0.1234567890123,),
        bias=Bias.AFFINE,
        bias_parameters=(0.0, -0.1234567890123, -0.7),
        control_limits=Range(-1.0, 1.0 / 3.0),
        force_limits=Range(-7.0, 7.0),
    )
    world = World(
        models=[
            replace(
                base,
                bodies=[*base.bodies, Body(name="slider", pose=Pose((0.3, 0.0, 0.0)))],
                joints=[*base.joints, other],
                actuators=[
                    Actuator(name="servo", joint="hinge", type="general", model=servo),
                    Actuator(name="pull", type="general", transmission=TendonTransmission(tendon="sum"), model=ActuatorModel()),
                ],
                tendons=[
                    Tendon(
                        name="sum",
                        path=JointSum(terms=(JointTerm(joint="hinge", coefficient=0.3), JointTerm(joint="other"))),
                        stiffness=1.7,
                        damping=1.0 / 7.0,
                        length_limits=Range(-0.1, 0.2),
                    )
                ],
                equalities=[
                    Equality(name="tie", type=Connection(body1="link", body2="slider", point1=(0.25, 0.0, 0.5))),
                    Equality(name="glue", type=Weld(body1="link", body2=None, anchor=(0.5, 0.0, 0.0))),
                    Equality(
                        name="other", type=JointEquality(joint1="other", joint2="hinge", polynomial=(0.1, 0.2, 0.3, 0.4, 0.5))
                    ),
                ],
            )
        ]
    )
    ledger = Ledger()
    again, _ = round_trip(world, ledger)
    for field in ("actuators", "tendons", "equalities"):
        assert compare(getattr(world.models[0], field), getattr(again.models[0], field), tolerance=ROUNDING) == []
    assert ledger.lossless


def test_initial_velocities_are_in_axes_of_the_model() -> None:
    turned = Pose((0.0, 0.0, 1.0), quaternion_from_rotation_vector((0.0, 0.0, 1.0)))
    body = Body(
        name="ball",
        pose=turned,
        initial_velocity=(1.0, 2.0, 3.0),
        initial_angular_velocity_body=(0.25, 0.5, -0.75),
        self_collide=True,
    )
    model = Model(name="m", pose=Pose((1.0, 0.0, 0.0), quaternion_from_rotation_vector((0.4, 0.0, 0.0))), bodies=[body])
    again, _ = round_trip(World(models=[model]))
    found = again.models[0].bodies["ball"]
    assert np.allclose(found.initial_velocity, body.initial_velocity, atol=1e-6)
    assert np.allclose(found.initial_angular_velocity_body, body.initial_angular_velocity_body, atol=1e-6)


@pytest.mark.parametrize("suffix", ["usdc", "usdz"])
def test_a_binary_stage_is_verified(suffix: str, tmp_path: Path) -> None:
    world = random_robot(0)
    path = tmp_path / f"robot.{suffix}"
    assert convert(world, path, verify=True).differences == ()
    first = path.read_bytes()
    convert(world, path)
    assert path.read_bytes() == first
    text = tmp_path / "robot.usda"
    convert(world, text)
    assert compare(ossature.load(path), ossature.load(text)) == []


def test_the_library_for_openusd_opens_an_archive(tmp_path: Path) -> None:
    from pxr import Usd

    path = tmp_path / "a robot.usdz"
    convert(random_robot(1), path)
    with zipfile.ZipFile(path) as archive:
        (entry,) = archive.infolist()
        header = path.read_bytes()[entry.header_offset : entry.header_offset + 30]
        start = entry.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        assert start % 64 == 0
        assert entry.compress_type == zipfile.ZIP_STORED
    stage = Usd.Stage.Open(str(path))
    assert stage.GetDefaultPrim().GetName() == "world"


def test_binary_stages_need_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ossature.formats.usd.encode_layer.find_spec", lambda name: None)
    with pytest.raises(OssatureError, match="usd-core"):
        convert(random_robot(0), tmp_path / "robot.usdc")
    assert not list(tmp_path.iterdir())


def test_a_scene_of_mjcf_without_bodies_that_move_is_verified(tmp_path: Path) -> None:
    scene = tmp_path / "scene.xml"
    scene.write_text('<mujoco model="scene"><worldbody><geom type="box" size="1 1 0.1"/></worldbody></mujoco>')
    conversion = convert(scene, tmp_path / "scene.usda", verify=True)
    assert "scene/world.self_collide" in {entry.path for entry in conversion.ledger}
    assert ossature.load(tmp_path / "scene.usda").models[0].static


def test_output_that_no_installed_library_reads_again_is_not_called_invalid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ossature.formats.usd.open_stage.find_spec", lambda name: None)
    with pytest.raises(OssatureError, match="cannot be read again to verify it: reading OpenUSD files needs usd-core"):
        convert(random_robot(0), tmp_path / "robot.usda", verify=True)
    assert not list(tmp_path.iterdir())
    convert(random_robot(0), tmp_path / "robot.usda")


def test_a_binary_stage_within_too_little_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OssatureError, match="OpenUSD"):
        convert(random_robot(0), tmp_path / "robot.usdc", limits=Limits(seconds=0.001))
    assert not list(tmp_path.iterdir())


def test_a_frame_turned_by_the_axis_is_announced() -> None:
    turned = Pose((0.1, 0.0, 0.0), quaternion_from_rotation_vector((0.3, -0.2, 0.7)))
    world = hinge(Coordinate(), (0.6, 0.0, 0.8))
    joint = replace(world.models[0].joints["hinge"], pose=turned)
    require_equal(replace(world, models=world.models.map(lambda model: replace(model, joints=model.joints.replaced(joint)))))


def test_points_have_the_shortest_texts_of_their_numbers() -> None:
    """Arrays of points are converted as a whole, numbers one by one."""
    generator = np.random.default_rng(1)
    rows = 10.0 ** generator.uniform(-60.0, 60.0, (300, 3)) * generator.choice([-1.0, 1.0], (300, 3))
    for points in (rows, rows[np.abs(rows).max(axis=1) < 1e38], generator.integers(-3, 4, (20, 3)) * 1.0, np.empty((0, 3))):
        text, word = point_array(points), re.compile(r"[^\s,()\[\]]+")
        assert word.sub("x", text) == f"[{', '.join(['(x, x, x)'] * len(points))}]"
        shortest = [single(value) for value in points.ravel().tolist()]
        assert [single(float(found)) for found in word.findall(text)] == shortest
        digits = [
            [len(re.sub("e.*|[-.]|^0+", "", number).strip("0")) for number in texts] for texts in (word.findall(text), shortest)
        ]
        assert digits[0] == digits[1]


def test_small_rotations_of_joint_frames_are_read_as_the_file_states_them(tmp_path: Path) -> None:
    """A moved joint: the pose of its child at zero follows from joint frames, whose quaternions have 32 bits."""
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    text = f"""<robot name="arm">{links}
      <joint name="ab" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint>
      <joint name="bc" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
        <origin xyz="-0.03406 0 -0.01141" rpy="-0.00003 0 0.0001"/><mimic joint="ab" offset="-0.00053"/></joint>
    </robot>"""
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    assert convert(tmp_path / "arm.urdf", tmp_path / "arm.usda", verify=True).ledger.lines()
