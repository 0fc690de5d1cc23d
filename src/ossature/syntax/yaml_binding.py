"""YAML nodes ⇄ declared elements: one loop that finds by itself what is unknown, missing or of the wrong kind."""

from __future__ import annotations

from typing import Any, TypeVar

from ossature.diagnostics import Report
from ossature.syntax import rules
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings
from ossature.syntax.xml_values import shown
from ossature.syntax.yaml import NodeKind as NodeKind
from ossature.syntax.yaml import YamlNode

E = TypeVar("E", bound=Element)

_BY_KEY: dict[type[Element], dict[str, tuple[str, FieldSpec, str | None]]] = {}


def bind(declared: type[E], node: YamlNode, report: Report, name: str = "the file") -> E | None:
    """Return the declared element that a mapping spells, or None where there is no mapping.

    Every problem inside it goes to the report. A value that cannot be read counts as missing, without a second finding.

    Args:
        declared: The element.
        node: The mapping.
        report: Where findings go.
        name: What messages call it.
    """
    if node.kind is not NodeKind.MAPPING:
        what = "empty" if node.is_null else node.kind.value
        report.add(rules.WRONG_TYPE, f"{name} is {what}, not a mapping", node.location, hint=_choices_hint(declared))
        return None
    known = _by_key(declared)
    values: dict[str, Any] = {}
    unreadable: set[str] = set()
    for key, value_node in node.entries.items():
        entry = known.get(key)
        if entry is None:
            _report_unknown(declared, key, node, report, name)
            continue
        field_name, spelling, alias = entry
        if alias is not None:
            _report_alias(key, spelling, alias, node, report)
        if field_name in values:
            message = f"'{key}' and '{spelling.name}' are one"
            report.add(rules.DUPLICATE_KEY, message, node.field_location(key), hint="the first one counts")
            continue
        value = _value(value_node, spelling, report, key)
        if value is None:
            unreadable.add(field_name)
        else:
            values[field_name] = value
    for field_name, spelling in spellings(declared).items():
        if (spelling.required or spelling.announce) and field_name not in values and field_name not in unreadable:
            _report_missing(spelling, node, report, name)
    return declared(node=node, **values)


def _by_key(declared: type[Element]) -> dict[str, tuple[str, FieldSpec, str | None]]:
    known = _BY_KEY.get(declared)
    if known is None:
        known = {}
        for field_name, spelling in spellings(declared).items():
            known[spelling.name or field_name] = (field_name, spelling, None)
            for alias, reason in spelling.aliases.items():
                known[alias] = (field_name, spelling, reason)
        _BY_KEY[declared] = known
    return known


def _value(node: YamlNode, spelling: FieldSpec, report: Report, key: str) -> Any:
    if spelling.kind is FieldKind.ELEMENT:
        if spelling.repeated:
            return _items(node, spelling, report, key)
        return bind(next(iter(spelling.elements.values())), node, report, f"'{key}'")
    try:
        return spelling.value.parse(node)
    except ValueError:
        spelling.value.explain(node, f"'{key}'", node.location, report)
        return None


def _items(node: YamlNode, spelling: FieldSpec, report: Report, key: str) -> tuple[Any, ...] | None:
    if node.is_null:
        return ()
    if node.kind is not NodeKind.SEQUENCE:
        what = shown(node.text) if node.kind is NodeKind.SCALAR else node.kind.value
        hint = "write a dash before each of its items"
        report.add(rules.WRONG_TYPE, f"'{key}' is {what}, not a list", node.location, hint=hint)
        return None
    bound = [_item(item, spelling, report, f"an item of '{key}'") for item in node.items]
    return tuple([item for item in bound if item is not None])


def _item(node: YamlNode, spelling: FieldSpec, report: Report, name: str) -> Element | None:
    """Bind an item; where it may be one of several elements, its key 'type' says which."""
    if len(spelling.elements) == 1 or node.kind is not NodeKind.MAPPING:
        return bind(next(iter(spelling.elements.values())), node, report, name)
    stated = node.entries.get("type")
    if stated is None:
        report.add(rules.MISSING_KEY, f"{name} has no 'type'", node.location, hint=f"one of {', '.join(spelling.elements)}")
        return None
    declared = spelling.elements.get(stated.text.strip().upper())
    if declared is None:
        hint = report.suggestion(stated.text.strip(), list(spelling.elements))
        report.add(rules.BAD_WORD, f"'type' is {shown(stated.text)}", stated.location, hint=hint)
        return None
    return bind(declared, node, report, name)


def _choices_hint(declared: type[Element]) -> str:
    return f"its keys are {', '.join(spelling.name or '' for spelling in spellings(declared).values())}"


def _report_unknown(declared: type[Element], key: str, node: YamlNode, report: Report, name: str) -> None:
    reason = declared.ignored.get(key)
    choices = [spelling.name or "" for spelling in spellings(declared).values()]
    report.add(
        rules.UNKNOWN_KEY,
        f"{name} has no key {shown(key)}",
        node.field_location(key),
        hint=reason or report.suggestion(key, choices),
    )


def _report_alias(key: str, spelling: FieldSpec, reason: str, node: YamlNode, report: Report) -> None:
    report.add(
        rules.OLD_SPELLING,
        f"'{key}' is read as '{spelling.name}': {reason}",
        node.field_location(key),
        hint=f"write '{spelling.name}'",
    )


def _report_missing(spelling: FieldSpec, node: YamlNode, report: Report, name: str) -> None:
    if spelling.announce:
        message = f"{name} has no '{spelling.name}': {spelling.value.format(spelling.default)} is taken"
        report.add(rules.DEFAULT_TAKEN, message, node.location)
    else:
        report.add(rules.MISSING_KEY, f"{name} has no '{spelling.name}'", node.location, hint=spelling.doc)


def unbind(instance: Element) -> dict[str, Any]:
    """Return the plain data that spell a declared element; what is absent or a default is left out."""
    result: dict[str, Any] = {}
    for field_name, spelling in spellings(type(instance)).items():
        value = getattr(instance, field_name)
        if value is None or (value == spelling.default and not (spelling.announce or spelling.required)):
            continue
        name = spelling.name or field_name
        if spelling.kind is not FieldKind.ELEMENT:
            result[name] = spelling.value.format(value)
        elif not spelling.repeated:
            result[name] = unbind(value)
        elif value or spelling.required:
            result[name] = [unbind(item) for item in value]
    return result
