"""The values of expressions, and their exact derivatives.

Arithmetic follows IEEE 754: a division by zero is infinite, and a function of it may be finite (``arctan(1 / 0)``). A result
that is infinite or undefined is not a position of a joint, and becomes NaN. Derivatives are computed with the values by forward
automatic differentiation, so that they are as exact as the values. At kinks and jumps (``abs``, ``min``, ``floor``,
``choose``), they are those of the active branch.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ossature.array_types import Array
from ossature.model import Expression, JointPosition, Number, Operation, Operator, fold_expression

if TYPE_CHECKING:
    Values = float | Array

    Jet: TypeAlias = tuple[Values, Values, Values]
    """A value with its first and second derivative along a line."""


def evaluate(expression: Expression, positions: Mapping[JointPosition, Values]) -> Values:
    """Return the value of an expression, NaN if it is undefined.

    Args:
        expression: The expression.
        positions: The positions that it depends on [rad or m]; arrays of one shape for many values at once.

    Raises:
        KeyError: It depends on a position that is not given.
    """

    def leaf(part: Number | JointPosition) -> Values:
        return positions[part] if isinstance(part, JointPosition) else part.value

    def combine(operation: Operation, operands: list[Values]) -> Values:
        return _VALUES[operation.operator](*operands)

    with np.errstate(all="ignore"):
        return _nan_if_infinite(fold_expression(expression, leaf, combine))


def partial(expression: Expression, positions: Mapping[JointPosition, Values], source: JointPosition) -> Values:
    """Return the partial derivative of an expression by one of its positions; see :func:`evaluate`."""
    return derivatives(expression, positions, {source: 1.0})[1]


def second_partial(expression: Expression, positions: Mapping[JointPosition, Values], source: JointPosition) -> Values:
    """Return the second partial derivative of an expression by one of its positions; see :func:`evaluate`."""
    return derivatives(expression, positions, {source: 1.0})[2]


def derivatives(
    expression: Expression, positions: Mapping[JointPosition, Values], direction: Mapping[JointPosition, float]
) -> Jet:
    """Return value, first and second derivative of an expression along a line through its positions.

    Args:
        expression: The expression.
        positions: The positions, as for :func:`evaluate`.
        direction: The rate of each position along the line; zero if not given.

    Raises:
        KeyError: It depends on a position that is not given.
    """

    def leaf(part: Number | JointPosition) -> Jet:
        if isinstance(part, JointPosition):
            return (positions[part], direction.get(part, 0.0), 0.0)
        return (part.value, 0.0, 0.0)

    with np.errstate(all="ignore"):
        value, first, second = fold_expression(expression, leaf, _combine_jets)
        return _nan_if_infinite(value), _nan_if_infinite(first), _nan_if_infinite(second)


def _nan_if_infinite(value: Values) -> Values:
    """Return a value with NaN instead of infinite numbers; a float for a scalar."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else math.nan
    result = np.where(np.isfinite(value), value, np.nan)
    return float(result) if result.ndim == 0 else result


# Values


def _real_root(radicand: Values, degree: Values) -> Values:
    """Return the real root, also odd roots of negative numbers."""
    size = np.power(np.abs(radicand), np.divide(1.0, degree))
    size = np.where(np.equal(degree, 3.0), np.cbrt(np.abs(radicand)), size)
    is_odd = np.equal(np.fmod(np.abs(degree), 2.0), 1.0)
    even = np.power(np.asarray(radicand, dtype=float), np.divide(1.0, degree))
    even = np.where(np.equal(degree, 2.0), np.sqrt(radicand), even)
    return np.asarray(np.where(is_odd, np.copysign(size, radicand), even))


def _logarithm(number: Values, base: Values) -> Values:
    by_change_of_base = np.divide(np.log(number), np.log(base))
    by_ten = np.where(np.equal(base, 10.0), np.log10(number), by_change_of_base)
    return np.asarray(np.where(np.equal(base, 2.0), np.log2(number), by_ten))


def _comparison(compare: Callable[..., Values]) -> Callable[..., Values]:
    """Return a comparison whose result is 1, 0, or NaN if an operand is undefined."""

    def compared(*sides: Values) -> Values:
        undefined = np.logical_or.reduce(np.broadcast_arrays(*map(np.isnan, sides)))
        return np.asarray(np.where(undefined, np.nan, compare(*sides)))

    return compared


def _logical_and(*operands: Values) -> Values:
    return _comparison(lambda *truths: np.logical_and.reduce(np.broadcast_arrays(*truths)))(*operands)


def _logical_or(*operands: Values) -> Values:
    return _comparison(lambda *truths: np.logical_or.reduce(np.broadcast_arrays(*truths)))(*operands)


def _choose(condition: Values, if_true: Values, if_false: Values) -> Values:
    chosen = np.where(np.not_equal(condition, 0.0), if_true, if_false)
    return np.asarray(np.where(np.isnan(condition), np.nan, chosen))


_VALUES: Mapping[Operator, Callable[..., Values]] = {
    Operator.ADD: lambda *operands: reduce(np.add, operands),
    Operator.SUBTRACT: np.subtract,
    Operator.NEGATE: np.negative,
    Operator.MULTIPLY: lambda *operands: reduce(np.multiply, operands),
    Operator.DIVIDE: np.divide,
    Operator.POWER: lambda base, exponent: np.power(np.asarray(base, dtype=float), exponent),
    Operator.ROOT: _real_root,
    Operator.REMAINDER: np.fmod,
    Operator.QUOTIENT: lambda a, b: np.floor(np.divide(a, b)),
    Operator.FLOOR: np.floor,
    Operator.CEILING: np.ceil,
    Operator.ABSOLUTE: np.abs,
    Operator.MINIMUM: lambda *operands: reduce(np.minimum, operands),
    Operator.MAXIMUM: lambda *operands: reduce(np.maximum, operands),
    Operator.EXPONENTIAL: np.exp,
    Operator.NATURAL_LOGARITHM: np.log,
    Operator.LOGARITHM: _logarithm,
    Operator.SINE: np.sin,
    Operator.COSINE: np.cos,
    Operator.TANGENT: np.tan,
    Operator.ARC_SINE: np.arcsin,
    Operator.ARC_COSINE: np.arccos,
    Operator.ARC_TANGENT: np.arctan,
    Operator.ARC_TANGENT_2: np.arctan2,
    Operator.HYPERBOLIC_SINE: np.sinh,
    Operator.HYPERBOLIC_COSINE: np.cosh,
    Operator.HYPERBOLIC_TANGENT: np.tanh,
    Operator.ARC_HYPERBOLIC_SINE: np.arcsinh,
    Operator.ARC_HYPERBOLIC_COSINE: np.arccosh,
    Operator.ARC_HYPERBOLIC_TANGENT: np.arctanh,
    Operator.EQUAL: _comparison(np.equal),
    Operator.NOT_EQUAL: _comparison(np.not_equal),
    Operator.GREATER: _comparison(np.greater),
    Operator.GREATER_OR_EQUAL: _comparison(np.greater_equal),
    Operator.LESS: _comparison(np.less),
    Operator.LESS_OR_EQUAL: _comparison(np.less_equal),
    Operator.AND: _logical_and,
    Operator.OR: _logical_or,
    Operator.NOT: lambda operand: _comparison(np.equal)(operand, 0.0),
    Operator.CHOOSE: _choose,
}


# Derivatives


def _combine_jets(operation: Operation, operands: list[Jet]) -> Jet:
    operator = operation.operator
    if operator in _SLOPES:
        return _apply_chain_rule(operator, operands[0])
    rule = _JETS.get(operator)
    if rule is not None:
        return rule(*operands)
    # The other operators are piecewise constant.
    return (_VALUES[operator](*[value for value, _, _ in operands]), 0.0, 0.0)


def _apply_chain_rule(operator: Operator, inner: Jet) -> Jet:
    """Return a function of one operand and its derivatives, by the chain rule."""
    u, du, ddu = inner
    slope, curvature = _SLOPES[operator](u)
    return (
        _VALUES[operator](u),
        _chain_product(slope, du),
        _chain_product(curvature, np.square(du)) + _chain_product(slope, ddu),
    )


def _chain_product(slope: Values, rate: Values) -> Values:
    """Return a product that is zero if the rate is zero, also if the slope is infinite."""
    if isinstance(rate, float) and isinstance(slope, float):
        return slope * rate if rate else 0.0  # faster for the single values of a simulation step
    return np.asarray(np.where(np.equal(rate, 0.0), 0.0, np.multiply(slope, rate)))


def _add_jets(a: Jet, b: Jet) -> Jet:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _negate_jet(a: Jet) -> Jet:
    return np.negative(a[0]), np.negative(a[1]), np.negative(a[2])


def _multiply_jets(a: Jet, b: Jet) -> Jet:
    first = _chain_product(a[0], b[1]) + _chain_product(b[0], a[1])
    return (
        np.multiply(a[0], b[0]),
        first,
        _chain_product(a[0], b[2]) + 2.0 * _chain_product(a[1], b[1]) + _chain_product(b[0], a[2]),
    )


def _divide_jets(a: Jet, b: Jet) -> Jet:
    value = np.divide(a[0], b[0])
    first = np.divide(a[1] - _chain_product(value, b[1]), b[0])
    return value, first, np.divide(a[2] - 2.0 * _chain_product(first, b[1]) - _chain_product(value, b[2]), b[0])


def _power_jet(base: Jet, exponent: Jet) -> Jet:
    if not (np.any(exponent[1]) or np.any(exponent[2])):
        return _constant_power_jet(base, exponent[0])
    log = _apply_chain_rule(Operator.NATURAL_LOGARITHM, base)
    _, first, second = _apply_chain_rule(Operator.EXPONENTIAL, _multiply_jets(exponent, log))
    return _VALUES[Operator.POWER](base[0], exponent[0]), first, second


def _constant_power_jet(base: Jet, n: Values) -> Jet:
    u, du, ddu = base
    power = _VALUES[Operator.POWER]
    slope = _chain_product(power(u, np.subtract(n, 1.0)), n)
    curvature = _chain_product(power(u, np.subtract(n, 2.0)), np.multiply(n, np.subtract(n, 1.0)))
    return power(u, n), _chain_product(slope, du), _chain_product(curvature, np.square(du)) + _chain_product(slope, ddu)


def _root_jet(radicand: Jet, degree: Jet) -> Jet:
    value = _real_root(radicand[0], degree[0])
    if np.any(degree[1]) or np.any(degree[2]):
        _, first, second = _power_jet(radicand, _divide_jets((1.0, 0.0, 0.0), degree))
        return value, first, second
    u, du, ddu = radicand
    slope = np.divide(value, np.multiply(degree[0], u))
    curvature = np.divide(np.multiply(slope, np.divide(1.0, degree[0]) - 1.0), u)
    return value, _chain_product(slope, du), _chain_product(curvature, np.square(du)) + _chain_product(slope, ddu)


def _logarithm_jet(number: Jet, base: Jet) -> Jet:
    log = Operator.NATURAL_LOGARITHM
    _, first, second = _divide_jets(_apply_chain_rule(log, number), _apply_chain_rule(log, base))
    return _logarithm(number[0], base[0]), first, second


def _remainder_jet(a: Jet, b: Jet) -> Jet:
    times = np.trunc(np.divide(a[0], b[0]))
    return np.fmod(a[0], b[0]), a[1] - _chain_product(times, b[1]), a[2] - _chain_product(times, b[2])


def _atan2_jet(y: Jet, x: Jet) -> Jet:
    squared = _add_jets(_multiply_jets(x, x), _multiply_jets(y, y))
    numerators = (
        _chain_product(x[0], y[1]) - _chain_product(y[0], x[1]),
        _chain_product(x[0], y[2]) - _chain_product(y[0], x[2]),
    )
    first = np.divide(numerators[0], squared[0])
    second = np.divide(numerators[1] - _chain_product(first, squared[1]), squared[0])
    return np.arctan2(y[0], x[0]), first, second


def _select_jet(condition: Jet, if_true: Jet, if_false: Jet) -> Jet:
    a, b, c = (_choose(condition[0], *sides) for sides in zip(if_true, if_false, strict=True))
    return a, b, c


def _minimum_jet(a: Jet, b: Jet) -> Jet:
    return _select_jet((_comparison(np.less_equal)(a[0], b[0]), 0.0, 0.0), a, b)


def _maximum_jet(a: Jet, b: Jet) -> Jet:
    return _select_jet((_comparison(np.greater_equal)(a[0], b[0]), 0.0, 0.0), a, b)


_JETS: Mapping[Operator, Callable[..., Jet]] = {
    Operator.ADD: lambda *operands: reduce(_add_jets, operands),
    Operator.SUBTRACT: lambda a, b: _add_jets(a, _negate_jet(b)),
    Operator.NEGATE: _negate_jet,
    Operator.MULTIPLY: lambda *operands: reduce(_multiply_jets, operands),
    Operator.DIVIDE: _divide_jets,
    Operator.POWER: _power_jet,
    Operator.ROOT: _root_jet,
    Operator.REMAINDER: _remainder_jet,
    Operator.MINIMUM: lambda *operands: reduce(_minimum_jet, operands),
    Operator.MAXIMUM: lambda *operands: reduce(_maximum_jet, operands),
    Operator.LOGARITHM: _logarithm_jet,
    Operator.ARC_TANGENT_2: _atan2_jet,
    Operator.CHOOSE: _select_jet,
}


def _inverse_sine_derivatives(slope: Values, u: Values, sign: float) -> tuple[Values, Values]:
    """Return the derivative sign / sqrt(1 - u²), of which the slope is the absolute value, and its derivative."""
    return sign * slope, sign * u * slope**3


_SLOPES: Mapping[Operator, Callable[[Values], tuple[Values, Values]]] = {
    Operator.ABSOLUTE: lambda u: (np.sign(u), np.zeros_like(u)),
    Operator.EXPONENTIAL: lambda u: (np.exp(u), np.exp(u)),
    Operator.NATURAL_LOGARITHM: lambda u: (np.divide(1.0, u), -np.divide(1.0, np.square(u))),
    Operator.SINE: lambda u: (np.cos(u), -np.sin(u)),
    Operator.COSINE: lambda u: (-np.sin(u), -np.cos(u)),
    Operator.TANGENT: lambda u: (1.0 + np.square(np.tan(u)), 2.0 * np.tan(u) * (1.0 + np.square(np.tan(u)))),
    Operator.ARC_SINE: lambda u: _inverse_sine_derivatives(np.divide(1.0, np.sqrt(1.0 - np.square(u))), u, 1.0),
    Operator.ARC_COSINE: lambda u: _inverse_sine_derivatives(np.divide(1.0, np.sqrt(1.0 - np.square(u))), u, -1.0),
    Operator.ARC_TANGENT: lambda u: (
        np.divide(1.0, 1.0 + np.square(u)),
        np.divide(np.multiply(-2.0, u), np.square(1.0 + np.square(u))),
    ),
    Operator.HYPERBOLIC_SINE: lambda u: (np.cosh(u), np.sinh(u)),
    Operator.HYPERBOLIC_COSINE: lambda u: (np.sinh(u), np.cosh(u)),
    Operator.HYPERBOLIC_TANGENT: lambda u: (
        1.0 - np.square(np.tanh(u)),
        -2.0 * np.tanh(u) * (1.0 - np.square(np.tanh(u))),
    ),
    Operator.ARC_HYPERBOLIC_SINE: lambda u: (
        np.divide(1.0, np.sqrt(1.0 + np.square(u))),
        -np.divide(u, np.power(1.0 + np.square(u), 1.5)),
    ),
    Operator.ARC_HYPERBOLIC_COSINE: lambda u: (
        np.divide(1.0, np.sqrt(np.square(u) - 1.0)),
        -np.divide(u, np.power(np.square(u) - 1.0, 1.5)),
    ),
    Operator.ARC_HYPERBOLIC_TANGENT: lambda u: (
        np.divide(1.0, 1.0 - np.square(u)),
        np.divide(np.multiply(2.0, u), np.square(1.0 - np.square(u))),
    ),
}
"""First and second derivative of each function of one operand."""
