"""Which types of targets an arm supports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ossature.kinematics.ik.inverse_kinematics import InverseKinematics
from ossature.kinematics.ik.residuals import IkResiduals
from ossature.kinematics.ik.targets import target_at
from ossature.kinematics.manipulator_chain import Arm
from ossature.model import IkSolver, IkType, Manipulator, Model, World
from ossature.spatial import Pose

CONDITIONS: Mapping[IkType, int] = {
    IkType.TRANSFORM_6D: 6,
    IkType.ROTATION_3D: 3,
    IkType.TRANSLATION_3D: 3,
    IkType.DIRECTION_3D: 2,
    IkType.RAY_4D: 4,
    IkType.LOOKAT_3D: 2,
    IkType.TRANSLATION_DIRECTION_5D: 5,
}
"""Number of independent conditions of each type on a frame; the numbers in their names are others."""

_CONFIGURATIONS = 32
_RANK_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Suitability:
    """Whether an arm supports a type of targets.

    Attributes:
        type: The type.
        degrees_of_freedom: Number of coordinates that move the arm.
        conditions: Number of conditions of the type on its frame.
        rank: Number of conditions that the arm can satisfy independently, at generic configurations.
    """

    type: IkType
    degrees_of_freedom: int
    conditions: int
    rank: int

    @property
    def is_supported(self) -> bool:
        """Whether the arm reaches all targets in a neighbourhood of those that it reaches."""
        return self.rank == self.conditions


def suitability(model: Model, arm: Arm | Manipulator) -> tuple[Suitability, ...]:
    """Return for each type whether an arm supports it, by the rank of its Jacobian.

    The rank is that of the Jacobian of the residual, at configurations that sample the joint space and targets that are reached
    there. The largest of these ranks is used: it is smaller at singular configurations only.

    Raises:
        ArmError: There is no such arm, or none of its joints can move.
    """
    solver = InverseKinematics(model, arm)
    return tuple([_evaluate_suitability(solver, type_) for type_ in IkType])


def _evaluate_suitability(solver: InverseKinematics, type_: IkType) -> Suitability:
    chain, direction = solver.chain, solver.arm.direction
    tips, jacobians = chain.tips_and_jacobians(solver.table[:_CONFIGURATIONS])
    targets = [target_at(type_, Pose.from_matrix(tip), direction) for tip in tips]
    goals = IkResiduals(targets, direction, solver.length)
    numbers = np.arange(len(tips))
    J = goals.jacobians(tips, jacobians, goals.residuals(tips, numbers), numbers)
    rank = int(np.linalg.matrix_rank(J, tol=_RANK_TOLERANCE).max())
    count = len(chain.variables)
    return Suitability(type=type_, degrees_of_freedom=count, conditions=CONDITIONS[type_], rank=rank)


def with_solvers(world: World, model: Model, manipulator: Manipulator) -> tuple[World, tuple[IkType, ...]]:
    """Return a World in which a manipulator states every type that it supports, and the types that are new."""
    specified = {solver.type for solver in manipulator.solvers}
    new = [found.type for found in suitability(model, manipulator) if found.is_supported and found.type not in specified]
    solvers = (*manipulator.solvers, *[IkSolver(type=type_) for type_ in new])
    extended = replace(manipulator, solvers=solvers)
    changed = replace(model, manipulators=model.manipulators.replaced(extended))
    return replace(world, models=world.models.replaced(changed)), tuple(new)
