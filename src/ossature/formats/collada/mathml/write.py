"""Expressions → MathML content markup."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ossature.formats.collada.mathml.operators import QUALIFIED
from ossature.model import Expression, JointPosition, Number, Operation, Operator, fold_expression
from ossature.model.format_expression import FUNCTION_NAMES
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

NAMESPACE = "http://www.w3.org/1998/Math/MathML"


def write_mathml(expression: Expression, name: Callable[[JointPosition], str]) -> XmlNode:
    """Return an expression as ``<math>``, bit-exact when it is read again.

    Args:
        name: Returns the SID path of a coordinate.
    """

    def leaf(part: Number | JointPosition) -> XmlNode:
        if isinstance(part, JointPosition):
            return element("csymbol", {"encoding": "COLLADA"}, name(part))
        return element("cn", text=format_number(part.value))

    root = element("math", {"xmlns": NAMESPACE})
    root.children = [fold_expression(expression, leaf, _operation_node)]
    return root


def _operation_node(operation: Operation, operands: list[XmlNode]) -> XmlNode:
    operator = operation.operator
    if operator is Operator.CHOOSE:
        condition, if_true, if_false = operands
        return _parent_node("piecewise", _parent_node("piece", if_true, condition), _parent_node("otherwise", if_false))
    if operator is Operator.ARC_TANGENT_2:
        head = element("csymbol", {"encoding": "text/xml", "definitionURL": "", "type": "function"}, "atan2")
        return _parent_node("apply", head, *operands)
    if operator in (Operator.ROOT, Operator.LOGARITHM):
        tag = _TAGS[operator]
        return _parent_node("apply", element(tag), _parent_node(QUALIFIED[tag], operands[1]), operands[0])
    return _parent_node("apply", element(_TAGS[operator]), *operands)


def _parent_node(tag: str, *children: XmlNode) -> XmlNode:
    node = element(tag)
    node.children = list(children)
    return node


_TAGS: Mapping[Operator, str] = {
    **FUNCTION_NAMES,
    Operator.ADD: "plus",
    Operator.SUBTRACT: "minus",
    Operator.NEGATE: "minus",
    Operator.MULTIPLY: "times",
    Operator.DIVIDE: "divide",
    Operator.POWER: "power",
    Operator.EQUAL: "eq",
    Operator.NOT_EQUAL: "neq",
    Operator.GREATER: "gt",
    Operator.GREATER_OR_EQUAL: "geq",
    Operator.LESS: "lt",
    Operator.LESS_OR_EQUAL: "leq",
    Operator.AND: "and",
    Operator.OR: "or",
}
