"""A World → the engine's model, and the map between the two.

The engine's bodies are the model's bodies, with the same frames; a static model's bodies are placed on the world. Bodies
of a moving model that no joint carries float freely.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco

from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError, Report
from ossature.kinematics import Branch, Tree, model_poses, motion_pose, pose_parent_joint, spanning_tree
from ossature.model import Actuation, Body, Geometry, Joint, Model, Screw, World
from ossature.simulation import contacts, rules
from ossature.simulation.actuation import add_actuation, is_limited_servo
from ossature.simulation.constraint_settings import EQUALITY_IMPEDANCE, deadbeat, deadbeat_discrete
from ossature.simulation.index import BodyIndex, Index, JointIndex, Layout
from ossature.simulation.inertia import place_inertia
from ossature.simulation.joints import JointSettings, add_joints, layout_of, screw_coupling
from ossature.simulation.shapes import ShapeBuilder
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
class Options:
    """How to compile.

    Attributes:
        time_step: The step [s].
        enforce_limits: Whether position limits act.
        with_visuals: Whether visual shapes are built too; simulation does without them.
    """

    time_step: float
    enforce_limits: bool = True
    with_visuals: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A World in the engine.

    Attributes:
        spec: The engine's specification.
        model: The engine's model.
        index: Where everything is.
    """

    spec: Any
    model: Any
    index: Index


@dataclass(slots=True)
class _Work:
    """A compilation under way."""

    world: World
    options: Options
    report: Report
    meshes: MeshStore
    spec: Any
    shapes: ShapeBuilder
    masks: contacts.Masks
    names: Mapping[tuple[str, str], str]
    joint_names: Mapping[tuple[str, str], str]
    settings: JointSettings
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    geoms: dict[tuple[str, str], list[Any | None]] = field(default_factory=dict)
    skins: dict[tuple[str, str], Any] = field(default_factory=dict)
    joints: list[tuple[Model, Joint, Layout, list[Any]]] = field(default_factory=list)


def compile_world(world: World, meshes: MeshStore, options: Options, report: Report) -> Compiled:
    """Return a World compiled for the engine.

    Raises:
        SimulationError: It cannot be simulated; the report says why.
    """
    work = _start(world, meshes, options, report)
    for model in world.models:
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
    _add_couplings(work)
    _exclude_pairs(work)
    _choose_solver(work)
    return _finish(work)


def _start(world: World, meshes: MeshStore, options: Options, report: Report) -> _Work:
    spec = mujoco.MjSpec()
    spec.modelname = world.name
    spec.compiler.degree = False
    spec.compiler.autolimits = True
    option = spec.option
    option.timestep = options.time_step
    option.gravity = world.gravity
    # A reset would hide that the simulation diverged.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    # Masks and excluded pairs say all of who may touch whom.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    return _Work(
        world=world,
        options=options,
        report=report,
        meshes=meshes,
        spec=spec,
        shapes=ShapeBuilder(spec, meshes, report),
        masks=contacts.masks_of(world),
        names=_engine_names({model.name: model.bodies.names() for model in world.models}),
        joint_names=_engine_names({model.name: model.joints.names() for model in world.models}),
        settings=JointSettings(time_step=options.time_step, enforce_limits=options.enforce_limits),
    )


def _engine_names(names_by_model: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """Return a name for each element: its own where no other model has it, else with its model's before it."""
    counts = Counter(name for names in names_by_model.values() for name in names)
    counts["world"] += 2  # the engine's own name for the world's body
    return {
        (model, name): name if counts[name] == 1 else f"{model}/{name}"
        for model, names in names_by_model.items()
        for name in names
    }


def _report_structure(model: Model, tree: Tree, report: Report) -> None:
    for joint in model.joints:
        if joint.child not in model.bodies or (joint.parent is not None and joint.parent not in model.bodies):
            report.add(
                rules.DANGLING_JOINT,
                f"joint '{joint.name}' connects '{joint.parent or 'the world'}' and '{joint.child}'",
                joint.origin,
                path=f"{model.name}/{joint.name}",
            )
    for joint in tree.loop_joints:
        report.add(
            rules.LOOP_JOINT,
            f"joint '{joint.name}' closes a loop at body '{joint.child}'",
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


def _add_static_model(work: _Work, model: Model, tree: Tree) -> None:
    placed = model_poses(model, tree=tree)
    for branch in tree.branches:
        _add_body(work, model, branch.body, work.spec.worldbody, placed[branch.body.name], moves=False)
    work.joints.extend((model, joint, Layout.NONE, []) for joint in model.joints)


def _add_moving_model(work: _Work, model: Model, tree: Tree) -> None:
    moving: dict[str, bool] = {}
    for branch in tree.branches:
        layout = _layout(branch)
        parent = branch.inboard.parent if branch.inboard is not None else None
        moves = layout is not Layout.NONE or (parent is not None and moving[parent])
        moving[branch.body.name] = moves
        parent_body = work.spec.worldbody if parent is None else work.bodies[model.name][parent]
        engine_body = _add_body(work, model, branch.body, parent_body, _rest_pose(model, branch), moves=moves)
        if branch.inboard is None:
            engine_body.add_freejoint()
        else:
            name = work.joint_names[model.name, branch.inboard.name]
            added = add_joints(engine_body, branch.inboard, layout, name, work.settings, work.report)
            work.joints.append((model, branch.inboard, layout, added))


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


def _add_body(work: _Work, model: Model, body: Body, parent: Any, pose: Pose, *, moves: bool) -> Any:
    path = f"{model.name}/{body.name}"
    engine_body = parent.add_body()
    engine_body.name = work.names[model.name, body.name]
    engine_body.pos, engine_body.quat = pose.position, pose.wxyz
    if not body.gravity:
        engine_body.gravcomp = 1.0
    if moves:
        place_inertia(engine_body, body, path, work.meshes, work.report)
    _add_shapes(work, model, body, engine_body, path, moves=moves)
    work.bodies.setdefault(model.name, {})[body.name] = engine_body
    return engine_body


def _add_shapes(work: _Work, model: Model, body: Body, engine_body: Any, path: str, *, moves: bool) -> None:
    mask = work.masks.of(model, body)
    geoms: list[Any | None] = []
    for collision in body.collisions:
        geom = work.shapes.add(
            engine_body, collision.geometry, collision.pose, path=path, location=collision.origin, moves=moves
        )
        if geom is not None:
            contacts.apply(mask if collision.enabled else contacts.CLOSED, geom)
        geoms.append(geom)
    work.geoms[model.name, body.name] = geoms
    if body.soft_skin is not None:
        _add_soft_skin(work, model, body, engine_body, mask, path, moves=moves)
    if work.options.with_visuals:
        _add_visuals(work, body, engine_body, path, moves=moves)


def _add_soft_skin(
    work: _Work, model: Model, body: Body, engine_body: Any, mask: contacts.Mask, path: str, *, moves: bool
) -> None:
    skin = body.soft_skin
    assert skin is not None  # noqa: S101  # the caller looked
    work.report.add(rules.SOFT_AS_RIGID, f"{path}: its surface does not deform", skin.origin, path=path)
    geometry: Geometry = skin.geometry
    geom = work.shapes.add(engine_body, geometry, skin.pose, path=path, location=skin.origin, moves=moves)
    if geom is not None:
        contacts.apply(mask, geom)
        work.skins[model.name, body.name] = geom


def _add_visuals(work: _Work, body: Body, engine_body: Any, path: str, *, moves: bool) -> None:
    for visual in body.visuals:
        geom = work.shapes.add(engine_body, visual.geometry, visual.pose, path=path, location=visual.origin, moves=moves)
        if geom is not None:
            contacts.apply(contacts.CLOSED, geom)
            geom.group = 2
            geom.mass = 0.0
            if visual.color is not None:
                geom.rgba = visual.color


def _add_couplings(work: _Work) -> None:
    for model, joint, _, added in work.joints:
        if isinstance(joint.type, Screw) and added:
            _couple_screw(work, joint.type, added)
        add_actuation(work.spec, work.bodies[model.name], model, joint, added, work.options.time_step, work.report)


def _exclude_pairs(work: _Work) -> None:
    for model in work.world.models:
        if model.static:
            continue
        pairs = list(contacts.joined_pairs(model))
        if model.name in work.masks.without_bits:
            pairs.extend(contacts.pairs_without_bits(model))
        for first, second in pairs:
            pair = work.spec.add_exclude()
            pair.bodyname1, pair.bodyname2 = work.names[model.name, first], work.names[model.name, second]


def _couple_screw(work: _Work, screw: Screw, added: list[Any]) -> None:
    slide, hinge = added
    coupling = work.spec.add_equality()
    coupling.type = mujoco.mjtEq.mjEQ_JOINT
    coupling.name1, coupling.name2 = slide.name, hinge.name
    coupling.data[:5] = screw_coupling(screw)


def _choose_solver(work: _Work) -> None:
    """Choose the integrator and the settings that go with it."""
    option = work.spec.option
    step = work.options.time_step
    explicit = any(is_limited_servo(joint) for _, joint, layout, _ in work.joints if layout is not Layout.NONE)
    integrators = mujoco.mjtIntegrator
    option.integrator = integrators.mjINT_IMPLICITFAST if explicit else integrators.mjINT_DISCRETE
    if explicit:
        work.report.add(rules.SERVO_INTEGRATOR, "a servo with limited effort: the world is stepped implicitly")
    touchable = bool(work.skins) or any(geom is not None for geoms in work.geoms.values() for geom in geoms)
    option.tolerance = 1e-10 if touchable else 1e-12
    if not touchable:
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    for equality in work.spec.equalities:
        equality.solref = deadbeat(step) if explicit else deadbeat_discrete(step)
        equality.solimp = EQUALITY_IMPEDANCE


def _finish(work: _Work) -> Compiled:
    model = _engine_model(work)
    joints: dict[str, dict[str, JointIndex]] = {name: {} for name in work.world.models.names()}
    for owner, joint, layout, added in work.joints:
        joints[owner.name][joint.name] = _joint_index(work, model, owner, joint, layout, added)
    bodies = {
        owner.name: {
            body.name: BodyIndex(
                model=owner,
                body=body,
                number=work.bodies[owner.name][body.name].id,
                geoms=tuple([None if geom is None else geom.id for geom in work.geoms[owner.name, body.name]]),
                skin=work.skins[owner.name, body.name].id if (owner.name, body.name) in work.skins else None,
            )
            for body in owner.bodies
        }
        for owner in work.world.models
    }
    return Compiled(spec=work.spec, model=model, index=Index(joints, bodies))


def _engine_model(work: _Work) -> Any:
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
    return model


def _joint_index(work: _Work, model: Any, owner: Model, joint: Joint, layout: Layout, added: list[Any]) -> JointIndex:
    first = added[0].id if added else None
    outer = owner.pose if joint.parent is None else IDENTITY
    return JointIndex(
        model=owner.name,
        joint=joint,
        layout=layout,
        body=work.bodies[owner.name][joint.child].id,
        qpos=-1 if first is None else int(model.jnt_qposadr[first]),
        dof=-1 if first is None else int(model.jnt_dofadr[first]),
        pose_parent_joint=outer @ pose_parent_joint(owner, joint),
    )
