"""Compilation of the engine's specification to its model, the choice of the integrator, and the address map."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.kinematics import pose_parent_joint
from ossature.kinematics.initial_body_velocities import moves_at_start
from ossature.kinematics.rules import MOTION_WITHOUT_INERTIA, ZERO_PRINCIPAL_MOMENT
from ossature.model import DartStepping, Model, World, hint_of
from ossature.simulation import rules
from ossature.simulation.compile import rules as compile_rules
from ossature.simulation.compile.address_map import AddressMap, BodyAddress, JointAddress
from ossature.simulation.compile.compile_context import CompileContext, CompiledJoint
from ossature.simulation.compile.compile_joint_couplings import CompiledCoupling
from ossature.simulation.compile.contact_model import ContactParameters, apply_contact_settings, choose_islands
from ossature.simulation.compile.engine_constants import set_constants, use_orientations_of_capsules
from ossature.simulation.compile.engine_enumerations import WELD
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.engine_spec import SpecGeom
from ossature.simulation.compile.inertia import INERTIA_HINT, NEGLIGIBLE, give_extent, set_substituted
from ossature.simulation.compile.integrator_choice import Integrator, IntegratorChoice, choose_integrator
from ossature.simulation.compile.integrator_options import apply_integrator, apply_integrator_to_model
from ossature.simulation.compile.joint_inertia import (
    JointInertia,
    add_armature,
    free_joint_inertia,
    has_floating_base,
    joint_inertia,
    joint_names,
)
from ossature.simulation.compile.parameter_update import update_model
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.spatial import IDENTITY

if TYPE_CHECKING:
    import mujoco


def finish_compilation(
    work: CompileContext, has_servo: bool, couplings: Sequence[CompiledCoupling], base: EngineModel | None
) -> EngineModel:
    """Return the compiled World.

    Args:
        work: The compilation, with everything added.
        has_servo: Whether a servo needs the implicit integrator.
        base: A compiled World whose engine model is changed instead of compiling one, or None.

    Raises:
        SimulationError: The engine rejects it, or the integrator cannot simulate it.
        NeedsCompilingError: It differs from ``base`` in more than numbers that can be changed.
    """
    # The choice depends on the stiffness of the compiled model.
    default = Integrator.IMPLICIT if has_servo else Integrator.DISCRETE
    apply_integrator(default, work.spec)
    apply_contact_settings(work.options.contact, work.spec)
    model = _compile_engine_model(work, base)
    limit_inverse_weights_of_slender_bodies(model)
    choose_islands(model)
    choice = _choose_integrator(work, model, has_servo)
    if choice.integrator is Integrator.IMPLICIT and work.options.integrator is None:
        work.report.add(compile_rules.SERVO_CHANGES_INTEGRATOR, "a servo has an effort limit: the implicit integrator is used")
    apply_integrator_to_model(choice.integrator, model)
    return EngineModel(
        spec=work.spec,
        model=model,
        substituted=tuple(work.substituted),
        has_engine_warnings=any(finding.rule is rules.ENGINE_WARNING for finding in work.report),
        shapes=work.shapes.meshes,
        inertias=work.inertias,
        weights=work.weights,
        index=_address_map(work, model),
        elements=work.elements,
        choice=choice,
        couplings=couplings,
        grasp_plan=work.grasp_plan,
        contacts=ContactParameters(options=work.options.contact, restitution=_restitutions(work, model)),
        is_mechanism=bool(work.elements or work.loops or work.grasp_plan.welded) or has_body_velocity(work.world),
    )


def _restitutions(work: CompileContext, model: mujoco.MjModel) -> Array:
    restitutions = np.zeros(model.ngeom)
    for geom, restitution in work.restitutions:
        restitutions[geom.id] = restitution
    largest, smallest = restitutions.max(initial=0.0), restitutions.min(initial=1.0)
    if largest > smallest and work.options.contact.are_rigid:
        message = f"coefficients of restitution from {smallest:g} to {largest:g}: the smaller of two shapes in contact applies"
        work.report.add(compile_rules.SMALLER_RESTITUTION_USED, message, work.world.origin)
    return restitutions


def _choose_integrator(work: CompileContext, model: mujoco.MjModel, has_servo: bool) -> IntegratorChoice:
    requested = work.options.integrator
    if has_servo and requested in (Integrator.DISCRETE, Integrator.STAGGERED):
        work.report.add(
            compile_rules.UNSUITABLE_INTEGRATOR,
            f"{requested.value} does not support a servo with an effort limit",
            work.world.origin,
        )
        raise SimulationError(work.report)
    try:
        with np.errstate(over="raise", invalid="raise"):
            return choose_integrator(
                model,
                work.elements,
                has_servo=has_servo,
                as_dart=hint_of(work.world, DartStepping) is not None and not work.elements and not work.loops,
                specified=requested,
                control=work.options.step_control,
            )
    except (np.linalg.LinAlgError, FloatingPointError) as error:
        hint = "check for masses, stiffnesses or dampings that differ by many orders of magnitude"
        work.report.add(
            rules.SIMULATION_DIVERGED, "the stiffness of the World cannot be computed", work.world.origin, hint=hint
        )
        raise SimulationError(work.report) from error


def _address_map(work: CompileContext, model: mujoco.MjModel) -> AddressMap:
    joints: dict[str, dict[str, JointAddress]] = {name: {} for name in work.world.models.names()}
    for entry in work.joints:
        joints[entry.model.name][entry.joint.name] = _joint_address(model, entry)
    joints = {owner.name: _in_file_order(joints[owner.name], owner) for owner in work.world.models}
    bodies = {
        owner.name: {
            body.name: BodyAddress(
                model=owner,
                body=body,
                number=work.bodies[owner.name][body.name].id,
                geoms=_geom_ids(work.geoms[owner.name, body.name]),
                inner_geoms=_geom_ids(work.inner_geoms[owner.name, body.name]),
                skin=work.skins[owner.name, body.name].id if (owner.name, body.name) in work.skins else None,
                points=tuple([geom.id for geom in work.points.get((owner.name, body.name), ())]),
            )
            for body in owner.bodies
        }
        for owner in work.world.models
    }
    return AddressMap(joints, bodies)


def _geom_ids(geoms: list[SpecGeom | None]) -> tuple[int | None, ...]:
    return tuple([None if geom is None else geom.id for geom in geoms])


def has_body_velocity(world: World) -> bool:
    """Whether a World states the initial velocity of a body, from which those of joints follow."""
    return any(moves_at_start(body) for model in world.models for body in model.bodies)


def _in_file_order(joints: dict[str, JointAddress], model: Model) -> dict[str, JointAddress]:
    return {joint.name: joints[joint.name] for joint in model.joints if joint.name in joints}


def _compile_engine_model(work: CompileContext, base: EngineModel | None) -> mujoco.MjModel:
    model = None
    if base is not None:
        model = update_model(base.spec, base.model, work.spec, [one.engine_body.id for one in base.substituted])
    # A warning of the engine's compiler would not be repeated otherwise.
    if model is None or (base is not None and base.has_engine_warnings):
        model = _compile_spec(work)
    if work.substituted:
        set_substituted(model, work.substituted)
        _require_mass(work, model, joint_inertia)
    elif (model.body_mass == NEGLIGIBLE).any():
        _require_mass(work, model, free_joint_inertia)
    return model


def _compile_spec(work: CompileContext) -> mujoco.MjModel:
    try:
        # The compiler uses Python warnings, unlike the rest of the engine; the filters of warnings are those of the process.
        with _WARNING_FILTERS, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = work.spec.compile()
    except ValueError as error:
        work.report.add(compile_rules.ENGINE_COMPILE_ERROR, " ".join(str(error).split()), work.world.origin)
        raise SimulationError(work.report) from error
    for warning in caught:
        work.report.add(rules.ENGINE_WARNING, " ".join(str(warning.message).split()), work.world.origin)
    use_orientations_of_capsules(model)
    return model


_WARNING_FILTERS = threading.Lock()


def _require_mass(work: CompileContext, model: mujoco.MjModel, examine: Callable[[mujoco.MjModel], JointInertia]) -> None:
    """Require that every joint moves some inertia, which point and line masses, and massless links, may not have."""
    inertia = examine(model)
    extended = give_extent(model, work.substituted) if inertia.massless.size else []
    for substituted in extended:
        moments = "{:g}, {:g} and {:g} kg·m²".format(*sorted(substituted.moments))
        message = f"body '{substituted.engine_body.name}' rotates about its line of mass: simulated with the moments {moments}"
        work.report.add(ZERO_PRINCIPAL_MOMENT, message, work.world.origin)
    if extended:
        inertia = examine(model)
    found: set[str] = set()
    largest = 0.0
    for _ in range(model.nv):
        if not inertia.massless.size:
            break
        names = joint_names(model, inertia.massless)
        armature = add_armature(work.spec, model, inertia) if inertia.is_valid else None
        if armature is None:
            reason = "move no inertia" if inertia.is_valid else "move a negative inertia, or one that is not finite"
            message = f"joints {reason}: {', '.join(names)}"
            hint = f"{INERTIA_HINT}, or fix the base with --fix-base" if has_floating_base(names) else INERTIA_HINT
            work.report.add(compile_rules.NONPHYSICAL_INERTIA, message, work.world.origin, hint=hint)
            raise SimulationError(work.report)
        found.update(names)
        largest = max(largest, armature)
        set_constants(model)
        inertia = examine(model)
    if found:
        message = f"joints move no inertia: {', '.join(sorted(found))}: simulated with an armature of at most {largest:.2g}"
        work.report.add(MOTION_WITHOUT_INERTIA, f"{message} kg·m² or kg", work.world.origin, hint=INERTIA_HINT)


def _joint_address(model: mujoco.MjModel, entry: CompiledJoint) -> JointAddress:
    first = entry.added[0].id if entry.added else None
    owner, built = entry.model, entry.built
    outer = owner.pose if built.parent is None else IDENTITY
    return JointAddress(
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


_MAX_RATIO = 30.0
"""Largest ratio of the inverse inertia about the thin axis of a body to that about its middle one that a weight has."""


def limit_inverse_weights_of_slender_bodies(model: mujoco.MjModel) -> None:
    """Limit the rotational weight of slender bodies in welds, which close loops.

    The engine regularises the three rotational rows of a weld by the mean of the inverse inertias of a body about its axes.
    About the axis of a slender rod the inverse is so large that the constraint becomes compliant about the other axes, too, if
    the joint that closes the loop permits this rotation, as point-line and point-plane joints do.
    """
    inertias = np.sort(model.body_inertia, axis=1)
    is_thin = inertias[:, 0] < inertias[:, 1] / _MAX_RATIO
    if not is_thin.any():
        return
    is_weld = model.eq_type == WELD
    ends = {*model.eq_obj1id[is_weld].tolist(), *model.eq_obj2id[is_weld].tolist()}
    bodies = [body for body in sorted(ends) if is_thin[body]]
    if not bodies:
        return
    rows, solutions = np.empty((3, model.nv)), np.empty((3, model.nv))
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        mujoco.mj_fwdPosition(model, data)
        for body in bodies:
            mujoco.mj_jacBody(model, data, None, rows, body)
            mujoco.mj_solveM(model, data, solutions, rows)
            with np.errstate(over="ignore", invalid="ignore"):
                inverse_inertia = rows @ solutions.T
            if not np.isfinite(inverse_inertia).all():  # they overflow; the first step has a finding
                continue
            inverse_inertias = np.linalg.eigvalsh(inverse_inertia)
            limited = np.minimum(inverse_inertias, _MAX_RATIO / inertias[body, 1])
            model.body_invweight0[body, 1] = max(float(limited.mean()), mujoco.mjMINVAL)
