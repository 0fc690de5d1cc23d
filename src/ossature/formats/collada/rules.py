"""Rules for COLLADA documents."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

NOT_COLLADA = shared_rules.WRONG_ROOT_ELEMENT
EMPTY_SCENE = Rule.warning(
    "empty-scene",
    "DAE001",
    "The document has no scene, or a scene without kinematics.",
    "OpenRAVE rejects such a document, or crashes. The kinematics scenes of its libraries are read, else its articulated "
    "systems, else its kinematics models; in a visual scene without kinematics each root becomes a rigid body. Add a <scene>.",
    aliases=("nothing-shown",),
)
DUPLICATE_ID = Rule.warning(
    "duplicate-id",
    "DAE002",
    "Two elements of a document have the same identifier.",
    "References mean the first one. Identifiers are unique in a document. Rename one.",
)
UNRESOLVED_REFERENCE = shared_rules.UNRESOLVED_REFERENCE
UNRESOLVED_CONTENT = UNRESOLVED_REFERENCE.with_severity(Severity.WARNING)
"""A reference to a shape, a material or a device, without which the mechanism is complete."""
UNRESOLVED_BINDING = Rule.warning(
    "unresolved-binding",
    "DAE040",
    "A binding or the data of an axis refer to a model, an axis or a node that does not exist.",
    "The binding is ignored, as OpenRAVE does. A model without a binding has no shapes; an axis without one has its default "
    "position, and no limits of its own. Many robots contain bindings for parts that were removed. Correct the SID path, or "
    "remove the binding.",
)
LOCKED_BY_LIMITS = Rule.note(
    "joint-locked-by-limits",
    "DAE041",
    "The limits of a joint leave no range of motion: it is locked.",
    "The two limits are equal, or the lower one is above the upper one. As in OpenRAVE, such a joint never moves. It is locked "
    "at the position that the scene states, or at zero. If the joint should move, correct its limits.",
)
UNRESOLVED_PARAMETER = Rule.warning(
    "unresolved-parameter",
    "DAE003",
    "A parameter or SID path has no value.",
    "The value counts as missing, and the documented default is used. Correct the path, or define the parameter.",
)
CYCLIC_REFERENCE = Rule.error(
    "cyclic-reference",
    "DAE004",
    "An element instantiates itself.",
    "The inner instance is ignored, because the expansion would not end. Remove it.",
    aliases=("endless-reference",),
)
NUMERIC_OVERFLOW = Rule.error(
    "numeric-overflow",
    "DAE005",
    "A product of stated numbers overflows.",
    "The pose or size that results from them is not usable; the message states the replacement. Correct the numbers.",
    aliases=("beyond-measure",),
)
NO_DIRECTION = shared_rules.ZERO_AXIS.with_severity(Severity.WARNING)
UNBOUND_AXIS = Rule.warning(
    "unbound-axis",
    "DAE006",
    "A joint axis is not bound to a node of the visual scene.",
    "OpenRAVE then ignores the motion parameters of the axis, and gives the link no shapes and no mass. Here limits and speeds "
    "are used, and the node of the link is found by its name. Add a <bind_joint_axis>.",
)
UNBOUND_MODEL = Rule.note(
    "unbound-model",
    "DAE007",
    "A kinematics model is not bound to a node of the visual scene.",
    "If a node has the name of its first link, that pose is used; otherwise the model is at the origin and has no shapes. Add "
    "a <bind_kinematics_model>.",
)
DUPLICATE_LINKS_MERGED = Rule.note(
    "duplicate-links-merged",
    "DAE008",
    "Two links of a robot have the same name and are merged.",
    "COLLADA assembles robots this way: the first link of the gripper is the last link of the arm. Rename one if they are "
    "different links.",
    aliases=("merged-links",),
)
MISSING_AXIS = Rule.warning(
    "missing-axis",
    "DAE009",
    "A joint has no axis.",
    "It is read as a fixed joint. State a <revolute> or <prismatic> axis.",
    aliases=("joint-without-axes",),
)
UNKNOWN_JOINT = shared_rules.UNKNOWN_JOINT
FORMULA_WITHOUT_TARGET = Rule.error(
    "formula-without-target",
    "DAE010",
    "A formula has no target joint.",
    "It is ignored. A library formula that other formulas call needs no target. Add a <target>.",
)
UNKNOWN_LINK = shared_rules.UNKNOWN_LINK.with_severity(Severity.WARNING)
RENAMED_BODY = shared_rules.RENAMED
OPEN_AT_ZERO = shared_rules.UNCLOSED_LOOP
INCOMPLETE_ATTACHMENT = Rule.warning(
    "incomplete-attachment",
    "DAE011",
    "An <attachment_start> or <attachment_end> has no counterpart.",
    "Both are needed for a loop joint; one alone is ignored. Add the other one.",
    aliases=("unclosed-attachment",),
)
CLAMPED_POSITION = shared_rules.INITIAL_POSITION_OUTSIDE_LIMITS
SOFT_LIMIT_EXCEEDS_HARD_LIMIT = shared_rules.SOFT_LIMIT_EXCEEDS_HARD_LIMIT
ASSUMED_RADIANS = Rule.note(
    "assumed-radians",
    "DAE013",
    "Joint values are read in radians, because of the authoring tool of the document.",
    "COLLADA uses degrees. Documents of 'OpenRAVE Collada Writer' and 'URDF Collada Writer' have values, velocities and "
    "accelerations in radians, and OpenRAVE reads them so; limits are always in degrees.",
    aliases=("radians-by-tool",),
)
FREE_BASE = shared_rules.FREE_BASE
UP_AXIS_CONVERTED = Rule.note(
    "up-axis-converted",
    "DAE014",
    "The up axis of the document is not z, and the model is rotated.",
    "OpenRAVE does not rotate it and lets gravity act along the stated axis; --dialect openrave does the same.",
    aliases=("up-axis-turned",),
)
PARTIALLY_LOCKED_JOINT = Rule.warning(
    "partially-locked-joint",
    "DAE015",
    "Some axes of a joint with several axes are locked or inactive.",
    "A locked axis gets limits at its initial position. A joint is passive if all of its axes are inactive. Check the axes.",
    aliases=("partly-locked",),
)
MISSING_MASS = Rule.warning(
    "missing-mass",
    "DAE016",
    "A link has no mass, and none can be computed from shapes.",
    "As in OpenRAVE it gets 1e-10 kg and moments of 1e-7 kg·m², which are not realistic. Kinematics is not affected, but "
    "simulation is. State the mass.",
    aliases=("no-mass",),
)
MISSING_MASS_FRAME = Rule.warning(
    "missing-mass-frame",
    "DAE017",
    "A rigid body has a mass without a <mass_frame>.",
    "Its centre of mass is at the origin of the frame of the physics model, as in OpenRAVE. State the <mass_frame>.",
    aliases=("no-mass-frame",),
)
MULTIPLE_RIGID_BODIES = Rule.warning(
    "multiple-rigid-bodies",
    "DAE018",
    "A link or node belongs to two rigid bodies.",
    "The first one is used; mass and shapes of the other are ignored. Remove one.",
    aliases=("second-rigid-body",),
)
RIGID_BODY_WITHOUT_LINK = Rule.warning(
    "rigid-body-without-link",
    "DAE019",
    "A rigid body targets a node that belongs to no link.",
    "The link is then found by the name of the body; otherwise mass and shapes are ignored. Correct the target.",
    aliases=("unknown-target",),
)
SCALED_SHAPE = Rule.warning(
    "scaled-shape",
    "DAE020",
    "A primitive shape is scaled or sheared by its nodes.",
    "A scaled sphere or cylinder is not supported: its size is kept, at the transformed position. Use a mesh, or remove the "
    "scale.",
)
ELLIPTIC_CYLINDER = Rule.warning(
    "elliptic-cylinder",
    "DAE021",
    "A cylinder or capsule has two different radii.",
    "The first one is used, as in OpenRAVE. Use a mesh for an elliptic cylinder.",
)
TRIANGULATED_POLYGONS = Rule.note(
    "triangulated-polygons",
    "DAE022",
    "Polygons are triangulated as fans.",
    "This is exact for convex polygons; concave ones and holes are filled. Export triangles.",
    aliases=("fanned-polygons",),
)
UNSUPPORTED_CONTENT = Rule.note(
    "unsupported-content",
    "DAE023",
    "The document has content that models cannot represent.",
    "It is ignored, and missing from written files.",
    aliases=("not-carried",),
)
UNKNOWN_EXTENSION = Rule.note(
    "unknown-extension",
    "DAE024",
    "An extension has an unknown type.",
    "It is passed through unchanged, and not interpreted.",
)
INVALID_EXTENSION = Rule.warning(
    "invalid-extension",
    "DAE025",
    "An Ossature extension has an invalid value.",
    "The extension is ignored, and standard COLLADA content is used. Correct the value, or remove the extension.",
    aliases=("unreadable-extension",),
)
CONFLICTING_NAMES = Rule.warning(
    "conflicting-names",
    "DAE026",
    "An extension has different names in its attribute and its content.",
    "The name in the content is used. Correct one.",
    aliases=("two-names-for-one",),
)
CONFLICTING_VALUES = shared_rules.CONFLICTING_VALUES
UNKNOWN_SENSOR_TYPE = Rule.warning(
    "unknown-sensor-type",
    "DAE027",
    "A sensor has an unknown type.",
    "Its content is passed through unchanged. It measures nothing in a simulation. The hint names the nearest type.",
)
UNSUPPORTED_SENSOR_PARAMETER = Rule.note(
    "unsupported-sensor-parameter",
    "DAE028",
    "A sensor has a parameter that its type does not define.",
    "It is passed through unchanged, and has no effect on measurements. Check the spelling.",
    aliases=("unknown-sensor-word",),
)
UNSUPPORTED_DISTORTION_MODEL = Rule.warning(
    "unsupported-distortion-model",
    "DAE029",
    "A camera has an unknown distortion model.",
    "Its parameters are passed through unchanged. Images are not distorted. Use a supported model.",
    aliases=("unknown-distortion",),
)
INVALID_STEREO_CAMERA = Rule.error(
    "invalid-stereo-camera",
    "DAE030",
    "A stereo camera does not have exactly two cameras.",
    "Depth needs two images. The cameras are ignored. State two cameras.",
    aliases=("not-two-cameras",),
)
NESTED_SCALE = Rule.warning(
    "nested-scale",
    "DAE031",
    "Nodes around a robot scale or mirror it.",
    "Links are rigid: position and orientation of the nodes are used, and the scale is ignored. Apply the scale to the meshes.",
)
UNUSED_NODE_TRANSFORM = Rule.warning(
    "unused-node-transform",
    "DAE043",
    "The node to which a robot is bound has transforms that do not place the robot.",
    "The frame of the first link is that of the parent of the node, moved by the transforms of the <link>, as in OpenRAVE. If "
    "the node has other transforms than the link, they move the shapes of the link, and neither its frame nor the joints. "
    "Move the transforms to a node above it, and bind the robot to a node without transforms.",
)
OPENRAVE_DIFFERS = Rule.note(
    "openrave-differs",
    "DAE032",
    "OpenRAVE interprets this differently from the COLLADA specification.",
    "The specification is followed; with --dialect openrave the interpretation of OpenRAVE is used.",
)
INVALID_ATTACHMENT = Rule.error(
    "invalid-attachment",
    "DAE033",
    "A robot part cannot be attached.",
    "A part is the only robot of another document. One of its links is merged with a link of the robot, and nothing else may "
    "be the parent of that link. The robot is read without the part. Correct the links that the message names.",
    aliases=("bad-composition",),
)
PART_RENAMED = shared_rules.RENAMED.with_severity(Severity.NOTE)
UNSUPPORTED_ANIMATION = Rule.warning(
    "unsupported-animation",
    "DAE034",
    "An animation moves no joint, or is not a valid curve.",
    "A channel is read if it moves the transform of a node that <bind_joint_axis> binds to an axis: the ANGLE of a rotation, "
    "or X, Y or Z of a translation along the axis. Its sampler needs an INPUT of increasing times, an OUTPUT, and tangents for "
    "BEZIER and HERMITE. The rest is missing from written files.",
    aliases=("unread-animation",),
)
SUSPECTED_RPM = Rule.warning(
    "suspected-rpm",
    "DAE035",
    "Motor speeds are consistent with the motor constants only in revolutions per minute.",
    "OpenRAVE documents revolutions per second, but its own example copies a data sheet with revolutions per minute. If torque "
    "constant, voltage and speeds differ by a factor of 60, revolutions per minute are used. Fix the unit with "
    "--motor-speed-unit rev/s or rev/min.",
    aliases=("motor-speeds-per-minute",),
)
INVALID_TORQUE_POINTS = Rule.warning(
    "invalid-torque-points",
    "DAE036",
    "The points of a torque-speed curve are not pairs.",
    "Each point is a speed and a torque. The last number is ignored. Add the missing number.",
    aliases=("odd-torque-points",),
)
ACTUATOR_COUNT_MISMATCH = Rule.warning(
    "actuator-count-mismatch",
    "DAE037",
    "An extension attaches several actuators to a different number of joints.",
    "Several actuators can drive one joint, one actuator type can drive several joints, or the numbers are equal. Otherwise "
    "they are paired in the order of the file, and the rest is ignored. Correct the lists.",
    aliases=("unpaired-actuators",),
)

UNSUPPORTED_FORMULA = Rule.error(
    "unsupported-formula",
    "DAE038",
    "A formula uses an operator that is not supported.",
    "The formula is ignored, and its joint moves freely. Formulas can use numbers, joints, arithmetic, powers, roots, "
    "logarithms, trigonometric and hyperbolic functions and their inverses, rounding, comparisons, logic, piecewise cases, and "
    "functions that the file defines. Write other operators out.",
)
MALFORMED_FORMULA = Rule.error(
    "malformed-formula",
    "DAE039",
    "A formula is malformed.",
    "An operator has the wrong number of operands, a number is invalid, an element is missing, a function is recursive, or the "
    "formula is too large. The formula is ignored, and its joint moves freely. Correct the formula.",
    aliases=("bad-formula",),
)
INCOMPLETE_EXTENSION = Rule.warning(
    "incomplete-extension",
    "DAE042",
    "An extension of OpenRAVE lacks required content.",
    "The extension, or the element of it that the message names, is ignored: such as a manipulator without its base link, or a "
    "sensor without type. The robot and the other extensions are read. Add the content.",
)
RULES = rules_in(globals())
