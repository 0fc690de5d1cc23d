"""Expressions for tests: short ways to write them, random ones, and their values by another way of evaluation."""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import reduce

from hypothesis import strategies as st

from ossature.model import OPERAND_COUNTS, Expression, JointPosition, Number, Operation, Operator

SOURCES = (JointPosition(joint="a"), JointPosition(joint="b"), JointPosition(joint="c", coordinate=1))
A, B, C = SOURCES


def number(value: float) -> Number:
    return Number(value=value)


def of(name: str, *operands: Expression | float) -> Operation:
    """An operation by the name of its operator, with plain numbers among its operands."""
    as_expressions = [number(operand) if isinstance(operand, int | float) else operand for operand in operands]
    return Operation(operator=Operator(name), operands=tuple(as_expressions))


def line(source: JointPosition, slope: float, start: float = 0.0) -> Operation:
    """The expression slope · source + start."""
    return of("add", of("multiply", slope, source), start)


def _operations(inner: st.SearchStrategy[Expression], operators: Iterable[Operator]) -> st.SearchStrategy[Expression]:
    def operation(chosen: Operator) -> st.SearchStrategy[Expression]:
        count = OPERAND_COUNTS[chosen]
        operands = st.lists(inner, min_size=count or 1, max_size=count or 4)
        return st.builds(Operation, operator=st.just(chosen), operands=operands.map(tuple))

    return st.sampled_from(list(operators)).flatmap(operation)


def expressions(
    numbers: st.SearchStrategy[float] | None = None, operators: Iterable[Operator] = Operator
) -> st.SearchStrategy[Expression]:
    """Any expression of a few dozen parts."""
    values = st.floats(allow_nan=False, allow_infinity=False) if numbers is None else numbers
    leaves: st.SearchStrategy[Expression] = st.one_of(st.builds(Number, value=values), st.sampled_from(SOURCES))
    return st.recursive(leaves, lambda inner: _operations(inner, operators), max_leaves=12)


class UndefinedError(Exception):
    """The other way of evaluation finds no value, or none that is safe to compare."""


def plain_value(expression: Expression, positions: Mapping[JointPosition, float]) -> float:
    """The value of an expression by Python's own arithmetic, one operand after the other.

    Raises:
        UndefinedError: Python refuses on the way.
    """
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, JointPosition):
        return positions[expression]
    if expression.operator is Operator.CHOOSE:
        condition, where_true, where_false = expression.operands
        return plain_value(where_true if plain_value(condition, positions) else where_false, positions)
    values = [plain_value(operand, positions) for operand in expression.operands]
    try:
        result = _PLAIN[expression.operator](*values)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise UndefinedError from error
    if isinstance(result, complex) or not math.isfinite(result):
        raise UndefinedError
    return float(result)


def _root(radicand: float, degree: float) -> float:
    if radicand < 0.0 and degree % 2.0 == 1.0:
        return -((-radicand) ** (1.0 / degree))
    return math.pow(radicand, 1.0 / degree)


def _floor(a: float) -> float:
    # Python's own floor has no negative zero, on which angles of points depend.
    return math.copysign(math.floor(a), a) if -1.0 < a < 1.0 and math.floor(a) == 0 else float(math.floor(a))


_PLAIN: Mapping[Operator, Callable[..., float]] = {
    Operator.ADD: lambda *values: reduce(operator.add, values),
    Operator.SUBTRACT: lambda a, b: a - b,
    Operator.NEGATE: lambda a: -a,
    Operator.MULTIPLY: lambda *values: math.prod(values),
    Operator.DIVIDE: lambda a, b: a / b,
    Operator.POWER: math.pow,
    Operator.ROOT: _root,
    Operator.REMAINDER: math.fmod,
    Operator.QUOTIENT: lambda a, b: _floor(a / b),
    Operator.FLOOR: _floor,
    Operator.CEILING: lambda a: -_floor(-a),
    Operator.ABSOLUTE: abs,
    Operator.MINIMUM: lambda *values: min(values),
    Operator.MAXIMUM: lambda *values: max(values),
    Operator.EXPONENTIAL: math.exp,
    Operator.NATURAL_LOGARITHM: math.log,
    Operator.LOGARITHM: math.log,
    Operator.SINE: lambda a: cmath.exp(1j * a).imag,
    Operator.COSINE: lambda a: cmath.exp(1j * a).real,
    Operator.TANGENT: math.tan,
    Operator.ARC_SINE: math.asin,
    Operator.ARC_COSINE: math.acos,
    Operator.ARC_TANGENT: math.atan,
    Operator.ARC_TANGENT_2: math.atan2,
    Operator.HYPERBOLIC_SINE: math.sinh,
    Operator.HYPERBOLIC_COSINE: math.cosh,
    Operator.HYPERBOLIC_TANGENT: math.tanh,
    Operator.ARC_HYPERBOLIC_SINE: math.asinh,
    Operator.ARC_HYPERBOLIC_COSINE: math.acosh,
    Operator.ARC_HYPERBOLIC_TANGENT: math.atanh,
    Operator.EQUAL: lambda a, b: a == b,
    Operator.NOT_EQUAL: lambda a, b: a != b,
    Operator.GREATER: lambda a, b: a > b,
    Operator.GREATER_OR_EQUAL: lambda a, b: a >= b,
    Operator.LESS: lambda a, b: a < b,
    Operator.LESS_OR_EQUAL: lambda a, b: a <= b,
    Operator.AND: lambda *values: all(values),
    Operator.OR: lambda *values: any(values),
    Operator.NOT: lambda a: not a,
}
