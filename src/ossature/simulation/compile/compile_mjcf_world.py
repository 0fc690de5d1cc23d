"""Compilation of a World that states MuJoCo's options: its model is the one that MuJoCo compiles from its MJCF file.

The World is written as MJCF and compiled by MuJoCo. It is stepped by MuJoCo's own integrator, with its contacts and solver.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Action, Ledger, Report
from ossature.diagnostics.ledger import LedgerEntry
from ossature.formats import WriteContext
from ossature.formats.mjcf.write import write_document
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.formats.mjcf.write_joint import is_free
from ossature.kinematics import TreeJoint, factor_joint, pose_parent_joint, spanning_tree
from ossature.model import BodyPath, Compound, Floating, Joint, Model, MujocoOption, SphericalMotion, World, hint_of
from ossature.simulation import rules
from ossature.simulation.compile import rules as compile_rules
from ossature.simulation.compile.address_map import ActuatorAddress, AddressMap, BodyAddress, JointAddress, JointLayout
from ossature.simulation.compile.compile_context import CompileOptions
from ossature.simulation.compile.contact_model import ContactOptions, ContactParameters
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.engine_spec import EngineSpec
from ossature.simulation.compile.finish_compilation import has_body_velocity
from ossature.simulation.compile.force_elements import Elements
from ossature.simulation.compile.grasp_attachment import GraspPlan, weld_name
from ossature.simulation.compile.integrator_choice import Integrator, IntegratorChoice, StepControl
from ossature.simulation.compile.joints import layout_of
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.spatial import IDENTITY

_LIMIT_BIT = 1 << 3
"""``mjDSBL_LIMIT``."""
_COMPLIANT_CONTACT = ContactOptions(time_constant=0.02)
"""Compliant contacts, so that none are rigid; their parameters are those of the file."""


def is_mjcf_world(world: World, options: CompileOptions) -> bool:
    """Whether a World is compiled by MuJoCo: it states MuJoCo's options, and no other integrator is chosen."""
    return hint_of(world, MujocoOption) is not None and options.integrator in (None, Integrator.MUJOCO)


def compile_mjcf_world(
    world: World, meshes: MeshStore, options: CompileOptions, report: Report, grasp_plan: GraspPlan
) -> EngineModel:
    """Return a World compiled by MuJoCo from its MJCF file, with the welds of its grasps.

    Raises:
        SimulationError: MuJoCo refuses it; the report states the reason.
    """
    document, spec = _make_specification(world, meshes, options, report, grasp_plan)
    model = _compile(world, spec, report)
    model.opt.timestep = options.time_step
    # An automatic reset would hide a divergence.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    if not options.enforce_limits:
        model.opt.disableflags |= _LIMIT_BIT
    return EngineModel(
        spec=EngineSpec(modelname=world.name),
        model=model,
        substituted=(),
        has_engine_warnings=False,
        index=_address_map(world, document, model),
        elements=Elements(),
        choice=IntegratorChoice(
            Integrator.MUJOCO, "that of MuJoCo, whose options the World states", control=StepControl(allows_sub_steps=False)
        ),
        couplings=(),
        is_mechanism=has_body_velocity(world),
        shapes={},
        inertias={},
        weights={},
        grasp_plan=grasp_plan,
        contacts=ContactParameters(options=_COMPLIANT_CONTACT, restitution=np.zeros(model.ngeom)),
    )


def mjcf_specification(world: World, meshes: MeshStore, options: CompileOptions, grasp_plan: GraspPlan) -> Any:
    """Return a World of MuJoCo as the specification (``mujoco.MjSpec``) from which it is compiled, with the names of the file.

    Raises:
        SimulationError: MuJoCo refuses it.
    """
    _, spec = _make_specification(world, meshes, options, Report(limits=meshes.limits), grasp_plan)
    spec.option.timestep = options.time_step
    if not options.enforce_limits:
        spec.option.disableflags |= _LIMIT_BIT
    return spec


def _make_specification(
    world: World, meshes: MeshStore, options: CompileOptions, report: Report, grasp_plan: GraspPlan
) -> tuple[MjcfDocument, Any]:
    context = WriteContext(path=Path("model.xml"), report=report, meshes=meshes)
    document, files = write_document(world, context)
    _report_losses(world, context.ledger, report)
    (_, text), *others = (files | context.side_files).items()
    assets = {f"{path.parent.name}/{path.name}": data for path, data in others}
    parse: Any = mujoco.MjSpec.from_string
    with _reporting_engine(world, report):
        spec = parse(text.decode(), assets=assets)
        _add_grasps(spec, document, grasp_plan, options.time_step)
    return document, spec


def _compile(world: World, spec: Any, report: Report) -> Any:
    with _reporting_engine(world, report):
        return spec.compile()


@contextmanager
def _reporting_engine(world: World, report: Report) -> Iterator[None]:
    """Report errors and warnings of MuJoCo.

    Raises:
        SimulationError: MuJoCo refuses the World.
    """
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    except (ValueError, mujoco.FatalError) as error:
        report.add(compile_rules.ENGINE_COMPILE_ERROR, " ".join(str(error).split()), world.origin)
        raise SimulationError(report) from error
    for warning in caught:
        report.add(rules.ENGINE_WARNING, " ".join(str(warning.message).split()), world.origin)


def _report_losses(world: World, ledger: Ledger, report: Report) -> None:
    """Report the elements with effect on the motion that MJCF does not represent."""
    acting = {
        f"{model.name}/{element.name}": element
        for model in world.models
        for elements in (getattr(model, name) for name in _ACTING)
        for element in elements
    }
    for entry in ledger:
        if entry.action not in (Action.DROPPED, Action.APPROXIMATED):
            continue
        element, _, field = entry.path.partition(".")
        acts = (element in acting or field.startswith(_ACTING_FIELDS)) and not _is_inelastic(entry)
        if acts and not entry.path.endswith(".name"):
            report.add(compile_rules.NOT_SIMULATED, str(entry), entry.location)


def _is_inelastic(entry: LedgerEntry) -> bool:
    """Whether an entry is about a coefficient of restitution of zero, as which MuJoCo's contacts have."""
    return entry.path.endswith(".restitution") and entry.before in ("0", "0.0")


_ACTING = ("joints", "bushings", "constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads")
"""Collections of a model with elements that act on its motion."""
_ACTING_FIELDS = ("collisions", "inertial")
"""Fields of a body that act on its motion."""


_WELD_IMPEDANCE = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""``solimp`` of the welds of grasps: nearly rigid."""


def _add_grasps(spec: Any, document: MjcfDocument, grasp_plan: GraspPlan, time_step: float) -> None:
    """Add a weld for each grasp, and exclude the pairs of bodies that do not collide."""

    def name(path: BodyPath) -> str:
        return document.names.body(path.model, path.body)

    for active in grasp_plan.grasps:
        weld = spec.add_equality()
        weld.name = weld_name(active)
        weld.type, weld.objtype = mujoco.mjtEq.mjEQ_WELD, mujoco.mjtObj.mjOBJ_BODY
        weld.name1, weld.name2 = name(active.grasp.link), name(active.grasp.body)
        pose = active.pose_link_body
        weld.data[:11] = (0.0, 0.0, 0.0, *pose.position, *pose.wxyz, 1.0)
        weld.solref = (2.0 * time_step, 1.0)
        weld.solimp = _WELD_IMPEDANCE
    present = {frozenset((exclude.bodyname1, exclude.bodyname2)) for exclude in spec.excludes}
    for pair in grasp_plan.excluded:
        names = frozenset(map(name, pair))
        if len(names) == 2 and names not in present:
            present.add(names)
            exclude = spec.add_exclude()
            exclude.bodyname1, exclude.bodyname2 = sorted(names)


def _address_map(world: World, document: MjcfDocument, model: Any) -> AddressMap:
    joints: dict[str, dict[str, JointAddress]] = {}
    bodies: dict[str, dict[str, BodyAddress]] = {}
    actuators: dict[str, dict[str, ActuatorAddress]] = {}
    for owner in world.models:
        branches = {branch.inboard.name: branch for branch in spanning_tree(owner).branches if branch.inboard is not None}
        joints[owner.name] = {
            joint.name: _joint_address(owner, joint, branches.get(joint.name), document, model) for joint in owner.joints
        }
        bodies[owner.name] = {
            body.name: BodyAddress(
                model=owner,
                body=body,
                number=model.body(document.names.body(owner.name, body.name)).id,
                geoms=_geoms(owner, body.name, len(body.collisions), document, model),
                inner_geoms=(),
                skin=None,
            )
            for body in owner.bodies
        }
        actuators[owner.name] = {
            actuator.name: _actuator_address(document.actuator_names[owner.name, actuator.name], model)
            for actuator in owner.actuators
            if (owner.name, actuator.name) in document.actuator_names
        }
    sensors = {
        owner.name: {
            sensor.name: _sensor_values(document.sensor_names[owner.name, sensor.name], model)
            for sensor in owner.sensors
            if (owner.name, sensor.name) in document.sensor_names
        }
        for owner in world.models
    }
    tendons = {
        owner.name: {
            tendon.name: int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TENDON, name))
            for tendon in owner.tendons
            if (name := document.tendon_names.get((owner.name, tendon.name))) is not None
        }
        for owner in world.models
    }
    return AddressMap(joints, bodies, actuators, sensors, tendons)


def _sensor_values(name: str, model: Any) -> slice:
    number = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SENSOR, name))
    first = int(model.sensor_adr[number])
    return slice(first, first + int(model.sensor_dim[number]))


def _joint_address(owner: Model, joint: Joint, branch: TreeJoint | None, document: MjcfDocument, model: Any) -> JointAddress:
    built = joint if branch is None or branch.inboard is None else branch.inboard
    factors = factor_joint(built.type)
    first = factors[0].coordinate if factors and not is_free(built) else 0
    name = document.joint_names.get((owner.name, joint.name, first))
    number = None if name is None else model.joint(name).id
    outer = owner.pose if built.parent is None else IDENTITY
    return JointAddress(
        model=owner.name,
        joint=joint,
        built=built,
        layout=JointLayout.NONE if number is None else _layout(joint),
        body=model.body(document.names.body(owner.name, built.child)).id,
        parent=model.body(document.names.body(owner.name, built.parent)).id,
        qpos=-1 if number is None else int(model.jnt_qposadr[number]),
        dof=-1 if number is None else int(model.jnt_dofadr[number]),
        pose_parent_joint=outer @ pose_parent_joint(owner, built),
    )


def _layout(joint: Joint) -> JointLayout:
    if is_free(joint):
        return JointLayout.FREE
    if isinstance(joint.type, Compound):
        has_ball = any(isinstance(motion, SphericalMotion) for motion in joint.type.axes)
        return JointLayout.COMPOUND if has_ball else JointLayout.SCALARS
    return JointLayout.STACK if isinstance(joint.type, Floating) else layout_of(joint, static=False)


def _geoms(owner: Model, body: str, count: int, document: MjcfDocument, model: Any) -> tuple[int | None, ...]:
    """Return the engine's geom of each collision shape of a body, in which geoms have the order of the document."""
    node = document.body_nodes[owner.name, body]
    first = int(model.body_geomadr[model.body(document.names.body(owner.name, body)).id])
    order = {id(child): first + number for number, child in enumerate(c for c in node.children if c.tag == "geom")}
    shapes = [document.collision_nodes.get((owner.name, body, number)) for number in range(count)]
    return tuple([None if shape is None else order.get(id(shape)) for shape in shapes])


def _actuator_address(name: str, model: Any) -> ActuatorAddress:
    number = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_ACTUATOR, name))
    return ActuatorAddress(
        number=number, control=int(model.actuator_ctrladr[number]), control_count=int(model.actuator_ctrlnum[number])
    )
