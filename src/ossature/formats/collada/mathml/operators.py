"""Operators of MathML, as expressions of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ossature.model import Expression, Number, Operation, Operator

LARGEST_FORMULA = 10_000
"""Maximum number of nodes of a formula after expansion of the functions that it calls."""

QUALIFIED: Mapping[str, str] = {"root": "degree", "log": "logbase"}
"""Operators whose second operand is in a qualifier element, and its tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MathmlOperator:
    """An operator: the permitted number of operands, and the expression that it becomes."""

    least: int
    most: int
    build: Callable[..., Expression]

    @property
    def operand_count(self) -> str:
        """The permitted number of operands, for messages."""
        if self.most >= LARGEST_FORMULA:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} or {self.most}"


def make_operation(operator: Operator, *operands: Expression | float) -> Operation:
    """Return an operation on operands, which may be floats."""
    as_expressions = [operand if not isinstance(operand, float) else Number(value=operand) for operand in operands]
    return Operation(operator=operator, operands=tuple(as_expressions))


UNDEFINED = make_operation(Operator.DIVIDE, 0.0, 0.0)
"""An expression whose value is NaN."""


def _direct_operator(operator: Operator, least: int, most: int | None = None) -> MathmlOperator:
    return MathmlOperator(least=least, most=most or least, build=lambda *operands: make_operation(operator, *operands))


def _variadic_operator(operator: Operator) -> MathmlOperator:
    return _direct_operator(operator, 1, LARGEST_FORMULA)


def _derived_operator(count: int, build: Callable[..., Expression]) -> MathmlOperator:
    return MathmlOperator(least=count, most=count, build=build)


def _function_of_reciprocal(operator: Operator) -> MathmlOperator:
    """Return a function of the reciprocal: arcsec is arccos of 1 / x."""
    return _derived_operator(1, lambda x: make_operation(operator, make_operation(Operator.DIVIDE, 1.0, x)))


def _reciprocal_of_function(operator: Operator) -> MathmlOperator:
    """Return the reciprocal of a function: sec is 1 / cos."""
    return _derived_operator(1, lambda x: make_operation(Operator.DIVIDE, 1.0, make_operation(operator, x)))


def _negate_or_subtract(*operands: Expression) -> Expression:
    return make_operation(Operator.NEGATE if len(operands) == 1 else Operator.SUBTRACT, *operands)


def _chained_comparison(operator: Operator) -> MathmlOperator:
    """Return a comparison, which with more than two operands applies to all adjacent pairs."""

    def build(*operands: Expression) -> Expression:
        links = [make_operation(operator, first, second) for first, second in pairwise(operands)]
        return links[0] if len(links) == 1 else make_operation(Operator.AND, *links)

    return MathmlOperator(least=2, most=LARGEST_FORMULA, build=build)


def _exclusive_or(first: Expression, *others: Expression) -> Expression:
    result = first
    for other in others:
        result = make_operation(Operator.NOT_EQUAL, make_operation(Operator.NOT, result), make_operation(Operator.NOT, other))
    return result


def _range_condition(x: Expression, lower: Expression, upper: Expression) -> Expression:
    return make_operation(
        Operator.AND, make_operation(Operator.GREATER_OR_EQUAL, x, lower), make_operation(Operator.LESS_OR_EQUAL, x, upper)
    )


def _angle_of_sides(a: Expression, b: Expression, c: Expression) -> Expression:
    """Return the angle opposite the first side, by the half-angle formula, which is also accurate for degenerate triangles."""
    add, subtract, multiply = Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY
    opposite = make_operation(
        multiply, make_operation(subtract, make_operation(add, a, b), c), make_operation(subtract, make_operation(add, a, c), b)
    )
    adjacent = make_operation(multiply, make_operation(add, a, b, c), make_operation(subtract, make_operation(add, b, c), a))
    half = make_operation(
        Operator.ARC_TANGENT_2, make_operation(Operator.ROOT, opposite, 2.0), make_operation(Operator.ROOT, adjacent, 2.0)
    )
    return make_operation(multiply, 2.0, half)


def _angle_between_sides(a: Expression, angle: Expression, b: Expression) -> Expression:
    """Return the angle opposite the first of two sides that enclose an angle."""
    height = make_operation(Operator.MULTIPLY, a, make_operation(Operator.SINE, angle))
    foot = make_operation(Operator.MULTIPLY, a, make_operation(Operator.COSINE, angle))
    return make_operation(Operator.ARC_TANGENT_2, height, make_operation(Operator.SUBTRACT, b, foot))


def _side_opposite(a: Expression, angle: Expression, b: Expression) -> Expression:
    """Return the side opposite the angle that two sides enclose."""
    squares = make_operation(Operator.ADD, make_operation(Operator.POWER, a, 2.0), make_operation(Operator.POWER, b, 2.0))
    less = make_operation(Operator.MULTIPLY, 2.0, a, b, make_operation(Operator.COSINE, angle))
    return make_operation(Operator.ROOT, make_operation(Operator.SUBTRACT, squares, less), 2.0)


OPERATIONS: Mapping[str, MathmlOperator] = {
    "plus": _variadic_operator(Operator.ADD),
    "minus": MathmlOperator(least=1, most=2, build=_negate_or_subtract),
    "times": _variadic_operator(Operator.MULTIPLY),
    "divide": _direct_operator(Operator.DIVIDE, 2),
    "power": _direct_operator(Operator.POWER, 2),
    "root": _direct_operator(Operator.ROOT, 2),
    "rem": _direct_operator(Operator.REMAINDER, 2),
    "quotient": _direct_operator(Operator.QUOTIENT, 2),
    "floor": _direct_operator(Operator.FLOOR, 1),
    "ceiling": _direct_operator(Operator.CEILING, 1),
    "abs": _direct_operator(Operator.ABSOLUTE, 1),
    "min": _variadic_operator(Operator.MINIMUM),
    "max": _variadic_operator(Operator.MAXIMUM),
    "exp": _direct_operator(Operator.EXPONENTIAL, 1),
    "ln": _direct_operator(Operator.NATURAL_LOGARITHM, 1),
    "log": _direct_operator(Operator.LOGARITHM, 2),
    "sin": _direct_operator(Operator.SINE, 1),
    "cos": _direct_operator(Operator.COSINE, 1),
    "tan": _direct_operator(Operator.TANGENT, 1),
    "sec": _reciprocal_of_function(Operator.COSINE),
    "csc": _reciprocal_of_function(Operator.SINE),
    "cot": _derived_operator(
        1, lambda x: make_operation(Operator.DIVIDE, make_operation(Operator.COSINE, x), make_operation(Operator.SINE, x))
    ),
    "arcsin": _direct_operator(Operator.ARC_SINE, 1),
    "arccos": _direct_operator(Operator.ARC_COSINE, 1),
    "arctan": _direct_operator(Operator.ARC_TANGENT, 1),
    "arcsec": _function_of_reciprocal(Operator.ARC_COSINE),
    "arccsc": _function_of_reciprocal(Operator.ARC_SINE),
    "arccot": _function_of_reciprocal(Operator.ARC_TANGENT),
    "sinh": _direct_operator(Operator.HYPERBOLIC_SINE, 1),
    "cosh": _direct_operator(Operator.HYPERBOLIC_COSINE, 1),
    "tanh": _direct_operator(Operator.HYPERBOLIC_TANGENT, 1),
    "sech": _reciprocal_of_function(Operator.HYPERBOLIC_COSINE),
    "csch": _reciprocal_of_function(Operator.HYPERBOLIC_SINE),
    "coth": _reciprocal_of_function(Operator.HYPERBOLIC_TANGENT),
    "arcsinh": _direct_operator(Operator.ARC_HYPERBOLIC_SINE, 1),
    "arccosh": _direct_operator(Operator.ARC_HYPERBOLIC_COSINE, 1),
    "arctanh": _direct_operator(Operator.ARC_HYPERBOLIC_TANGENT, 1),
    "arcsech": _function_of_reciprocal(Operator.ARC_HYPERBOLIC_COSINE),
    "arccsch": _function_of_reciprocal(Operator.ARC_HYPERBOLIC_SINE),
    "arccoth": _function_of_reciprocal(Operator.ARC_HYPERBOLIC_TANGENT),
    "eq": _chained_comparison(Operator.EQUAL),
    "neq": _direct_operator(Operator.NOT_EQUAL, 2),
    "gt": _chained_comparison(Operator.GREATER),
    "geq": _chained_comparison(Operator.GREATER_OR_EQUAL),
    "lt": _chained_comparison(Operator.LESS),
    "leq": _chained_comparison(Operator.LESS_OR_EQUAL),
    "and": _variadic_operator(Operator.AND),
    "or": _variadic_operator(Operator.OR),
    "not": _direct_operator(Operator.NOT, 1),
    "xor": MathmlOperator(least=2, most=LARGEST_FORMULA, build=_exclusive_or),
    "implies": _derived_operator(2, lambda a, b: make_operation(Operator.OR, make_operation(Operator.NOT, a), b)),
    # Functions that OpenRAVE and programs that write for it use in addition.
    "atan2": _direct_operator(Operator.ARC_TANGENT_2, 2),
    "INRANGE": _derived_operator(3, _range_condition),
    "SSSA": _derived_operator(3, _angle_of_sides),
    "SASA": _derived_operator(3, _angle_between_sides),
    "SASS": _derived_operator(3, _side_opposite),
    "sqrt": _derived_operator(1, lambda x: make_operation(Operator.ROOT, x, 2.0)),
    "cbrt": _derived_operator(1, lambda x: make_operation(Operator.ROOT, x, 3.0)),
    "pow": _direct_operator(Operator.POWER, 2),
    "ceil": _direct_operator(Operator.CEILING, 1),
    "log2": _derived_operator(1, lambda x: make_operation(Operator.LOGARITHM, x, 2.0)),
    "log10": _derived_operator(1, lambda x: make_operation(Operator.LOGARITHM, x, 10.0)),
    "asin": _direct_operator(Operator.ARC_SINE, 1),
    "acos": _direct_operator(Operator.ARC_COSINE, 1),
    "atan": _direct_operator(Operator.ARC_TANGENT, 1),
    "asinh": _direct_operator(Operator.ARC_HYPERBOLIC_SINE, 1),
    "acosh": _direct_operator(Operator.ARC_HYPERBOLIC_COSINE, 1),
    "atanh": _direct_operator(Operator.ARC_HYPERBOLIC_TANGENT, 1),
}
"""The operators, by the tag of their element or the name of their symbol."""
