"""Every finding of the COLLADA reader: made by a small document, with its place, and nothing is found besides."""

from __future__ import annotations

import pytest

from collada_documents import BODY, document, geometry, read, robot, shown, technique
from ossature.diagnostics import Report, Source
from ossature.formats.collada import read_collada
from ossature.formats.collada.rules import RULES

PHYSICS = """
<library_physics_scenes>
  <physics_scene id="p"><technique_common><gravity>0 0 -9.81</gravity></technique_common></physics_scene>
</library_physics_scenes>"""
LOOP = '<joint sid="loop"><revolute sid="axis0"><axis>0 0 1</axis></revolute></joint>'
LIMITED = '<revolute sid="axis0"><axis>0 0 1</axis><limits><min>10</min><max>20</max></limits></revolute>'
TWO_AXES = '<revolute sid="axis0"><axis>0 0 1</axis></revolute><revolute sid="axis1"><axis>0 1 0</axis></revolute>'
BALL = '<geometry id="ball">' + technique("geometry_info", "<sphere><radius>1</radius></sphere>") + "</geometry>"
BROKEN = '<geometry id="broken"><mesh><triangles count="1"><p>0 1 2</p></triangles></mesh></geometry>'
MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML">{}</math>'
SELF = '<library_nodes><node id="n"><instance_node §url="#n"/></node></library_nodes>'
SECOND_LINK = '<attachment_full joint="{}"><link sid="x" name="x"/></attachment_full>'
OF_SECOND_LINK = ("missing-mass", "unbound-axis")
"""What else is found where a robot has a link that nothing shows."""
EFFECT = """
<library_effects><effect id="e"><newparam sid="c"><float4>{numbers}</float4></newparam>
  <profile_COMMON><technique sid="t"><phong><diffuse>{slot}</diffuse></phong></technique></profile_COMMON>
</effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>"""
KNEE = 'name="knee"'
TOOL = """
<library_kinematics_models>
  <kinematics_model id="tool"><technique_common>§<link sid="hand" name="hand"/></technique_common></kinematics_model>
</library_kinematics_models>"""
PAINTED = """
<instance_geometry url="#g"><bind_material><technique_common>
  <instance_material symbol="s" target="#m"/>
</technique_common></bind_material></instance_geometry>"""
VISUAL_ONLY = '<library_visual_scenes><visual_scene id="v"/></library_visual_scenes>'


def formula(math: str, target: str = "<target><param>arm/elbow</param></target>") -> str:
    return f'<formula sid="f">{target}<technique_common>{MATH.format(math)}</technique_common></formula>'


def collision(content: str) -> str:
    return robot(model_extra=technique("collision", content))


def constraint(gripper_body: str, held: str) -> str:
    sides = f'<ref_attachment rigid_body="{gripper_body}"/><attachment rigid_body="{held}"/>'
    return robot(physics_extra=technique("dynamic_rigid_constraints", f"§<rigid_constraint>{sides}</rigid_constraint>"))


def tip(content: str) -> str:
    manipulator = f'<frame_origin link="base"/>§<frame_tip link="hand">{content}</frame_tip>'
    return robot(motion_extra=technique("manipulator", manipulator, attributes='name="m"'))


BOUND = '<bind_actuator joint="elbow"/>'


def motor(fields: str, mark: str = "§") -> str:
    """Return a robot with an electric motor."""
    attached = technique("attach_actuator", f'<instance_actuator url="#m"/>{BOUND}', attributes='name="m"')
    library = technique("library_actuators", f'{mark}<actuator type="motor" id="m">{fields}</actuator>')
    return robot(motion_extra=attached, extra=library)


_LIBRARY = "library_sensors"
ATTACHED = technique("attach_sensor", '<instance_sensor url="#s"/><frame_origin link="hand"/>', attributes='name="eye"')


def sensing(*sensors: str) -> str:
    """Return a robot with a sensor that a library describes."""
    return robot(motion_extra=ATTACHED, extra=technique(_LIBRARY, "".join(sensors)))


INCOMPLETE = {
    "manipulator": ('<frame_tip link="hand"/>', '<frame_origin link="base"/>', '<frame_origin link="base"/><frame_tip/>'),
    "attach_sensor": ('<instance_sensor/><frame_origin link="hand"/>',),
    "attach_actuator": ("<bind_actuator/>",),
}
"""Extensions that lack a required element or attribute."""


def incomplete(kind: str, content: str) -> str:
    """Return a robot with an extension that lacks something, and a manipulator."""
    arm = technique("manipulator", '<frame_origin link="base"/><frame_tip link="hand"/>', attributes='name="arm"')
    return robot(motion_extra=technique(kind, content, attributes='name="m"') + arm)


CASES: dict[str, list[str | tuple[str, ...]]] = {
    "incomplete-extension": [
        robot(motion_extra=technique("manipulator", '<frame_origin link="base"/>§<frame_tip/>', attributes='name="m"')),
        robot(
            motion_extra=technique("attach_actuator", '<instance_actuator url="#m"/>§<bind_actuator/>', attributes='name="m"')
        ),
        collision('§<ignore_link_pair link0="base"/>'),
    ],
    "unknown-sensor-type": [sensing('§<sensor type="base_nose" id="s"><smells/></sensor>')],
    "unsupported-sensor-parameter": [sensing('<sensor type="base_imu" id="s">§<colour>1</colour></sensor>')],
    "conflicting-values": [
        sensing('<sensor type="base_laser2d" id="s"><angle_range>-90 90</angle_range>§<min_angle>-80</min_angle></sensor>'),
    ],
    "unsupported-distortion-model": [
        sensing('<sensor type="BaseCamera" id="s">§<distortion_model type="wavy">1</distortion_model></sensor>'),
    ],
    "invalid-stereo-camera": [
        sensing(
            '<sensor type="base_pinhole_camera" id="c"/>§<sensor type="base_stereo_camera" id="s">'
            '<instance_sensor url="#c"/></sensor>'
        ),
    ],
    "wrong-root-element": ["§<robot/>"],
    "empty-scene": [
        "§" + document(PHYSICS),
        document(PHYSICS + VISUAL_ONLY + '§<scene><instance_visual_scene url="#v"/></scene>'),
    ],
    "duplicate-id": [
        robot(geometries=geometry("g") + '<geometry §id="g"/>'),
        robot(nodes='<node §id="arm_node"/>'),
    ],
    "unresolved-reference": [
        robot(base_node='<instance_geometry §url="#g"/>'),
        robot(base_node='<instance_geometry §url="#arm"/>'),
        robot(base_node='<instance_node §url="#n"/>'),
        robot(models='<instance_kinematics_model §url="#legs" sid="legs"/>'),
        robot(systems='<instance_articulated_system §url="#legs" sid="legs"/>'),
        robot(instances='<instance_rigid_body §body="knee" sid="knee" target="#hand_node"/>'),
        robot(geometries=geometry("g", symbol="s"), base_node=PAINTED).replace('target="#m"', '§target="#m"'),
        robot(hand_body=f'{BODY}<instance_physics_material §url="#rubber"/><shape><sphere><radius>1</radius></sphere></shape>'),
        robot(geometries='<geometry id="g">§<convex_mesh convex_hull_of="#h"/></geometry>', base_node=shown("g")),
        robot(formulas='<instance_formula §url="#f"/>'),
        constraint("pmodel_inst/rigid_hand", "pmodel_inst/ball"),
        robot(
            motion_extra=technique(
                "attach_sensor", '§<instance_sensor url="#eye"/><frame_origin link="hand"/>', attributes='name="eye"'
            )
        ),
    ],
    "unresolved-binding": [
        robot(axis_infos='<axis_info §axis="arm/knee/axis0"/>'),
        (robot().replace('target="hand_node/turn"', '§target="hand_node/bend"'), "unbound-axis"),
        robot(binds="§<bind_joint_axis><axis><SIDREF>arm/knee/axis0</SIDREF></axis></bind_joint_axis>"),
        robot(binds='§<bind_kinematics_model node="arm_node"><param>legs</param></bind_kinematics_model>'),
        (robot().replace('node="arm_node/base_node"', '§node="arm_node/leg"'), "unbound-model"),
    ],
    "joint-locked-by-limits": [
        robot(joint=LIMITED.replace("<max>20", "<max>10")).replace('<joint sid="elbow"', '§<joint sid="elbow"'),
    ],
    "unresolved-parameter": [
        robot(value="<param>nothing</param>").replace("<value>", "§<value>"),
        robot(axis_info="§<active><param>nothing</param></active>"),
        collision('§<link_collision_state link="base"><param>nothing</param></link_collision_state>'),
        robot(axis_info="<limits>§<min><param>nothing</param></min></limits>"),
        robot(motion_info="§<speed><SIDREF>arm/nothing</SIDREF></speed>"),
        robot(axis_info='§<newparam sid="planning_weight"><SIDREF>arm/elbow/axis0</SIDREF></newparam>'),
        robot(
            geometries=geometry("g", symbol="s"),
            base_node=PAINTED,
            libraries=EFFECT.format(numbers="1 0 0 1", slot='§<param ref="d"/>'),
        ),
    ],
    "cyclic-reference": [
        robot(libraries=SELF, base_node='<instance_node url="#n"/>'),
        (
            robot()
            .replace('url="#arm_kinematics"', 'url="#arm_motion"')
            .replace('<articulated_system id="arm_motion"', '§<articulated_system id="arm_motion"'),
            "unresolved-binding",
        ),
    ],
    "zero-axis": [
        robot(attachment="§<rotate>0 0 0 90</rotate>"),
        robot(hand_node="<node>§<lookat>0 0 0 0 0 0 0 0 1</lookat></node>"),
        robot(hand_node="<node>§<skew>30 0 0 0 1 0 0</skew></node>"),
        robot(hand_node="<node>§<skew>30 1 0 0 1 0 0</skew></node>"),
        robot(hand_node="<node>§<skew>90 0 1 0 1 0 0</skew></node>"),
        robot(joint='<revolute sid="axis0">§<axis>0 0 0</axis></revolute>'),
        tip("<direction>0 0 0</direction>"),
    ],
    "numeric-overflow": [
        robot(attachment="§<translate>1e200 0 0</translate>"),
        robot(hand_node="§<node><translate>1e200 0 0</translate></node>", base_node=""),
    ],
    "unbound-axis": [
        robot().replace("hand_node/turn", "").replace('<link sid="hand"', '§<link sid="hand"'),
    ],
    "unbound-model": [
        robot().replace('node="arm_node/base_node"', "").replace('<kinematics_model id="arm"', '§<kinematics_model id="arm"'),
    ],
    "duplicate-links-merged": [
        robot(
            models='<instance_kinematics_model url="#tool" sid="tool"/>',
            libraries=TOOL,
        )
    ],
    "missing-axis": [
        (robot(joints='§<joint sid="bare" name="bare"/>', base=SECOND_LINK.format("arm/bare")), *OF_SECOND_LINK),
    ],
    "unknown-joint": [
        (robot(base=SECOND_LINK.format("arm/elbo").replace("joint", "§joint")), *OF_SECOND_LINK, "renamed"),
        robot(hand='<attachment_end §joint="arm/knee"/>'),
    ],
    "formula-without-target": [robot(formulas="§" + formula("<cn>1</cn>", target=""))],
    "unknown-link": [
        collision('§<ignore_link_pair link0="base" link1="leg"/>'),
        collision('§<link_collision_state link="leg"><bool>true</bool></link_collision_state>'),
        collision('§<bind_instance_geometry type="self" link="leg" url="#g"/>'),
        robot(model_extra=technique("joint_info", '§<int_array name="n">1</int_array>', attributes=KNEE)),
        robot(model_extra=technique("link_info", '§<int_array name="n">1</int_array>', attributes=KNEE)),
        tip("").replace('frame_tip link="hand"', 'frame_tip link="leg"'),
        robot(formulas=formula("§<csymbol>arm/knee</csymbol>")),
        robot(motion_extra=technique("attach_actuator", '§<bind_actuator joint="knee"/>', attributes='name="motor"')),
        robot(motion_extra="§" + technique("attach_sensor", "", attributes='name="eye"')),
    ],
    "renamed": [
        (robot(motion_extra="§" + technique("attach_sensor", "")), "unknown-link"),
        robot(nodes='<node name="arm"/>§<node name="arm"><instance_geometry url="#ball"/></node>', geometries=BALL),
    ],
    "unclosed-loop": [
        (
            robot(joints=LOOP, base='<attachment_start joint="arm/loop"/>', hand='§<attachment_end joint="arm/loop"/>'),
            "openrave-differs",
        ),
    ],
    "openrave-differs": [
        robot(joints=LOOP, base='<attachment_start joint="arm/loop"/>§<attachment_end joint="arm/loop"/>'),
    ],
    "invalid-extension": [
        robot(model_extra='<extra type="model"><technique profile="Ossature">§<Model static="perhaps"/></technique></extra>'),
    ],
    "incomplete-attachment": [
        robot(joints=LOOP, hand='§<attachment_end joint="arm/loop"/>'),
        robot(joints="§" + LOOP, hand='<attachment_start joint="arm/loop"/>'),
    ],
    "initial-position-outside-limits": [robot(joint=LIMITED).replace("<joint sid", "§<joint sid")],
    "soft-limit-exceeds-hard-limit": [
        robot(
            motion_info='<newparam sid="hardMaxVel"><float>10</float></newparam><speed><float>20</float></speed>',
        ).replace("<joint sid", "§<joint sid"),
    ],
    "assumed-radians": [
        robot(
            asset="<contributor><authoring_tool>URDF Collada Writer</authoring_tool></contributor><created/><modified/>"
            "<up_axis>Z_UP</up_axis>"
        ).replace("<asset>", "§<asset>"),
    ],
    "up-axis-converted": [
        robot(asset="<created/><modified/>§<up_axis>X_UP</up_axis>"),
        robot(asset="<created/><modified/>").replace("<asset>", "§<asset>"),
    ],
    "partially-locked-joint": [
        robot(joint=TWO_AXES, axis_info="<locked><bool>true</bool></locked>").replace("<joint sid", "§<joint sid"),
        robot(joint=TWO_AXES, axis_info="<active><bool>false</bool></active>").replace("<joint sid", "§<joint sid"),
    ],
    "missing-mass": [
        robot(hand_body="").replace('<link sid="hand"', '§<link sid="hand"'),
        robot(geometries=BROKEN, hand_body=f"{BODY.replace('<inertia>1 1 1</inertia>', '')}§<shape>{shown('broken')}</shape>"),
        robot(
            nodes='§<node id="stone"><instance_geometry url="#ball"/></node>',
            geometries=BALL,
            bodies='<rigid_body sid="stone"/>',
            instances='<instance_rigid_body body="stone" sid="stone" target="#stone"/>',
        ).replace('id="stone">', 'id="stone" name="stone">'),
    ],
    "missing-mass-frame": [
        robot(hand_body="<mass>1</mass>").replace('<rigid_body sid="rigid_hand"', '§<rigid_body sid="rigid_hand"')
    ],
    "multiple-rigid-bodies": [robot(instances='§<instance_rigid_body body="rigid_hand" sid="again" target="#hand_node"/>')],
    "rigid-body-without-link": [robot(instances='§<instance_rigid_body body="rigid_hand" sid="again" target="#leg"/>')],
    "scaled-shape": [robot(geometries=BALL, hand_node=f"<node><scale>1 2 1</scale>§{shown('ball')}</node>")],
    "elliptic-cylinder": [
        robot(hand_body=f"{BODY}<shape>§<cylinder><height>1</height><radius>1 2</radius></cylinder></shape>"),
        robot(hand_body=f"{BODY}<shape>§<capsule><height>1</height><radius>1 2</radius></capsule></shape>"),
    ],
    "triangulated-polygons": [
        robot(geometries='<geometry id="g">§<mesh><polylist count="0"/></mesh></geometry>', base_node=shown("g") * 2),
        robot(geometries='<geometry id="g">§<mesh><polygons count="0"/></mesh></geometry>', base_node=shown("g")),
    ],
    "nested-scale": [robot(around="<scale>2 2 2</scale>").replace('<node id="base_node"', '§<node id="base_node"')],
    "unused-node-transform": [
        robot(base_node=transform).replace('<node id="base_node"', '§<node id="base_node"')
        for transform in ("<translate>0 0 1</translate>", "<rotate>0 0 1 30</rotate>")
    ],
    "free-base": [
        robot(base_body=BODY).replace('<instance_articulated_system url="#arm_m', '§<instance_articulated_system url="#arm_m'),
    ],
    "unsupported-content": [
        robot(base_node='§<extra type="x"/>'),
        robot(hand_body=f"{BODY}<shape>§<hollow>true</hollow><sphere><radius>1</radius></sphere></shape>"),
        robot(motion_info="§<deceleration><float>1</float></deceleration>"),
        robot(model_extra='§<technique profile="maker"/>'),
        robot(
            hand_body=f"{BODY}<physics_material><technique_common>§<static_friction>1</static_friction></technique_common>"
            "</physics_material>"
        ),
        robot().replace(
            '<instance_rigid_body body="rigid_hand" sid="rigid_hand" target="#hand_node"/>',
            '§<instance_rigid_body body="rigid_hand" sid="rigid_hand" target="#hand_node">'
            "<technique_common><velocity>1 0 0</velocity></technique_common></instance_rigid_body>",
        ),
    ],
    "unknown-extension": [
        robot(model_extra='§<extra type="x"/>'),
        robot(scene_instance='§<extra type="x"/>'),
    ],
    "conflicting-names": [
        robot(
            model_extra=technique("joint_info", '§<int_array name="n" joint="elbow">1</int_array>', attributes='name="knee"')
        ),
        robot(
            model_extra=technique("link_info", '§<int_array name="n" link="arm/hand">1</int_array>', attributes='name="base"')
        ),
    ],
    "suspected-rpm": [
        motor("<torque_constant>0.0552</torque_constant><speed_constant>173</speed_constant>"),
        motor(
            "<torque_constant>0.0552</torque_constant><nominal_voltage>24</nominal_voltage><no_load_speed>3990</no_load_speed>"
        ),
        motor(
            "<torque_constant>0.0552</torque_constant><terminal_resistance>41.5</terminal_resistance>"
            "<speed_torque_gradient>130000</speed_torque_gradient>"
        ),
    ],
    "unsupported-animation": [
        robot(
            libraries='<library_animations><animation><sampler id="s"><input semantic="INPUT" source="#t"/></sampler>'
            '§<channel source="#s" target="hand_node/turn.ANGLE"/></animation></library_animations>'
        ),
    ],
    "invalid-torque-points": [motor("§<max_speed_torque_point>0 1 2</max_speed_torque_point>", mark="")],
    "actuator-count-mismatch": [
        robot(
            motion_extra=technique("attach_actuator", 3 * '<instance_actuator url="#m"/>' + 2 * BOUND, attributes='name="m"')
            .replace("<technique", "§<technique")
            .replace("<extra", "<extra"),
            extra=technique("library_actuators", '<actuator type="motor" id="m"/>'),
        ),
    ],
    "unsupported-formula": [robot(formulas=formula("<apply>§<factorial/><cn>1</cn></apply>"))],
    "malformed-formula": [robot(formulas=formula("§<cn>one</cn>"))],
    "ignored-element": [robot(libraries="§<library_lights/>"), robot(base_node='§<instance_light url="#sun"/>')],
    "default-used": [
        robot(physics="").replace("<scene>", "§<scene>"),
        robot(physics="<gravity>0 0 0</gravity><time_step>0</time_step>").replace("<scene>", "§<scene>"),
    ],
    "invalid-number": [
        robot(
            geometries=geometry("g", symbol="s"),
            base_node=PAINTED,
            libraries=EFFECT.format(numbers="1 0 red 1", slot='<param ref="c"/>').replace("<float4>", "§<float4>"),
        ),
    ],
}
"""For each rule documents that break it alone; a mark stands where the finding has to point.

Where a document cannot break one rule alone, the others follow it.
"""
MARK = "§"
OF_SYNTAX = {"ignored-element", "default-used", "invalid-number"}
"""Rules of all formats that the reader of COLLADA uses itself."""


OF_SEVERAL_FILES = {"invalid-attachment", "renamed"}
"""Rules that one document cannot break; tests/composition breaks them."""


def test_every_rule_has_a_case() -> None:
    assert {rule.name for rule in RULES} | OF_SYNTAX == set(CASES) | OF_SEVERAL_FILES


@pytest.mark.parametrize(("rule", "case"), [(rule, case) for rule, cases in CASES.items() for case in cases])
def test_finding(rule: str, case: str | tuple[str, ...], report: Report) -> None:
    marked, *others = (case,) if isinstance(case, str) else case
    before, mark, after = marked.partition(MARK)
    assert mark
    read_collada(Source("robot.dae", (before + after).encode()), report)
    (finding,) = report.take(rule)
    line = before.count("\n") + 1
    assert str(finding.location) == f"robot.dae:{line}:{len(before.rpartition(chr(10))[2]) + 1}"
    for other in others:
        assert report.take(other)


def test_nothing_is_found_in_a_good_document() -> None:
    read(robot(geometries=geometry("g"), base_node=shown("g")))


def test_the_nearest_identifier_is_named(report: Report) -> None:
    read(robot(geometries=geometry("palm"), base_node=shown("plam")), report)
    (finding,) = report.take("unresolved-reference")
    assert "palm" in (finding.hint or "")


@pytest.mark.parametrize(
    ("kind", "content"), [(kind, content) for kind, contents in INCOMPLETE.items() for content in contents]
)
def test_the_robot_and_other_extensions_are_read(kind: str, content: str, report: Report) -> None:
    """OpenRAVE skips what is incomplete, and reads the robot."""
    world = read_collada(Source("robot.dae", incomplete(kind, content).encode()), report)
    assert world is not None
    (model,) = world.models
    assert not report.has_errors
    assert report.take("incomplete-extension")
    assert [manipulator.name for manipulator in model.manipulators] == ["arm"]
    assert model.joints["elbow"].degrees_of_freedom == 1
    list(map(report.take, ("default-used", "free-base", "unresolved-reference")))
