"""XML nodes ⇄ declared elements: one loop that finds by itself what is unknown, missing, doubled or misspelt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from ossature.diagnostics import Related, Report
from ossature.syntax import rules, xml
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import shown

E = TypeVar("E", bound=Element)


class _Entry(NamedTuple):
    """What the binder does with one tag or attribute."""

    field: str
    spelling: FieldSpec
    parse: Callable[[str], Any] | None
    """For text."""
    target: type[Element] | None
    """For structure."""
    alias: str | None
    """Why this is not the proper name, if it is not."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the binder looks up for each element of one class."""

    attributes: dict[str, _Entry]
    children: dict[str, _Entry]
    text: _Entry | None
    expected: tuple[tuple[str, FieldSpec], ...]
    """Fields whose absence is a finding."""
    repeated: tuple[str, ...]
    """Fields that may stand several times."""

    def choices(self) -> list[str]:
        """Return the proper names of children."""
        return [tag for tag, entry in self.children.items() if entry.alias is None]


_PLANS: dict[type[Element], _Plan] = {}


def _make_plan(declared: type[Element]) -> _Plan:
    attributes: dict[str, _Entry] = {}
    children: dict[str, _Entry] = {}
    text = None
    for field_name, spelling in spellings(declared).items():
        name = spelling.name or field_name
        if spelling.kind is FieldKind.ELEMENT:
            for tag, target in spelling.elements.items():
                children[tag] = _Entry(field_name, spelling, None, target, None)
            continue
        entry = _Entry(field_name, spelling, spelling.value.parse, None, None)
        if spelling.kind is FieldKind.TEXT:
            text = entry
            continue
        place = attributes if spelling.kind is FieldKind.ATTRIBUTE else children
        place[name] = entry
        for alias, reason in spelling.aliases.items():
            place[alias] = entry._replace(alias=reason)
    expected = tuple(
        (name, spelling) for name, spelling in spellings(declared).items() if spelling.required or spelling.announce
    )
    repeated = tuple(name for name, spelling in spellings(declared).items() if spelling.repeated)
    plan = _PLANS[declared] = _Plan(attributes, children, text, expected, repeated)
    return plan


def bind(declared: type[E], node: XmlNode, report: Report) -> E:
    """Return the declared element that a node spells; every problem inside it goes to the report.

    A value that cannot be read counts as missing, without a second finding.
    """
    plan = _PLANS.get(declared) or _make_plan(declared)
    values: dict[str, Any] = {}
    unreadable: list[str] = []
    if node.attributes:
        _bind_attributes(plan, node, values, unreadable, report)
    if declared.opaque:
        return declared(node=node, **values)
    known = plan.children
    for inner in node.children:
        entry = known.get(inner.tag)
        if entry is None:
            _report_unknown(declared, plan, inner, node, report)
            continue
        name, spelling, parse, target, alias = entry
        if alias is not None:
            _report_old_spelling(inner.tag, spelling, alias, inner, report)
        if target is not None:
            if spelling.repeated:
                values.setdefault(name, []).append(bind(target, inner, report))
                continue
            value: Any = bind(target, inner, report) if name not in values else None
        else:
            value = _bind_text_of(inner, parse, spelling, report) if name not in values else None
        if name in values or name in unreadable:
            _report_duplicate(inner, node, spelling, report)
        elif value is None:
            unreadable.append(name)
        else:
            values[name] = value
    if node.text:
        _bind_text(plan, node, values, unreadable, report)
    for name, spelling in plan.expected:
        if name not in values and name not in unreadable:
            _report_missing(spelling, node, report)
    for name in plan.repeated:
        if name in values:
            values[name] = tuple(values[name])
    return declared(node=node, **values)


def _bind_text_of(inner: XmlNode, parse: Any, spelling: FieldSpec, report: Report) -> Any:
    if inner.children:
        _report_children_of_text(inner, report)
    try:
        return parse(inner.text)
    except ValueError:
        spelling.value.explain(inner.text, f"<{inner.tag}>", inner.location, report)
        return None


def _bind_attributes(plan: _Plan, node: XmlNode, values: dict[str, Any], unreadable: list[str], report: Report) -> None:
    for name, text in node.attributes.items():
        entry = plan.attributes.get(name)
        if entry is None:
            if not (name.startswith("xml") or ":" in name):
                report.add(
                    rules.UNKNOWN_ATTRIBUTE,
                    f"<{node.tag}> has no attribute {shown(name)}",
                    node.attribute_location(name),
                    hint=report.suggestion(name, plan.attributes) or f"<{node.tag}> has no attributes",
                )
            continue
        if entry.alias is not None:
            _report_old_spelling(name, entry.spelling, entry.alias, node, report)
        value_type = entry.spelling.value
        try:
            values[entry.field] = value_type.parse(text)
        except ValueError:
            value_type.explain(text, f"attribute '{name}'", node.attribute_location(name), report)
            unreadable.append(entry.field)


def _bind_text(plan: _Plan, node: XmlNode, values: dict[str, Any], unreadable: list[str], report: Report) -> None:
    if plan.text is not None:
        value_type = plan.text.spelling.value
        try:
            values[plan.text.field] = value_type.parse(node.text)
        except ValueError:
            value_type.explain(node.text, f"<{node.tag}>", node.location, report)
            unreadable.append(plan.text.field)
    elif not node.text.isspace():
        report.add(
            rules.STRAY_TEXT,
            f"<{node.tag}> holds the text {shown(node.text)}",
            node.location,
            hint=_what_belongs(plan, node.tag),
        )


def _what_belongs(plan: _Plan, tag: str) -> str:
    if plan.choices():
        return f"only elements belong here: {', '.join(sorted(plan.choices()))}"
    return f"it belongs into an attribute: {', '.join(plan.attributes)}" if plan.attributes else f"<{tag}> is empty"


def _report_unknown(declared: type[Element], plan: _Plan, inner: XmlNode, node: XmlNode, report: Report) -> None:
    if declared.keeps_others:
        return
    if inner.tag in declared.unread:
        report.add(rules.UNREAD_ELEMENT, f"<{inner.tag}> inside <{node.tag}> is passed over", inner.location)
        return
    reason = declared.ignored.get(inner.tag)
    hint = reason or report.suggestion(inner.tag, plan.choices()) or f"<{node.tag}> holds no elements"
    report.add(rules.UNKNOWN_ELEMENT, f"<{node.tag}> has no element <{inner.tag[:80]}>", inner.location, hint=hint)


def _report_old_spelling(name: str, spelling: FieldSpec, reason: str, node: XmlNode, report: Report) -> None:
    proper = spelling.name or "/".join(spelling.elements)
    report.add(rules.OLD_SPELLING, f"'{name}' is read as '{proper}': {reason}", node.location, hint=f"write '{proper}'")


def _report_duplicate(inner: XmlNode, node: XmlNode, spelling: FieldSpec, report: Report) -> None:
    first = node.find(*(spelling.elements or (spelling.name or "", *spelling.aliases)))
    related = (Related(location=first.location, message="the first one"),) if first is not None else ()
    report.add(
        rules.DUPLICATE_ELEMENT,
        f"<{node.tag}> has <{inner.tag}> once, this is another",
        inner.location,
        hint="the first one counts; remove this one",
        related=related,
    )


def _report_missing(spelling: FieldSpec, node: XmlNode, report: Report) -> None:
    if spelling.kind is FieldKind.ATTRIBUTE:
        name = f"attribute '{spelling.name}'"
    else:
        name = " or ".join(f"<{tag}>" for tag in (spelling.elements or (spelling.name,)))
    if spelling.announce:
        taken = spelling.default if isinstance(spelling.default, str) else spelling.value.format(spelling.default)
        report.add(rules.DEFAULT_TAKEN, f"<{node.tag}> has no {name}: {taken} is taken", node.location)
    else:
        report.add(rules.MISSING_ELEMENT, f"<{node.tag}> has no {name}", node.location, hint=spelling.doc)


def _report_children_of_text(inner: XmlNode, report: Report) -> None:
    for stray in inner.children:
        report.add(
            rules.UNKNOWN_ELEMENT,
            f"<{inner.tag}> holds text only, no element <{stray.tag[:80]}>",
            stray.location,
            hint="it may stand one level too deep, or a tag before it is not closed",
        )


def unbind(tag: str, instance: Element) -> XmlNode:
    """Return the node that spells a declared element; what is absent, or a default that needs no saying, is left out.

    What is inside an opaque element comes from its node, and so does the order of its attributes.
    """
    node = xml.element(tag)
    if instance.opaque and isinstance(instance.node, XmlNode):
        node.attributes.update(instance.node.attributes)
        node.children.extend(instance.node.children)
        node.text = instance.node.data.decode("utf-8", "replace").strip()
    for name, spelling in spellings(type(instance)).items():
        value = getattr(instance, name)
        if value is None or (value == spelling.default and not spelling.announce):
            continue
        for item in value if spelling.repeated else (value,):
            _unbind_field(node, spelling, item)
    return node


def _unbind_field(node: XmlNode, spelling: FieldSpec, value: Any) -> None:
    name = spelling.name or ""
    if spelling.kind is FieldKind.ATTRIBUTE:
        node.attributes[name] = spelling.value.format(value)
    elif spelling.kind is FieldKind.CHILD:
        node.children.append(xml.element(name, text=spelling.value.format(value)))
    elif spelling.kind is FieldKind.TEXT:
        node.text = spelling.value.format(value)
    else:
        tag = next(tag for tag, target in spelling.elements.items() if target is type(value))
        node.children.append(unbind(tag, value))
