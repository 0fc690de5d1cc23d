"""What can be wrong with a SKEL file, beyond its spelling."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

EMPTY_FILE = Rule(
    name="nothing-described",
    severity=Severity.WARNING,
    summary="The file describes no skeleton at all.",
    explanation="It is read as an empty world. If that is not what was meant, a <skeleton> stands outside of <world>.",
)
NOT_SKEL = Rule(
    name="not-skel",
    severity=Severity.ERROR,
    summary="The root element is not <skel>.",
    explanation="The file is XML of another kind. Name its format with --input-format, or convert it first.",
)
SKELETON_WITHOUT_WORLD = Rule(
    name="skeleton-without-world",
    severity=Severity.NOTE,
    summary="A skeleton stands in the root without a world around it.",
    explanation=(
        "DART reads such a file as a skeleton and not as a world. It is read as a world of this skeleton, with standard "
        "gravity and time step, and written with a world around it."
    ),
)
MISSING_NAME_GIVEN = Rule(
    name="name-given",
    severity=Severity.WARNING,
    summary="Something has no name and gets one.",
    explanation=(
        "The documents' default names are used, made unique with a number. DART leaves the name empty, so that nothing "
        "can refer to it; give it a name of its own."
    ),
)
RENAMED = Rule(
    name="renamed",
    severity=Severity.WARNING,
    summary="A name that is already taken is changed.",
    explanation="Names of skeletons and of a skeleton's joints are unique. The second one gets a number.",
)
DUPLICATE_BODY = Rule(
    name="duplicate-body",
    severity=Severity.ERROR,
    summary="Two bodies of a skeleton have the same name.",
    explanation="Joints could not tell them apart. The first one is read and the second left out, as DART does.",
)
JOINT_WITHOUT_BODY = Rule(
    name="joint-without-body",
    severity=Severity.ERROR,
    summary="A joint names a body that its skeleton does not have.",
    explanation=(
        "The joint is left out, and its child, if there is one, gets a free joint. Most often a name is misspelt; names "
        "are compared letter by letter, and 'world' is the world."
    ),
)
SECOND_JOINT = Rule(
    name="second-joint-for-child",
    severity=Severity.ERROR,
    summary="Two joints name the same child body.",
    explanation="A skeleton is a tree: a body hangs on one joint. The first one is read, the second left out, as DART does.",
)
JOINT_ADDED = Rule(
    name="joint-added",
    severity=Severity.WARNING,
    summary="A body has no joint and gets a free one to the world.",
    explanation=(
        "DART gives a free joint to a body that is only a parent, and leaves out a body that no joint mentions. Here "
        "each gets a free joint at its place, so that nothing is lost. State the joint: free, or weld to hold it fast."
    ),
)
CONTRADICTION = Rule(
    name="contradiction",
    severity=Severity.WARNING,
    summary="The file says a thing twice, and differently.",
    explanation="The message says which of the two counts.",
)
WITHOUT_EFFECT = Rule(
    name="without-effect",
    severity=Severity.NOTE,
    summary="An element that means nothing where it stands.",
    explanation=(
        "It belongs to another type of joint or shape; DART skips it in silence. It is not read, and not written again."
    ),
)
IGNORED_BY_DART = Rule(
    name="ignored-by-dart",
    severity=Severity.NOTE,
    summary="Something that the documents describe, that DART does not read, and that counts here.",
    explanation=(
        "The motion can differ from DART's for this reason. What is written says the same in a form DART reads, if it has one."
    ),
)
ASSUMED_INERTIA = Rule(
    name="assumed-inertia",
    severity=Severity.NOTE,
    summary="A body has no <inertia>: 1 kg and unit moments are taken, as in DART.",
    explanation=(
        "That is of no consequence for a body that never moves. For one that does, 1 kg·m² is far too much for most: "
        "state the mass and the moments."
    ),
)
COMPUTED_MOMENT = Rule(
    name="computed-moment",
    severity=Severity.NOTE,
    summary="A body has no <moment_of_inertia>: it is computed from the body's shapes, as in DART.",
    explanation=(
        "The mass is spread over all shapes, visual and collision alike, by their volumes. Meshes and multi-spheres "
        "count as the box around them. State the moments if the motion matters."
    ),
)
NO_DIRECTION = Rule(
    name="no-direction",
    severity=Severity.ERROR,
    summary="An axis or normal is zero.",
    explanation="It has no direction. The default axis is taken so that reading can go on.",
)
UNNORMALISED_AXIS = Rule(
    name="unnormalised-axis",
    severity=Severity.WARNING,
    summary="An axis or normal is not a unit vector.",
    explanation="The documents want it normalised. Its direction is taken and its length dropped; it does not scale anything.",
)
SKEW_AXES = Rule(
    name="skew-axes",
    severity=Severity.WARNING,
    summary="The two directions of a plane are not at right angles.",
    explanation="The second one is turned within the plane until they are, as DART does.",
)
WRONG_COORDINATES = Rule(
    name="wrong-coordinates",
    severity=Severity.ERROR,
    summary="The initial positions or velocities of a joint do not fit its degrees of freedom.",
    explanation="There is one number for each degree of freedom. These are not used; the joint starts at zero.",
)
NO_SUCH_COORDINATE = Rule(
    name="no-such-coordinate",
    severity=Severity.ERROR,
    summary="A <dof> refines a coordinate that the joint does not have.",
    explanation="local_index counts the joint's degrees of freedom from zero.",
)

RULES = (
    EMPTY_FILE,
    NOT_SKEL,
    SKELETON_WITHOUT_WORLD,
    MISSING_NAME_GIVEN,
    RENAMED,
    DUPLICATE_BODY,
    JOINT_WITHOUT_BODY,
    SECOND_JOINT,
    JOINT_ADDED,
    CONTRADICTION,
    WITHOUT_EFFECT,
    IGNORED_BY_DART,
    ASSUMED_INERTIA,
    COMPUTED_MOMENT,
    NO_DIRECTION,
    UNNORMALISED_AXIS,
    SKEW_AXES,
    WRONG_COORDINATES,
    NO_SUCH_COORDINATE,
)
