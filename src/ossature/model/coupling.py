"""Couplings (mimic): a coordinate of a joint follows an expression of other joint positions."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.model.expression import Expression
from ossature.model.validated_element import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialDerivative(Element):
    """A partial derivative of a formula, as a file states it.

    Attributes:
        order: 1 for the first derivative, 2 for the second.
        joint: The joint with respect to whose position it is the derivative.
        coordinate: Which of that joint's coordinates, counted from zero.
        expression: The derivative as the file states it.
    """

    order: int
    joint: str
    coordinate: int = 0
    expression: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling(Element):
    """A coupling of a coordinate to others (mimic).

    Attributes:
        position: Its position [rad or m].
        partials: Derivatives that the file states. They are not used, because files are known that
            state wrong ones; a check compares them with the formula.
    """

    position: Expression
    partials: tuple[PartialDerivative, ...] = ()
