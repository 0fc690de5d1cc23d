"""Rules for MJCF files; those for their syntax are in ``ossature.syntax.rules``."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.fix import Safety
from ossature.diagnostics.rule import rules_in

WRONG_ROOT_ELEMENT = shared_rules.WRONG_ROOT_ELEMENT
REPEATED_INCLUDE = Rule(
    name="repeated-include",
    code="MJCF001",
    severity=Severity.ERROR,
    summary="A file is included more than once.",
    explanation=(
        "MuJoCo includes each file at most once, so that files cannot include each other forever. This `<include>` is ignored. "
        "Remove it, or move the shared part to a file of its own; `<attach>` and `<replicate>` repeat parts of a model."
    ),
)
MUJOCO_ERROR = Rule(
    name="mujoco-error",
    code="MJCF002",
    severity=Severity.ERROR,
    summary="MuJoCo refuses the file.",
    explanation=(
        "MuJoCo's parser or compiler gives this error for the file, with its includes. Nothing is read. The location is "
        "that of the element with the error, also in an included file."
    ),
)
MUJOCO_WARNING = Rule(
    name="mujoco-warning",
    code="MJCF006",
    severity=Severity.WARNING,
    summary="MuJoCo gives a warning for the file.",
    explanation=(
        "MuJoCo's parser or compiler gives this warning, for example about an attribute that will be removed, or about "
        "settings of an attached model that are ignored. The file is read. Follow the advice of the message."
    ),
)
UNAVAILABLE_IMAGE = Rule(
    name="unavailable-image",
    code="MJCF007",
    severity=Severity.WARNING,
    summary="The image of a texture is unavailable.",
    explanation=(
        "The model is read, because images have no effect on motion. MuJoCo refuses the file until the image exists. "
        "Correct the path or `texturedir`."
    ),
)
UNAVAILABLE_ASSET = Rule(
    name="unavailable-asset",
    code="MJCF003",
    severity=Severity.ERROR,
    summary="A file to which the model refers is unavailable.",
    explanation=(
        "A mesh, height field or model file does not exist, or is outside the folders from which files may be opened. MuJoCo "
        "refuses such a file, because shapes and masses are unknown; nothing is read. Correct the path or `meshdir`, or pass "
        "the folder of the file with `--search-path`."
    ),
)
TOO_LARGE = Rule(
    name="mjcf-too-large",
    code="MJCF004",
    severity=Severity.ERROR,
    summary="The model would have too many elements, or too large arrays.",
    explanation=(
        "`<replicate>`, `<composite>` and `<flexcomp>`, height fields and sizes of user data multiply the content of a file. "
        "Their product exceeds the limits of untrusted files; nothing is read. For a trusted file, raise the limit."
    ),
)
UNREPRESENTED = Rule(
    name="unrepresented-mjcf",
    code="MJCF005",
    severity=Severity.WARNING,
    summary="Content of the file is not represented in the model.",
    explanation=(
        "Plugins have no equivalent in the model of Ossature. Those of actuators, sensors and geoms are kept as text; a body "
        "is read without its plugin, and a mesh as its surface."
    ),
)
SUSPECTED_RADIANS = Rule(
    name="suspected-radians",
    code="MJCF008",
    severity=Severity.WARNING,
    summary="Angles in degrees are so small that radians are suspected.",
    explanation=(
        'Angles of MJCF are in degrees unless `<compiler angle="radian"/>` is stated. The ranges of all hinges are within a '
        "few degrees, or an orientation has the number π/2 or π. The values are used as they are, and so joints hardly move or "
        "frames are not turned. If they are in radians, state it; a file that includes or attaches others has its own unit."
    ),
)
MASS_COUNTED_TWICE = Rule(
    name="mass-counted-twice",
    code="MJCF009",
    severity=Severity.WARNING,
    summary="Two equal geoms of a body both have mass.",
    explanation=(
        "Without `<inertial>`, the mass of a body is the sum of those of its geoms, each by default with the density of "
        "water. A geom for display and an equal one for collision count twice. Set the mass of one to zero, or state "
        "`<inertial>`, or the groups that count by `inertiagrouprange`."
    ),
)
EQUALITY_RESIDUAL = Rule(
    name="equality-residual",
    code="MJCF010",
    severity=Severity.WARNING,
    summary="An equality does not fit at the start.",
    explanation=(
        "The two points or frames of a `<connect>` or `<weld>` are more than 1 mm or 1 mrad apart at the initial positions "
        "and in all keyframes. A simulation pulls the bodies together from its first step, with large forces. Correct the "
        "sites, the relative pose, or the initial positions."
    ),
)
RANGE_OF_FREE_JOINT = Rule(
    name="range-of-free-joint",
    code="MJCF011",
    severity=Severity.WARNING,
    summary="A free joint has a range.",
    explanation="MuJoCo does not limit free joints. Remove the range, or use slides and hinges, which can be limited.",
)
UNLIMITED_COMMAND = Rule(
    name="unlimited-command",
    code="MJCF012",
    severity=Severity.NOTE,
    summary="The command of a position actuator of a limited joint has no range.",
    explanation=(
        "A command beyond the limits of the joint presses it against its stop, and viewers and learning environments do not "
        'know which commands are useful. State `ctrlrange`, or `inheritrange="1"`.'
    ),
)
UNNAMED_ELEMENT = Rule(
    name="unnamed-element",
    code="MJCF013",
    severity=Severity.NOTE,
    summary="Joints or actuators have no name.",
    explanation=(
        "Commands, recordings and other elements refer to joints and actuators by name. Those without one get a name from "
        "their body, joint or index, which can change if the file changes."
    ),
)
REMOVED = Rule(
    name="removed-mjcf",
    code="MJCF014",
    severity=Severity.WARNING,
    summary="Content was removed from MJCF, so that MuJoCo refuses the file.",
    explanation=(
        "The file is of an earlier version of MuJoCo. It is read as it was meant then, and written files have the current "
        "spelling. Change it as the hint states; `check --fix` does so if a single element changes."
    ),
    fixes=(Safety.SAFE,),
)
OBSOLETE = Rule(
    name="obsolete-mjcf",
    code="MJCF015",
    severity=Severity.NOTE,
    summary="An attribute of earlier versions of MuJoCo has no effect, or another spelling.",
    explanation=(
        "MuJoCo still accepts the attribute. Sizes of its arrays have no effect, because it allocates memory as it is needed. "
        "Remove the attribute, or write what the hint states."
    ),
    fixes=(Safety.SAFE,),
)

RULES = (*rules_in(globals()), shared_rules.SUSPECTED_DEGREES)
