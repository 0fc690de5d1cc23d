"""A World → the engine's model, and the map between the two.

The engine's bodies are the model's bodies, with the same frames; a static model's bodies are placed on the world. Bodies
of a moving model that no joint carries float freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mujoco

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import (
    FormulaError,
    Tree,
    spanning_tree,
    with_followers_at_start,
)
from ossature.kinematics.initial_limit_violations import (
    InitialLimitViolation,
    clamp_initial_positions,
    find_initial_limit_violations,
)
from ossature.kinematics.rules import INITIAL_VALUE_OUTSIDE_LIMITS
from ossature.model import ActiveGrasp, Model, NamedList, Screw, World
from ossature.simulation import rules
from ossature.simulation.compile import collision_filter
from ossature.simulation.compile.bodies import CompileContext, CompileOptions, new_compile_context
from ossature.simulation.compile.compiled_world import Compiled, SimulationError
from ossature.simulation.compile.electric_motors import add_electric_motors
from ossature.simulation.compile.finalize import finish
from ossature.simulation.compile.grasps import add_grasp_welds, initial_grasps, plan_grasps
from ossature.simulation.compile.joint_actuation import add_actuation, is_limited_servo
from ossature.simulation.compile.joint_couplings import add_couplings
from ossature.simulation.compile.joints import screw_coupling
from ossature.simulation.compile.kinematic_tree import add_moving_model, add_static_model

DEEPEST_CHAIN = 1000
"""Bodies in one chain that the engine carries; its own limit is a little above."""


def compile_world(
    world: World, meshes: MeshStore, options: CompileOptions, report: Report, held: Sequence[ActiveGrasp] | None = None
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
    world = _with_followers(_with_starts(world, report) if options.enforce_limits else world, report)
    if options.enforce_limits:
        _report_starts(world, report)
    holding = plan_grasps(world, initial_grasps(world, report) if held is None else held)
    work = new_compile_context(holding, meshes, options, report)
    for model in holding.models():
        tree = spanning_tree(model)
        _report_structure(model, tree, report)
        if options.enforce_limits and not model.static:
            _report_limits(model, report)
            _report_velocity_limits(model, report)
        if report.has_errors:
            continue
        if model.static:
            add_static_model(work, model, tree)
        else:
            add_moving_model(work, model, tree)
    if report.has_errors:
        raise SimulationError(report)
    _drive_joints(work)
    add_electric_motors(work)
    work.elements.sort(world.models.names())
    couplings = add_couplings(work)
    if report.has_errors:
        raise SimulationError(report)
    _exclude_pairs(work)
    add_grasp_welds(work.spec, holding, lambda body: work.names[body.model, body.body])
    servo = _choose_solver(work)
    return finish(work, servo, couplings)


def _with_starts(world: World, report: Report) -> World:
    """Return a World in which what would start at a zero outside its limits starts at a limit; a finding says so."""
    for model in world.models:
        if not model.static:
            for start in find_initial_limit_violations(model):
                if not start.is_kept:
                    _report_start(model, start, report)
    return replace(world, models=NamedList([m if m.static else clamp_initial_positions(m) for m in world.models]))


def _report_starts(world: World, report: Report) -> None:
    """Report what starts outside its limits all the same."""
    for model in world.models:
        if not model.static:
            for start in find_initial_limit_violations(model):
                if start.is_kept:
                    _report_start(model, start, report)


def _report_start(model: Model, start: InitialLimitViolation, report: Report) -> None:
    report.add(INITIAL_VALUE_OUTSIDE_LIMITS, start.message, start.joint.origin, path=f"{model.name}/{start.joint.name}")


def _with_followers(world: World, report: Report) -> World:
    """Return a World in which joints that follow others state where they start."""
    return replace(world, models=NamedList([_placed(model, report) for model in world.models]))


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


def _report_limits(model: Model, report: Report) -> None:
    for joint in model.joints:
        for coordinate in joint.coordinates:
            lower, upper = coordinate.position_limits.lower, coordinate.position_limits.upper
            if lower > upper:
                message = f"joint '{joint.name}' may not go below {lower:g}, nor above {upper:g}"
                report.add(rules.IMPASSABLE_LIMITS, message, joint.origin, path=f"{model.name}/{joint.name}")


def _report_velocity_limits(model: Model, report: Report) -> None:
    limited = [joint for joint in model.joints if any(coordinate.velocity_limits.bounded for coordinate in joint.coordinates)]
    if limited:
        named = ", ".join([f"'{joint.name}'" for joint in limited[:_NAMED]]) + (", …" if len(limited) > _NAMED else "")
        message = f"'{model.name}': the velocity limits of {len(limited)} joints do not act: {named}"
        report.add(rules.UNENFORCED_VELOCITY, message, limited[0].origin, path=model.name)


_NAMED = 8


def _drive_joints(work: CompileContext) -> None:
    for entry in work.joints:
        if isinstance(entry.built.type, Screw) and entry.added:
            _couple_screw(work, entry.built.type, entry.added)
        bodies = work.bodies[entry.model.name]
        add_actuation(work.spec, bodies, entry.model, entry.joint, entry.in_joint_order, work.options.time_step, work.report)


def _exclude_pairs(work: CompileContext) -> None:
    for model in work.world.models:
        if model.static:
            continue
        pairs = collision_filter.excluded_pairs(model)
        if model.name in work.masks.without_bits:
            pairs.extend(collision_filter.pairs_without_bits(model))
            _report_idle_shapes(work, model)
        for first, second in {frozenset(pair): pair for pair in pairs}.values():
            pair = work.spec.add_exclude()
            pair.bodyname1, pair.bodyname2 = work.names[model.name, first], work.names[model.name, second]


def _report_idle_shapes(work: CompileContext, model: Model) -> None:
    if collision_filter.has_inner_shapes(model):
        message = f"'{model.name}': shapes that are meant for its own bodies touch nothing"
        work.report.add(rules.TOO_MANY_SELF_COLLISIONS, message, model.origin, path=model.name)


def _couple_screw(work: CompileContext, screw: Screw, added: list[Any]) -> None:
    slide, hinge = added
    coupling = work.spec.add_equality()
    coupling.type = mujoco.mjtEq.mjEQ_JOINT
    coupling.name1, coupling.name2 = slide.name, hinge.name
    coupling.data[:5] = screw_coupling(screw)


def _choose_solver(work: CompileContext) -> bool:
    """Choose the settings that hold for every way of stepping; return whether a servo needs its own."""
    option = work.spec.option
    servo = any(is_limited_servo(entry.joint) for entry in work.joints if entry.added)
    shapes = [geom for geoms in (*work.geoms.values(), *work.inner_geoms.values()) for geom in geoms]
    touchable = bool(work.skins) or any(geom is not None for geom in shapes)
    if touchable and any((e.key, e.value) == ("contact_method", "SMC") for e in work.world.extensions):
        work.report.add(rules.SMOOTH_CONTACT, "the contact method SMC: contacts are hard here", work.world.origin)
    option.tolerance = 1e-12
    if not touchable:
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return servo
