"""Expressions of sweeps, against Python's own arithmetic."""

from __future__ import annotations

import ast
import math
from types import CodeType

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ossature.sweeps.parse_expression import ExpressionError, parse_expression, require_variables, value_of, variables_of

NUMBERS = st.floats(-3.0, 3.0).map(lambda value: f"{value!r}")
TEXTS = st.recursive(
    NUMBERS | st.sampled_from(["k", "d"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" + ", " - ", " * ", " / ", " < ", " >= "]), inner).map(lambda p: f"({''.join(p)})"),
        st.tuples(st.sampled_from(["abs", "sin", "cos", "exp", "-", "+"]), inner).map(lambda p: f"{p[0]}({p[1]})"),
        st.tuples(st.sampled_from(["min", "max", "atan2"]), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
    ),
    max_leaves=12,
)
PYTHON = {name: getattr(math, name) for name in ("sin", "cos", "exp", "atan2")} | {"abs": abs, "min": min, "max": max}


class _NumbersForBooleans(ast.NodeTransformer):
    """Makes comparisons numbers, as ours are: the negative of 0.0 is -0.0, that of False is 0."""

    def visit_Compare(self, node: ast.Compare) -> ast.BinOp:  # the name of the base class
        return ast.BinOp(ast.Constant(1.0), ast.Mult(), self.generic_visit(node))  # type: ignore[arg-type]  # an expression


def _with_numbers_for_booleans(text: str) -> CodeType:
    tree = _NumbersForBooleans().visit(ast.parse(text, mode="eval"))
    return compile(ast.fix_missing_locations(tree), "expression", "eval")


@example("atan2(0.0, -((0.0 < 0.0)))", 0.0, 0.0)
@settings(max_examples=200, deadline=None)
@given(TEXTS, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_values_are_those_of_python(text: str, k: float, d: float) -> None:
    try:
        expected = float(eval(_with_numbers_for_booleans(text), {"__builtins__": {}}, PYTHON | {"k": k, "d": d}))  # noqa: S307
    except (ZeroDivisionError, OverflowError):
        return
    found = value_of(parse_expression(text), {"k": k, "d": d})
    if math.isfinite(expected):
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    else:
        assert math.isnan(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 ** 3 ** 0.5", 2**3**0.5),
        ("1 < k < 3", 1.0),
        ("3 < k < 5", 0.0),
        ("k > 1 and not (k > 3) or false", 1.0),
        ("sqrt(k * 8)", 4.0),
        ("choose(k > 1, 10, 20)", 10.0),
        ("2 * pi", 2 * math.pi),
        ("log(exp(k))", 2.0),
    ],
)
def test_operators(text: str, expected: float) -> None:
    assert value_of(parse_expression(text), {"k": 2.0}) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("text", ["1 / 0", "log(-1)", "sqrt(0 - 1)", "1e308 * 10"])
def test_undefined_values_are_not_numbers(text: str) -> None:
    assert math.isnan(value_of(parse_expression(text), {}))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "__import__('os').system('true')",
            "k.real",
            "[1, 2]",
            "k if d else 1",
            "lambda: 1",
            "(k := 1)",
            "k[0]",
            "'a'",
            "f'{k}'",
        ),
        *("1 +", "", "k is d", "k in d", "sin(x=1)", "eval(1)", "min()", "sin(1, 2)", "*k", "1j", "10**400 if 1 else 0"),
        *("k ^ 2", "k % 2", "k // 2", "~k", "(" * 300 + "k" + ")" * 300, "-" * 100 + "k", "1" * 3000, "1" + "0" * 400),
    ],
)
def test_everything_else_is_rejected(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_expression(text)


def test_unknown_names_are_answered_with_the_nearest_one() -> None:
    expression = parse_expression("2 * stifness + sin(damping)")
    assert variables_of(expression) == ["stifness", "damping"]
    with pytest.raises(ExpressionError, match="unknown name 'stifness': did you mean 'stiffness'"):
        require_variables(expression, ["stiffness", "damping"])


@pytest.mark.parametrize("text", ["a" + ".a" * 990, "a" + "[0]" * 600, "a" + "()" * 900, "-" * 1990 + "1"])
def test_deep_expressions_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"not allowed in an expression|nested at most"):
        parse_expression(text)


@pytest.mark.parametrize("text", ["9 ** 9 ** 9 ** 9", "9.0 ** 1e308", "10 ** 400"])
def test_large_powers_take_no_time(text: str) -> None:
    assert math.isnan(value_of(parse_expression(text), {}))
