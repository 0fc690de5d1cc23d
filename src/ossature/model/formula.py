"""Formulas by which a coordinate of a joint follows others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Operator(StrEnum):
    """What an operation does with its operands; angles are radians, truth is 1 and falsehood 0."""

    ADD = "add"
    SUBTRACT = "subtract"
    NEGATE = "negate"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    POWER = "power"
    ROOT = "root"
    """The root of the first operand, of the degree that the second states."""
    REMAINDER = "remainder"
    """What is left of the first operand after dividing it by the second as often as it goes, with the sign of the first."""
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
    """The second operand where the first is true, else the third."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPosition:
    """The position of a coordinate of a joint of the same model [rad or m].

    Attributes:
        joint: The joint's name.
        coordinate: Which of its coordinates, counted from zero.
    """

    joint: str
    coordinate: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operator and what it is applied to."""

    operator: Operator
    operands: tuple[Expression, ...]


Expression: TypeAlias = Number | JointPosition | Operation
"""Something that has a value once the positions of joints are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """A partial derivative of a formula, as a file states it.

    Attributes:
        order: 1 for the first derivative, 2 for the second.
        joint: The joint by whose position it is taken.
        coordinate: Which of that joint's coordinates, counted from zero.
        expression: What the file says it is.
    """

    order: int
    joint: str
    coordinate: int = 0
    expression: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """What a coordinate follows.

    Attributes:
        position: Its position [rad or m].
        partials: Derivatives that the file states besides. Nothing is computed from them, because files are known that
            state wrong ones; a check compares them with the formula.
    """

    position: Expression
    partials: tuple[Partial, ...] = ()
