"""Formulas as people write them, for messages and listings."""

from __future__ import annotations

from collections.abc import Mapping

from ossature.model.expression import Expression, JointPosition, Number, Operation, Operator, fold_expression

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
"""Precedence of operators."""

_INFIX: Mapping[Operator, tuple[str, int]] = {
    Operator.ADD: (" + ", _SUM),
    Operator.SUBTRACT: (" - ", _SUM),
    Operator.MULTIPLY: (" * ", _PRODUCT),
    Operator.DIVIDE: (" / ", _PRODUCT),
    Operator.POWER: (" ^ ", _POWER),
}

_SYMBOLS: Mapping[Operator, str] = {
    Operator.EQUAL: " = ",
    Operator.NOT_EQUAL: " != ",
    Operator.GREATER: " > ",
    Operator.GREATER_OR_EQUAL: " >= ",
    Operator.LESS: " < ",
    Operator.LESS_OR_EQUAL: " <= ",
    Operator.AND: " and ",
    Operator.OR: " or ",
}

FUNCTION_NAMES: Mapping[Operator, str] = {
    Operator.ROOT: "root",
    Operator.REMAINDER: "rem",
    Operator.QUOTIENT: "quotient",
    Operator.FLOOR: "floor",
    Operator.CEILING: "ceiling",
    Operator.ABSOLUTE: "abs",
    Operator.MINIMUM: "min",
    Operator.MAXIMUM: "max",
    Operator.EXPONENTIAL: "exp",
    Operator.NATURAL_LOGARITHM: "ln",
    Operator.LOGARITHM: "log",
    Operator.SINE: "sin",
    Operator.COSINE: "cos",
    Operator.TANGENT: "tan",
    Operator.ARC_SINE: "arcsin",
    Operator.ARC_COSINE: "arccos",
    Operator.ARC_TANGENT: "arctan",
    Operator.ARC_TANGENT_2: "atan2",
    Operator.HYPERBOLIC_SINE: "sinh",
    Operator.HYPERBOLIC_COSINE: "cosh",
    Operator.HYPERBOLIC_TANGENT: "tanh",
    Operator.ARC_HYPERBOLIC_SINE: "arcsinh",
    Operator.ARC_HYPERBOLIC_COSINE: "arccosh",
    Operator.ARC_HYPERBOLIC_TANGENT: "arctanh",
    Operator.NOT: "not",
    Operator.CHOOSE: "choose",
}
"""Names of the operators that are written as functions; those of one operand, roots and logarithms as in MathML."""


def formula_text(expression: Expression) -> str:
    """Return an expression as people write it: ``0.33 * joint0 + 0.87``."""
    return fold_expression(expression, _leaf_text, _operation_text)[0]


def _leaf_text(part: Number | JointPosition) -> tuple[str, int]:
    if isinstance(part, JointPosition):
        return position_text(part), _ATOM
    text = repr(float(part.value)).removesuffix(".0")
    return text, _SIGN if text.startswith("-") else _ATOM


def position_text(position: JointPosition) -> str:
    """Return how to call a coordinate in a message: ``elbow``, or ``wrist[1]`` for another one than the first."""
    return position.joint if position.coordinate == 0 else f"{position.joint}[{position.coordinate}]"


def _operation_text(operation: Operation, operands: list[tuple[str, int]]) -> tuple[str, int]:
    operator = operation.operator
    if operator is Operator.NEGATE:
        return "-" + _within(operands[0], _POWER), _SIGN
    if operator in _SYMBOLS:
        return "(" + _SYMBOLS[operator].join([text for text, _ in operands]) + ")", _ATOM
    if operator in FUNCTION_NAMES:
        return f"{FUNCTION_NAMES[operator]}(" + ", ".join([text for text, _ in operands]) + ")", _ATOM
    symbol, strength = _INFIX[operator]
    # Operands of a sign and of a power keep their brackets: a - (b - c), (a ^ b) ^ c.
    first = strength + 1 if operator is Operator.POWER else strength
    inner = [_within(operand, first if place == 0 else strength + 1) for place, operand in enumerate(operands)]
    return symbol.join(inner), strength if len(operands) > 1 else operands[0][1]


def _within(operand: tuple[str, int], strength: int) -> str:
    """Return the text of an operand, in brackets if its precedence is lower than required."""
    text, own = operand
    return text if own >= strength else f"({text})"
