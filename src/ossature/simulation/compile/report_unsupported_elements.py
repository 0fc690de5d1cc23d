"""Elements of models with effect on the motion that only MuJoCo's own compilation of a World simulates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ossature.diagnostics import Report
from ossature.model import Actuator, Body, Collision, ContactPair, Equality, Joint, Model, MujocoGeom, Tendon
from ossature.model.program_hints import hint_of
from ossature.model.value_text import quoted_names
from ossature.simulation.compile import rules

_Element = Actuator | Body | ContactPair | Equality | Joint | Tendon


def report_unsupported_elements(model: Model, report: Report) -> None:
    """Report what of a model that moves has an effect in MuJoCo, and none in this compilation: a finding for each kind."""
    for kind, elements in _find_unsupported(model):
        if elements:
            names = quoted_names(element.name for element in elements)
            message = f"'{model.name}': {kind} only with the integrator 'mujoco': {names}"
            hint = "select the integrator 'mujoco', which is the default of MJCF files; convert others to MJCF"
            report.add(rules.NOT_SIMULATED, message, elements[0].origin, path=model.name, hint=hint)


def _find_unsupported(model: Model) -> Iterator[tuple[str, Sequence[_Element]]]:
    yield "actuators act", [actuator for actuator in model.actuators if actuator.model is not None and actuator.motor is None]
    yield "tendons act", [tendon for tendon in model.tendons if _acts(tendon)]
    yield "equalities hold", [equality for equality in model.equalities if equality.active]
    yield "parameters of contact pairs apply", list(model.contact_pairs)
    with_armature = [joint for joint in model.joints if any(coordinate.armature for coordinate in joint.coordinates)]
    yield "the armature of joints is simulated", with_armature
    yield (
        "friction against rolling and turning acts",
        [body for body in model.bodies if any(map(_resists_turning, body.collisions))],
    )


def _resists_turning(collision: Collision) -> bool:
    """Whether a shape has friction against rolling, or against turning about the normal of a contact."""
    material, hint = collision.material, hint_of(collision, MujocoGeom)
    is_ignored_by_mujoco = hint is not None and (hint.condim or 3) <= 3
    return material is not None and not is_ignored_by_mujoco and bool(material.rolling_friction or material.torsional_friction)


def _acts(tendon: Tendon) -> bool:
    """Whether a tendon has a spring, damper, friction, inertia or limits; one without is only measured or pulled."""
    return bool(tendon.stiffness or tendon.damping or tendon.friction or tendon.armature or tendon.length_limits.bounded)
