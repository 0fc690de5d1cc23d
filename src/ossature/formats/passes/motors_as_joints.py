"""Motors as joints, for formats without functions of time: they start at the position and velocity of the motor."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ossature.kinematics import Tree, spanning_tree, value_at
from ossature.kinematics.time_function_evaluation import rate_at
from ossature.model import DriveMode, Joint, Model, Motor


@dataclass(frozen=True, slots=True)
class MotorStart:
    """The position and velocity that a motor prescribes at time zero.

    Attributes:
        position: Of the coordinate, from the initial placement of its bodies [rad or m].
        velocity: Of the coordinate [rad/s or m/s].
    """

    position: float
    velocity: float


def motor_start(motor: Motor) -> MotorStart:
    """Return the position and velocity that a motor prescribes at time zero; zero for one that prescribes a force."""
    value = float(value_at(motor.function, 0.0))
    if motor.drive is DriveMode.POSITION:
        return MotorStart(value, float(rate_at(motor.function, 0.0)))
    return MotorStart(0.0, value if motor.drive is DriveMode.SPEED else 0.0)


def starts_like_motors(model: Model) -> bool:
    """Whether the joints that motors become can start like them: the others then need not move to close loops."""
    return not model.static and not spanning_tree(model).loops and not model.constraints


def joint_of_motor(joint: Joint, motor: Motor, model: Model) -> Joint:
    """Return the joint of a motor's guide with the initial state that the motor prescribes, if no loop depends on it."""
    start = motor_start(motor)
    if start == MotorStart(0.0, 0.0) or not starts_like_motors(model):
        return joint
    driven = replace(joint.coordinates[0], initial_position=start.position, initial_velocity=start.velocity)
    return replace(joint, coordinates=(driven, *joint.coordinates[1:]))


def start_text(motor: Motor, model: Model) -> str:
    """Return how the start of the joint that a motor becomes differs from that of the motor, as the end of a sentence."""
    start = motor_start(motor)
    unit = "rad" if motor.guide.is_rotational else "m"
    if start == MotorStart(0.0, 0.0):
        return ""
    if starts_like_motors(model):
        if not start.velocity or not _others_move_freely(model):
            return ""
        return f"; other joints start without the impulse with which it begins to move at {start.velocity:.4g} {unit}/s"
    return f"; it starts at rest at zero, not at {start.position:.4g} {unit} with {start.velocity:.4g} {unit}/s"


def _others_move_freely(model: Model) -> bool:
    """Whether there is a coordinate that no motor prescribes: in a simulation the impulses of motors set it in motion."""
    branches = [branch for branch in spanning_tree(model).branches if branch.motor is None]
    return any(branch.inboard is None or branch.inboard.degrees_of_freedom for branch in branches)


def with_motor_starts(tree: Tree, model: Model) -> Tree:
    """Return a spanning tree in which the joints of motors have the initial state that these prescribe."""
    if not any(branch.motor is not None for branch in tree.branches):
        return tree
    branches = []
    for branch in tree.branches:
        if branch.motor is not None and branch.inboard is not None:
            branches.append(replace(branch, inboard=joint_of_motor(branch.inboard, branch.motor, model)))
        else:
            branches.append(branch)
    return replace(tree, branches=tuple(branches))
