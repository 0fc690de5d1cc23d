"""Rules about models that both checks and simulations report."""

from __future__ import annotations

from ossature.diagnostics import Rule, Safety, Severity, shared_rules

INERTIA_NOT_POSITIVE_DEFINITE = Rule(
    name="inertia-not-positive-definite",
    code="MDL023",
    severity=Severity.WARNING,
    summary="A principal moment of inertia is negative.",
    explanation=(
        "No distribution of mass has a negative moment. A simulation uses it as it is if each joint moves a positive "
        "inertia, and rejects the model otherwise; MuJoCo rejects it. Usual reasons are a product of inertia that is too "
        "large, the wrong sign convention of products, and a missing moment. A negative moment within rounding (1e-6 of the "
        "largest) counts as zero."
    ),
    fixes=(Safety.UNSAFE,),
)
INERTIA_VIOLATES_TRIANGLE_INEQUALITY = Rule(
    name="inertia-violates-triangle-inequality",
    code="MDL024",
    severity=Severity.WARNING,
    summary="The largest principal moment of inertia exceeds the sum of the other two.",
    explanation=(
        "No distribution of mass has such moments; for a flat plate they are equal, within rounding (1e-6 of the largest). A "
        "simulation uses the moments as they are, and diverges if they let a rotating body gain energy. MuJoCo rejects them or "
        "replaces them by their mean. Check the units and the order of the entries."
    ),
    aliases=("inertia-violates-triangle",),
    fixes=(Safety.UNSAFE,),
)
ZERO_PRINCIPAL_MOMENT = Rule(
    name="zero-principal-moment",
    code="MDL025",
    severity=Severity.WARNING,
    summary="A principal moment of inertia of a moving body is zero.",
    explanation=(
        "A point mass or a line of mass has such moments. They are simulated if every joint moves some mass. A line of mass "
        "that can rotate about itself gets 1e-9 of the largest moment; other massless motions are rejected. Other programs may "
        "reject all of them. State a moment that is greater than zero."
    ),
)
INVALID_INERTIA_OF_FIXED_BODY = Rule(
    name="invalid-inertia-of-fixed-body",
    code="MDL026",
    severity=Severity.WARNING,
    summary="The inertia of a body that is fixed to another one is invalid, and is ignored in simulation.",
    explanation=(
        "A negative mass or principal moment, or a number that is not finite, cannot be added to the inertia of the other "
        "body. Correct the values that the message names."
    ),
    aliases=(
        "ignored-inertia",
        "inertia-left-out",
    ),
)
INFERRED_INERTIA = Rule(
    name="inferred-inertia",
    code="MDL081",
    severity=Severity.WARNING,
    summary="The file states no inertia of a body, and it is inferred from the body's shapes.",
    explanation=(
        "With --infer-inertia each shape counts as a homogeneous solid of the density that the option states, overlaps count "
        "twice, and a mesh that encloses no volume counts as its convex hull. Real links are hollow and contain motors: "
        "masses may be wrong by several times. The message states the values; add them to the file once they are correct."
    ),
)
MOTION_WITHOUT_INERTIA = Rule(
    name="motion-without-inertia",
    code="MDL082",
    severity=Severity.WARNING,
    summary="A joint moves no inertia, and is simulated with an armature.",
    explanation=(
        "Its acceleration is not defined by its bodies, which have no mass, or no moment about its axis. It is simulated with "
        "an armature (rotor inertia) of 1e-6 of the largest inertia that a joint of the model moves: without forces it keeps "
        "its position; with forces its acceleration is not that of the real joint. State masses, or infer them from the shapes "
        "with --infer-inertia."
    ),
)
INITIAL_VALUE_OUTSIDE_LIMITS = shared_rules.INITIAL_POSITION_OUTSIDE_LIMITS
UNENFORCED_POSITION_LIMIT = Rule(
    name="unenforced-position-limit",
    code="MDL019",
    severity=Severity.WARNING,
    summary="Position limits of a ball or free joint are not enforced in simulation.",
    explanation=(
        "Limits of the components of a rotation vector have no counterpart in the engine. Use an Euler joint, whose angles can "
        "be limited."
    ),
    aliases=("unenforced-limit",),
)
UNEVEN_JOINT_FRICTION = Rule(
    name="uneven-joint-friction",
    code="MDL020",
    severity=Severity.WARNING,
    summary="The axes of a ball or free joint have different Coulomb friction.",
    explanation=(
        "The engine has one friction for all axes of a ball joint, so that this friction is not simulated. Use an Euler joint."
    ),
    aliases=("anisotropic-friction", "uneven-friction"),
)
