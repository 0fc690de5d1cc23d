"""What can be wrong with a file before its format is known."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

UNKNOWN_FORMAT = Rule(
    name="unknown-format",
    severity=Severity.ERROR,
    summary="Neither the suffix nor the beginning of a file tells its format.",
    explanation="Name the format with --input-format; `ossature formats` lists those that are read and written.",
)

STATE_FILE = Rule(
    name="state-file",
    severity=Severity.ERROR,
    summary="The file holds the state of a world where a world is asked for.",
    explanation="A state says where things are, not what they are: it needs the model file that it belongs to.",
)


BAD_TRAJECTORY_FILE = Rule(
    name="bad-trajectory-file",
    severity=Severity.ERROR,
    summary="A table is no trajectory.",
    explanation=(
        "A CSV file has a header time,MODEL/JOINT,… and rows of numbers with growing times [s]; a joint with several "
        "coordinates takes MODEL/JOINT[0], MODEL/JOINT[1] and so on. Values are in rad or m."
    ),
)

RULES = (UNKNOWN_FORMAT, STATE_FILE, BAD_TRAJECTORY_FILE)
