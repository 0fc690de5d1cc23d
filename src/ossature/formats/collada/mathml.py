"""Formulas in MathML content markup ⇄ expressions.

Elements may carry a prefix, and ``<math>`` may stand around them or not. What the model has no operator for is said with
others: ``sec`` as a ratio, ``xor`` by comparing truths, the triangle functions of OpenRAVE by the laws of triangles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from ossature.diagnostics import Location, Report, suggestion
from ossature.formats.collada.formula_rules import BAD_FORMULA, UNSUPPORTED_FORMULA
from ossature.model import Expression, JointPosition, Number, Operation, Operator, fold
from ossature.syntax.values import format_number, shown
from ossature.syntax.xml import Node, element

NAMESPACE = "http://www.w3.org/1998/Math/MathML"

LARGEST_FORMULA = 10_000
"""Parts of the largest formula that is read, with the functions that it calls written out."""

DEEPEST_FORMULA = 200
"""Operations inside one another in the deepest formula that is read."""

Resolve: TypeAlias = Callable[[str, Location], "Expression | None"]
"""Returns the coordinate, or the parameter, of which a formula speaks by a text; None, with a finding, where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A function that a file defines.

    Attributes:
        parameters: Names by which the body speaks of what it is applied to.
        body: What it comes to, in MathML.
    """

    parameters: tuple[str, ...]
    body: Node


def read_mathml(
    node: Node, resolve: Resolve, report: Report, *, definitions: Mapping[str, Definition] | None = None, path: str = ""
) -> Expression | None:
    """Return what an element of MathML says, or None, with findings, where it cannot be taken.

    Args:
        node: ``<math>``, or an element that may stand in it.
        resolve: Finds the coordinates of which the formula speaks.
        report: Where findings go.
        definitions: The functions that the file defines, by name.
        path: Where in the model the formula belongs, for findings.
    """
    return _Reader(resolve, report, definitions or {}, path).expression(node)


class _Reader:
    """Reads one formula.

    Args:
        resolve: Finds the coordinates of which the formula speaks.
        report: Where findings go.
        definitions: The functions that the file defines, by name.
        path: Where in the model the formula belongs.
    """

    def __init__(self, resolve: Resolve, report: Report, definitions: Mapping[str, Definition], path: str) -> None:
        self._resolve, self._report, self._definitions, self._path = resolve, report, definitions, path
        self._bound: list[Mapping[str, Expression]] = []
        self._called: list[str] = []
        # Parts and depth of each operation, which is kept alive so that nothing else gets its identity.
        self._extents: dict[int, tuple[Operation, int, int]] = {}

    def expression(self, root: Node) -> Expression | None:
        """Return what an element says; elements inside one another take no deep stack."""
        values: dict[int, Expression | None] = {}
        pending = [(root, False)]
        while pending:
            node, is_ready = pending.pop()
            if is_ready:
                values[id(node)] = self._bounded(node, self._value(node, values))
            else:
                pending.append((node, True))
                pending.extend((child, False) for child in reversed(_inner(node)))
        return values[id(root)]

    def _value(self, node: Node, values: Mapping[int, Expression | None]) -> Expression | None:
        tag = _local(node)
        if tag in _WRAPPERS:
            return self._only_child(node, values)
        if tag == "apply":
            return self._application(node, values)
        if tag == "piecewise":
            return self._cases(node, values)
        if tag in ("piece", "otherwise"):
            self._bad(node, f"<{tag}> stands outside of <piecewise>")
            return None
        if tag == "cn":
            return self._number(node)
        if tag in ("ci", "csymbol"):
            return self._symbol(node)
        if tag in _CONSTANTS:
            return Number(value=_CONSTANTS[tag])
        self._unsupported(node, f"<{tag}>", [*_CONSTANTS, "apply", "ci", "cn", "csymbol", "piecewise"], tag)
        return None

    # Findings

    def _bad(self, node: Node, message: str, hint: str | None = None) -> None:
        self._report.add(BAD_FORMULA, message, node.location, path=self._path, hint=hint)

    def _unsupported(self, node: Node, what: str, choices: Sequence[str], name: str) -> None:
        message = f"a formula uses {what}, which is not computed here"
        self._report.add(UNSUPPORTED_FORMULA, message, node.location, path=self._path, hint=suggestion(name, choices))

    def _bounded(self, node: Node, expression: Expression | None) -> Expression | None:
        """Return an expression, or None where it has grown beyond what is read."""
        if not isinstance(expression, Operation):
            return expression
        parts, depth = self._extent(expression)
        if parts <= LARGEST_FORMULA and depth <= DEEPEST_FORMULA:
            return expression
        limits = f"{LARGEST_FORMULA} parts or {DEEPEST_FORMULA} operations inside one another"
        self._bad(node, f"a formula has more than {limits}")
        return None

    def _extent(self, expression: Expression) -> tuple[int, int]:
        """Return how many parts an expression has, and how deep it is; what functions share is looked at once."""
        pending = [expression]
        while pending:
            here = pending[-1]
            if not isinstance(here, Operation) or id(here) in self._extents:
                pending.pop()
                continue
            ahead = [part for part in here.operands if isinstance(part, Operation) and id(part) not in self._extents]
            pending.extend(ahead)
            if not ahead:
                extents = [self._known_extent(part) for part in here.operands]
                parts, depth = 1 + sum(parts for parts, _ in extents), 1 + max(depth for _, depth in extents)
                self._extents[id(here)] = (here, parts, depth)
        return self._known_extent(expression)

    def _known_extent(self, expression: Expression) -> tuple[int, int]:
        return self._extents[id(expression)][1:] if isinstance(expression, Operation) else (1, 0)

    # Elements

    def _only_child(self, node: Node, values: Mapping[int, Expression | None]) -> Expression | None:
        inner = _inner(node)
        if len(inner) != 1:
            self._bad(node, f"<{_local(node)}> has {len(inner)} elements inside, not one")
            return None
        return values[id(inner[0])]

    def _number(self, node: Node) -> Number | None:
        kind = node.attributes.get("type", "real").strip()
        read = _NUMBERS.get(kind)
        if read is None:
            self._unsupported(node, f"a number of the type {shown(kind)}", list(_NUMBERS), kind)
            return None
        try:
            value = read(node)
        except (ValueError, ZeroDivisionError, OverflowError):
            self._bad(node, f"{shown(node.text)} is not a number", "for example 0.5 or 1e-3")
            return None
        return Number(value=value)

    def _symbol(self, node: Node) -> Expression | None:
        name = node.text.strip()
        if self._bound:
            # Inside of a function there are its parameters only.
            bound = self._bound[-1].get(name)
            if bound is None:
                hint = suggestion(name, self._bound[-1])
                self._bad(node, f"{shown(name)} is no parameter of the function '{self._called[-1]}'", hint)
            return bound
        if not name:
            self._bad(node, f"<{_local(node)}> names nothing", "the reference of a joint")
            return None
        return self._resolve(name, node.location)

    def _cases(self, node: Node, values: Mapping[int, Expression | None]) -> Expression | None:
        result: Expression | None = _UNDEFINED
        for number, child in enumerate(reversed(node.children)):
            tag, inside = _local(child), [values[id(inner)] for inner in child.children]
            if tag == "otherwise" and number == 0 and len(inside) == 1:
                result = inside[0]
            elif tag != "piece" or len(inside) != 2:
                self._bad(child, f"<{tag}> does not belong here", "pieces of a value and a condition, then otherwise")
                return None
            elif result is None or inside[0] is None or inside[1] is None:
                result = None
            else:
                result = _of(Operator.CHOOSE, inside[1], inside[0], result)
        return result

    # Operators

    def _application(self, node: Node, values: Mapping[int, Expression | None]) -> Expression | None:
        if not node.children:
            self._bad(node, "<apply> has nothing inside", "an operator, and what it is applied to")
            return None
        head = node.children[0]
        operands = [values[id(child)] for child in node.children[1:] if _local(child) not in _QUALIFIERS]
        qualifiers = {_local(child): values[id(child)] for child in node.children[1:] if _local(child) in _QUALIFIERS}
        known = [operand for operand in operands if operand is not None]
        stated = {name: value for name, value in qualifiers.items() if value is not None}
        if len(known) < len(operands) or len(stated) < len(qualifiers):
            return None
        if _local(head) in ("csymbol", "ci"):
            return self._call(head, known)
        return self._operation(head, _local(head), known, stated)

    def _operation(
        self, head: Node, name: str, operands: list[Expression], qualifiers: Mapping[str, Expression]
    ) -> Expression | None:
        entry = _OPERATIONS.get(name)
        if entry is None:
            self._unsupported(head, f"'{name}'", [*_OPERATIONS, *self._definitions], name)
            return None
        taken = _QUALIFIED.get(name)
        surplus = next((other for other in qualifiers if other != taken), None)
        if surplus is not None:
            self._bad(head, f"'{name}' has no {surplus}")
            return None
        if qualifiers:
            operands = [*operands, *qualifiers.values()]
        elif name in _DEFAULT_QUALIFIERS and len(operands) == 1:
            operands = [*operands, Number(value=_DEFAULT_QUALIFIERS[name])]
        elif name == "root" and len(operands) == 2:
            operands.reverse()  # some programs write the degree first, without an element around it
        if not entry.least <= len(operands) <= entry.most:
            self._bad(head, f"'{name}' is applied to {_counted(len(operands))}, not to {entry.wanted}")
            return None
        return entry.build(*operands)

    def _call(self, head: Node, operands: list[Expression]) -> Expression | None:
        name = head.text.strip()
        defined = head.attributes.get("definitionURL", "").rpartition("#")[2].strip()
        definition = self._definitions.get(defined)
        if definition is None and name not in _OPERATIONS:
            definition = self._definitions.get(name)
        if definition is None:
            return self._operation(head, name, operands, {})
        name = defined if defined in self._definitions else name
        if name in self._called:
            self._bad(head, f"the function '{name}' calls itself")
            return None
        if len(operands) != len(definition.parameters):
            self._bad(head, f"'{name}' is applied to {_counted(len(operands))}, not to {len(definition.parameters)}")
            return None
        self._called.append(name)
        self._bound.append(dict(zip(definition.parameters, operands, strict=True)))
        result = self.expression(definition.body)
        self._called.pop()
        self._bound.pop()
        return result


def _counted(count: int) -> str:
    return f"{count} operand" if count == 1 else f"{count} operands"


def _local(node: Node) -> str:
    """Return an element's name without its prefix."""
    return node.tag.rpartition(":")[2]


def _inner(node: Node) -> list[Node]:
    """Return the elements inside of one that have values."""
    tag = _local(node)
    if tag == "apply":
        return node.children[1:]
    if tag in ("cn", "ci", "csymbol"):
        return []
    if tag == "piecewise":
        return [inner for child in node.children for inner in child.children]
    return [child for child in node.children if _local(child) not in _REMARKS]


_WRAPPERS = frozenset({"math", "semantics", "degree", "logbase"})
_QUALIFIERS = frozenset({"degree", "logbase"})
_REMARKS = frozenset({"annotation", "annotation-xml"})
_QUALIFIED: Mapping[str, str] = {"root": "degree", "log": "logbase"}
_DEFAULT_QUALIFIERS: Mapping[str, float] = {"root": 2.0, "log": 10.0}
_CONSTANTS: Mapping[str, float] = {
    "pi": math.pi,
    "exponentiale": math.e,
    "eulergamma": 0.5772156649015329,
    "true": 1.0,
    "false": 0.0,
}


# Numbers


def _real(node: Node) -> float:
    return _finite(node.text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or "_" in text:
        raise ValueError(text)
    return value


def _integer(node: Node) -> float:
    base = int(node.attributes.get("base", "10"))
    return float(int(node.text, base)) if "_" not in node.text and len(node.text) < 400 else _finite("")


def _in_two_parts(node: Node) -> tuple[str, str]:
    """Return what stands before and after ``<sep/>``, which the text of an element does not tell."""
    before, after = node.source.data[node.offset : node.children[0].offset], node.text.strip()
    first = before.decode(node.source.encoding, "replace").rpartition(">")[2].strip()
    if len(node.children) != 1 or not after.startswith(first):
        raise ValueError(node.text)
    return first, after[len(first) :]


def _with_exponent(node: Node) -> float:
    if not node.children:
        return _finite(node.text)
    mantissa, exponent = _in_two_parts(node)
    return _finite(f"{mantissa}e{int(exponent)}")


def _fraction(node: Node) -> float:
    if not node.children:
        return _finite(node.text)
    above, below = _in_two_parts(node)
    return _finite(above) / _finite(below)


_NUMBERS: Mapping[str, Callable[[Node], float]] = {
    "real": _real,
    "double": _real,
    "integer": _integer,
    "e-notation": _with_exponent,
    "rational": _fraction,
}


# Operations


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """How something is applied: to how many operands, and what comes of it."""

    least: int
    most: int
    build: Callable[..., Expression]

    @property
    def wanted(self) -> str:
        """How many operands there should be."""
        if self.most >= LARGEST_FORMULA:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} or {self.most}"


def _of(operator: Operator, *operands: Expression | float) -> Operation:
    as_expressions = [operand if not isinstance(operand, float) else Number(value=operand) for operand in operands]
    return Operation(operator=operator, operands=tuple(as_expressions))


_UNDEFINED = _of(Operator.DIVIDE, 0.0, 0.0)


def _plainly(operator: Operator, least: int, most: int | None = None) -> _Entry:
    return _Entry(least=least, most=most or least, build=lambda *operands: _of(operator, *operands))


def _any(operator: Operator) -> _Entry:
    return _plainly(operator, 1, LARGEST_FORMULA)


def _by(count: int, build: Callable[..., Expression]) -> _Entry:
    return _Entry(least=count, most=count, build=build)


def _inverted(operator: Operator) -> _Entry:
    """Return a function of the reciprocal: arcsec is arccos of 1 / x."""
    return _by(1, lambda x: _of(operator, _of(Operator.DIVIDE, 1.0, x)))


def _reciprocal(operator: Operator) -> _Entry:
    """Return the reciprocal of a function: sec is 1 / cos."""
    return _by(1, lambda x: _of(Operator.DIVIDE, 1.0, _of(operator, x)))


def _minus(*operands: Expression) -> Expression:
    return _of(Operator.NEGATE if len(operands) == 1 else Operator.SUBTRACT, *operands)


def _relation(operator: Operator) -> _Entry:
    """Return a comparison, which holds for all neighbours where there are more than two."""

    def build(*operands: Expression) -> Expression:
        links = [_of(operator, first, second) for first, second in pairwise(operands)]
        return links[0] if len(links) == 1 else _of(Operator.AND, *links)

    return _Entry(least=2, most=LARGEST_FORMULA, build=build)


def _exclusive_or(first: Expression, *others: Expression) -> Expression:
    result = first
    for other in others:
        result = _of(Operator.NOT_EQUAL, _of(Operator.NOT, result), _of(Operator.NOT, other))
    return result


def _in_range(x: Expression, lower: Expression, upper: Expression) -> Expression:
    return _of(Operator.AND, _of(Operator.GREATER_OR_EQUAL, x, lower), _of(Operator.LESS_OR_EQUAL, x, upper))


def _angle_of_sides(a: Expression, b: Expression, c: Expression) -> Expression:
    """Return the angle opposite the first side: by the tangent of its half, which is exact for flat triangles too."""
    add, subtract, multiply = Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY
    opposite = _of(multiply, _of(subtract, _of(add, a, b), c), _of(subtract, _of(add, a, c), b))
    adjacent = _of(multiply, _of(add, a, b, c), _of(subtract, _of(add, b, c), a))
    half = _of(Operator.ARC_TANGENT_2, _of(Operator.ROOT, opposite, 2.0), _of(Operator.ROOT, adjacent, 2.0))
    return _of(multiply, 2.0, half)


def _angle_beside(a: Expression, angle: Expression, b: Expression) -> Expression:
    """Return the angle opposite the first of two sides that enclose an angle."""
    height = _of(Operator.MULTIPLY, a, _of(Operator.SINE, angle))
    foot = _of(Operator.MULTIPLY, a, _of(Operator.COSINE, angle))
    return _of(Operator.ARC_TANGENT_2, height, _of(Operator.SUBTRACT, b, foot))


def _side_opposite(a: Expression, angle: Expression, b: Expression) -> Expression:
    """Return the side opposite the angle that two sides enclose."""
    squares = _of(Operator.ADD, _of(Operator.POWER, a, 2.0), _of(Operator.POWER, b, 2.0))
    less = _of(Operator.MULTIPLY, 2.0, a, b, _of(Operator.COSINE, angle))
    return _of(Operator.ROOT, _of(Operator.SUBTRACT, squares, less), 2.0)


_OPERATIONS: Mapping[str, _Entry] = {
    "plus": _any(Operator.ADD),
    "minus": _Entry(least=1, most=2, build=_minus),
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
    "cot": _by(1, lambda x: _of(Operator.DIVIDE, _of(Operator.COSINE, x), _of(Operator.SINE, x))),
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
    "xor": _Entry(least=2, most=LARGEST_FORMULA, build=_exclusive_or),
    "implies": _by(2, lambda a, b: _of(Operator.OR, _of(Operator.NOT, a), b)),
    # Functions that OpenRAVE and the programs that write for it know besides.
    "atan2": _plainly(Operator.ARC_TANGENT_2, 2),
    "INRANGE": _by(3, _in_range),
    "SSSA": _by(3, _angle_of_sides),
    "SASA": _by(3, _angle_beside),
    "SASS": _by(3, _side_opposite),
    "sqrt": _by(1, lambda x: _of(Operator.ROOT, x, 2.0)),
    "cbrt": _by(1, lambda x: _of(Operator.ROOT, x, 3.0)),
    "pow": _plainly(Operator.POWER, 2),
    "ceil": _plainly(Operator.CEILING, 1),
    "log2": _by(1, lambda x: _of(Operator.LOGARITHM, x, 2.0)),
    "log10": _by(1, lambda x: _of(Operator.LOGARITHM, x, 10.0)),
    "asin": _plainly(Operator.ARC_SINE, 1),
    "acos": _plainly(Operator.ARC_COSINE, 1),
    "atan": _plainly(Operator.ARC_TANGENT, 1),
    "asinh": _plainly(Operator.ARC_HYPERBOLIC_SINE, 1),
    "acosh": _plainly(Operator.ARC_HYPERBOLIC_COSINE, 1),
    "atanh": _plainly(Operator.ARC_HYPERBOLIC_TANGENT, 1),
}
"""What may be applied, by the name of its element or of its symbol."""


# Writing


def write_mathml(expression: Expression, name: Callable[[JointPosition], str]) -> Node:
    """Return an expression as ``<math>``, which reads back as the same expression, to the bit.

    Args:
        expression: The expression.
        name: Returns the text by which the file speaks of a coordinate.
    """

    def leaf(part: Number | JointPosition) -> Node:
        if isinstance(part, JointPosition):
            return element("csymbol", {"encoding": "COLLADA"}, name(part))
        return element("cn", text=format_number(part.value))

    root = element("math", {"xmlns": NAMESPACE})
    root.children = [fold(expression, leaf, _written)]
    return root


def _written(operation: Operation, operands: list[Node]) -> Node:
    operator = operation.operator
    if operator is Operator.CHOOSE:
        condition, where_true, where_false = operands
        return _around("piecewise", _around("piece", where_true, condition), _around("otherwise", where_false))
    if operator is Operator.ARC_TANGENT_2:
        head = element("csymbol", {"encoding": "text/xml", "definitionURL": "", "type": "function"}, "atan2")
        return _around("apply", head, *operands)
    if operator in (Operator.ROOT, Operator.LOGARITHM):
        tag = _TAGS[operator]
        return _around("apply", element(tag), _around(_QUALIFIED[tag], operands[1]), operands[0])
    return _around("apply", element(_TAGS[operator]), *operands)


def _around(tag: str, *children: Node) -> Node:
    node = element(tag)
    node.children = list(children)
    return node


_TAGS: Mapping[Operator, str] = {
    Operator.ADD: "plus",
    Operator.SUBTRACT: "minus",
    Operator.NEGATE: "minus",
    Operator.MULTIPLY: "times",
    Operator.DIVIDE: "divide",
    Operator.POWER: "power",
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
    Operator.HYPERBOLIC_SINE: "sinh",
    Operator.HYPERBOLIC_COSINE: "cosh",
    Operator.HYPERBOLIC_TANGENT: "tanh",
    Operator.ARC_HYPERBOLIC_SINE: "arcsinh",
    Operator.ARC_HYPERBOLIC_COSINE: "arccosh",
    Operator.ARC_HYPERBOLIC_TANGENT: "arctanh",
    Operator.EQUAL: "eq",
    Operator.NOT_EQUAL: "neq",
    Operator.GREATER: "gt",
    Operator.GREATER_OR_EQUAL: "geq",
    Operator.LESS: "lt",
    Operator.LESS_OR_EQUAL: "leq",
    Operator.AND: "and",
    Operator.OR: "or",
    Operator.NOT: "not",
}
