"""Rules for files of unknown format and for trajectory tables."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

UNKNOWN_FORMAT = Rule(
    name="unknown-format",
    code="FILE011",
    severity=Severity.ERROR,
    summary="The format of a file cannot be determined from its suffix or its content.",
    explanation="Name the format with `--input-format`. `ossature formats` lists the formats that can be read and written.",
)

STATE_INSTEAD_OF_MODEL = Rule(
    name="state-instead-of-model",
    code="FILE012",
    severity=Severity.ERROR,
    summary="A state file is given instead of a model file.",
    explanation=(
        "A state holds positions and velocities, but no bodies or joints. Give the model file, and the state as an option."
    ),
    aliases=("state-file",),
)


INVALID_TRAJECTORY_FILE = Rule(
    name="invalid-trajectory-file",
    code="FILE013",
    severity=Severity.ERROR,
    summary="A table is not a valid trajectory.",
    explanation=(
        "A CSV trajectory has the header `time,MODEL/JOINT,…` and rows of numbers with increasing times [s]. A joint with "
        "several coordinates has the columns `MODEL/JOINT[0]`, `MODEL/JOINT[1]`, and so on. Values are in rad or m."
    ),
    aliases=("bad-trajectory-file",),
)

RULES = (UNKNOWN_FORMAT, STATE_INSTEAD_OF_MODEL, INVALID_TRAJECTORY_FILE)
