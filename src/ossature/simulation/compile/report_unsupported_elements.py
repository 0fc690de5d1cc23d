"""Elements of models with effect on the motion that only MuJoCo's own compilation of a World simulates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ossature.diagnostics import Report
from ossature.kinematics.model_cache import CachedForModel
from ossature.model import (
    Actuator,
    Body,
    Collision,
    Compound,
    ContactPair,
    Equality,
    Joint,
    Model,
    MujocoGeom,
    MujocoJoint,
    MujocoOption,
    Spherical,
    SphericalMotion,
    Tendon,
    World,
)
from ossature.model.program_hints import hint_of
from ossature.model.value_text import quoted_names
from ossature.simulation.compile import rules

_FORCES = ("actuation", "contact", "damper", "equality", "frictionloss", "gravity", "limit", "spring")
"""Flags of MuJoCo that disable forces of a whole World."""
_HINT = "select the integrator 'mujoco', the default of MJCF and of OpenUSD stages with drives; convert others to MJCF"
_TURNING = "friction against rolling and turning acts"
_Element = Actuator | Body | ContactPair | Equality | Joint | Tendon


def report_unsupported_elements(model: Model, report: Report, *, are_contacts_rigid: bool) -> None:
    """Report what of a model that moves has an effect in MuJoCo, and none in this compilation: a finding for each kind."""
    for kind, elements in _unsupported_elements(model):
        if kind == _TURNING:
            if are_contacts_rigid:
                names = quoted_names(element.name for element in elements)
                message = f"'{model.name}': {kind} only in compliant contacts: {names}"
                hint = "select compliant contacts (--contact-time-constant), or the integrator 'mujoco' for MJCF files"
                report.add(rules.NOT_SIMULATED, message, elements[0].origin, path=model.name, hint=hint)
            continue
        names = quoted_names(element.name for element in elements)
        message = f"'{model.name}': {kind} only with the integrator 'mujoco': {names}"
        report.add(rules.NOT_SIMULATED, message, elements[0].origin, path=model.name, hint=_HINT)


def report_unsupported_option(world: World, report: Report) -> None:
    """Report what of MuJoCo's options of a World has an effect on the motion, and none in this compilation."""
    option = hint_of(world, MujocoOption) or MujocoOption()
    if option.density or option.viscosity:
        report.add(rules.NOT_SIMULATED, "forces of a fluid act only with the integrator 'mujoco'", world.origin, hint=_HINT)
    disabled = [flag for flag in _FORCES if flag in (option.disabled or ())]
    if disabled:
        message = f"flags that disable forces apply only with the integrator 'mujoco': {quoted_names(disabled)}"
        report.add(rules.NOT_SIMULATED, message, world.origin, hint=_HINT)


@CachedForModel
def _unsupported_elements(model: Model) -> tuple[tuple[str, Sequence[_Element]], ...]:
    return tuple([(kind, elements) for kind, elements in _find_unsupported(model) if elements])


def _find_unsupported(model: Model) -> Iterator[tuple[str, Sequence[_Element]]]:
    yield "actuators act", [actuator for actuator in model.actuators if actuator.model is not None and actuator.motor is None]
    yield "tendons act", [tendon for tendon in model.tendons if _acts(tendon)]
    yield "equalities hold", [equality for equality in model.equalities if equality.active]
    yield "parameters of contact pairs apply", list(model.contact_pairs)
    with_armature = [joint for joint in model.joints if any(coordinate.armature for coordinate in joint.coordinates)]
    yield "the armature of joints is simulated", with_armature
    yield "the largest angle of ball joints is enforced", [joint for joint in model.joints if _has_largest_angle(joint)]
    yield "polynomials of springs and dampers apply", [joint for joint in model.joints if _has_polynomial(joint)]
    yield (
        _TURNING,
        [body for body in model.bodies if any(map(_resists_turning, body.collisions))],
    )


def _resists_turning(collision: Collision) -> bool:
    """Whether a shape has friction against rolling, or against turning about the normal of a contact."""
    material, hint = collision.material, hint_of(collision, MujocoGeom)
    is_ignored_by_mujoco = hint is not None and (hint.condim or 3) <= 3
    return material is not None and not is_ignored_by_mujoco and bool(material.rolling_friction or material.torsional_friction)


def _has_largest_angle(joint: Joint) -> bool:
    motions = joint.type.axes if isinstance(joint.type, Compound) else (joint.type,)
    return any(isinstance(motion, (Spherical, SphericalMotion)) and motion.max_angle is not None for motion in motions)


def _has_polynomial(joint: Joint) -> bool:
    hints = [hint for coordinate in joint.coordinates if (hint := hint_of(coordinate, MujocoJoint)) is not None]
    return any(any(hint.stiffness or ()) or any(hint.damping or ()) for hint in hints)


def _acts(tendon: Tendon) -> bool:
    """Whether a tendon has a spring, damper, friction, inertia or limits; one without is only measured or pulled."""
    return bool(tendon.stiffness or tendon.damping or tendon.friction or tendon.armature or tendon.length_limits.bounded)
