"""Bodies and shapes of a World → bodies and shapes of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import connections, swaps_axes
from ossature.model import Body, Collision, Force6D, Geometry, Joint, Material, Model, World
from ossature.simulation import rules
from ossature.simulation.compile import collision_filter
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.contact_settings import ContactOptions, restitution_of
from ossature.simulation.compile.force_elements import CompiledCoordinate, Elements
from ossature.simulation.compile.geoms import ShapeBuilder
from ossature.simulation.compile.grasps import GraspPlan
from ossature.simulation.compile.inertia import SubstitutedInertia, set_inertia, set_negligible_inertia
from ossature.simulation.compile.integrator_choice import DEFAULT_STEP_CONTROL, Integrator, StepControl
from ossature.simulation.compile.joints import JointSettings
from ossature.spatial import Pose

SEEN_GROUP = 2
"""The engine's group of shapes that are seen."""
UNSEEN_GROUP = 3
"""The engine's group of shapes that its viewers show only when asked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """How to compile.

    Attributes:
        time_step: The step [s].
        enforce_limits: Whether position limits act.
        with_visuals: Whether visual shapes are built too; simulation does without them.
        contact: How contacts act.
        integrator: The integrator; the one that suits the model if not given.
        step_control: How steps are divided.
    """

    time_step: float
    enforce_limits: bool = True
    with_visuals: bool = False
    contact: ContactOptions = field(default_factory=ContactOptions)
    integrator: Integrator | None = None
    step_control: StepControl = DEFAULT_STEP_CONTROL


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledJoint:
    """A joint in the engine.

    Attributes:
        model: Its model.
        joint: The joint.
        built: The joint as it was built, perhaps with parent and child exchanged.
        layout: How it was built.
        added: The engine's joints that it consists of.
        body: The engine's body that moves by it.
        parent: The engine's body that carries that one.
    """

    model: Model
    joint: Joint
    built: Joint
    layout: JointLayout
    added: list[Any]
    body: Any
    parent: Any

    @property
    def in_joint_order(self) -> list[Any]:
        """The engine's joints in the order of the joint's own coordinates."""
        is_reversed = self.built.child != self.joint.child
        return self.added[::-1] if is_reversed and swaps_axes(self.joint.type) else self.added


@dataclass(slots=True)
class CompileContext:
    """A compilation under way."""

    world: World
    holding: GraspPlan
    options: CompileOptions
    report: Report
    meshes: MeshStore
    spec: Any
    shapes: ShapeBuilder
    masks: collision_filter.Masks
    names: Mapping[tuple[str, str], str]
    joint_names: Mapping[tuple[str, str], str]
    settings: JointSettings
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    geoms: dict[tuple[str, str], list[Any | None]] = field(default_factory=dict)
    inner_geoms: dict[tuple[str, str], list[Any | None]] = field(default_factory=dict)
    skins: dict[tuple[str, str], Any] = field(default_factory=dict)
    joints: list[CompiledJoint] = field(default_factory=list)
    coordinates: dict[str, list[CompiledCoordinate]] = field(default_factory=dict)
    elements: Elements = field(default_factory=Elements)
    loops: int = 0
    moving: dict[str, set[str]] = field(default_factory=dict)
    friction_ranks: Mapping[float, int] = field(default_factory=dict)
    substituted: list[SubstitutedInertia] = field(default_factory=list)
    materials_reported: set[Material] = field(default_factory=set)
    restitutions: list[tuple[Any, float]] = field(default_factory=list)


def new_compile_context(holding: GraspPlan, meshes: MeshStore, options: CompileOptions, report: Report) -> CompileContext:
    """Return a compilation in which nothing is built yet."""
    world = holding.world
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
    return CompileContext(
        world=world,
        holding=holding,
        options=options,
        report=report,
        meshes=meshes,
        spec=spec,
        shapes=ShapeBuilder(spec, meshes, report),
        masks=collision_filter.masks_of(world),
        friction_ranks=collision_filter.friction_ranks(world),
        names=_engine_names({model.name: model.bodies.names() for model in world.models}),
        joint_names=_engine_names(
            {model.name: [connection.label for connection in connections(model)] for model in world.models}
        ),
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


def add_body(
    work: CompileContext,
    model: Model,
    body: Body,
    parent: Any,
    pose: Pose,
    *,
    moves: bool,
    is_attached: bool = False,
    has_own_joint: bool = False,
    share: float = 1.0,
) -> Any:
    """Add a body to the engine, with its shapes, and its mass or a share of it where it moves.

    Args:
        work: The compilation.
        model: Its model.
        body: The body.
        parent: The engine's body that carries it.
        pose: Where it is in that one.
        moves: Whether it can move.
        is_attached: Whether it moves well without mass.
        has_own_joint: Whether it can move against the body that carries it.
        share: Which share of its mass it gets.
    """
    path = f"{model.name}/{body.name}"
    engine_body = parent.add_body()
    engine_body.name = work.names[model.name, body.name]
    engine_body.pos, engine_body.quat = pose.position, pose.wxyz
    if not body.gravity:
        engine_body.gravcomp = 1.0
    if moves and is_attached:
        set_negligible_inertia(engine_body)
    elif moves or _is_felt(model):
        _set_body_inertia(work, engine_body, body, path, work.report, share, has_own_joint=has_own_joint)
    _add_shapes(work, model, body, engine_body, path, moves=moves)
    work.bodies.setdefault(model.name, {})[body.name] = engine_body
    return engine_body


def _is_felt(model: Model) -> bool:
    """Whether somebody feels the weight of bodies that never move, which need no mass otherwise."""
    return not model.static and any(isinstance(sensor.description, Force6D) for sensor in model.sensors)


def _add_shapes(work: CompileContext, model: Model, body: Body, engine_body: Any, path: str, *, moves: bool) -> None:
    mask = work.masks.of(model, body)
    key = (model.name, body.name)
    work.geoms[key] = _add_collisions(work, body.collisions, engine_body, mask, path, moves=moves)
    inner = work.masks.of_self_collisions(model, body)
    # Shapes that touch nothing would only cost time.
    inner_shapes = (body.self_collisions or ()) if inner != collision_filter.CLOSED else ()
    work.inner_geoms[key] = _add_collisions(work, inner_shapes, engine_body, inner, path, moves=moves)
    if body.soft_skin is not None:
        _add_soft_skin(work, model, body, engine_body, mask, path, moves=moves)
    if work.options.with_visuals:
        _add_visuals(work, body, engine_body, path, moves=moves)


def _add_collisions(
    work: CompileContext,
    collisions: Sequence[Collision],
    engine_body: Any,
    mask: collision_filter.Mask,
    path: str,
    *,
    moves: bool,
) -> list[Any | None]:
    geoms: list[Any | None] = []
    for collision in collisions:
        geom = work.shapes.add(
            engine_body, collision.geometry, collision.pose, path=path, location=collision.origin, moves=moves
        )
        if geom is not None:
            collision_filter.apply(mask if collision.enabled else collision_filter.CLOSED, geom)
            geom.margin = collision.margin
            if collision.material is not None:
                _rub(work, geom, collision.material, path)
        geoms.append(geom)
    return geoms


def _rub(work: CompileContext, geom: Any, material: Material, path: str) -> None:
    friction = collision_filter.friction_of(material)
    geom.friction[0] = friction
    geom.priority = work.friction_ranks[friction]
    work.restitutions.append((geom, restitution_of(material)))
    ignored = _NOT_SIMULATED if work.options.contact.are_rigid else ("restitution", *_NOT_SIMULATED)
    stated = [name for name in ignored if getattr(material, name) is not None]
    if stated and material not in work.materials_reported:
        work.materials_reported.add(material)
        names = ", ".join(name.replace("_", " ") for name in stated)
        kind = "rigid" if work.options.contact.are_rigid else "those of the options"
        message = f"material '{material.name}': {names} do not act, contacts are {kind}"
        work.report.add(rules.MATERIAL_NOT_SIMULATED, message, path=path)


_NOT_SIMULATED = (
    "young_modulus",
    "poisson_ratio",
    "normal_stiffness",
    "normal_damping",
    "tangential_stiffness",
    "tangential_damping",
)


def _add_soft_skin(
    work: CompileContext, model: Model, body: Body, engine_body: Any, mask: collision_filter.Mask, path: str, *, moves: bool
) -> None:
    skin = body.soft_skin
    assert skin is not None  # noqa: S101  # the caller looked
    work.report.add(rules.SOFT_AS_RIGID, f"{path}: its surface does not deform", skin.origin, path=path)
    geometry: Geometry = skin.geometry
    geom = work.shapes.add(engine_body, geometry, skin.pose, path=path, location=skin.origin, moves=moves)
    if geom is not None:
        collision_filter.apply(mask, geom)
        work.skins[model.name, body.name] = geom


def _add_visuals(work: CompileContext, body: Body, engine_body: Any, path: str, *, moves: bool) -> None:
    for visual in body.visuals:
        geom = work.shapes.add(engine_body, visual.geometry, visual.pose, path=path, location=visual.origin, moves=moves)
        if geom is not None:
            collision_filter.apply(collision_filter.CLOSED, geom)
            geom.group = SEEN_GROUP if visual.visible else UNSEEN_GROUP
            geom.mass = 0.0
            if visual.color is not None:
                geom.rgba = visual.color


def add_clone(work: CompileContext, model: Model, body: Body, carrier: str | None, number: int, share: float) -> Any:
    """Add a clone of a body with a share of its mass, in the place of the original, carried by another one."""
    parent = work.spec.worldbody if carrier is None else work.bodies[model.name][carrier]
    outer = model.pose if carrier is None else Pose()
    pose = outer @ model.body_pose(carrier).inverse() @ body.pose
    clone = parent.add_body()
    clone.name = f"{work.names[model.name, body.name]} clone {number}"
    clone.pos, clone.quat = pose.position, pose.wxyz
    if not body.gravity:
        clone.gravcomp = 1.0
    path = f"{model.name}/{body.name}"
    _set_body_inertia(work, clone, body, path, Report(), share, has_own_joint=False)  # the original has reported what there is
    return clone


def _set_body_inertia(
    work: CompileContext, engine_body: Any, body: Body, path: str, report: Report, share: float, *, has_own_joint: bool
) -> None:
    substituted = set_inertia(engine_body, body, path, work.meshes, report, has_own_joint=has_own_joint, share=share)
    if substituted is not None:
        work.substituted.append(substituted)
