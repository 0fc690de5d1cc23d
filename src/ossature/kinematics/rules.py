"""Rules about the meaning of a model that checks and simulations report alike."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

INERTIA_NOT_POSITIVE_DEFINITE = Rule(
    name="inertia-not-positive-definite",
    severity=Severity.ERROR,
    summary="A principal moment of inertia is negative.",
    explanation=(
        "No body resists a turn like that. Most often a product of inertia is too large for the moments, has "
        "the wrong sign convention, or a moment was left out. A moment that is negative by no more than rounding (1e-6 of the "
        "largest) counts as zero."
    ),
)
INERTIA_VIOLATES_TRIANGLE = Rule(
    name="inertia-violates-triangle",
    severity=Severity.WARNING,
    summary="The largest principal moment of inertia exceeds the sum of the others.",
    explanation=(
        "No distribution of mass has such moments; for a flat plate they are just equal, up to rounding (1e-6 of the largest). "
        "Check units and the order of the entries. Many files of robots break the rule for links that turn about one axis "
        "only, where the other moments do not count. A simulation takes the moments as they are stated; where they let a "
        "body gain energy by turning it diverges. MuJoCo itself refuses them, or replaces all three by their mean."
    ),
)
ZERO_PRINCIPAL_MOMENT = Rule(
    name="zero-principal-moment",
    severity=Severity.WARNING,
    summary="A principal moment of inertia of a body with its own joint is zero.",
    explanation=(
        "A line or point of mass has such moments. A simulation takes them as they are stated where every joint moves some "
        "mass. A line of mass that can turn about itself gets a moment of 1e-9 of the largest, which a message names; what "
        "still moves no mass, such as a point that floats, is refused. Other programs may refuse all of these."
    ),
)
INERTIA_LEFT_OUT = Rule(
    name="inertia-left-out",
    severity=Severity.WARNING,
    summary="The inertia of a body that is fixed to another one is impossible, and a simulation leaves it out.",
    explanation=(
        "A negative mass or principal moment, or a number that is not finite, cannot be added to that of the body which "
        "carries it. The robot is simulated without what the message names. Correct it."
    ),
)
INITIAL_VALUE_OUTSIDE_LIMITS = Rule(
    name="initial-value-outside-limits",
    severity=Severity.WARNING,
    summary="A joint starts outside its own limits.",
    explanation=(
        "A position that the file does not state is taken as zero, and where zero lies outside the limits a simulation begins "
        "at the nearest limit instead. A stated position is kept: in a simulation the stop is then first where the "
        "joint is, and moves to its place within about a second, so that it cannot throw the joint. Programs that do not "
        "enforce limits start where the file says."
    ),
)
DEPENDENT_LIMIT = Rule(
    name="unenforced-limit",
    severity=Severity.WARNING,
    summary="Position limits of a ball or free joint are not enforced in simulation.",
    explanation=(
        "Limits on the components of a rotation vector have no counterpart in the engine. Use an euler joint, whose "
        "angles can be limited."
    ),
)
UNEVEN_FRICTION = Rule(
    name="uneven-friction",
    severity=Severity.WARNING,
    summary="Coulomb friction differs between the axes of a ball or free joint.",
    explanation="The engine applies one friction to all axes of a ball, so this one does not act. Use an euler joint.",
)
