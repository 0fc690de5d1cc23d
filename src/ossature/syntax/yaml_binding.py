"""Binding of YAML nodes to declared elements, with findings for unknown, missing and invalid content."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

from ossature.diagnostics import Report
from ossature.syntax import rules, yaml_fixes
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings
from ossature.syntax.xml_values import shown
from ossature.syntax.yaml import NodeKind as NodeKind
from ossature.syntax.yaml import YamlNode

E = TypeVar("E", bound=Element)

_SPECS_BY_KEY: dict[type[Element], dict[str, tuple[str, FieldSpec, str | None]]] = {}


def bind(declared: type[E], node: YamlNode, report: Report, name: str = "the file") -> E | None:
    """Return the declared element of a mapping, or None if the node is not a mapping.

    A field with an invalid value is treated as missing, without a second finding.

    Args:
        node: The mapping.
        name: Its name in messages.
    """
    if node.kind is not NodeKind.MAPPING:
        value = "empty" if node.is_null else node.kind.value
        report.add(rules.WRONG_TYPE, f"{name} is {value}, not a mapping", node.location, hint=_choices_hint(declared))
        return None
    known = _specs_by_key(declared)
    values: dict[str, Any] = {}
    unreadable: set[str] = set()
    for key, value_node in node.entries.items():
        entry = known.get(key)
        if entry is None:
            _report_unknown(declared, key, node, report, name)
            continue
        field_name, spec, alias = entry
        if alias is not None:
            _report_alias(key, spec, alias, node, report)
        if field_name in values:
            message = f"'{key}' and '{spec.name}' are the same key"
            report.add(rules.DUPLICATE_KEY, message, node.field_location(key), hint="the first one is used; remove this one")
            continue
        value = _bind_value(value_node, spec, report, key)
        if value is None:
            unreadable.add(field_name)
        else:
            values[field_name] = value
    for field_name, spec in spellings(declared).items():
        if (spec.required or spec.announce) and field_name not in values and field_name not in unreadable:
            _report_missing(spec, node, report, name)
    return declared(node=node, **values)


def _specs_by_key(declared: type[Element]) -> dict[str, tuple[str, FieldSpec, str | None]]:
    known = _SPECS_BY_KEY.get(declared)
    if known is None:
        known = {}
        for field_name, spec in spellings(declared).items():
            known[spec.name or field_name] = (field_name, spec, None)
            for alias, reason in spec.aliases.items():
                known[alias] = (field_name, spec, reason)
        _SPECS_BY_KEY[declared] = known
    return known


def _bind_value(node: YamlNode, spec: FieldSpec, report: Report, key: str) -> Any:
    if spec.kind is FieldKind.ELEMENT:
        if spec.repeated:
            return _bind_items(node, spec, report, key)
        return bind(next(iter(spec.elements.values())), node, report, f"'{key}'")
    try:
        return spec.value.parse(node)
    except ValueError:
        spec.value.explain(node, f"'{key}'", node.location, report)
        return None


def _bind_items(node: YamlNode, spec: FieldSpec, report: Report, key: str) -> tuple[Any, ...] | None:
    if node.is_null:
        return ()
    if node.kind is not NodeKind.SEQUENCE:
        value = shown(node.text) if node.kind is NodeKind.SCALAR else node.kind.value
        hint = "write a dash before each of its items"
        report.add(rules.WRONG_TYPE, f"'{key}' is {value}, not a list", node.location, hint=hint)
        return None
    bound = [_bind_item(item, spec, report, f"an item of '{key}'") for item in node.items]
    return tuple([item for item in bound if item is not None])


def _bind_item(node: YamlNode, spec: FieldSpec, report: Report, name: str) -> Element | None:
    """Return the element of an item; the key 'type' selects one of several classes."""
    if len(spec.elements) == 1 or node.kind is not NodeKind.MAPPING:
        return bind(next(iter(spec.elements.values())), node, report, name)
    specified = node.entries.get("type")
    if specified is None:
        report.add(rules.MISSING_KEY, f"{name} has no 'type'", node.location, hint=f"one of {', '.join(spec.elements)}")
        return None
    declared = spec.elements.get(specified.text.strip().upper())
    if declared is None:
        hint = report.suggestion(specified.text.strip(), list(spec.elements))
        report.add(rules.INVALID_CHOICE, f"'type' is {shown(specified.text)}", specified.location, hint=hint)
        return None
    return bind(declared, node, report, name)


def _choices_hint(declared: type[Element]) -> str:
    return f"valid keys: {', '.join(spec.name or '' for spec in spellings(declared).values())}"


def _report_unknown(declared: type[Element], key: str, node: YamlNode, report: Report, name: str) -> None:
    reason = declared.ignored.get(key)
    choices = [spec.name or "" for spec in spellings(declared).values()]
    report.add(
        rules.UNKNOWN_KEY,
        f"unknown key {shown(key)} in {name}",
        node.field_location(key),
        hint=reason or report.suggestion(key, choices),
        fix=None if reason else partial(yaml_fixes.rename_key, node, key, choices),
    )


def _report_alias(key: str, spec: FieldSpec, reason: str, node: YamlNode, report: Report) -> None:
    report.add(
        rules.DEPRECATED_SPELLING,
        f"'{key}' is read as '{spec.name}': {reason}",
        node.field_location(key),
        hint=f"write '{spec.name}'",
        fix=partial(yaml_fixes.replace_key, node, key, spec.name or ""),
    )


def _report_missing(spec: FieldSpec, node: YamlNode, report: Report, name: str) -> None:
    if spec.announce:
        message = f"{name} has no '{spec.name}': using {spec.value.format(spec.default)}"
        report.add(rules.DEFAULT_USED, message, node.location)
    else:
        report.add(
            rules.MISSING_KEY, f"{name} has no '{spec.name}'", node.location, hint=spec.hint_for_missing(f"{spec.name}: …")
        )


def unbind(instance: Element) -> dict[str, Any]:
    """Return a declared element as plain data, without missing fields and defaults."""
    result: dict[str, Any] = {}
    for field_name, spec in spellings(type(instance)).items():
        value = getattr(instance, field_name)
        if value is None or (value == spec.default and not (spec.announce or spec.required)):
            continue
        name = spec.name or field_name
        if spec.kind is not FieldKind.ELEMENT:
            result[name] = spec.value.format(value)
        elif not spec.repeated:
            result[name] = unbind(value)
        elif value or spec.required:
            result[name] = [unbind(item) for item in value]
    return result
