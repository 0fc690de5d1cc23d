"""Content models, attributes and values: everything that needs one element alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from collada_validator import extensions, schema
from collada_validator.content import NOTHING, Content, Model, after, expected, required
from collada_validator.markup import Element
from collada_validator.problems import Kind, Problem
from collada_validator.schema import Type, of
from collada_validator.values import fault, is_simple

TYPES = {**schema.TYPES, **extensions.TYPES}


def problem(element: Element, kind: Kind, message: str) -> Problem:
    """Return a problem of an element."""
    in_extension = extensions.extension_around(element) is not None
    return Problem(element.line, element.path, message, kind, in_extension)


def type_of(name: str) -> Type:
    """Return a type by its name; an element of a simple type has nothing but text."""
    found = TYPES.get(name)
    if found is None:
        assert is_simple(name), f"there is no type '{name}'"
        found = TYPES[name] = of(text=name)
    return found


def check_structure(root: Element) -> Iterator[Problem]:
    """Tell every element its type, and yield what is wrong with single elements."""
    if root.name != "COLLADA":
        yield problem(root, Kind.UNKNOWN_ELEMENT, "the root is no <COLLADA> of COLLADA 1.5")
        return
    root.type = "COLLADA"
    pending = [root]
    while pending:
        element = pending.pop()
        kind = type_of(element.type)
        yield from _check_attributes(element, kind)
        if kind.content is not None:
            yield from _check_children(element, kind.content)
            yield from _check_text(element, kind)
        yield from _check_extension(element)
        pending.extend(child for child in reversed(element.children) if child.type)


def _check_attributes(element: Element, kind: Type) -> Iterator[Problem]:
    for name, value in element.attributes.items():
        simple = kind.attributes.get(name)
        if simple is None:
            if kind.content is not None and not kind.content.is_open and not name.startswith("xsi:"):
                yield problem(element, Kind.UNKNOWN_ATTRIBUTE, f"there is no attribute '{name}'")
            continue
        wrong = fault(simple[0], value)
        if wrong is not None:
            yield problem(element, Kind.BAD_VALUE, f"attribute '{name}': {wrong}")
    for name, (_, is_required) in kind.attributes.items():
        if is_required and name not in element.attributes:
            yield problem(element, Kind.MISSING_ATTRIBUTE, f"attribute '{name}' is missing")


def _check_children(element: Element, content: Content) -> Iterator[Problem]:
    left = content.model
    misplaced: set[str] = set()
    for place, child in enumerate(element.children):
        kind = content.types.get(child.name)
        if kind is None:
            if not content.is_open:
                yield problem(child, Kind.UNKNOWN_ELEMENT, f"<{element.name}> has no <{child.name}>")
            continue
        child.type = _special(child) or kind
        absent, rest = _after_absent(left, child.name, (later.name for later in element.children[place:]))
        if rest == NOTHING:
            misplaced.add(child.name)
            choices = ", ".join(f"<{name}>" for name in dict.fromkeys(expected(left))) or "nothing more"
            yield problem(child, Kind.MISPLACED_ELEMENT, f"<{child.name}> stands where {choices} may stand")
            continue
        yield from _missing(element, absent)
        left = rest
    # A child in the wrong place has been told; that its own place is empty is no second problem.
    absent, _ = _after_absent(left, None, misplaced)
    yield from _missing(element, absent)


def _after_absent(left: Model, name: str | None, others: Iterable[str]) -> tuple[list[list[str]], Model]:
    """Return what is left of a model after a child, or at the end, and what is missing before it.

    A child that fits nowhere after what is missing leaves nothing; neither does one before others that come too late.
    """
    absent: list[list[str]] = []
    while name is None or after(left, name) == NOTHING:
        needed = required(left)
        others = set(others)
        if not needed or not others.isdisjoint(needed):
            return ([], NOTHING) if name is not None else (absent, left)
        absent.append(needed)
        left = after(left, needed[0])
    return absent, after(left, name)


def _missing(element: Element, absent: list[list[str]]) -> Iterator[Problem]:
    for names in absent:
        yield problem(element, Kind.MISSING_ELEMENT, f"{' or '.join(f'<{name}>' for name in names)} is missing")


def _special(child: Element) -> str | None:
    if child.name != "technique":
        return None
    extension = extensions.extension_of(child)
    return f"extension:{extension}" if extension is not None else None


def _check_text(element: Element, kind: Type) -> Iterator[Problem]:
    if kind.text is not None:
        wrong = fault(kind.text, element.text)
        if wrong is not None:
            yield problem(element, Kind.BAD_VALUE, wrong)
    elif element.text and (element.text.strip() or _is_empty(kind)):
        yield problem(element, Kind.UNEXPECTED_TEXT, f"<{element.name}> has no text")


def _is_empty(kind: Type) -> bool:
    """Return whether elements of a type have no content, not even spaces."""
    return kind.content is not None and not kind.content.types and not kind.content.is_open


def _check_extension(element: Element) -> Iterator[Problem]:
    if element.type == "extra":
        yield from _check_extra(element)
    elif element.type == "kinematics_newparam" and element.parent is not None and element.parent.name == "axis_info":
        yield from _check_axis_parameter(element)
    elif element.type == "equation":
        yield from _check_equation(element)


def _check_axis_parameter(parameter: Element) -> Iterator[Problem]:
    wanted = extensions.AXIS_PARAMETERS.get(parameter.sid or "")
    if wanted is not None and parameter.children and parameter.children[0].name != wanted:
        yield Problem(parameter.line, parameter.path, f"'{parameter.sid}' is no <{wanted}>", Kind.BAD_VALUE, extension=True)


def _check_equation(equation: Element) -> Iterator[Problem]:
    if equation.attributes.get("type") != "position" and "target" not in equation.attributes:
        yield problem(equation, Kind.MISSING_ATTRIBUTE, "a partial derivative names the joint by which it is taken")


def _check_extra(extra: Element) -> Iterator[Problem]:
    name = extra.attributes.get("type", "")
    parents = extensions.PARENTS.get(name)
    speaks = any(technique.attributes.get("profile") == extensions.PROFILE for technique in extra.named("technique"))
    if parents is None or not (speaks or name == "idsuffix"):
        return
    assert extra.parent is not None
    if extra.parent.name not in parents:
        where = ", ".join(f"<{parent}>" for parent in parents)
        yield Problem(extra.line, extra.path, f"'{name}' belongs into {where}", Kind.MISPLACED_ELEMENT, extension=True)
    if name in extensions.NEEDS_NAME and "name" not in extra.attributes:
        yield Problem(extra.line, extra.path, "attribute 'name' is missing", Kind.MISSING_ATTRIBUTE, extension=True)
