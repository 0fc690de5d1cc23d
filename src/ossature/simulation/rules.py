"""What the engine cannot do, or does differently; each is named before or while it runs."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity

IMPOSSIBLE_INERTIA = Rule(
    name="impossible-inertia",
    severity=Severity.ERROR,
    summary="No distribution of mass has such an inertia, and the engine refuses it.",
    explanation=(
        "A body that a joint moves needs a positive mass, no negative principal moment, and something that resists each "
        "motion of its joint. Correct them; moments that are left out are computed from the shapes."
    ),
)
MOMENT_WITHOUT_MESH = Rule(
    name="moment-without-mesh",
    severity=Severity.WARNING,
    summary="A moment of inertia is computed without a mesh that it should be computed from.",
    explanation=(
        "The file states no moments, and a mesh among the body's shapes cannot be had. The other shapes are taken, and "
        "unit moments where there are none. State the moments, or say where the mesh is."
    ),
)
IMPASSABLE_LIMITS = Rule(
    name="impassable-limits",
    severity=Severity.ERROR,
    summary="The lower limit of a joint lies above its upper one, and the engine refuses it.",
    explanation="Exchange the two, or simulate without limits (`--no-limits`).",
)
REFUSED = Rule(
    name="engine-refuses",
    severity=Severity.ERROR,
    summary="The engine refuses the model.",
    explanation=(
        "The message is the engine's own. Most of what it refuses is found by name before, and `ossature check` tells of "
        "it; limits whose lower end lies above the upper one are an example."
    ),
)
TOO_DEEP_A_CHAIN = Rule(
    name="chain-too-deep",
    severity=Severity.ERROR,
    summary="More bodies hang on one another than the engine can carry in one chain.",
    explanation=(
        "The engine carries about a thousand bodies one behind the other. Such a chain can be read, checked, posed and "
        "converted, and not simulated as one piece: divide it, or join bodies that do not move against each other."
    ),
)
SOFT_AS_RIGID = Rule(
    name="soft-simulated-rigidly",
    severity=Severity.WARNING,
    summary="A soft body is simulated as the rigid one that its frame describes.",
    explanation=(
        "The surface's points, springs and mass take no part; its undeformed shape collides like a rigid one. The motion "
        "differs from that of a program which deforms it."
    ),
)
CONVEX_HULL = Rule(
    name="simulated-by-convex-hull",
    severity=Severity.NOTE,
    summary="A mesh that is not convex collides as its convex hull.",
    explanation="Holes and hollows are filled for contact. Divide the mesh into convex pieces where they matter.",
)
FACETED = Rule(
    name="faceted-shape",
    severity=Severity.NOTE,
    summary="A round shape that the engine does not have collides as a convex body with flat faces.",
    explanation=(
        "Cones get 32 sides, and the spheres of a multi-sphere 16 slices; contact is exact at the corners and a little "
        "inside between them."
    ),
)
UNSIMULATED_SHAPE = Rule(
    name="unsimulated-shape",
    severity=Severity.WARNING,
    summary="A collision shape cannot take part in the simulation.",
    explanation="The message says why; the body moves without it.",
)
TOO_MANY_SELF_COLLISIONS = Rule(
    name="too-many-self-collisions",
    severity=Severity.WARNING,
    summary="Shapes that are meant for bodies of their own model alone do not act in this simulation.",
    explanation=(
        "The engine tells apart ten models or more whose bodies have such shapes, and this World has still more of them. The "
        "bodies of this one do not touch each other. Simulate fewer models at a time."
    ),
)
SERVO_INTEGRATOR = Rule(
    name="servo-integrator",
    severity=Severity.NOTE,
    summary="A servo with limited effort needs another integrator.",
    explanation=(
        "The engine's integrator that steps as DART does cannot hold a velocity within a limit of force; the whole world "
        "is stepped with the implicit one instead, which is a little less accurate with stiff springs."
    ),
)
UNENFORCED_EFFORT = Rule(
    name="unenforced-effort-limit",
    severity=Severity.WARNING,
    summary="The effort limit of a servo is not enforced in simulation.",
    explanation=(
        "A servo follows its command at any effort where only one direction is limited, where the limits are reversed, "
        "and on ball and free joints. State both limits, and use an euler joint in place of a ball."
    ),
)
UNENFORCED_VELOCITY = Rule(
    name="unenforced-velocity-limit",
    severity=Severity.NOTE,
    summary="Velocity limits of joints do not act in a simulation.",
    explanation=(
        "They are limits for controllers: the drive of an electric motor and the checks of trajectories keep to them, and "
        "nothing in a mechanism does. A joint that is pushed or falls exceeds them, and so does one that a command prescribes."
    ),
)
DANGLING_JOINT = Rule(
    name="dangling-joint",
    severity=Severity.ERROR,
    summary="A joint names a body that does not exist, so that it cannot be simulated.",
    explanation="It connects nothing. Readers leave such joints out; this one was made by a program. Correct the name.",
)
ASSUMED_GRIP = Rule(
    name="assumed-grip",
    severity=Severity.NOTE,
    summary="A finger presses with an assumed force, because its joint states no limit of effort.",
    explanation=(
        "A slide presses with 20 N and a turn with 1 N·m, as small hands do. State the effort limit of the joint, or say "
        "`effort=` when the gripper is closed from Python."
    ),
)
ASSUMED_GAINS = Rule(
    name="assumed-gains",
    severity=Severity.NOTE,
    summary="The drive of an electric motor follows with assumed gains, because none are stated.",
    explanation=(
        "They make the joint follow at 10 Hz, critically damped, with the inertia that it has with all joints at zero. State "
        "gains for a robot that stretches far or carries much: `Actuator.controller`, or a calibration file."
    ),
)
IMPOSSIBLE_GRASP = Rule(
    name="impossible-grasp",
    severity=Severity.WARNING,
    summary="A hand holds what it cannot hold, and is simulated without it.",
    explanation="The same is found by `ossature check`, as bad-grasp; the message says which body or grasp stands in the way.",
)
IDLE_MOTOR = Rule(
    name="idle-motor",
    severity=Severity.WARNING,
    summary="A motor moves nothing: neither of its bodies can move.",
    explanation="Both are fixed to the world, or held fast by joints.",
)
IDLE_ACTUATOR = Rule(
    name="idle-actuator",
    severity=Severity.WARNING,
    summary="An electric motor drives nothing in a simulation.",
    explanation=(
        "A motor turns a hinge or pushes a slide that can move and that nothing else prescribes, and its sheet has to state "
        "inertias, resistances and constants above zero. The message says what is amiss; the joint moves as without it."
    ),
)
MOTOR_AT_LIMIT = Rule(
    name="motor-at-limit",
    severity=Severity.NOTE,
    summary="An electric motor did less than it was told, because a limit of its sheet held it back.",
    explanation=(
        "The voltage never exceeds the nominal one, and torque never the momentary torque or curve. A drive that controls "
        "torque, velocity or position also keeps to the highest speed and the power rating."
    ),
)
OVERLOADED_MOTOR = Rule(
    name="overloaded-motor",
    severity=Severity.WARNING,
    summary="An electric motor does more than is safe by its sheet.",
    explanation=(
        "A motor that is told a voltage has nothing that protects it: its speed and power are what they are. A real one would "
        "not last. Command a torque, velocity or position to have a drive that keeps to the ratings."
    ),
)
IDEAL_SERVO = Rule(
    name="ideal-servo",
    severity=Severity.WARNING,
    summary="A joint that is to follow a trajectory has no electric motor: an ideal servo moves it.",
    explanation=(
        "It goes exactly where the trajectory says, with whatever force that needs. State an electric motor for the joint to "
        "see what a real drive makes of the trajectory."
    ),
)
MATERIAL_NOT_SIMULATED = Rule(
    name="material-not-simulated",
    severity=Severity.WARNING,
    summary="Not all of a contact material acts in a simulation.",
    explanation=(
        "Contacts are rigid: friction and restitution act; elastic moduli and coefficients of penalty contacts do not. With a "
        "time constant of contacts (--contact-time-constant) they are compliant, and friction alone acts. Motion after an "
        "impact differs from that of a program in which the others act."
    ),
)
SMOOTH_CONTACT = Rule(
    name="smooth-contact-as-hard",
    severity=Severity.NOTE,
    summary="A file asks for smooth (penalty) contact, and contacts are rigid here.",
    explanation=(
        "Chrono's contact method SMC lets bodies sink into each other a little, as their elastic moduli say; NSC does not. "
        "Contacts are rigid in either case, and motion after an impact may differ. --contact-time-constant makes them "
        "compliant."
    ),
)
SMALLER_RESTITUTION = Rule(
    name="smaller-restitution-counts",
    severity=Severity.NOTE,
    summary="Shapes have different coefficients of restitution: of two in contact, the smaller one counts.",
    explanation=(
        "This is Chrono's rule for two materials, and a shape that states no coefficient has none (0). A ball with 0.8 "
        "does not rebound from a floor with 0. State the coefficient in the materials of both bodies."
    ),
)
PENETRATION = Rule(
    name="penetration",
    severity=Severity.WARNING,
    summary="Two bodies penetrated each other by more than a millimetre.",
    explanation=(
        "Rigid contacts keep the penetration below 0.01 mm. More happens if motors or loops press bodies together that cannot "
        "give way, or if a body turns fast about an edge. The overlap is removed at 30 mm/s, and what moves meanwhile is not "
        "what would move. Take a shorter step, or let the motor that presses give way."
    ),
)
OVERLAP_AT_START = Rule(
    name="overlap-at-start",
    severity=Severity.NOTE,
    summary="Two bodies that can touch overlap by more than a millimetre when a simulation starts.",
    explanation=(
        "Shapes that overlap cannot have been placed so. The overlap is removed at 30 mm/s: the bodies rise or part until they "
        "touch. Place them apart, or let the pair be ignored."
    ),
)
UNPLACED_FORMULA = Rule(
    name="unplaced-formula",
    severity=Severity.ERROR,
    summary="A joint that follows others cannot be placed at the start.",
    explanation=(
        "Its formula names a joint that does not exist, follows itself by way of others, or has no value there. The check of "
        "that name says more; correct the formula, or take it away."
    ),
)
UNCOUPLED_FORMULA = Rule(
    name="uncoupled-formula",
    severity=Severity.ERROR,
    summary="A formula couples a joint whose coordinates the engine cannot couple.",
    explanation=(
        "The coordinates of ball and free joints, and the turns of a point on a line or plane, are parts of one rotation, "
        "which no equation of the engine holds one by one. Use euler, universal or compound joints, whose axes turn one "
        "after the other."
    ),
)
OVERDETERMINED_FORMULA = Rule(
    name="overdetermined-formula",
    severity=Severity.WARNING,
    summary="A joint that is held or driven follows joints that are held or driven too.",
    explanation=(
        "The formula and the command, or the lock, both decide where the joint is to be. Where they differ, the engine gives "
        "in to neither, with forces without bound. Let one of the joints move by itself."
    ),
)
LOST_FORMULA = Rule(
    name="lost-formula",
    severity=Severity.ERROR,
    summary="A simulation has come to a place where a formula has no value.",
    explanation=(
        "There it divides by zero, or takes the root or logarithm of a negative number, and its joint is nowhere. Limit the "
        "joints that it follows, or correct the formula."
    ),
)
LOOPS_CLOSED = Rule(
    name="loops-closed",
    severity=Severity.NOTE,
    summary="Joints that close loops, or motors, did not fit at the start, and the bodies were moved together.",
    explanation=(
        "The bodies are moved by as little as possible until every joint, constraint and motor holds at time zero. A large "
        "gap is a mistake in the model; a motor whose function does not begin at zero is not."
    ),
)
ASSEMBLY_JUMP = Rule(
    name="assembly-jump",
    severity=Severity.WARNING,
    summary="Bodies were moved by a visible distance before a simulation began, because loops were open.",
    explanation=(
        "The joints that close loops did not fit at the initial positions, and bodies were moved until they did: by more than "
        "0.001 of the extent of the model, or 0.001 rad. The simulation starts at another configuration than the file states, "
        "and perhaps in another assembly mode. Correct initial positions, anchors or lengths; `ossature pose` closes loops for "
        "given coordinates."
    ),
)
VELOCITY_CHANGED = Rule(
    name="initial-velocity-changed",
    severity=Severity.WARNING,
    summary="A body or joint begins with another velocity than the file states.",
    explanation=(
        "The stated velocities do not fit joints, loops or motors. The bodies begin with the momentum that they state, as far "
        "as the constraints allow, as after an impact without rebound. It is a finding above 0.01 of the stated velocity, and "
        "0.001 m/s or rad/s. State velocities that the mechanism can have, of all bodies or joints of a loop."
    ),
)
CONTRADICTION = Rule(
    name="contradicting-motors",
    severity=Severity.WARNING,
    summary="Motors and constraints ask for velocities that cannot be at the start.",
    explanation=(
        "A motor drives what joints or another motor hold. The engine gives in to neither, with forces without bound, and "
        "the motion is not to be trusted. Take one of them away."
    ),
)
TURNS_BY_STEPS = Rule(
    name="turns-counted-by-steps",
    severity=Severity.NOTE,
    summary="The turns of a rotational spring are counted from step to step.",
    explanation=(
        "No joint between its bodies has its axis, so that no coordinate counts whole turns. A spring that turns by more "
        "than half a turn in one step would be counted wrong."
    ),
)
LARGE_BUSHING_ANGLE = Rule(
    name="large-bushing-angle",
    severity=Severity.WARNING,
    summary="A bushing turns by more than 10° in a simulation.",
    explanation=(
        "The law of a bushing is meant for small rotations. Use a joint, and a rotational spring-damper (RSDA) for its "
        "stiffness."
    ),
)
BLOWN_UP = Rule(
    name="simulation-diverged",
    severity=Severity.ERROR,
    summary="The simulation diverged: a position, velocity or acceleration is no longer a sensible number.",
    explanation=(
        "The message names the step, and the body whose velocity grew first; the samples up to the last finite state are kept. "
        "The usual reasons are a time step too long for a stiff spring or a small mass, bodies that start inside one "
        "another, loops that lock (`ossature check` names their joints), or a command that asks for too much. Try a shorter "
        "time step first."
    ),
)
LOOPS_OPENED = Rule(
    name="loops-opened",
    severity=Severity.WARNING,
    summary="Loops opened during a simulation by more than 0.001 of the extent of the model, or 0.001 rad.",
    explanation=(
        "Constraints hold to the order of the integrator: 1e-5 m for a mechanism of 1 m at 1 ms is usual. A residual that is "
        "visible means that the time step is too long for how fast the mechanism moves, that it passes a singular "
        "configuration, or that its loops contradict each other (see `locked-joint`). Neither the motion nor the reactions are "
        "to be trusted from there on. Shorten the time step until the residual falls with its square."
    ),
)
ENERGY_GAINED = Rule(
    name="energy-gained",
    severity=Severity.WARNING,
    summary="The bodies gained energy during a simulation that no motor, load or command supplied.",
    explanation=(
        "The balance compares the change of kinetic and potential energy with the work of all that drives the bodies. It is a "
        "finding above 0.05 of the energy that takes part in the motion, beyond what the work may be wrong by. Such a gain is "
        "numerical: the time step is too long for a spring, a fast spin or a fast passage of a singular configuration, or "
        "bodies start inside one another. Shorten the time step."
    ),
)
ENERGY_LOST = Rule(
    name="energy-lost",
    severity=Severity.WARNING,
    summary="The bodies lost energy during a simulation although nothing dissipates it.",
    explanation=(
        "There is no friction, contact, limit or damper whose work could account for it, so that the loss is numerical: an "
        "integrator of first order damps stiff springs and fast motion. It is a finding above 0.05 of the energy that takes "
        "part in the motion. Shorten the time step, or step with an integrator of second order."
    ),
)
FAST_ROTATION = Rule(
    name="fast-rotation",
    severity=Severity.WARNING,
    summary="A body rotated by more than 1 rad in one step or sub-step.",
    explanation=(
        "Seven steps or fewer for a revolution do not resolve how its axis moves, nor the forces on it. A body that is guided "
        "about a principal axis is right all the same. Shorten the time step."
    ),
)
FAST_TRAVEL = Rule(
    name="fast-travel",
    severity=Severity.WARNING,
    summary="A body travels by a tenth of the extent of its World in one step of a simulation.",
    explanation=(
        "Contacts, loops and forces that depend on positions are evaluated at the beginning of each step. A centre of mass "
        "that moves by more than a tenth of the extent of all models until the next one may pass what it should meet, and the "
        "motion is not resolved. Shorten the time step, or look for a force or velocity that is too large."
    ),
)
STIFF_ON_THE_WAY = Rule(
    name="stiff-configuration",
    severity=Severity.WARNING,
    summary="At a configuration that a simulation came to, a spring or damper is too stiff for the integrator.",
    explanation=(
        "Which integrator suits is decided by the masses that springs and dampers move at the start. Elsewhere they may move "
        "less mass, above all near a dead centre, and the explicit integrator becomes unstable there. Shorten the time step."
    ),
)
SINGULAR_CONFIGURATION = Rule(
    name="singular-configuration",
    severity=Severity.WARNING,
    summary="A mechanism with loops meets a singular configuration during a simulation: a dead centre or a change point.",
    explanation=(
        "There the Jacobian of the constraints, of joints that close loops and of coordinates that motors prescribe, loses "
        "rank: the motion of the joints named is not determined to first order. If the mechanism can move on, it can do so in "
        "more than one way, and which one a simulation takes is decided by inertia and by errors of its steps. If it cannot, "
        "it is locked: a prescribed motion goes beyond its reach, loops open and the simulation diverges. The joints, the time "
        "and the smallest singular value are stated (rotations in rad, translations in characteristic lengths of the "
        "mechanism); it counts as zero below a thousandth of its largest value. Change lengths or the prescribed motion, or "
        "drive another joint; a spring, a second linkage or a small change of a length decides how the motion goes on."
    ),
)
TOLERANCE_NOT_MET = Rule(
    name="tolerance-not-met",
    severity=Severity.WARNING,
    summary="The estimated error of a step is larger than the tolerance.",
    explanation=(
        "The leapfrog integrator estimates what error each coordinate gains per second, and divides a step into sub-steps "
        "until that is below the tolerance (`--tolerance`, 0.001 m or rad per second by default). Here it stayed above: "
        "sub-steps are not allowed, 1024 are not enough, or forces switch on and off in each of them. "
        "The motion after that time is less accurate than the tolerance; shorten the time step and compare."
    ),
)
UNSTABLE_STEP = Rule(
    name="unstable-step",
    severity=Severity.WARNING,
    summary="A spring or damper is too stiff for the integrator and the time step that were asked for.",
    explanation=(
        "The leapfrog integrator is stable if h·d + h²·k/4 is below one for the largest stiffness and damping per mass of any "
        "motion. Beyond, errors grow with each step. Allow sub-steps, shorten the time step, or leave the choice of the "
        "integrator to the program."
    ),
)
UNSUITABLE_INTEGRATOR = Rule(
    name="unsuitable-integrator",
    severity=Severity.ERROR,
    summary="An integrator was asked for that cannot step the model.",
    explanation=(
        "A servo with limited effort is friction against a commanded velocity, which the implicit and the leapfrog integrator "
        "have and the semi-implicit ones have not. Leave the choice to the program, or ask for one of these two."
    ),
)
ENGINE_WARNING = Rule(
    name="engine-warning",
    severity=Severity.WARNING,
    summary="The engine met a difficulty while stepping.",
    explanation=(
        "A nearly singular mass matrix (an euler joint near ±90° has one) or a full buffer of contacts. Results from "
        "there on deserve a second look."
    ),
)
UNUSABLE_TIME_STEP = Rule(
    name="unusable-time-step",
    severity=Severity.ERROR,
    summary="The time step of the World is so short or so long that the engine cannot compute with it.",
    explanation=(
        "Squares of it, and their inverses, are no longer numbers. State a step of about a millisecond, or give --time-step."
    ),
)
BAD_COMMANDS = Rule(
    name="bad-commands",
    severity=Severity.ERROR,
    summary="A command file cannot be used.",
    explanation=(
        "A CSV file has a header time,MODEL/JOINT,… and rows of numbers with growing times; a JSON file maps "
        "MODEL/JOINT to a list of [time, value, …]. A joint with several coordinates takes MODEL/JOINT[0], MODEL/JOINT[1] "
        "and so on, and an electric motor MODEL/ACTUATOR:voltage, :torque, :velocity or :position."
    ),
)
INEXACT_RESTART = Rule(
    name="inexact-restart",
    severity=Severity.NOTE,
    summary="A simulation goes on from a state to the precision of its plain numbers, not to the last bit.",
    explanation=(
        "Positions and velocities are those of the state, and commands go on, but for functions of time. What the engine "
        "remembers beside them (the forces with which it begins to look for contacts, velocities half a step ago) begins anew. "
        "Where the efforts of a joint were edited, they count instead of its command. A state that "
        "Ossature took of the same World, with the same engine, time step and settings, and that nobody edited, is restored "
        "exactly."
    ),
)
CONTRADICTORY_STATE = Rule(
    name="contradictory-state",
    severity=Severity.WARNING,
    summary="A state places a body in two ways that differ, or where loops cannot be closed.",
    explanation=(
        "Joint states decide for bodies that joints place, link states for bodies that float. Leave out one of the two where "
        "they differ. In machines with closed loops links come first, and joints of which nothing is said close what is open; "
        "a state of a few joints may ask for what no machine can reach."
    ),
)

RULES = (
    IMPOSSIBLE_INERTIA,
    MOMENT_WITHOUT_MESH,
    IMPASSABLE_LIMITS,
    REFUSED,
    TOO_DEEP_A_CHAIN,
    SOFT_AS_RIGID,
    CONVEX_HULL,
    FACETED,
    UNSIMULATED_SHAPE,
    TOO_MANY_SELF_COLLISIONS,
    SERVO_INTEGRATOR,
    UNENFORCED_EFFORT,
    UNENFORCED_VELOCITY,
    DANGLING_JOINT,
    ASSUMED_GRIP,
    ASSUMED_GAINS,
    IMPOSSIBLE_GRASP,
    IDLE_MOTOR,
    IDLE_ACTUATOR,
    MOTOR_AT_LIMIT,
    OVERLOADED_MOTOR,
    IDEAL_SERVO,
    MATERIAL_NOT_SIMULATED,
    SMOOTH_CONTACT,
    SMALLER_RESTITUTION,
    PENETRATION,
    OVERLAP_AT_START,
    UNPLACED_FORMULA,
    UNCOUPLED_FORMULA,
    OVERDETERMINED_FORMULA,
    LOST_FORMULA,
    LOOPS_CLOSED,
    ASSEMBLY_JUMP,
    VELOCITY_CHANGED,
    CONTRADICTION,
    TURNS_BY_STEPS,
    LARGE_BUSHING_ANGLE,
    BLOWN_UP,
    TOLERANCE_NOT_MET,
    UNSTABLE_STEP,
    UNSUITABLE_INTEGRATOR,
    LOOPS_OPENED,
    ENERGY_GAINED,
    ENERGY_LOST,
    FAST_ROTATION,
    FAST_TRAVEL,
    STIFF_ON_THE_WAY,
    SINGULAR_CONFIGURATION,
    ENGINE_WARNING,
    UNUSABLE_TIME_STEP,
    BAD_COMMANDS,
    INEXACT_RESTART,
    CONTRADICTORY_STATE,
)
