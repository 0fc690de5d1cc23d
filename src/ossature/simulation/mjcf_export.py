"""Exports a World as MJCF, from the model that is compiled for simulation.

MuJoCo's own writer has six digits, which changes the dynamics; this one is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Ledger, Report
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.passes.embed_meshes import record_lost_visuals
from ossature.model import Actuation, World
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.compile_context import CompileOptions
from ossature.simulation.compile.compile_world import compile_world
from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.engine_spec import (
    EngineSpec,
    SpecActuator,
    SpecBody,
    SpecCompiler,
    SpecElement,
    SpecEquality,
    SpecOption,
    SpecSite,
    SpecTendon,
    differing_attributes,
)
from ossature.simulation.compile.inertia import export_inertia
from ossature.simulation.compile.integrator_options import apply_integrator
from ossature.simulation.mjcf_export_ledger import record_losses
from ossature.spatial import IDENTITY_WXYZ, ZERO3
from ossature.syntax import xml
from ossature.syntax.number_arrays import text_of
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_NAMES = {
    "bodyname1": "body1",
    "bodyname2": "body2",
    "meshname": "mesh",
    "solimp_friction": "solimpfriction",
    "solimp_limit": "solimplimit",
    "solref_friction": "solreffriction",
    "solref_limit": "solreflimit",
    "uservert": "vertex",
    "userface": "face",
}
"""Names of attributes in MJCF that differ from those of the specification."""
_CONTACT = ("solref", "solimp")
_DISABLED = [getattr(mujoco.mjtDisableBit, name) for name in dir(mujoco.mjtDisableBit) if name.startswith("mjDSBL")]


def write(world: World, context: WriteContext) -> WrittenFiles:
    """Return a World as an MJCF file; see :func:`write_mjcf`."""
    return context.main_file(write_mjcf(world, context.ledger, meshes=context.meshes, report=context.report))


def write_mjcf(world: World, ledger: Ledger, *, meshes: MeshStore, report: Report) -> str:
    """Return a World as the text of an MJCF file with the dynamics of the compiled model.

    Meshes are embedded. The initial state is the keyframe ``initial``; force-controlled joints get a motor with the name of
    the joint.

    Args:
        ledger: Receives what MJCF cannot represent, or represents differently.

    Raises:
        SimulationError: The World cannot be compiled for the engine.
    """
    compiled = compile_world(world, meshes, CompileOptions(time_step=world.time_step, with_visuals=True), report)
    record_losses(world, compiled, ledger)
    record_lost_visuals(world, meshes, ledger)
    spec = _exported_spec(compiled)
    root = element("mujoco", {"model": xml.printable(world.name)})
    root.children = [
        element("compiler", {"angle": "radian", **_attributes(spec.compiler, "degree"), "autolimits": "true"}),
        _option_node(spec.option),
        *_section_nodes("default", _contact_defaults(spec)),
        *_section_nodes("asset", [element("mesh", _attributes(mesh)) for mesh in spec.meshes]),
        _worldbody_node(compiled, world),
        *_section_nodes("contact", [element("exclude", _attributes(pair)) for pair in spec.excludes]),
        *_section_nodes("equality", map(_equality_node, spec.equalities)),
        *_section_nodes("tendon", map(_tendon_node, spec.tendons)),
        *_section_nodes("actuator", [*_electric_motor_nodes(compiled), *map(_actuator_node, _written_actuators(compiled))]),
        _keyframe_node(compiled),
    ]
    return xml.serialize(root)


def _exported_spec(compiled: EngineModel) -> EngineSpec:
    """Return the specification with the inertias of the World, as far as MuJoCo's compiler accepts them, and the integrator."""
    spec = compiled.spec
    balanced = [export_inertia(substituted) for substituted in compiled.substituted]
    spec.compiler.balanceinertia = any(balanced)
    apply_integrator(compiled.choice.integrator, spec)
    spec.option.disableflags = int(compiled.model.opt.disableflags)
    return spec


def _section_nodes(tag: str, children: Iterable[XmlNode]) -> list[XmlNode]:
    section = element(tag)
    section.children = list(children)
    return [section] if section.children else []


def _attributes(element: SpecElement | SpecOption | SpecCompiler, *omitted: str) -> dict[str, str]:
    """Return the attributes of an element that differ from the engine's default values, except for those that are omitted."""
    return {
        _NAMES.get(name, name): _value_text(value)
        for name, value in differing_attributes(element).items()
        if name not in omitted
    }


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return xml.printable(value)
    if isinstance(value, np.ndarray):
        return text_of(value)
    if hasattr(value, "name"):
        return _word(value)
    return numbers_text([value] if isinstance(value, int | float) else value)


def _word(constant: Any) -> str:
    """Return the word of MJCF for a constant of the engine: ``mjGEOM_BOX`` is ``box``."""
    word: str = constant.name.rpartition("_")[2].lower()
    return "Euler" if word == "euler" else word


def _option_node(option: SpecOption) -> XmlNode:
    node = element("option", _attributes(option, "disableflags", "disableactuator"))
    node.children = [element("flag", {_word(bit): "disable" for bit in _DISABLED if option.disableflags & int(bit)})]
    return node


def _contact_defaults(spec: EngineSpec) -> list[XmlNode]:
    """Return the contact settings that all shapes have in common."""
    return [element("geom", {name: numbers_text(getattr(geom, name)) for name in _CONTACT}) for geom in spec.geoms[:1]]


def _worldbody_node(compiled: EngineModel, world: World) -> XmlNode:
    frames = _frames(compiled, world)
    root = element("worldbody")
    pending: list[tuple[SpecBody, XmlNode]] = [(compiled.spec.worldbody, root)]
    while pending:
        body, node = pending.pop()
        node.children.extend(element("geom", _attributes(geom, *_CONTACT)) for geom in body.geoms)
        node.children.extend(element("site", _attributes(site)) for site in [*frames.get(body.id, ()), *body.sites])
        for inner in body.bodies:
            child = _body_node(inner)
            node.children.append(child)
            pending.append((inner, child))
    return root


def _frames(compiled: EngineModel, world: World) -> dict[int, list[SpecSite]]:
    """Return the frames of each engine body as sites; a name that is not unique gets its body's name as prefix."""
    owners = [(model, body) for model in world.models for body in model.bodies if body.frames]
    counts = Counter(frame.name for _, body in owners for frame in body.frames)
    result = {}
    for model, body in owners:
        number = compiled.index.bodies[model.name][body.name].number
        prefix = compiled.model.body(number).name
        result[number] = [
            SpecSite(
                name=frame.name if counts[frame.name] == 1 else f"{prefix}/{frame.name}",
                pos=frame.pose.position,
                quat=frame.pose.wxyz,
            )
            for frame in body.frames
        ]
    return result


def _body_node(body: SpecBody) -> XmlNode:
    node = element("body", _attributes(body, "explicitinertial", "mass", "ipos", "iquat", "inertia"))
    if body.explicitinertial:
        attributes = {"pos": numbers_text(body.ipos or ZERO3), "mass": format_number(body.mass)}
        attributes["diaginertia"] = numbers_text(body.inertia)
        if tuple(body.iquat) != IDENTITY_WXYZ:
            attributes["quat"] = numbers_text(body.iquat)
        node.children.append(element("inertial", attributes))
    for joint in body.joints:
        is_free = joint.type == mujoco.mjtJoint.mjJNT_FREE
        node.children.append(element("freejoint" if is_free else "joint", _attributes(joint, *(["type"] if is_free else []))))
    return node


def _equality_node(equality: SpecEquality) -> XmlNode:
    settings = _attributes(equality, "type", "objtype", "name1", "name2", "data")
    data, kind = equality.data, _word(equality.type)
    if equality.type in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON):
        names = {f"{kind}1": equality.name1, f"{kind}2": equality.name2}
        settings["polycoef"] = numbers_text(data[:5])
    else:
        names = {"body1": equality.name1, "body2": equality.name2}
        settings["anchor"] = numbers_text(data[:3])
    # The weld of a drive keeps the initial pose, which MuJoCo computes if the file states none.
    if equality.type == mujoco.mjtEq.mjEQ_WELD and (any(data[:6]) or tuple(data[6:10]) != IDENTITY_WXYZ):
        settings["relpose"] = numbers_text(data[3:10])
    return element(kind, {name: xml.printable(value) for name, value in names.items() if value} | settings)


def _tendon_node(tendon: SpecTendon) -> XmlNode:
    if tendon.path[0].type == mujoco.mjtWrap.mjWRAP_JOINT:
        return _fixed_tendon_node(tendon)
    node = element("spatial", _attributes(tendon))
    node.children = [element("site", {"site": wrap.target}) for wrap in tendon.path]
    return node


def _fixed_tendon_node(tendon: SpecTendon) -> XmlNode:
    """Return a fixed tendon: a linear combination of joints, for friction or a coupling."""
    node = element("fixed", _attributes(tendon))
    node.children = [element("joint", {"joint": wrap.target, "coef": format_number(wrap.coef)}) for wrap in tendon.path]
    return node


def _written_actuators(compiled: EngineModel) -> list[SpecActuator]:
    """Return the actuators to write: of an electric motor only the voltage-controlled one, if it has one."""
    unneeded = {built.torque.name for built in compiled.elements.electric if built.voltage is not None}
    return [actuator for actuator in compiled.spec.actuators if actuator.name not in unneeded]


def _actuator_node(actuator: SpecActuator) -> XmlNode:
    attributes = {_word(actuator.trntype): actuator.target, **_attributes(actuator, "trntype", "target", "group")}
    if actuator.gaintype == mujoco.mjtGain.mjGAIN_DCMOTOR:
        attributes |= {"dyntype": "dcmotor", "dynprm": "0", "actearly": "true", "input": "voltage"}
    return element("general", attributes)


def _electric_motor_nodes(compiled: EngineModel) -> Iterable[XmlNode]:
    for joints in compiled.index.joints.values():
        for index in joints.values():
            if index.joint.actuation is not Actuation.FORCE or index.layout not in (JointLayout.SCALARS, JointLayout.SCREW):
                continue
            engine_joints = compiled.model.dof_jntid[index.coordinate_dofs].tolist()
            for engine_joint, coordinate in zip(engine_joints, index.joint.coordinates, strict=True):
                name = compiled.model.joint(engine_joint).name
                attributes = {"name": name, "joint": name}
                if coordinate.effort_limits.bounded:
                    lower, upper = max(coordinate.effort_limits.lower, -1e10), min(coordinate.effort_limits.upper, 1e10)
                    attributes["ctrlrange"] = numbers_text((lower, upper))
                yield element("motor", attributes)


def _initial_efforts(compiled: EngineModel) -> list[float]:
    return [
        coordinate.initial_effort
        for joints in compiled.index.joints.values()
        for index in joints.values()
        if index.joint.actuation is Actuation.FORCE and index.layout in (JointLayout.SCALARS, JointLayout.SCREW)
        for coordinate in index.joint.coordinates
    ] + [0.0] * len(_written_actuators(compiled))


def _keyframe_node(compiled: EngineModel) -> XmlNode:
    qpos = np.array(compiled.model.qpos0)
    qvel = np.zeros(compiled.model.nv)
    for joints in compiled.index.joints.values():
        for index in joints.values():
            write_positions(index, index.joint.initial_positions, qpos)
            write_velocities(index, index.joint.initial_velocities, qpos, qvel)
    node = element("keyframe")
    attributes = {"name": "initial"}
    for name, values in (("qpos", qpos), ("qvel", qvel), ("ctrl", _initial_efforts(compiled))):
        if len(values):
            attributes[name] = numbers_text(values)
    node.children = [element("key", attributes)]
    return node
