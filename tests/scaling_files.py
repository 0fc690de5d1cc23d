"""Files of n elements of each kind, sound and hostile, for measuring how the time and memory of reading grow with n.

Each kind is a function of n and of how the file misuses names and lines (:class:`Style`) to the text of a file.
"""

# ruff: noqa: E501  # each element of a generated file stands on one line here, as in the file

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from collada_documents import DEFAULTS, TETRAHEDRON, document, robot


class Style(StrEnum):
    """How the elements are spelled."""

    PLAIN = "plain"
    """Names differ, references lead somewhere, one element on a line."""
    EQUAL_NAMES = "equal names"
    UNRESOLVED = "unresolved references"
    ONE_LINE = "one line"


Content: TypeAlias = Callable[[int, Style], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of generated file.

    Attributes:
        suffix: Suffix of its files.
        text: Returns the text of a file of n elements.
    """

    suffix: str
    text: Content


def name(stem: str, number: int, style: Style) -> str:
    """Return the name of an element."""
    return stem if style is Style.EQUAL_NAMES else f"{stem}{number}"


def reference(stem: str, number: int, style: Style) -> str:
    """Return a name by which another element is meant."""
    return f"{stem}_gone{number}" if style is Style.UNRESOLVED else name(stem, number, style)


def lines(parts: list[str], style: Style) -> str:
    """Return parts of a file, on one line each or on one in all."""
    return ("" if style is Style.ONE_LINE else "\n").join(parts)


# SKEL

INERTIA = "<inertia><mass>1</mass></inertia>"


def skel(content: str) -> str:
    return f'<skel version="1.0"><world name="w">{content}</world></skel>'


def skel_bodies(count: int, style: Style) -> str:
    parts = []
    for i in range(count):
        parts.append(f'<body name="{name("b", i, style)}"><transformation>0 0 0 0 0 0</transformation>{INERTIA}</body>')
        parts.append(
            f'<joint type="free" name="{name("j", i, style)}"><parent>world</parent>'
            f"<child>{reference('b', i, style)}</child></joint>"
        )
    return skel(f'<skeleton name="s">{lines(parts, style)}</skeleton>')


def skel_chain(count: int, style: Style) -> str:
    parts = [f'<body name="{name("b", i, style)}">{INERTIA}</body>' for i in range(count)]
    for i in range(count):
        parent = "world" if not i else reference("b", i - 1, style)
        parts.append(
            f'<joint type="revolute" name="{name("j", i, style)}"><parent>{parent}</parent>'
            f"<child>{reference('b', i, style)}</child><axis><xyz>0 0 1</xyz></axis></joint>"
        )
    return skel(f'<skeleton name="s">{lines(parts, style)}</skeleton>')


def skel_skeletons(count: int, style: Style) -> str:
    parts = [f'<skeleton name="{name("s", i, style)}"><body name="b">{INERTIA}</body></skeleton>' for i in range(count)]
    return skel(lines(parts, style))


def skel_shapes(count: int, style: Style) -> str:
    shape = "<visualization_shape><geometry><box><size>1 1 1</size></box></geometry></visualization_shape>"
    return skel(f'<skeleton name="s"><body name="b">{INERTIA}{lines([shape] * count, style)}</body></skeleton>')


def skel_unknown(count: int, style: Style) -> str:
    return skel(lines([f"<{name('unknown', i, style)}/>" for i in range(count)], style))


def skel_attributes(count: int, style: Style) -> str:
    return skel("<skeleton name='s' " + lines([f'a{i}="1" ' for i in range(count)], style) + "/>")


def skel_mixed_text(count: int, style: Style) -> str:
    return skel(lines(["a<b/>"] * count, style))


# URDF


def urdf_links(count: int, style: Style) -> str:
    parts = ['<link name="root"/>']
    for i in range(count):
        link = name("l", i, style)
        parts.append(
            f'<link name="{link}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
            '<visual><geometry><box size="1 1 1"/></geometry></visual></link>'
        )
        parts.append(
            f'<joint name="{name("j", i, style)}" type="fixed"><parent link="{reference("root" if not i else "l", i - 1, style) if i else "root"}"/>'
            f'<child link="{reference("l", i, style)}"/></joint>'
        )
    return f'<robot name="r">{lines(parts, style)}</robot>'


def urdf_star(count: int, style: Style) -> str:
    parts = ['<link name="root"/>']
    for i in range(count):
        parts.append(f'<link name="{name("l", i, style)}"/>')
        parts.append(
            f'<joint name="{name("j", i, style)}" type="revolute"><parent link="root"/><child link="{reference("l", i, style)}"/>'
            f'<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
            f'<mimic joint="{reference("j", max(i - 1, 0), style)}"/></joint>'
        )
    return f'<robot name="r">{lines(parts, style)}</robot>'


def urdf_empty_links(count: int, style: Style) -> str:
    links = [f'<link name="{name("l", i, style)}"/>' for i in range(count + 1)]
    joints = [
        f'<joint name="{name("j", i, style)}" type="continuous"><parent link="{reference("l", i, style)}"/>'
        f'<child link="{reference("l", i + 1, style)}"/></joint>'
        for i in range(count)
    ]
    return f'<robot name="r">{lines(links + joints, style)}</robot>'


def urdf_materials(count: int, style: Style) -> str:
    parts = [f'<material name="{name("m", i, style)}"><color rgba="1 0 0 1"/></material>' for i in range(count)]
    visuals = [
        f'<visual><geometry><sphere radius="1"/></geometry><material name="{reference("m", i, style)}"/></visual>'
        for i in range(count)
    ]
    return f'<robot name="r">{lines(parts, style)}<link name="a">{lines(visuals, style)}</link></robot>'


def urdf_extensions(count: int, style: Style) -> str:
    parts = [f'<gazebo reference="{reference("l", i, style)}"><x>{i}</x></gazebo>' for i in range(count)]
    parts += [
        f'<transmission name="{name("t", i, style)}"><joint name="{reference("j", i, style)}"/></transmission>'
        for i in range(count)
    ]
    return f'<robot name="r"><link name="l0"/>{lines(parts, style)}</robot>'


# Chrono YAML


def flow(items: list[str], style: Style) -> str:
    """Return a list of YAML, on one line or with a line for each item."""
    if style is Style.ONE_LINE:
        return "[" + ", ".join(items) + "]"
    return "".join(f"\n    - {item}" for item in items) or "[]"


def chrono(**keys: str) -> str:
    content = "\n".join(f"  {key}: {value}" for key, value in keys.items())
    return f"chrono-version: 10.0\nmodel:\n  name: m\n{content}\n"


def chrono_body(number: int, style: Style) -> str:
    return (
        f"{{name: {name('b', number, style)}, location: [0, 0, {number}], mass: 1, inertia: {{moments: [1, 1, 1]}}, "
        "visualization: {shapes: [{type: SPHERE, radius: 0.1}]}}"
    )


def chrono_bodies(count: int, style: Style) -> str:
    bodies = [chrono_body(i, style) for i in range(count)]
    joints = [
        f"{{name: {name('j', i, style)}, type: REVOLUTE, body1: {reference('b', i, style)}, "
        f"body2: {reference('b', max(i - 1, 0), style)}, location: [0, 0, {i}], axis: [0, 0, 1]}}"
        for i in range(1, count)
    ]
    return chrono(bodies=flow(bodies, style), joints=flow(joints, style))


def chrono_springs(count: int, style: Style) -> str:
    springs = [
        f"{{name: {name('s', i, style)}, body1: {reference('b', 0, style)}, body2: {reference('b', 1, style)}, "
        "point1: [0, 0, 0], point2: [0, 0, 1], free_length: 1, spring_coefficient: 1}"
        for i in range(count)
    ]
    return chrono(bodies=flow([chrono_body(i, style) for i in range(2)], style), tsdas=flow(springs, style))


def chrono_keys(count: int, style: Style) -> str:
    keys = ", ".join(f"{name('key', i, style)}: {i}" for i in range(count))
    return chrono(bodies=f"[{{name: b, {keys}}}]")


# COLLADA


def collada_nodes(count: int, style: Style) -> str:
    nodes = [
        f'<node id="{name("n", i, style)}" sid="{name("n", i, style)}"><translate>0 0 1</translate></node>'
        for i in range(count)
    ]
    return robot(base_node=lines(nodes, style))


def collada_instances(count: int, style: Style) -> str:
    nodes = [f'<instance_geometry url="#{reference("g", 0, style)}"/>' for i in range(count)]
    geometry = f'<geometry id="{name("g", 0, style)}"><mesh>{TETRAHEDRON.format(id="g")}</mesh></geometry>'
    return robot(base_node=lines(nodes, style), geometries=geometry)


def collada_groups(count: int, style: Style) -> str:
    """One mesh of many points and many groups of one triangle each."""
    numbers = " ".join(["0 0 0 1 0 0 0 1 0"] * count)
    faces = f'<triangles count="1"><input offset="0" semantic="VERTEX" source="#{reference("v", 0, style)}"/><p>0 1 2</p></triangles>'
    mesh = (
        f'<source id="points"><float_array id="f" count="{9 * count}">{numbers}</float_array><technique_common>'
        f'<accessor count="{3 * count}" source="#f" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor>'
        '</technique_common></source><vertices id="v"><input semantic="POSITION" source="#points"/></vertices>'
        + lines([faces] * count, style)
    )
    return robot(geometries=f'<geometry id="g"><mesh>{mesh}</mesh></geometry>', base_node='<instance_geometry url="#g"/>')


def collada_joints(count: int, style: Style) -> str:
    joints = [
        f'<joint sid="{name("j", i, style)}"><revolute sid="axis0"><axis>0 0 1</axis></revolute></joint>' for i in range(count)
    ]
    links = [
        f'<attachment_full joint="arm/{reference("j", i, style)}"><link sid="{name("x", i, style)}" name="{name("x", i, style)}"/></attachment_full>'
        for i in range(count)
    ]
    return robot(joints=lines(joints, style), base=lines(links, style))


def collada_formulas(count: int, style: Style) -> str:
    formulas = [
        f'<formula sid="{name("f", i, style)}"><target><param>{reference("arm/elbow/axis0", i, style) if style is Style.UNRESOLVED else "arm/elbow"}</param></target>'
        "<technique_common><math><apply><plus/><cn>1</cn><cn>2</cn></apply></math></technique_common></formula>"
        for i in range(count)
    ]
    return robot(formulas=lines(formulas, style))


def collada_rigid_bodies(count: int, style: Style) -> str:
    bodies = [
        f'<rigid_body sid="{name("r", i, style)}"><technique_common>{DEFAULTS["hand_body"]}</technique_common></rigid_body>'
        for i in range(count)
    ]
    instances = [
        f'<instance_rigid_body body="{reference("r", i, style)}" target="#{reference("hand_node", i, style) if style is Style.UNRESOLVED else "hand_node"}"/>'
        for i in range(count)
    ]
    return robot(bodies=lines(bodies, style), instances=lines(instances, style))


def collada_axis_infos(count: int, style: Style) -> str:
    infos = [
        f'<axis_info sid="{name("a", i, style)}" axis="arm/{reference("elbow", i, style) if style is Style.UNRESOLVED else "elbow"}/axis0"/>'
        for i in range(count)
    ]
    return robot(axis_infos=lines(infos, style))


def collada_parameters(count: int, style: Style) -> str:
    parameters = [
        f'<newparam sid="{name("p", i, style)}"><SIDREF>{reference("p", i + 1, style)}</SIDREF></newparam>'
        for i in range(count)
    ]
    return robot(parameters=lines(parameters, style), value="<param>p0</param>")


def collada_animations(count: int, style: Style) -> str:
    animations = [
        f'<animation id="{name("a", i, style)}"><channel source="#{reference("s", i, style)}" target="hand_node/turn"/></animation>'
        for i in range(count)
    ]
    return document(f"<library_animations>{lines(animations, style)}</library_animations>")


# USDF


def usdf_links(count: int, style: Style) -> str:
    links = [f'<link_state name="{name("l", i, style)}"><pose>0 0 {i} 0 0 0</pose></link_state>' for i in range(count)]
    return f'<world_state name="w"><time_stamp>0 0</time_stamp><model_state name="m">{lines(links, style)}</model_state></world_state>'


def usdf_frames(count: int, style: Style) -> str:
    frames = [
        f'<frame name="{name("f", i, style)}" parent="{reference("f", i - 1, style) if i else "world"}"><pose>0 0 1 0 0 0</pose></frame>'
        for i in range(count)
    ]
    return f'<world_state name="w">{lines(frames, style)}</world_state>'


def usdf_models(count: int, style: Style) -> str:
    models = [f'<model_state name="{name("m", i, style)}"><o:x/></model_state>' for i in range(count)]
    return f'<world_state name="w" xmlns:o="x">{lines(models, style)}</world_state>'


# Calibrations


def calibration_links(count: int, style: Style) -> str:
    links = [f"{{link: m/{reference('l', i, style)}, position: [0, 0, {i}]}}" for i in range(count)]
    joints = [f"{{joint: m/{reference('j', i, style)}, offset: 0.1}}" for i in range(count)]
    return f"ossature-calibration: 1\nlinks: {flow(links, style)}\njoints: {flow(joints, style)}\n"


# MJCF


def mjcf(world: str, rest: str = "") -> str:
    return f"<mujoco>{rest}<worldbody>{world}</worldbody></mujoco>"


def mjcf_body(number: int, style: Style) -> str:
    return f'<body name="{name("b", number, style)}"><joint name="{name("j", number, style)}"/><geom size="0.1"/></body>'


def mjcf_geoms(count: int, style: Style) -> str:
    parts = [
        f'<geom name="{name("g", i, style)}" size="0.1" pos="{i} 0 0" material="{reference("m", 0, style)}"/>'
        for i in range(count)
    ]
    return mjcf(lines(parts, style), f'<asset><material name="{name("m", 0, style)}"/></asset>')


def mjcf_joints(count: int, style: Style) -> str:
    return mjcf(lines([mjcf_body(i, style) for i in range(count)], style))


def mjcf_sites(count: int, style: Style) -> str:
    default = f'<default><default class="{name("c", 0, style)}"/></default>'
    parts = [f'<site name="{name("p", i, style)}" class="{reference("c", 0, style)}"/>' for i in range(count)]
    return mjcf(lines(parts, style), default)


def mjcf_frames(count: int, style: Style) -> str:
    return mjcf(lines([f'<frame name="{name("f", i, style)}" pos="0 0 {i}"/>' for i in range(count)], style))


def mjcf_sensors(count: int, style: Style) -> str:
    parts = [
        f'<framepos name="{name("s", i, style)}" objtype="site" objname="{reference("p", 0, style)}"/>' for i in range(count)
    ]
    return mjcf(f'<site name="{name("p", 0, style)}"/>', f"<sensor>{lines(parts, style)}</sensor>")


def mjcf_actuators(count: int, style: Style) -> str:
    parts = [f'<motor name="{name("a", i, style)}" joint="{reference("j", 0, style)}"/>' for i in range(count)]
    return mjcf(mjcf_body(0, style), f"<actuator>{lines(parts, style)}</actuator>")


def mjcf_tendons(count: int, style: Style) -> str:
    parts = [
        f'<fixed name="{name("t", i, style)}"><joint joint="{reference("j", 0, style)}" coef="1"/></fixed>'
        for i in range(count)
    ]
    return mjcf(mjcf_body(0, style), f"<tendon>{lines(parts, style)}</tendon>")


def mjcf_equalities(count: int, style: Style) -> str:
    parts = [f'<joint name="{name("e", i, style)}" joint1="{reference("j", 0, style)}"/>' for i in range(count)]
    return mjcf(mjcf_body(0, style), f"<equality>{lines(parts, style)}</equality>")


def mjcf_materials(count: int, style: Style) -> str:
    parts = [f'<material name="{name("m", i, style)}" texture="{reference("t", 0, style)}"/>' for i in range(count)]
    texture = f'<texture name="{name("t", 0, style)}" type="2d" builtin="flat" width="1" height="1"/>'
    return mjcf("", f"<asset>{texture}{lines(parts, style)}</asset>")


def mjcf_classes(count: int, style: Style) -> str:
    parts = [f'<default class="{name("c", i, style)}"/>' for i in range(count)]
    return mjcf(f'<geom class="{reference("c", 0, style)}" size="1"/>', f"<default>{lines(parts, style)}</default>")


def mjcf_includes(count: int, style: Style) -> str:
    return mjcf(lines([f'<include file="{reference("part", i, style)}.xml"/>' for i in range(count)], style))


# SDFormat


def sdf(content: str) -> str:
    return f'<sdf version="1.9">{content}</sdf>'


def sdf_links(count: int, style: Style) -> str:
    parts = []
    for i in range(count):
        parts.append(f'<link name="{name("l", i, style)}"><pose>0 0 {i} 0 0 0</pose></link>')
        parts.append(
            f'<joint name="{name("j", i, style)}" type="revolute"><parent>{reference("l", i - 1, style) if i else "world"}</parent>'
            f"<child>{reference('l', i, style)}</child><axis><xyz>0 0 1</xyz></axis></joint>"
        )
    return sdf(f'<model name="m">{lines(parts, style)}</model>')


def sdf_joints(count: int, style: Style) -> str:
    """A star: each link turns about the first one."""
    parts = ['<link name="root"/>', *(f'<link name="{name("l", i, style)}"/>' for i in range(count))]
    parts += [
        f'<joint name="{name("j", i, style)}" type="revolute"><parent>root</parent><child>{reference("l", i, style)}</child>'
        f"<axis><xyz>0 0 1</xyz></axis></joint>"
        for i in range(count)
    ]
    return sdf(f'<model name="m">{lines(parts, style)}</model>')


def sdf_frames(count: int, style: Style) -> str:
    """A chain: each frame is relative to the one before."""
    parts = [
        f'<frame name="{name("f", i, style)}" attached_to="{reference("f", i - 1, style) if i else "l"}">'
        f'<pose relative_to="{reference("f", i - 1, style) if i else "l"}">0 0 1 0 0 0</pose></frame>'
        for i in range(count)
    ]
    return sdf(f'<model name="m"><link name="l"/>{lines(parts, style)}</model>')


def sdf_shapes(count: int, style: Style) -> str:
    shape = "<geometry><box><size>1 1 1</size></box></geometry>"
    parts = [
        f'<{kind} name="{name(kind[0], i, style)}"><pose relative_to="{reference("f", 0, style)}"/>{shape}</{kind}>'
        for i in range(count)
        for kind in ("visual", "collision")
    ]
    return sdf(f'<model name="m"><frame name="{name("f", 0, style)}"/><link name="l">{lines(parts, style)}</link></model>')


def sdf_sensors(count: int, style: Style) -> str:
    parts = [
        f'<sensor name="{name("s", i, style)}" type="imu"><pose relative_to="{reference("l", 0, style)}"/></sensor>'
        for i in range(count)
    ]
    return sdf(f'<model name="m"><link name="{name("l", 0, style)}">{lines(parts, style)}</link></model>')


def sdf_models(count: int, style: Style) -> str:
    parts = [
        f'<model name="{name("m", i, style)}"><pose relative_to="{reference("m", 0, style) if i else ""}">1 0 0 0 0 0</pose><link name="l"/></model>'
        for i in range(count)
    ]
    return sdf(f'<world name="w">{lines(parts, style)}</world>')


def sdf_nested_models(count: int, style: Style) -> str:
    parts = [f'<model name="{name("m", i, style)}"><link name="l"/></model>' for i in range(count)]
    parts += [
        f'<joint name="{name("j", i, style)}" type="fixed"><parent>base</parent><child>{reference("m", i, style)}::l</child></joint>'
        for i in range(count)
    ]
    return sdf(f'<model name="outer"><link name="base"/>{lines(parts, style)}</model>')


def sdf_includes(count: int, style: Style) -> str:
    parts = [
        f"<include><uri>model://{reference('part', i, style)}</uri><name>{name('p', i, style)}</name></include>"
        for i in range(count)
    ]
    return sdf(f'<world name="w">{lines(parts, style)}</world>')


KINDS: dict[str, Kind] = {
    "SKEL bodies": Kind(suffix=".skel", text=skel_bodies),
    "SKEL chain": Kind(suffix=".skel", text=skel_chain),
    "SKEL skeletons": Kind(suffix=".skel", text=skel_skeletons),
    "SKEL shapes": Kind(suffix=".skel", text=skel_shapes),
    "SKEL unknown elements": Kind(suffix=".skel", text=skel_unknown),
    "SKEL attributes": Kind(suffix=".skel", text=skel_attributes),
    "SKEL text between elements": Kind(suffix=".skel", text=skel_mixed_text),
    "URDF links": Kind(suffix=".urdf", text=urdf_links),
    "URDF links without inertia": Kind(suffix=".urdf", text=urdf_empty_links),
    "URDF joints of one link": Kind(suffix=".urdf", text=urdf_star),
    "URDF materials": Kind(suffix=".urdf", text=urdf_materials),
    "URDF extensions": Kind(suffix=".urdf", text=urdf_extensions),
    "Chrono bodies and joints": Kind(suffix=".yaml", text=chrono_bodies),
    "Chrono springs": Kind(suffix=".yaml", text=chrono_springs),
    "Chrono unknown keys": Kind(suffix=".yaml", text=chrono_keys),
    "COLLADA nodes": Kind(suffix=".dae", text=collada_nodes),
    "COLLADA instances of a geometry": Kind(suffix=".dae", text=collada_instances),
    "COLLADA groups of faces": Kind(suffix=".dae", text=collada_groups),
    "COLLADA joints": Kind(suffix=".dae", text=collada_joints),
    "COLLADA formulas": Kind(suffix=".dae", text=collada_formulas),
    "COLLADA rigid bodies": Kind(suffix=".dae", text=collada_rigid_bodies),
    "COLLADA axis infos": Kind(suffix=".dae", text=collada_axis_infos),
    "COLLADA parameters": Kind(suffix=".dae", text=collada_parameters),
    "COLLADA animations": Kind(suffix=".dae", text=collada_animations),
    "MJCF geoms": Kind(suffix=".xml", text=mjcf_geoms),
    "MJCF bodies with a joint": Kind(suffix=".xml", text=mjcf_joints),
    "MJCF sites": Kind(suffix=".xml", text=mjcf_sites),
    "MJCF frames": Kind(suffix=".xml", text=mjcf_frames),
    "MJCF sensors": Kind(suffix=".xml", text=mjcf_sensors),
    "MJCF actuators": Kind(suffix=".xml", text=mjcf_actuators),
    "MJCF tendons": Kind(suffix=".xml", text=mjcf_tendons),
    "MJCF equalities": Kind(suffix=".xml", text=mjcf_equalities),
    "MJCF materials": Kind(suffix=".xml", text=mjcf_materials),
    "MJCF default classes": Kind(suffix=".xml", text=mjcf_classes),
    "MJCF includes": Kind(suffix=".xml", text=mjcf_includes),
    "SDFormat chain": Kind(suffix=".sdf", text=sdf_links),
    "SDFormat joints of one link": Kind(suffix=".sdf", text=sdf_joints),
    "SDFormat chain of frames": Kind(suffix=".sdf", text=sdf_frames),
    "SDFormat shapes": Kind(suffix=".sdf", text=sdf_shapes),
    "SDFormat sensors": Kind(suffix=".sdf", text=sdf_sensors),
    "SDFormat models": Kind(suffix=".sdf", text=sdf_models),
    "SDFormat nested models": Kind(suffix=".sdf", text=sdf_nested_models),
    "SDFormat includes": Kind(suffix=".sdf", text=sdf_includes),
    "USDF links": Kind(suffix=".usdf", text=usdf_links),
    "USDF frames": Kind(suffix=".usdf", text=usdf_frames),
    "USDF models": Kind(suffix=".usdf", text=usdf_models),
    "calibration": Kind(suffix=".calibration", text=calibration_links),
}


IN_SQUARE_FOR_MUJOCO = ("MJCF bodies with a joint", "MJCF default classes")
"""Kinds of which MuJoCo's own parser takes most of the time, in proportion to the square of the number of elements."""


def read_generated(kind: Kind, data: bytes, most: int) -> bool:
    """Read a file of a kind, and the triangles in it; what it holds does not matter.

    Args:
        kind: The kind.
        data: The file.
        most: The limits of elements, findings and expansions, raised so that all of the file is read; MJCF keeps its limit of
            expansions, which bounds the time that MuJoCo itself takes.

    Returns:
        Whether the file was read, rather than refused above this limit.
    """
    from pathlib import Path

    from ossature.diagnostics import Limits, OssatureError, Report, Source
    from ossature.formats import REGISTRY, Content, ReadContext
    from ossature.formats.calibration.read import parse_calibration
    from ossature.formats.mjcf.rules import TOO_LARGE
    from ossature.formats.usdf import read_usdf
    from ossature.model import TriangleMesh

    expansions = Limits().expansions if kind.suffix == ".xml" else most
    report = Report(limits=Limits(elements=most, findings=most, expansions=expansions))
    source = Source(f"generated{kind.suffix}", data)
    if kind.suffix == ".usdf":
        read_usdf(source, report)
        return True
    if kind.suffix == ".calibration":
        parse_calibration(source, report)
        return True
    known = REGISTRY.find(Path(source.name), contents=(Content.WORLD,))
    assert known is not None
    assert known.read is not None
    world = known.read(ReadContext(source=source, report=report)).world
    for model in world.models if world is not None else ():
        for body in model.bodies:
            for shape in (*body.visuals, *body.collisions):
                if isinstance(shape.geometry, TriangleMesh):
                    try:
                        assert shape.geometry.surface.triangles is not None
                    except OssatureError:
                        continue
    for finding in list(report)[:2000]:
        str(finding)
    return all(finding.rule is not TOO_LARGE for finding in report)
