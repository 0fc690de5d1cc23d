"""Rules for files of unknown format and for trajectory tables."""

from __future__ import annotations

from ossature.diagnostics import Rule

UNKNOWN_FORMAT = Rule.error(
    "unknown-format",
    "FILE011",
    "The format of a file cannot be determined from its suffix or its content.",
    "State the format with `--input-format`, in Python with `format=`. `ossature formats` lists the formats that can be read "
    "and written.",
)

UNEXPECTED_CONTENT = Rule.error(
    "unexpected-content",
    "FILE012",
    "A file contains something else than what is expected, for example a state instead of a model.",
    "Models, states, recordings, trajectories and calibrations are different files. A state holds positions and velocities, "
    "but no bodies or joints: give the model file, and the state as an option. Some formats can only be written; `ossature "
    "formats` lists what each format contains, and whether it is read.",
    aliases=("state-instead-of-model", "state-file"),
)

INVALID_TRAJECTORY_FILE = Rule.error(
    "invalid-trajectory-file",
    "FILE013",
    "A table is not a valid trajectory.",
    "A CSV trajectory has the header `time,MODEL/JOINT,…` and rows of numbers with increasing times [s]. A joint with several "
    "coordinates has the columns `MODEL/JOINT[0]`, `MODEL/JOINT[1]`, and so on. Values are in rad or m.",
    aliases=("bad-trajectory-file",),
)

RULES = (UNKNOWN_FORMAT, UNEXPECTED_CONTENT, INVALID_TRAJECTORY_FILE)
