"""Formulas by which a coordinate of a joint follows others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from ossature.model.validated_element import Element

T = TypeVar("T")


class Operator(StrEnum):
    """An operator; angles are in radians, true is 1 and false 0."""

    ADD = "add"
    SUBTRACT = "subtract"
    NEGATE = "negate"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    POWER = "power"
    ROOT = "root"
    """The root of the first operand, of the degree that the second states."""
    REMAINDER = "remainder"
    """Remainder of the division of the first operand by the second, with the sign of the first."""
    QUOTIENT = "quotient"
    """The ratio of two operands, rounded down."""
    FLOOR = "floor"
    CEILING = "ceiling"
    ABSOLUTE = "absolute"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    EXPONENTIAL = "exponential"
    NATURAL_LOGARITHM = "natural_logarithm"
    LOGARITHM = "logarithm"
    """The logarithm of the first operand to the base that the second states."""
    SINE = "sine"
    COSINE = "cosine"
    TANGENT = "tangent"
    ARC_SINE = "arc_sine"
    ARC_COSINE = "arc_cosine"
    ARC_TANGENT = "arc_tangent"
    ARC_TANGENT_2 = "arc_tangent_2"
    """The angle of the point (second operand, first operand)."""
    HYPERBOLIC_SINE = "hyperbolic_sine"
    HYPERBOLIC_COSINE = "hyperbolic_cosine"
    HYPERBOLIC_TANGENT = "hyperbolic_tangent"
    ARC_HYPERBOLIC_SINE = "arc_hyperbolic_sine"
    ARC_HYPERBOLIC_COSINE = "arc_hyperbolic_cosine"
    ARC_HYPERBOLIC_TANGENT = "arc_hyperbolic_tangent"
    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    GREATER = "greater"
    GREATER_OR_EQUAL = "greater_or_equal"
    LESS = "less"
    LESS_OR_EQUAL = "less_or_equal"
    AND = "and"
    OR = "or"
    NOT = "not"
    CHOOSE = "choose"
    """The second operand if the first is true, else the third."""


_OF_ANY_NUMBER = (Operator.ADD, Operator.MULTIPLY, Operator.MINIMUM, Operator.MAXIMUM, Operator.AND, Operator.OR)
_OF_TWO = (
    Operator.SUBTRACT,
    Operator.DIVIDE,
    Operator.POWER,
    Operator.ROOT,
    Operator.REMAINDER,
    Operator.QUOTIENT,
    Operator.LOGARITHM,
    Operator.ARC_TANGENT_2,
    Operator.EQUAL,
    Operator.NOT_EQUAL,
    Operator.GREATER,
    Operator.GREATER_OR_EQUAL,
    Operator.LESS,
    Operator.LESS_OR_EQUAL,
)

OPERAND_COUNTS: Mapping[Operator, int | None] = {
    **dict.fromkeys(Operator, 1),
    **dict.fromkeys(_OF_ANY_NUMBER, None),
    **dict.fromkeys(_OF_TWO, 2),
    Operator.CHOOSE: 3,
}
"""Number of operands of each operator; None for one or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(Element):
    """A number."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPosition(Element):
    """The position of a coordinate of a joint of the same model [rad or m].

    Attributes:
        joint: The joint's name.
        coordinate: Which of its coordinates, counted from zero.
    """

    joint: str
    coordinate: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Element):
    """An operator and its operands."""

    operator: Operator
    operands: tuple[Expression, ...]

    def _finish(self) -> None:
        wanted = OPERAND_COUNTS[self.operator]
        if len(self.operands) != wanted and (wanted is not None or not self.operands):
            raise ValueError(f"'{self.operator}' has {wanted or 'one or more'} operands, not {len(self.operands)}")


Expression: TypeAlias = Number | JointPosition | Operation
"""An expression of joint positions."""


def fold_expression(
    expression: Expression, leaf: Callable[[Number | JointPosition], T], combine: Callable[[Operation, list[T]], T]
) -> T:
    """Return the value of an expression, evaluated from its leaves, at any depth.

    Args:
        expression: The expression.
        leaf: Returns the value of a number or a position.
        combine: Returns the value of an operation from the values of its operands.
    """
    results: list[T] = []
    pending: list[tuple[Expression, bool]] = [(expression, False)]
    while pending:
        part, has_operands = pending.pop()
        if not isinstance(part, Operation):
            results.append(leaf(part))
        elif has_operands:
            first = len(results) - len(part.operands)
            results[first:] = [combine(part, results[first:])]
        else:
            pending.append((part, True))
            pending.extend((operand, False) for operand in reversed(part.operands))
    return results[0]


def sources_of(expression: Expression) -> tuple[JointPosition, ...]:
    """Return the positions that an expression depends on, each once, in the order in which it names them."""
    found: dict[JointPosition, None] = {}

    def note(part: Number | JointPosition) -> None:
        if isinstance(part, JointPosition):
            found[part] = None

    fold_expression(expression, note, lambda operation, operands: None)
    return tuple(found)
