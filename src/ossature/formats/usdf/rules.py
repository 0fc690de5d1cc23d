"""Rules for USDF files beyond their syntax."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

NOT_USDF = shared_rules.WRONG_ROOT_ELEMENT
UNKNOWN_FRAME = Rule(
    name="unknown-frame",
    code="USDF001",
    severity=Severity.ERROR,
    summary="A frame or model refers to a parent frame that does not exist.",
    explanation=(
        "Its pose is undefined. A parent is the name of a frame or model of the file, or `world`; an empty name is `world`. "
        "Correct the name."
    ),
)
FRAME_CYCLE = Rule(
    name="frame-cycle",
    code="USDF002",
    severity=Severity.ERROR,
    summary="The parents of frames or models form a cycle.",
    explanation=(
        "Their poses are undefined, because the chain of parents does not end at the world. The message names the frames of "
        "the cycle. Correct one parent."
    ),
)
DUPLICATE_STATE = shared_rules.DUPLICATE_NAME
RESERVED_NAME = Rule(
    name="reserved-name",
    code="USDF003",
    severity=Severity.ERROR,
    summary="A frame or model has the reserved name 'world'.",
    explanation="`world` is the inertial frame. Use another name.",
    aliases=("reserved-frame",),
)
CONTRADICTORY_ROTATION = shared_rules.CONFLICTING_VALUES
INVALID_CHECKPOINT = Rule(
    name="invalid-checkpoint",
    code="USDF004",
    severity=Severity.WARNING,
    summary="The engine state for a bit-exact restart cannot be read.",
    explanation=(
        "The state is read without it: a simulation continues with the precision of the positions and velocities. Save the "
        "state again."
    ),
    aliases=("unreadable-memory",),
)
MISSING_MODEL_POSE = Rule(
    name="missing-model-pose",
    code="USDF005",
    severity=Severity.NOTE,
    summary="A model has poses of links, but neither a pose nor a parent frame.",
    explanation=(
        "The draft has no default. The model keeps the pose that it has in the model file; where no model file is given, its "
        "frame is that of the world. Add a `<pose>` to the `<model_state>`."
    ),
)
TRUNCATED_RECORDING = Rule(
    name="truncated-recording",
    code="REC002",
    severity=Severity.WARNING,
    summary="A recording ends within a sample.",
    explanation="The program that wrote it was killed, or the disk was full. All complete samples are read.",
    aliases=("torn-recording",),
)
COLUMN_COUNT_MISMATCH = Rule(
    name="column-count-mismatch",
    code="REC003",
    severity=Severity.WARNING,
    summary="A sample of a recording has more or fewer values than the recording declares.",
    explanation=(
        "The root element declares the quantities besides the state, such as spring forces, and their number of values. The "
        "state is read, and these values are ignored."
    ),
    aliases=("misfit-values",),
)

RULES = rules_in(globals())
