"""Rules for SKEL files; those for their syntax are in ``ossature.syntax.rules``."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

EMPTY_FILE = Rule.warning(
    "empty-file",
    "SKEL001",
    "The file has no skeleton.",
    "It is read as an empty world. Check whether a <skeleton> is outside of <world>.",
    aliases=("nothing-described",),
)
WRONG_ROOT_ELEMENT = shared_rules.WRONG_ROOT_ELEMENT
SKELETON_WITHOUT_WORLD = Rule.note(
    "skeleton-without-world",
    "SKEL002",
    "A skeleton is the root's child, without a world.",
    "DART reads such a file as a skeleton, not as a world. It is read as a world with this skeleton, standard gravity and time "
    "step, and written with a world.",
)
GENERATED_NAME = Rule.warning(
    "generated-name",
    "DOC013",
    "An element has no name, and a name is generated.",
    "The default name of the format with a number is used. DART keeps an empty name, so that nothing can refer to the element. "
    "State a unique name.",
    aliases=("name-given",),
)
RENAMED = shared_rules.RENAMED
DUPLICATE_NAME = shared_rules.DUPLICATE_NAME
UNKNOWN_BODY = shared_rules.UNKNOWN_BODY
MULTIPLE_PARENTS = shared_rules.MULTIPLE_PARENTS
JOINT_ADDED = Rule.warning(
    "joint-added",
    "SKEL003",
    "A body has no joint, and gets a free joint to the world.",
    "DART adds a free joint to a body that is only a parent, and ignores a body that no joint refers to. Here both get one. "
    "State the joint: free, or weld to fix the body.",
)
CONFLICTING_VALUES = shared_rules.CONFLICTING_VALUES
IGNORED_ELEMENT = shared_rules.IGNORED_ELEMENT
IGNORED_BY_DART = Rule.note(
    "ignored-by-dart",
    "SKEL004",
    "An element is documented and used here, but ignored by DART.",
    "The motion can differ from that in DART. Written files use a form that DART reads, if there is one.",
)
ASSUMED_INERTIA = Rule.note(
    "assumed-inertia",
    "SKEL005",
    "A body has no <inertia>, and gets 1 kg and unit moments, as in DART.",
    "This does not matter for a fixed body. For a moving body 1 kg·m² is usually much too large: state the mass and the "
    "moments.",
)
COMPUTED_INERTIA = Rule.note(
    "computed-inertia",
    "SKEL006",
    "A body has no <moment_of_inertia>, and it is computed from the shapes, as in DART.",
    "The mass is distributed over all visual and collision shapes by volume. Meshes and multi-spheres are replaced by their "
    "bounding boxes. State the moments if the motion matters.",
    aliases=("computed-moment",),
)
ZERO_AXIS = shared_rules.ZERO_AXIS
SUSPECTED_DEGREES = shared_rules.SUSPECTED_DEGREES
NON_UNIT_AXIS = shared_rules.NON_UNIT_AXIS.with_severity(Severity.WARNING)
NON_ORTHOGONAL_AXES = Rule.warning(
    "non-orthogonal-axes",
    "SKEL007",
    "The two axes of a planar joint are not orthogonal.",
    "The second axis is rotated within the plane until they are, as in DART. State orthogonal axes.",
    aliases=("skew-axes",),
)
COORDINATE_COUNT_MISMATCH = Rule.error(
    "coordinate-count-mismatch",
    "SKEL008",
    "The number of initial positions or velocities differs from the degrees of freedom of the joint.",
    "They are ignored, and the joint starts at zero. State one number for each degree of freedom.",
    aliases=("wrong-coordinates",),
)
UNKNOWN_COORDINATE = Rule.error(
    "unknown-coordinate",
    "SKEL009",
    "A <dof> refers to a coordinate that the joint does not have.",
    "The element is ignored. `local_index` counts the degrees of freedom from zero.",
    aliases=("no-such-coordinate",),
)
FORCE_ON_FREE_JOINT = Rule.warning(
    "force-on-free-joint",
    "SKEL010",
    "The initial force of a free joint acts at another point than in DART when the body rotates.",
    "DART applies the force of a joint with a <transformation> at a constant distance from the origin of the body, in the axes "
    "of the parent. Here it acts at the origin of the joint, which rotates with the body. At the start both points are the "
    "same; the motions differ as far as the body rotates. State the force on a joint without <transformation>.",
)

RULES = rules_in(globals())
