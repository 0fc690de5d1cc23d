"""The engine's specification → its model, the way of stepping, and where everything is in it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.kinematics import (
    pose_parent_joint,
)
from ossature.kinematics.rules import ZERO_PRINCIPAL_MOMENT
from ossature.model import Model, World
from ossature.simulation import rules
from ossature.simulation.compile.address_map import AddressMap, BodyAddress, JointAddress
from ossature.simulation.compile.bodies import CompileContext, CompiledJoint
from ossature.simulation.compile.compiled_world import Compiled, SimulationError
from ossature.simulation.compile.contact_settings import ContactParameters, apply_contact_settings, choose_islands
from ossature.simulation.compile.inertia import export_inertia, give_extent, set_substituted, unresisted_joints
from ossature.simulation.compile.integrator_choice import (
    Integrator,
    IntegratorChoice,
    apply_scheme,
    apply_scheme_to_model,
    choose_scheme,
)
from ossature.simulation.compile.joint_couplings import CompiledCoupling
from ossature.spatial import IDENTITY

if TYPE_CHECKING:
    from numpy.typing import NDArray


def finish(work: CompileContext, servo: bool, couplings: Sequence[CompiledCoupling]) -> Compiled:
    """Return the compiled World.

    Args:
        work: What has been built.
        servo: Whether a servo needs a way of stepping of its own.
        couplings: The joints that follow others.

    Raises:
        SimulationError: The engine refuses it, or it cannot be told how to step it.
    """
    # The scheme depends on how stiff the compiled model is, and the file that may be made of it on the scheme.
    apply_scheme(Integrator.IMPLICIT if servo else Integrator.DISCRETE, work.spec, work.spec.equalities, work.options.time_step)
    apply_contact_settings(work.options.contact, work.spec)
    model = _engine_model(work)
    choose_islands(model, work.spec)
    choice = _scheme(work, model, servo)
    if choice.scheme is Integrator.IMPLICIT and work.options.integrator is None:
        work.report.add(rules.SERVO_INTEGRATOR, "a servo with limited effort: the world is stepped implicitly")
    apply_scheme(choice.scheme, work.spec, work.spec.equalities, work.options.time_step)
    apply_scheme_to_model(choice.scheme, model)
    return Compiled(
        spec=work.spec,
        model=model,
        index=_index(work, model),
        elements=work.elements,
        choice=choice,
        couplings=couplings,
        holding=work.holding,
        contacts=ContactParameters(options=work.options.contact, restitution=_restitutions(work, model)),
        is_mechanism=bool(work.elements) or work.loops > 0 or bool(work.holding.welded) or _has_moving_start(work.world),
    )


def _restitutions(work: CompileContext, model: Any) -> NDArray[np.float64]:
    restitutions = np.zeros(model.ngeom)
    for geom, restitution in work.restitutions:
        restitutions[geom.id] = restitution
    largest, smallest = restitutions.max(initial=0.0), restitutions.min(initial=1.0)
    if largest > smallest and work.options.contact.are_rigid:
        message = (
            f"coefficients of restitution from {smallest:g} to {largest:g}: of two shapes in contact the smaller one counts"
        )
        work.report.add(rules.SMALLER_RESTITUTION, message, work.world.origin)
    return restitutions


def _scheme(work: CompileContext, model: Any, servo: bool) -> IntegratorChoice:
    stated = work.options.integrator
    if servo and stated in (Integrator.DISCRETE, Integrator.STAGGERED):
        work.report.add(
            rules.UNSUITABLE_INTEGRATOR,
            f"{stated.value} has no servos with limited effort, and a joint has one",
            work.world.origin,
        )
        raise SimulationError(work.report)
    try:
        with np.errstate(over="raise", invalid="raise"):
            return choose_scheme(
                model,
                work.elements,
                has_servo=servo,
                as_dart=_steps_as_dart(work),
                stated=work.options.integrator,
                control=work.options.step_control,
            )
    except (np.linalg.LinAlgError, FloatingPointError) as error:
        hint = "look for masses, stiffnesses or dampings that are many orders of magnitude apart"
        work.report.add(rules.BLOWN_UP, "before it begins: how stiff it is cannot be computed", work.world.origin, hint=hint)
        raise SimulationError(work.report) from error


def _index(work: CompileContext, model: Any) -> AddressMap:
    joints: dict[str, dict[str, JointAddress]] = {name: {} for name in work.world.models.names()}
    for entry in work.joints:
        joints[entry.model.name][entry.joint.name] = _joint_index(model, entry)
    joints = {owner.name: _in_file_order(joints[owner.name], owner) for owner in work.world.models}
    bodies = {
        owner.name: {
            body.name: BodyAddress(
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
    return AddressMap(joints, bodies)


def _numbers(geoms: list[Any | None]) -> tuple[int | None, ...]:
    return tuple([None if geom is None else geom.id for geom in geoms])


def _steps_as_dart(work: CompileContext) -> bool:
    return work.world.steps_as_dart and not work.elements and not work.loops


def _has_moving_start(world: World) -> bool:
    bodies = [body for model in world.models for body in model.bodies]
    return any(any(body.initial_velocity) or any(body.initial_angular_velocity_body) for body in bodies)


def _in_file_order(joints: dict[str, JointAddress], model: Model) -> dict[str, JointAddress]:
    return {joint.name: joints[joint.name] for joint in model.joints if joint.name in joints}


def _engine_model(work: CompileContext) -> Any:
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
    if work.substituted:
        set_substituted(model, work.substituted)
        # What a file made of the specification states is what the World states, as far as MuJoCo's compiler takes it.
        evened = [export_inertia(one) for one in work.substituted]
        work.spec.compiler.balanceinertia = any(evened)
        _require_mass(work, model)
    return model


def _require_mass(work: CompileContext, model: Any) -> None:
    """See to it that every joint moves some mass, which lines and points of mass may not give it."""
    names = unresisted_joints(model)
    extended = give_extent(model, work.substituted) if names else []
    for one in extended:
        moments = "{:g}, {:g} and {:g} kg·m²".format(*sorted(one.moments))
        message = f"body '{one.engine_body.name}' can turn about its own line of mass: it gets the principal moments {moments}"
        work.report.add(ZERO_PRINCIPAL_MOMENT, message, work.world.origin)
    names = unresisted_joints(model) if extended else names
    if names:
        message = f"joints move no mass: {', '.join(names)}"
        hint = "give the bodies that they carry a mass and moments that resist them"
        work.report.add(rules.IMPOSSIBLE_INERTIA, message, work.world.origin, hint=hint)
        raise SimulationError(work.report)


def _joint_index(model: Any, entry: CompiledJoint) -> JointAddress:
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
