"""Rules for Chrono models beyond their syntax."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

NOT_A_MODEL = shared_rules.WRONG_ROOT_ELEMENT
UNTESTED_CHRONO_VERSION = Rule.warning(
    "untested-chrono-version",
    "CHR001",
    "The file is for a Chrono version that the reader was not tested with.",
    "The reader was tested with version 10; files of versions 9 and 10 are read alike. The file is read as one of version 10. "
    "Compare the result with Chrono.",
    aliases=("other-chrono-version",),
)
DUPLICATE_NAME = shared_rules.DUPLICATE_NAME
UNKNOWN_BODY = shared_rules.UNKNOWN_BODY
SAME_BODY = shared_rules.SELF_CONNECTION
ZERO_AXIS = shared_rules.ZERO_AXIS
QUATERNION_NORMALISED = shared_rules.NON_UNIT_QUATERNION.with_severity(Severity.WARNING)
ZERO_QUATERNION = shared_rules.ZERO_QUATERNION
VALUE_OUT_OF_RANGE = Rule.error(
    "value-out-of-range",
    "CHR002",
    "A value is outside its valid range.",
    "Masses, moments, radii and lengths are not negative, color components are 0 to 1, and widths are positive. The value is "
    "ignored. Correct it.",
    aliases=("out-of-range",),
)
IGNORED_BY_CHRONO = Rule.warning(
    "ignored-by-chrono",
    "CHR003",
    "Chrono ignores a value silently that is used here.",
    "Chrono uses the global x axis for a point-line joint and the global z axis for a point-plane joint, whatever their `axis` "
    "is. It selects one kind of spring-damper from the keys and ignores the others: preload and stops of a pure damper, a "
    "coefficient beside a curve. Here all are used, so that results can differ from Chrono. State only the values that both "
    "use.",
    aliases=("axis-chrono-ignores", "dropped-by-chrono"),
)
ASSUMED_AXIS = Rule.warning(
    "assumed-axis",
    "CHR004",
    "An axis is missing, and a default is used.",
    "Point-line joints use the global x axis and point-plane joints the global z axis, as in Chrono. The hinge of a massless "
    "rod uses the global axis most nearly perpendicular to it, and the slider of a link the cross product of the two. State "
    "the axis.",
)
UNUSED_KEY = shared_rules.IGNORED_ELEMENT.with_severity(Severity.WARNING)
UNSUPPORTED_BUSHING = Rule.error(
    "unsupported-bushing",
    "CHR005",
    "A joint type that does not support bushings has one.",
    "Chrono's specification forbids bushings on prismatic, point-line and point-plane joints. Those on cylindrical joints, "
    "which it does not mention, are not supported here either. The ideal joint is read. Use another joint type, or remove the "
    "bushing.",
    aliases=("forbidden-bushing",),
)
CHRONO_DROPS = IGNORED_BY_CHRONO
ASSUMED_FREE_LENGTH = Rule.warning(
    "assumed-free-length",
    "CHR006",
    "A spring has no free length or angle, and the initial one is used.",
    "Chrono rejects linear springs and spring curves without one. State it.",
)
INVALID_LOOKUP_TABLE = Rule.error(
    "invalid-lookup-table",
    "CHR007",
    "A curve or map is not consistent.",
    "The arguments of a curve are distinct, those of a map increase, and each row of a map has one value more than its list of "
    "deformations. The curve is ignored. Correct the table.",
    aliases=("bad-table",),
)
UNORDERED_POINTS = Rule.warning(
    "unordered-points",
    "CHR014",
    "The points of a curve are not in ascending order of their arguments.",
    "They are sorted, as in Chrono. If an argument is a typing error, the curve is another one than was meant. Correct it, or "
    "state the points in ascending order.",
)
NEGATIVE_SHIFT = Rule.warning(
    "negative-shift",
    "CHR015",
    "A repeated function has a negative shift, for which its first values differ from those in Chrono.",
    "Until the time is as large as the shift, Chrono evaluates the function before the start of its interval, and Ossature "
    "within the interval, as in all later periods. Add a multiple of the width to the shift.",
)
ONE_SIDED_STOP = Rule.warning(
    "one-sided-stop",
    "CHR008",
    "A spring-damper has one stop only, or its stops are reversed.",
    "Chrono needs both minimum_length and maximum_length, and otherwise has no stops; so does Ossature. State both.",
    aliases=("lone-stop",),
)
UNKNOWN_MATERIAL = shared_rules.UNKNOWN_MATERIAL
DEGREES_SUSPECTED = shared_rules.SUSPECTED_DEGREES
NON_PERPENDICULAR_AXES = Rule.warning(
    "non-perpendicular-axes",
    "CHR009",
    "The axes of a universal joint are not perpendicular.",
    "`axis1` is used, and `axis2` is rotated until it is perpendicular, as in Chrono. State perpendicular axes.",
    aliases=("axis-made-perpendicular",),
)
ORIENTATION_ABOUT_Z_Y_X = Rule.warning(
    "orientation-about-z-y-x",
    "CHR010",
    "Three orientation angles are read in the order of Chrono, which differs from its documentation.",
    "The documentation calls them [roll, pitch, yaw]. Chrono rotates by the first about z, by the second about y and by the "
    "third about x, and so does Ossature. State a quaternion [e0, e1, e2, e3], which is unambiguous.",
)
PRODUCTS_OF_INERTIA_XY_XZ_YZ = Rule.warning(
    "products-of-inertia-xy-xz-yz",
    "CHR011",
    "Products of inertia are read in the order of Chrono, which differs from its documentation.",
    "Chrono and its schema use [Ixy, Ixz, Iyz]; the table of the documentation has [Ixy, Iyz, Izx]. If the second and third "
    "differ, check which order was intended.",
)
CENTER_OF_MASS_AXES = Rule.warning(
    "center-of-mass-axes",
    "CHR013",
    "A vector in local axes is expressed in a centre-of-mass frame that is rotated in its body.",
    "Chrono expresses `initial_angular_velocity` and the vectors of a `local_load` in the centre-of-mass frame, not in the "
    "body reference frame; so does Ossature. They differ if `com` has an orientation. Commands of load controllers are in the "
    "body reference frame here. Check which axes were intended.",
)
UNSUPPORTED_SOLVER_SETTINGS = Rule.warning(
    "unsupported-solver-settings",
    "CHR012",
    "Settings of the integrator or solver of Chrono are ignored.",
    "Only the time step and the contact method of a solver file are used. The integrator is selected for the model, with a "
    "constant step; Chrono's integrators (HHT), step control and tolerances have no counterpart. `ossature simulate` reports "
    "the integrator.",
    aliases=("solver-settings-not-used",),
)
NO_COMPANION = shared_rules.MISSING_FILE

RULES = rules_in(globals())
