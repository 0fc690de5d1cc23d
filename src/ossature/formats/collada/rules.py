"""Rules for COLLADA documents."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

NOT_COLLADA = shared_rules.WRONG_ROOT_ELEMENT
EMPTY_SCENE = Rule(
    name="empty-scene",
    code="DAE001",
    severity=Severity.WARNING,
    summary="The document has no scene, or a scene without kinematics.",
    explanation=(
        "OpenRAVE rejects such a document, or crashes. The kinematics scenes of its libraries are read, else its articulated "
        "systems, else its kinematics models; in a visual scene without kinematics each root becomes a rigid body. Add a "
        "<scene>."
    ),
    aliases=("nothing-shown",),
)
DUPLICATE_ID = Rule(
    name="duplicate-id",
    code="DAE002",
    severity=Severity.WARNING,
    summary="Two elements of a document have the same identifier.",
    explanation="References mean the first one. Identifiers are unique in a document. Rename one.",
)
UNRESOLVED_REFERENCE = shared_rules.UNRESOLVED_REFERENCE
UNRESOLVED_CONTENT = UNRESOLVED_REFERENCE.with_severity(Severity.WARNING)
"""A reference to a shape, a material or a device, without which the mechanism is complete."""
UNRESOLVED_BINDING = Rule(
    name="unresolved-binding",
    code="DAE040",
    severity=Severity.WARNING,
    summary="A binding or the data of an axis refer to a model, an axis or a node that does not exist.",
    explanation=(
        "The binding is ignored, as OpenRAVE does. A model without a binding has no shapes; an axis without one has its "
        "default position, and no limits of its own. Many robots contain bindings for parts that were removed. Correct the "
        "SID path, or remove the binding."
    ),
)
LOCKED_BY_LIMITS = Rule(
    name="joint-locked-by-limits",
    code="DAE041",
    severity=Severity.NOTE,
    summary="The limits of a joint leave no range of motion: it is locked.",
    explanation=(
        "The two limits are equal, or the lower one is above the upper one. As in OpenRAVE, such a joint never moves. It is "
        "locked at the position that the scene states, or at zero. If the joint should move, correct its limits."
    ),
)
UNRESOLVED_PARAMETER = Rule(
    name="unresolved-parameter",
    code="DAE003",
    severity=Severity.WARNING,
    summary="A parameter or SID path has no value.",
    explanation="The value counts as missing, and the documented default is used. Correct the path, or define the parameter.",
)
CYCLIC_REFERENCE = Rule(
    name="cyclic-reference",
    code="DAE004",
    severity=Severity.ERROR,
    summary="An element instantiates itself.",
    explanation="The inner instance is ignored, because the expansion would not end. Remove it.",
    aliases=("endless-reference",),
)
NUMERIC_OVERFLOW = Rule(
    name="numeric-overflow",
    code="DAE005",
    severity=Severity.ERROR,
    summary="A product of stated numbers overflows.",
    explanation=(
        "The pose or size that results from them is not usable; the message states the replacement. Correct the numbers."
    ),
    aliases=("beyond-measure",),
)
NO_DIRECTION = shared_rules.ZERO_AXIS.with_severity(Severity.WARNING)
UNBOUND_AXIS = Rule(
    name="unbound-axis",
    code="DAE006",
    severity=Severity.WARNING,
    summary="A joint axis is not bound to a node of the visual scene.",
    explanation=(
        "OpenRAVE then ignores the motion parameters of the axis, and gives the link no shapes and no mass. Here limits and "
        "speeds are used, and the node of the link is found by its name. Add a <bind_joint_axis>."
    ),
)
UNBOUND_MODEL = Rule(
    name="unbound-model",
    code="DAE007",
    severity=Severity.NOTE,
    summary="A kinematics model is not bound to a node of the visual scene.",
    explanation=(
        "If a node has the name of its first link, that pose is used; otherwise the model is at the origin and has no shapes. "
        "Add a <bind_kinematics_model>."
    ),
)
DUPLICATE_LINKS_MERGED = Rule(
    name="duplicate-links-merged",
    code="DAE008",
    severity=Severity.NOTE,
    summary="Two links of a robot have the same name and are merged.",
    explanation=(
        "COLLADA assembles robots this way: the first link of the gripper is the last link of the arm. Rename one if they are "
        "different links."
    ),
    aliases=("merged-links",),
)
MISSING_AXIS = Rule(
    name="missing-axis",
    code="DAE009",
    severity=Severity.WARNING,
    summary="A joint has no axis.",
    explanation="It is read as a fixed joint. State a <revolute> or <prismatic> axis.",
    aliases=("joint-without-axes",),
)
UNKNOWN_JOINT = shared_rules.UNKNOWN_JOINT
FORMULA_WITHOUT_TARGET = Rule(
    name="formula-without-target",
    code="DAE010",
    severity=Severity.ERROR,
    summary="A formula has no target joint.",
    explanation="It is ignored. A library formula that other formulas call needs no target. Add a <target>.",
)
UNKNOWN_LINK = shared_rules.UNKNOWN_LINK.with_severity(Severity.WARNING)
RENAMED_BODY = shared_rules.RENAMED
OPEN_AT_ZERO = shared_rules.UNCLOSED_LOOP
INCOMPLETE_ATTACHMENT = Rule(
    name="incomplete-attachment",
    code="DAE011",
    severity=Severity.WARNING,
    summary="An <attachment_start> or <attachment_end> has no counterpart.",
    explanation="Both are needed for a loop joint; one alone is ignored. Add the other one.",
    aliases=("unclosed-attachment",),
)
CLAMPED_POSITION = shared_rules.INITIAL_POSITION_OUTSIDE_LIMITS
SOFT_LIMIT_EXCEEDS_HARD_LIMIT = shared_rules.SOFT_LIMIT_EXCEEDS_HARD_LIMIT
ASSUMED_RADIANS = Rule(
    name="assumed-radians",
    code="DAE013",
    severity=Severity.NOTE,
    summary="Joint values are read in radians, because of the authoring tool of the document.",
    explanation=(
        "COLLADA uses degrees. Documents of 'OpenRAVE Collada Writer' and 'URDF Collada Writer' have values, velocities and "
        "accelerations in radians, and OpenRAVE reads them so; limits are always in degrees."
    ),
    aliases=("radians-by-tool",),
)
FREE_BASE = shared_rules.FREE_BASE
UP_AXIS_CONVERTED = Rule(
    name="up-axis-converted",
    code="DAE014",
    severity=Severity.NOTE,
    summary="The up axis of the document is not z, and the model is rotated.",
    explanation="OpenRAVE does not rotate it and lets gravity act along the stated axis; --dialect openrave does the same.",
    aliases=("up-axis-turned",),
)
PARTIALLY_LOCKED_JOINT = Rule(
    name="partially-locked-joint",
    code="DAE015",
    severity=Severity.WARNING,
    summary="Some axes of a joint with several axes are locked or inactive.",
    explanation=(
        "A locked axis gets limits at its initial position. A joint is passive if all of its axes are inactive. Check the axes."
    ),
    aliases=("partly-locked",),
)
MISSING_MASS = Rule(
    name="missing-mass",
    code="DAE016",
    severity=Severity.WARNING,
    summary="A link has no mass, and none can be computed from shapes.",
    explanation=(
        "As in OpenRAVE it gets 1e-10 kg and moments of 1e-7 kg·m², which are not realistic. Kinematics is not affected, but "
        "simulation is. State the mass."
    ),
    aliases=("no-mass",),
)
MISSING_MASS_FRAME = Rule(
    name="missing-mass-frame",
    code="DAE017",
    severity=Severity.WARNING,
    summary="A rigid body has a mass without a <mass_frame>.",
    explanation=(
        "Its centre of mass is at the origin of the frame of the physics model, as in OpenRAVE. State the <mass_frame>."
    ),
    aliases=("no-mass-frame",),
)
MULTIPLE_RIGID_BODIES = Rule(
    name="multiple-rigid-bodies",
    code="DAE018",
    severity=Severity.WARNING,
    summary="A link or node belongs to two rigid bodies.",
    explanation="The first one is used; mass and shapes of the other are ignored. Remove one.",
    aliases=("second-rigid-body",),
)
RIGID_BODY_WITHOUT_LINK = Rule(
    name="rigid-body-without-link",
    code="DAE019",
    severity=Severity.WARNING,
    summary="A rigid body targets a node that belongs to no link.",
    explanation="The link is then found by the name of the body; otherwise mass and shapes are ignored. Correct the target.",
    aliases=("unknown-target",),
)
SCALED_SHAPE = Rule(
    name="scaled-shape",
    code="DAE020",
    severity=Severity.WARNING,
    summary="A primitive shape is scaled or sheared by its nodes.",
    explanation=(
        "A scaled sphere or cylinder is not supported: its size is kept, at the transformed position. Use a mesh, or remove "
        "the scale."
    ),
)
ELLIPTIC_CYLINDER = Rule(
    name="elliptic-cylinder",
    code="DAE021",
    severity=Severity.WARNING,
    summary="A cylinder or capsule has two different radii.",
    explanation="The first one is used, as in OpenRAVE. Use a mesh for an elliptic cylinder.",
)
TRIANGULATED_POLYGONS = Rule(
    name="triangulated-polygons",
    code="DAE022",
    severity=Severity.NOTE,
    summary="Polygons are triangulated as fans.",
    explanation="This is exact for convex polygons; concave ones and holes are filled. Export triangles.",
    aliases=("fanned-polygons",),
)
UNSUPPORTED_CONTENT = Rule(
    name="unsupported-content",
    code="DAE023",
    severity=Severity.NOTE,
    summary="The document has content that models cannot represent.",
    explanation="It is ignored, and missing from written files.",
    aliases=("not-carried",),
)
UNKNOWN_EXTENSION = Rule(
    name="unknown-extension",
    code="DAE024",
    severity=Severity.NOTE,
    summary="An extension has an unknown type.",
    explanation="It is passed through unchanged, and not interpreted.",
)
INVALID_EXTENSION = Rule(
    name="invalid-extension",
    code="DAE025",
    severity=Severity.WARNING,
    summary="An Ossature extension has an invalid value.",
    explanation="The extension is ignored, and standard COLLADA content is used. Correct the value, or remove the extension.",
    aliases=("unreadable-extension",),
)
CONFLICTING_NAMES = Rule(
    name="conflicting-names",
    code="DAE026",
    severity=Severity.WARNING,
    summary="An extension has different names in its attribute and its content.",
    explanation="The name in the content is used. Correct one.",
    aliases=("two-names-for-one",),
)
CONFLICTING_VALUES = shared_rules.CONFLICTING_VALUES
UNKNOWN_SENSOR_TYPE = Rule(
    name="unknown-sensor-type",
    code="DAE027",
    severity=Severity.WARNING,
    summary="A sensor has an unknown type.",
    explanation=(
        "Its content is passed through unchanged. It measures nothing in a simulation. The hint names the nearest type."
    ),
)
UNSUPPORTED_SENSOR_PARAMETER = Rule(
    name="unsupported-sensor-parameter",
    code="DAE028",
    severity=Severity.NOTE,
    summary="A sensor has a parameter that its type does not define.",
    explanation="It is passed through unchanged, and has no effect on measurements. Check the spelling.",
    aliases=("unknown-sensor-word",),
)
UNSUPPORTED_DISTORTION_MODEL = Rule(
    name="unsupported-distortion-model",
    code="DAE029",
    severity=Severity.WARNING,
    summary="A camera has an unknown distortion model.",
    explanation="Its parameters are passed through unchanged. Images are not distorted. Use a supported model.",
    aliases=("unknown-distortion",),
)
INVALID_STEREO_CAMERA = Rule(
    name="invalid-stereo-camera",
    code="DAE030",
    severity=Severity.ERROR,
    summary="A stereo camera does not have exactly two cameras.",
    explanation="Depth needs two images. The cameras are ignored. State two cameras.",
    aliases=("not-two-cameras",),
)
NESTED_SCALE = Rule(
    name="nested-scale",
    code="DAE031",
    severity=Severity.WARNING,
    summary="Nodes around a robot scale or mirror it.",
    explanation=(
        "Links are rigid: position and orientation of the nodes are used, and the scale is ignored. Apply the scale to the "
        "meshes."
    ),
)
OPENRAVE_DIFFERS = Rule(
    name="openrave-differs",
    code="DAE032",
    severity=Severity.NOTE,
    summary="OpenRAVE interprets this differently from the COLLADA specification.",
    explanation="The specification is followed; with --dialect openrave the interpretation of OpenRAVE is used.",
)
INVALID_ATTACHMENT = Rule(
    name="invalid-attachment",
    code="DAE033",
    severity=Severity.ERROR,
    summary="A robot part cannot be attached.",
    explanation=(
        "A part is the only robot of another document. One of its links is merged with a link of the robot, and nothing else "
        "may be the parent of that link. The robot is read without the part. Correct the links that the message names."
    ),
    aliases=("bad-composition",),
)
PART_RENAMED = shared_rules.RENAMED.with_severity(Severity.NOTE)
UNSUPPORTED_ANIMATION = Rule(
    name="unsupported-animation",
    code="DAE034",
    severity=Severity.WARNING,
    summary="An animation moves no joint, or is not a valid curve.",
    explanation=(
        "A channel is read if it moves the transform of a node that <bind_joint_axis> binds to an axis: the ANGLE of a "
        "rotation, or X, Y or Z of a translation along the axis. Its sampler needs an INPUT of increasing times, an OUTPUT, "
        "and tangents for BEZIER and HERMITE. The rest is missing from written files."
    ),
    aliases=("unread-animation",),
)
SUSPECTED_RPM = Rule(
    name="suspected-rpm",
    code="DAE035",
    severity=Severity.WARNING,
    summary="Motor speeds are consistent with the motor constants only in revolutions per minute.",
    explanation=(
        "OpenRAVE documents revolutions per second, but its own example copies a data sheet with revolutions per minute. If "
        "torque constant, voltage and speeds differ by a factor of 60, revolutions per minute are used. Fix the unit with "
        "--motor-speed-unit rev/s or rev/min."
    ),
    aliases=("motor-speeds-per-minute",),
)
INVALID_TORQUE_POINTS = Rule(
    name="invalid-torque-points",
    code="DAE036",
    severity=Severity.WARNING,
    summary="The points of a torque-speed curve are not pairs.",
    explanation="Each point is a speed and a torque. The last number is ignored. Add the missing number.",
    aliases=("odd-torque-points",),
)
ACTUATOR_COUNT_MISMATCH = Rule(
    name="actuator-count-mismatch",
    code="DAE037",
    severity=Severity.WARNING,
    summary="An extension attaches several actuators to a different number of joints.",
    explanation=(
        "Several actuators can drive one joint, one actuator type can drive several joints, or the numbers are equal. "
        "Otherwise they are paired in the order of the file, and the rest is ignored. Correct the lists."
    ),
    aliases=("unpaired-actuators",),
)

UNSUPPORTED_FORMULA = Rule(
    name="unsupported-formula",
    code="DAE038",
    severity=Severity.ERROR,
    summary="A formula uses an operator that is not supported.",
    explanation=(
        "The formula is ignored, and its joint moves freely. Formulas can use numbers, joints, arithmetic, powers, roots, "
        "logarithms, trigonometric and hyperbolic functions and their inverses, rounding, comparisons, logic, piecewise cases, "
        "and functions that the file defines. Write other operators out."
    ),
)
MALFORMED_FORMULA = Rule(
    name="malformed-formula",
    code="DAE039",
    severity=Severity.ERROR,
    summary="A formula is malformed.",
    explanation=(
        "An operator has the wrong number of operands, a number is invalid, an element is missing, a function is recursive, or "
        "the formula is too large. The formula is ignored, and its joint moves freely. Correct the formula."
    ),
    aliases=("bad-formula",),
)
RULES = rules_in(globals())
