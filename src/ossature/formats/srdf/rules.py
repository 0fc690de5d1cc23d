"""Rules for SRDF files; those for their syntax are in ``ossature.syntax.rules``."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

SEMANTICS_READ = Rule(
    name="semantics-read",
    code="SRDF001",
    severity=Severity.NOTE,
    summary="The SRDF file beside a URDF file is read with it.",
    explanation=(
        "A file with the same name and the suffix .srdf states groups, end effectors, named states, the base, and links that "
        "do not collide. Its chains are manipulators, its states keyframes, its pairs of links ignored pairs; all other bodies "
        "of the robot collide with each other. Name another file with --srdf FILE, or ignore it with --srdf none."
    ),
)
OTHER_ROBOT = Rule(
    name="semantics-of-other-robot",
    code="SRDF002",
    severity=Severity.WARNING,
    summary="An SRDF file names another robot than its URDF file.",
    explanation=(
        "The parser of MoveIt reports an error and uses the file; so does Ossature. Correct the name of the <robot>, or ignore "
        "the file with --srdf none if it is that of another robot."
    ),
)
UNKNOWN_GROUP = Rule(
    name="unknown-group",
    code="SRDF003",
    severity=Severity.WARNING,
    summary="An element refers to a group that does not exist.",
    explanation="The element is ignored. The hint names the nearest group.",
)
CYCLIC_GROUP = Rule(
    name="cyclic-group",
    code="SRDF004",
    severity=Severity.WARNING,
    summary="A group contains itself, perhaps through other groups.",
    explanation="Its joints would never end. The reference that closes the cycle is ignored. Remove it.",
)
GROUP_WITHOUT_CHAIN = Rule(
    name="group-without-chain",
    code="SRDF005",
    severity=Severity.NOTE,
    summary="The joints of a group do not form a chain, so that the group is no manipulator.",
    explanation=(
        "Inverse kinematics needs a chain of joints from a base to a tip. A group of several arms, or of fingers of a hand, is "
        "passed through: SRDF output contains it."
    ),
)
INVALID_STATE = Rule(
    name="invalid-group-state",
    code="SRDF006",
    severity=Severity.WARNING,
    summary="A named state has the wrong number of positions for a joint.",
    explanation="The position is ignored. A joint has as many positions as degrees of freedom.",
)
WRONG_ROOT_ELEMENT = shared_rules.WRONG_ROOT_ELEMENT
DUPLICATE_NAME = shared_rules.DUPLICATE_NAME.with_severity(Severity.WARNING)
UNKNOWN_LINK = shared_rules.UNKNOWN_LINK.with_severity(Severity.WARNING)
UNKNOWN_JOINT = shared_rules.UNKNOWN_JOINT.with_severity(Severity.WARNING)

RULES = rules_in(globals())
