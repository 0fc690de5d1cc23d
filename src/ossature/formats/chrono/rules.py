"""Rules for Chrono models beyond their syntax."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

NOT_A_MODEL = shared_rules.WRONG_ROOT_ELEMENT
UNTESTED_CHRONO_VERSION = Rule(
    name="untested-chrono-version",
    code="CHR001",
    severity=Severity.WARNING,
    summary="The file is for a Chrono version that the reader was not tested with.",
    explanation=(
        "The reader was tested with version 10; files of versions 9 and 10 are read alike. The file is read as one of version "
        "10. Compare the result with Chrono."
    ),
    aliases=("other-chrono-version",),
)
DUPLICATE_NAME = shared_rules.DUPLICATE_NAME
UNKNOWN_BODY = shared_rules.UNKNOWN_BODY
SAME_BODY = shared_rules.SELF_CONNECTION
ZERO_AXIS = shared_rules.ZERO_AXIS
QUATERNION_NORMALISED = shared_rules.NON_UNIT_QUATERNION.with_severity(Severity.WARNING)
ZERO_QUATERNION = shared_rules.ZERO_QUATERNION
VALUE_OUT_OF_RANGE = Rule(
    name="value-out-of-range",
    code="CHR002",
    severity=Severity.ERROR,
    summary="A value is outside its valid range.",
    explanation=(
        "Masses, moments, radii and lengths are not negative, color components are 0 to 1, and widths are positive. The value "
        "is ignored. Correct it."
    ),
    aliases=("out-of-range",),
)
IGNORED_BY_CHRONO = Rule(
    name="ignored-by-chrono",
    code="CHR003",
    severity=Severity.WARNING,
    summary="Chrono ignores a value silently that is used here.",
    explanation=(
        "Chrono uses the global x axis for a point-line joint and the global z axis for a point-plane joint, whatever their "
        "`axis` is. It selects one kind of spring-damper from the keys and ignores the others: preload and stops of a pure "
        "damper, a coefficient beside a curve. Here all are used, so that results can differ from Chrono. State only the "
        "values that both use."
    ),
    aliases=("axis-chrono-ignores", "dropped-by-chrono"),
)
ASSUMED_AXIS = Rule(
    name="assumed-axis",
    code="CHR004",
    severity=Severity.WARNING,
    summary="An axis is missing, and a default is used.",
    explanation=(
        "Point-line joints use the global x axis and point-plane joints the global z axis, as in Chrono. The hinge of a "
        "massless rod uses the global axis most nearly perpendicular to it, and the slider of a link the cross product of the "
        "two. State the axis."
    ),
)
UNUSED_KEY = shared_rules.IGNORED_ELEMENT.with_severity(Severity.WARNING)
UNSUPPORTED_BUSHING = Rule(
    name="unsupported-bushing",
    code="CHR005",
    severity=Severity.ERROR,
    summary="A joint type that does not support bushings has one.",
    explanation=(
        "Chrono supports no bushings on prismatic, point-line and point-plane joints. The ideal joint is read. Use another "
        "joint type, or remove the bushing."
    ),
    aliases=("forbidden-bushing",),
)
CHRONO_DROPS = IGNORED_BY_CHRONO
ASSUMED_FREE_LENGTH = Rule(
    name="assumed-free-length",
    code="CHR006",
    severity=Severity.WARNING,
    summary="A spring has no free length or angle, and the initial one is used.",
    explanation="Chrono rejects linear springs and spring curves without one. State it.",
)
INVALID_LOOKUP_TABLE = Rule(
    name="invalid-lookup-table",
    code="CHR007",
    severity=Severity.ERROR,
    summary="A curve or map is not consistent.",
    explanation=(
        "Arguments increase, and each row of a map has one value more than its list of deformations. The curve is ignored. "
        "Correct the table."
    ),
    aliases=("bad-table",),
)
ONE_SIDED_STOP = Rule(
    name="one-sided-stop",
    code="CHR008",
    severity=Severity.WARNING,
    summary="A spring-damper has one stop only, or its stops are reversed.",
    explanation=(
        "Chrono needs both minimum_length and maximum_length, and otherwise has no stops; so does Ossature. State both."
    ),
    aliases=("lone-stop",),
)
UNKNOWN_MATERIAL = shared_rules.UNKNOWN_MATERIAL
DEGREES_SUSPECTED = shared_rules.SUSPECTED_DEGREES
NON_PERPENDICULAR_AXES = Rule(
    name="non-perpendicular-axes",
    code="CHR009",
    severity=Severity.WARNING,
    summary="The axes of a universal joint are not perpendicular.",
    explanation="`axis1` is used, and `axis2` is rotated until it is perpendicular, as in Chrono. State perpendicular axes.",
    aliases=("axis-made-perpendicular",),
)
ORIENTATION_ABOUT_Z_Y_X = Rule(
    name="orientation-about-z-y-x",
    code="CHR010",
    severity=Severity.WARNING,
    summary="Three orientation angles are read in the order of Chrono, which differs from its documentation.",
    explanation=(
        "The documentation calls them [roll, pitch, yaw]. Chrono rotates by the first about z, by the second about y and by "
        "the third about x, and so does Ossature. State a quaternion [e0, e1, e2, e3], which is unambiguous."
    ),
)
PRODUCTS_OF_INERTIA_XY_XZ_YZ = Rule(
    name="products-of-inertia-xy-xz-yz",
    code="CHR011",
    severity=Severity.WARNING,
    summary="Products of inertia are read in the order of Chrono, which differs from its documentation.",
    explanation=(
        "Chrono and its schema use [Ixy, Ixz, Iyz]; the table of the documentation has [Ixy, Iyz, Izx]. If the second and "
        "third differ, check which order was intended."
    ),
)
CENTER_OF_MASS_AXES = Rule(
    name="center-of-mass-axes",
    code="CHR013",
    severity=Severity.WARNING,
    summary="A vector in local axes is expressed in a centre-of-mass frame that is rotated in its body.",
    explanation=(
        "Chrono expresses `initial_angular_velocity` and the vectors of a `local_load` in the centre-of-mass frame, not in the "
        "body reference frame; so does Ossature. They differ if `com` has an orientation. Commands of load controllers are in "
        "the body reference frame here. Check which axes were intended."
    ),
)
UNSUPPORTED_SOLVER_SETTINGS = Rule(
    name="unsupported-solver-settings",
    code="CHR012",
    severity=Severity.WARNING,
    summary="Settings of the integrator or solver of Chrono are ignored.",
    explanation=(
        "Only the time step and the contact method of a solver file are used. The integrator is selected for the model, with a "
        "constant step; Chrono's integrators (HHT), step control and tolerances have no counterpart. `ossature simulate` "
        "reports the integrator."
    ),
    aliases=("solver-settings-not-used",),
)
NO_COMPANION = shared_rules.MISSING_FILE

RULES = rules_in(globals())
