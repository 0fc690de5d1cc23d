"""Rules for URDF files; those for their syntax are in ``ossature.syntax.rules``."""

from __future__ import annotations

from ossature.diagnostics import Rule, Safety, Severity, shared_rules
from ossature.diagnostics.rule import rules_in
from ossature.syntax import rules as syntax_rules

WRONG_ROOT_ELEMENT = shared_rules.WRONG_ROOT_ELEMENT
XACRO_FILE = Rule.error(
    "xacro-file",
    "URDF001",
    "The file is a xacro template, not a URDF file.",
    "Its macros, properties and ${…} expressions need the program xacro of ROS, which evaluates expressions and reads files, "
    "so that it is not run unasked. Expand the template with --xacro, if you trust it, or with `xacro robot.urdf.xacro > "
    "robot.urdf`. Declaring the xacro namespace alone is allowed.",
)
XACRO_ERROR = Rule.error(
    "xacro-error",
    "URDF021",
    "A xacro template cannot be expanded.",
    "With --xacro the program xacro expands the template; the message is its own. Usual reasons are an argument without a "
    "value (--xacro-arg NAME:=VALUE), a package that is not found (--search-path FOLDER), and a mistake in an expression.",
)
XACRO_LEFTOVER = Rule.warning(
    "xacro-leftover",
    "URDF013",
    "A robot contains xacro syntax on which only its appearance depends, or nothing.",
    "The colour or texture of a material is ignored, because only xacro can compute it; a definition of a property or argument "
    "is, because no expression uses it. The rest of the robot is read. A property of the xacro template was probably not "
    "defined; run xacro again, or write the values.",
)
UNSUPPORTED_ENCODING = Rule.warning(
    "unsupported-encoding",
    "URDF014",
    "The file is encoded in UTF-16.",
    "It is read here, but the parser of ROS rejects it. Convert the file to UTF-8.",
)
BLANK_IN_NAME = Rule.warning(
    "blank-in-name",
    "URDF015",
    "The name of a link or joint contains blanks.",
    "It is read here, but programs of ROS reject it: names become names of frames and topics, which have no blanks. Use "
    "underscores.",
)
NO_LINKS = Rule.error(
    "no-links",
    "URDF002",
    "The robot has no links.",
    "A URDF robot has at least one link. Nothing is read, and the URDF parser of ROS rejects the file. Add a link.",
)
DUPLICATE_NAME = shared_rules.DUPLICATE_NAME
UNKNOWN_LINK = shared_rules.UNKNOWN_LINK
MULTIPLE_PARENTS = shared_rules.MULTIPLE_PARENTS
KINEMATIC_CYCLE = Rule.error(
    "kinematic-cycle",
    "URDF003",
    "Joints connect links in a cycle.",
    "None of the links is the root, so that their poses are undefined. The joint that the message names is ignored. The usual "
    "reason is that parent and child of a joint are exchanged.",
    aliases=("link-cycle",),
)
MULTIPLE_ROOTS = Rule.error(
    "multiple-roots",
    "URDF004",
    "More than one link has no parent joint.",
    "A URDF robot is one tree with one root, and the URDF parser of ROS rejects the file. Each further root is read as a free "
    "body. A joint is missing, or its child is misspelt.",
    aliases=("several-roots",),
)
UNDECLARED_WORLD_LINK = Rule.warning(
    "undeclared-world-link",
    "URDF005",
    "A joint has the parent link 'world', which the file does not declare.",
    'It is read as the world. The URDF parser of ROS rejects the file. Declare the link: <link name="world"/>.',
    aliases=("undeclared-world",),
)
UNKNOWN_JOINT_TYPE = Rule.error(
    "unknown-joint-type",
    "URDF006",
    "A joint has a type that URDF does not define.",
    "It is read as a fixed joint. Write a ball or universal joint as a chain of revolute joints with massless links; `ossature "
    "convert` does so.",
    fixes=(Safety.SAFE, Safety.UNSAFE),
)
MISSING_LIMIT = Rule.warning(
    "missing-limit",
    "URDF007",
    "A revolute or prismatic joint has no <limit>, or a <limit> without effort or velocity.",
    "URDF requires them, and the parser of ROS rejects the file. The joint is read without these limits. State them, or make "
    "the joint continuous.",
    fixes=(Safety.SAFE,),
)
ZERO_JOINT_RANGE = Rule.warning(
    "zero-joint-range",
    "URDF008",
    "The range of a joint is empty, because a limit is missing.",
    "URDF defines a missing limit as 0. State both limits.",
    aliases=("no-room",),
    fixes=(Safety.SAFE,),
)
ZERO_LIMIT = Rule.note(
    "zero-limit",
    "URDF009",
    "The effort or velocity limit of a joint is zero.",
    "The joint can literally not be driven or moved. Exporters write 0 for an unknown value. State the limit of the drive.",
)
NON_UNIT_AXIS = shared_rules.NON_UNIT_AXIS.with_severity(Severity.WARNING)
ZERO_AXIS = shared_rules.ZERO_AXIS
IGNORED_ELEMENT = shared_rules.IGNORED_ELEMENT
UNKNOWN_JOINT = shared_rules.UNKNOWN_JOINT.with_severity(Severity.WARNING)
UNKNOWN_MATERIAL = shared_rules.UNKNOWN_MATERIAL.with_severity(Severity.WARNING)
DUPLICATE_MATERIAL = Rule.warning(
    "duplicate-material",
    "URDF010",
    "Two materials have the same name and different content.",
    "All visuals with this material have the first definition, as in ROS: those of the robot come before those of its links. "
    "Rename one.",
    aliases=("material-described-twice",),
)
ZERO_QUATERNION = shared_rules.ZERO_QUATERNION
PASSTHROUGH_ELEMENT = Rule.note(
    "passthrough-element",
    "URDF011",
    "An element for another program is passed through.",
    "It belongs to Gazebo, ros2_control, a planner or another program. It is not interpreted; URDF output contains it "
    "unchanged, and a conversion to another format reports it as dropped.",
    aliases=("kept-element",),
)
UNKNOWN_ELEMENT = shared_rules.UNKNOWN_ELEMENT
MISSING_GEOMETRY = syntax_rules.MISSING_ELEMENT.with_severity(Severity.WARNING)
MISPLACED_ELEMENT = Rule.warning(
    "misplaced-element",
    "URDF012",
    "A URDF element is at a position where URDF does not allow it.",
    "The parser of ROS ignores it silently. It is passed through and not interpreted. Usual reasons are a tag that is closed "
    "too late and a missing level: a shape belongs in <geometry>, a joint in <robot>.",
)
SUSPECTED_DEGREES = shared_rules.SUSPECTED_DEGREES
UNRESOLVED_REFERENCE = shared_rules.UNRESOLVED_REFERENCE.with_severity(Severity.WARNING)
SOFT_LIMIT_EXCEEDS_HARD_LIMIT = shared_rules.SOFT_LIMIT_EXCEEDS_HARD_LIMIT
TRANSMISSION_WITHOUT_ACTUATOR = Rule.warning(
    "transmission-without-actuator",
    "URDF020",
    "A transmission has no actuator.",
    "Programs of ROS that read transmissions ignore or reject it, and the joint is not driven. Add <actuator name=…> to the "
    "<transmission>.",
)
INCOMPLETE_INERTIA = Rule.warning(
    "incomplete-inertia",
    "URDF022",
    "An <inertial> has no mass, or its inertia tensor is not complete.",
    "The parser of ROS reports an error and reads the rest: a link without mass has no inertia, and an incomplete tensor is "
    "zero. It is read likewise here. Some simulators read a <density> instead, which no other program knows.",
)
FREE_BASE = shared_rules.FREE_BASE

RULES = rules_in(globals())
