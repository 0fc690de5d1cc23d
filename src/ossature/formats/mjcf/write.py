"""Writer of MJCF: the elements of a World as nested bodies, with meshes in files beside the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ossature.diagnostics import Ledger
from ossature.diagnostics.ledger import Action
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.constraint_softness import (
    DEFAULT_TIME_CONSTANT_S,
    creep_per_acceleration,
    violation_per_acceleration,
)
from ossature.formats.mjcf.exclude_overlapping_links import exclude_overlapping_links
from ossature.formats.mjcf.passthrough import add_sections, content_nodes
from ossature.formats.mjcf.record_native_form_losses import account_native_form, record_model_pose
from ossature.formats.mjcf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.mjcf.write_actuators import ActuatorWriter
from ossature.formats.mjcf.write_body import BodyWriter
from ossature.formats.mjcf.write_contact_excludes import write_excludes
from ossature.formats.mjcf.write_context import EULER_SEQUENCES, MjcfDocument, MjcfNames, record_models, record_parts_of_bodies
from ossature.formats.mjcf.write_defaults import factor_defaults
from ossature.formats.mjcf.write_derived_equalities import (
    cloned_bodies,
    with_shared_inertia,
    write_constraints,
    write_couplings,
    write_grasps,
    write_loops,
)
from ossature.formats.mjcf.write_forces import write_forces
from ossature.formats.mjcf.write_general_actuator import write_general_actuator
from ossature.formats.mjcf.write_geom import MUJOCO_FRICTION, GeomWriter, contact_dimension, friction_of, written_frictions
from ossature.formats.mjcf.write_keyframe import write_keyframe
from ossature.formats.mjcf.write_meshes import MESH_FOLDER, MeshAssets, used_assets
from ossature.formats.mjcf.write_mujoco_hints import option_node
from ossature.formats.mjcf.write_sensors import write_sensors
from ossature.formats.mjcf.write_tendons_equalities_contact_pairs import write_tendons
from ossature.formats.passes.express_velocities_by_joints import express_velocities_by_joints
from ossature.kinematics import FormulaError, spanning_tree, world_with_initial_coupled_positions
from ossature.kinematics.initial_limit_violations import clamp_initial_positions
from ossature.model import (
    Actuation,
    DartStepping,
    Joint,
    Material,
    Mesh,
    Model,
    MujocoOption,
    Plane,
    TriangleMesh,
    Visual,
    World,
)
from ossature.model.program_hints import hint_of
from ossature.model.unsupported_fields import audit
from ossature.model.value_text import field_text, value_text
from ossature.model.world import STANDARD_GRAVITY
from ossature.spatial import ZERO3, EulerOrder, Pose
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode, comment, element
from ossature.syntax.xml_values import format_number

_MUJOCO_TIME_STEP = 0.002
_YIELD = f"by about {violation_per_acceleration(DEFAULT_TIME_CONSTANT_S):.2g} s² times the acceleration without limits"
_CREEP = f"at about {creep_per_acceleration(DEFAULT_TIME_CONSTANT_S):.2g} s times the acceleration without friction"


def write(world: World, context: WriteContext) -> WrittenFiles:
    """Return an MJCF file of a World and the files of its meshes; see :func:`write_document`."""
    document, root = _write_root(world, context)
    exclude_overlapping_links(document, _text(root), context.side_files)
    return context.main_file(_text(root))


def write_document(world: World, context: WriteContext) -> tuple[MjcfDocument, WrittenFiles]:
    """Return a World as an MJCF document with the names of all elements, and as its file and those of its meshes.

    Args:
        context: The output file, the mesh store, and the ledger, which receives what MJCF represents differently, or not.

    Raises:
        OssatureError: Bodies are nested too deeply for MuJoCo.
    """
    document, root = _write_root(world, context)
    return document, context.main_file(_text(root))


def _write_root(world: World, context: WriteContext) -> tuple[MjcfDocument, XmlNode]:
    audit(world, SUPPORTED_FIELDS, context.ledger)
    if hint_of(world, MujocoOption) is None:
        world = replace(world, models=world.models.map(lambda model: model if model.static else clamp_initial_positions(model)))
    try:
        world = world_with_initial_coupled_positions(world)
    except FormulaError as error:
        context.ledger.dropped(f"{error.position.joint}.coordinates", str(error))
    world = express_velocities_by_joints(world, context)
    name = _document_name(world)
    document = MjcfDocument(
        world=world, context=context, names=MjcfNames(world, context.ledger), euler_order=_prevalent_euler_order(world)
    )
    extensions = content_nodes(world.extensions, "extensions", context.ledger)
    _reserve_mesh_names(document, extensions)
    bodies = BodyWriter(document, GeomWriter(document, MeshAssets(document), _friction_ranks(world)))
    actuators = ActuatorWriter(document, context.actuators)
    for model in world.models:
        _write_model(document, model, bodies, actuators)
    write_grasps(document)
    for model in world.models:
        extensions += content_nodes(model.extensions, f"{model.name}.extensions", context.ledger)
    shapes = [shape for model in world.models for body in model.bodies for shape in body.visuals]
    if not document.is_mjcf_world and any(isinstance(shape.geometry, Plane) for shape in shapes):
        document.worldbody.children.insert(0, element("light", {"pos": "0 0 3", "dir": "0 0 -1", "directional": "true"}))
        document.ledger.rewritten(f"{name}/light_0", "a light is added for the ground")
    keyframes = _keyframes(document)
    _record_mesh_files(document)
    record_parts_of_bodies(document)
    if document.is_mjcf_world:
        account_native_form(document, name)
    else:
        _stiffen_equalities(document)
        _record_form(document, name)
    assets = sorted(used_assets(document.assets, document.worldbody), key=lambda node: node.tag != "material")
    defaults = factor_defaults(document, name, bodies.roots)
    root = element("mujoco", {"model": name})
    if actuators.has_chosen_gains:
        document.actuators.insert(0, comment("No file states gains: these are for the inertia at the home position."))
    root.children = [
        _compiler(document),
        _option(document),
        _section("default", defaults),
        _section("asset", assets),
        document.worldbody,
        _section("contact", document.contacts),
        _section("tendon", document.tendons),
        _section("equality", document.equalities),
        _section("actuator", document.actuators),
        _section("sensor", document.sensors),
        _section("keyframe", keyframes),
    ]
    add_sections(root, extensions)
    return document, root


def _reserve_mesh_names(document: MjcfDocument, sections: Iterable[XmlNode]) -> None:
    """Keep the names of the meshes in sections of the document."""
    for section in sections:
        for node in section.children:
            if section.tag == "asset" and node.tag == "mesh":
                document.names.take("mesh", document.world.name, node.attributes["name"])


def _stiffen_equalities(document: MjcfDocument) -> None:
    """Give equalities, which are rigid in the World, the least time constant that is stable."""
    reference = numbers_text((document.equality_time_constant, 1.0))
    for node in document.equalities:
        node.attributes.setdefault("solref", reference)


def _record_mesh_files(document: MjcfDocument) -> None:
    dropped = {entry.path for entry in document.ledger if entry.action is Action.DROPPED}
    for model in document.world.models:
        for body in model.bodies:
            for kind in ("visuals", "collisions"):
                for number, shape in enumerate(getattr(body, kind)):
                    path = f"{model.name}/{body.name}.{kind}[{number}]"
                    if isinstance(shape.geometry, Mesh | TriangleMesh) and path not in dropped:
                        detail = f"the mesh is written to {MESH_FOLDER}/"
                        document.ledger.rewritten(f"{path}.geometry", detail, before=value_text(shape.geometry))


def _record_form(document: MjcfDocument, name: str) -> None:
    """Record what a file for MuJoCo states in another form than a World for other programs."""
    ledger, world = document.ledger, document.world
    ledger.rewritten("hints", "MuJoCo's options are stated")
    if world.name != name:
        ledger.rewritten("name", "the document has the name of the robot", before=world.name, after=name)
    record_models(ledger, list(world.models), name)
    for model in world.models:
        record_model_pose(ledger, model)
        ledger.rewritten(f"{model.name}/home", f"the initial state as a keyframe{_start_without_keyframe(document, model)}")
        for collection in ("bodies", "joints", "actuators"):
            ledger.rewritten(f"{model.name}.{collection} (order)", "the order of the tree")
        for node in (*document.equalities, *document.tendons, *(node for node in document.assets if node.tag == "material")):
            if node.attributes.get("name"):
                ledger.added(f"{model.name}/{node.attributes['name']}", f"a <{node.tag}> of the file")
        if model.ignored_pairs:
            ledger.rewritten(f"{model.name}.ignored_pairs", "without pairs that MuJoCo's filter ignores")
        if model.joined_bodies_collide:
            ledger.rewritten(f"{model.name}.joined_bodies_collide", "MuJoCo's filter of parents and children is disabled")
        for joint in model.joints:
            _record_softness(ledger, model, joint)
            if joint.degrees_of_freedom == 0 or joint.actuation is Actuation.LOCKED:
                ledger.rewritten(f"{model.name}/{joint.name}", "a body without joints is fixed to its parent")
        children = {joint.child for joint in model.joints}
        for body in model.bodies:
            path = f"{model.name}/{body.name}"
            for field in ("initial_velocity", "initial_angular_velocity_body"):
                if getattr(body, field) != ZERO3:
                    _record_velocity(ledger, f"{path}.{field}", field_text(body, field), has_joint=body.name in children)
            if body.inertial.mass == 0.0:
                ledger.rewritten(f"{path}.inertial.center_of_mass", "not used: the body has no mass")
            if not body.self_collide:
                ledger.rewritten(f"{path}.self_collide", "pairs of bodies that do not collide are excluded")
            for number, collision in enumerate(body.collisions):
                _record_unspecified_friction(ledger, f"{path}.collisions[{number}].material", collision.material)
            for kind in ("visuals", "collisions"):
                for number, shape in enumerate(getattr(body, kind)):
                    ledger.rewritten(f"{path}.{kind}[{number}].hints", "contact bits and groups as in MuJoCo's menagerie")
                    color = shape.color if isinstance(shape, Visual) else None
                    if color is not None and any(_as_single_precision(value) != value for value in color):
                        ledger.rewritten(f"{path}.{kind}[{number}].color", "in single precision")


def _as_single_precision(value: float) -> float:
    """Return the number of which the file's text is read into a single-precision number."""
    with np.errstate(over="ignore"):
        return float(str(np.float32(value)))


def _record_velocity(ledger: Ledger, path: str, before: str, *, has_joint: bool) -> None:
    if has_joint:
        ledger.dropped(path, "the keyframe home has the initial velocities of joints only", before=before)
    else:
        ledger.rewritten(path, "a value of the keyframe home", before=before)


def _record_unspecified_friction(ledger: Ledger, path: str, material: Material | None) -> None:
    """Record coefficients that MuJoCo has for each geom with friction; its contacts ignore them unless condim is above 3."""
    if material is None:
        return
    for field in ("friction", "torsional_friction", "rolling_friction"):
        if getattr(material, field) is None:
            ledger.rewritten(f"{path}.{field}", "a default, which MuJoCo states for each geom")
    frictions = written_frictions(material, is_mjcf_world=False, resists_turning=contact_dimension(material) > 3)
    if frictions == MUJOCO_FRICTION[: len(frictions)]:
        ledger.rewritten(path, "the defaults of MuJoCo, which are read as no material")


def _record_softness(ledger: Ledger, model: Model, joint: Joint) -> None:
    """Record that MuJoCo enforces limits and friction, whose numbers the file has, by soft constraints."""
    for number, coordinate in enumerate(joint.coordinates):
        path = f"{model.name}/{joint.name}.coordinates[{number}]"
        if coordinate.position_limits.bounded:
            softness = f"MuJoCo enforces them softly (solreflimit 0.02 1): a load moves the joint beyond them, {_YIELD}"
            ledger.rewritten(f"{path}.position_limits (softness)", f"the same limits; {softness}")
        if coordinate.friction:
            softness = f"MuJoCo enforces it softly (solreffriction 0.02 1): the joint creeps under lower loads, {_CREEP}"
            ledger.rewritten(f"{path}.friction (softness)", f"the same friction; {softness}")


def _write_model(document: MjcfDocument, model: Model, bodies: BodyWriter, actuators: ActuatorWriter) -> None:
    ledger = document.ledger
    if model.static:
        ledger.rewritten(f"{model.name}.static", "bodies without joints")
        for body in model.bodies:
            ledger.rewritten(f"{model.name}/{document.names.body(model.name, body.name)}_joint", "bodies without joints")
        for joint in model.joints:
            ledger.dropped(f"{model.name}/{joint.name}", "joint of a static model", location=joint.origin)
    model = _with_clones(model, document)
    tree = bodies.write_model(model)
    write_loops(document, model, tree)
    write_couplings(document, model)
    write_constraints(document, model)
    write_forces(document, model, tree)
    write_tendons(document, model)
    write_excludes(document, model, tree)
    for actuator in model.actuators:
        if actuator.model is not None and document.context.actuators is None:
            with document.dropping(f"{model.name}/{actuator.name}", actuator.origin):
                write_general_actuator(document, model, actuator)
    actuators.write_model(model, tree)
    write_sensors(document, model)


def _with_clones(model: Model, document: MjcfDocument) -> Model:
    """Return a model in which bodies whose clones close loops have a share of their inertia."""
    tree = spanning_tree(model)
    counts = Counter(loop.joint.child for loop in tree.loops if loop.joint.child in cloned_bodies(model, tree))
    if not counts:
        return model
    for name in counts:
        document.ledger.rewritten(f"{model.name}/{name}.inertial", "shared with the clone that closes a loop")
    return replace(model, bodies=model.bodies.map(lambda body: with_shared_inertia(body, counts[body.name])))


def _document_name(world: World) -> str:
    """Return the name of the document: that of the robot, if there is one."""
    moving = [model.name for model in world.models if not model.static]
    return xml.printable(moving[0] if len(moving) == 1 else world.name) or "world"


def _prevalent_euler_order(world: World) -> EulerOrder:
    """Return the order of most Euler angles in the files that the World was read from."""
    counts: Counter[EulerOrder] = Counter()
    for pose in _poses(world):
        if pose.spelling is not None:
            counts[pose.spelling.order] += 1
    return counts.most_common(1)[0][0] if counts else "xyz"


def _poses(world: World) -> Iterable[Pose]:
    for model in world.models:
        yield model.pose
        yield from (joint.spelled_pose for joint in model.joints if joint.spelled_pose is not None)
        for body in model.bodies:
            yield body.pose
            yield from (visual.pose for visual in body.visuals)
            yield from (collision.pose for collision in body.collisions)


def _friction_ranks(world: World) -> dict[float, int]:
    """Return the rank of each coefficient of friction: 1 for the largest.

    Of two geoms MuJoCo uses the friction of the one with the higher priority; so it uses the smaller of two coefficients.
    """
    shapes = [shape for model in world.models for body in model.bodies for shape in body.collisions]
    found = {friction_of(shape.material) for shape in shapes if shape.material is not None}
    if any(shape.material is None for shape in shapes) and found:
        found.add(1.0)  # MuJoCo's default
    return {friction: rank + 1 for rank, friction in enumerate(sorted(found, reverse=True))}


def _compiler(document: MjcfDocument) -> XmlNode:
    attributes = {"angle": "radian", "autolimits": "true"}
    if any(node.tag == "mesh" for node in document.assets):
        attributes["meshdir"] = MESH_FOLDER
    if any(node.tag == "texture" and any(name.startswith("file") for name in node.attributes) for node in document.assets):
        attributes["texturedir"] = MESH_FOLDER
    if document.euler_order != "xyz":
        attributes["eulerseq"] = EULER_SEQUENCES[document.euler_order]
    return element("compiler", attributes)


def _option(document: MjcfDocument) -> XmlNode:
    world = document.world
    attributes = {}
    if world.time_step != _MUJOCO_TIME_STEP:
        attributes["timestep"] = format_number(world.time_step)
    if world.gravity != STANDARD_GRAVITY:
        attributes["gravity"] = numbers_text(world.gravity)
    is_darts = hint_of(world, DartStepping) is not None
    option = hint_of(world, MujocoOption)
    if option is not None:
        return option_node(option, attributes)
    attributes["integrator"] = "discrete" if is_darts else "implicitfast"
    if is_darts:
        document.ledger.rewritten("hints", "written as the integrator that is equivalent to DART's")
    node = element("option", attributes)
    node.children = [element("flag", document.flags)] if document.flags else []
    return node


def _section(tag: str, children: list[XmlNode]) -> XmlNode:
    section = element(tag)
    section.children = children
    return section


def _keyframes(document: MjcfDocument) -> list[XmlNode]:
    """Return the keyframes of the models; of a World for other programs, the initial state as ``home``."""
    order: list[XmlNode] = []
    pending = [document.worldbody]
    while pending:
        node = pending.pop()
        order += [child for child in node.children if id(child) in document.states]
        pending.extend(reversed([child for child in node.children if child.tag == "body"]))
    found = [write_keyframe(document, model, key, order) for model in document.world.models for key in model.keyframes]
    states = [document.states[id(node)] for node in order]
    qpos = [value for state in states for value in state.qpos(state.positions)]
    qvel = [value for state in states for value in state.qvel(state.positions, state.velocities)]
    if document.is_mjcf_world:
        is_moved = qpos != [value for state in states for value in state.qpos(state.reference)]
        return [*found, _initial_keyframe(document, qpos, qvel)] if is_moved or any(qvel) else found
    if not qpos or found:
        return found
    attributes = {"name": "home", "qpos": numbers_text(qpos)}
    if any(qvel):
        attributes["qvel"] = numbers_text(qvel)
    if any(document.controls):
        attributes["ctrl"] = numbers_text(document.controls)
    return [element("key", attributes)]


def _start_without_keyframe(document: MjcfDocument, model: Model) -> str:
    """Return how the state in which MuJoCo starts by itself differs from the initial one, as the end of a sentence."""
    states = [state for state in document.states.values() if state.model == model.name]
    differences = {
        "qpos": [np.subtract(state.qpos(state.positions), state.qpos(state.reference)) for state in states],
        "qvel": [np.asarray(state.qvel(state.positions, state.velocities)) for state in states],
    }
    largest = {
        name: max((float(np.abs(each).max(initial=0.0)) for each in all_), default=0.0) for name, all_ in differences.items()
    }
    sizes = " and ".join(f"{name} by up to {value:.3g}" for name, value in largest.items() if value)
    return f"; MuJoCo starts in it only if a program applies it (mj_resetDataKeyframe), else {sizes} away" if sizes else ""


def _initial_keyframe(document: MjcfDocument, qpos: Sequence[float], qvel: Sequence[float]) -> XmlNode:
    """Return a keyframe of the initial state of a World for MuJoCo, which differs from that without a keyframe."""
    owner = document.world.models[0].name
    name = document.names.take("key", owner, "initial")
    document.ledger.rewritten(f"{owner}/{name}", "the initial state as a keyframe")
    velocities = {"qvel": numbers_text(qvel)} if any(qvel) else {}
    return element("key", {"name": name, "qpos": numbers_text(qpos)} | velocities)


def _text(root: XmlNode) -> str:
    """Return the document as text, with an empty line between its sections."""
    opening = f"<mujoco model={xml.quoted(root.attributes['model'])}>\n"
    sections = [section for section in root.children if section.attributes or section.children]
    return opening + "\n".join([xml.fragment(section) for section in sections]) + "</mujoco>\n"
