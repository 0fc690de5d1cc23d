"""Compilation of a World to the engine's model, and the map between the two.

The engine's bodies are the model's bodies, with the same frames; a static model's bodies are children of the world. Root
bodies of a moving model have a floating base.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import mujoco

from ossature.assets import MeshStore
from ossature.diagnostics import Report, Severity
from ossature.formats.mjcf.exclude_overlapping_links import is_mjcf_file
from ossature.kinematics import FormulaError, Tree, spanning_tree, with_initial_coupled_positions
from ossature.kinematics.initial_limit_violations import (
    InitialLimitViolation,
    clamp_initial_positions,
    find_initial_limit_violations,
)
from ossature.kinematics.rules import INITIAL_VALUE_OUTSIDE_LIMITS
from ossature.model import UNBOUNDED, ActiveGrasp, Actuation, ChronoContact, Coordinate, Joint, Model, Screw, World, hint_of
from ossature.model.value_text import quoted_names
from ossature.simulation.compile import collision_filter, rules
from ossature.simulation.compile.compile_context import CompileContext, CompileOptions, new_compile_context
from ossature.simulation.compile.compile_joint_couplings import add_couplings
from ossature.simulation.compile.compile_mjcf_world import compile_mjcf_world, is_mjcf_world
from ossature.simulation.compile.contact_model import LinkOverlap
from ossature.simulation.compile.electric_motors import add_electric_motors
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.engine_spec import SpecEquality, SpecExclude, SpecJoint
from ossature.simulation.compile.finish_compilation import finish_compilation
from ossature.simulation.compile.grasp_attachment import add_grasp_welds, initial_grasps, plan_grasps, plan_welds
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.compile.joint_actuation import add_actuation, is_limited_servo
from ossature.simulation.compile.joints import screw_coupling
from ossature.simulation.compile.kinematic_tree import add_moving_model, add_static_model
from ossature.simulation.compile.link_overlaps import (
    find_link_overlaps,
    has_same_geometry,
    ignore_overlaps,
    report_overlaps,
)
from ossature.simulation.compile.parameter_update import NeedsCompilingError
from ossature.simulation.compile.report_initial_commands import report_initial_commands
from ossature.simulation.compile.report_unsupported_elements import report_unsupported_elements, report_unsupported_option
from ossature.simulation.compile.report_unsupported_sdf_content import report_unsupported_sdf_content
from ossature.simulation.compile.simulation_error import SimulationError

DEEPEST_CHAIN = 1000
"""Largest number of bodies in a chain; the engine's own limit is slightly larger."""


def compile_world(
    world: World,
    meshes: MeshStore,
    options: CompileOptions,
    report: Report,
    grasps: Sequence[ActiveGrasp] | None = None,
    *,
    commanded: frozenset[tuple[str, str]] = frozenset(),
    base: EngineModel | None = None,
    known: EngineModel | None = None,
) -> EngineModel:
    """Return a World compiled for the engine.

    Args:
        grasps: The active grasps; those that the World specifies for time zero if None.
        commanded: Model and name of the joints with commanded forces: grasps of bodies with such a floating joint are welds.
        base: A compiled World that differs in numbers only: its engine model is changed instead of compiling one.
        known: A compiled World of which meshes and bodies that are the same are not examined again; by default ``base``.

    Raises:
        SimulationError: It cannot be simulated; the report has the reasons.
        NeedsCompilingError: It differs from ``base`` in more than numbers that can be changed.
    """
    if is_mjcf_world(world, options):
        return _compile_for_mujoco(world, meshes, options, report, grasps)
    if options.integrator is Integrator.MUJOCO:
        report.add(rules.UNSUITABLE_INTEGRATOR, "mujoco: the World does not state MuJoCo's options", world.origin)
        raise SimulationError(report)
    overlaps = () if base is None else base.contacts.ignored_overlaps
    compiled = _compile(ignore_overlaps(world, overlaps), meshes, options, report, grasps, commanded, base, known=known or base)
    if base is not None:
        _require_same_overlaps(base, compiled)
    elif options.contact.ignore_link_overlaps:
        overlaps = find_link_overlaps(compiled)
        if overlaps:
            world, findings = ignore_overlaps(world, overlaps), Report()  # all others have been reported
            compiled = _compile(world, meshes, options, findings, grasps, commanded, known=compiled)
    if not overlaps:
        return compiled
    report_overlaps(world, overlaps, report)
    return _with_ignored_overlaps(compiled, overlaps)


def _compile_for_mujoco(
    world: World, meshes: MeshStore, options: CompileOptions, report: Report, grasps: Sequence[ActiveGrasp] | None
) -> EngineModel:
    """Return a World compiled by MuJoCo, which compiles it anew also for other numbers."""
    if options.enforce_limits:
        _report_specified_violations(_with_specified_positions(world), report)
    active = initial_grasps(world, report) if grasps is None else grasps
    compiled = compile_mjcf_world(world, meshes, options, report, plan_welds(world, active))
    # An MJCF file states with bits which shapes collide; in a stage of OpenUSD all shapes of a robot do by default.
    overlaps = find_link_overlaps(compiled) if options.contact.ignore_link_overlaps and not is_mjcf_file(world) else ()
    if not overlaps:
        return compiled
    report_overlaps(world, overlaps, report)
    filtered = ignore_overlaps(world, overlaps)
    findings = Report()  # all others have been reported
    return _with_ignored_overlaps(
        compile_mjcf_world(filtered, meshes, options, findings, plan_welds(filtered, active)), overlaps
    )


def _with_ignored_overlaps(compiled: EngineModel, overlaps: tuple[LinkOverlap, ...]) -> EngineModel:
    return replace(compiled, contacts=replace(compiled.contacts, ignored_overlaps=overlaps))


def _require_same_overlaps(base: EngineModel, changed: EngineModel) -> None:
    """Require that the links of a World with other numbers overlap as those of a compiled World at the start.

    Raises:
        NeedsCompilingError: They may not.
    """
    if not changed.contacts.options.ignore_link_overlaps or not (base.contacts.ignored_overlaps or find_link_overlaps(changed)):
        return
    if not has_same_geometry(base, changed):
        raise NeedsCompilingError("a change of overlaps of links at the start needs compiling the World")


def _compile(
    world: World,
    meshes: MeshStore,
    options: CompileOptions,
    report: Report,
    grasps: Sequence[ActiveGrasp] | None,
    commanded: frozenset[tuple[str, str]],
    base: EngineModel | None = None,
    *,
    known: EngineModel | None,
) -> EngineModel:
    """Return a compiled World in which overlaps of links are not examined; see :func:`compile_world`.

    Args:
        known: A compiled World that may have the same meshes and inertias, or None.
    """
    world = _without_reversed_limits(world, report) if options.enforce_limits else world
    world = _with_coupled_positions(_clamp_unspecified_positions(world, report) if options.enforce_limits else world, report)
    if options.enforce_limits:
        _report_specified_violations(world, report)
    report_initial_commands(world, report)
    report_unsupported_option(world, report)
    grasp_plan = plan_grasps(world, initial_grasps(world, report) if grasps is None else grasps, commanded)
    remembered = () if known is None else (known.shapes, known.inertias)
    work = new_compile_context(grasp_plan, meshes, options, report, *remembered)
    for model in grasp_plan.models():
        tree = spanning_tree(model)
        _report_structure(model, tree, report)
        if options.enforce_limits and not model.static:
            _report_velocity_limits(model, report)
        if not model.static:
            report_unsupported_elements(model, report, are_contacts_rigid=options.contact.are_rigid)
            report_unsupported_sdf_content(world, model, report)
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
    add_grasp_welds(work.spec, grasp_plan, lambda body: work.names[body.model, body.body])
    has_servo = _choose_solver(work)
    return finish_compilation(work, has_servo, couplings, base)


def _with_models(world: World, change: Callable[[Model], Model]) -> World:
    """Return a World with changed models; the same World if none changes."""
    models = world.models.map(change)
    is_changed = any(new is not old for new, old in zip(models, world.models, strict=True))
    return replace(world, models=models) if is_changed else world


def _clamp_unspecified_positions(world: World, report: Report) -> World:
    """Return a World whose unspecified initial positions are within the limits; each change is a finding."""
    for model in world.models:
        if not model.static:
            for violation in find_initial_limit_violations(model):
                if not violation.is_kept:
                    _report_initial_violation(model, violation, report)
    return _with_models(world, lambda model: model if model.static else clamp_initial_positions(model))


def _with_specified_positions(world: World) -> World:
    """Return a World that states all positions: MuJoCo starts at zero also outside of the limits."""
    return _with_models(world, lambda model: replace(model, joints=model.joints.map(_with_specified_position)))


def _with_specified_position(joint: Joint) -> Joint:
    return replace(joint, coordinates=tuple([replace(each, states_position=True) for each in joint.coordinates]))


def _report_specified_violations(world: World, report: Report) -> None:
    for model in world.models:
        if not model.static:
            for violation in find_initial_limit_violations(model):
                if violation.is_kept:
                    _report_initial_violation(model, violation, report)


def _report_initial_violation(model: Model, violation: InitialLimitViolation, report: Report) -> None:
    joint = violation.joint
    report.add(INITIAL_VALUE_OUTSIDE_LIMITS, violation.message, joint.origin, path=f"{model.name}/{joint.name}")


def _with_coupled_positions(world: World, report: Report) -> World:
    """Return a World in which coupled coordinates have the initial positions that their formulas give."""
    return _with_models(world, lambda model: _with_model_coupled_positions(model, report))


def _with_model_coupled_positions(model: Model, report: Report) -> Model:
    try:
        return with_initial_coupled_positions(model)
    except FormulaError as error:
        report.add(rules.UNSOLVABLE_COUPLING, str(error), error.origin, path=f"{model.name}/{error.position.joint}")
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
            rules.CHAIN_TOO_DEEP,
            f"'{deepest.body.name}' is body {deepest.depth + 1} of its chain; the engine supports {DEEPEST_CHAIN}",
            deepest.body.origin,
            path=f"{model.name}/{deepest.body.name}",
        )


def _without_reversed_limits(world: World, report: Report) -> World:
    """Return a World without position limits whose lower end is above the upper one; each of them is a finding."""
    return _with_models(world, lambda model: _without_reversed_limits_in_model(model, report))


def _without_reversed_limits_in_model(model: Model, report: Report) -> Model:
    joints = [joint for joint in model.joints if _is_reversed(joint)]
    if model.static or not joints:
        return model
    changed = {}
    for joint in joints:
        for coordinate in filter(_has_reversed_limits, joint.coordinates):
            limits = coordinate.position_limits
            message = f"joint '{joint.name}': the lower limit {limits.lower:g} is above the upper limit {limits.upper:g}"
            report.add(
                rules.IMPASSABLE_LIMITS.with_severity(Severity.WARNING),
                f"{message}: simulated without these limits",
                joint.origin,
                path=f"{model.name}/{joint.name}",
            )
        unlimited = [
            replace(coordinate, position_limits=UNBOUNDED) if _has_reversed_limits(coordinate) else coordinate
            for coordinate in joint.coordinates
        ]
        changed[joint.name] = replace(joint, coordinates=tuple(unlimited))
    return replace(model, joints=model.joints.map(lambda joint: changed.get(joint.name, joint)))


def _has_reversed_limits(coordinate: Coordinate) -> bool:
    return coordinate.position_limits.lower > coordinate.position_limits.upper


def _is_reversed(joint: Joint) -> bool:
    return joint.actuation is not Actuation.LOCKED and any(map(_has_reversed_limits, joint.coordinates))


def _report_velocity_limits(model: Model, report: Report) -> None:
    limited = [joint for joint in model.joints if any(coordinate.velocity_limits.bounded for coordinate in joint.coordinates)]
    if limited:
        names = quoted_names(joint.name for joint in limited)
        count = f"{len(limited)} joints" if len(limited) > 1 else "a joint"
        message = f"'{model.name}': the velocity limits of {count} are not enforced: {names}"
        report.add(rules.UNENFORCED_VELOCITY_LIMIT, message, limited[0].origin, path=model.name)


def _drive_joints(work: CompileContext) -> None:
    for entry in work.joints:
        if isinstance(entry.built.type, Screw) and entry.added:
            _couple_screw(work, entry.built.type, entry.added)
        bodies = work.bodies[entry.model.name]
        step = work.options.time_step
        add_actuation(work.spec, bodies, entry.model, entry.joint, entry.built, entry.in_joint_order, step, work.report)


def _exclude_pairs(work: CompileContext) -> None:
    for model in work.world.models:
        if model.static:
            continue
        pairs = collision_filter.excluded_pairs(model)
        if model.name in work.masks.without_bits:
            pairs.extend(collision_filter.pairs_without_bits(model))
            _report_ignored_shapes(work, model)
        _exclude_points(work, model, pairs)
        for first, second in {frozenset(pair): pair for pair in pairs}.values():
            names = work.names[model.name, first], work.names[model.name, second]
            work.spec.excludes.append(SpecExclude(bodyname1=names[0], bodyname2=names[1]))


def _exclude_points(work: CompileContext, model: Model, pairs: Sequence[tuple[str, str]]) -> None:
    """Exclude the points of soft skins from collisions with their own body, and with those that it does not collide with."""
    for body in model.bodies:
        partners = {body.name, *itertools.chain(*[pair for pair in pairs if body.name in pair])}
        for number in range(len(work.points.get((model.name, body.name), ()))):
            point = f"{work.names[model.name, body.name]} point {number}"
            others = [work.names[model.name, name] for name in partners if name in model.bodies]
            work.spec.excludes.extend(SpecExclude(bodyname1=other, bodyname2=point) for other in sorted(others))


def _report_ignored_shapes(work: CompileContext, model: Model) -> None:
    if collision_filter.has_inner_shapes(model):
        message = f"'{model.name}': its self-collision shapes collide with nothing"
        work.report.add(rules.SELF_COLLISIONS_DROPPED, message, model.origin, path=model.name)


def _couple_screw(work: CompileContext, screw: Screw, added: list[SpecJoint]) -> None:
    slide, hinge = added
    coupling = SpecEquality(type=mujoco.mjtEq.mjEQ_JOINT, name1=slide.name, name2=hinge.name)
    coupling.data[:5] = screw_coupling(screw)
    work.spec.equalities.append(coupling)


def _choose_solver(work: CompileContext) -> bool:
    """Set the solver options that every integrator shares; return whether a servo needs the implicit integrator."""
    option = work.spec.option
    has_servo = any(is_limited_servo(entry.joint) for entry in work.joints if entry.added)
    shapes = [geom for geoms in (*work.geoms.values(), *work.inner_geoms.values()) for geom in geoms]
    can_collide = bool(work.skins) or any(geom is not None for geom in shapes)
    if can_collide and hint_of(work.world, ChronoContact) == ChronoContact(method="SMC"):
        work.report.add(
            rules.UNSUPPORTED_PENALTY_CONTACT, "contact method SMC: contacts are simulated as rigid", work.world.origin
        )
    option.tolerance = 1e-12
    if not can_collide:
        option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return has_servo
