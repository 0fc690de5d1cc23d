"""The reader of MJCF, element by element, and the locations of findings."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from mjcf.mujoco_reference import read_mjcf
from ossature.diagnostics import Limits, Report
from ossature.linting.check_file import find_problems
from ossature.linting.file_reading_options import CheckOptions
from ossature.model import (
    Box,
    Capsule,
    Compound,
    Connection,
    FrameReference,
    Gain,
    JointTerm,
    MujocoGeom,
    MujocoJoint,
    MujocoOption,
    Plane,
    Pulley,
    Range,
    Revolute,
    TendonTransmission,
    World,
    hint_of,
)

ROBOT = Path(__file__).parent / "files" / "robot.xml"


@pytest.fixture
def world(report: Report) -> World:
    found = read_mjcf(ROBOT, report)
    assert found is not None
    return found


def test_the_world_has_the_options(world: World) -> None:
    assert (world.name, world.time_step, world.gravity) == ("robot", 0.004, (0.0, 0.0, -5.0))
    option = MujocoOption(integrator="implicitfast", cone="elliptic", disabled=("contact",), enabled=("energy",))
    assert hint_of(world, MujocoOption) == option
    assert [(one.key, one.value) for one in world.extensions] == [("visual", '<visual><global azimuth="120"/></visual>')]


def test_disabled_gravity_is_a_world_without_gravity(report: Report, tmp_path: Path) -> None:
    path, again = tmp_path / "floating.xml", tmp_path / "again.xml"
    path.write_text(
        '<mujoco><option gravity="0 0 -5"><flag gravity="disable" warmstart="disable"/></option>'
        '<worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    world = read_mjcf(path, report)
    assert world is not None and world.gravity == (0.0, 0.0, 0.0)
    assert hint_of(world, MujocoOption) == MujocoOption(integrator="Euler", disabled=("warmstart",))
    ossature.convert(world, again)
    assert not mujoco.MjModel.from_xml_path(str(again)).opt.gravity.any()


def test_shapes_are_visual_and_collide(world: World) -> None:
    ground, arm, hand = (world[f"robot/{name}"] for name in ("world", "arm", "hand"))
    assert ground.visuals[0].geometry == ground.collisions[0].geometry == Plane()
    assert ground.visuals[0].appearance == "floor"
    assert not arm.visuals
    assert arm.collisions[0].geometry == Capsule(radius=0.05, length=1.0)
    assert arm.collisions[0].material.rolling_friction == 0.001
    assert hint_of(arm.collisions[0], MujocoGeom) == MujocoGeom(condim=4, group=3, solref=(0.01, 1.0))
    assert hand.visuals[0].geometry == Box(size=(0.2, 0.2, 0.2))
    assert not hand.collisions
    assert arm.gravity_compensation == 1.0
    assert arm.inertial.mass == 2.0


def test_several_joints_of_a_body_are_a_compound_joint_with_their_names(world: World) -> None:
    joint = world["robot/arm_joint"]
    assert isinstance(joint.type, Compound)
    lift, turn = joint.coordinates
    assert (lift.name, turn.name) == ("lift", "turn")
    assert lift.position_limits == Range(lower=0.0, upper=0.5)
    assert turn.position_limits == Range(lower=-math.pi / 2, upper=math.pi / 2)
    assert turn.initial_position == pytest.approx(math.radians(10.0))
    assert (turn.armature, turn.damping, turn.friction) == (0.2, 1.0, 0.3)
    assert hint_of(turn, MujocoJoint) == MujocoJoint(ref=turn.initial_position, damping=(0.5,))
    wrist = world["robot/wrist"]
    assert isinstance(wrist.type, Revolute)
    assert wrist.coordinates[0].effort_limits == Range(lower=-5.0, upper=5.0)


def test_elements_refer_to_each_other_by_name(world: World) -> None:
    model = world["robot"]
    assert model.ignored_pairs == (("arm", "hand"),)
    assert model.tendons["sum"].path.terms == (
        JointTerm(joint="arm_joint", coordinate=1, coefficient=2.0),
        JointTerm(joint="wrist", coefficient=-1.0),
    )
    assert isinstance(model.tendons["cable"].path.elements[2], Pulley)
    assert isinstance(model.equalities[0].type, Connection)
    assert model.equalities[0].type.frame2 == FrameReference(body="hand", frame="palm")
    servo = model.actuators["servo"]
    assert (servo.joint, servo.type, servo.transmission.coordinate) == ("arm_joint", "position", 1)
    assert (servo.model.gain, servo.model.gain_parameters, servo.model.bias_parameters) == (
        Gain.FIXED,
        (30.0,),
        (0.0, -30.0, -2.0),
    )
    assert model.actuators["cable"].transmission == TendonTransmission(tendon="cable")
    sensor = model.sensors[0]
    assert (sensor.body, sensor.measurement.quantity, sensor.measurement.element.frame) == ("arm", "framepos", "tip")
    assert (sensor.measurement.reference.kind, sensor.measurement.reference.body) == ("inertial", "hand")
    key = model.keyframes["up"]
    assert key.joints[0].positions == (0.2, 0.5)
    assert key.actuators[0].control == (0.3,)
    assert model.cameras["eye"].field_of_view == pytest.approx(math.radians(60.0))
    assert model.textures["grid"].width == 300


def test_a_finding_in_an_included_file_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "main.xml").write_text('<mujoco>\n  <include file="parts/arm.xml"/>\n</mujoco>')
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        '<mujoco>\n<worldbody>\n<body>\n <geom typ="box" size="1 1"/></body></worldbody></mujoco>'
    )
    report = Report()
    assert read_mjcf(tmp_path / "main.xml", report) is not None
    (finding,) = report
    assert (finding.rule.name, finding.location.line, Path(finding.location.file).name) == ("unknown-attribute", 4, "arm.xml")
    assert finding.hint == "did you mean 'type'?"


@pytest.mark.parametrize(
    ("body", "line", "cause"),
    [
        ("<body>\n<joint/>\n</body>", 3, "<body>: mass and inertia of moving bodies must be larger than mjMINVAL"),
        ('<geom size="1"/>\n<geom type="cheese"/>', 4, "attribute 'type' is 'cheese'"),
        ('<body name="a"/>\n<body name="a"/>', 4, "<body>: repeated name 'a' in body"),
        (
            '<geom size="1"/></worldbody>\n<actuator><motor joint="j"/></actuator><worldbody>',
            4,
            "<motor>: unknown transmission target 'j'",
        ),
    ],
)
def test_a_refusal_has_the_cause_and_the_line(body: str, line: int, cause: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(f"<mujoco>\n<worldbody>\n{body}\n</worldbody></mujoco>")
    report = Report()
    assert read_mjcf(path, report) is None
    finding = report.errors[0]
    assert finding.location is not None
    assert (finding.location.line, finding.message[: len(cause)]) == (line, cause)


def test_a_mesh_has_its_place_whatever_its_reference_frame(tmp_path: Path, report: Report) -> None:
    corners = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0)])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "wedge.obj").write_text("\n".join(lines))
    (tmp_path / "robot.xml").write_text(
        '<mujoco><compiler meshdir="."/><asset><mesh file="wedge.obj" scale="2 2 2" refpos="0.1 0.2 0.3" refquat="0 1 0 0"/>'
        '<mesh name="inline" vertex="0 0 0 1 0 0 0 2 0 0 0 3" scale="1 2 3" refpos="0.1 0.2 0.3" refquat="0 1 0 0"/></asset>'
        '<worldbody><body><geom type="mesh" mesh="wedge" pos="1 0 0"/><geom type="mesh" mesh="inline" quat="1 1 0 0"/></body>'
        "</worldbody></mujoco>"
    )
    world = read_mjcf(tmp_path / "robot.xml", report)
    assert world is not None
    first, second = world.models[0].bodies[0].visuals
    half_turn = np.diag([1.0, -1.0, -1.0])
    expected = 2.0 * (corners - (0.1, 0.2, 0.3)) @ half_turn + (1.0, 0.0, 0.0)
    matrix = first.pose.matrix()
    assert (2.0 * corners) @ matrix[:3, :3].T + matrix[:3, 3] == pytest.approx(expected, abs=1e-12)
    matrix = second.pose.matrix()
    vertices = second.geometry.surface.triangles.vertices @ matrix[:3, :3].T + matrix[:3, 3]
    quarter = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
    placed = (((corners - (0.1, 0.2, 0.3)) @ half_turn) * (1.0, 2.0, 3.0)) @ quarter.T
    assert sorted(vertices.round(5).tolist()) == sorted(placed.round(5).tolist())


def test_a_urdf_with_settings_for_mujoco_is_urdf(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text('<robot name="r"><mujoco><compiler meshdir="m"/></mujoco><link name="a"/></robot>')
    world, _ = ossature.read(path)
    assert world is not None
    assert world.models.names() == ("r",)


@pytest.mark.parametrize(
    "content",
    [
        '<size memory="900G" nconmax="1000000000"/>',
        '<worldbody><replicate count="30000"><replicate count="30000"><geom size="1"/></replicate></replicate></worldbody>',
        '<asset><hfield name="h" nrow="90000" ncol="90000" size="1 1 1 1"/></asset>',
        '<asset><texture name="t" type="cube" builtin="checker" width="90000" height="90000"/></asset>',
        '<size nuser_body="2000000000"/>',
        '<sensor><user dim="1000000000"/></sensor>',
        '<worldbody><replicate count="10000"><geom size="1"/></replicate></worldbody>',
        "<worldbody>" + '<replicate count="10">' * 100 + "<body/>" + "</replicate>" * 100 + "</worldbody>",
        '<worldbody><flexcomp name="f" count="50 50 50" mass="1"/></worldbody>',
        "<worldbody>" + '<flexcomp name="f" mass="1"/>' * 50 + "</worldbody>",
        '<asset><mesh name="m" builtin="supersphere" params="5000 1 1"/></asset>',
        '<asset><mesh name="m" builtin="cone" params="100000 1"/></asset>',
        '<size nuser_body="1000000"/><worldbody>' + "<body/>" * 2000 + "</worldbody>",
        "<sensor>" + '<user dim="1000000"/>' * 2000 + "</sensor>",
        "<worldbody>" + "<body><joint/></body>" * 1000 + "</worldbody><keyframe>" + "<key/>" * 2000 + "</keyframe>",
    ],
)
def test_nothing_large_is_allocated(content: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml"
    path.write_text(f"<mujoco>{content}</mujoco>")
    report = Report()
    world = read_mjcf(path, report)
    assert world is not None or [finding.rule.name for finding in report.errors] == ["mjcf-too-large"]


@pytest.mark.parametrize(
    "content",
    [
        "<worldbody>" + "<site/>" * 25_000 + "</worldbody>",
        "<keyframe>" + "<key/>" * 25_000 + "</keyframe>",
        "<default>" + "".join(f'<default class="{number}"/>' for number in range(25_000)) + "</default>",
        "<worldbody>" + ("<body><joint/>" * 100 + "</body>" * 100) * 80 + "</worldbody>",
        '<worldbody><replicate count="100">' + '<body><joint type="ball"/>' * 90 + "</body>" * 90 + "</replicate></worldbody>",
    ],
    ids=["elements", "keyframes", "classes", "inertia matrix", "copied inertia matrix"],
)
def test_what_mujoco_compiles_in_quadratic_time_is_refused_in_small_files(content: str) -> None:
    with pytest.raises(ossature.LoadError) as refusal:
        ossature.load(f"<mujoco>{content}</mujoco>".encode(), format="mjcf")
    (finding,) = refusal.value.report.errors
    assert finding.rule.name == "mjcf-too-large"
    assert "compilation" in finding.message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<size nkey="2000000000"/>', "2e+09 keyframes"),
        ('<size nkey="25000"/>', "25000 keyframes"),
        ('<asset><texture name="t" type="2d" builtin="flat" width="1000000" height="1000000"/></asset>', "3e+12 bytes"),
        ('<asset><texture name="t" builtin="flat" width="20000" height="1"/></asset>', "7.2e+09 bytes"),
    ],
)
def test_what_mujoco_cannot_allocate_is_refused(content: str, message: str) -> None:
    with pytest.raises(ossature.LoadError) as refusal:
        ossature.load(f"<mujoco>{content}</mujoco>".encode(), format="mjcf")
    (finding,) = refusal.value.report.errors
    assert finding.rule.name == "mjcf-too-large"
    assert message in finding.message


@pytest.mark.parametrize(
    "content",
    [
        '<size nkey="1000"/>',
        '<asset><texture name="t" type="2d" builtin="flat" width="10000" height="10000"/></asset>',
        '<asset><texture name="t" type="2d" file="" builtin="flat" width="10" height="10"/></asset>',
        '<asset><mesh name="m" file="" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
    ],
)
def test_many_keyframes_large_textures_and_empty_names_of_files_are_read(content: str) -> None:
    world, report = ossature.read(f"<mujoco>{content}</mujoco>".encode(), format="mjcf")
    assert world is not None
    assert not report.errors + report.warnings


def test_joints_of_tendons_are_no_joints_of_bodies() -> None:
    body = '<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
    tendons = "<tendon>" + ('<fixed><joint joint="j" coef="1"/></fixed>') * 400 + "</tendon>"
    limits = ossature.Limits(expansions=1)
    assert ossature.load(f"<mujoco>{body}{tendons}</mujoco>".encode(), format="mjcf", limits=limits).models


def test_models_that_attach_models_are_counted(tmp_path: Path) -> None:
    (tmp_path / "last.xml").write_text("<mujoco><worldbody><body name='b'/></worldbody></mujoco>")
    for level in range(9):
        asset = f'<asset><model name="m" file="{f"level{level - 1}" if level else "last"}.xml"/></asset>'
        attached = "".join(f'<attach model="m" body="b" prefix="p{i}"/>' for i in range(10))
        text = f'<mujoco>{asset}<worldbody><body name="b">{attached}</body></worldbody></mujoco>'
        (tmp_path / f"level{level}.xml").write_text(text)
    report = Report()
    assert read_mjcf(tmp_path / "level8.xml", report) is None
    (finding,) = report.errors
    assert finding.rule.name == "mjcf-too-large"
    assert "expansions=" in str(finding)
    assert read_mjcf(tmp_path / "level1.xml", Report()) is not None


def test_the_limit_of_copies_can_be_raised(tmp_path: Path) -> None:
    path = tmp_path / "copies.xml"
    path.write_text('<mujoco><worldbody><replicate count="300"><body/></replicate></worldbody></mujoco>')
    report = Report(limits=Limits(expansions=50))
    assert read_mjcf(path, report) is None
    (finding,) = report.errors
    needed = int(str(finding).split("expansions=")[1].split(",")[0])
    assert read_mjcf(path, Report(limits=Limits(expansions=needed))) is not None


def _robot(joint: str, rest: str = "", compiler: str = "", geoms: str = '<geom size="1"/>') -> str:
    body = f'<body name="b"><joint name="j" {joint}/>{geoms}<site name="s"/></body>'
    return f'<mujoco>{compiler}<worldbody><site name="w" pos="0 0 0.0005"/>{body}</worldbody>\n{rest}</mujoco>'


_CONNECTED = '<equality><connect site1="w" site2="s"/></equality>'
_SERVO = '<actuator><position name="a" joint="j" kp="2" {}/></actuator>'
_RADIAN = '<compiler angle="radian"/>'
_TWO = '<geom type="box" size="1 1 1"/><geom type="box" size="1 1 1" {}/>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (_robot('range="-1.57 1.57"'), ["suspected-radians"]),
        (_robot('range="-1.57 1.57"', compiler=_RADIAN), []),
        (_robot('range="-2 2"'), []),
        (_robot('type="slide" range="-1.57 1.57"'), []),
        (_robot("", geoms='<geom size="1" euler="0 1.5708 0"/>'), ["suspected-radians"]),
        (_robot("", geoms='<geom size="1" euler="0 1.5 0"/>'), []),
        (_robot("", compiler=_RADIAN, geoms='<geom size="1" axisangle="0 0 1 90"/>'), ["suspected-degrees"]),
        (_robot("", compiler=_RADIAN, geoms='<geom size="1" euler="0 1.5708 0"/>'), []),
        (_robot('range="-90 90"', compiler=_RADIAN), ["suspected-degrees"]),
        (_robot("", geoms=_TWO.format("")), ["mass-counted-twice"]),
        (_robot("", geoms=_TWO.format('mass="0"')), []),
        (_robot("", geoms=_TWO.format('pos="0 0 1"')), []),
        (_robot("", geoms=_TWO.format("") + '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'), []),
        (_robot("", _CONNECTED), []),
        (_robot('type="free" range="0 1"'), ["range-of-free-joint"]),
        (_robot('type="free"'), []),
        (_robot('range="-90 90"', _SERVO.format("")), ["unlimited-command"]),
        (_robot('range="-90 90"', _SERVO.format('inheritrange="1"')), []),
        (_robot("", _SERVO.format("")), []),
        (_robot("").replace('name="j"', ""), ["unnamed-element"]),
    ],
)
def test_mistakes_that_mujoco_compiles_are_reported(text: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(text)
    assert [finding.rule.name for finding in find_problems(path, CheckOptions())] == expected


@pytest.mark.parametrize(
    ("pose", "relative", "cause"),
    [
        ("", "0.1 0.2 0.3 1 0 0 0", None),
        ("", "0.1 0.2 0.303 1 0 0 0", "0.003 m at the initial"),
        ("", "0.1 0.2 0.3 0.9995 0.0315 0 0", "0 m and 0.063 rad at the initial"),
        ('<keyframe><key qpos="0.1 0.2 0.303 1 0 0 0"/></keyframe>', "0.1 0.2 0.303 1 0 0 0", None),
    ],
)
def test_the_residual_of_a_weld_is_reported(pose: str, relative: str, cause: str | None, tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><worldbody><body name="b" pos="0.1 0.2 0.3"><freejoint name="f"/><geom size="1"/></body></worldbody>'
        f'<equality><weld body1="world" body2="b" relpose="{relative}"/></equality>{pose}</mujoco>'
    )
    messages = [finding.message for finding in find_problems(path, CheckOptions())]
    assert len(messages) == (cause is not None)
    assert all(cause is not None and cause in message for message in messages), messages


def test_a_keyframe_of_wrong_size_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    for key in ('name="home" qpos="1 2"', 'qpos="1 2"', 'name="home" ctrl="1"'):
        path.write_text(_robot("", f'<keyframe><key name="a"/>\n<key {key}/></keyframe>'))
        (finding,) = find_problems(path, CheckOptions())
        assert finding.location is not None
        assert (finding.location.line, finding.rule.name) == (3, "mujoco-error")
        assert "size, expected" in finding.message
