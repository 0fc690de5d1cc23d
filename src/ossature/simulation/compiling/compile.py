"""A World → the engine's model, and the map between the two.

The engine's bodies are the model's bodies, with the same frames; a static model's bodies are placed on the world. Bodies
of a moving model that no joint carries float freely.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError, Report
from ossature.kinematics import (
    Branch,
    Connection,
    FormulaError,
    Tree,
    borne_bodies,
    model_poses,
    motion_pose,
    pose_parent_joint,
    spanning_tree,
    with_followers_at_start,
)
from ossature.model import Actuation, Held, Model, Named, Screw, World
from ossature.simulation import rules
from ossature.simulation.compiling import contacts
from ossature.simulation.compiling.actuation import add_actuation, is_limited_servo
from ossature.simulation.compiling.couplings import BuiltCoupling, add_couplings
from ossature.simulation.compiling.electric import add_electric_motors
from ossature.simulation.compiling.elements import Elements
from ossature.simulation.compiling.engine_bodies import BuiltJoint, Options, Work, add_body, start
from ossature.simulation.compiling.holding import Holding, add_holding, held_at_start, plan_holding
from ossature.simulation.compiling.index import BodyIndex, Index, JointIndex, Layout
from ossature.simulation.compiling.joints import add_joints, layout_of, screw_coupling
from ossature.simulation.compiling.loops import LoopPlan
from ossature.simulation.compiling.mechanism import MechanismBuilder, moving_bodies, plan, record_coordinates
from ossature.simulation.compiling.scheme import Choice, Scheme, apply_scheme, apply_scheme_to_model, choose_scheme
from ossature.spatial import IDENTITY, Pose

DEEPEST_CHAIN = 1000
"""Bodies in one chain that the engine carries; its own limit is a little above."""


class SimulationError(OssatureError):
    """A World cannot be simulated, or its simulation cannot go on.

    Attributes:
        report: Every finding; the errors among them say why.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        super().__init__("\n".join(map(str, report.errors)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A World in the engine.

    Attributes:
        spec: The engine's specification.
        model: The engine's model.
        index: Where joints and bodies are.
        elements: Springs, bushings, loads and motors.
        choice: How it is stepped, and why.
        couplings: The joints that follow others.
        is_mechanism: Whether it has loops, motors or forces between bodies.
        holding: What hands hold.
    """

    spec: Any
    model: Any
    index: Index
    elements: Elements
    choice: Choice
    couplings: Sequence[BuiltCoupling]
    is_mechanism: bool
    holding: Holding


def compile_world(
    world: World, meshes: MeshStore, options: Options, report: Report, held: Sequence[Held] | None = None
) -> Compiled:
    """Return a World compiled for the engine.

    Args:
        world: The World.
        meshes: Where its meshes come from.
        options: How to compile.
        report: Where findings go.
        held: What hands hold; what the World says of time zero if not given.

    Raises:
        SimulationError: It cannot be simulated; the report says why.
    """
    world = _with_followers(world, report)
    holding = plan_holding(world, held_at_start(world, report) if held is None else held)
    work = start(holding, meshes, options, report)
    for model in holding.models():
        tree = spanning_tree(model)
        _report_structure(model, tree, report)
        if report.has_errors:
            continue
        if model.static:
            _add_static_model(work, model, tree)
        else:
            _add_moving_model(work, model, tree)
    if report.has_errors:
        raise SimulationError(report)
    _drive_joints(work)
    add_electric_motors(work)
    work.elements.sort(world.models.names())
    couplings = add_couplings(work)
    if report.has_errors:
        raise SimulationError(report)
    _exclude_pairs(work)
    add_holding(work.spec, holding, lambda body: work.names[body.model, body.body])
    servo = _choose_solver(work)
    return _finish(work, servo, couplings)


def _with_followers(world: World, report: Report) -> World:
    """Return a World in which joints that follow others state where they start."""
    return replace(world, models=Named([_placed(model, report) for model in world.models]))


def _placed(model: Model, report: Report) -> Model:
    try:
        return with_followers_at_start(model)
    except FormulaError as error:
        path = f"{model.name}/{error.position.joint}"
        report.add(rules.UNPLACED_FORMULA, str(error), error.origin, path=path)
        return model


def _report_structure(model: Model, tree: Tree, report: Report) -> None:
    for joint in model.joints:
        if joint.child not in model.bodies or (joint.parent is not None and joint.parent not in model.bodies):
            report.add(
                rules.DANGLING_JOINT,
                f"joint '{joint.name}' connects '{joint.parent or 'the world'}' and '{joint.child}'",
                joint.origin,
                path=f"{model.name}/{joint.name}",
            )
    deepest = max(tree.branches, key=lambda branch: branch.depth, default=None)
    if deepest is not None and deepest.depth >= DEEPEST_CHAIN and not model.static:
        report.add(
            rules.TOO_DEEP_A_CHAIN,
            f"'{deepest.body.name}' is the {deepest.depth + 1}th body of its chain; the engine carries {DEEPEST_CHAIN}",
            deepest.body.origin,
            path=f"{model.name}/{deepest.body.name}",
        )


def _add_static_model(work: Work, model: Model, tree: Tree) -> None:
    placed = model_poses(model, tree=tree)
    world = work.spec.worldbody
    for branch in tree.branches:
        add_body(work, model, branch.body, world, placed[branch.body.name], moves=False)
    for joint in model.joints:
        body = work.bodies[model.name][joint.child]
        work.joints.append(
            BuiltJoint(model=model, joint=joint, built=joint, layout=Layout.NONE, added=[], body=body, parent=world)
        )


def _add_moving_model(work: Work, model: Model, tree: Tree) -> None:
    moving = work.moving[model.name] = moving_bodies(tree, _carried_by_moving(work, model))
    borne = borne_bodies(tree)
    loop_plan = plan(model, tree, moving)
    motor_branches: list[tuple[Branch, list[Any]]] = []
    for branch in tree.branches:
        layout = _layout(branch)
        held = work.holding.carried_by(model, branch)
        parent_body = _parent_body(work, model, branch, held)
        name = branch.body.name
        share = loop_plan.share(name)
        pose = _rest_pose(model, branch) if held is None else _held_pose(branch, held)
        engine_body = add_body(
            work, model, branch.body, parent_body, pose, moves=name in moving, is_borne=name in borne, share=share
        )
        if branch.inboard is None:
            engine_body.add_freejoint()
        if branch.inboard is None or held is not None:
            continue
        built = _add_branch_joint(work, model, branch, layout, engine_body, parent_body)
        record_coordinates(work, built)
        if branch.motor is not None:
            motor_branches.append((branch, built.added))
        elif branch.is_joint:
            work.joints.append(built)
    _add_idle_joints(work, model, tree, loop_plan)
    MechanismBuilder(work, model, loop_plan, moving).add_all(motor_branches)


def _carried_by_moving(work: Work, model: Model) -> set[str]:
    """Return the bodies of a model that hang on hands that can move."""
    holds = [held.grasp for (owner, _), held in work.holding.carried.items() if owner == model.name]
    return {
        grasp.held.body
        for grasp in holds
        if grasp.holder.model != model.name and grasp.holder.body in work.moving.get(grasp.holder.model, ())
    }


def _held_pose(branch: Branch, held: Held) -> Pose:
    return held.pose_holder_held.inverse() if branch.is_reversed else held.pose_holder_held


def _parent_body(work: Work, model: Model, branch: Branch, held: Held | None) -> Any:
    parent = None if branch.inboard is None else branch.inboard.parent
    if held is not None and parent is None:
        return work.bodies[held.grasp.holder.model][held.grasp.holder.body]
    return work.spec.worldbody if parent is None else work.bodies[model.name][parent]


def _add_branch_joint(
    work: Work, model: Model, branch: Branch, layout: Layout, engine_body: Any, parent_body: Any
) -> BuiltJoint:
    inboard, connection = branch.inboard, branch.connection
    assert inboard is not None and connection is not None  # noqa: S101  # the caller looked
    name = work.joint_names[model.name, connection.label]
    return BuiltJoint(
        model=model,
        joint=connection.joint,
        built=inboard,
        layout=layout,
        added=add_joints(engine_body, inboard, layout, name, work.settings, work.report),
        body=engine_body,
        parent=parent_body,
    )


def _add_idle_joints(work: Work, model: Model, tree: Tree, loop_plan: LoopPlan) -> None:
    """Remember the joints that hold nothing: free ones beside others, and those between bodies that cannot move."""
    in_tree = {id(branch.connection.joint) for branch in tree.branches if branch.connection is not None}
    idle = {id(source.joint) for source in loop_plan.idle if isinstance(source, Connection)}
    loops = {id(loop.joint) for loop in tree.loops}
    for joint in model.joints:
        if id(joint) in idle or not (id(joint) in in_tree or id(joint) in loops):
            if joint.child not in model.bodies:
                continue
            bodies = work.bodies[model.name]
            parent = work.spec.worldbody if joint.parent is None else bodies[joint.parent]
            body = bodies[joint.child]
            work.joints.append(
                BuiltJoint(model=model, joint=joint, built=joint, layout=Layout.DERIVED, added=[], body=body, parent=parent)
            )


def _layout(branch: Branch) -> Layout:
    return Layout.FREE if branch.inboard is None else layout_of(branch.inboard, static=False)


def _rest_pose(model: Model, branch: Branch) -> Pose:
    """Return the body's pose in its parent with the engine's coordinates at zero."""
    inboard = branch.inboard
    if inboard is None:
        return model.pose @ branch.body.pose
    outer = model.pose if inboard.parent is None else IDENTITY
    if inboard.actuation is Actuation.LOCKED:
        held = motion_pose(inboard.type, inboard.initial_positions)
        return outer @ pose_parent_joint(model, inboard) @ held @ inboard.pose.inverse()
    parent = IDENTITY if inboard.parent is None else model.bodies[inboard.parent].pose
    return outer @ parent.inverse() @ branch.body.pose


def _drive_joints(work: Work) -> None:
    for entry in work.joints:
        if isinstance(entry.built.type, Screw) and entry.added:
            _couple_screw(work, entry.built.type, entry.added)
        bodies = work.bodies[entry.model.name]
        add_actuation(work.spec, bodies, entry.model, entry.joint, entry.in_joint_order, work.options.time_step, work.report)


def _exclude_pairs(work: Work) -> None:
    for model in work.world.models:
        if model.static:
            continue
        pairs = contacts.excluded_pairs(model)
        if model.name in work.masks.without_bits:
            pairs.extend(contacts.pairs_without_bits(model))
            _report_idle_shapes(work, model)
        for first, second in {frozenset(pair): pair for pair in pairs}.values():
            pair = work.spec.add_exclude()
            pair.bodyname1, pair.bodyname2 = work.names[model.name, first], work.names[model.name, second]


def _report_idle_shapes(work: Work, model: Model) -> None:
    if contacts.has_inner_shapes(model):
        message = f"'{model.name}': shapes that are meant for its own bodies touch nothing"
        work.report.add(rules.TOO_MANY_SELF_COLLISIONS, message, model.origin, path=model.name)


def _couple_screw(work: Work, screw: Screw, added: list[Any]) -> None:
    slide, hinge = added
    coupling = work.spec.add_equality()
    coupling.type = mujoco.mjtEq.mjEQ_JOINT
    coupling.name1, coupling.name2 = slide.name, hinge.name
    coupling.data[:5] = screw_coupling(screw)


def _choose_solver(work: Work) -> bool:
    """Choose the settings that hold for every way of stepping; return whether a servo needs its own."""
    option = work.spec.option
    servo = any(is_limited_servo(entry.joint) for entry in work.joints if entry.added)
    if servo:
        work.report.add(rules.SERVO_INTEGRATOR, "a servo with limited effort: the world is stepped implicitly")
    shapes = [geom for geoms in (*work.geoms.values(), *work.inner_geoms.values()) for geom in geoms]
    touchable = bool(work.skins) or any(geom is not None for geom in shapes)
    if touchable and any((e.key, e.value) == ("contact_method", "SMC") for e in work.world.extensions):
        work.report.add(rules.SMOOTH_CONTACT, "the contact method SMC: contacts are hard here", work.world.origin)
    option.tolerance = 1e-10 if touchable else 1e-12
    if not touchable:
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return servo


def _scheme(work: Work, model: Any, servo: bool) -> Choice:
    try:
        with np.errstate(over="raise", invalid="raise"):
            return choose_scheme(model, work.elements, has_servo=servo, as_dart=_steps_as_dart(work))
    except (np.linalg.LinAlgError, FloatingPointError) as error:
        hint = "look for masses, stiffnesses or dampings that are many orders of magnitude apart"
        work.report.add(rules.BLOWN_UP, "before it begins: how stiff it is cannot be computed", work.world.origin, hint=hint)
        raise SimulationError(work.report) from error


def _finish(work: Work, servo: bool, couplings: Sequence[BuiltCoupling]) -> Compiled:
    # The scheme depends on how stiff the compiled model is, and the file that may be made of it on the scheme.
    apply_scheme(Scheme.IMPLICIT if servo else Scheme.DISCRETE, work.spec, work.spec.equalities, work.options.time_step)
    model = _engine_model(work)
    choice = _scheme(work, model, servo)
    apply_scheme(choice.scheme, work.spec, work.spec.equalities, work.options.time_step)
    apply_scheme_to_model(choice.scheme, model)
    joints: dict[str, dict[str, JointIndex]] = {name: {} for name in work.world.models.names()}
    for entry in work.joints:
        joints[entry.model.name][entry.joint.name] = _joint_index(model, entry)
    joints = {owner.name: _in_file_order(joints[owner.name], owner) for owner in work.world.models}
    bodies = {
        owner.name: {
            body.name: BodyIndex(
                model=owner,
                body=body,
                number=work.bodies[owner.name][body.name].id,
                geoms=_numbers(work.geoms[owner.name, body.name]),
                inner_geoms=_numbers(work.inner_geoms[owner.name, body.name]),
                skin=work.skins[owner.name, body.name].id if (owner.name, body.name) in work.skins else None,
            )
            for body in owner.bodies
        }
        for owner in work.world.models
    }
    return Compiled(
        spec=work.spec,
        model=model,
        index=Index(joints, bodies),
        elements=work.elements,
        choice=choice,
        couplings=couplings,
        holding=work.holding,
        is_mechanism=bool(work.elements) or work.loops > 0 or bool(work.holding.welded) or _has_moving_start(work.world),
    )


def _numbers(geoms: list[Any | None]) -> tuple[int | None, ...]:
    return tuple([None if geom is None else geom.id for geom in geoms])


def _steps_as_dart(work: Work) -> bool:
    return work.world.steps_as_dart and not work.elements and not work.loops


def _has_moving_start(world: World) -> bool:
    bodies = [body for model in world.models for body in model.bodies]
    return any(any(body.initial_velocity) or any(body.initial_angular_velocity_body) for body in bodies)


def _in_file_order(joints: dict[str, JointIndex], model: Model) -> dict[str, JointIndex]:
    return {joint.name: joints[joint.name] for joint in model.joints if joint.name in joints}


def _engine_model(work: Work) -> Any:
    try:
        # The compiler speaks through Python's warnings, unlike the rest of the engine.
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model = work.spec.compile()
    except ValueError as error:
        work.report.add(rules.REFUSED, " ".join(str(error).split()), work.world.origin)
        raise SimulationError(work.report) from error
    for warning in said:
        work.report.add(rules.ENGINE_WARNING, " ".join(str(warning.message).split()), work.world.origin)
    if work.unlikely:
        for unlikely in work.unlikely:
            model.body_inertia[unlikely.engine_body.id] = unlikely.principal_moments
        mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def _joint_index(model: Any, entry: BuiltJoint) -> JointIndex:
    first = entry.added[0].id if entry.added else None
    owner, built = entry.model, entry.built
    outer = owner.pose if built.parent is None else IDENTITY
    return JointIndex(
        model=owner.name,
        joint=entry.joint,
        built=built,
        layout=entry.layout,
        body=entry.body.id,
        parent=entry.parent.id,
        qpos=-1 if first is None else int(model.jnt_qposadr[first]),
        dof=-1 if first is None else int(model.jnt_dofadr[first]),
        pose_parent_joint=outer @ pose_parent_joint(owner, built),
    )
