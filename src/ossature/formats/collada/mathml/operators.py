"""What may be applied in MathML, and what it means in operators of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ossature.model import Expression, Number, Operation, Operator

LARGEST_FORMULA = 10_000
"""Parts of the largest formula that is read, with the functions that it calls written out."""

QUALIFIED: Mapping[str, str] = {"root": "degree", "log": "logbase"}
"""Operations whose second operand stands in an element of its own, and which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MathmlOperator:
    """How something is applied: to how many operands, and what comes of it."""

    least: int
    most: int
    build: Callable[..., Expression]

    @property
    def operand_count(self) -> str:
        """How many operands there should be."""
        if self.most >= LARGEST_FORMULA:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} or {self.most}"


def applied(operator: Operator, *operands: Expression | float) -> Operation:
    """Return an operation on operands, of which numbers may be plain ones."""
    as_expressions = [operand if not isinstance(operand, float) else Number(value=operand) for operand in operands]
    return Operation(operator=operator, operands=tuple(as_expressions))


UNDEFINED = applied(Operator.DIVIDE, 0.0, 0.0)
"""What has no value."""


def _plainly(operator: Operator, least: int, most: int | None = None) -> MathmlOperator:
    return MathmlOperator(least=least, most=most or least, build=lambda *operands: applied(operator, *operands))


def _any(operator: Operator) -> MathmlOperator:
    return _plainly(operator, 1, LARGEST_FORMULA)


def _by(count: int, build: Callable[..., Expression]) -> MathmlOperator:
    return MathmlOperator(least=count, most=count, build=build)


def _inverted(operator: Operator) -> MathmlOperator:
    """Return a function of the reciprocal: arcsec is arccos of 1 / x."""
    return _by(1, lambda x: applied(operator, applied(Operator.DIVIDE, 1.0, x)))


def _reciprocal(operator: Operator) -> MathmlOperator:
    """Return the reciprocal of a function: sec is 1 / cos."""
    return _by(1, lambda x: applied(Operator.DIVIDE, 1.0, applied(operator, x)))


def _minus(*operands: Expression) -> Expression:
    return applied(Operator.NEGATE if len(operands) == 1 else Operator.SUBTRACT, *operands)


def _relation(operator: Operator) -> MathmlOperator:
    """Return a comparison, which holds for all neighbours where there are more than two."""

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
    """Return the angle opposite the first side: by the tangent of its half, which is exact for flat triangles too."""
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
    "plus": _any(Operator.ADD),
    "minus": MathmlOperator(least=1, most=2, build=_minus),
    "times": _any(Operator.MULTIPLY),
    "divide": _plainly(Operator.DIVIDE, 2),
    "power": _plainly(Operator.POWER, 2),
    "root": _plainly(Operator.ROOT, 2),
    "rem": _plainly(Operator.REMAINDER, 2),
    "quotient": _plainly(Operator.QUOTIENT, 2),
    "floor": _plainly(Operator.FLOOR, 1),
    "ceiling": _plainly(Operator.CEILING, 1),
    "abs": _plainly(Operator.ABSOLUTE, 1),
    "min": _any(Operator.MINIMUM),
    "max": _any(Operator.MAXIMUM),
    "exp": _plainly(Operator.EXPONENTIAL, 1),
    "ln": _plainly(Operator.NATURAL_LOGARITHM, 1),
    "log": _plainly(Operator.LOGARITHM, 2),
    "sin": _plainly(Operator.SINE, 1),
    "cos": _plainly(Operator.COSINE, 1),
    "tan": _plainly(Operator.TANGENT, 1),
    "sec": _reciprocal(Operator.COSINE),
    "csc": _reciprocal(Operator.SINE),
    "cot": _by(1, lambda x: applied(Operator.DIVIDE, applied(Operator.COSINE, x), applied(Operator.SINE, x))),
    "arcsin": _plainly(Operator.ARC_SINE, 1),
    "arccos": _plainly(Operator.ARC_COSINE, 1),
    "arctan": _plainly(Operator.ARC_TANGENT, 1),
    "arcsec": _inverted(Operator.ARC_COSINE),
    "arccsc": _inverted(Operator.ARC_SINE),
    "arccot": _inverted(Operator.ARC_TANGENT),
    "sinh": _plainly(Operator.HYPERBOLIC_SINE, 1),
    "cosh": _plainly(Operator.HYPERBOLIC_COSINE, 1),
    "tanh": _plainly(Operator.HYPERBOLIC_TANGENT, 1),
    "sech": _reciprocal(Operator.HYPERBOLIC_COSINE),
    "csch": _reciprocal(Operator.HYPERBOLIC_SINE),
    "coth": _reciprocal(Operator.HYPERBOLIC_TANGENT),
    "arcsinh": _plainly(Operator.ARC_HYPERBOLIC_SINE, 1),
    "arccosh": _plainly(Operator.ARC_HYPERBOLIC_COSINE, 1),
    "arctanh": _plainly(Operator.ARC_HYPERBOLIC_TANGENT, 1),
    "arcsech": _inverted(Operator.ARC_HYPERBOLIC_COSINE),
    "arccsch": _inverted(Operator.ARC_HYPERBOLIC_SINE),
    "arccoth": _inverted(Operator.ARC_HYPERBOLIC_TANGENT),
    "eq": _relation(Operator.EQUAL),
    "neq": _plainly(Operator.NOT_EQUAL, 2),
    "gt": _relation(Operator.GREATER),
    "geq": _relation(Operator.GREATER_OR_EQUAL),
    "lt": _relation(Operator.LESS),
    "leq": _relation(Operator.LESS_OR_EQUAL),
    "and": _any(Operator.AND),
    "or": _any(Operator.OR),
    "not": _plainly(Operator.NOT, 1),
    "xor": MathmlOperator(least=2, most=LARGEST_FORMULA, build=_exclusive_or),
    "implies": _by(2, lambda a, b: applied(Operator.OR, applied(Operator.NOT, a), b)),
    # Functions that OpenRAVE and the programs that write for it know besides.
    "atan2": _plainly(Operator.ARC_TANGENT_2, 2),
    "INRANGE": _by(3, _in_range),
    "SSSA": _by(3, _angle_of_sides),
    "SASA": _by(3, _angle_between_sides),
    "SASS": _by(3, _side_opposite),
    "sqrt": _by(1, lambda x: applied(Operator.ROOT, x, 2.0)),
    "cbrt": _by(1, lambda x: applied(Operator.ROOT, x, 3.0)),
    "pow": _plainly(Operator.POWER, 2),
    "ceil": _plainly(Operator.CEILING, 1),
    "log2": _by(1, lambda x: applied(Operator.LOGARITHM, x, 2.0)),
    "log10": _by(1, lambda x: applied(Operator.LOGARITHM, x, 10.0)),
    "asin": _plainly(Operator.ARC_SINE, 1),
    "acos": _plainly(Operator.ARC_COSINE, 1),
    "atan": _plainly(Operator.ARC_TANGENT, 1),
    "asinh": _plainly(Operator.ARC_HYPERBOLIC_SINE, 1),
    "acosh": _plainly(Operator.ARC_HYPERBOLIC_COSINE, 1),
    "atanh": _plainly(Operator.ARC_HYPERBOLIC_TANGENT, 1),
}
"""What may be applied, by the name of its element or of its symbol."""
