"""Expressions that are a constant plus multiples of positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ossature.kinematics.expression_evaluation import evaluate
from ossature.model import Expression, JointPosition, Number, Operation, Operator, fold_expression


@dataclass(frozen=True, slots=True, kw_only=True)
class AffineForm:
    """A constant plus multiples of positions.

    Attributes:
        constant: The constant [rad or m].
        coefficients: What each position is multiplied by; none is zero.
    """

    constant: float
    coefficients: Mapping[JointPosition, float]


def affine_form(expression: Expression) -> AffineForm | None:
    """Return an expression as a constant plus multiples of positions, or None where it is nothing of the kind."""
    found = fold_expression(expression, _linear_leaf, _combined_linear)
    is_finite = found is not None and np.isfinite([found.constant, *found.coefficients.values()]).all()
    return found if is_finite else None


def _linear_leaf(part: Number | JointPosition) -> AffineForm:
    if isinstance(part, JointPosition):
        return AffineForm(constant=0.0, coefficients={part: 1.0})
    return AffineForm(constant=part.value, coefficients={})


def _combined_linear(operation: Operation, operands: list[AffineForm | None]) -> AffineForm | None:
    operator = operation.operator
    if operator is Operator.CHOOSE and operands[0] is not None and not operands[0].coefficients:
        return _linear_choice(operands)
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    if not any(operand.coefficients for operand in known):
        numbers = tuple([Number(value=operand.constant) for operand in known])
        value = evaluate(Operation(operator=operator, operands=numbers), {})
        return None if np.isnan(value) else AffineForm(constant=float(value), coefficients={})
    rule = _LINEAR.get(operator)
    return rule(known) if rule is not None else None


def _linear_choice(operands: list[AffineForm | None]) -> AffineForm | None:
    condition, where_true, where_false = operands
    assert condition is not None  # noqa: S101  # the caller looked
    return where_true if condition.constant else where_false


def _linear_sum(operands: list[AffineForm]) -> AffineForm:
    total = dict(operands[0].coefficients)
    for operand in operands[1:]:
        for source, coefficient in operand.coefficients.items():
            total[source] = total.get(source, 0.0) + coefficient
    kept = {source: coefficient for source, coefficient in total.items() if coefficient}
    return AffineForm(constant=float(sum(operand.constant for operand in operands)), coefficients=kept)


def _scaled(operand: AffineForm, factor: float) -> AffineForm:
    scaled = {source: factor * coefficient for source, coefficient in operand.coefficients.items() if factor * coefficient}
    return AffineForm(constant=factor * operand.constant, coefficients=scaled)


def _linear_product(operands: list[AffineForm]) -> AffineForm | None:
    product = operands[0]
    for operand in operands[1:]:
        if product.coefficients and operand.coefficients:
            return None
        product = _scaled(product, operand.constant) if product.coefficients else _scaled(operand, product.constant)
    return product


def _linear_ratio(operands: list[AffineForm]) -> AffineForm | None:
    above, below = operands
    if below.coefficients or not below.constant:
        return None
    quotients = {source: coefficient / below.constant for source, coefficient in above.coefficients.items()}
    return AffineForm(constant=above.constant / below.constant, coefficients=quotients)


def _linear_if_one(operands: list[AffineForm]) -> AffineForm | None:
    """Return the first operand where the second, an exponent or a degree, is one."""
    return operands[0] if not operands[1].coefficients and operands[1].constant == 1.0 else None


_LINEAR: Mapping[Operator, Callable[[list[AffineForm]], AffineForm | None]] = {
    Operator.ADD: _linear_sum,
    Operator.SUBTRACT: lambda operands: _linear_sum([operands[0], _scaled(operands[1], -1.0)]),
    Operator.NEGATE: lambda operands: _scaled(operands[0], -1.0),
    Operator.MULTIPLY: _linear_product,
    Operator.DIVIDE: _linear_ratio,
    Operator.POWER: _linear_if_one,
    Operator.ROOT: _linear_if_one,
}
