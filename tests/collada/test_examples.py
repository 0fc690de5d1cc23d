"""Every example of the extensions' page: what becomes of it as it stands, and what it means inside of a small robot."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ossature
from collada_documents import BODY, geometry, read, robot, shown, technique
from ossature.diagnostics import Report, Source
from ossature.formats.collada import read_collada
from ossature.model import (
    Box,
    ColladaMotorSpeeds,
    Extension,
    GripperJoint,
    IkFreeJoint,
    IkSolver,
    IkType,
    JointPosition,
    Laser2D,
    Number,
    OpenravePlanning,
    OpenravePlugin,
    Operation,
    Operator,
    PartialDerivative,
    SpeedUnit,
    Visual,
)
from ossature.model.motor_characteristics import redundancies
from ossature.spatial import Pose, quaternion_from_axis_angle

INTERFACE_TYPE = technique("interface_type", '<interface type="robot">MyRobot</interface><plugin>myplugin</plugin>')
MANIPULATOR = technique(
    "manipulator",
    """
    <frame_origin link="base"/>
    <frame_tip link="hand">
      <translate>0.0 0.0 0.22</translate>
      <rotate>0.0 1.0 0.0 90.0</rotate>
      <direction>0.0 0.0 1.0</direction>
    </frame_tip>
    <gripper_joint joint="elbow"><closing_direction axis="axis0"><float>1</float></closing_direction></gripper_joint>
    <gripper_joint joint="thumb"><closing_direction axis="axis0"><float>-1</float></closing_direction></gripper_joint>
    <iksolver type="Transform6D">
      <free_joint joint="elbow"/>
      <interface_type>
        <technique profile="OpenRAVE"><interface>solver</interface><plugin>solvers</plugin></technique>
      </interface_type>
    </iksolver>
    <iksolver type="Translation3D"><free_joint joint="thumb"/></iksolver>
    """,
    attributes='name="leftarm"',
)
CONSTRAINTS = technique(
    "dynamic_rigid_constraints",
    """
    <rigid_constraint>
      <ref_attachment rigid_body="pmodel1_inst/rigid_hand"/>
      <attachment rigid_body="pmodel2_inst/rigid0"/>
      <technique profile="OpenRAVE">
        <ignore_link link="pmodel1_inst/rigid_dummy"/>
        <ignore_link link="pmodel1_inst/rigid2"/>
      </technique>
    </rigid_constraint>
    """,
)
COLLISION = technique(
    "collision",
    """
    <bind_instance_geometry type="environment" link="base" url="#base_env0"/>
    <bind_instance_geometry type="environment" link="base" url="#base_env1"/>
    <bind_instance_geometry type="self" link="base" url="#base_self"/>
    <bind_instance_geometry type="environment" link="hand" url="#hand_env0"/>
    <ignore_link_pair link0="base" link1="hand"/>
    <link_collision_state link="base"><bool>true</bool></link_collision_state>
    """,
)
COLLISION_GEOMETRIES = [f"base_{use}" for use in ("vis0", "vis1", "env0", "env1", "self")] + ["hand_env0"]
GEOMETRY_INFO = technique(
    "geometry_info",
    """
    <box><half_extents>0.1 0.2 0.3</half_extents></box>
    <translate>0 0 0.5</translate>
    <rotate>0 0 1 45</rotate>
    <visible><bool>true</bool></visible>
    """,
)
LINK_INFO = technique(
    "link_info", '<float_array link="base" name="myparam">1.0 2.0 3.0</float_array>', attributes='name="base"'
) + technique("link_info", '<int_array link="hand" name="newparam">-10</int_array>', attributes='name="hand"')
JOINT_INFO = technique(
    "joint_info", '<float_array joint="elbow" name="myparam">1.0 2.0 3.0</float_array>', attributes='name="elbow"'
) + technique("joint_info", '<int_array joint="thumb" name="newparam">-10</int_array>', attributes='name="elbow"')
LASER = technique(
    "library_sensors",
    """
    <sensor type="base_laser2d" id="ExampleLaser1">
      <angle_min>-90</angle_min> <angle_max>90</angle_max> <range_min>0.01</range_min> <range_max>4.0</range_max>
      <angle_increment>1</angle_increment> <time_increment>0.0005</time_increment> <measurement_time>0.025</measurement_time>
      <interface_type><technique profile="OpenRAVE"><interface>BaseLaser2D</interface></technique></interface_type>
    </sensor>
    """,
    attributes='id="libsensors"',
)
CUSTOM_LASER = technique(
    "library_sensors",
    """
    <sensor type="BaseLaser2D" id="ExampleLaser1">
      <minangle>-135</minangle> <maxangle>135</maxangle> <resolution>0.35</resolution> <maxrange>5</maxrange>
      <scantime>0.1</scantime> <color>0.5 0.5 1</color>
    </sensor>
    """,
    attributes='id="libsensors"',
)
ATTACH_SENSOR = technique(
    "attach_sensor",
    """
    <instance_sensor url="#ExampleLaser1"/>
    <frame_origin link="hand"><translate>0 1 0</translate><rotate>0 1 0 90</rotate></frame_origin>
    """,
    attributes='name="left_head_camera"',
)
FORMULA = """
<technique profile="OpenRAVE">
  <equation type="position">
    <math>
      <apply><plus/>
        <apply><times/><cn>0.333330</cn><csymbol encoding="COLLADA">arm/elbow</csymbol></apply>
        <cn>0.872700</cn>
      </apply>
    </math>
  </equation>
  <equation type="first_partial" target="arm/elbow"><math><cn>0.333330</cn></math></equation>
</technique>"""
MOTOR_FIELDS = {
    "assigned_power_rating": "1.0",
    "max_speed": "3000",
    "no_load_speed": "3990",
    "nominal_torque": "0.012",
    "nominal_voltage": "24.0",
    "rotor_inertia": "0.0000023",
    "speed_constant": "173.0",
    "speed_torque_gradient": "130000.0",
    "starting_current": "0.578",
    "terminal_resistance": "41.5",
    "torque_constant": "0.0552",
}
MOTOR = technique(
    "library_actuators",
    '<actuator type="electric_motor" id="ExampleMotor1">'
    + "".join(f"<{name}>{value}</{name}>" for name, value in MOTOR_FIELDS.items())
    + "</actuator>",
    attributes='id="libactuators"',
)
ATTACH_ACTUATOR = technique(
    "attach_actuator",
    '<instance_actuator url="#ExampleMotor1"/><bind_actuator joint="arm/elbow"/>',
    attributes='name="motor0"',
)
CLASHING = """
<node name="body1"><translate>1 0 0</translate><instance_node url="#somenode"/></node>
<node name="body2"><translate>1 0 0</translate><instance_node url="#somenode"/></node>"""
SUFFIXED = """
<node name="body1"><translate>1 0 0</translate>
  <instance_node url="#somenode"><extra type="idsuffix" name=".b1"/></instance_node>
</node>
<node name="body2"><translate>1 0 0</translate>
  <instance_node url="#somenode"><extra type="idsuffix" name=".b2"/></instance_node>
</node>"""
MINIMAL = """
<COLLADA version="1.5.0">
  <asset><created/><modified/></asset>
  <scene>
    <instance_physics_scene url="./robot.dae#pscene" sid="pscene_inst"/>
    <instance_visual_scene url="{visual}"/>
    <instance_kinematics_scene url="./robot.dae#kscene" sid="kscene_inst">
      <bind_kinematics_model node="arm_node/base_node"><param>kscene_arm_inst</param></bind_kinematics_model>
      <bind_joint_axis target="arm_node/turn">
        <axis><param>kscene_arm_inst_elbow.axis0</param></axis>
        <value><float>1.5</float></value>
      </bind_joint_axis>
    </instance_kinematics_scene>
  </scene>
</COLLADA>"""
AS_THEY_STAND = {
    "interface_type": (INTERFACE_TYPE, "wrong-root-element"),
    "manipulator": (f"<articulated_system>{MANIPULATOR}</articulated_system>", "wrong-root-element"),
    "dynamic_rigid_constraints": (
        f'<instance_physics_scene url="#pscene">{CONSTRAINTS}</instance_physics_scene>',
        "wrong-root-element",
    ),
    "collision": (f"<library_kinematics_models><kinematics_model>{COLLISION}</library_kinematics_models>", "malformed-xml"),
    "geometry_info": (f"<geometry>{GEOMETRY_INFO}</geometry>", "wrong-root-element"),
    "link_info": (f"<kinematics_model>{LINK_INFO}</kinematics_model>", "wrong-root-element"),
    "joint_info": (f"<kinematics_model>{JOINT_INFO}</kinematics_model>", "wrong-root-element"),
    "library_sensors": (LASER, "wrong-root-element"),
    "library_sensors of a custom type": (CUSTOM_LASER, "wrong-root-element"),
    "attach_sensor": (ATTACH_SENSOR, "wrong-root-element"),
    "formula": (FORMULA, "wrong-root-element"),
    "library_actuators": (MOTOR, "wrong-root-element"),
    "attach_actuator": (ATTACH_ACTUATOR, "wrong-root-element"),
    "similar ids": (CLASHING, "malformed-xml"),
    "idsuffix": (SUFFIXED, "malformed-xml"),
}
"""The examples without anything around them, each with the finding that it gets."""
THUMB = '<joint sid="thumb" name="thumb"><revolute sid="axis0"><axis>0 1 0</axis></revolute></joint>'
THUMB_LINK = '<attachment_full joint="arm/thumb"><link sid="tip" name="tip"/></attachment_full>'
THUMB_NODE = '<node id="tip_node" name="tip"><rotate sid="bend">0 1 0 0</rotate></node>'


def with_thumb(**parts: str) -> str:
    """Return a document of a robot of three links, with some of its parts replaced."""
    bound = '<bind_joint_axis target="tip_node/bend"><axis><SIDREF>arm/thumb/axis0</SIDREF></axis></bind_joint_axis>'
    third = '<instance_rigid_body body="rigid_hand" sid="rigid_tip" target="#tip_node"/>'
    return robot(joints=THUMB, hand=THUMB_LINK, hand_node=THUMB_NODE, binds=bound, instances=third, **parts)


@pytest.mark.parametrize(("text", "rule"), AS_THEY_STAND.values(), ids=AS_THEY_STAND)
def test_as_it_stands(text: str, rule: str, report: Report) -> None:
    assert read_collada(Source("example.dae", text.encode()), report) is None
    (finding,) = report.take(rule)
    assert finding.location is not None


def test_interface_type() -> None:
    (model,) = read(robot(motion_extra=INTERFACE_TYPE)).models
    assert model.hints == (OpenravePlugin(kind="robot", name="MyRobot", plugin="myplugin"),)


def test_manipulator() -> None:
    (model,) = read(with_thumb(motion_extra=MANIPULATOR)).models
    (arm,) = model.manipulators
    assert (arm.name, arm.base, arm.tip, arm.direction) == ("leftarm", "base", "hand", (0.0, 0.0, 1.0))
    assert arm.pose == Pose((0.0, 0.0, 0.22), quaternion_from_axis_angle((0.0, 1.0, 0.0), math.pi / 2.0))
    assert arm.gripper == (
        GripperJoint(joint="elbow", closing_directions=(1.0,)),
        GripperJoint(joint="thumb", closing_directions=(-1.0,)),
    )
    assert arm.solvers == (
        IkSolver(
            type=IkType.TRANSFORM_6D,
            free_joints=(IkFreeJoint(joint="elbow"),),
            interface=OpenravePlugin(name="solver", plugin="solvers"),
        ),
        IkSolver(type=IkType.TRANSLATION_3D, free_joints=(IkFreeJoint(joint="thumb"),)),
    )


def test_dynamic_rigid_constraints() -> None:
    text = with_thumb(
        physics_extra=CONSTRAINTS,
        geometries=geometry("pole"),
        nodes=f'<node id="pole_node" name="pole">{shown("pole")}</node>',
        bodies='<rigid_body sid="rigid_dummy"/>',
    )
    text = text.replace('sid="pmodel_inst"', 'sid="pmodel1_inst"').replace(
        'sid="rigid_base" target', 'sid="rigid_dummy" target'
    )
    text = text.replace('sid="rigid_tip"', 'sid="rigid2"')
    pole = '<instance_rigid_body body="rigid_hand" sid="rigid0" target="#pole_node"/>'
    second = f'<instance_physics_model url="#pmodel" sid="pmodel2_inst">{pole}</instance_physics_model>'
    world = read(text.replace("</instance_physics_model>", f"</instance_physics_model>{second}", 1))
    (grasp,) = world.grasps
    assert (grasp.link.model, grasp.link.body) == ("arm", "hand")
    assert (grasp.body.model, grasp.body.body) == ("pole", "pole")
    assert grasp.ignored_bodies == ("base", "tip")


def test_collision() -> None:
    geometries = "".join(map(geometry, COLLISION_GEOMETRIES))
    visible = shown("base_vis0") + shown("base_vis1")
    (model,) = read(robot(geometries=geometries, base_node=visible, model_extra=COLLISION)).models
    base, hand = model.bodies
    assert [visual.name for visual in base.visuals] == ["base_vis0", "base_vis1"]
    assert [shape.name for shape in base.collisions] == ["base_env0", "base_env1"]
    assert [shape.name for shape in base.self_collisions or ()] == ["base_self"]
    assert [shape.name for shape in hand.collisions] == ["hand_env0"]
    assert hand.self_collisions is None
    assert model.ignored_pairs == (("base", "hand"),)
    assert all(shape.enabled for shape in base.collisions)


def test_geometry_info() -> None:
    world = read(robot(geometries=geometry("box", inside=GEOMETRY_INFO), hand_node=shown("box")))
    pose = Pose((0.0, 0.0, 0.5), quaternion_from_axis_angle((0.0, 0.0, 1.0), math.pi / 4.0))
    assert world.models[0].bodies["hand"].visuals == (Visual(geometry=Box(size=(0.2, 0.4, 0.6)), pose=pose, name="box"),)


def test_a_frame_without_a_shape() -> None:
    frame = technique("geometry_info", "<translate>0 0 0.5</translate>")
    (body, _) = read(robot(geometries=geometry("stone", inside=frame), base_node=shown("stone"))).models[0].bodies
    assert [visual.pose for visual in body.visuals] == [Pose()]
    assert [(frame.name, frame.pose) for frame in body.frames] == [("stone", Pose((0.0, 0.0, 0.5)))]


def test_link_info() -> None:
    base, hand = read(robot(model_extra=LINK_INFO)).models[0].bodies
    assert base.extensions == (Extension(format="collada", key="float myparam", value="1.0 2.0 3.0"),)
    assert hand.extensions == (Extension(format="collada", key="int newparam", value="-10"),)


def test_joint_info_of_two_names(report: Report) -> None:
    joints = read(with_thumb(model_extra=JOINT_INFO), report).models[0].joints
    assert joints["elbow"].extensions == (Extension(format="collada", key="float myparam", value="1.0 2.0 3.0"),)
    assert joints["thumb"].extensions == (Extension(format="collada", key="int newparam", value="-10"),)
    assert len(report.take("conflicting-names")) == 1


def test_joint_info_of_one_name() -> None:
    text = JOINT_INFO.replace('joint="thumb" name="newparam"', 'joint="elbow" name="newparam"')
    assert [one.key for one in read(robot(model_extra=text)).models[0].joints["elbow"].extensions] == [
        "float myparam",
        "int newparam",
    ]


@pytest.mark.parametrize(
    ("library", "kind", "measures", "settings"),
    [
        (
            LASER,
            "base_laser2d",
            Laser2D(
                min_angle=-0.5 * math.pi,
                max_angle=0.5 * math.pi,
                min_distance=0.01,
                max_distance=4.0,
                angle_increment=math.radians(1.0),
                time_increment=0.0005,
                measurement_time=0.025,
            ),
            (),
        ),
        (
            CUSTOM_LASER,
            "BaseLaser2D",
            Laser2D(
                min_angle=math.radians(-135.0),
                max_angle=math.radians(135.0),
                max_distance=5.0,
                angle_increment=math.radians(0.35),
                measurement_time=0.1,
            ),
            (Extension(format="collada", key="color", value="0.5 0.5 1"),),
        ),
    ],
)
def test_sensors(library: str, kind: str, measures: Laser2D, settings: tuple[Extension, ...]) -> None:
    (sensor,) = read(robot(motion_extra=ATTACH_SENSOR, extra=library)).models[0].sensors
    assert (sensor.name, sensor.body, sensor.type) == ("left_head_camera", "hand", kind)
    assert sensor.pose == Pose((0.0, 1.0, 0.0), quaternion_from_axis_angle((0.0, 1.0, 0.0), math.pi / 2.0))
    assert (sensor.description, sensor.settings) == (measures, settings)
    assert sensor.interface == (OpenravePlugin(name="BaseLaser2D") if library is LASER else None)


def test_formula() -> None:
    formula = f"<formula><target><param>arm/thumb</param></target>{FORMULA}</formula>"
    (coordinate,) = read(with_thumb(formulas=formula, value="<float>60</float>")).models[0].joints["thumb"].coordinates
    assert coordinate.coupling is not None
    elbow, factor = JointPosition(joint="elbow"), Number(value=0.33333)
    assert coordinate.coupling.position == Operation(
        operator=Operator.ADD,
        operands=(Operation(operator=Operator.MULTIPLY, operands=(factor, elbow)), Number(value=0.8727)),
    )
    assert coordinate.coupling.partials == (PartialDerivative(order=1, joint="elbow", expression=factor),)


def test_poses_of_coupled_joints() -> None:
    formula = f"<formula><target><param>arm/thumb</param></target>{FORMULA}</formula>"
    poses = ossature.poses(read(with_thumb(formulas=formula, value="<float>60</float>")))["arm"]
    angle = 0.33333 * math.radians(60.0) + 0.8727
    relative = poses["hand"].inverse() @ poses["tip"]
    assert np.allclose(relative.wxyz, quaternion_from_axis_angle((0.0, 1.0, 0.0), angle), atol=1e-12)


def test_actuators() -> None:
    report = Report()
    (actuator,) = read(robot(motion_extra=ATTACH_ACTUATOR, extra=MOTOR), report).models[0].actuators
    (told,) = report.take("suspected-rpm")
    assert "factor of 60" in told.message
    assert (actuator.name, actuator.joint, actuator.type) == ("motor0", "elbow", "electric_motor")
    motor = actuator.motor
    assert motor is not None
    assert motor.hints == (ColladaMotorSpeeds(unit=SpeedUnit.PER_MINUTE),)
    assert not actuator.settings
    per_minute = math.tau / 60.0
    assert motor.no_load_speed == pytest.approx(3990 * per_minute, rel=1e-15)
    assert motor.speed_torque_gradient == pytest.approx(130000.0 * per_minute, rel=1e-15)
    # The page's own numbers agree with one another within what a data sheet rounds.
    assert all(redundancy.agrees for redundancy in redundancies(motor))
    assert len(list(redundancies(motor))) == 4


def test_a_motor_whose_values_agree_in_no_unit_is_read_as_stated() -> None:
    motor = MOTOR.replace("<no_load_speed>3990<", "<no_load_speed>900000<")
    motor = motor.replace("<speed_constant>173.0<", "<speed_constant>9e4<")
    report = Report()
    (actuator,) = read(robot(motion_extra=ATTACH_ACTUATOR, extra=motor), report).models[0].actuators
    assert not report.take("suspected-rpm")
    assert actuator.motor is not None
    assert actuator.motor.hints == (ColladaMotorSpeeds(unit=SpeedUnit.PER_SECOND),)
    assert actuator.motor.no_load_speed == pytest.approx(900000 * math.tau, rel=1e-15)


SOME_NODE = (
    '<library_nodes><node id="somenode"><node id="inner"><instance_geometry url="#stone"/></node></node></library_nodes>'
)


def of_copies(copies: str, targets: tuple[str, str]) -> str:
    bodies = "".join(
        f'<instance_rigid_body body="rigid_hand" sid="{number}" target="#{target}"/>' for number, target in enumerate(targets)
    )
    return robot(nodes=copies, libraries=SOME_NODE, geometries=geometry("stone"), instances=bodies)


def test_ids_with_suffixes() -> None:
    world = read(of_copies(SUFFIXED, ("inner.b2", "inner.b1")))
    assert [model.name for model in world.models] == ["arm", "body1", "body2"]
    assert [model.bodies[0].inertial.mass for model in world.models] == [2.0, 2.0, 2.0]


def test_ids_that_clash_mean_the_copies_in_their_order(report: Report) -> None:
    world = read(of_copies(CLASHING, ("inner", "inner")), report)
    assert [model.bodies[0].inertial.mass for model in world.models] == [2.0, 2.0, 2.0]


def test_a_suffix_that_is_not_there(report: Report) -> None:
    read(of_copies(SUFFIXED, ("inner.b1", "inner")), report)
    assert len(report.take("rigid-body-without-link")) == 1


ARM_WITH_PARAMETERS = robot(
    value="<float>0</float>",
    scene_instance='<newparam sid="kscene_arm_inst"><SIDREF>arm_motion/arm_kinematics/arm_inst</SIDREF></newparam>'
    '<newparam sid="kscene_arm_inst_elbow.axis0"><SIDREF>arm_motion/arm_kinematics/arm_inst/elbow/axis0</SIDREF></newparam>',
)


def in_folder(folder: Path, visual: str) -> Path:
    (folder / "robot.dae").write_text(ARM_WITH_PARAMETERS, encoding="utf-8")
    scene = folder / "scene.dae"
    scene.write_text(MINIMAL.format(visual=visual), encoding="utf-8")
    return scene


def test_the_minimal_file_names_a_visual_scene_that_it_does_not_have(tmp_path: Path, report: Report) -> None:
    scene = in_folder(tmp_path, "#vscene")
    world = read(scene.read_text(encoding="utf-8"), report, name=str(scene), folder=tmp_path)
    (finding,) = report.take("unresolved-reference")
    assert "#vscene" in finding.message
    for rule in ("rigid-body-without-link", "missing-mass", "free-base"):
        assert report.take(rule)
    assert world.models["arm"].joints["elbow"].initial_positions == (math.radians(1.5),)


def test_the_minimal_file(tmp_path: Path) -> None:
    scene = in_folder(tmp_path, "./robot.dae#vscene")
    world = read(scene.read_text(encoding="utf-8"), name=str(scene), folder=tmp_path)
    joint = world.models[0].joints["elbow"]
    assert joint.initial_positions == (math.radians(1.5),)
    assert world.models[0].bodies["hand"].inertial.mass == 2.0
    assert world.gravity == (0.0, 0.0, -9.81)
    relative = ossature.poses(world)["arm"]["hand"]
    assert np.allclose(relative.wxyz, quaternion_from_axis_angle((0.0, 0.0, 1.0), math.radians(1.5)), atol=1e-15)


def test_hard_and_soft_limits() -> None:
    joint = '<revolute sid="axis0"><axis>0 0 1</axis><limits><min>-100</min><max>100</max></limits></revolute>'
    soft = "<limits><min><float>-90</float></min><max><float>80</float></max></limits>"
    (coordinate,) = read(robot(joint=joint, axis_info=soft)).models[0].joints["elbow"].coordinates
    assert (coordinate.position_limits.lower, coordinate.position_limits.upper) == (math.radians(-90.0), math.radians(80.0))
    assert coordinate.hard_limits is not None
    assert (coordinate.hard_limits.position.lower, coordinate.hard_limits.position.upper) == (
        math.radians(-100.0),
        math.radians(100.0),
    )


def test_extra_parameters_of_axes() -> None:
    parameters = (
        '<newparam sid="circular"><bool>true</bool></newparam><newparam sid="planning_weight"><float>2</float></newparam>'
        '<newparam sid="discretization_resolution"><float>0.05</float></newparam>'
    )
    (coordinate,) = read(robot(axis_info=parameters)).models[0].joints["elbow"].coordinates
    assert (coordinate.continuous, coordinate.hints) == (True, (OpenravePlanning(weight=2.0, resolution=0.05),))


def test_convex_pieces_of_one_link() -> None:
    hulls = '<geometry id="{}"><convex_mesh convex_hull_of="#stone"/></geometry>'
    geometries = geometry("stone") + hulls.format("a") + hulls.format("b")
    base = read(robot(geometries=geometries, base_node=shown("a") + shown("b"))).models[0].bodies["base"]
    assert [shape.geometry.convex for shape in base.collisions] == [True, True]


def test_unknown_extensions_are_passed_through(report: Report) -> None:
    own = '<extra type="mycustomparams"><technique profile="myprofile"><speed>5</speed></technique></extra>'
    (model,) = read(robot(motion_extra=own), report).models
    assert [(kept.key, kept.value) for kept in model.extensions] == [("extra mycustomparams", own)]
    assert report.take("unknown-extension")


def test_a_robot_of_several_parts(report: Report) -> None:
    tool = """
    <library_kinematics_models>
      <kinematics_model id="tool"><technique_common>
        <joint sid="jaw" name="jaw"><prismatic sid="slide"><axis>1 0 0</axis></prismatic></joint>
        <link sid="flange" name="hand"><attachment_full joint="tool/jaw"><link sid="jaw" name="jaw"/></attachment_full></link>
      </technique_common></kinematics_model>
    </library_kinematics_models>"""
    bound = '<bind_joint_axis target="jaw_node/open"><axis><SIDREF>tool/jaw/slide</SIDREF></axis></bind_joint_axis>'
    text = robot(
        libraries=tool,
        models='<instance_kinematics_model url="#tool" sid="tool_inst"/>',
        hand_node='<node id="jaw_node" name="jaw"><translate sid="open">0 0 0</translate></node>',
        binds=bound,
        instances='<instance_rigid_body body="rigid_hand" sid="rigid_jaw" target="#jaw_node"/>',
    )
    (model,) = read(text, report).models
    assert [body.name for body in model.bodies] == ["base", "hand", "jaw"]
    assert [(joint.parent, joint.child) for joint in model.joints][:2] == [("base", "hand"), ("hand", "jaw")]
    assert len(report.take("duplicate-links-merged")) == 1


def test_marks_are_drawn_and_nothing_else() -> None:
    mark = f'<node name="mark">{shown("stone")}</node>'
    world = read(robot(geometries=geometry("stone"), nodes=mark))
    assert world.models["mark"].static
    assert world.models["mark"].bodies[0].visuals
    assert not world.models["mark"].bodies[0].collisions


def test_a_body_that_is_not_dynamic_is_fixed() -> None:
    held = robot(base_body=f"<dynamic>false</dynamic>{BODY}")
    assert [joint.child for joint in read(held).models[0].joints if joint.parent is None] == ["base"]
