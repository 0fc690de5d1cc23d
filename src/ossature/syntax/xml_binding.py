"""XML nodes ⇄ declared elements: one loop that finds by itself what is unknown, missing, doubled or misspelt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from ossature.diagnostics import Related, Report, suggestion
from ossature.syntax import rules, xml
from ossature.syntax.schema import Element, Kind, Spelling, spellings
from ossature.syntax.values import shown
from ossature.syntax.xml import Node

E = TypeVar("E", bound=Element)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the binder looks up for each element of one class."""

    attributes: dict[str, tuple[str, Spelling]]
    children: dict[str, tuple[str, Spelling]]
    aliases: dict[str, str]
    text: tuple[str, Spelling] | None
    expected: tuple[tuple[str, Spelling], ...]
    """Fields whose absence is a finding."""


_PLANS: dict[type[Element], _Plan] = {}


def _plan(declared: type[Element]) -> _Plan:
    known = _PLANS.get(declared)
    if known is None:
        known = _PLANS[declared] = _make_plan(declared)
    return known


def _make_plan(declared: type[Element]) -> _Plan:
    attributes: dict[str, tuple[str, Spelling]] = {}
    children: dict[str, tuple[str, Spelling]] = {}
    aliases: dict[str, str] = {}
    text = None
    for field_name, spelling in spellings(declared).items():
        entry = (field_name, spelling)
        aliases.update(spelling.aliases)
        name = spelling.name or field_name
        if spelling.kind is Kind.TEXT:
            text = entry
        elif spelling.kind is Kind.ATTRIBUTE:
            attributes.update(dict.fromkeys((name, *spelling.aliases), entry))
        elif spelling.kind is Kind.CHILD:
            children.update(dict.fromkeys((name, *spelling.aliases), entry))
        else:
            children.update(dict.fromkeys((*spelling.elements, *spelling.aliases), entry))
    expected = tuple(
        (name, spelling) for name, spelling in spellings(declared).items() if spelling.required or spelling.announce
    )
    return _Plan(attributes, children, aliases, text, expected)


def bind(declared: type[E], node: Node, report: Report) -> E:
    """Return the declared element that a node spells; every problem inside it goes to the report.

    A value that cannot be read counts as missing, without a second finding.
    """
    plan = _plan(declared)
    values: dict[str, Any] = {}
    if node.attributes:
        _bind_attributes(plan, node, values, report)
    known = plan.children
    for inner in node.children:
        entry = known.get(inner.tag)
        if entry is None:
            _report_unknown(declared, plan, inner, node, report)
            continue
        name, spelling = entry
        if inner.tag in plan.aliases:
            _report_old_spelling(inner.tag, spelling, plan.aliases[inner.tag], inner, report)
        if spelling.repeated:
            values.setdefault(name, []).append(_bind_inner(spelling, inner, report))
        elif name in values:
            _report_duplicate(inner, node, spelling, report)
        else:
            values[name] = _bind_inner(spelling, inner, report)
    if node.text:
        _bind_text(plan, node, values, report)
    for name, spelling in plan.expected:
        if name not in values:
            _report_missing(spelling, node, report)
    return declared(node=node, **{name: _settled(plan, name, value) for name, value in values.items() if value is not None})


def _settled(plan: _Plan, name: str, value: Any) -> Any:
    return tuple(value) if type(value) is list else value


def _bind_inner(spelling: Spelling, inner: Node, report: Report) -> Any:
    if spelling.kind is Kind.CHILD:
        text = inner.text
        if inner.children:
            _report_children_of_text(inner, report)
        try:
            return spelling.value.parse(text)
        except ValueError:
            spelling.value.explain(text, f"<{inner.tag}>", inner.location, report)
            return None
    target = spelling.elements.get(inner.tag) or next(iter(spelling.elements.values()))
    return bind(target, inner, report)


def _bind_attributes(plan: _Plan, node: Node, values: dict[str, Any], report: Report) -> None:
    for name, text in node.attributes.items():
        entry = plan.attributes.get(name)
        if entry is None:
            if not (name.startswith("xml") or ":" in name):
                report.add(
                    rules.UNKNOWN_ATTRIBUTE,
                    f"<{node.tag}> has no attribute {shown(name)}",
                    node.attribute_location(name),
                    hint=suggestion(name, plan.attributes) or f"<{node.tag}> has no attributes",
                )
            continue
        field_name, spelling = entry
        if name in plan.aliases:
            _report_old_spelling(name, spelling, plan.aliases[name], node, report)
        try:
            values[field_name] = spelling.value.parse(text)
        except ValueError:
            spelling.value.explain(text, f"attribute '{name}'", node.attribute_location(name), report)
            values[field_name] = None


def _bind_text(plan: _Plan, node: Node, values: dict[str, Any], report: Report) -> None:
    if plan.text is not None:
        name, spelling = plan.text
        try:
            values[name] = spelling.value.parse(node.text)
        except ValueError:
            spelling.value.explain(node.text, f"<{node.tag}>", node.location, report)
    elif not node.text.isspace():
        report.add(
            rules.STRAY_TEXT,
            f"<{node.tag}> holds the text {shown(node.text)}",
            node.location,
            hint=f"only elements belong here: {', '.join(sorted(set(plan.children) - set(plan.aliases)))}",
        )


def _report_unknown(declared: type[Element], plan: _Plan, inner: Node, node: Node, report: Report) -> None:
    reason = declared.ignored.get(inner.tag)
    choices = set(plan.children) - set(plan.aliases)
    hint = reason or suggestion(inner.tag, choices) or f"<{node.tag}> holds no elements"
    report.add(rules.UNKNOWN_ELEMENT, f"<{node.tag}> has no element <{inner.tag[:80]}>", inner.location, hint=hint)


def _report_old_spelling(name: str, spelling: Spelling, reason: str, node: Node, report: Report) -> None:
    proper = spelling.name or "/".join(spelling.elements)
    report.add(rules.OLD_SPELLING, f"'{name}' is read as '{proper}': {reason}", node.location, hint=f"write '{proper}'")


def _report_duplicate(inner: Node, node: Node, spelling: Spelling, report: Report) -> None:
    first = node.find(*(spelling.elements or (spelling.name or "", *spelling.aliases)))
    related = (Related(location=first.location, message="the first one"),) if first is not None else ()
    report.add(
        rules.DUPLICATE_ELEMENT,
        f"<{node.tag}> has <{inner.tag}> once, this is another",
        inner.location,
        hint="the first one counts; remove this one",
        related=related,
    )


def _report_missing(spelling: Spelling, node: Node, report: Report) -> None:
    if spelling.kind is Kind.ATTRIBUTE:
        name = f"attribute '{spelling.name}'"
    else:
        name = " or ".join(f"<{tag}>" for tag in (spelling.elements or (spelling.name,)))
    if spelling.announce:
        taken = spelling.default if isinstance(spelling.default, str) else spelling.value.format(spelling.default)
        report.add(rules.DEFAULT_TAKEN, f"<{node.tag}> has no {name}: {taken} is taken", node.location)
    else:
        report.add(rules.MISSING_ELEMENT, f"<{node.tag}> has no {name}", node.location, hint=spelling.doc)


def _report_children_of_text(inner: Node, report: Report) -> None:
    for stray in inner.children:
        report.add(
            rules.UNKNOWN_ELEMENT,
            f"<{inner.tag}> holds text only, no element <{stray.tag[:80]}>",
            stray.location,
            hint="it may stand one level too deep, or a tag before it is not closed",
        )


def unbind(tag: str, instance: Element) -> Node:
    """Return the node that spells a declared element; what is absent, or a default that needs no saying, is left out."""
    node = xml.element(tag)
    for name, spelling in spellings(type(instance)).items():
        value = getattr(instance, name)
        if value is None or (value == spelling.default and not spelling.announce):
            continue
        for item in value if spelling.repeated else (value,):
            _unbind_field(node, spelling, item)
    return node


def _unbind_field(node: Node, spelling: Spelling, value: Any) -> None:
    name = spelling.name or ""
    if spelling.kind is Kind.ATTRIBUTE:
        node.attributes[name] = spelling.value.format(value)
    elif spelling.kind is Kind.CHILD:
        node.children.append(xml.element(name, text=spelling.value.format(value)))
    elif spelling.kind is Kind.TEXT:
        node.text = spelling.value.format(value)
    else:
        tag = next(tag for tag, target in spelling.elements.items() if target is type(value))
        node.children.append(unbind(tag, value))
