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


def applied(operator: Operator, *operands: Expression | float) -> Operation:
    """Return an operation on operands, which may be floats."""
    as_expressions = [operand if not isinstance(operand, float) else Number(value=operand) for operand in operands]
    return Operation(operator=operator, operands=tuple(as_expressions))


UNDEFINED = applied(Operator.DIVIDE, 0.0, 0.0)
"""An expression whose value is NaN."""


def _direct(operator: Operator, least: int, most: int | None = None) -> MathmlOperator:
    return MathmlOperator(least=least, most=most or least, build=lambda *operands: applied(operator, *operands))


def _variadic(operator: Operator) -> MathmlOperator:
    return _direct(operator, 1, LARGEST_FORMULA)


def _derived(count: int, build: Callable[..., Expression]) -> MathmlOperator:
    return MathmlOperator(least=count, most=count, build=build)


def _of_reciprocal(operator: Operator) -> MathmlOperator:
    """Return a function of the reciprocal: arcsec is arccos of 1 / x."""
    return _derived(1, lambda x: applied(operator, applied(Operator.DIVIDE, 1.0, x)))


def _reciprocal_of(operator: Operator) -> MathmlOperator:
    """Return the reciprocal of a function: sec is 1 / cos."""
    return _derived(1, lambda x: applied(Operator.DIVIDE, 1.0, applied(operator, x)))


def _minus(*operands: Expression) -> Expression:
    return applied(Operator.NEGATE if len(operands) == 1 else Operator.SUBTRACT, *operands)


def _relation(operator: Operator) -> MathmlOperator:
    """Return a comparison, which with more than two operands applies to all adjacent pairs."""

    def build(*operands: Expression) -> Expression:
        links = [applied(operator, first, second) for first, second in pairwise(operands)]
        return links[0] if len(links) == 1 else applied(Operator.AND, *links)

    return MathmlOperator(least=2, most=LARGEST_FORMULA, build=build)


def _exclusive_or(first: Expression, *others: Expression) -> Expression:
    result = first
    for other in others:
        result = applied(Operator.NOT_EQUAL, applied(Operator.NOT, result), applied(Operator.NOT, other))
    return result


def _in_range(x: Expression, lower: Expression, upper: Expression) -> Expression:
    return applied(Operator.AND, applied(Operator.GREATER_OR_EQUAL, x, lower), applied(Operator.LESS_OR_EQUAL, x, upper))


def _angle_of_sides(a: Expression, b: Expression, c: Expression) -> Expression:
    """Return the angle opposite the first side, by the half-angle formula, which is also accurate for degenerate triangles."""
    add, subtract, multiply = Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY
    opposite = applied(multiply, applied(subtract, applied(add, a, b), c), applied(subtract, applied(add, a, c), b))
    adjacent = applied(multiply, applied(add, a, b, c), applied(subtract, applied(add, b, c), a))
    half = applied(Operator.ARC_TANGENT_2, applied(Operator.ROOT, opposite, 2.0), applied(Operator.ROOT, adjacent, 2.0))
    return applied(multiply, 2.0, half)


def _angle_between_sides(a: Expression, angle: Expression, b: Expression) -> Expression:
    """Return the angle opposite the first of two sides that enclose an angle."""
    height = applied(Operator.MULTIPLY, a, applied(Operator.SINE, angle))
    foot = applied(Operator.MULTIPLY, a, applied(Operator.COSINE, angle))
    return applied(Operator.ARC_TANGENT_2, height, applied(Operator.SUBTRACT, b, foot))


def _side_opposite(a: Expression, angle: Expression, b: Expression) -> Expression:
    """Return the side opposite the angle that two sides enclose."""
    squares = applied(Operator.ADD, applied(Operator.POWER, a, 2.0), applied(Operator.POWER, b, 2.0))
    less = applied(Operator.MULTIPLY, 2.0, a, b, applied(Operator.COSINE, angle))
    return applied(Operator.ROOT, applied(Operator.SUBTRACT, squares, less), 2.0)


OPERATIONS: Mapping[str, MathmlOperator] = {
    "plus": _variadic(Operator.ADD),
    "minus": MathmlOperator(least=1, most=2, build=_minus),
    "times": _variadic(Operator.MULTIPLY),
    "divide": _direct(Operator.DIVIDE, 2),
    "power": _direct(Operator.POWER, 2),
    "root": _direct(Operator.ROOT, 2),
    "rem": _direct(Operator.REMAINDER, 2),
    "quotient": _direct(Operator.QUOTIENT, 2),
    "floor": _direct(Operator.FLOOR, 1),
    "ceiling": _direct(Operator.CEILING, 1),
    "abs": _direct(Operator.ABSOLUTE, 1),
    "min": _variadic(Operator.MINIMUM),
    "max": _variadic(Operator.MAXIMUM),
    "exp": _direct(Operator.EXPONENTIAL, 1),
    "ln": _direct(Operator.NATURAL_LOGARITHM, 1),
    "log": _direct(Operator.LOGARITHM, 2),
    "sin": _direct(Operator.SINE, 1),
    "cos": _direct(Operator.COSINE, 1),
    "tan": _direct(Operator.TANGENT, 1),
    "sec": _reciprocal_of(Operator.COSINE),
    "csc": _reciprocal_of(Operator.SINE),
    "cot": _derived(1, lambda x: applied(Operator.DIVIDE, applied(Operator.COSINE, x), applied(Operator.SINE, x))),
    "arcsin": _direct(Operator.ARC_SINE, 1),
    "arccos": _direct(Operator.ARC_COSINE, 1),
    "arctan": _direct(Operator.ARC_TANGENT, 1),
    "arcsec": _of_reciprocal(Operator.ARC_COSINE),
    "arccsc": _of_reciprocal(Operator.ARC_SINE),
    "arccot": _of_reciprocal(Operator.ARC_TANGENT),
    "sinh": _direct(Operator.HYPERBOLIC_SINE, 1),
    "cosh": _direct(Operator.HYPERBOLIC_COSINE, 1),
    "tanh": _direct(Operator.HYPERBOLIC_TANGENT, 1),
    "sech": _reciprocal_of(Operator.HYPERBOLIC_COSINE),
    "csch": _reciprocal_of(Operator.HYPERBOLIC_SINE),
    "coth": _reciprocal_of(Operator.HYPERBOLIC_TANGENT),
    "arcsinh": _direct(Operator.ARC_HYPERBOLIC_SINE, 1),
    "arccosh": _direct(Operator.ARC_HYPERBOLIC_COSINE, 1),
    "arctanh": _direct(Operator.ARC_HYPERBOLIC_TANGENT, 1),
    "arcsech": _of_reciprocal(Operator.ARC_HYPERBOLIC_COSINE),
    "arccsch": _of_reciprocal(Operator.ARC_HYPERBOLIC_SINE),
    "arccoth": _of_reciprocal(Operator.ARC_HYPERBOLIC_TANGENT),
    "eq": _relation(Operator.EQUAL),
    "neq": _direct(Operator.NOT_EQUAL, 2),
    "gt": _relation(Operator.GREATER),
    "geq": _relation(Operator.GREATER_OR_EQUAL),
    "lt": _relation(Operator.LESS),
    "leq": _relation(Operator.LESS_OR_EQUAL),
    "and": _variadic(Operator.AND),
    "or": _variadic(Operator.OR),
    "not": _direct(Operator.NOT, 1),
    "xor": MathmlOperator(least=2, most=LARGEST_FORMULA, build=_exclusive_or),
    "implies": _derived(2, lambda a, b: applied(Operator.OR, applied(Operator.NOT, a), b)),
    # Functions that OpenRAVE and programs that write for it use in addition.
    "atan2": _direct(Operator.ARC_TANGENT_2, 2),
    "INRANGE": _derived(3, _in_range),
    "SSSA": _derived(3, _angle_of_sides),
    "SASA": _derived(3, _angle_between_sides),
    "SASS": _derived(3, _side_opposite),
    "sqrt": _derived(1, lambda x: applied(Operator.ROOT, x, 2.0)),
    "cbrt": _derived(1, lambda x: applied(Operator.ROOT, x, 3.0)),
    "pow": _direct(Operator.POWER, 2),
    "ceil": _direct(Operator.CEILING, 1),
    "log2": _derived(1, lambda x: applied(Operator.LOGARITHM, x, 2.0)),
    "log10": _derived(1, lambda x: applied(Operator.LOGARITHM, x, 10.0)),
    "asin": _direct(Operator.ARC_SINE, 1),
    "acos": _direct(Operator.ARC_COSINE, 1),
    "atan": _direct(Operator.ARC_TANGENT, 1),
    "asinh": _direct(Operator.ARC_HYPERBOLIC_SINE, 1),
    "acosh": _direct(Operator.ARC_HYPERBOLIC_COSINE, 1),
    "atanh": _direct(Operator.ARC_HYPERBOLIC_TANGENT, 1),
}
"""The operators, by the tag of their element or the name of their symbol."""
