"""Small COLLADA documents for tests: a robot of two links, of which every part can be replaced, and plain meshes."""

from __future__ import annotations

from pathlib import Path

from collada_coverage import FILES
from ossature.diagnostics import Report, Source
from ossature.formats.collada import read_collada
from ossature.model import Model, World

ROBOT = """\
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
  <asset>{asset}</asset>
  <library_visual_scenes>
    <visual_scene id="vscene">
      <node id="arm_node" sid="arm_node" name="arm">
        {around}
        <node id="base_node" sid="base_node" name="base">{base_node}
          <node id="hand_node" sid="hand_node" name="hand">{place}<rotate sid="turn">0 0 1 0</rotate>{hand_node}</node>
        </node>
      </node>
      {nodes}
    </visual_scene>
  </library_visual_scenes>
  <library_geometries>{geometries}</library_geometries>
  {libraries}
  <library_kinematics_models>
    <kinematics_model id="arm">
      <technique_common>
        <joint sid="elbow" name="elbow">{joint}</joint>
        {joints}
        <link sid="base" name="base">{base}
          <attachment_full joint="arm/elbow">
            {attachment}
            <link sid="hand" name="hand">{hand}</link>
          </attachment_full>
        </link>
        {formulas}
      </technique_common>
      {model_extra}
    </kinematics_model>
  </library_kinematics_models>
  <library_articulated_systems>
    <articulated_system id="arm_kinematics">
      <kinematics>
        <instance_kinematics_model url="#arm" sid="arm_inst">{model_instance}</instance_kinematics_model>
        {models}
        <technique_common>
          <axis_info sid="elbow_info" axis="arm/elbow/axis0">{axis_info}</axis_info>
          {axis_infos}
        </technique_common>
      </kinematics>
      {kinematics_extra}
    </articulated_system>
    <articulated_system id="arm_motion" name="arm">
      <motion>
        <instance_articulated_system url="#arm_kinematics" sid="kin_inst">{system_instance}</instance_articulated_system>
        <technique_common>
          <axis_info axis="arm_kinematics/elbow_info">{motion_info}</axis_info>
        </technique_common>
      </motion>
      {motion_extra}
    </articulated_system>
  </library_articulated_systems>
  <library_kinematics_scenes>
    <kinematics_scene id="kscene">
      <instance_articulated_system url="#arm_motion" sid="arm">{scene_instance}</instance_articulated_system>
      {systems}
    </kinematics_scene>
  </library_kinematics_scenes>
  <library_physics_models>
    <physics_model id="pmodel">
      <rigid_body sid="rigid_base"><technique_common>{base_body}</technique_common></rigid_body>
      <rigid_body sid="rigid_hand"><technique_common>{hand_body}</technique_common></rigid_body>
      {bodies}
    </physics_model>
  </library_physics_models>
  <library_physics_scenes>
    <physics_scene id="pscene">
      <instance_physics_model url="#pmodel" sid="pmodel_inst"{parent}>
        <instance_rigid_body body="rigid_base" sid="rigid_base" target="#base_node"/>
        <instance_rigid_body body="rigid_hand" sid="rigid_hand" target="#hand_node"/>
        {instances}
      </instance_physics_model>
      <technique_common>{physics}</technique_common>
    </physics_scene>
  </library_physics_scenes>
  <scene>
    <instance_physics_scene url="#pscene">{physics_extra}</instance_physics_scene>
    <instance_visual_scene url="#vscene"/>
    <instance_kinematics_scene url="#kscene">
      {parameters}
      <bind_kinematics_model node="arm_node/base_node">
        <SIDREF>kscene/arm/arm_kinematics/arm_inst</SIDREF>
      </bind_kinematics_model>
      <bind_joint_axis target="hand_node/turn">
        <axis><SIDREF>kscene/arm/arm_kinematics/arm_inst/elbow/axis0</SIDREF></axis>
        <value>{value}</value>
      </bind_joint_axis>
      {binds}
    </instance_kinematics_scene>
  </scene>
  {extra}
</COLLADA>
"""
BODY = "<mass>2</mass><mass_frame><translate>0 0 0</translate></mass_frame><inertia>1 1 1</inertia>"
DEFAULTS = {
    "asset": "<created>2024-05-01T12:00:00Z</created><modified>2024-05-01T12:00:00Z</modified><up_axis>Z_UP</up_axis>",
    "attachment": "<translate>0 0 1</translate>",
    "base_body": f"<dynamic>false</dynamic>{BODY}",
    "hand_body": BODY,
    "joint": '<revolute sid="axis0"><axis>0 0 1</axis></revolute>',
    "physics": "<gravity>0 0 -9.81</gravity>",
    "place": "<translate>0 0 1</translate>",
    "value": "<float>0</float>",
}
"""What stands in the parts of the robot that are not replaced; all others are empty."""
CENTIMETRE = (
    '<asset><created>2024-05-01T12:00:00Z</created><modified>2024-05-01T12:00:00Z</modified><unit meter="0.01"/></asset>'
)
"""The unit of a part of a document."""
TETRAHEDRON = """\
<source id="{id}_points">
  <float_array id="{id}_numbers" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
  <technique_common>
    <accessor count="4" source="#{id}_numbers" stride="3">
      <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
    </accessor>
  </technique_common>
</source>
<vertices id="{id}_vertices"><input semantic="POSITION" source="#{id}_points"/></vertices>
"""
FACES = '<triangles count="4"{symbol}><input offset="0" semantic="VERTEX" source="#{id}_vertices"/><p>{corners}</p></triangles>'
OUTWARD = "0 2 1 0 1 3 0 3 2 1 2 3"


def robot(**parts: str) -> str:
    """Return a document of a robot of two links with a joint between them, with some of its parts replaced."""
    places = {name.split("}")[0] for name in ROBOT.split("{")[1:]}
    assert parts.keys() <= places, f"no such parts: {parts.keys() - places}"
    return ROBOT.format_map({name: DEFAULTS.get(name, "") for name in places} | parts)


def document(content: str) -> str:
    """Return a document with z upwards and nothing but some content."""
    return f'<COLLADA version="1.5.0"><asset>{DEFAULTS["asset"]}</asset>{content}</COLLADA>'


def geometry(name: str, *, inside: str = "", symbol: str = "") -> str:
    """Return a geometry: a tetrahedron with a corner at its origin and edges of 1 along the axes.

    Args:
        name: Its id.
        inside: What stands in it behind its mesh.
        symbol: The symbol for its material.
    """
    faces = FACES.format(id=name, corners=OUTWARD, symbol=f' material="{symbol}"' if symbol else "")
    return f'<geometry id="{name}" name="{name}"><mesh>{TETRAHEDRON.format(id=name)}{faces}</mesh>{inside}</geometry>'


def shown(name: str) -> str:
    """Return an instance of a geometry."""
    return f'<instance_geometry url="#{name}"/>'


def technique(kind: str, content: str, *, attributes: str = "") -> str:
    """Return one of OpenRAVE's extensions.

    Args:
        kind: Its type.
        content: What stands in its technique.
        attributes: Further attributes, ``name="…"``.
    """
    return f'<extra type="{kind}" {attributes}><technique profile="OpenRAVE">{content}</technique></extra>'


def read(text: str, report: Report | None = None, *, name: str = "robot.dae", folder: Path | None = None) -> World:
    """Return the World of a document; without a report, nothing may be found in it but that OpenRAVE reads it otherwise."""
    findings = Report() if report is None else report
    world = read_collada(Source(name, text.encode()), findings, folder=folder)
    if report is None:
        findings.take("openrave-differs")
    assert report is not None or not findings, str(findings)
    assert world is not None, str(findings)
    return world


def read_arm(text: str, report: Report | None = None) -> Model:
    return read(text, report).models["arm"]


def read_test_file(name: str) -> World:
    path = FILES / name
    return read(path.read_text(encoding="utf-8"), Report(), name=str(path), folder=FILES)
