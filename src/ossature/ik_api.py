"""Inverse kinematics by names, for those who solve for one target; ``import ossature`` offers it under its own name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ossature.assets import MeshStore
from ossature.kinematics import (
    Arm,
    IkOptions,
    IkResult,
    InverseKinematics,
    Target,
    arm_of,
    find_arm,
    find_manipulator,
    free_joints_of,
    moved_bodies,
)
from ossature.model import IkFreeJoint, Model, World


def inverse_kinematics(
    world: World,
    target: Target,
    *,
    manipulator: str | None = None,
    model: str | None = None,
    tip: str | None = None,
    base: str | None = None,
    seed: Mapping[str, Sequence[float]] | None = None,
    free_joints: Mapping[str, float] | None = None,
    limit: int = 1,
    tolerance: float = 1e-6,
    avoid_collisions: bool = False,
    meshes: MeshStore | None = None,
) -> IkResult:
    """Return joint coordinates that bring a manipulator's frame to a target, within the limits of the joints.

    For many targets of one arm :class:`ossature.kinematics.InverseKinematics` is quicker: it is prepared once, and solves
    targets together.

    Args:
        world: The World.
        target: Where the frame is to be; one of the classes ``Transform6D`` … of :mod:`ossature.kinematics`.
        manipulator: The manipulator's name; may be left out where there is one only.
        model: The name of the model that has it; may be left out where it is clear.
        tip: In place of a manipulator: the body whose frame is meant.
        base: With ``tip``, the body where the arm begins; if not given, the world, or the body on which everything floats.
        seed: Coordinates by joint [rad or m]: to which solutions are to be near, and where the joints are that do not belong
            to the arm; initial positions if not given.
        free_joints: Joints that take values at a step from the seed [rad or m]; if not given, those that the manipulator
            states for this type of target.
        limit: How many distinct solutions are wanted at the most.
        tolerance: How much may be left [m] and [rad].
        avoid_collisions: Whether bodies that the arm moves may touch nothing, by the rules of the models.
        meshes: Where meshes are looked for; from beside the World's own file if not given.

    Returns:
        The solutions, the nearest to the seed first, or why there are none.

    Raises:
        ArmError: There is no such manipulator, body or joint, or nothing moves it.
        FormulaError: A formula gives a joint no value.
        SimulationError: Collisions matter, and the World cannot be compiled.
        ValueError: The target has no direction or rotation, or free joints take too many values.
    """
    owner, arm = _arm(world, manipulator, model, tip, base)
    solver = InverseKinematics(owner, arm, seed)
    stated = free_joints_of(arm, target.type)
    steps = stated if free_joints is None else [IkFreeJoint(joint=name, step=step) for name, step in free_joints.items()]
    options = IkOptions(limit=limit, tolerance=tolerance, free_joints=tuple(steps))
    if avoid_collisions:
        from ossature.simulation import CollisionQuery  # loads the engine

        touching, moved = CollisionQuery(world, meshes), moved_bodies(owner, arm)
        options = replace(options, collisions=lambda positions: touching.colliding_pairs(owner.name, positions, moved))
    return solver.solve(target, options=options)


def _arm(world: World, manipulator: str | None, model: str | None, tip: str | None, base: str | None) -> tuple[Model, Arm]:
    if tip is not None:
        return find_arm(world, tip, base, model)
    owner, found = find_manipulator(world, manipulator, model)
    return owner, arm_of(found)
