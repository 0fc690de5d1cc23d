"""Binding of XML nodes to declared elements, with findings for unknown, missing, duplicate and misspelt content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

from ossature.diagnostics import Related, Report
from ossature.diagnostics.fix import MakeFix
from ossature.instance_maker import compiled_instance_module
from ossature.syntax import rules, xml, xml_fixes
from ossature.syntax.compiled_xml import compiled_xml_module
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import shown

E = TypeVar("E", bound=Element)


class _Entry(NamedTuple):
    """How one tag or attribute is bound."""

    field: str
    spec: FieldSpec
    parse: Callable[[str], Any]
    """Parser of the text; not used for fields with structure."""
    target: type[Element] | None
    """Class of the element, for fields with structure."""
    is_repeated: bool
    """Whether it is an element that can occur several times."""
    alias: str | None
    """Why this name is deprecated, or None."""


class _Plan(NamedTuple):
    """The lookup tables of the binder for one class. The compiled binder knows the order of these fields, and of an entry."""

    attributes: dict[str, _Entry]
    children: dict[str, _Entry]
    text: _Entry | None
    expected: tuple[tuple[str, FieldSpec], ...]
    """Fields that are reported if they are missing."""
    repeated: tuple[str, ...]
    """Fields that can occur several times."""
    make: Callable[[dict[str, Any]], Any]
    """Makes an instance with values of its fields."""
    is_opaque: bool
    binds_attributes: bool

    def choices(self) -> list[str]:
        """Return the tags of children, without deprecated ones."""
        return [tag for tag, entry in self.children.items() if entry.alias is None]

    def repeatable(self) -> list[str]:
        """Return the tags of children that may occur several times."""
        return [tag for tag, entry in self.children.items() if entry.spec.repeated]


_PLANS: dict[type[Element], _Plan] = {}


def _make_plan(declared: type[Element]) -> _Plan:
    attributes: dict[str, _Entry] = {}
    children: dict[str, _Entry] = {}
    text = None
    for field_name, spec in spellings(declared).items():
        name = spec.name or field_name
        if spec.kind is FieldKind.ELEMENT:
            for tag, target in spec.elements.items():
                children[tag] = _Entry(field_name, spec, spec.value.parse, target, spec.repeated, None)
            continue
        entry = _Entry(field_name, spec, spec.value.parse, None, False, None)
        if spec.kind is FieldKind.TEXT:
            text = entry
            continue
        entries = attributes if spec.kind is FieldKind.ATTRIBUTE else children
        entries[name] = entry
        for alias, reason in spec.aliases.items():
            entries[alias] = entry._replace(alias=reason)
    expected = tuple((name, spec) for name, spec in spellings(declared).items() if spec.required or spec.announce)
    repeated = tuple(name for name, spec in spellings(declared).items() if spec.repeated)
    binds_attributes = not (declared.opaque and declared.has_passthrough)
    tables = (attributes, children, text, expected, repeated)
    plan = _PLANS[declared] = _Plan(*tables, _maker(declared), declared.opaque, binds_attributes)
    return plan


def _maker(declared: type[Element]) -> Callable[[dict[str, Any]], Any]:
    """Return a function that does the same as ``from_known_fields``, in a third of the time if it is compiled."""
    module = compiled_instance_module()
    maker: Callable[[dict[str, Any]], Any] = (
        declared.from_known_fields if module is None else module.InstanceMaker(declared, ("__dict__",))
    )
    return maker


def bind(declared: type[E], node: XmlNode, report: Report) -> E:
    """Return the declared element of a node; the report receives the findings.

    A field with an invalid value is treated as missing, without a second finding.
    """
    bound: E = _binder()(declared, node, report)
    return bound


@cache
def _binder() -> Callable[[type[Element], XmlNode, Report], Any]:
    """Return the compiled binder, which leaves all that is not as declared to the functions below, or that in Python."""
    module = compiled_xml_module()
    if module is None:
        return _bind_in_python
    functions = (_make_plan, _bind_attribute, _bind_child, _bind_text, _report_missing_fields)
    binder: Callable[[type[Element], XmlNode, Report], Any] = module.Binder(XmlNode, _PLANS, functions)
    return binder


def _bind_in_python(declared: type[Element], node: XmlNode, report: Report) -> Any:
    plan = _PLANS.get(declared) or _make_plan(declared)
    values: dict[str, Any] = {"node": node}
    unreadable: list[str] = []
    if plan.binds_attributes:
        for name, text in node.attributes.items():
            _bind_attribute(plan, node, name, text, values, unreadable, report)
    if plan.is_opaque:
        return plan.make(values)
    for inner in node.children:
        _bind_child(declared, plan, node, inner, values, unreadable, report)
    if node.text:
        _bind_text(plan, node, values, unreadable, report)
    if plan.expected:
        _report_missing_fields(declared, plan, node, values, unreadable, report)
    for name in plan.repeated:
        if name in values:
            values[name] = tuple(values[name])
    return plan.make(values)


def _bind_attribute(
    plan: _Plan, node: XmlNode, name: str, text: str, values: dict[str, Any], unreadable: list[str], report: Report
) -> None:
    entry = plan.attributes.get(name)
    if entry is None:
        _report_unknown_attribute(node, name, plan.attributes, report)
        return
    if entry.alias is not None:
        _report_deprecated_name(name, entry.spec, entry.alias, node, report)
    try:
        values[entry.field] = entry.parse(text)
    except ValueError:
        entry.spec.value.explain(text, f"attribute '{name}'", node.attribute_location(name), report)
        unreadable.append(entry.field)


def _report_unknown_attribute(node: XmlNode, name: str, known: Mapping[str, _Entry], report: Report) -> None:
    if name.startswith("xml") or ":" in name:
        return
    report.add(
        rules.UNKNOWN_ATTRIBUTE,
        f"unknown attribute {shown(name)} of <{node.tag}>",
        node.attribute_location(name),
        hint=report.suggestion(name, known) or f"<{node.tag}> has no attributes",
        fix=partial(xml_fixes.rename_attribute, node, name, known),
    )


def _bind_child(
    declared: type[Element],
    plan: _Plan,
    node: XmlNode,
    inner: XmlNode,
    values: dict[str, Any],
    unreadable: list[str],
    report: Report,
) -> None:
    entry = plan.children.get(inner.tag)
    if entry is None:
        _report_unknown(declared, plan, inner, node, report)
        return
    name, spec, parse, target, is_repeated, alias = entry
    if alias is not None:
        _report_deprecated_name(inner.tag, spec, alias, inner, report)
    if target is not None:
        if is_repeated:
            values.setdefault(name, []).append(bind(target, inner, report))
            return
        value: Any = bind(target, inner, report) if name not in values else None
    else:
        value = _bind_text_of(inner, parse, spec, report) if name not in values else None
    if name in values or name in unreadable:
        _report_duplicate(inner, node, spec, report)
    elif value is None:
        unreadable.append(name)
    else:
        values[name] = value


def _bind_text_of(inner: XmlNode, parse: Callable[[str], Any], spec: FieldSpec, report: Report) -> Any:
    if inner.children:
        _report_unexpected_children(inner, report)
    for name in inner.attributes:
        _report_unknown_attribute(inner, name, {}, report)
    try:
        return parse(inner.text)
    except ValueError:
        spec.value.explain(inner.text, f"<{inner.tag}>", inner.location, report)
        return None


def _bind_text(plan: _Plan, node: XmlNode, values: dict[str, Any], unreadable: list[str], report: Report) -> None:
    if plan.text is not None:
        value_type = plan.text.spec.value
        try:
            values[plan.text.field] = value_type.parse(node.text)
        except ValueError:
            value_type.explain(node.text, f"<{node.tag}>", node.location, report)
            unreadable.append(plan.text.field)
    elif not node.text.isspace():
        report.add(
            rules.UNEXPECTED_TEXT,
            f"unexpected text {shown(node.text)} in <{node.tag}>",
            node.location,
            hint=_allowed_content(plan, node.tag),
        )


def _allowed_content(plan: _Plan, tag: str) -> str:
    if plan.choices():
        return f"only these elements are allowed: {', '.join(sorted(plan.choices()))}"
    return f"use an attribute: {', '.join(plan.attributes)}" if plan.attributes else f"<{tag}> has no content"


def _report_unknown(declared: type[Element], plan: _Plan, inner: XmlNode, node: XmlNode, report: Report) -> None:
    if declared.has_passthrough or (declared.passes_prefixed and ":" in inner.tag):
        return
    if inner.tag in declared.unread:
        report.add(rules.UNREAD_ELEMENT, f"<{inner.tag}> in <{node.tag}> is ignored", inner.location)
        return
    reason = declared.ignored.get(inner.tag)
    hint = reason or report.suggestion(inner.tag, plan.choices()) or f"<{node.tag}> has no child elements"
    report.add(
        rules.UNKNOWN_ELEMENT,
        f"unknown element <{inner.tag[:80]}> in <{node.tag}>",
        inner.location,
        hint=hint,
        fix=None if reason else partial(xml_fixes.rename_element, inner, node, plan.choices(), plan.repeatable()),
    )


def _report_deprecated_name(name: str, spec: FieldSpec, reason: str, node: XmlNode, report: Report) -> None:
    proper = spec.name or "/".join(spec.elements)
    fix: MakeFix | None = None
    if spec.kind is FieldKind.ATTRIBUTE:
        fix = partial(xml_fixes.replace_deprecated_attribute, node, name, proper)
    elif spec.kind is FieldKind.CHILD or len(spec.elements) == 1:
        fix = partial(xml_fixes.replace_deprecated_element, node, proper)
    message = f"'{name}' is read as '{proper}': {reason}"
    report.add(rules.DEPRECATED_SPELLING, message, node.location, hint=f"write '{proper}'", fix=fix)


def _report_duplicate(inner: XmlNode, node: XmlNode, spec: FieldSpec, report: Report) -> None:
    first = node.find(*(spec.elements or (spec.name or "", *spec.aliases)))
    related = (Related(location=first.location, message="first occurrence"),) if first is not None else ()
    report.add(
        rules.DUPLICATE_ELEMENT,
        f"duplicate <{inner.tag}> in <{node.tag}>",
        inner.location,
        hint="the first one is used; remove this one",
        related=related,
        fix=partial(xml_fixes.remove_duplicate_element, inner, first) if first is not None else None,
    )


def _report_missing_fields(
    declared: type[Element], plan: _Plan, node: XmlNode, values: dict[str, Any], unreadable: list[str], report: Report
) -> None:
    for name, spec in plan.expected:
        if name not in values and name not in unreadable:
            _report_missing(declared, spec, node, report)


def _report_missing(declared: type[Element], spec: FieldSpec, node: XmlNode, report: Report) -> None:
    if spec.kind is FieldKind.ATTRIBUTE:
        name = f"attribute '{spec.name}'"
    elif spec.kind is FieldKind.TEXT:
        name = "text"
    else:
        name = " or ".join(f"<{tag}>" for tag in (spec.elements or (spec.name,)))
    if spec.announce:
        default = spec.default if isinstance(spec.default, str) else spec.value.format(spec.default)
        message = f"<{node.tag}> has no {name}: using {default}"
        report.add(rules.DEFAULT_USED, message, node.location, fix=_fix_default(spec, node, default))
    else:
        rule = declared.missing_rule or rules.MISSING_ELEMENT
        stated = f"{spec.name}=…" if spec.kind is FieldKind.ATTRIBUTE else name
        report.add(rule, f"<{node.tag}> has no {name}", node.location, hint=spec.hint_for_missing(stated))


def _fix_default(spec: FieldSpec, node: XmlNode, default: str) -> MakeFix | None:
    if spec.kind is FieldKind.ATTRIBUTE:
        return partial(xml_fixes.state_attributes, node, {spec.name or "": default})
    if spec.kind is FieldKind.CHILD:
        return partial(xml_fixes.state_child, node, f"<{spec.name}>{xml.escaped(default)}</{spec.name}>")
    return None


def _report_unexpected_children(inner: XmlNode, report: Report) -> None:
    for child in inner.children:
        report.add(
            rules.UNKNOWN_ELEMENT,
            f"unexpected element <{child.tag[:80]}> in <{inner.tag}>, which contains text only",
            child.location,
            hint="it may be one level too deep, or a tag before it is not closed",
        )


def unbind(tag: str, instance: Element) -> XmlNode:
    """Return the node of a declared element, without missing fields, and without defaults that need not be written.

    The content of an opaque element and the order of its attributes are those of its node.
    """
    node = xml.element(tag)
    if instance.opaque and isinstance(instance.node, XmlNode):
        node.attributes.update(instance.node.attributes)
        node.children.extend(instance.node.children)
        node.text = instance.node.data.decode("utf-8", "replace").strip()
    for name, spec in spellings(type(instance)).items():
        value = getattr(instance, name)
        if value is None or (value == spec.default and not (spec.announce or spec.always_written)):
            continue
        for item in value if spec.repeated else (value,):
            _unbind_field(node, spec, item)
    return node


def _unbind_field(node: XmlNode, spec: FieldSpec, value: Any) -> None:
    name = spec.name or ""
    if spec.kind is FieldKind.ATTRIBUTE:
        node.attributes[name] = spec.value.format(value)
    elif spec.kind is FieldKind.CHILD:
        node.children.append(xml.element(name, text=spec.value.format(value)))
    elif spec.kind is FieldKind.TEXT:
        node.text = spec.value.format(value)
    else:
        tag = next(tag for tag, target in spec.elements.items() if target is type(value))
        node.children.append(unbind(tag, value))
