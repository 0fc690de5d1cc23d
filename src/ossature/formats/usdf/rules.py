"""What can be wrong with a USDF file, beyond its spelling."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

NOT_USDF = Rule(
    name="not-usdf",
    severity=Severity.ERROR,
    summary="The root element is neither <world_state> nor <world>.",
    explanation="The file is XML of another kind; a USDF file begins with <world_state>.",
)
UNKNOWN_FRAME = Rule(
    name="unknown-frame",
    severity=Severity.ERROR,
    summary="A frame or model is given in a frame that does not exist.",
    explanation="A parent is the name of a frame or of another model of the file, or world; an empty one is world, too.",
)
FRAME_CYCLE = Rule(
    name="frame-cycle",
    severity=Severity.ERROR,
    summary="Frames or models are given in one another.",
    explanation="Following parents from any frame has to lead to the world. The finding names the frames of the cycle.",
)
DUPLICATE_STATE = Rule(
    name="duplicate-state",
    severity=Severity.ERROR,
    summary="Two frames or models, or two links or joints of one model, have the same name.",
    explanation="Frames and models share one set of names, because a parent may be either. The first one counts.",
)
RESERVED_FRAME = Rule(
    name="reserved-frame",
    severity=Severity.ERROR,
    summary="A frame or model is called world.",
    explanation="That name is the frame in which everything is given in the end; choose another.",
)
CONTRADICTORY_ROTATION = Rule(
    name="contradictory-rotation",
    severity=Severity.WARNING,
    summary="A pose's exact rotation is not the one that its angles state.",
    explanation=(
        "Beside roll, pitch and yaw stands the same rotation as a quaternion, for the last bits. Where the two differ by more "
        "than rounding, somebody has changed the angles, and these count. Remove the attribute ossature:wxyz."
    ),
)
UNREADABLE_MEMORY = Rule(
    name="unreadable-memory",
    severity=Severity.WARNING,
    summary="What an exact restart needs cannot be read.",
    explanation="The state is read without it: a simulation goes on from it to the precision of its plain numbers.",
)
TORN_RECORDING = Rule(
    name="torn-recording",
    severity=Severity.WARNING,
    summary="A recording ends in the middle of a sample.",
    explanation="Its program was killed, or its disk was full. All whole samples before that place are read.",
)
MISFIT_VALUES = Rule(
    name="misfit-values",
    severity=Severity.WARNING,
    summary="A sample of a recording has more or fewer values than its quantities need.",
    explanation=(
        "The root names the quantities besides states, such as forces of springs, and how many values each has; every sample "
        "lists that many. The states are read, and these values are left out."
    ),
)

RULES = (
    NOT_USDF,
    UNKNOWN_FRAME,
    FRAME_CYCLE,
    DUPLICATE_STATE,
    RESERVED_FRAME,
    CONTRADICTORY_ROTATION,
    UNREADABLE_MEMORY,
    TORN_RECORDING,
    MISFIT_VALUES,
)
