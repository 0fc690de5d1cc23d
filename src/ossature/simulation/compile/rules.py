"""Rules of findings about the compilation of Worlds."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in
from ossature.kinematics import rules as kinematics_rules

NONPHYSICAL_INERTIA = Rule.error(
    "nonphysical-inertia",
    "MDL028",
    "The engine rejects an inertia that no distribution of mass has.",
    "A mass is negative or not finite, a joint moves a negative inertia, or none of the moving bodies of a model has a mass. "
    "Correct the values, or infer missing ones from the shapes with --infer-inertia.",
    aliases=("impossible-inertia",),
)
MISSING_INERTIA_MESH = Rule.warning(
    "missing-inertia-mesh",
    "SIM001",
    "A moment of inertia is computed without a mesh, because the mesh is missing.",
    "The file states no moments. They are computed from the other shapes, or are unit moments if there are none. State the "
    "moments, or correct the path of the mesh.",
    aliases=("moment-without-mesh",),
)
LASTING_INITIAL_COMMAND = Rule.warning(
    "lasting-initial-command",
    "SIM054",
    "An initial force or acceleration of a SKEL file acts longer than in DART.",
    "`<force initial>` and `<acceleration initial>` are commands at the start. DART resets all commands after each step, so "
    "that they act for one step there. Here a command acts until another one replaces it. Command zero with --command or in "
    "Python after the first step for the motion of DART.",
)
UNCOMMANDED_VELOCITY = Rule.note(
    "uncommanded-initial-velocity",
    "SIM056",
    "The initial velocity of a joint whose velocity is commanded lasts longer in DART.",
    "With the actuator `velocity`, DART takes the initial velocity as the command of its first step, and resets the command to "
    "zero after it. Here the command is zero from the start, so that the joint does not move. With the actuator `servo` the "
    "first command is zero in DART too. Command the velocity for one time step for the motion of DART.",
)
IMPASSABLE_LIMITS = shared_rules.REVERSED_LIMITS
ENGINE_COMPILE_ERROR = Rule.error(
    "engine-compile-error",
    "SIM002",
    "The engine rejects the model.",
    "The message is that of the engine: its compiler rejects the model, or it cannot simulate a combination of settings, such "
    "as sleeping bodies and equalities of tendons. `ossature check` reports most such errors with the name of the element. "
    "Correct the model.",
    aliases=("engine-refuses",),
)
CHAIN_TOO_DEEP = Rule.error(
    "chain-too-deep",
    "SIM003",
    "A kinematic chain is deeper than the engine supports.",
    "The engine supports about a thousand bodies in one chain. The model can be read, checked, posed and converted, but not "
    "simulated. Divide it, or combine bodies that do not move relative to each other.",
)
SOFT_BODY_SIMULATED_AS_RIGID = Rule.warning(
    "soft-body-simulated-as-rigid",
    "SIM004",
    "A soft body is simulated as a rigid body.",
    "Its springs are ignored: its point masses are fixed to the body, and its undeformed surface collides as a rigid one. The "
    "motion differs from that of a program that deforms it. The message states why: for example, the body closes a loop, "
    "cannot move, has an edge stiffness on a cylinder, or has more than a thousand points.",
    aliases=("soft-simulated-rigidly",),
)
SOFT_SKIN_CONTACT_APPROXIMATED = Rule.warning(
    "soft-skin-contact-approximated",
    "SIM058",
    "The skin of a soft body touches other shapes at its points only.",
    "The points of the skin deform as in DART, but what is smaller than the distance between two of them can pass through the "
    "faces between them, while DART moves the nearest point. The skins of two soft bodies of different models touch as the "
    "points of each and the undeformed surface of the other, which is stiffer than both skins together; those of one model do "
    "not touch. Sensors and pictures show the undeformed surface. A finer subdivision of the skin reduces the first error.",
)
CONVEX_HULL_COLLISION = Rule.note(
    "convex-hull-collision",
    "SIM005",
    "A mesh that is not convex collides as its convex hull.",
    "Holes and concavities are filled in simulation. Inverse kinematics and collision queries use the triangles. Divide the "
    "mesh into convex parts, each a shape of its own, if they matter.",
    aliases=("simulated-by-convex-hull",),
)
POLYHEDRAL_APPROXIMATION = Rule.note(
    "polyhedral-approximation",
    "SIM006",
    "A curved shape that the engine does not support collides as a convex polyhedron.",
    "Cones have 32 sides, and the spheres of a multi-sphere 16 slices. Contact is exact at the vertices and slightly inside "
    "between them.",
    aliases=("faceted-shape",),
)
UNSUPPORTED_COLLISION_SHAPE = Rule.warning(
    "unsupported-collision-shape",
    "SIM007",
    "A collision shape is not simulated.",
    "The message states the reason. The body moves without it. Use a supported shape.",
    aliases=("unsimulated-shape",),
)
SELF_COLLISIONS_DROPPED = Rule.warning(
    "self-collisions-dropped",
    "SIM008",
    "Self-collisions of a model are not simulated.",
    "The engine distinguishes about ten models that have shapes for self-collision, and the World has more. Bodies of this "
    "model do not collide with each other. Simulate fewer models at a time.",
    aliases=("too-many-self-collisions",),
)
SERVO_CHANGES_INTEGRATOR = Rule.note(
    "servo-changes-integrator",
    "SIM009",
    "A servo with an effort limit requires another integrator.",
    "The default integrator cannot combine a commanded velocity with a force limit. The implicit integrator is used for the "
    "whole World; it is slightly less accurate for stiff springs.",
    aliases=("servo-integrator",),
)
UNENFORCED_EFFORT_LIMIT = Rule.warning(
    "unenforced-effort-limit",
    "SIM010",
    "The effort limit of a servo is not enforced in simulation.",
    "A servo has unlimited effort if only one limit is stated, if the limits are reversed, and on ball and free joints. State "
    "both limits, and use an Euler joint instead of a ball joint.",
)
UNENFORCED_VELOCITY_LIMIT = Rule.note(
    "unenforced-velocity-limit",
    "SIM011",
    "Velocity limits of joints are not enforced in simulation.",
    "They are limits for controllers: motor drives and trajectory checks respect them. A joint that falls, is pushed or "
    "follows a command can exceed them.",
)
DANGLING_JOINT = shared_rules.UNKNOWN_BODY
IMPOSSIBLE_GRASP = shared_rules.INVALID_GRASP.with_severity(Severity.WARNING)
IDLE_MOTOR = Rule.warning(
    "idle-motor",
    "SIM014",
    "A motor moves nothing, because neither of its bodies can move.",
    "Both are fixed to the world or by joints. Connect the motor to a movable body, or remove it.",
)
IDLE_ACTUATOR = Rule.warning(
    "idle-actuator",
    "SIM015",
    "An electric motor has no effect in simulation.",
    "A motor drives a revolute or prismatic joint that can move and is not prescribed otherwise, and needs positive inertia, "
    "resistance and constants. The joint moves without the motor. The message states the reason.",
)
UNSUPPORTED_CONTACT_MATERIAL = Rule.warning(
    "unsupported-contact-material",
    "SIM019",
    "Parameters of a contact material are not simulated.",
    "Contacts are rigid: friction and restitution are used; elastic moduli and penalty coefficients are ignored. With "
    "--contact-time-constant contacts are compliant, and only friction is used. Motion after an impact differs from that of a "
    "program that uses the other parameters.",
    aliases=("material-not-simulated",),
)
UNSUPPORTED_PENALTY_CONTACT = Rule.note(
    "unsupported-penalty-contact",
    "SIM020",
    "A file specifies smooth (penalty) contact, which is simulated as rigid contact.",
    "Chrono's method SMC allows penetration according to the elastic moduli; NSC does not. Motion after an impact can differ. "
    "--contact-time-constant makes contacts compliant.",
    aliases=("smooth-contact-as-hard",),
)
SMALLER_RESTITUTION_USED = Rule.note(
    "smaller-restitution-used",
    "SIM021",
    "Shapes have different coefficients of restitution, and the smaller one of a contact pair is used.",
    "This is the rule of Chrono. A missing coefficient is 0: a ball with 0.8 does not rebound from a floor with 0. State the "
    "coefficient for both bodies.",
    aliases=("smaller-restitution-counts",),
)
UNSOLVABLE_COUPLING = Rule.error(
    "unsolvable-coupling",
    "SIM024",
    "A coupled joint has no initial position.",
    "Its formula refers to an unknown joint, depends on itself, or has no value there. `ossature check` reports the details. "
    "Correct or remove the formula.",
    aliases=("unplaced-formula",),
)
UNSUPPORTED_COUPLING = Rule.error(
    "unsupported-coupling",
    "SIM025",
    "A formula couples a coordinate that the engine cannot couple.",
    "Rotations of ball and free joints, and of point-line and point-plane joints, are not independent coordinates. Use Euler, "
    "universal or compound joints.",
    aliases=("uncoupled-formula",),
)
OVERCONSTRAINED_COUPLING = Rule.warning(
    "overconstrained-coupling",
    "SIM026",
    "A locked or driven joint is coupled to joints that are locked or driven too.",
    "The formula and the command both prescribe the position. If they differ, the engine satisfies neither, with unbounded "
    "forces. Let one of the joints move freely.",
    aliases=("overdetermined-formula",),
)
ANGLE_UNWRAPPED_PER_STEP = Rule.note(
    "angle-unwrapped-per-step",
    "SIM030",
    "The angle of a rotational spring is unwrapped from step to step.",
    "No joint has its axis, so no coordinate counts full revolutions. The angle is wrong if it changes by more than half a "
    "revolution in one step. Use a small time step.",
    aliases=("turns-counted-by-steps",),
)
UNSUITABLE_INTEGRATOR = Rule.error(
    "unsuitable-integrator",
    "SIM040",
    "The selected integrator cannot simulate the model.",
    "A servo with an effort limit needs the implicit or the leapfrog integrator. Select one of them, or let the program select "
    "the integrator.",
)
NOT_SIMULATED = Rule.warning(
    "element-not-simulated",
    "SIM049",
    "An element of a World is not simulated with the selected integrator.",
    "A World that states MuJoCo's options is simulated as MuJoCo does. Elements that were added to it and that MJCF cannot "
    "represent, such as loads and motors that follow functions of time, do not act, or act approximately. Another integrator "
    "(--integrator leapfrog) simulates them. It simulates neither actuators, tendons, equalities and contact pairs of MJCF "
    "files nor the armature of joints, fluids, largest angles of ball joints, and polynomials of springs and dampers. "
    "Friction that SDFormat states by direction (<mu2>, <slip1>) or against turning (<torsional>), damping of the velocity of "
    "links, the added mass of a fluid, links without dynamics, and wind are never simulated.",
)

RULES = (*rules_in(globals()), kinematics_rules.INFERRED_INERTIA, kinematics_rules.MOTION_WITHOUT_INERTIA)
