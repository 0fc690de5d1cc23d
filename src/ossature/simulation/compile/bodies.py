"""Compilation of the bodies and shapes of a World to bodies and geoms of the engine."""

from __future__ import annotations

from collections.abc import Sequence

from ossature.diagnostics import Report
from ossature.model import Body, Collision, Force6D, Geometry, Material, Model
from ossature.simulation.compile import collision_filter, rules
from ossature.simulation.compile.compile_context import CompileContext
from ossature.simulation.compile.contact_friction import contact_dimension, friction_of
from ossature.simulation.compile.contact_model import restitution_of
from ossature.simulation.compile.engine_spec import SpecBody, SpecGeom
from ossature.simulation.compile.inertia import KnownInertia, set_inertia, set_negligible_inertia
from ossature.simulation.compile.soft_skins import add_soft_skin, has_deformable_skin, why_rigid
from ossature.spatial import Pose

VISIBLE_GROUP = 2
"""Engine group of visible geoms."""
HIDDEN_GROUP = 3
"""Engine group of geoms that viewers hide by default."""


def add_body(
    work: CompileContext,
    model: Model,
    body: Body,
    parent: SpecBody,
    pose: Pose,
    *,
    moves: bool,
    is_attached: bool = False,
    has_own_joint: bool = False,
    share: float = 1.0,
) -> SpecBody:
    """Add a body to the engine, with its shapes, and its mass or a share of it if it moves.

    Args:
        pose: Its pose in the parent.
        moves: Whether it can move.
        is_attached: Whether it needs no mass, because it is fixed to a body that has one.
        has_own_joint: Whether it can move relative to its parent.
        share: The share of its mass.
    """
    path = f"{model.name}/{body.name}"
    engine_body = parent.add_body()
    engine_body.name = work.names[model.name, body.name]
    engine_body.pos, engine_body.quat = pose.position, pose.wxyz
    engine_body.gravcomp = _compensation_of(body)
    deforms = moves and share == 1.0 and has_deformable_skin(body)
    if moves and is_attached:
        set_negligible_inertia(engine_body)
    elif moves or _needs_weights_of_fixed_bodies(model):
        _set_body_inertia(work, engine_body, body, path, work.report, share, has_own_joint=has_own_joint, with_skin=not deforms)
    _add_shapes(work, model, body, engine_body, path, moves=moves, deforms=deforms)
    if deforms:
        add_soft_skin(work, model, body, engine_body)
    work.bodies.setdefault(model.name, {})[body.name] = engine_body
    return engine_body


def _compensation_of(body: Body) -> float:
    """Return the part of the weight of a body that does not act."""
    return body.gravity_compensation if body.gravity else 1.0


def _needs_weights_of_fixed_bodies(model: Model) -> bool:
    """Whether a force sensor may measure the weight of bodies that never move, which need no mass otherwise."""
    return not model.static and any(isinstance(sensor.description, Force6D) for sensor in model.sensors)


def _add_shapes(
    work: CompileContext, model: Model, body: Body, engine_body: SpecBody, path: str, *, moves: bool, deforms: bool
) -> None:
    mask = work.masks.of(model, body)
    key = (model.name, body.name)
    work.geoms[key] = _add_collisions(work, body.collisions, engine_body, mask, path, moves=moves)
    inner = work.masks.of_self_collisions(model, body)
    # Shapes that collide with nothing would only cost time.
    inner_shapes = (body.self_collisions or ()) if inner != collision_filter.CLOSED else ()
    work.inner_geoms[key] = _add_collisions(work, inner_shapes, engine_body, inner, path, moves=moves)
    if body.soft_skin is not None:
        _add_soft_skin_shape(work, model, body, engine_body, moves=moves, deforms=deforms)
    if work.options.with_visuals:
        _add_visuals(work, body, engine_body, path, moves=moves)


def _add_collisions(
    work: CompileContext,
    collisions: Sequence[Collision],
    engine_body: SpecBody,
    mask: collision_filter.Mask,
    path: str,
    *,
    moves: bool,
) -> list[SpecGeom | None]:
    geoms: list[SpecGeom | None] = []
    for collision in collisions:
        geom = work.shapes.add(
            engine_body, collision.geometry, collision.pose, path=path, location=collision.origin, moves=moves
        )
        if geom is not None:
            collision_filter.apply_mask(mask if collision.enabled else collision_filter.CLOSED, geom)
            geom.margin = collision.margin
            if collision.material is not None:
                _set_contact_material(work, geom, collision.material, path)
        geoms.append(geom)
    return geoms


def _set_contact_material(work: CompileContext, geom: SpecGeom, material: Material, path: str) -> None:
    friction = friction_of(material)
    geom.friction[0] = friction
    if not work.options.contact.are_rigid:
        geom.condim = contact_dimension(material)
        geom.friction[1:] = [material.torsional_friction or 0.0, material.rolling_friction or 0.0]
    geom.priority = work.friction_ranks[friction]
    work.restitutions.append((geom, restitution_of(material)))
    ignored = _IGNORED_PARAMETERS if work.options.contact.are_rigid else ("restitution", *_IGNORED_PARAMETERS)
    specified = [name for name in ignored if getattr(material, name) is not None]
    if specified and material not in work.materials_reported:
        work.materials_reported.add(material)
        names = ", ".join(name.replace("_", " ") for name in specified)
        contacts = "contacts are rigid" if work.options.contact.are_rigid else "the contact options apply"
        message = f"material '{material.name}': {names} ignored; {contacts}"
        work.report.add(rules.UNSUPPORTED_CONTACT_MATERIAL, message, path=path)


_IGNORED_PARAMETERS = (
    "young_modulus",
    "poisson_ratio",
    "normal_stiffness",
    "normal_damping",
    "tangential_stiffness",
    "tangential_damping",
)


def _add_soft_skin_shape(
    work: CompileContext, model: Model, body: Body, engine_body: SpecBody, *, moves: bool, deforms: bool
) -> None:
    """Add the undeformed surface of a soft body; if that deforms, only points of other soft bodies touch it."""
    skin, path = body.soft_skin, f"{model.name}/{body.name}"
    assert skin is not None  # noqa: S101  # checked by the caller
    if not deforms:
        reason = (why_rigid(body) if moves else "it cannot move") or "it closes a loop"
        message = f"{path}: the surface does not deform; its {skin.mass:g} kg are fixed to the body: {reason}"
        work.report.add(rules.SOFT_BODY_SIMULATED_AS_RIGID, message, skin.origin, path=path)
    geometry: Geometry = skin.geometry
    geom = work.shapes.add(engine_body, geometry, skin.pose, path=path, location=skin.origin, moves=moves)
    if geom is not None:
        collision_filter.apply_mask(work.masks.of_skin(model) if deforms else work.masks.of(model, body), geom)
        work.skins[model.name, body.name] = geom


def _add_visuals(work: CompileContext, body: Body, engine_body: SpecBody, path: str, *, moves: bool) -> None:
    for visual in body.visuals:
        geom = work.shapes.add(engine_body, visual.geometry, visual.pose, path=path, location=visual.origin, moves=moves)
        if geom is not None:
            collision_filter.apply_mask(collision_filter.CLOSED, geom)
            geom.group = VISIBLE_GROUP if visual.visible else HIDDEN_GROUP
            geom.mass = 0.0
            if visual.color is not None:
                geom.rgba = visual.color


def add_clone(
    work: CompileContext, model: Model, body: Body, parent: SpecBody, number: int, share: float, *, moves: bool
) -> SpecBody:
    """Add a clone of a body with a share of its mass, as a child of another body, whose frame it has until it is placed.

    That of a body which cannot move has no weight: the original has all of it.
    """
    clone = parent.add_body()
    clone.name = f"{work.names[model.name, body.name]} clone {number}"
    clone.gravcomp = _compensation_of(body) if moves else 1.0
    path = f"{model.name}/{body.name}"
    _set_body_inertia(work, clone, body, path, Report(), share, has_own_joint=False)  # reported for the original
    return clone


def place_at_body(engine_body: SpecBody, model: Model, body: Body, parent_name: str | None) -> None:
    """Set the pose of an engine body, a child of that of another body or of the world, to the initial pose of a body."""
    pose_parent = model.pose if parent_name is None else Pose()
    pose = pose_parent @ model.body_pose(parent_name).inverse() @ body.pose
    engine_body.pos, engine_body.quat = pose.position, pose.wxyz


def _set_body_inertia(
    work: CompileContext,
    engine_body: SpecBody,
    body: Body,
    path: str,
    report: Report,
    share: float,
    *,
    has_own_joint: bool,
    with_skin: bool = True,
) -> None:
    work.weights.setdefault(path, []).append((len(work.spec.all_bodies) - 1, share))  # the body was just added
    key = (path, share)
    known = work.known_inertias.get(key)
    if known is not None and known.body is body:
        known.set_in(engine_body)
        work.inertias[key] = known
        return
    before = len(report)
    substituted = set_inertia(
        engine_body, body, path, work.meshes, report, has_own_joint=has_own_joint, share=share, with_skin=with_skin
    )
    if substituted is not None:
        work.substituted.append(substituted)
    elif len(report) == before:
        work.inertias[key] = KnownInertia.of(engine_body, body)
