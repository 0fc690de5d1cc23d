"""Rules for USDF files beyond their syntax."""

from __future__ import annotations

from ossature.diagnostics import Rule, shared_rules
from ossature.diagnostics.rule import rules_in

NOT_USDF = shared_rules.WRONG_ROOT_ELEMENT
SUSPECTED_DEGREES = shared_rules.SUSPECTED_DEGREES
UNKNOWN_FRAME = Rule.error(
    "unknown-frame",
    "USDF001",
    "A frame or model refers to a parent frame that does not exist.",
    "Its pose is undefined. A parent is the name of a frame or model of the file, or `world`; an empty name is `world`. "
    "Correct the name.",
)
FRAME_CYCLE = Rule.error(
    "frame-cycle",
    "USDF002",
    "The parents of frames or models form a cycle.",
    "Their poses are undefined, because the chain of parents does not end at the world. The message names the frames of the "
    "cycle. Correct one parent.",
)
DUPLICATE_STATE = shared_rules.DUPLICATE_NAME
RESERVED_NAME = Rule.error(
    "reserved-name",
    "USDF003",
    "A frame or model has the reserved name 'world'.",
    "`world` is the inertial frame. Use another name.",
    aliases=("reserved-frame",),
)
CONTRADICTORY_ROTATION = shared_rules.CONFLICTING_VALUES
INVALID_CHECKPOINT = Rule.warning(
    "invalid-checkpoint",
    "USDF004",
    "The engine state for a bit-exact restart cannot be read.",
    "The state is read without it: a simulation continues with the precision of the positions and velocities. Save the state "
    "again.",
    aliases=("unreadable-memory",),
)
MISSING_MODEL_POSE = Rule.note(
    "missing-model-pose",
    "USDF005",
    "A model has poses of links, but neither a pose nor a parent frame.",
    "The draft has no default. The model keeps the pose that it has in the model file; where no model file is given, its frame "
    "is that of the world. Add a `<pose>` to the `<model_state>`.",
)
TRUNCATED_RECORDING = Rule.warning(
    "truncated-recording",
    "REC002",
    "A recording ends within a sample.",
    "The program that wrote it was killed, or the disk was full. All complete samples are read.",
    aliases=("torn-recording",),
)
COLUMN_COUNT_MISMATCH = Rule.warning(
    "column-count-mismatch",
    "REC003",
    "A sample of a recording has more or fewer values than the recording declares.",
    "The root element declares the quantities besides the state, such as spring forces, and their number of values; its state "
    "declares the links and joints. The state of the sample is read, and tables and plots do not contain the other values.",
    aliases=("misfit-values",),
)

RULES = rules_in(globals())
