"""What can be wrong with a COLLADA document, beyond its spelling."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity
from ossature.formats.collada import formula_rules

NOT_COLLADA = Rule(
    name="not-collada",
    severity=Severity.ERROR,
    summary="The root element is not <COLLADA>.",
    explanation="The file is XML of another kind. Name its format with --input-format, or convert it first.",
)
NOTHING_SHOWN = Rule(
    name="nothing-shown",
    severity=Severity.WARNING,
    summary="The document has no scene, or one without kinematics.",
    explanation=(
        "OpenRAVE refuses such a document, or crashes. Here what its libraries define is shown: its kinematics scenes, "
        "else its articulated systems, else its kinematics models; and a visual scene without kinematics becomes one rigid "
        "body for each of its roots."
    ),
)
DUPLICATE_ID = Rule(
    name="duplicate-id",
    severity=Severity.WARNING,
    summary="Two elements of a document have the same identifier.",
    explanation="References mean the first one. Identifiers are unique in a document; copies of nodes can be given a suffix.",
)
UNRESOLVED_REFERENCE = Rule(
    name="unresolved-reference",
    severity=Severity.ERROR,
    summary="A reference means nothing, or something of another kind.",
    explanation="What needs it is left out. The hint names the nearest thing of the right kind.",
)
UNRESOLVED_PARAMETER = Rule(
    name="unresolved-parameter",
    severity=Severity.WARNING,
    summary="A parameter or path means nothing where a value is needed.",
    explanation="The value counts as missing, and what is missing has the default that the documentation states.",
)
ENDLESS_REFERENCE = Rule(
    name="endless-reference",
    severity=Severity.ERROR,
    summary="Something holds a copy of itself.",
    explanation="The inner copy is left out; otherwise there would be no end.",
)
BEYOND_MEASURE = Rule(
    name="beyond-measure",
    severity=Severity.ERROR,
    summary="A product of stated numbers is larger than any number.",
    explanation="What the numbers place or measure is not where they say; the message says what is done instead.",
)
NO_DIRECTION = Rule(
    name="no-direction",
    severity=Severity.WARNING,
    summary="A direction is zero, or cannot be told.",
    explanation="The message says what is taken instead.",
)
UNBOUND_AXIS = Rule(
    name="unbound-axis",
    severity=Severity.WARNING,
    summary="An axis of a joint is bound to nothing that is seen.",
    explanation=(
        "OpenRAVE then ignores what the system says about the axis, and gives the link no shapes and no mass. Here limits "
        "and speeds hold nevertheless, and the link's node is looked for by its name."
    ),
)
UNBOUND_MODEL = Rule(
    name="unbound-model",
    severity=Severity.NOTE,
    summary="A kinematics model is bound to nothing that is seen.",
    explanation="Where a node has the name of its first link it stands there; else at the origin, and without shapes.",
)
DUPLICATE_LINK = Rule(
    name="merged-links",
    severity=Severity.NOTE,
    summary="Two links of a robot have the same name and are one.",
    explanation="That is how models are put together: a hand's first link is the arm's last one.",
)
JOINT_WITHOUT_AXES = Rule(
    name="joint-without-axes",
    severity=Severity.WARNING,
    summary="A joint has no axis.",
    explanation="It is read as a fixed joint.",
)
UNKNOWN_JOINT = Rule(
    name="unknown-joint-reference",
    severity=Severity.ERROR,
    summary="An attachment names a joint that its model does not have.",
    explanation="The link is kept and hangs on a fixed joint; the hint names the nearest joint.",
)
FORMULA_WITHOUT_TARGET = Rule(
    name="formula-without-target",
    severity=Severity.ERROR,
    summary="A formula does not say which joint follows it.",
    explanation="It is left out. A formula of a library that other formulas call needs no target.",
)
UNKNOWN_LINK = Rule(
    name="unknown-link",
    severity=Severity.WARNING,
    summary="An extension names a link or joint that the robot does not have.",
    explanation="What the extension says of it is left out. The hint names the nearest one.",
)
RENAMED_BODY = Rule(
    name="name-changed",
    severity=Severity.WARNING,
    summary="A name is missing or taken, and another one is given.",
    explanation="Names of models are unique in a world, names of joints and links in a model.",
)
OPEN_AT_ZERO = Rule(
    name="open-at-zero",
    severity=Severity.WARNING,
    summary="A closed loop does not close with its joints at zero.",
    explanation=(
        "The two ends of the joint that closes it lie apart, by as much as the message says. The joint is read with its "
        "place on the second link; a simulation closes the loop at its start."
    ),
)
OPEN_LOOP = Rule(
    name="unclosed-attachment",
    severity=Severity.WARNING,
    summary="An attachment begins or ends a joint without its other side.",
    explanation="attachment_start and attachment_end of one joint belong together; one alone holds nothing.",
)
CLAMPED_POSITION = Rule(
    name="position-moved-into-limits",
    severity=Severity.WARNING,
    summary="A joint's position at the start lies outside its limits.",
    explanation="It starts at the nearer limit, as in OpenRAVE.",
)
BEYOND_HARD_LIMIT = Rule(
    name="beyond-hard-limit",
    severity=Severity.WARNING,
    summary="A soft limit of a rate lies beyond the hard one.",
    explanation="The mechanism cannot do what its controller allows. The hard limit is taken for both, as in OpenRAVE.",
)
RADIANS_BY_TOOL = Rule(
    name="radians-by-tool",
    severity=Severity.NOTE,
    summary="Joint values, speeds and accelerations are in radians, because an old tool wrote the document.",
    explanation=(
        "COLLADA measures turns in degrees. Documents whose authoring tool is named exactly 'OpenRAVE Collada Writer' or "
        "'URDF Collada Writer' have radians there, and OpenRAVE reads them so; limits are in degrees in all documents."
    ),
)
FREE_BASE = Rule(
    name="free-base",
    severity=Severity.NOTE,
    summary="A robot's first link is said to move, and nothing holds it.",
    explanation=(
        "COLLADA has no word for a robot that is bolted to the ground except a rigid body that is not dynamic, and few "
        "documents say it. Simulated as it stands, the robot falls; `ossature simulate --fix-base` holds it."
    ),
)
UP_AXIS_TURNED = Rule(
    name="up-axis-turned",
    severity=Severity.NOTE,
    summary="The document's upward axis is not z, and everything is turned so that it is.",
    explanation="OpenRAVE does not convert, and lets gravity act along the stated axis; --dialect openrave does the same.",
)
PARTLY_LOCKED = Rule(
    name="partly-locked",
    severity=Severity.WARNING,
    summary="A joint of several axes is locked, or inactive, in some of them.",
    explanation="A locked axis is held by limits at its start; a joint counts as passive if all of its axes are inactive.",
)
NO_MASS = Rule(
    name="no-mass",
    severity=Severity.WARNING,
    summary="A link has no mass, neither stated nor to be computed from shapes.",
    explanation=(
        "As in OpenRAVE it gets 1e-10 kg and moments of 1e-7 kg·m², which no real part has. Poses are not concerned; a "
        "simulation is only as good as its masses."
    ),
)
NO_MASS_FRAME = Rule(
    name="no-mass-frame",
    severity=Severity.WARNING,
    summary="A rigid body has a mass and does not say where it is.",
    explanation="Its centre is taken to be at the origin of the frame in which the physics model stands, as in OpenRAVE.",
)
SECOND_BODY = Rule(
    name="second-rigid-body",
    severity=Severity.WARNING,
    summary="A link, or a node, is moved by two rigid bodies.",
    explanation="The first one counts; mass and shapes of the other one are left out.",
)
UNKNOWN_TARGET = Rule(
    name="unknown-target",
    severity=Severity.WARNING,
    summary="A rigid body moves a node that shows no link.",
    explanation="The link is then found by the body's name; where that fails too, mass and shapes are lost.",
)
SCALED_SHAPE = Rule(
    name="scaled-shape",
    severity=Severity.WARNING,
    summary="A simple shape is stretched or sheared by the nodes around it.",
    explanation="A stretched sphere or cylinder has no name here: it keeps its size, at the place where the nodes put it.",
)
ELLIPTIC_CYLINDER = Rule(
    name="elliptic-cylinder",
    severity=Severity.WARNING,
    summary="A cylinder or capsule has two radii.",
    explanation="The first one is taken, as in OpenRAVE.",
)
LEANING_POLYGONS = Rule(
    name="fanned-polygons",
    severity=Severity.NOTE,
    summary="Polygons are divided into fans of triangles.",
    explanation="That is exact for convex polygons; concave ones and holes are filled.",
)
NOT_CARRIED = Rule(
    name="not-carried",
    severity=Severity.NOTE,
    summary="The document says something for which models have no place.",
    explanation="It is passed over, and missing from what is written.",
)
UNKNOWN_EXTENSION = Rule(
    name="unknown-extension",
    severity=Severity.NOTE,
    summary="An extension is of a type that nobody here knows.",
    explanation="It is kept as it stands and written again. Nothing in it can name code to run.",
)
UNREADABLE_EXTENSION = Rule(
    name="unreadable-extension",
    severity=Severity.WARNING,
    summary="An extension of Ossature's own says something that is no value of its kind.",
    explanation="Such extensions carry what COLLADA has no word for. This one is passed over, and what else is said counts.",
)
OTHER_TAG = Rule(
    name="two-names-for-one",
    severity=Severity.WARNING,
    summary="An extension names one thing outside and another inside.",
    explanation="What stands inside counts.",
)
TWO_WORDS_FOR_ONE = Rule(
    name="words-disagree",
    severity=Severity.WARNING,
    summary="A sensor states one thing twice, in different words and with different values.",
    explanation=(
        "The page of the extensions, its examples and the program have different words for the same. The page's word counts, "
        "then that of its examples, then the program's."
    ),
)
UNKNOWN_SENSOR_TYPE = Rule(
    name="unknown-sensor-type",
    severity=Severity.WARNING,
    summary="A sensor is of a type that nobody here knows.",
    explanation="What it says is kept and written again as it stands. It senses nothing in a simulation.",
)
UNKNOWN_SENSOR_WORD = Rule(
    name="unknown-sensor-word",
    severity=Severity.NOTE,
    summary="A sensor says something that its type has no word for.",
    explanation="It is kept and written again as it stands, and changes no reading.",
)
UNKNOWN_DISTORTION = Rule(
    name="unknown-distortion",
    severity=Severity.WARNING,
    summary="A camera distorts by a model that nobody here knows.",
    explanation="What it says of it is kept and written again as it stands; its images are not distorted.",
)
NOT_TWO_CAMERAS = Rule(
    name="not-two-cameras",
    severity=Severity.ERROR,
    summary="A stereo camera has other than two cameras.",
    explanation="Depth comes from two images. The cameras count as not stated.",
)
BAD_MASS_FRAME = Rule(
    name="nested-scale",
    severity=Severity.WARNING,
    summary="Nodes around a robot stretch or mirror it.",
    explanation="Links are rigid: the place and direction of the nodes are taken, and the stretch is left out.",
)
PROGRAM_DIFFERS = Rule(
    name="openrave-differs",
    severity=Severity.NOTE,
    summary="OpenRAVE reads this differently from what COLLADA says.",
    explanation="Here COLLADA's own meaning is taken; --dialect openrave reads as the program does.",
)
BAD_COMPOSITION = Rule(
    name="bad-composition",
    severity=Severity.ERROR,
    summary="A document names a part of a robot that cannot be put onto it.",
    explanation=(
        "A part is the only robot of another document. One of its links becomes one with a link of the robot that carries it; "
        "nothing else may hold or move that link. The robot is read without the part."
    ),
)
PART_RENAMED = Rule(
    name="part-renamed",
    severity=Severity.NOTE,
    summary="Something in a part of a robot has another name in the whole.",
    explanation="Names are unique in a robot. What is called as something else gets the name of its part before its own.",
)
UNREAD_ANIMATION = Rule(
    name="unread-animation",
    severity=Severity.WARNING,
    summary="An animation, or a part of one, moves no joint or is no curve.",
    explanation=(
        "A channel is read where it moves the number of a node's transform that <bind_joint_axis> binds to a joint's axis: "
        "the ANGLE of a rotation, or X, Y or Z of a translation along that axis. Its sampler needs an INPUT of growing times, "
        "an OUTPUT, and for BEZIER and HERMITE tangents that let no time run backwards. What is not read is not written again."
    ),
)
SPEEDS_PER_MINUTE = Rule(
    name="motor-speeds-per-minute",
    severity=Severity.WARNING,
    summary="The speeds of an electric motor fit its constants only as revolutions per minute.",
    explanation=(
        "OpenRAVE's page measures speeds in revolutions per unit of time, which is a second, but its own example copies a data "
        "sheet with revolutions per minute. Where torque constant, voltage and speeds fit a factor of 60, they are taken as "
        "revolutions per minute. The option --motor-speed-unit rev/s or rev/min fixes the reading."
    ),
)
ODD_TORQUE_POINTS = Rule(
    name="odd-torque-points",
    severity=Severity.WARNING,
    summary="The points of a torque-speed curve are no pairs of numbers.",
    explanation="Each point is a speed and a torque. The number that has no partner is left out.",
)
UNPAIRED_ACTUATORS = Rule(
    name="unpaired-actuators",
    severity=Severity.WARNING,
    summary="An extension attaches several actuators to another number of joints.",
    explanation=(
        "Several actuators may drive one joint, one kind of actuator may drive several joints, or there is one for each. "
        "Otherwise nobody knows which drives which: those that have a partner in the order of the file are attached."
    ),
)

RULES = (*[value for value in list(globals().values()) if isinstance(value, Rule)], *formula_rules.RULES)
