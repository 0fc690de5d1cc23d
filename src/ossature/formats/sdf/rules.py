"""Rules for SDFormat files; those for their syntax are in ``ossature.syntax.rules``."""

from __future__ import annotations

from ossature.diagnostics import Rule, shared_rules
from ossature.diagnostics.rule import rules_in
from ossature.syntax import rules as syntax_rules

WRONG_ROOT_ELEMENT = shared_rules.WRONG_ROOT_ELEMENT
DUPLICATE_NAME = shared_rules.DUPLICATE_NAME
SELF_CONNECTION = shared_rules.SELF_CONNECTION
ZERO_AXIS = shared_rules.ZERO_AXIS
NON_UNIT_AXIS = shared_rules.NON_UNIT_AXIS
ZERO_QUATERNION = shared_rules.ZERO_QUATERNION
SUSPECTED_DEGREES = shared_rules.SUSPECTED_DEGREES
REVERSED_LIMITS = shared_rules.REVERSED_LIMITS
NO_MODELS = Rule.error(
    "no-models",
    "SDF001",
    "An SDFormat file has no model.",
    "The root element contains neither a <model> nor a <world>. Actors and lights alone are not models.",
)
UNREAD_MODEL = Rule.error(
    "unread-model",
    "SDF002",
    "A file has a second model, actor or light outside a world.",
    "Such a file contains one of them, and the others are not read. Write them to files of their own, or put all into one "
    "<world>.",
)
UNREAD_WORLD = Rule.warning(
    "unread-world",
    "SDF018",
    "A second world of a file is not read.",
    "The first world is read. Write the others to files of their own.",
)
UNKNOWN_VERSION = Rule.warning(
    "unknown-version",
    "SDF003",
    "The version of SDFormat is not known.",
    "Versions 1.4 to 1.12 are known. The file is read as one of the nearest of them.",
)
UNKNOWN_FRAME = Rule.error(
    "unknown-sdf-frame",
    "SDF004",
    "An element refers to a frame that does not exist.",
    "Names refer to links, joints, frames and nested models of the same model, or with :: to those of a nested model. In a "
    "world they refer to models and frames. <world> can be named in relative_to and attached_to of a world and as the parent "
    "of a joint.",
)
FRAME_CYCLE = Rule.error(
    "sdf-frame-cycle",
    "SDF005",
    "The poses of frames are stated relative to each other in a cycle.",
    "None of the poses is defined; they are read as relative to the model. Change one relative_to or attached_to.",
)
RESERVED_NAME = Rule.error(
    "reserved-sdf-name",
    "SDF006",
    "A name is reserved in SDFormat.",
    "The name world, and names that begin and end with two underscores, such as __model__, have a meaning of their own. Gazebo "
    "does not load such a file. Choose another name.",
)
NO_LINKS = Rule.error(
    "model-without-links",
    "SDF007",
    "A model that is not static has no links.",
    "Gazebo does not load such a model: it has nothing to which its frame is fixed. Add a <link>.",
)
INVALID_POSE = Rule.error(
    "invalid-pose",
    "SDF008",
    "A pose has another number of values than its format.",
    "A pose consists of six numbers: a position, then roll, pitch and yaw. With rotation_format quat_xyzw it consists of "
    "seven: a position, then a quaternion x y z w. The pose is read as none.",
)
UNKNOWN_JOINT_TYPE = Rule.error(
    "unknown-sdf-joint-type",
    "SDF009",
    "A joint has a type that SDFormat does not define.",
    "The joint is read as fixed. Valid types are listed in the hint.",
)
UNSUPPORTED_JOINT = Rule.warning(
    "unsupported-sdf-joint",
    "SDF010",
    "A joint of a type that cannot be represented is read as another one.",
    "A gearbox couples the rotations of two links relative to its reference body. It is read as a coupling of two revolute "
    "joints, which connect the links to that body about the axes of the gearbox. Without such joints it is read as a revolute "
    "joint without the coupling.",
)
UNSUPPORTED_SHAPE = Rule.warning(
    "unsupported-sdf-shape",
    "SDF011",
    "A shape, or part of one, cannot be represented.",
    "Height maps, images and polylines are ignored. Of a mesh with <submesh> the whole mesh is read.",
)
MISSING_SHAPE = Rule.warning(
    "missing-shape",
    "SDF012",
    "A visual or collision has no shape.",
    "It is ignored. State one shape in its <geometry>.",
)
INVALID_INCLUDE = Rule.error(
    "invalid-include",
    "SDF013",
    "An <include> cannot be expanded.",
    "It names no file, the folder that it names has no model.config, the file has no model, or a file includes itself. The "
    "<include> is ignored.",
)
UNKNOWN_SENSOR_TYPE = Rule.error(
    "unknown-sdf-sensor-type",
    "SDF014",
    "A sensor has a type that SDFormat does not define.",
    "The sensor is passed through. Valid types are listed in the hint.",
)
MISSING_PLACEMENT_POSE = Rule.error(
    "missing-placement-pose",
    "SDF015",
    "An <include> has a <placement_frame>, but no <pose>.",
    "The placement frame states which frame of the model has the pose of the <include>. State the pose.",
)
UNREPRESENTED_SENSOR = Rule.note(
    "unrepresented-sensor",
    "SDF016",
    "A sensor is kept by name and type only.",
    "Cameras, range finders that scan one line, inertial measurement units, and force and torque sensors can be simulated. The "
    "parameters of other sensors are passed through as text.",
)
MIMIC_LEADER = Rule.error(
    "invalid-mimic-leader",
    "SDF017",
    "A <mimic> names a joint or an axis that does not exist.",
    "The coupling is ignored. Name another joint of the same model, and its axis or axis2.",
)
IGNORED_ELEMENT = Rule.warning(
    "ignored-sdf-element",
    "SDF019",
    "An element of an SDFormat file has no effect on the model that is read.",
    "Ball and fixed joints have no axis, and most others only one; so the damping, limits and friction of such an axis do not "
    "act. An <include> that merges a model into another one does not make its links static. Changes of an included model by "
    "<experimental:params> are not made. The hint states what to write instead.",
)

RULES = (*rules_in(globals()), *syntax_rules.RULES)
