"""MathML: that a formula has a value, and that what it names is there."""

from __future__ import annotations

from collections.abc import Iterator

from collada_validator.identifiers import Elsewhere, Index
from collada_validator.markup import Element
from collada_validator.problems import Kind, Problem
from collada_validator.references import AXES, JOINTS, loose_address
from collada_validator.structure import problem
from collada_validator.values import fault

CONSTANTS = {"pi", "exponentiale", "true", "false", "notanumber", "infinity"}
ARGUMENTS: dict[str, tuple[int, int | None]] = {
    **dict.fromkeys(("plus", "times", "and", "or", "xor", "max", "min", "gcd", "lcm"), (0, None)),
    "minus": (1, 2),
    **dict.fromkeys(("divide", "quotient", "power", "rem", "implies"), (2, 2)),
    **dict.fromkeys(("eq", "neq", "gt", "lt", "geq", "leq", "equivalent", "approx"), (2, None)),
    **dict.fromkeys(("root", "log"), (1, 1)),
    **dict.fromkeys(("not", "floor", "ceiling", "abs", "exp", "ln", "factorial"), (1, 1)),
    **{
        f"{arc}{name}{hyperbolic}": (1, 1)
        for arc in ("", "arc")
        for name in ("sin", "cos", "tan", "sec", "csc", "cot")
        for hyperbolic in ("", "h")
    },
}
"""Operators with the fewest and the most of what they are applied to; None for any number."""
QUALIFIERS = {"math:degree", "math:logbase"}
FUNCTIONS = {"INRANGE", "SSSA", "SASA", "SASS", "atan2"}
"""Functions of COLLADA that need no formula of their own in the document."""


def check_formulas(index: Index) -> Iterator[Problem]:
    """Yield formulas without a value, and symbols that name nothing."""
    for element in index.root.walk():
        if element.type == "mathml":
            yield from _check_single(index, element)
    yield from _check_loops(index)


def _check_single(index: Index, around: Element) -> Iterator[Problem]:
    if len(around.children) != 1:
        yield problem(around, Kind.BAD_FORMULA, f"<{around.name}> holds {len(around.children)} expressions instead of one")
    for child in around.children:
        yield from _check_expression(index, child)


def _check_expression(index: Index, element: Element) -> Iterator[Problem]:
    # Formulas may be nested deeper than Python's own stack.
    pending = [element]
    while pending:
        current = pending.pop()
        name = current.name.removeprefix("math:")
        if not current.name.startswith("math:"):
            yield problem(current, Kind.UNKNOWN_ELEMENT, f"<{current.name}> is no MathML")
        elif name == "apply":
            yield from _check_apply(index, current)
            pending.extend(child for child in reversed(current.children[1:]) if child.name not in QUALIFIERS)
            pending.extend(inner for child in current.named(*QUALIFIERS) for inner in child.children)
        elif name == "cn":
            yield from _check_number(current)
        elif name in ("csymbol", "ci"):
            yield from _check_symbol(index, current)
        elif name == "piecewise":
            pending.extend(inner for piece in current.children for inner in piece.children)
        elif name not in CONSTANTS:
            yield problem(current, Kind.BAD_FORMULA, f"<{name}> has no value")


def _check_apply(index: Index, apply: Element) -> Iterator[Problem]:
    if not apply.children:
        yield problem(apply, Kind.BAD_FORMULA, "<apply> names no operator")
        return
    operator = apply.children[0]
    name = operator.name.removeprefix("math:")
    if name in ("csymbol", "ci"):
        yield from _check_function(index, operator)
        return
    arguments = sum(child.name not in QUALIFIERS for child in apply.children[1:])
    least, most = ARGUMENTS.get(name, (0, None))
    if name not in ARGUMENTS:
        yield problem(operator, Kind.BAD_FORMULA, f"<{name}> is no operator")
    elif arguments < least or (most is not None and arguments > most):
        yield problem(apply, Kind.BAD_FORMULA, f"<{name}> is applied to {arguments} expressions")


def _check_function(index: Index, operator: Element) -> Iterator[Problem]:
    name = operator.text.strip()
    found = index.by_id(name)
    if name not in FUNCTIONS and found is None:
        yield problem(operator, Kind.DANGLING_REFERENCE, f"'{name}' names no formula")
    elif found is not None and found.type != "formula":
        yield problem(operator, Kind.WRONG_TARGET, f"'{name}' names a <{found.name}>, no <formula>")


def _check_number(number: Element) -> Iterator[Problem]:
    parts = number.text.strip() or "nothing"
    if number.attributes.get("base", "10") == "10" and not number.children and fault("double", parts):
        yield problem(number, Kind.BAD_VALUE, f"'{parts}' is no number")


def _check_symbol(index: Index, symbol: Element) -> Iterator[Problem]:
    name = symbol.text.strip()
    found = index.parameter(name, symbol) or loose_address(index, name, symbol)
    if found is None:
        yield problem(symbol, Kind.DANGLING_REFERENCE, f"'{name}' names nothing in the document")
    elif not isinstance(found, Elsewhere) and found.type not in (*JOINTS, *AXES, "kinematics_newparam", "kinematics_bind"):
        yield problem(symbol, Kind.WRONG_TARGET, f"'{name}' names a <{found.name}>, no <joint>")


def _check_loops(index: Index) -> Iterator[Problem]:
    """Yield formulas of joints that follow themselves, over formulas of other joints or at once."""
    formulas = [element for element in index.root.walk() if element.type == "formula"]
    followed = {formula: joint for formula in formulas if (joint := _target(index, formula)) is not None}
    leaders: dict[Element, set[Element]] = {joint: set() for joint in followed.values()}
    for formula, joint in followed.items():
        leaders[joint] |= _leaders(index, formula)
    for formula, joint in followed.items():
        if _leads(joint, joint, leaders):
            yield problem(formula, Kind.CYCLE, f"<{joint.name}> '{joint.sid}' follows itself")


def _target(index: Index, formula: Element) -> Element | None:
    target = formula.child("target")
    param = target.child("param") if target is not None else None
    found = loose_address(index, param.text, param) if param is not None else None
    return found if isinstance(found, Element) else None


def _leaders(index: Index, formula: Element) -> set[Element]:
    """Return the joints of which a formula speaks."""
    symbols = [element for element in formula.walk() if element.name in ("math:csymbol", "math:ci")]
    found = [loose_address(index, symbol.text, symbol) for symbol in symbols]
    return {joint for joint in found if isinstance(joint, Element) and joint.type in (*JOINTS, *AXES)}


def _leads(start: Element, goal: Element, leaders: dict[Element, set[Element]]) -> bool:
    pending, seen = [start], set()
    while pending:
        for leader in leaders.get(pending.pop(), ()):
            if leader is goal:
                return True
            if leader not in seen:
                seen.add(leader)
                pending.append(leader)
    return False
