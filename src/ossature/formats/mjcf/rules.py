"""Rules for MJCF files; those for their syntax are in ``ossature.syntax.rules``."""

from __future__ import annotations

from ossature.diagnostics import Rule, shared_rules
from ossature.diagnostics.fix import Safety
from ossature.diagnostics.rule import rules_in

WRONG_ROOT_ELEMENT = shared_rules.WRONG_ROOT_ELEMENT
REPEATED_INCLUDE = Rule.error(
    "repeated-include",
    "MJCF001",
    "A file is included more than once.",
    "MuJoCo includes each file at most once, so that files cannot include each other forever. This `<include>` is ignored. "
    "Remove it, or move the shared part to a file of its own; `<attach>` and `<replicate>` repeat parts of a model.",
)
MUJOCO_ERROR = Rule.error(
    "mujoco-error",
    "MJCF002",
    "MuJoCo refuses the file.",
    "MuJoCo's parser or compiler gives this error for the file, with its includes. Nothing is read. The location is that of "
    "the element with the error, also in an included file.",
)
MUJOCO_WARNING = Rule.warning(
    "mujoco-warning",
    "MJCF006",
    "MuJoCo gives a warning for the file.",
    "MuJoCo's parser or compiler gives this warning, for example about an attribute that will be removed, or about settings of "
    "an attached model that are ignored. The file is read. Follow the advice of the message.",
)
UNAVAILABLE_IMAGE = Rule.warning(
    "unavailable-image",
    "MJCF007",
    "The image of a texture is unavailable.",
    "The model is read, because images have no effect on motion. MuJoCo refuses the file until the image exists. Correct the "
    "path or `texturedir`.",
)
UNAVAILABLE_ASSET = Rule.error(
    "unavailable-asset",
    "MJCF003",
    "A file to which the model refers is unavailable.",
    "A mesh, height field or model file does not exist, or is outside the folders from which files may be opened. MuJoCo "
    "refuses such a file, because shapes and masses are unknown; nothing is read. Correct the path or `meshdir`, or pass the "
    "folder of the file with `--search-path`.",
)
TOO_LARGE = Rule.error(
    "mjcf-too-large",
    "MJCF004",
    "The model would have too many elements, or too large arrays.",
    "`<replicate>`, `<composite>` and `<flexcomp>`, height fields and sizes of user data multiply the content of a file. Their "
    "product exceeds the limits of untrusted files; nothing is read. For a trusted file, raise the limit.",
)
UNREPRESENTED = Rule.warning(
    "unrepresented-mjcf",
    "MJCF005",
    "Content of the file is not represented in the model.",
    "Plugins have no equivalent in the model of Ossature. Those of actuators, sensors and geoms are kept as text; a body is "
    "read without its plugin, and a mesh as its surface. Shapes of the type `sdf` collide as signed distance fields in MuJoCo, "
    "and as the convex hulls of their meshes in Ossature: their holes and hollows are filled.",
)
SUSPECTED_RADIANS = Rule.warning(
    "suspected-radians",
    "MJCF008",
    "Angles in degrees are so small that radians are suspected.",
    'Angles of MJCF are in degrees unless `<compiler angle="radian"/>` is stated. The ranges of all hinges are within a few '
    "degrees, or an orientation has the number π/2 or π. The values are used as they are, and so joints hardly move or frames "
    "are not turned. If they are in radians, state it; a file that includes or attaches others has its own unit.",
)
MASS_COUNTED_TWICE = Rule.warning(
    "mass-counted-twice",
    "MJCF009",
    "Two equal geoms of a body both have mass.",
    "Without `<inertial>`, the mass of a body is the sum of those of its geoms, each by default with the density of water. A "
    "geom for display and an equal one for collision count twice. Set the mass of one to zero, or state `<inertial>`, or the "
    "groups that count by `inertiagrouprange`.",
)
EQUALITY_RESIDUAL = Rule.warning(
    "equality-residual",
    "MJCF010",
    "An equality does not fit at the start.",
    "The two points or frames of a `<connect>` or `<weld>` are more than 1 mm or 1 mrad apart at the initial positions and in "
    "all keyframes. A simulation pulls the bodies together from its first step, with large forces. Correct the sites, the "
    "relative pose, or the initial positions.",
)
RANGE_OF_FREE_JOINT = Rule.warning(
    "range-of-free-joint",
    "MJCF011",
    "A free joint has a range.",
    "MuJoCo does not limit free joints. Remove the range, or use slides and hinges, which can be limited.",
)
UNLIMITED_COMMAND = Rule.note(
    "unlimited-command",
    "MJCF012",
    "The command of a position actuator of a limited joint has no range.",
    "A command beyond the limits of the joint presses it against its stop, and viewers and learning environments do not know "
    'which commands are useful. State `ctrlrange`, or `inheritrange="1"`.',
)
UNNAMED_ELEMENT = Rule.note(
    "unnamed-element",
    "MJCF013",
    "Joints or actuators have no name.",
    "Commands, recordings and other elements refer to joints and actuators by name. Those without one get a name from their "
    "body, joint or index, which can change if the file changes.",
)
REMOVED = Rule.warning(
    "removed-mjcf",
    "MJCF014",
    "Content was removed from MJCF, so that MuJoCo refuses the file.",
    "The file is of an earlier version of MuJoCo. It is read as it was meant then, and written files have the current "
    "spelling. Change it as the hint states; `check --fix` does so if a single element changes.",
    fixes=(Safety.SAFE,),
)
OBSOLETE = Rule.note(
    "obsolete-mjcf",
    "MJCF015",
    "An attribute of earlier versions of MuJoCo has no effect, or another spelling.",
    "MuJoCo still accepts the attribute. Sizes of its arrays have no effect, because it allocates memory as it is needed. "
    "Remove the attribute, or write what the hint states.",
    fixes=(Safety.SAFE,),
)

RULES = (*rules_in(globals()), shared_rules.SUSPECTED_DEGREES)
