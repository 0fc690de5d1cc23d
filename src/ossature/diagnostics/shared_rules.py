"""Rules that readers of several formats, checks and the simulation have in common."""

from __future__ import annotations

from ossature.diagnostics.fix import Safety
from ossature.diagnostics.rule import Rule, rules_in

MISSING_FILE = Rule.error(
    "missing-file",
    "FILE019",
    "A file that another file refers to cannot be opened.",
    "The content of the file is missing from the model. References are relative to the file that contains them; openrave: URIs "
    "are searched in the folders of OPENRAVE_DATA and in the search path. A file outside these folders is opened only if the "
    "caller allows it, and nothing is fetched from a network. A calibration is optional: without it the robot has its nominal "
    "dimensions, and this is a warning. Correct the reference, or extend the search path.",
    aliases=("missing-document", "companion-missing", "calibration-absent"),
)
UNKNOWN_ELEMENT = Rule.warning(
    "unknown-element",
    "DOC001",
    "An element is not defined by the format at this position.",
    "The element and its content are ignored, and are missing from written files; URDF passes them through. The element is "
    "usually misspelt or at the wrong level: the hint names the nearest valid element.",
    aliases=("misspelt-element",),
    fixes=(Safety.SAFE, Safety.UNSAFE),
)
IGNORED_ELEMENT = Rule.note(
    "ignored-element",
    "DOC002",
    "A valid element has no effect here.",
    "It does not describe the robot (a light, a texture), or it applies to another type of joint, shape or element. It is "
    "ignored, and missing from written files. Remove it, or correct the type.",
    aliases=("unread-element", "key-without-effect", "without-effect", "says-nothing"),
)
WRONG_ROOT_ELEMENT = Rule.error(
    "wrong-root-element",
    "DOC010",
    "The root element is not the one of the format.",
    "The file is of another kind, and nothing is read. The roots are <skel>, <robot> (URDF), <COLLADA>, and <world_state> or "
    "<world> (USDF). A Chrono file has `chrono-version` and a `model`, or names a model file; a solver file alone describes no "
    "model. State the format with `--input-format`, in Python with `format=`, or convert the file first.",
    aliases=("not-collada", "not-skel", "not-urdf", "not-usdf", "not-a-chrono-model"),
)
CONFLICTING_VALUES = Rule.warning(
    "conflicting-values",
    "DOC011",
    "Two values for the same quantity differ.",
    "The message names the value that is used. Other programs may use the other one. Remove the wrong value. If the angles of "
    "a USDF pose were edited, remove the attribute ossature:wxyz beside them.",
    aliases=("contradiction", "contradictory-rotation", "words-disagree"),
)
RENAMED = Rule.warning(
    "renamed",
    "DOC012",
    "A name is missing or already in use, and is replaced.",
    "Names of models are unique in a world, and names of links and joints in a model. In an attached part the prefix of the "
    "part is added. References from other files must use the new name. State a unique name.",
    aliases=("name-changed", "part-renamed"),
)
DUPLICATE_NAME = Rule.error(
    "duplicate-name",
    "MDL001",
    "Two elements of the same kind have the same name.",
    "References mean the first one, and the second one is ignored or renamed. Names of models are unique in a world, names of "
    "bodies and joints in a model, and names of frames in a body; in USDF frames and models share one set of names. DART and "
    "Chrono ignore the second element silently; the URDF parser of ROS rejects the file. Rename one; --fix renames shapes of "
    "SDFormat.",
    fixes=(Safety.SAFE,),
    aliases=("duplicate-body", "duplicate-chrono-name", "duplicate-link", "duplicate-joint", "duplicate-state"),
)
UNKNOWN_BODY = Rule.error(
    "unknown-body",
    "MDL003",
    "An element refers to a body that does not exist.",
    "The element connects nothing, and readers omit it; a SKEL body without its joint becomes free. Names are case-sensitive, "
    "and `world` is the world. The hint names the nearest body.",
    aliases=("joint-without-body", "no-such-body", "dangling-joint"),
)
UNKNOWN_JOINT = Rule.error(
    "unknown-joint",
    "MDL004",
    "An element refers to a joint that does not exist.",
    "A joint that is coupled to it cannot be placed or simulated; a COLLADA attachment becomes a fixed joint. Names are "
    "case-sensitive, and coordinates are counted from zero. The hint names the nearest joint.",
    aliases=("unknown-joint-reference",),
)
UNKNOWN_LINK = Rule.error(
    "unknown-link",
    "MDL005",
    "An element refers to a link that does not exist.",
    "The joint, or this part of the extension, is omitted. Names are case-sensitive. The hint names the nearest link.",
    aliases=("joint-without-link",),
)
UNRESOLVED_REFERENCE = Rule.error(
    "unresolved-reference",
    "MDL006",
    "A reference has no target, or a target of the wrong kind.",
    "What depends on it is omitted. Elements for other programs, such as <transmission> and <gazebo>, are passed through "
    "unchanged with a warning: their program will not find the target. The hint names the nearest target of the right kind.",
    aliases=("dangling-reference",),
)
UNKNOWN_MATERIAL = Rule.error(
    "unknown-material",
    "MDL007",
    "A shape refers to a material that is not defined.",
    "The shape is read without a material: it has no color in URDF and default contact parameters in Chrono. Define the "
    "material, or correct its name.",
)
SELF_CONNECTION = Rule.error(
    "self-connection",
    "MDL008",
    "An element connects a body to itself.",
    "Parent and child are the same body, so that the element has no effect. Correct one of the two names.",
    aliases=("self-joint", "body-with-itself"),
)
MULTIPLE_PARENTS = Rule.error(
    "multiple-parents",
    "MDL009",
    "Two joints have the same child.",
    "The model is a tree: a body has one parent joint. The first joint is read, and the second is ignored, as in DART. URDF "
    "and SKEL cannot describe closed loops with a second parent: add the loop joint in a format that supports it.",
    aliases=("second-joint-for-child", "second-parent"),
)
NON_UNIT_AXIS = Rule.error(
    "non-unit-axis",
    "MDL011",
    "An axis or normal does not have unit length.",
    "Readers use the direction and ignore the length (a warning). In a World that a program made, the length would scale the "
    "motion or displace a plane. Some programs do scale by it. Normalise the vector.",
    aliases=("bad-axis", "bad-normal", "axis-not-unit", "unnormalised-axis"),
    fixes=(Safety.SAFE,),
)
ZERO_AXIS = Rule.error(
    "zero-axis",
    "MDL012",
    "An axis or normal is zero, or two axes that must differ are parallel.",
    "It has no direction. The default axis is used, or the element is omitted, as the message states. State a direction.",
    aliases=("axis-zero", "no-direction"),
)
NON_UNIT_QUATERNION = Rule.error(
    "non-unit-quaternion",
    "MDL013",
    "A quaternion does not have unit length.",
    "Readers normalise it (a warning). In a World that a program made it would scale what it rotates; Chrono does not "
    "normalise and distorts the body. State a unit quaternion, scalar first.",
    aliases=("bad-rotation", "quaternion-normalised"),
    fixes=(Safety.SAFE,),
)
ZERO_QUATERNION = Rule.error(
    "zero-quaternion",
    "MDL014",
    "A quaternion is zero.",
    "It describes no rotation, and the identity is used. Write the identity as 1 0 0 0 (scalar first; quat_xyzw: 0 0 0 1).",
    aliases=("bad-quaternion",),
)
REVERSED_LIMITS = Rule.error(
    "reversed-limits",
    "MDL016",
    "A lower limit is greater than the upper limit.",
    "No value satisfies both. A simulation ignores both limits of the joint. Exchange the limits, or remove them.",
    aliases=("impassable-limits",),
    fixes=(Safety.UNSAFE,),
)
SUSPECTED_DEGREES = Rule.warning(
    "suspected-degrees",
    "MDL017",
    "An angle is so large that degrees are suspected instead of radians.",
    "Angles are in radians, except where a format states otherwise: `angle_degrees` of Chrono applies to orientations, free "
    "angles and phases, not to motor functions. The value is used as it is. Convert it if it is in degrees.",
    aliases=("limits-in-degrees", "rotation-in-degrees", "degrees-suspected"),
    fixes=(Safety.UNSAFE,),
)
INITIAL_POSITION_OUTSIDE_LIMITS = Rule.warning(
    "initial-position-outside-limits",
    "MDL018",
    "The initial position of a joint is outside its limits.",
    "COLLADA positions are clamped to the nearer limit, as in OpenRAVE. A position that the file does not state is zero; if "
    "zero is outside the limits, a simulation starts at the nearest limit. A stated position is kept: the stop starts at the "
    "joint and moves to its limit within about a second, so that it does not accelerate the joint. Correct the position or the "
    "limits.",
    aliases=("initial-value-outside-limits", "position-moved-into-limits"),
)
UNCLOSED_LOOP = Rule.warning(
    "unclosed-loop",
    "MDL041",
    "A loop joint does not fit at the initial positions.",
    "The initial positions of the other joints leave a gap, which the message states; COLLADA states the gap with all joints "
    "at zero. A simulation closes the loop before it starts, and so starts at another configuration. Correct the positions or "
    "the frames of the joints.",
    aliases=("open-loop", "open-at-zero"),
)
CONFLICTING_MOTORS = Rule.warning(
    "conflicting-motors",
    "MDL044",
    "Motors and constraints prescribe motions that are incompatible.",
    "A motor drives bodies in a way that a joint or another motor does not allow. The engine satisfies neither, with unbounded "
    "forces, and the result is invalid. Remove one of the motors, or let a motor without a guide (FREE) drive the coordinate "
    "of the joint.",
    aliases=("fighting-motor", "contradicting-motors"),
)
UNDEFINED_FORMULA = Rule.warning(
    "undefined-formula",
    "MDL048",
    "A formula has no value at some joint positions.",
    "It divides by zero, takes the root or logarithm of a negative number, or overflows. The robot cannot be placed there, and "
    "a simulation that arrives there stops with this as an error. Limit the joints that it depends on, or correct the formula.",
    aliases=("lost-formula",),
)
INVALID_GRASP = Rule.error(
    "invalid-grasp",
    "MDL050",
    "A grasp is not possible.",
    "The gripper, the grasped body and the ignored bodies must exist. A body is grasped by one gripper at a time, is not "
    "connected to the gripper by joints, and two bodies do not grasp each other. A simulation ignores the grasp. Correct the "
    "names, or remove the grasp.",
    aliases=("bad-grasp", "impossible-grasp"),
)
FREE_BASE = Rule.note(
    "free-base",
    "MDL059",
    "The file does not state whether the base of a robot is fixed.",
    "URDF cannot specify a fixed base, and few COLLADA documents do. Commands that simulate, draw or convert a robot fix the "
    "base of an arm: a robot with one moving joint at its root link, which has no inertia or is named base, base_link, link0, "
    "root or similar. All other bases float. The message states the choice; --fix-base and --float-base change it. In URDF a "
    "fixed joint whose parent is an empty link with the name world states a fixed base.",
    aliases=("base-not-held",),
)

SOFT_LIMIT_EXCEEDS_HARD_LIMIT = Rule.warning(
    "soft-limit-exceeds-hard-limit",
    "DAE012",
    "A soft limit exceeds the hard limit.",
    "The mechanism cannot reach it. For velocities and accelerations in COLLADA the hard limit is used for both, as in "
    "OpenRAVE. In URDF, a safety controller with such a limit does not protect the joint. Correct one.",
    aliases=("beyond-hard-limit",),
)

RULES = rules_in(globals())
