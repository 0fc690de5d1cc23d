"""Expressions as people write them (``2 * k + abs(d)``) → expressions of the model.

Only arithmetic, comparisons and the functions of :class:`ossature.model.Operator` exist: an expression runs no code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from ossature.diagnostics import OssatureError, suggestion
from ossature.kinematics.expression_evaluation import evaluate
from ossature.model import Expression, JointPosition, Number, Operation, Operator, sources_of

_LONGEST = 2000
"""Characters of an expression; its parser is recursive."""
_DEEPEST = 50
"""Nesting of an expression."""

_NAME = re.compile(r"[A-Za-z_]\w*")

_BINARY: Mapping[type[ast.operator], Operator] = {
    ast.Add: Operator.ADD,
    ast.Sub: Operator.SUBTRACT,
    ast.Mult: Operator.MULTIPLY,
    ast.Div: Operator.DIVIDE,
    ast.Pow: Operator.POWER,
}
_COMPARISONS: Mapping[type[ast.cmpop], Operator] = {
    ast.Eq: Operator.EQUAL,
    ast.NotEq: Operator.NOT_EQUAL,
    ast.Gt: Operator.GREATER,
    ast.GtE: Operator.GREATER_OR_EQUAL,
    ast.Lt: Operator.LESS,
    ast.LtE: Operator.LESS_OR_EQUAL,
}
_FUNCTIONS: Mapping[str, Operator] = {
    "abs": Operator.ABSOLUTE,
    "min": Operator.MINIMUM,
    "max": Operator.MAXIMUM,
    "floor": Operator.FLOOR,
    "ceil": Operator.CEILING,
    "exp": Operator.EXPONENTIAL,
    "log": Operator.NATURAL_LOGARITHM,
    "sin": Operator.SINE,
    "cos": Operator.COSINE,
    "tan": Operator.TANGENT,
    "asin": Operator.ARC_SINE,
    "acos": Operator.ARC_COSINE,
    "atan": Operator.ARC_TANGENT,
    "atan2": Operator.ARC_TANGENT_2,
    "sinh": Operator.HYPERBOLIC_SINE,
    "cosh": Operator.HYPERBOLIC_COSINE,
    "tanh": Operator.HYPERBOLIC_TANGENT,
    "choose": Operator.CHOOSE,
}
_CONSTANTS = {"pi": 3.141592653589793, "true": 1.0, "false": 0.0}


class ExpressionError(OssatureError, ValueError):
    """A text is not an expression, or names something that does not exist."""


def parse_expression(text: str) -> Expression:
    """Return the expression that a text states; its variables are positions of joints with their names.

    Raises:
        ExpressionError: It is not an expression, or it is too long or too deep.
    """
    if len(text) > _LONGEST:
        raise ExpressionError(f"an expression has at most {_LONGEST} characters")
    try:
        root = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"'{text[:80]}' is not an expression, such as 2 * k + abs(d)") from error
    return _convert(root, 0)


def variables_of(expression: Expression) -> list[str]:
    """Return the names of the variables of an expression."""
    return [source.joint for source in sources_of(expression)]


def value_of(expression: Expression, values: Mapping[str, Any]) -> float:
    """Return the value of an expression, NaN if it is undefined.

    Args:
        values: The values of its variables by name.
    """
    return float(evaluate(expression, {source: float(values[source.joint]) for source in sources_of(expression)}))


def require_variables(
    expression: Expression,
    known: Collection[str],
    suggest: Callable[[str, Iterable[str]], str | None] = suggestion,
) -> None:
    """Check that all variables of an expression exist.

    Raises:
        ExpressionError: A variable does not exist; the message names the nearest one.
    """
    for name in variables_of(expression):
        if name not in known:
            usable = (one for one in known if _NAME.fullmatch(one))  # others cannot occur in an expression
            raise ExpressionError(f"unknown name '{name}': {suggest(name, usable) or 'there are no names'}")


def _convert(node: ast.expr, depth: int) -> Expression:
    if depth > _DEEPEST:
        raise ExpressionError(f"an expression is nested at most {_DEEPEST} deep")
    match node:
        case ast.Constant(value=bool() | int() | float()):
            return Number(value=_number(node.value))
        case ast.Name(id=name):
            return Number(value=_CONSTANTS[name]) if name in _CONSTANTS else JointPosition(joint=name)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _convert(operand, depth + 1)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _operation(Operator.NEGATE, [operand], depth)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _operation(Operator.NOT, [operand], depth)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _operation(_BINARY[type(op)], [left, right], depth)
        case ast.BinOp(op=ast.BitXor()):
            raise ExpressionError("powers are written with '**', not '^'")
        case ast.BoolOp(op=op, values=values):
            return _operation(Operator.AND if isinstance(op, ast.And) else Operator.OR, values, depth)
        case ast.Compare():
            return _comparison(node, depth)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments, depth)
    raise ExpressionError(f"'{_source(node)[:80]}' is not allowed in an expression")


def _source(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except RecursionError:  # chains such as a.b.c are as deep as they are long
        return "this"


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise ExpressionError("a number is too large") from error


def _operation(operator: Operator, operands: list[ast.expr], depth: int) -> Operation:
    try:
        return Operation(operator=operator, operands=tuple([_convert(one, depth + 1) for one in operands]))
    except ExpressionError:
        raise
    except ValueError as error:
        raise ExpressionError(str(error)) from error


def _comparison(node: ast.Compare, depth: int) -> Expression:
    """Return a comparison; ``a < b < c`` means ``a < b and b < c``."""
    sides = [node.left, *node.comparators]
    unknown = [op for op in node.ops if type(op) not in _COMPARISONS]
    if unknown:
        raise ExpressionError("an expression compares with ==, !=, <, <=, > and >=")
    parts = [
        _operation(_COMPARISONS[type(op)], [first, second], depth)
        for first, op, second in zip(sides, node.ops, sides[1:], strict=False)
    ]
    return parts[0] if len(parts) == 1 else Operation(operator=Operator.AND, operands=tuple(parts))


def _call(name: str, arguments: list[ast.expr], depth: int) -> Expression:
    if name == "sqrt" and len(arguments) == 1:
        return Operation(operator=Operator.ROOT, operands=(_convert(arguments[0], depth + 1), Number(value=2.0)))
    if name not in _FUNCTIONS:
        raise ExpressionError(f"unknown function '{name}': {suggestion(name, [*_FUNCTIONS, 'sqrt'])}")
    return _operation(_FUNCTIONS[name], arguments, depth)
