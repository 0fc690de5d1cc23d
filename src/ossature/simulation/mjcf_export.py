"""Exports a World as MJCF, from the model that is compiled for simulation.

MuJoCo's own writer has six digits, which changes the dynamics; this one is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Ledger, Report
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.formats.passes.embed_meshes import record_lost_visuals
from ossature.model import Actuation, World
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.bodies import CompileOptions
from ossature.simulation.compile.compile_world import compile_world
from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.engine_spec import (
    EngineSpec,
    SpecActuator,
    SpecBody,
    SpecCompiler,
    SpecEquality,
    SpecExclude,
    SpecGeom,
    SpecJoint,
    SpecMesh,
    SpecOption,
    SpecTendon,
)
from ossature.simulation.compile.inertia import export_inertia
from ossature.simulation.compile.integrator_choice import apply_scheme
from ossature.simulation.mjcf_export_ledger import record_losses
from ossature.spatial import IDENTITY_WXYZ, ZERO3, Pose, pose_from
from ossature.syntax import xml
from ossature.syntax.number_arrays import text_of
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_GEOM_TYPES = {
    mujoco.mjtGeom.mjGEOM_PLANE: ("plane", 3),
    mujoco.mjtGeom.mjGEOM_SPHERE: ("sphere", 1),
    mujoco.mjtGeom.mjGEOM_CAPSULE: ("capsule", 2),
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: ("ellipsoid", 3),
    mujoco.mjtGeom.mjGEOM_CYLINDER: ("cylinder", 2),
    mujoco.mjtGeom.mjGEOM_BOX: ("box", 3),
    mujoco.mjtGeom.mjGEOM_MESH: ("mesh", 0),
}
_JOINT_TYPES = {
    mujoco.mjtJoint.mjJNT_HINGE: "hinge",
    mujoco.mjtJoint.mjJNT_SLIDE: "slide",
    mujoco.mjtJoint.mjJNT_BALL: "ball",
}
_INTEGRATORS = {
    mujoco.mjtIntegrator.mjINT_DISCRETE: "discrete",
    mujoco.mjtIntegrator.mjINT_IMPLICITFAST: "implicitfast",
    mujoco.mjtIntegrator.mjINT_EULER: "Euler",
}
_CONES = {mujoco.mjtCone.mjCONE_ELLIPTIC: "elliptic", mujoco.mjtCone.mjCONE_PYRAMIDAL: "pyramidal"}
_FLAGS = {
    mujoco.mjtDisableBit.mjDSBL_AUTORESET: "autoreset",
    mujoco.mjtDisableBit.mjDSBL_ISLAND: "island",
    mujoco.mjtDisableBit.mjDSBL_CONTACT: "contact",
    mujoco.mjtDisableBit.mjDSBL_FILTERPARENT: "filterparent",
    mujoco.mjtDisableBit.mjDSBL_EULERDAMP: "eulerdamp",
}


def write(world: World, context: WriteContext) -> WrittenFiles:
    """Return a World as an MJCF file; see :func:`write_mjcf`."""
    return context.main_file(write_mjcf(world, context.ledger, meshes=context.meshes, report=context.report))


def write_mjcf(world: World, ledger: Ledger, *, meshes: MeshStore, report: Report) -> str:
    """Return a World as the text of an MJCF file with the dynamics of the compiled model.

    Meshes are embedded. The initial state is the keyframe ``initial``; force-controlled joints get a motor with the name of
    the joint.

    Args:
        ledger: Receives what MJCF cannot represent, or represents differently.
        report: Receives findings of the compilation.

    Raises:
        SimulationError: The World cannot be compiled for the engine.
    """
    options = CompileOptions(time_step=world.time_step, with_visuals=True)
    compiled = compile_world(world, meshes, options, report)
    record_losses(world, compiled, ledger)
    record_lost_visuals(world, meshes, ledger)
    spec = _exported_spec(compiled)
    root = element("mujoco", {"model": xml.printable(world.name)})
    root.children = [
        _compiler_node(spec.compiler),
        _option_node(spec.option),
        *_section_nodes("default", _contact_defaults(spec)),
        *_section_nodes("asset", map(_mesh_node, spec.meshes)),
        _worldbody_node(compiled, world),
        *_section_nodes("contact", map(_exclude_node, spec.excludes)),
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
    apply_scheme(compiled.choice.scheme, spec)
    spec.option.disableflags = int(compiled.model.opt.disableflags)
    return spec


def _section_nodes(tag: str, children: Iterable[XmlNode]) -> list[XmlNode]:
    section = element(tag)
    section.children = list(children)
    return [section] if section.children else []


def _numbers_text(values: Iterable[float]) -> str:
    return " ".join(format_number(float(value)) for value in values)


def _compiler_node(compiler: SpecCompiler) -> XmlNode:
    balanced = {"balanceinertia": "true"} if compiler.balanceinertia else {}
    return element("compiler", {"angle": "radian", "autolimits": "true", **balanced})


def _option_node(option: SpecOption) -> XmlNode:
    node = element(
        "option",
        {
            "timestep": format_number(option.timestep),
            "gravity": _numbers_text(option.gravity),
            "integrator": _INTEGRATORS[option.integrator],
            "tolerance": format_number(option.tolerance),
            "cone": _CONES[option.cone],
        },
    )
    flags = {name: "disable" for bit, name in _FLAGS.items() if option.disableflags & int(bit)}
    node.children = [element("flag", flags)]
    return node


def _contact_defaults(spec: EngineSpec) -> list[XmlNode]:
    """Return the contact settings that all shapes have in common."""
    first = next(iter(spec.geoms), None)
    return (
        []
        if first is None
        else [element("geom", {"solref": _numbers_text(first.solref), "solimp": _numbers_text(first.solimp)})]
    )


def _mesh_node(mesh: SpecMesh) -> XmlNode:
    inertia = "shell" if mesh.inertia == mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL else "convex"
    attributes = {"name": mesh.name, "inertia": inertia, "vertex": text_of(np.asarray(mesh.uservert))}
    if len(mesh.userface):
        attributes["face"] = text_of(np.asarray(mesh.userface))
    return element("mesh", attributes)


def _worldbody_node(compiled: EngineModel, world: World) -> XmlNode:
    frames = _frames(compiled, world)
    root = element("worldbody")
    pending: list[tuple[SpecBody, XmlNode]] = [(compiled.spec.worldbody, root)]
    while pending:
        body, node = pending.pop()
        node.children.extend(_geom_node(geom) for geom in body.geoms)
        node.children.extend(_site_node(name, pose) for name, pose in frames.get(body.id, ()))
        node.children.extend(_site_node(site.name, pose_from(site.pos, site.quat)) for site in body.sites)
        for inner in body.bodies:
            child = _body_node(inner)
            node.children.append(child)
            pending.append((inner, child))
    return root


def _frames(compiled: EngineModel, world: World) -> dict[int, list[tuple[str, Pose]]]:
    """Return names and poses of the frames of each engine body; a name that is not unique gets its body's name as prefix."""
    owners = [(model, body) for model in world.models for body in model.bodies if body.frames]
    counts = Counter(frame.name for _, body in owners for frame in body.frames)
    result = {}
    for model, body in owners:
        number = compiled.index.bodies[model.name][body.name].number
        prefix = compiled.model.body(number).name
        result[number] = [
            (frame.name if counts[frame.name] == 1 else f"{prefix}/{frame.name}", frame.pose) for frame in body.frames
        ]
    return result


def _site_node(name: str, pose: Pose) -> XmlNode:
    return element("site", {"name": xml.printable(name), **_pose_attributes(pose.position, pose.wxyz)})


def _pose_attributes(position: Iterable[float], wxyz: Iterable[float]) -> dict[str, str]:
    position, wxyz = tuple(position), tuple(wxyz)
    attributes = {}
    if position != ZERO3:
        attributes["pos"] = _numbers_text(position)
    if wxyz != IDENTITY_WXYZ:
        attributes["quat"] = _numbers_text(wxyz)
    return attributes


def _body_node(body: SpecBody) -> XmlNode:
    node = element("body", {"name": xml.printable(body.name), **_pose_attributes(body.pos, body.quat)})
    if body.gravcomp:
        node.attributes["gravcomp"] = format_number(body.gravcomp)
    if body.explicitinertial:
        node.children.append(_inertial_node(body))
    node.children.extend(_joint_node(joint) for joint in body.joints)
    return node


def _inertial_node(body: SpecBody) -> XmlNode:
    attributes = {"pos": _numbers_text(body.ipos or ZERO3), "mass": format_number(body.mass)}
    attributes["diaginertia"] = _numbers_text(body.inertia)
    if tuple(body.iquat) != IDENTITY_WXYZ:
        attributes["quat"] = _numbers_text(body.iquat)
    return element("inertial", attributes)


def _joint_node(joint: SpecJoint) -> XmlNode:
    if joint.type == mujoco.mjtJoint.mjJNT_FREE:
        return element("freejoint", {"name": joint.name} if joint.name else {})
    attributes = {"name": xml.printable(joint.name), "type": _JOINT_TYPES[joint.type]}
    if any(joint.pos):
        attributes["pos"] = _numbers_text(joint.pos)
    if joint.type != mujoco.mjtJoint.mjJNT_BALL:
        attributes["axis"] = _numbers_text(joint.axis)
    for name, value in (
        ("stiffness", joint.stiffness[0]),
        ("springref", joint.springref),
        ("damping", joint.damping[0]),
        ("frictionloss", joint.frictionloss),
    ):
        if value:
            attributes[name] = format_number(value)
    if joint.frictionloss:
        attributes |= _friction_settings(joint)
    if joint.limited == mujoco.mjtLimited.mjLIMITED_TRUE:
        attributes |= {
            "limited": "true",
            "range": _numbers_text(joint.range),
            "solreflimit": _numbers_text(joint.solref_limit),
            "solimplimit": _numbers_text(joint.solimp_limit),
        }
    return element("joint", attributes)


def _friction_settings(joint_or_tendon: SpecJoint | SpecTendon) -> dict[str, str]:
    return {
        "solreffriction": _numbers_text(joint_or_tendon.solref_friction),
        "solimpfriction": _numbers_text(joint_or_tendon.solimp_friction),
    }


def _geom_node(geom: SpecGeom) -> XmlNode:
    name, sizes = _GEOM_TYPES[geom.type]
    attributes = {"type": name, **_pose_attributes(geom.pos, geom.quat)}
    if sizes:
        attributes["size"] = _numbers_text(geom.size[:sizes])
    else:
        attributes["mesh"] = geom.meshname
    attributes |= {"contype": str(geom.contype), "conaffinity": str(geom.conaffinity)}
    if geom.priority:
        attributes |= {"friction": _numbers_text(geom.friction), "priority": str(geom.priority)}
    if geom.margin:
        attributes["margin"] = format_number(geom.margin)
    if geom.group:
        attributes |= {"group": str(geom.group), "mass": "0", "rgba": _numbers_text(geom.rgba)}
    return element("geom", attributes)


def _exclude_node(pair: SpecExclude) -> XmlNode:
    return element("exclude", {"body1": pair.bodyname1, "body2": pair.bodyname2})


def _equality_node(equality: SpecEquality) -> XmlNode:
    settings = {"solref": _numbers_text(equality.solref), "solimp": _numbers_text(equality.solimp)}
    if equality.type == mujoco.mjtEq.mjEQ_JOINT:
        attributes = {"joint1": equality.name1, "polycoef": _numbers_text(equality.data[:5])}
        if equality.name2:
            attributes["joint2"] = equality.name2
        return element("joint", attributes | settings)
    if equality.type == mujoco.mjtEq.mjEQ_TENDON:
        attributes = {"tendon1": xml.printable(equality.name1)}
        if any(equality.data[:5]):
            attributes["polycoef"] = _numbers_text(equality.data[:5])
        return element("tendon", attributes | settings)
    attributes = {"body1": equality.name1, "body2": equality.name2}
    if equality.type == mujoco.mjtEq.mjEQ_CONNECT:
        return element("connect", attributes | {"anchor": _numbers_text(equality.data[:3])} | settings)
    if any(equality.data[:6]) or tuple(equality.data[6:10]) != IDENTITY_WXYZ:
        attributes |= {"anchor": _numbers_text(equality.data[:3]), "relpose": _numbers_text(equality.data[3:10])}
    return element("weld", attributes | settings)


def _tendon_node(tendon: SpecTendon) -> XmlNode:
    if tendon.path[0].type == mujoco.mjtWrap.mjWRAP_JOINT:
        return _fixed_tendon_node(tendon)
    node = element("spatial", {"name": xml.printable(tendon.name)})
    node.children = [element("site", {"site": wrap.target}) for wrap in tendon.path]
    return node


_TRANSMISSIONS = {
    mujoco.mjtTrn.mjTRN_JOINT: "joint",
    mujoco.mjtTrn.mjTRN_TENDON: "tendon",
    mujoco.mjtTrn.mjTRN_SITE: "site",
}


def _written_actuators(compiled: EngineModel) -> list[SpecActuator]:
    """Return the actuators to write: of an electric motor only the voltage-controlled one, if it has one."""
    unneeded = {built.torque.name for built in compiled.elements.electric if built.voltage is not None}
    return [actuator for actuator in compiled.spec.actuators if actuator.name not in unneeded]


def _actuator_node(actuator: SpecActuator) -> XmlNode:
    attributes = {"name": xml.printable(actuator.name), _TRANSMISSIONS[actuator.trntype]: actuator.target}
    if actuator.refsite:
        attributes["refsite"] = actuator.refsite
    attributes |= {"gear": _numbers_text(actuator.gear)}
    if actuator.armature:
        attributes["armature"] = format_number(actuator.armature)
    if actuator.gaintype == mujoco.mjtGain.mjGAIN_DCMOTOR:
        kinds = {
            "dyntype": "dcmotor",
            "gaintype": "dcmotor",
            "biastype": "dcmotor",
            "dynprm": "0",
            "actearly": "true",
            "input": "voltage",
        }
        return element("general", attributes | kinds | {"gainprm": _numbers_text(actuator.gainprm[:2])})
    attributes["gainprm"] = _numbers_text(actuator.gainprm[:1])
    if actuator.biastype == mujoco.mjtBias.mjBIAS_AFFINE:
        attributes |= {"biastype": "affine", "biasprm": _numbers_text(actuator.biasprm[:3])}
    return element("general", attributes)


def _fixed_tendon_node(tendon: SpecTendon) -> XmlNode:
    """Return a fixed tendon: a linear combination of joints, for friction or a coupling."""
    attributes = {"name": xml.printable(tendon.name)}
    if tendon.frictionloss:
        attributes |= {"frictionloss": format_number(tendon.frictionloss)} | _friction_settings(tendon)
    node = element("fixed", attributes)
    node.children = [element("joint", {"joint": wrap.target, "coef": format_number(wrap.coef)}) for wrap in tendon.path]
    return node


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
                    attributes["ctrlrange"] = _numbers_text((lower, upper))
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
            attributes[name] = _numbers_text(values)
    node.children = [element("key", attributes)]
    return node
