"""Formulas in MathML content markup → expressions.

Elements may have a namespace prefix, and ``<math>`` around them is optional. Operators that the model lacks are composed of
others: ``sec`` as a ratio, ``xor`` as an inequality of Booleans, OpenRAVE's triangle functions by trigonometry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ossature.diagnostics import Location, Report
from ossature.formats.collada.mathml.operators import LARGEST_FORMULA, OPERATIONS, QUALIFIED, UNDEFINED, make_operation
from ossature.formats.collada.mathml.read_numbers import NUMBERS
from ossature.formats.collada.rules import MALFORMED_FORMULA, UNSUPPORTED_FORMULA
from ossature.model import Expression, Number, Operation, Operator
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import shown

DEEPEST_FORMULA = 200
"""Maximum nesting depth of the operations of a formula."""

DEEPEST_CALL = 50
"""Maximum depth of nested function calls."""

Resolve: TypeAlias = Callable[[str, Location], "Expression | None"]
"""Returns the coordinate or parameter that a symbol refers to, or None with a finding if it does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function that a file defines.

    Attributes:
        body: The function body in MathML.
    """

    parameters: tuple[str, ...]
    body: XmlNode


def read_mathml(
    node: XmlNode, resolve: Resolve, report: Report, *, definitions: Mapping[str, Definition] | None = None, path: str = ""
) -> Expression | None:
    """Return the expression of a MathML element, or None with findings if it cannot be read.

    Args:
        node: ``<math>``, or an element that it can contain.
        resolve: Finds the coordinates and parameters that the formula refers to.
        definitions: The functions that the file defines, by name.
        path: Path of the formula in the model, for findings.
    """
    return _MathmlReader(resolve, report, definitions or {}, path).expression(node)


class _MathmlReader:
    """Reads one formula.

    Args:
        resolve: Finds the coordinates and parameters that the formula refers to.
        definitions: The functions that the file defines, by name.
        path: Path of the formula in the model.
    """

    def __init__(self, resolve: Resolve, report: Report, definitions: Mapping[str, Definition], path: str) -> None:
        self._resolve, self._report, self._definitions, self._path = resolve, report, definitions, path
        self._bound: list[Mapping[str, Expression]] = []
        self._called: list[str] = []
        # Size and depth of each operation; the reference to the operation keeps its id unique.
        self._extents: dict[int, tuple[Operation, int, int]] = {}

    def expression(self, root: XmlNode) -> Expression | None:
        """Return the expression of an element, without recursion over nested elements."""
        values: dict[int, Expression | None] = {}
        pending = [(root, False)]
        while pending:
            node, is_ready = pending.pop()
            if self._called and is_ready:  # part of a function body, which is expanded for every call
                self._report.budget.add_expansions(1, node.location)
            if is_ready:
                values[id(node)] = self._within_limits(node, self._read_element(node, values))
            else:
                pending.append((node, True))
                pending.extend((child, False) for child in reversed(_operand_nodes(node)))
        return values[id(root)]

    def _read_element(self, node: XmlNode, values: Mapping[int, Expression | None]) -> Expression | None:
        tag = node.local_tag
        if tag in _WRAPPERS:
            return self._only_child(node, values)
        if tag == "apply":
            return self._read_apply(node, values)
        if tag == "piecewise":
            return self._read_piecewise(node, values)
        if tag in ("piece", "otherwise"):
            self._report_malformed(node, f"<{tag}> outside of <piecewise>")
            return None
        if tag == "cn":
            return self._read_number(node)
        if tag in ("ci", "csymbol"):
            return self._read_identifier(node)
        if tag in _CONSTANTS:
            return Number(value=_CONSTANTS[tag])
        self._report_unsupported(node, f"<{tag}>", [*_CONSTANTS, "apply", "ci", "cn", "csymbol", "piecewise"], tag)
        return None

    # Findings

    def _report_malformed(self, node: XmlNode, message: str, hint: str | None = None) -> None:
        self._report.add(MALFORMED_FORMULA, message, node.location, path=self._path, hint=hint)

    def _report_unsupported(self, node: XmlNode, what: str, choices: Sequence[str], name: str) -> None:
        message = f"a formula uses {what}, which is not supported"
        self._report.add(
            UNSUPPORTED_FORMULA, message, node.location, path=self._path, hint=self._report.suggestion(name, choices)
        )

    def _within_limits(self, node: XmlNode, expression: Expression | None) -> Expression | None:
        """Return an expression, or None with a finding if it exceeds the limits."""
        if not isinstance(expression, Operation):
            return expression
        parts, depth = self._size_and_depth(expression)
        if parts <= LARGEST_FORMULA and depth <= DEEPEST_FORMULA:
            return expression
        limits = f"{LARGEST_FORMULA} nodes or {DEEPEST_FORMULA} nested operations"
        self._report_malformed(node, f"a formula has more than {limits}")
        return None

    def _size_and_depth(self, expression: Expression) -> tuple[int, int]:
        """Return the number of nodes and the depth of an expression; shared nodes are visited once."""
        pending = [expression]
        while pending:
            here = pending[-1]
            if not isinstance(here, Operation) or id(here) in self._extents:
                pending.pop()
                continue
            ahead = [part for part in here.operands if isinstance(part, Operation) and id(part) not in self._extents]
            pending.extend(ahead)
            if not ahead:
                extents = [self._cached_size_and_depth(part) for part in here.operands]
                parts, depth = 1 + sum(parts for parts, _ in extents), 1 + max(depth for _, depth in extents)
                self._extents[id(here)] = (here, parts, depth)
        return self._cached_size_and_depth(expression)

    def _cached_size_and_depth(self, expression: Expression) -> tuple[int, int]:
        return self._extents[id(expression)][1:] if isinstance(expression, Operation) else (1, 0)

    # Elements

    def _only_child(self, node: XmlNode, values: Mapping[int, Expression | None]) -> Expression | None:
        inner = _operand_nodes(node)
        if len(inner) != 1:
            self._report_malformed(node, f"<{node.local_tag}> has {len(inner)} child elements, not one")
            return None
        return values[id(inner[0])]

    def _read_number(self, node: XmlNode) -> Number | None:
        kind = node.attributes.get("type", "real").strip()
        read = NUMBERS.get(kind)
        if read is None:
            self._report_unsupported(node, f"a number of the type {shown(kind)}", list(NUMBERS), kind)
            return None
        try:
            value = read(node)
        except (ValueError, ZeroDivisionError, OverflowError):
            self._report_malformed(node, f"{shown(node.text)} is not a number", "for example 0.5 or 1e-3")
            return None
        return Number(value=value)

    def _read_identifier(self, node: XmlNode) -> Expression | None:
        name = node.text.strip()
        if self._bound:
            # A function body can only refer to its parameters.
            bound = self._bound[-1].get(name)
            if bound is None:
                hint = self._report.suggestion(name, self._bound[-1])
                self._report_malformed(node, f"{shown(name)} is not a parameter of the function '{self._called[-1]}'", hint)
            return bound
        if not name:
            self._report_malformed(node, f"<{node.local_tag}> is empty", "the SID path of a joint")
            return None
        return self._resolve(name, node.location)

    def _read_piecewise(self, node: XmlNode, values: Mapping[int, Expression | None]) -> Expression | None:
        result: Expression | None = UNDEFINED
        # <otherwise> may be at any place; it applies if no condition is true.
        children = sorted(node.children, key=lambda child: child.local_tag == "otherwise")
        for number, child in enumerate(reversed(children)):
            tag, inside = child.local_tag, [values[id(inner)] for inner in child.children]
            if tag == "otherwise" and number == 0 and len(inside) == 1:
                result = inside[0]
            elif tag != "piece" or len(inside) != 2:
                self._report_malformed(
                    child, f"unexpected <{tag}> in <piecewise>", "<piece> with value and condition, then <otherwise>"
                )
                return None
            elif result is None or inside[0] is None or inside[1] is None:
                result = None
            else:
                result = make_operation(Operator.CHOOSE, inside[1], inside[0], result)
        return result

    # Operators

    def _read_apply(self, node: XmlNode, values: Mapping[int, Expression | None]) -> Expression | None:
        if not node.children:
            self._report_malformed(node, "<apply> is empty", "an operator and its operands")
            return None
        head = node.children[0]
        operands = [values[id(child)] for child in node.children[1:] if child.local_tag not in _QUALIFIERS]
        qualifiers = {child.local_tag: values[id(child)] for child in node.children[1:] if child.local_tag in _QUALIFIERS}
        known = [operand for operand in operands if operand is not None]
        specified = {name: value for name, value in qualifiers.items() if value is not None}
        if len(known) < len(operands) or len(specified) < len(qualifiers):
            return None
        if head.local_tag in ("csymbol", "ci"):
            return self._read_function_call(head, known)
        return self._make_operation(head, head.local_tag, known, specified)

    def _make_operation(
        self, head: XmlNode, name: str, operands: list[Expression], qualifiers: Mapping[str, Expression]
    ) -> Expression | None:
        entry = OPERATIONS.get(name)
        if entry is None:
            self._report_unsupported(head, f"'{name}'", [*OPERATIONS, *self._definitions], name)
            return None
        qualifier = QUALIFIED.get(name)
        surplus = next((other for other in qualifiers if other != qualifier), None)
        if surplus is not None:
            self._report_malformed(head, f"'{name}' has no {surplus}")
            return None
        if qualifiers:
            operands = [*operands, *qualifiers.values()]
        elif name in _DEFAULT_QUALIFIERS and len(operands) == 1:
            operands = [*operands, Number(value=_DEFAULT_QUALIFIERS[name])]
        elif name == "root" and len(operands) == 2:
            operands.reverse()  # some programs write the degree first, without <degree>
        if not entry.least <= len(operands) <= entry.most:
            self._report_malformed(head, f"'{name}' has {_operand_count_text(len(operands))}, not {entry.operand_count}")
            return None
        return entry.build(*operands)

    def _read_function_call(self, head: XmlNode, operands: list[Expression]) -> Expression | None:
        name = head.text.strip()
        defined = head.attributes.get("definitionURL", "").rpartition("#")[2].strip()
        definition = self._definitions.get(defined)
        if definition is None and name not in OPERATIONS:
            definition = self._definitions.get(name)
        if definition is None and not operands and name not in OPERATIONS:
            return self._read_identifier(head)
        if definition is None:
            return self._make_operation(head, name, operands, {})
        name = defined if defined in self._definitions else name
        if name in self._called:
            self._report_malformed(head, f"the function '{name}' calls itself")
            return None
        if len(self._called) >= DEEPEST_CALL:
            self._report_malformed(head, f"function calls are nested more than {DEEPEST_CALL} levels deep")
            return None
        if len(operands) != len(definition.parameters):
            self._report_malformed(head, f"'{name}' has {_operand_count_text(len(operands))}, not {len(definition.parameters)}")
            return None
        self._called.append(name)
        self._bound.append(dict(zip(definition.parameters, operands, strict=True)))
        result = self.expression(definition.body)
        self._called.pop()
        self._bound.pop()
        return result


def _operand_count_text(count: int) -> str:
    return f"{count} operand" if count == 1 else f"{count} operands"


def _operand_nodes(node: XmlNode) -> list[XmlNode]:
    """Return the child elements that have values."""
    tag = node.local_tag
    if tag == "apply":
        return node.children[1:]
    if tag in ("cn", "ci", "csymbol"):
        return []
    if tag == "piecewise":
        return [inner for child in node.children for inner in child.children]
    return [child for child in node.children if child.local_tag not in _ANNOTATIONS]


_WRAPPERS = frozenset({"math", "semantics", "degree", "logbase"})
_QUALIFIERS = frozenset({"degree", "logbase"})
_ANNOTATIONS = frozenset({"annotation", "annotation-xml"})
_DEFAULT_QUALIFIERS: Mapping[str, float] = {"root": 2.0, "log": 10.0}
_CONSTANTS: Mapping[str, float] = {
    "pi": math.pi,
    "exponentiale": math.e,
    "eulergamma": 0.5772156649015329,
    "true": 1.0,
    "false": 0.0,
}
