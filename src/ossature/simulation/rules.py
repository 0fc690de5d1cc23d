"""Rules of findings about simulations; those about compilation are in :mod:`ossature.simulation.compile.rules`."""

from __future__ import annotations

from ossature.diagnostics import Rule, Severity, shared_rules
from ossature.diagnostics.rule import rules_in

IGNORED_OVERLAP = Rule.warning(
    "ignored-overlap",
    "SIM048",
    "Collisions of two bodies of a robot that overlap are ignored.",
    "Parts of a neck or a hand overlap at all positions, also because meshes collide as their convex hulls. Inverse kinematics "
    "ignores the pairs that overlap with all joints at zero, as OpenRAVE and MoveIt do. A simulation ignores those that joints "
    "connect and that overlap at the start by more than 0.02 mm, or 1 mm with compliant contacts: their contacts would lock "
    "joints, or make them oscillate or move fast. "
    "If such bodies overlap for another reason, their collisions are not found at other positions either. "
    "Bodies of an MJCF file collide as in MuJoCo. "
    "`ignored_pairs`, `<disable_collisions>` in SRDF and `ignore_link_pair` in COLLADA state such pairs. "
    "`--no-ignore-link-overlaps` and `ContactOptions(ignore_link_overlaps=False)` simulate the contacts of all pairs.",
    aliases=("no-self-collision",),
)
ASSUMED_GRIP_FORCE = Rule.note(
    "assumed-grip-force",
    "SIM012",
    "A finger closes with an assumed force, because its joint has no effort limit.",
    "The assumed values are 20 N for a prismatic joint and 1 N·m for a revolute joint. State the effort limit of the joint, or "
    "`effort=` in Python.",
    aliases=("assumed-grip",),
)
ASSUMED_GAINS = Rule.note(
    "assumed-gains",
    "SIM013",
    "The drive of an electric motor has no gains, and uses assumed ones.",
    "The control loop has 10 Hz and critical damping for the inertia with all joints at zero. State gains for a robot with a "
    "long reach or heavy load: `Actuator.controller`, or a calibration file.",
)
MOTOR_SATURATED = Rule.note(
    "motor-saturated",
    "SIM016",
    "An electric motor did not follow its command, because a rating limited it.",
    "The voltage does not exceed the nominal voltage, and the torque the maximum torque or the torque curve. Torque, velocity "
    "and position drives also limit speed and power. Reduce the command, or select a stronger motor.",
    aliases=("motor-at-limit",),
)
OVERLOADED_MOTOR = Rule.warning(
    "overloaded-motor",
    "SIM017",
    "An electric motor exceeds its ratings.",
    "A motor with a voltage command has no protection of its speed and power. A real motor would be damaged. Command torque, "
    "velocity or position to limit them.",
)
IDEAL_SERVO = Rule.warning(
    "ideal-servo",
    "SIM018",
    "A joint that tracks a trajectory has no electric motor, and an ideal servo moves it.",
    "The servo tracks the trajectory exactly, with unlimited force. State an electric motor for the joint to simulate a real "
    "drive.",
)
PENETRATION = Rule.warning(
    "penetration",
    "SIM022",
    "Two bodies penetrated each other by more than 1 mm during a simulation.",
    "Rigid contacts keep penetration below 0.02 mm. Larger values occur if motors or loops press bodies together, or if a body "
    "rotates fast about an edge. The overlap is removed at 30 mm/s, and the motion meanwhile is wrong. Reduce the time step, "
    "or limit the force of the motor. Compliant contacts (--contact-time-constant) penetrate in an impact by about its speed "
    "times the time constant; bodies pass through thinner shapes.",
)
POSITION_LIMIT_EXCEEDED = Rule.warning(
    "position-limit-exceeded",
    "SIM063",
    "A joint is more than 0.001 rad or 1 mm beyond its position limit during a simulation.",
    "A stop holds its joint against any force. It yields if a prescribed motion moves the joint, for example the commanded "
    "velocity of a joint that this one follows (mimic), or of another joint of its loop. Neither the stop nor the prescribed "
    "velocity is exact then, and the forces have no meaning. Correct the limit, the formula or the command. It also yields, by "
    "a part of the travel in a step, if other joints or bodies hit something in the same step; then reduce the time step.",
)
LINE_CONTACT = Rule.warning(
    "line-contact",
    "SIM053",
    "Two parallel cylinders touch along a line, and have one point of contact.",
    "The engine finds a single point, which moves along the line from step to step. Cylinders that support others rock and "
    "creep apart, by about 4 mm/s at a time step of 1 ms and 0.01 mm/s at 0.1 ms. Capsules have two points and stand. "
    "Cylinders on boxes and planes are not affected.",
)
INITIAL_OVERLAP = Rule.note(
    "initial-overlap",
    "SIM023",
    "Two collidable bodies overlap by more than 1 mm at the start of a simulation.",
    "The overlap is removed at 30 mm/s: the bodies separate. Move them apart, or disable collisions of the pair.",
    aliases=("overlap-at-start",),
)
UNDETECTED_OVERLAP = Rule.warning(
    "undetected-overlap",
    "SIM055",
    "A capsule passes through a box at the start of a simulation, which the engine does not detect.",
    "The engine may find no contact if the axis of a capsule passes through a box and both ends are outside. The bodies move "
    "through each other until an end is inside. Move them apart, or use a cylinder.",
)
LOST_FORMULA = shared_rules.UNDEFINED_FORMULA.with_severity(Severity.ERROR)
INITIAL_ASSEMBLY_ADJUSTED = Rule.note(
    "initial-assembly-adjusted",
    "SIM027",
    "Bodies were moved at the start, because loop joints or motors did not fit.",
    "Bodies are moved as little as possible until all joints, constraints and motors are satisfied at time zero. A large gap "
    "is an error of the model; a motor whose function does not start at zero is not.",
    aliases=("loops-closed",),
)
INITIAL_ASSEMBLY_JUMP = Rule.warning(
    "initial-assembly-jump",
    "SIM028",
    "Bodies were moved by a visible distance at the start, because loops were open.",
    "The distance is more than 0.001 of the size of the model, or 0.001 rad. The simulation starts at another configuration "
    "than the file states, possibly in another assembly mode. Correct initial positions, anchors or lengths; `ossature pose` "
    "closes loops for given coordinates.",
    aliases=("assembly-jump",),
)
INITIAL_VELOCITY_CHANGED = Rule.warning(
    "initial-velocity-changed",
    "SIM029",
    "The initial velocity of a body or joint differs from the stated one.",
    "The stated velocities violate joints, loops or motors. Bodies start with the stated momentum as far as the constraints "
    "allow, as after a perfectly inelastic impact. Reported above 0.01 of the stated velocity and 0.001 m/s or rad/s. State "
    "velocities that the constraints allow, for all bodies of a loop.",
)
CONTRADICTION = shared_rules.CONFLICTING_MOTORS
LARGE_BUSHING_ANGLE = Rule.warning(
    "large-bushing-angle",
    "SIM031",
    "The rotation of a bushing exceeds 10° in a simulation.",
    "The law of a bushing is for small rotations. Use a joint with a rotational spring-damper (RSDA).",
)
TILTED_ROTATIONAL_SPRING = Rule.warning(
    "tilted-rotational-spring",
    "SIM060",
    "The bodies of a rotational spring-damper rotate about other axes than its own, by more than 10°.",
    "The angle of a rotational spring is that of a rotation about its axis, which both bodies must share. Otherwise its law "
    "depends on how the angle is computed: here it is the component of the rotation vector along the axis on the first body, "
    "which jumps by 2π(1 - cos(t/2)) after half a revolution if the axes are t apart: 0.024 rad at 10°, 0.84 rad at 60°. "
    "Chrono uses projections of axes. Energy is not conserved. Connect the bodies by a "
    "joint that leaves the rotation about the axis only, or use a bushing or a joint with its own stiffness.",
)
SIMULATION_DIVERGED = Rule.error(
    "simulation-diverged",
    "SIM032",
    "The simulation diverged: a position, velocity or acceleration is not finite or too large.",
    "The message names the step and the body whose velocity grew first; samples up to the last finite state are kept. Usual "
    "reasons are a time step too large for a stiff spring or a small mass, overlapping bodies, locked loops (see "
    "`locked-joint`) and excessive commands (see `commanded-position-jump`). The hint of the finding states what to do first.",
)
LOOP_RESIDUAL_EXCEEDED = Rule.warning(
    "loop-residual-exceeded",
    "SIM033",
    "Loops opened during a simulation by more than 0.001 of the size of the model, or 0.001 rad.",
    "A residual of 1e-5 m is usual for a mechanism of 1 m at 1 ms. A larger one means that the time step is too large for the "
    "motion, that the mechanism passes a singular configuration, or that its loops are inconsistent (see `locked-joint`). "
    "Motion and reactions are not valid after that. Reduce the time step until the residual falls with its square.",
    aliases=("loops-opened",),
)
ILL_CONDITIONED_LOOPS = Rule.warning(
    "ill-conditioned-loops",
    "SIM057",
    "Bodies are away from where their loops hold them, by more than 0.001 rad or 0.001 of the size of the mechanism.",
    "A small residual, divided by the smallest singular value of the constraint Jacobian, is a large displacement if "
    "constraints are nearly dependent, as those of three links that are parallel within 0.0005 rad. Bodies that loops hold "
    "yield to loads and creep, though all residuals are small. The message states the joint that is displaced most, the "
    "displacement to the nearest position with closed loops, and its time. Change lengths or angles so that the constraints "
    "are independent, or so that they are exactly redundant. The displacement decreases with the square of the time step.",
)
ENERGY_GAINED = Rule.warning(
    "energy-gained",
    "SIM034",
    "The bodies gained energy that no motor, load or command supplied.",
    "The change of kinetic and potential energy is compared with the work of all forces in each step; reported above 0.05 of "
    "the energy of the motion. The gain is numerical: the time step is too large for a spring, a fast rotation or a singular "
    "configuration, or bodies overlap at the start. Reduce the time step.",
)
ENERGY_LOST = Rule.warning(
    "energy-lost",
    "SIM035",
    "The bodies lost energy that nothing dissipates.",
    "The work of friction, contacts, limits and dampers does not account for it. The loss is numerical: a first-order "
    "integrator damps stiff springs and fast motion. That of DART, which is the default for files for DART, damps a spring of "
    "stiffness k as a damper of k times the time step would; DART loses the same energy. Reported above 0.05 of the energy of "
    "the motion. Reduce the time step, or use a second-order integrator.",
)
FAST_ROTATION = Rule.warning(
    "fast-rotation",
    "SIM036",
    "A body rotated by more than 1 rad in one step or sub-step.",
    "Fewer than seven steps per revolution do not resolve the motion of its axis and the forces. A body that is guided about a "
    "principal axis is correct nevertheless. Reduce the time step.",
)
FAST_TRAVEL = Rule.warning(
    "fast-travel",
    "SIM046",
    "A body moved by a tenth of the size of the World in one step.",
    "Contacts, loops and forces are evaluated at the beginning of each step. A centre of mass that moves by more than a tenth "
    "of the size of all models in one step can pass through obstacles, and the motion is not resolved. Reduce the time step, "
    "or check for an excessive force or velocity.",
)
STIFF_CONFIGURATION = Rule.warning(
    "stiff-configuration",
    "SIM037",
    "A spring or damper became too stiff for the integrator during a simulation.",
    "The integrator is selected for the effective masses at the start. Elsewhere they can be smaller, above all near a dead "
    "centre, and an explicit integrator becomes unstable. Reduce the time step.",
)
SINGULAR_CONFIGURATION = Rule.warning(
    "singular-configuration",
    "SIM047",
    "A mechanism with loops reached a singular configuration during a simulation: a dead centre or a change point.",
    "The constraint Jacobian, including coordinates that motors prescribe, loses rank there: the motion of the named joints is "
    "not determined to first order. If the mechanism can continue, it can do so in several ways, and inertia and numerical "
    "errors decide which one a simulation takes. If it cannot, it is locked: a prescribed motion exceeds its workspace, loops "
    "open and the simulation diverges. The message states the joints, the time and the smallest singular value (rotations in "
    "rad, translations in characteristic lengths of the mechanism); below a thousandth of its largest value it counts as zero. "
    "Change a length or the prescribed motion, drive another joint, or add a spring or a second linkage.",
)
TOLERANCE_NOT_MET = Rule.warning(
    "tolerance-not-met",
    "SIM038",
    "The estimated error of a step exceeds the tolerance.",
    "The leapfrog integrator divides a step into sub-steps until the error per second is below `--tolerance` (default 0.001 m "
    "or rad). Sub-steps are disabled, 1024 are not enough, or forces switch in each of them. Later motion is less accurate "
    "than the tolerance. Reduce the time step and compare.",
)
COMMANDED_POSITION_JUMP = Rule.warning(
    "commanded-position-jump",
    "SIM062",
    "A command moves a motor to a far position within one step.",
    "A motor that prescribes a position is at the commanded one at the end of the next step; if a function in Python commands "
    "it and jumps, at the end of the step of the jump. Its velocity in this step is the distance over the time step, so "
    "that the motion of the bodies that it moves, and their energy, depend on the time step: joints that are not driven keep "
    "large velocities. Command positions that a real motor could reach, one in each step or sampled over time, or command a "
    "velocity. Reported from a change of 10 rad/s or 10 m/s on, once for each motor.",
)
UNSTABLE_STEP = Rule.warning(
    "unstable-step",
    "SIM039",
    "A spring or damper is too stiff for the selected integrator and time step.",
    "The leapfrog integrator is stable for h·d + h²·k/4 < 1 with stiffness k and damping d per mass; those of first order are "
    "for h·d/2 + h²·k/4 < 1 of curves, maps and degressive dampers. Otherwise errors grow with each step. Allow sub-steps, "
    "reduce the time step, or let the program select the integrator.",
)
ENGINE_WARNING = Rule.warning(
    "engine-warning",
    "SIM041",
    "The engine reported a numerical problem.",
    "The mass matrix is nearly singular (an Euler joint near ±90°), or the contact buffer is full. Check the results after "
    "that time.",
)
UNUSABLE_TIME_STEP = Rule.error(
    "unusable-time-step",
    "SIM042",
    "The time step of the World is too small or too large for the engine.",
    "Its square or the inverse of it overflows. State a step of about 0.001 s, or use --time-step.",
)
COMMAND_OUT_OF_RANGE = Rule.warning(
    "command-out-of-range",
    "SIM050",
    "A command of an actuator of MuJoCo is outside its control range.",
    "MuJoCo clamps controls to the control range (`ctrlrange`) of the actuator, so the command acts as the limit does. Command "
    "a value of the range, which `ossature info` prints, or change the range in the file.",
)
GRASP_BY_WELD = Rule.note(
    "grasp-by-weld",
    "SIM052",
    "In a World that MuJoCo compiles, a grasp is a weld equality.",
    "A grasped body keeps its pose in the gripper link only approximately: the weld of MuJoCo's solver yields under load, with "
    "a time constant of two time steps. In Worlds of other formats, and with another integrator, a grasp is exact.",
)
NO_REACTIONS = Rule.note(
    "reactions-not-computed",
    "SIM051",
    "A recording of a World that MuJoCo compiles has no reactions of joints.",
    "Reactions follow from all forces on each body. They are not computed for models with adhesion, slider-cranks, flexible "
    "bodies, fluids, plugins, or tendons with inertia or plastic springs, whose forces MuJoCo states along the coordinates of "
    "joints only. Quantities of actuators, tendons and sensors, and contact forces, are recorded.",
)
REACTIONS_NOT_UNIQUE = Rule.note(
    "reactions-not-unique",
    "SIM061",
    "The reactions of joints in a loop are not unique, because constraints are redundant.",
    "Redundant constraints can brace each other with any forces, as two hinges of one door: the motion is determined, and the "
    "sum of the reactions on each body, but not how they are distributed among the joints. In a planar linkage of revolute "
    "joints the forces in the plane are unique, and those across it are not. Reactions of other programs differ. `ossature "
    "info` lists the joints with redundant constraints: replace a revolute joint by a spherical or cylindrical one.",
)
INVALID_COMMAND_FILE = Rule.error(
    "invalid-command-file",
    "SIM043",
    "A command file is not valid.",
    "A CSV file has the header `time,MODEL/JOINT,…` and rows of numbers with increasing times; a JSON file maps MODEL/JOINT to "
    "a list of [time, value, …]. A joint with several coordinates has MODEL/JOINT[0], MODEL/JOINT[1], and so on, and an "
    "electric motor MODEL/ACTUATOR:voltage, :torque, :velocity or :position. Correct the file.",
    aliases=("bad-commands",),
)
APPROXIMATE_RESTART = Rule.note(
    "approximate-restart",
    "SIM044",
    "A simulation is restarted from positions and velocities; the restart is not bit-exact.",
    "Positions, velocities and commands continue, except functions of time. Internal engine state (warm-start forces, "
    "velocities of the previous half step) is reset. Edited joint efforts replace commands. A restart is bit-exact from a "
    "saved state that was not edited, with the same World, engine, time step and settings.",
    aliases=("inexact-restart",),
)
INCONSISTENT_STATE = Rule.warning(
    "inconsistent-state",
    "SIM045",
    "A state places or moves a body in two different ways, or in one that its joints do not allow.",
    "Joint states determine bodies with joints, and link states free bodies, and joints without a joint state. In mechanisms "
    "with closed loops link states have priority, and joints without a state close the loops; a state of few joints may be "
    "unreachable. Remove one of the two values; of a link that its joint does not allow, correct the pose or twist.",
    aliases=("contradictory-state",),
)

RULES = rules_in(globals())
