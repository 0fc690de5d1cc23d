"""Rules that readers of several formats, checks and the simulation have in common."""

from __future__ import annotations

from ossature.diagnostics.fix import Safety
from ossature.diagnostics.rule import Rule, Severity, rules_in

MISSING_FILE = Rule(
    name="missing-file",
    code="FILE019",
    severity=Severity.ERROR,
    summary="A file that another file refers to cannot be opened.",
    explanation=(
        "The content of the file is missing from the model. References are relative to the file that contains them; openrave: "
        "URIs are searched in the folders of OPENRAVE_DATA and in the search path. A file outside these folders is opened only "
        "if the caller allows it, and nothing is fetched from a network. A calibration is optional: without it the robot has "
        "its nominal dimensions, and this is a warning. Correct the reference, or extend the search path."
    ),
    aliases=("missing-document", "companion-missing", "calibration-absent"),
)
UNKNOWN_ELEMENT = Rule(
    name="unknown-element",
    code="DOC001",
    severity=Severity.WARNING,
    summary="An element is not defined by the format at this position.",
    explanation=(
        "The element and its content are ignored, and are missing from written files; URDF passes them through. The element is "
        "usually misspelt or at the wrong level: the hint names the nearest valid element."
    ),
    aliases=("misspelt-element",),
    fixes=(Safety.SAFE, Safety.UNSAFE),
)
IGNORED_ELEMENT = Rule(
    name="ignored-element",
    code="DOC002",
    severity=Severity.NOTE,
    summary="A valid element has no effect here.",
    explanation=(
        "It does not describe the robot (a light, a texture), or it applies to another type of joint, shape or element. It is "
        "ignored, and missing from written files. Remove it, or correct the type."
    ),
    aliases=("unread-element", "key-without-effect", "without-effect", "says-nothing"),
)
WRONG_ROOT_ELEMENT = Rule(
    name="wrong-root-element",
    code="DOC010",
    severity=Severity.ERROR,
    summary="The root element is not the one of the format.",
    explanation=(
        "The file is of another kind, and nothing is read. The roots are <skel>, <robot> (URDF), <COLLADA>, and <world_state> "
        "or <world> (USDF). A Chrono file has `chrono-version` and a `model`, or names a model file; a solver file alone "
        "describes no model. Name the format with `--input-format`, or convert the file first."
    ),
    aliases=("not-collada", "not-skel", "not-urdf", "not-usdf", "not-a-chrono-model"),
)
CONFLICTING_VALUES = Rule(
    name="conflicting-values",
    code="DOC011",
    severity=Severity.WARNING,
    summary="Two values for the same quantity differ.",
    explanation=(
        "The message names the value that is used. Other programs may use the other one. Remove the wrong value. If the angles "
        "of a USDF pose were edited, remove the attribute ossature:wxyz beside them."
    ),
    aliases=("contradiction", "contradictory-rotation", "words-disagree"),
)
RENAMED = Rule(
    name="renamed",
    code="DOC012",
    severity=Severity.WARNING,
    summary="A name is missing or already in use, and is replaced.",
    explanation=(
        "Names of models are unique in a world, and names of links and joints in a model. In an attached part the prefix of "
        "the part is added. References from other files must use the new name. State a unique name."
    ),
    aliases=("name-changed", "part-renamed"),
)
DUPLICATE_NAME = Rule(
    name="duplicate-name",
    code="MDL001",
    severity=Severity.ERROR,
    summary="Two elements of the same kind have the same name.",
    explanation=(
        "References mean the first one, and the second one is ignored or renamed. Names of models are unique in a world, names "
        "of bodies and joints in a model, and names of frames in a body; in USDF frames and models share one set of names. "
        "DART and Chrono ignore the second element silently; the URDF parser of ROS rejects the file. Rename one."
    ),
    aliases=("duplicate-body", "duplicate-chrono-name", "duplicate-link", "duplicate-joint", "duplicate-state"),
)
UNKNOWN_BODY = Rule(
    name="unknown-body",
    code="MDL003",
    severity=Severity.ERROR,
    summary="An element refers to a body that does not exist.",
    explanation=(
        "The element connects nothing, and readers omit it; a SKEL body without its joint becomes free. Names are "
        "case-sensitive, and `world` is the world. The hint names the nearest body."
    ),
    aliases=("joint-without-body", "no-such-body", "dangling-joint"),
)
UNKNOWN_JOINT = Rule(
    name="unknown-joint",
    code="MDL004",
    severity=Severity.ERROR,
    summary="An element refers to a joint that does not exist.",
    explanation=(
        "A joint that is coupled to it cannot be placed or simulated; a COLLADA attachment becomes a fixed joint. Names are "
        "case-sensitive, and coordinates are counted from zero. The hint names the nearest joint."
    ),
    aliases=("unknown-joint-reference",),
)
UNKNOWN_LINK = Rule(
    name="unknown-link",
    code="MDL005",
    severity=Severity.ERROR,
    summary="An element refers to a link that does not exist.",
    explanation=(
        "The joint, or this part of the extension, is omitted. Names are case-sensitive. The hint names the nearest link."
    ),
    aliases=("joint-without-link",),
)
UNRESOLVED_REFERENCE = Rule(
    name="unresolved-reference",
    code="MDL006",
    severity=Severity.ERROR,
    summary="A reference has no target, or a target of the wrong kind.",
    explanation=(
        "What depends on it is omitted. Elements for other programs, such as <transmission> and <gazebo>, are passed through "
        "unchanged with a warning: their program will not find the target. The hint names the nearest target of the right "
        "kind."
    ),
    aliases=("dangling-reference",),
)
UNKNOWN_MATERIAL = Rule(
    name="unknown-material",
    code="MDL007",
    severity=Severity.ERROR,
    summary="A shape refers to a material that is not defined.",
    explanation=(
        "The shape is read without a material: it has no color in URDF and default contact parameters in Chrono. Define the "
        "material, or correct its name."
    ),
)
SELF_CONNECTION = Rule(
    name="self-connection",
    code="MDL008",
    severity=Severity.ERROR,
    summary="An element connects a body to itself.",
    explanation="Parent and child are the same body, so that the element has no effect. Correct one of the two names.",
    aliases=("self-joint", "body-with-itself"),
)
MULTIPLE_PARENTS = Rule(
    name="multiple-parents",
    code="MDL009",
    severity=Severity.ERROR,
    summary="Two joints have the same child.",
    explanation=(
        "The model is a tree: a body has one parent joint. The first joint is read, and the second is ignored, as in DART. "
        "URDF and SKEL cannot describe closed loops with a second parent: add the loop joint in a format that supports it."
    ),
    aliases=("second-joint-for-child", "second-parent"),
)
NON_UNIT_AXIS = Rule(
    name="non-unit-axis",
    code="MDL011",
    severity=Severity.ERROR,
    summary="An axis or normal does not have unit length.",
    explanation=(
        "Readers use the direction and ignore the length (a warning). In a World that a program made, the length would scale "
        "the motion or displace a plane. Some programs do scale by it. Normalise the vector."
    ),
    aliases=("bad-axis", "bad-normal", "axis-not-unit", "unnormalised-axis"),
    fixes=(Safety.SAFE,),
)
ZERO_AXIS = Rule(
    name="zero-axis",
    code="MDL012",
    severity=Severity.ERROR,
    summary="An axis or normal is zero, or two axes that must differ are parallel.",
    explanation=(
        "It has no direction. The default axis is used, or the element is omitted, as the message states. State a direction."
    ),
    aliases=("axis-zero", "no-direction"),
)
NON_UNIT_QUATERNION = Rule(
    name="non-unit-quaternion",
    code="MDL013",
    severity=Severity.ERROR,
    summary="A quaternion does not have unit length.",
    explanation=(
        "Readers normalise it (a warning). In a World that a program made it would scale what it rotates; Chrono does not "
        "normalise and distorts the body. State a unit quaternion, scalar first."
    ),
    aliases=("bad-rotation", "quaternion-normalised"),
    fixes=(Safety.SAFE,),
)
ZERO_QUATERNION = Rule(
    name="zero-quaternion",
    code="MDL014",
    severity=Severity.ERROR,
    summary="A quaternion is zero.",
    explanation=(
        "It describes no rotation, and the identity is used. Write the identity as 1 0 0 0 (scalar first; quat_xyzw: 0 0 0 1)."
    ),
    aliases=("bad-quaternion",),
)
REVERSED_LIMITS = Rule(
    name="reversed-limits",
    code="MDL016",
    severity=Severity.ERROR,
    summary="A lower limit is greater than the upper limit.",
    explanation=(
        "No value satisfies both. A simulation ignores both limits of the joint. Exchange the limits, or remove them."
    ),
    aliases=("impassable-limits",),
    fixes=(Safety.UNSAFE,),
)
SUSPECTED_DEGREES = Rule(
    name="suspected-degrees",
    code="MDL017",
    severity=Severity.WARNING,
    summary="An angle is so large that degrees are suspected instead of radians.",
    explanation=(
        "Angles are in radians, except where a format states otherwise: `angle_degrees` of Chrono applies to orientations, "
        "free angles and phases, not to motor functions. The value is used as it is. Convert it if it is in degrees."
    ),
    aliases=("limits-in-degrees", "rotation-in-degrees", "degrees-suspected"),
    fixes=(Safety.UNSAFE,),
)
INITIAL_POSITION_OUTSIDE_LIMITS = Rule(
    name="initial-position-outside-limits",
    code="MDL018",
    severity=Severity.WARNING,
    summary="The initial position of a joint is outside its limits.",
    explanation=(
        "COLLADA positions are clamped to the nearer limit, as in OpenRAVE. A position that the file does not state is zero; "
        "if zero is outside the limits, a simulation starts at the nearest limit. A stated position is kept: the stop starts "
        "at the joint and moves to its limit within about a second, so that it does not accelerate the joint. Correct the "
        "position or the limits."
    ),
    aliases=("initial-value-outside-limits", "position-moved-into-limits"),
)
UNCLOSED_LOOP = Rule(
    name="unclosed-loop",
    code="MDL041",
    severity=Severity.WARNING,
    summary="A loop joint does not fit at the initial positions.",
    explanation=(
        "The initial positions of the other joints leave a gap, which the message states; COLLADA states the gap with all "
        "joints at zero. A simulation closes the loop before it starts, and so starts at another configuration. Correct the "
        "positions or the frames of the joints."
    ),
    aliases=("open-loop", "open-at-zero"),
)
CONFLICTING_MOTORS = Rule(
    name="conflicting-motors",
    code="MDL044",
    severity=Severity.WARNING,
    summary="Motors and constraints prescribe motions that are incompatible.",
    explanation=(
        "A motor drives bodies in a way that a joint or another motor does not allow. The engine satisfies neither, with "
        "unbounded forces, and the result is invalid. Remove one of the motors, or let a motor without a guide (FREE) drive "
        "the coordinate of the joint."
    ),
    aliases=("fighting-motor", "contradicting-motors"),
)
UNDEFINED_FORMULA = Rule(
    name="undefined-formula",
    code="MDL048",
    severity=Severity.WARNING,
    summary="A formula has no value at some joint positions.",
    explanation=(
        "It divides by zero, takes the root or logarithm of a negative number, or overflows. The robot cannot be placed there, "
        "and a simulation that arrives there stops with this as an error. Limit the joints that it depends on, or correct the "
        "formula."
    ),
    aliases=("lost-formula",),
)
INVALID_GRASP = Rule(
    name="invalid-grasp",
    code="MDL050",
    severity=Severity.ERROR,
    summary="A grasp is not possible.",
    explanation=(
        "The gripper, the grasped body and the ignored bodies must exist. A body is grasped by one gripper at a time, is not "
        "connected to the gripper by joints, and two bodies do not grasp each other. A simulation ignores the grasp. Correct "
        "the names, or remove the grasp."
    ),
    aliases=("bad-grasp", "impossible-grasp"),
)
FREE_BASE = Rule(
    name="free-base",
    code="MDL059",
    severity=Severity.NOTE,
    summary="The file does not state whether the base of a robot is fixed.",
    explanation=(
        "URDF cannot specify a fixed base, and few COLLADA documents do. Commands that simulate, draw or convert a robot fix "
        "the base of an arm: a robot with one moving joint at its root link, which has no inertia or is named base, base_link, "
        "link0, root or similar. All other bases float. The message states the choice; --fix-base and --float-base change it. "
        "In URDF a fixed joint whose parent is an empty link with the name world states a fixed base."
    ),
    aliases=("base-not-held",),
)

SOFT_LIMIT_EXCEEDS_HARD_LIMIT = Rule(
    name="soft-limit-exceeds-hard-limit",
    code="DAE012",
    severity=Severity.WARNING,
    summary="A soft limit exceeds the hard limit.",
    explanation=(
        "The mechanism cannot reach it. For velocities and accelerations in COLLADA the hard limit is used for both, as in "
        "OpenRAVE. In URDF, a safety controller with such a limit does not protect the joint. Correct one."
    ),
    aliases=("beyond-hard-limit",),
)

RULES = rules_in(globals())
