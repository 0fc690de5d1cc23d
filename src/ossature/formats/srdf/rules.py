"""Rules for SRDF files; those for their syntax are in ``ossature.syntax.rules``."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

SEMANTICS_READ = Rule.note(
    "semantics-read",
    "SRDF001",
    "The SRDF file beside a URDF file is read with it.",
    "A file with the same name and the suffix .srdf states groups, end effectors, named states, the base, and links that do "
    "not collide. Its chains are manipulators, its states keyframes, its pairs of links ignored pairs; all other bodies of the "
    "robot collide with each other. Name another file with --srdf FILE, or ignore it with --srdf none.",
)
OTHER_ROBOT = Rule.warning(
    "semantics-of-other-robot",
    "SRDF002",
    "An SRDF file names another robot than its URDF file.",
    "The parser of MoveIt reports an error and uses the file; so does Ossature. Correct the name of the <robot>, or ignore the "
    "file with --srdf none if it is that of another robot.",
)
UNKNOWN_GROUP = Rule.warning(
    "unknown-group",
    "SRDF003",
    "An element refers to a group that does not exist.",
    "The element is ignored. The hint names the nearest group.",
)
CYCLIC_GROUP = Rule.warning(
    "cyclic-group",
    "SRDF004",
    "A group contains itself, perhaps through other groups.",
    "Its joints would never end. The reference that closes the cycle is ignored. Remove it.",
)
GROUP_WITHOUT_CHAIN = Rule.note(
    "group-without-chain",
    "SRDF005",
    "The joints of a group do not form a chain, so that the group is no manipulator.",
    "Inverse kinematics needs a chain of joints from a base to a tip. A group of several arms, or of fingers of a hand, is "
    "passed through: SRDF output contains it.",
)
INVALID_STATE = Rule.warning(
    "invalid-group-state",
    "SRDF006",
    "A named state has the wrong number of positions for a joint.",
    "The position is ignored. A joint has as many positions as degrees of freedom.",
)
WRONG_ROOT_ELEMENT = shared_rules.WRONG_ROOT_ELEMENT
DUPLICATE_NAME = shared_rules.DUPLICATE_NAME.with_severity(Severity.WARNING)
UNKNOWN_LINK = shared_rules.UNKNOWN_LINK.with_severity(Severity.WARNING)
UNKNOWN_JOINT = shared_rules.UNKNOWN_JOINT.with_severity(Severity.WARNING)

RULES = rules_in(globals())
