"""Affine expressions: a constant plus multiples of positions."""

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
        coefficients: The factor of each position; factors of zero are removed.
    """

    constant: float
    coefficients: Mapping[JointPosition, float]


def affine_form(expression: Expression) -> AffineForm | None:
    """Return an expression in affine form, or None if it is not affine."""
    found = fold_expression(expression, _affine_leaf, _combine_affine)
    is_finite = found is not None and np.isfinite([found.constant, *found.coefficients.values()]).all()
    return found if is_finite else None


def _affine_leaf(part: Number | JointPosition) -> AffineForm:
    if isinstance(part, JointPosition):
        return AffineForm(constant=0.0, coefficients={part: 1.0})
    return AffineForm(constant=part.value, coefficients={})


def _combine_affine(operation: Operation, operands: list[AffineForm | None]) -> AffineForm | None:
    operator = operation.operator
    if operator is Operator.CHOOSE and operands[0] is not None and not operands[0].coefficients:
        return _affine_choice(operands)
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    if not any(operand.coefficients for operand in known):
        numbers = tuple([Number(value=operand.constant) for operand in known])
        value = evaluate(Operation(operator=operator, operands=numbers), {})
        return None if np.isnan(value) else AffineForm(constant=float(value), coefficients={})
    rule = _AFFINE.get(operator)
    return rule(known) if rule is not None else None


def _affine_choice(operands: list[AffineForm | None]) -> AffineForm | None:
    condition, if_true, if_false = operands
    assert condition is not None  # noqa: S101  # checked by the caller
    return if_true if condition.constant else if_false


def _affine_sum(operands: list[AffineForm]) -> AffineForm:
    total = dict(operands[0].coefficients)
    for operand in operands[1:]:
        for source, coefficient in operand.coefficients.items():
            total[source] = total.get(source, 0.0) + coefficient
    coefficients = {source: coefficient for source, coefficient in total.items() if coefficient}
    return AffineForm(constant=float(sum(operand.constant for operand in operands)), coefficients=coefficients)


def _scale(operand: AffineForm, factor: float) -> AffineForm:
    scaled = {source: factor * coefficient for source, coefficient in operand.coefficients.items() if factor * coefficient}
    return AffineForm(constant=factor * operand.constant, coefficients=scaled)


def _affine_product(operands: list[AffineForm]) -> AffineForm | None:
    product = operands[0]
    for operand in operands[1:]:
        if product.coefficients and operand.coefficients:
            return None
        product = _scale(product, operand.constant) if product.coefficients else _scale(operand, product.constant)
    return product


def _affine_ratio(operands: list[AffineForm]) -> AffineForm | None:
    numerator, denominator = operands
    if denominator.coefficients or not denominator.constant:
        return None
    quotients = {source: coefficient / denominator.constant for source, coefficient in numerator.coefficients.items()}
    return AffineForm(constant=numerator.constant / denominator.constant, coefficients=quotients)


def _first_if_one(operands: list[AffineForm]) -> AffineForm | None:
    """Return the first operand if the second, an exponent or a degree, is one."""
    return operands[0] if not operands[1].coefficients and operands[1].constant == 1.0 else None


_AFFINE: Mapping[Operator, Callable[[list[AffineForm]], AffineForm | None]] = {
    Operator.ADD: _affine_sum,
    Operator.SUBTRACT: lambda operands: _affine_sum([operands[0], _scale(operands[1], -1.0)]),
    Operator.NEGATE: lambda operands: _scale(operands[0], -1.0),
    Operator.MULTIPLY: _affine_product,
    Operator.DIVIDE: _affine_ratio,
    Operator.POWER: _first_if_one,
    Operator.ROOT: _first_if_one,
}
