"""What can be odd about a Chrono model beyond its syntax."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

NOT_A_MODEL = Rule(
    name="not-a-chrono-model",
    severity=Severity.ERROR,
    summary="The YAML file is no Chrono model and names none.",
    explanation=(
        "A model file has chrono-version and a model; a simulation file has chrono-version and names a model file. A "
        "solver file alone describes nothing that could be read: give the simulation file that names it."
    ),
)
OTHER_VERSION = Rule(
    name="other-chrono-version",
    severity=Severity.WARNING,
    summary="The file is for a version of Chrono that this reader was not compared with.",
    explanation="It was compared with version 10; files of 9 and 10 are read alike. Others are read as if they were.",
)
DUPLICATE_NAME = Rule(
    name="duplicate-chrono-name",
    severity=Severity.ERROR,
    summary="Two elements of one list have one name.",
    explanation="Chrono keeps the first and drops the second in silence; so does this reader, and says so. Rename one.",
)
UNKNOWN_BODY = Rule(
    name="no-such-body",
    severity=Severity.ERROR,
    summary="An element names a body that does not exist.",
    explanation="It is left out. The hint names the nearest body.",
)
SAME_BODY = Rule(
    name="body-with-itself",
    severity=Severity.ERROR,
    summary="An element connects a body with itself.",
    explanation="It is left out, for it would do nothing. Name two bodies.",
)
ZERO_AXIS = Rule(
    name="zero-axis",
    severity=Severity.ERROR,
    summary="An axis has no direction.",
    explanation="It is zero, or two axes that should differ are parallel. The element is left out.",
)
QUATERNION_NORMALISED = Rule(
    name="quaternion-normalised",
    severity=Severity.WARNING,
    summary="A quaternion does not have unit length and is normalised.",
    explanation="Chrono uses it as it stands, which stretches the body; here only its direction counts.",
)
ZERO_QUATERNION = Rule(
    name="zero-quaternion",
    severity=Severity.ERROR,
    summary="A quaternion is zero and stands for no rotation at all.",
    explanation="No rotation is taken. Write [1, 0, 0, 0] for that.",
)
OUT_OF_RANGE = Rule(
    name="out-of-range",
    severity=Severity.ERROR,
    summary="A value lies outside what its meaning allows.",
    explanation="Masses, moments, radii and lengths are not negative; colours lie from 0 to 1; widths are positive.",
)
IGNORED_AXIS = Rule(
    name="axis-chrono-ignores",
    severity=Severity.WARNING,
    summary="A point-line or point-plane joint has an axis, which Chrono ignores.",
    explanation=(
        "Here the axis counts. Chrono takes the global x direction for the line and the global z direction for the "
        "plane's normal whatever it says; the two differ unless the axis says the same."
    ),
)
ASSUMED_AXIS = Rule(
    name="assumed-axis",
    severity=Severity.WARNING,
    summary="A direction is missing, and one is assumed.",
    explanation=(
        "Point-line joints take the global x direction and point-plane joints the global z direction, as Chrono does. The "
        "hinge of a massless rod takes the global axis most nearly perpendicular to it, made perpendicular, and the "
        "slide of a link the cross product of the two."
    ),
)
UNUSED_KEY = Rule(
    name="key-without-effect",
    severity=Severity.WARNING,
    summary="A key says nothing for this type of element.",
    explanation="It is valid for another type. It is read and has no effect.",
)
FORBIDDEN_BUSHING = Rule(
    name="forbidden-bushing",
    severity=Severity.ERROR,
    summary="A bushing stands on a joint type that cannot have one.",
    explanation="The document forbids bushings on prismatic, point-line and point-plane joints. The ideal joint is read.",
)
CHRONO_DROPS = Rule(
    name="dropped-by-chrono",
    severity=Severity.WARNING,
    summary="Chrono drops a part of this element in silence; here it counts.",
    explanation=(
        "Chrono picks one kind of spring-damper from the keys that are present and forgets the others: preload and stops of "
        "a pure damper, a coefficient beside a curve. Here all terms that are given add up."
    ),
)
ASSUMED_FREE_LENGTH = Rule(
    name="assumed-free-length",
    severity=Severity.WARNING,
    summary="A spring has no free length or angle, and the one at the start is taken.",
    explanation="Chrono refuses linear springs and spring curves without one. State it.",
)
BAD_TABLE = Rule(
    name="bad-table",
    severity=Severity.ERROR,
    summary="A curve or map does not fit together.",
    explanation="Arguments must grow, and every row of a map is one longer than its list of deformations. It is left out.",
)
LONE_STOP = Rule(
    name="lone-stop",
    severity=Severity.WARNING,
    summary="A spring-damper has a stop at one end only, or stops in the wrong order.",
    explanation="Chrono needs minimum_length and maximum_length both, and otherwise has no stops; so it is here.",
)
UNKNOWN_MATERIAL = Rule(
    name="unknown-material",
    severity=Severity.ERROR,
    summary="A contact shape names a material that the body does not list.",
    explanation="The shape is read without a material.",
)
DEGREES_SUSPECTED = Rule(
    name="degrees-suspected",
    severity=Severity.WARNING,
    summary="A function of a rotation reaches values that look like degrees.",
    explanation=(
        "angle_degrees converts orientations, free angles and phases only; motor functions stay in radians. A motor that "
        "reaches dozens of radians in a file with degrees is rarely meant so."
    ),
)
AXIS_MADE_PERPENDICULAR = Rule(
    name="axis-made-perpendicular",
    severity=Severity.WARNING,
    summary="The axes of a universal joint are not perpendicular, and the second is made so.",
    explanation=(
        "A universal joint turns about two perpendicular axes. Chrono keeps 'axis1' and turns 'axis2' into the plane across "
        "it, and so does this reader. State perpendicular axes."
    ),
)
ANGLE_ORDER = Rule(
    name="orientation-about-z-y-x",
    severity=Severity.WARNING,
    summary="Orientations of three angles are read as Chrono reads them, which is not what its document says.",
    explanation=(
        "The document calls the three angles [roll, pitch, yaw]. Chrono turns by the first about z, by the second about y and "
        "by the third about x, and so does this reader. Where the two differ, state a quaternion [e0, e1, e2, e3]: it has one "
        "meaning."
    ),
)
PRODUCT_ORDER = Rule(
    name="products-of-inertia-xy-xz-yz",
    severity=Severity.WARNING,
    summary="Products of inertia are read in the order of Chrono and its schema, which is not that of its document's table.",
    explanation=(
        "Chrono and the schema take [Ixy, Ixz, Iyz]; the table of the document says [Ixy, Iyz, Izx]. Where the second and "
        "third differ, make sure which was meant."
    ),
)
UNUSED_RUN_SETTINGS = Rule(
    name="solver-settings-not-used",
    severity=Severity.WARNING,
    summary="Settings of Chrono's integrator or solver have no effect here.",
    explanation=(
        "Of a solver file the time step and the contact method count. The integrator is chosen by what the model needs, with a "
        "constant step: a kind of integrator (HHT), the control of the step and tolerances of Chrono have no counterpart. See "
        "what `ossature simulate` says of its integrator."
    ),
)
NO_COMPANION = Rule(
    name="companion-missing",
    severity=Severity.ERROR,
    summary="A file that a simulation file names cannot be read.",
    explanation="Models are named relative to the simulation file and lie beside it or below it.",
)

RULES = (
    NOT_A_MODEL,
    OTHER_VERSION,
    DUPLICATE_NAME,
    UNKNOWN_BODY,
    SAME_BODY,
    ZERO_AXIS,
    QUATERNION_NORMALISED,
    ZERO_QUATERNION,
    OUT_OF_RANGE,
    IGNORED_AXIS,
    ASSUMED_AXIS,
    UNUSED_KEY,
    FORBIDDEN_BUSHING,
    CHRONO_DROPS,
    ASSUMED_FREE_LENGTH,
    BAD_TABLE,
    LONE_STOP,
    UNKNOWN_MATERIAL,
    DEGREES_SUSPECTED,
    AXIS_MADE_PERPENDICULAR,
    ANGLE_ORDER,
    PRODUCT_ORDER,
    UNUSED_RUN_SETTINGS,
    NO_COMPANION,
)
