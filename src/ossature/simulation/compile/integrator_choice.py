"""Choice of the integrator and of the sub-steps of a World.

*Semi-implicit Euler* is that of DART: first order in the step, with springs and dampers of joints and actuators evaluated at
the end of the step. *Implicit* is the engine's ``implicitfast``, first order. *Leapfrog* (central differences) has velocities
at half steps and evaluates forces at the middle of the step: second order, with explicit forces, so that stiff elements need
sub-steps. *Staggered Euler* is semi-implicit Euler with velocities at half steps: first order for stiff springs or dampers,
second order otherwise, stable for any linear stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from ossature.diagnostics.suggestions import Choice
from ossature.model import SpringDamper
from ossature.simulation.compile.force_elements import Elements
from ossature.simulation.compile.stiffness_estimate import (
    STABLE,
    CompliantParts,
    StiffnessEstimate,
    find_compliant_parts,
    has_laws,
)

MOST_SUB_STEPS = 64
"""Largest number of sub-steps for the stiffness of the initial configuration; if more are needed, forces are implicit."""
MOST_SUB_STEPS_BY_ERROR = 1024
"""Largest number of sub-steps for the estimated error or a hard stop."""

DEFAULT_TOLERANCE = 1e-3
"""Default largest estimated integration error of a coordinate per second [m/s or rad/s]."""


class Integrator(Choice):
    """An integrator."""

    DISCRETE = "semi-implicit-euler"
    IMPLICIT = "implicit"
    CENTRED = "leapfrog"
    STAGGERED = "staggered-euler"
    MUJOCO = "mujoco"
    """MuJoCo's own step, with the integrator that an MJCF file states."""

    @property
    def order(self) -> int:
        """The order of its error in the step."""
        return 2 if self is Integrator.CENTRED else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StepControl:
    """Step size control: how steps are divided into sub-steps.

    Attributes:
        tolerance: Largest estimated integration error of a coordinate per second [m/s, rad/s].
        is_specified: Whether the user specified the tolerance.
        allows_sub_steps: Whether a step may be divided.
    """

    tolerance: float = DEFAULT_TOLERANCE
    is_specified: bool = False
    allows_sub_steps: bool = True


DEFAULT_STEP_CONTROL = StepControl()
"""The step size control if the user specifies none."""


@dataclass(frozen=True, slots=True)
class IntegratorChoice:
    """An integrator and the reason for it.

    Attributes:
        reason: Why it was chosen.
        sub_steps: Smallest number of sub-steps of each step, because of stiff elements.
        excess: Ratio of the stiffness of the model to the stability limit at these sub-steps if it is 1 or more, else 0.
    """

    integrator: Integrator
    reason: str
    sub_steps: int = 1
    control: StepControl = DEFAULT_STEP_CONTROL
    excess: float = 0.0

    @property
    def division(self) -> str:
        """A text that describes the sub-steps."""
        if not self.control.allows_sub_steps:
            return "none"
        if self.integrator.order == 1:
            return "of stops"
        return f"{self.sub_steps} or more, to a tolerance of {self.control.tolerance!r}"


def choose_integrator(
    model: mujoco.MjModel,
    elements: Elements,
    *,
    has_servo: bool,
    as_dart: bool,
    specified: Integrator | None,
    control: StepControl,
) -> IntegratorChoice:
    """Return the integrator for a compiled model.

    Args:
        elements: Springs, bushings and motors.
        has_servo: Whether a servo with an effort limit drives a joint.
        as_dart: Whether the World is a tree of bodies from a file for DART.
        specified: The integrator that the user specified, if any.
    """
    if specified is not None and specified is not Integrator.CENTRED:
        integrator, reason = specified, "as specified"
    elif specified is None and has_servo and not control.is_specified:
        integrator, reason = Integrator.IMPLICIT, "required by a servo with an effort limit"
    elif specified is None and as_dart and not control.is_specified:
        integrator, reason = Integrator.DISCRETE, "that of DART, for a tree of bodies from a file for DART"
    else:
        return choose_integrator_by_stiffness(model, elements, find_compliant_parts(model, elements), specified, control)
    if has_laws(elements):
        estimate = StiffnessEstimate(model, find_compliant_parts(model, elements).laws_by_earlier_velocity())
        excess = _excess(estimate.strain())
        if excess:
            reason = f"{reason}; the law of {estimate.stiffest()} is too stiff for one step"
            return IntegratorChoice(integrator, reason, control=control, excess=excess)
    return IntegratorChoice(integrator, reason, control=control)


def depends_on_inertias(choice: IntegratorChoice, specified: Integrator | None, elements: Elements) -> bool:
    """Whether masses and moments of inertia were examined for a choice."""
    is_by_stiffness = specified is not Integrator.STAGGERED and choice.integrator in (Integrator.CENTRED, Integrator.STAGGERED)
    return is_by_stiffness or has_laws(elements)


def choose_integrator_by_stiffness(
    model: mujoco.MjModel, elements: Elements, parts: CompliantParts, specified: Integrator | None, control: StepControl
) -> IntegratorChoice:
    """Return the integrator for a compiled model whose springs and dampers are known."""
    estimate, stop_note = StiffnessEstimate(model, parts), _stop_note(elements)
    return _choose_leapfrog(estimate, is_specified=specified is not None, stop_note=stop_note, control=control)


def _choose_leapfrog(
    estimate: StiffnessEstimate, *, is_specified: bool, stop_note: str, control: StepControl
) -> IntegratorChoice:
    """Return the leapfrog integrator with the sub-steps that stiff elements need, or one with implicit forces."""
    prefix = "as specified; " if is_specified else ""
    soft = IntegratorChoice(
        Integrator.CENTRED, f"{prefix}no element is too stiff for it at this step{stop_note}", control=control
    )
    if estimate.are_all_soft():
        return soft
    limit = MOST_SUB_STEPS_BY_ERROR if is_specified or control.is_specified else MOST_SUB_STEPS
    if not control.allows_sub_steps:
        limit = 1
    factor, count = estimate.strain() / STABLE, _stable_division(estimate, limit)
    if estimate.strain(count) < STABLE and count == 1:
        return soft
    stiff = f"{estimate.stiffest()} is {factor:.2g} times as stiff as one step allows"
    is_leapfrog, excess_of_laws = is_specified, 0.0
    if estimate.strain(count) >= STABLE:
        excess_of_laws = _excess(estimate.strain_of_laws())
        if excess_of_laws and control.allows_sub_steps:
            # No integrator is better for laws, which all of them evaluate explicitly.
            finest = _stable_division(estimate, MOST_SUB_STEPS_BY_ERROR)
            count = finest if estimate.strain(finest) < STABLE else count
            is_leapfrog = is_specified or estimate.strain_without_laws(count) < STABLE
    if estimate.strain(count) < STABLE or is_leapfrog:
        excess = _excess(estimate.strain(count))
        return IntegratorChoice(Integrator.CENTRED, f"{prefix}{stiff}{stop_note}", count, control, excess)
    reason = f"{stiff}, too stiff for second order with {limit} sub-steps{stop_note}"
    return IntegratorChoice(Integrator.STAGGERED, reason, control=control, excess=excess_of_laws)


def _stable_division(estimate: StiffnessEstimate, limit: int) -> int:
    """Return the smallest number of sub-steps, a power of two up to a limit, that is stable; the limit if there is none."""
    count = 1
    while count < limit and estimate.strain(count) >= STABLE:
        count *= 2
    return count


def _excess(strain: float) -> float:
    """Return by which factor a strain exceeds the stability limit, or 0 if it does not."""
    return strain / STABLE if strain >= STABLE else 0.0


def _stop_note(elements: Elements) -> str:
    has_stops = any(isinstance(built.spring, SpringDamper) and built.spring.length_range for built in elements.springs)
    return "; a step in which a hard stop is reached is divided" if has_stops else ""
