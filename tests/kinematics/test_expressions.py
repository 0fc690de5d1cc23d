"""Expressions: values as Python computes them, exact derivatives, and affine forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ossature.kinematics import affine_form, derivatives, evaluate, partial, second_partial
from ossature.model import Expression, JointPosition, Operation, Operator, formula_text, sources_of
from random_expressions import SOURCES, A, B, C, UndefinedError, expressions, line, number, of, plain_value

places = st.fixed_dictionaries({source: st.floats(-10.0, 10.0) for source in SOURCES})
JUMPING = {
    Operator.FLOOR,
    Operator.CEILING,
    Operator.QUOTIENT,
    Operator.REMAINDER,
    Operator.CHOOSE,
    Operator.AND,
    Operator.OR,
    Operator.NOT,
    Operator.EQUAL,
    Operator.NOT_EQUAL,
    Operator.GREATER,
    Operator.GREATER_OR_EQUAL,
    Operator.LESS,
    Operator.LESS_OR_EQUAL,
}


def operators_of(expression: Expression) -> set[Operator]:
    if not isinstance(expression, Operation):
        return set()
    return {expression.operator}.union(*map(operators_of, expression.operands))


@given(expressions(st.floats(-5.0, 5.0)), places)
@settings(max_examples=100, derandomize=True)
def test_values_equal_those_of_python(expression: Expression, positions: dict[JointPosition, float]) -> None:
    try:
        expected = plain_value(expression, positions)
    except UndefinedError:
        assume(False)
    # Close to a jump, or where much cancels, rounding decides, and says nothing about the formula.
    assume(not operators_of(expression) & JUMPING or _is_steady(expression, positions, expected))
    value = evaluate(expression, positions)
    assert isinstance(value, float)
    assume(_is_steady(expression, positions, expected))
    assert value == pytest.approx(expected, rel=1e-6, abs=1e-6)


def _is_steady(expression: Expression, positions: dict[JointPosition, float], expected: float) -> bool:
    """Whether the value hardly changes with its positions, so that rounding matters little."""
    for sign in (-1.0, 1.0):
        try:
            near = plain_value(expression, {source: x + sign * 1e-12 * (1.0 + abs(x)) for source, x in positions.items()})
        except UndefinedError:
            return False
        if not math.isclose(near, expected, rel_tol=1e-8, abs_tol=1e-8):
            return False
    return True


@given(expressions(), places)
@settings(max_examples=100)
def test_evaluation_raises_no_exception(expression: Expression, positions: dict[JointPosition, float]) -> None:
    value = evaluate(expression, positions)
    assert math.isnan(value) or math.isfinite(value)
    assert len(derivatives(expression, positions, dict.fromkeys(SOURCES, 1.0))) == 3
    affine_form(expression)
    assert formula_text(expression)


@given(expressions(st.floats(-5.0, 5.0)), st.lists(places, min_size=2, max_size=3))
@settings(max_examples=70)
def test_batched_values_equal_single_ones(expression: Expression, rows: list[dict[JointPosition, float]]) -> None:
    together = evaluate(expression, {source: np.array([row[source] for row in rows]) for source in SOURCES})
    np.testing.assert_allclose(np.broadcast_to(together, len(rows)), [evaluate(expression, row) for row in rows], rtol=1e-9)


@pytest.mark.parametrize(
    ("expression", "at"),
    [
        (of("divide", 1.0, A), 0.0),
        (of("divide", A, A), 0.0),
        (of("natural_logarithm", A), -1.0),
        (of("logarithm", A, 1.0), 2.0),
        (of("root", A, 2.0), -1.0),
        (of("root", A, 4.0), -1.0),
        (of("power", A, 0.5), -1.0),
        (of("arc_sine", A), 1.5),
        (of("exponential", A), 1e4),
        (of("multiply", A, 1e300), 1e300),
        (of("remainder", A, 0.0), 1.0),
        (of("greater", of("arc_sine", A), 0.0), 2.0),
        (of("choose", of("arc_sine", A), 1.0, 2.0), 2.0),
    ],
)
def test_undefined_values_are_nan(expression: Expression, at: float) -> None:
    assert math.isnan(evaluate(expression, {A: at}))


@pytest.mark.parametrize(
    ("expression", "at", "value"),
    [
        (of("root", A, 3.0), -8.0, -2.0),
        (of("root", A, 5.0), -32.0, -2.0),
        (of("arc_tangent", of("divide", 1.0, A)), 0.0, math.pi / 2.0),
        (of("choose", of("greater", A, 0.0), of("natural_logarithm", A), 7.0), -1.0, 7.0),
        (of("remainder", A, 2.0), -5.0, -1.0),
        (of("quotient", A, 2.0), -5.0, -3.0),
        (of("arc_tangent_2", A, -1.0), 0.0, math.pi),
        (of("divide", 1.0, of("exponential", A)), 1e4, 0.0),
        (of("logarithm", A, 10.0), 1000.0, 3.0),
        (of("and", of("greater", A, 0.0), of("less", A, 2.0)), 1.0, 1.0),
        (of("not", A), 3.0, 0.0),
    ],
)
def test_values_at_the_edges(expression: Expression, at: float, value: float) -> None:
    assert evaluate(expression, {A: at}) == value


SMOOTH: dict[str, tuple[Expression, float]] = {
    "polynomial": (of("add", of("power", A, 3.0), of("multiply", -2.0, A, A), 4.0), 1.3),
    "power at zero": (of("power", A, 2.0), 0.0),
    "ratio": (of("divide", of("sine", A), of("add", 2.0, A)), 0.7),
    "variable exponent": (of("power", A, of("sine", A)), 1.7),
    "cube root": (of("root", A, 3.0), -2.0),
    "square root": (of("root", of("add", A, 3.0), 2.0), 1.0),
    "variable root": (of("root", of("add", A, 3.0), of("add", A, 2.0)), 1.0),
    "exponential": (of("exponential", of("negate", of("multiply", A, A))), 0.4),
    "logarithm": (of("logarithm", A, 10.0), 2.0),
    "variable base": (of("logarithm", 7.0, of("add", A, 2.0)), 2.0),
    "natural logarithm": (of("natural_logarithm", A), 2.0),
    "tangent": (of("tangent", A), 0.5),
    "cosine": (of("cosine", of("multiply", 2.0, A)), 0.5),
    "arc sine": (of("arc_sine", A), 0.5),
    "arc cosine": (of("arc_cosine", of("multiply", A, A)), 0.5),
    "arc tangent": (of("arc_tangent", A), 0.5),
    "angle": (of("arc_tangent_2", of("sine", A), of("subtract", 3.0, of("cosine", A))), 0.8),
    "angle behind": (of("arc_tangent_2", of("multiply", A, A), of("negate", A)), 0.8),
    "hyperbolic": (of("multiply", of("hyperbolic_sine", A), of("hyperbolic_cosine", A)), 0.6),
    "hyperbolic tangent": (of("hyperbolic_tangent", A), 0.6),
    "area sine": (of("arc_hyperbolic_sine", A), 0.6),
    "area cosine": (of("arc_hyperbolic_cosine", A), 1.6),
    "area tangent": (of("arc_hyperbolic_tangent", A), 0.6),
    "absolute": (of("absolute", of("power", A, 3.0)), -1.2),
    "remainder": (of("remainder", of("multiply", A, A), 0.7), 1.2),
    "remainder of a constant": (of("remainder", 5.0, A), 1.2),
    "smaller": (of("minimum", of("sine", A), A, 4.0), 1.0),
    "larger": (of("maximum", of("power", A, 2.0), A), 1.5),
    "chosen": (of("choose", of("less", A, 1.0), of("sine", A), of("cosine", A)), 0.5),
    "quotient": (of("multiply", A, of("quotient", A, 0.4)), 0.5),
    "two of a kind": (of("multiply", A, of("cosine", B), of("exponential", A)), 0.3),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_equal_finite_differences(name: str) -> None:
    expression, at = SMOOTH[name]

    def value(x: float) -> float:
        return plain_value(expression, {A: x, B: 0.2})

    # Central differences, freed of their first term of error.
    def first(h: float) -> float:
        return (value(at + h) - value(at - h)) / (2.0 * h)

    def second(h: float) -> float:
        return (value(at + h) - 2.0 * value(at) + value(at - h)) / h**2

    here = {A: at, B: 0.2}
    h = 1e-3
    assert partial(expression, here, A) == pytest.approx((4.0 * first(h / 2.0) - first(h)) / 3.0, rel=1e-8, abs=1e-9)
    assert second_partial(expression, here, A) == pytest.approx((4.0 * second(h / 2.0) - second(h)) / 3.0, rel=1e-6, abs=1e-7)


def test_closed_forms_of_derivatives() -> None:
    x = 0.37
    here = {A: x, B: 2.0}
    assert partial(of("sine", A), here, A) == math.cos(x)
    assert second_partial(of("sine", A), here, A) == -math.sin(x)
    assert partial(of("multiply", A, B, B), here, B) == 4.0 * x
    assert second_partial(of("multiply", A, B, B), here, B) == 2.0 * x
    assert partial(line(A, 0.25, 7.0), here, A) == 0.25
    assert second_partial(line(A, 0.25, 7.0), here, A) == 0.0
    assert partial(line(A, 0.25, 7.0), here, B) == 0.0


def test_second_directional_derivatives_include_mixed_terms() -> None:
    assert derivatives(of("multiply", A, B), {A: 2.0, B: 3.0}, {A: 1.0, B: 1.0}) == (6.0, 5.0, 2.0)


def deep(depth: int) -> Expression:
    expression: Expression = A
    for level in range(depth):
        expression = of("add", expression, 1.0) if level % 2 else of("negate", expression)
    return expression


@pytest.mark.parametrize("depth", [200, 20_000])
def test_depth_is_unlimited(depth: int) -> None:
    expression = deep(depth)
    value = evaluate(expression, {A: 0.0})
    linear = affine_form(expression)
    assert linear is not None
    assert linear.constant == value
    assert abs(linear.coefficients[A]) == 1.0
    assert partial(expression, {A: 0.0}, A) == linear.coefficients[A]
    assert sources_of(expression) == (A,)
    assert formula_text(expression)


# Linear ones


MOSTLY_LINEAR = (Operator.ADD, Operator.SUBTRACT, Operator.NEGATE, Operator.MULTIPLY, Operator.DIVIDE, Operator.SINE)


@given(expressions(st.integers(-20, 20).map(lambda n: n / 4.0), MOSTLY_LINEAR), places, places)
@settings(max_examples=100)
def test_affine_forms_equal_their_expressions(
    expression: Expression, first: dict[JointPosition, float], second: dict[JointPosition, float]
) -> None:
    linear = affine_form(expression)
    assume(linear is not None)
    assert linear is not None
    size = abs(linear.constant) + sum(map(abs, linear.coefficients.values()))
    assume(size < 1e6)
    for positions in (first, second):
        expected = linear.constant + sum(factor * positions[source] for source, factor in linear.coefficients.items())
        assert evaluate(expression, positions) == pytest.approx(expected, rel=1e-9, abs=1e-9 * (1.0 + size))


@pytest.mark.parametrize(
    ("expression", "constant", "coefficients"),
    [
        (line(A, 0.5, 0.1), 0.1, {A: 0.5}),
        (of("negate", of("subtract", A, of("divide", B, 4.0))), 0.0, {A: -1.0, B: 0.25}),
        (of("multiply", of("sine", 0.0), 3.0), 0.0, {}),
        (of("multiply", 2.0, of("add", A, C), of("cosine", 0.0)), 0.0, {A: 2.0, C: 2.0}),
        (of("subtract", A, A), 0.0, {}),
        (of("power", A, 1.0), 0.0, {A: 1.0}),
        (of("root", A, of("add", 1.0, 0.0)), 0.0, {A: 1.0}),
        (of("choose", of("less", 1.0, 2.0), A, of("sine", A)), 0.0, {A: 1.0}),
        (number(4.0), 4.0, {}),
    ],
)
def test_affine_expressions(expression: Expression, constant: float, coefficients: dict[JointPosition, float]) -> None:
    linear = affine_form(expression)
    assert linear is not None
    assert linear.constant == constant
    assert linear.coefficients == coefficients


@pytest.mark.parametrize(
    "expression",
    [
        of("sine", A),
        of("multiply", A, B),
        of("divide", 1.0, A),
        of("divide", A, 0.0),
        of("power", A, 2.0),
        of("choose", A, A, B),
        of("minimum", A, 1.0),
        of("add", A, of("natural_logarithm", -1.0)),
        of("multiply", A, 1e300, 1e300),
    ],
)
def test_expressions_that_are_not_affine(expression: Expression) -> None:
    assert affine_form(expression) is None


# As people write them


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (line(A, 0.33, 0.87), "0.33 * a + 0.87"),
        (of("subtract", A, of("subtract", B, 1.0)), "a - (b - 1)"),
        (of("multiply", 2.0, of("add", A, B)), "2 * (a + b)"),
        (of("power", of("negate", A), 2.0), "(-a) ^ 2"),
        (of("negate", of("power", A, 2.0)), "-a ^ 2"),
        (of("power", of("power", A, 2.0), 3.0), "(a ^ 2) ^ 3"),
        (of("add", A, -1.0), "a + -1"),
        (of("sine", of("divide", C, 2.0)), "sin(c[1] / 2)"),
        (of("choose", of("less", A, 1.0), A, of("not", B)), "choose((a < 1), a, not(b))"),
        (of("divide", A, of("multiply", B, C)), "a / (b * c[1])"),
    ],
)
def test_text(expression: Expression, text: str) -> None:
    assert formula_text(expression) == text


def test_an_operation_needs_its_operands() -> None:
    for name, count in (("divide", 1), ("sine", 2), ("choose", 2), ("add", 0)):
        with pytest.raises(ValueError, match="operands"):
            of(name, *[A] * count)
