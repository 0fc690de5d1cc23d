"""What can be wrong with a URDF file, beyond its spelling."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

NOT_URDF = Rule(
    name="not-urdf",
    severity=Severity.ERROR,
    summary="The root element is not <robot>.",
    explanation="The file is XML of another kind. Name its format with --input-format, or convert it first.",
)
XACRO_FILE = Rule(
    name="xacro-file",
    severity=Severity.ERROR,
    summary="The file is a xacro template and no URDF yet.",
    explanation=(
        "Its macros, properties and ${…} are a program that xacro of ROS runs; it can read any file and run code, so it is not "
        "run here. Let xacro write the URDF: `xacro robot.urdf.xacro > robot.urdf`. A finished file may still declare the "
        "namespace of xacro."
    ),
)
NO_LINKS = Rule(
    name="no-links",
    severity=Severity.ERROR,
    summary="The robot has no links.",
    explanation="A URDF robot has one link at least. Nothing can be read; ROS's parser refuses the file too.",
)
DUPLICATE_LINK = Rule(
    name="duplicate-link",
    severity=Severity.ERROR,
    summary="Two links have the same name.",
    explanation=(
        "Joints could not tell them apart. The first one is read and the second left out; ROS's parser refuses the file."
    ),
)
DUPLICATE_JOINT = Rule(
    name="duplicate-joint",
    severity=Severity.ERROR,
    summary="Two joints have the same name.",
    explanation=(
        "Commands and mimics could not tell them apart. The second is given another name; ROS's parser refuses the file."
    ),
)
JOINT_WITHOUT_LINK = Rule(
    name="joint-without-link",
    severity=Severity.ERROR,
    summary="A joint names a link that the robot does not have.",
    explanation="The joint is left out. Most often a name is misspelt; names are compared letter by letter.",
)
SECOND_PARENT = Rule(
    name="second-parent",
    severity=Severity.ERROR,
    summary="Two joints name the same child link.",
    explanation=(
        "A URDF robot is a tree: a link hangs on one joint. The first one is read and the second left out. Closed loops "
        "cannot be said in URDF; convert the robot to a format that has them, and add the joint there."
    ),
)
LINK_CYCLE = Rule(
    name="link-cycle",
    severity=Severity.ERROR,
    summary="Links hang on each other in a circle.",
    explanation=(
        "None of them is the root, so nothing says where they are. The joint that is named is left out, so that the rest can "
        "be read. Most often a parent and a child are exchanged."
    ),
)
SEVERAL_ROOTS = Rule(
    name="several-roots",
    severity=Severity.ERROR,
    summary="More than one link hangs on no joint.",
    explanation=(
        "A URDF robot is one tree with one root; ROS's parser refuses the file. Each further root is read as a body of its own "
        "that nothing holds. Usually a joint is missing, or its child is misspelt."
    ),
)
UNDECLARED_WORLD = Rule(
    name="undeclared-world",
    severity=Severity.WARNING,
    summary="A joint hangs on a link 'world' that the file does not declare.",
    explanation=(
        "Some programs take it for the world, as is done here; ROS's parser refuses the file. Declare the link: it may be "
        "empty."
    ),
)
UNKNOWN_JOINT_TYPE = Rule(
    name="unknown-joint-type",
    severity=Severity.ERROR,
    summary="URDF has no such type of joint.",
    explanation=(
        "It is read as a fixed one, so that the rest can be read. A ball or universal joint is said in URDF as revolute "
        "joints one after the other, with links without mass between them; `ossature convert` writes them so."
    ),
)
MISSING_LIMIT = Rule(
    name="missing-limit",
    severity=Severity.WARNING,
    summary="A revolute or prismatic joint has no <limit>, or one that leaves out effort or velocity.",
    explanation=(
        "URDF requires it, and ROS's parser refuses the file; other programs read the joint without limits, as is done here. "
        "State the limits, or make a turning joint continuous."
    ),
)
NO_ROOM = Rule(
    name="no-room",
    severity=Severity.WARNING,
    summary="The limits of a joint leave it no room, because the file leaves one or both out.",
    explanation="A limit that is absent is 0 by the specification, and ROS's parser reads it so. State both.",
)
ZERO_LIMIT = Rule(
    name="zero-limit",
    severity=Severity.NOTE,
    summary="The largest effort or velocity of a joint is zero.",
    explanation=(
        "Taken at its word, the joint can neither be driven nor move. Programs that export URDF write 0 where they do not "
        "know; state what the drive can do."
    ),
)
AXIS_NOT_UNIT = Rule(
    name="axis-not-unit",
    severity=Severity.WARNING,
    summary="The axis of a joint is not a unit vector.",
    explanation="Its direction is taken and its length dropped; it does not scale anything. Some programs do scale by it.",
)
AXIS_ZERO = Rule(
    name="axis-zero",
    severity=Severity.ERROR,
    summary="The axis of a joint is zero.",
    explanation="It has no direction. 1 0 0, the default of URDF, is taken so that reading can go on.",
)
SAYS_NOTHING = Rule(
    name="says-nothing",
    severity=Severity.NOTE,
    summary="An element that means nothing for a joint of this type.",
    explanation="Exporters write axes and limits for every joint. It is not read, and not written again.",
)
UNKNOWN_MATERIAL = Rule(
    name="unknown-material",
    severity=Severity.WARNING,
    summary="A visual names a material that the file does not describe.",
    explanation="It has no colour then. The material is described nowhere in the file, or its name is misspelt.",
)
MATERIAL_TWICE = Rule(
    name="material-described-twice",
    severity=Severity.WARNING,
    summary="Two materials have the same name and differ.",
    explanation=(
        "A visual that describes its material itself has that colour; one that only names it has the first one of that name in "
        "the file, materials of the robot before those of its links."
    ),
)
BAD_QUATERNION = Rule(
    name="bad-quaternion",
    severity=Severity.ERROR,
    summary="A quaternion is zero, and so no rotation.",
    explanation="No rotation is taken in its place. A quaternion that is not of unit length is normalised.",
)
KEPT_ELEMENT = Rule(
    name="kept-element",
    severity=Severity.NOTE,
    summary="An element that is meant for another program is carried along.",
    explanation=(
        "URDF files hold what Gazebo, ros2_control, planners and others look for. It is not understood here: it is kept as it "
        "stands and written back into URDF, and a conversion to another format tells of it in the ledger."
    ),
)
MISSPELT_ELEMENT = Rule(
    name="misspelt-element",
    severity=Severity.WARNING,
    summary="An element that URDF does not have looks much like one that it has.",
    explanation="It is kept as it stands, and not understood; ROS's parser skips it in silence.",
)
MISPLACED_ELEMENT = Rule(
    name="misplaced-element",
    severity=Severity.WARNING,
    summary="An element of URDF stands where URDF does not have it.",
    explanation=(
        "ROS's parser skips it in silence. It is kept as it stands, and not understood. Most often a tag before it is closed "
        "too late, or a level is left out: a shape stands in <geometry>, a joint directly in <robot>."
    ),
)
DEGREES = Rule(
    name="rotation-in-degrees",
    severity=Severity.WARNING,
    summary="A rotation is more than a whole turn: degrees, where radians are meant?",
    explanation="Roll, pitch and yaw are in radians. They are taken at their word.",
)
KEPT_REFERENCE = Rule(
    name="dangling-reference",
    severity=Severity.WARNING,
    summary="A transmission or a <gazebo> element speaks of a joint or link that the robot does not have.",
    explanation="It is kept as it stands. The program that it is meant for will not find what it is about.",
)
BASE_NOT_HELD = Rule(
    name="base-not-held",
    severity=Severity.NOTE,
    summary="Nothing says whether the robot's root link is held.",
    explanation=(
        "URDF has no word for a robot that is bolted to the ground: the program that loads it decides. Here the root link is "
        "free, and falls when it is simulated, unless it is an empty link called world; `ossature simulate --fix-base` holds "
        "it."
    ),
)

RULES = (
    NOT_URDF,
    XACRO_FILE,
    NO_LINKS,
    DUPLICATE_LINK,
    DUPLICATE_JOINT,
    JOINT_WITHOUT_LINK,
    SECOND_PARENT,
    LINK_CYCLE,
    SEVERAL_ROOTS,
    UNDECLARED_WORLD,
    UNKNOWN_JOINT_TYPE,
    MISSING_LIMIT,
    NO_ROOM,
    ZERO_LIMIT,
    AXIS_NOT_UNIT,
    AXIS_ZERO,
    SAYS_NOTHING,
    UNKNOWN_MATERIAL,
    MATERIAL_TWICE,
    BAD_QUATERNION,
    KEPT_ELEMENT,
    MISSPELT_ELEMENT,
    MISPLACED_ELEMENT,
    DEGREES,
    KEPT_REFERENCE,
    BASE_NOT_HELD,
)
