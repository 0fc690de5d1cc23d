"""The number of operations that the analysis of kinematic loops needs, and its limit."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.diagnostics import OssatureError
from ossature.kinematics.absolute_constraint_equations import ConstraintEquations

_OPERATIONS_OF_EVALUATION = 4_000_000
"""Operations that take as long as evaluating the equations of one joint or constraint: about 1 ms."""


class LoopSizeError(OssatureError):
    """The analysis of a model's loops needs more operations than the limit.

    Attributes:
        most: The limit.
    """

    def __init__(self, equations: ConstraintEquations, most: int) -> None:
        self.most = most
        constraints, bodies = len(equations.joints) + len(equations.rods), len(equations.bodies) - 1
        super().__init__(
            f"the loops of model '{equations.model.name}' are not analysed: this needs more than {most} operations; "
            f"{constraints} joints and constraints connect {bodies} bodies in one mechanism with loops"
        )


@dataclass(slots=True)
class OperationCount:
    """Counts the operations of an analysis.

    The count does not depend on the machine, so that the result of an analysis does not depend on it either.

    Attributes:
        most: The largest number of operations.
        used: Operations so far.
    """

    most: int
    used: int = 0

    def add_decomposition(self, equations: ConstraintEquations) -> None:
        """Count one evaluation of constraint equations and one decomposition of their Jacobian, before they are computed.

        Raises:
            LoopSizeError: It is more than allowed.
        """
        rows, columns = equations.most_rows, equations.coordinates.size
        evaluations = len(equations.joints) + len(equations.rods)
        self.used += rows * columns * min(rows, columns) + evaluations * _OPERATIONS_OF_EVALUATION
        if self.used > self.most:
            raise LoopSizeError(equations, self.most)
