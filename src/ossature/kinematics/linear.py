"""Expressions that are a constant plus multiples of positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ossature.kinematics.expressions import evaluate
from ossature.model import Expression, JointPosition, Number, Operation, Operator, fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """A constant plus multiples of positions.

    Attributes:
        constant: The constant [rad or m].
        coefficients: What each position is multiplied by; none is zero.
    """

    constant: float
    coefficients: Mapping[JointPosition, float]


def linear_form(expression: Expression) -> Linear | None:
    """Return an expression as a constant plus multiples of positions, or None where it is nothing of the kind."""
    found = fold(expression, _linear_leaf, _combined_linear)
    is_finite = found is not None and np.isfinite([found.constant, *found.coefficients.values()]).all()
    return found if is_finite else None


def _linear_leaf(part: Number | JointPosition) -> Linear:
    if isinstance(part, JointPosition):
        return Linear(constant=0.0, coefficients={part: 1.0})
    return Linear(constant=part.value, coefficients={})


def _combined_linear(operation: Operation, operands: list[Linear | None]) -> Linear | None:
    operator = operation.operator
    if operator is Operator.CHOOSE and operands[0] is not None and not operands[0].coefficients:
        return _linear_choice(operands)
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    if not any(operand.coefficients for operand in known):
        numbers = tuple([Number(value=operand.constant) for operand in known])
        value = evaluate(Operation(operator=operator, operands=numbers), {})
        return None if np.isnan(value) else Linear(constant=float(value), coefficients={})
    rule = _LINEAR.get(operator)
    return rule(known) if rule is not None else None


def _linear_choice(operands: list[Linear | None]) -> Linear | None:
    condition, where_true, where_false = operands
    assert condition is not None  # noqa: S101  # the caller looked
    return where_true if condition.constant else where_false


def _linear_sum(operands: list[Linear]) -> Linear:
    total = dict(operands[0].coefficients)
    for operand in operands[1:]:
        for source, coefficient in operand.coefficients.items():
            total[source] = total.get(source, 0.0) + coefficient
    kept = {source: coefficient for source, coefficient in total.items() if coefficient}
    return Linear(constant=float(sum(operand.constant for operand in operands)), coefficients=kept)


def _scaled(operand: Linear, factor: float) -> Linear:
    scaled = {source: factor * coefficient for source, coefficient in operand.coefficients.items() if factor * coefficient}
    return Linear(constant=factor * operand.constant, coefficients=scaled)


def _linear_product(operands: list[Linear]) -> Linear | None:
    product = operands[0]
    for operand in operands[1:]:
        if product.coefficients and operand.coefficients:
            return None
        product = _scaled(product, operand.constant) if product.coefficients else _scaled(operand, product.constant)
    return product


def _linear_ratio(operands: list[Linear]) -> Linear | None:
    above, below = operands
    if below.coefficients or not below.constant:
        return None
    quotients = {source: coefficient / below.constant for source, coefficient in above.coefficients.items()}
    return Linear(constant=above.constant / below.constant, coefficients=quotients)


def _linear_if_one(operands: list[Linear]) -> Linear | None:
    """Return the first operand where the second, an exponent or a degree, is one."""
    return operands[0] if not operands[1].coefficients and operands[1].constant == 1.0 else None


_LINEAR: Mapping[Operator, Callable[[list[Linear]], Linear | None]] = {
    Operator.ADD: _linear_sum,
    Operator.SUBTRACT: lambda operands: _linear_sum([operands[0], _scaled(operands[1], -1.0)]),
    Operator.NEGATE: lambda operands: _scaled(operands[0], -1.0),
    Operator.MULTIPLY: _linear_product,
    Operator.DIVIDE: _linear_ratio,
    Operator.POWER: _linear_if_one,
    Operator.ROOT: _linear_if_one,
}
