"""Rules about models that both checks and simulations report."""

from __future__ import annotations

from ossature.diagnostics import Rule, Safety, shared_rules

INERTIA_NOT_POSITIVE_DEFINITE = Rule.warning(
    "inertia-not-positive-definite",
    "MDL023",
    "A principal moment of inertia is negative.",
    "No distribution of mass has a negative moment. A simulation uses it as it is if each joint moves a positive inertia, and "
    "rejects the model otherwise; MuJoCo rejects it. Usual reasons are a product of inertia that is too large, the wrong sign "
    "convention of products, and a missing moment. A negative moment within rounding (1e-6 of the largest) counts as zero.",
    fixes=(Safety.UNSAFE,),
)
INERTIA_VIOLATES_TRIANGLE_INEQUALITY = Rule.warning(
    "inertia-violates-triangle-inequality",
    "MDL024",
    "The largest principal moment of inertia exceeds the sum of the other two.",
    "No distribution of mass has such moments; for a flat plate they are equal, within rounding (1e-6 of the largest). A "
    "simulation uses the moments as they are, and diverges if they let a rotating body gain energy. MuJoCo rejects them or "
    "replaces them by their mean. Check the units and the order of the entries.",
    aliases=("inertia-violates-triangle",),
    fixes=(Safety.UNSAFE,),
)
ZERO_PRINCIPAL_MOMENT = Rule.warning(
    "zero-principal-moment",
    "MDL025",
    "A principal moment of inertia of a moving body is zero.",
    "A point mass or a line of mass has such moments. They are simulated if every joint moves some mass. A line of mass that "
    "can rotate about itself gets 1e-9 of the largest moment; other massless motions are rejected. Other programs may reject "
    "all of them. State a moment that is greater than zero.",
)
INVALID_INERTIA_OF_FIXED_BODY = Rule.warning(
    "invalid-inertia-of-fixed-body",
    "MDL026",
    "The inertia of a body that is fixed to another one is invalid, and is ignored in simulation.",
    "A negative mass or principal moment, or a number that is not finite, cannot be added to the inertia of the other body. "
    "Correct the values that the message names.",
    aliases=(
        "ignored-inertia",
        "inertia-left-out",
    ),
)
INFERRED_INERTIA = Rule.warning(
    "inferred-inertia",
    "MDL081",
    "The file states no inertia of a body, and it is inferred from the body's shapes.",
    "With --infer-inertia each shape counts as a homogeneous solid of the density that the option states, overlaps count "
    "twice, and a mesh that encloses no volume counts as its convex hull. Real links are hollow and contain motors: masses may "
    "be wrong by several times. The message states the values; add them to the file once they are correct.",
)
MOTION_WITHOUT_INERTIA = Rule.warning(
    "motion-without-inertia",
    "MDL082",
    "A joint moves no inertia, and is simulated with an armature.",
    "Its acceleration is not defined by its bodies, which have no mass, or no moment about its axis. It is simulated with an "
    "armature (rotor inertia) of 1e-6 of the largest inertia that a joint of the model moves: without forces it keeps its "
    "position; with forces its acceleration is not that of the real joint. State masses, or infer them from the shapes with "
    "--infer-inertia.",
)
INITIAL_VALUE_OUTSIDE_LIMITS = shared_rules.INITIAL_POSITION_OUTSIDE_LIMITS
UNENFORCED_POSITION_LIMIT = Rule.warning(
    "unenforced-position-limit",
    "MDL019",
    "Position limits of a joint are not enforced in simulation.",
    "Limits of the components of a rotation vector, of ball and free joints, have no counterpart in the engine. Use an Euler "
    "joint, whose angles can be limited. A joint whose velocity or acceleration is commanded moves beyond its limits, as in "
    "DART; a servo stops at them.",
    aliases=("unenforced-limit",),
)
UNEVEN_JOINT_FRICTION = Rule.warning(
    "uneven-joint-friction",
    "MDL020",
    "The axes of a ball or free joint have different Coulomb friction.",
    "The engine has one friction for all axes of a ball joint, so that this friction is not simulated. Use an Euler joint.",
    aliases=("anisotropic-friction", "uneven-friction"),
)
