"""Inverse kinematics of one target by names, available as ``ossature.inverse_kinematics``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ossature.argument_types import typed_arguments
from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import Arm, IkResult, InverseKinematics, Target, arm_of, find_arm, find_manipulator
from ossature.kinematics.ik.configuration_vector_ik import search_options
from ossature.kinematics.ik.targets import require_target
from ossature.model import Model, World

if TYPE_CHECKING:
    from ossature.simulation import CollisionQuery


@typed_arguments
def inverse_kinematics(
    world: World,
    target: Target,
    *,
    manipulator: str | None = None,
    model: str | None = None,
    tip: str | None = None,
    base: str | None = None,
    seed: Mapping[str, float | Sequence[float]] | None = None,
    free_joints: Mapping[str, float] | None = None,
    limit: int = 1,
    tolerance: float = 1e-6,
    avoid_collisions: bool = False,
    meshes: MeshStore | None = None,
    report: Report | None = None,
) -> IkResult:
    """Return joint coordinates for which a manipulator's frame reaches a target, within the limits of the joints.

    For many targets of one arm :class:`ossature.kinematics.InverseKinematics` is faster: it is prepared once, and solves
    batches of targets.

    Args:
        world: The World.
        target: Target of the frame; one of the classes ``Transform6D`` … of :mod:`ossature.kinematics`.
        manipulator: The manipulator's name; optional if there is only one.
        model: The name of its model; optional if it is unambiguous.
        tip: Instead of a manipulator: the body whose frame reaches the target.
        base: With ``tip``, the base body of the arm; by default the world, or the floating base.
        seed: Coordinates by joint [rad or m]: the seed of the search, and the positions of joints outside the arm; by default
            the initial positions.
        free_joints: Sampled joints, each with its step from the seed [rad or m]; by default those that the manipulator
            states for this type of target.
        limit: Largest number of distinct solutions.
        tolerance: Largest residual [m] and [rad].
        avoid_collisions: Whether solutions in collision are rejected, according to the collision filters of the models. Meshes
            collide by their triangles. If no body of the model collides with others of it, as in URDF files without SRDF, all
            of them do here. Pairs of its bodies that overlap with all joints at zero are ignored, as in OpenRAVE and MoveIt.
        meshes: The mesh store; by default meshes are found relative to the World's file.
        report: Collects findings about collisions that are not found: with missing meshes, and of pairs that are ignored.

    Returns:
        The solutions, the nearest to the seed first, or why there are none.

    Raises:
        ArmError: The manipulator, body or joint is unknown, or no joint moves it.
        FormulaError: A formula of a coupling is undefined.
        SimulationError: Collisions are avoided, and the World cannot be compiled.
        TypeError: The target is of none of these types.
        ValueError: The target has a zero direction or rotation, or numbers that are not finite, or free joints have too many
            samples.
    """
    require_target(target)
    owner, arm = _find_requested_arm(world, manipulator, model, tip, base)
    solver = InverseKinematics(owner, arm, seed)
    collisions = _collision_query(world, owner, meshes, report) if avoid_collisions else None
    options = search_options(
        owner, arm, target.type, limit=limit, tolerance=tolerance, free_joints=free_joints, collisions=collisions
    )
    return solver.solve(target, options=options)


def _collision_query(world: World, model: Model, meshes: MeshStore | None, report: Report | None) -> CollisionQuery:
    from ossature.simulation import CollisionQuery, rules  # loads the engine

    is_assumed = not any(body.self_collide for body in model.bodies)
    if is_assumed:
        model = replace(model, bodies=model.bodies.map(lambda body: replace(body, self_collide=True)))
        world = replace(world, models=world.models.map(lambda each: model if each.name == model.name else each))
    query = CollisionQuery(world, meshes, report)
    ignored = query.ignore_overlaps_at_zero(model.name)
    if report is not None and ignored:
        pairs = ", ".join(f"'{first}' and '{second}'" for first, second in ignored)
        message = f"model '{model.name}': these bodies overlap with all joints at zero, and are not checked: {pairs}"
        hint = "list the pairs that never collide in an SRDF file or its counterpart" if is_assumed else None
        report.add(rules.IGNORED_OVERLAP, message, model.origin, path=model.name, hint=hint)
    return query


def _find_requested_arm(
    world: World, manipulator: str | None, model: str | None, tip: str | None, base: str | None
) -> tuple[Model, Arm]:
    if tip is not None:
        return find_arm(world, tip, base, model)
    owner, found = find_manipulator(world, manipulator, model)
    return owner, arm_of(found)
