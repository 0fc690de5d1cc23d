"""RELAX NG schemas of XML formats from their declarations, for editors and validators.

RELAX NG states what the formats mean: children in any order, each at most once or any number of times, with required ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ossature.syntax import xml
from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings, walk
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import ValueType

_ANYTHING = "anything"
_FOREIGN = "foreign-attributes"
_RELAX_NG = "http://relaxng.org/ns/structure/1.0"
_DATATYPES = "http://www.w3.org/2001/XMLSchema-datatypes"
_ANNOTATIONS = "http://relaxng.org/ns/compatibility/annotations/1.0"
_SPACE = r"\s*"


def relax_ng(root: type[Element], tag: str) -> str:
    """Return the RELAX NG schema of an XML format, in XML syntax.

    Args:
        root: The declaration of the root element.
    """
    declared = [one for _, one in walk(root, tag)]
    names = {one: f"{one.__name__}.{number}" for number, one in enumerate(declared)}
    prefixes = {f"xmlns:{prefix}": uri for prefix, uri in root.namespaces.items() if prefix}
    own = {"ns": root.namespaces[""]} if "" in root.namespaces else {}
    grammar = element(
        "grammar",
        {"xmlns": _RELAX_NG, "datatypeLibrary": _DATATYPES, "xmlns:a": _ANNOTATIONS, **prefixes, **own},
    )
    foreign = ["", *(uri for prefix, uri in root.namespaces.items() if prefix)]
    grammar.children = [
        _with(element("start"), [_with(element("element", {"name": tag}), [element("ref", {"name": names[root]})])]),
        *(_definition(one, names) for one in declared),
        _anything(),
        _foreign_attributes(foreign),
    ]
    return xml.serialize(grammar)


def _with(node: XmlNode, children: Iterable[XmlNode]) -> XmlNode:
    node.children.extend(children)
    return node


def _definition(declared: type[Element], names: dict[type[Element], str]) -> XmlNode:
    specs = list(spellings(declared).values())
    attributes = [pattern for spec in specs if spec.kind is FieldKind.ATTRIBUTE for pattern in _attributes(spec)]
    children = [pattern for spec in specs for pattern in _children(spec, names)]
    texts = [spec for spec in specs if spec.kind is FieldKind.TEXT]
    content = [*children, *_other_children(declared, specs)]
    inner: list[XmlNode] = []
    if declared.opaque:
        inner = [element("ref", {"name": _ANYTHING})]
    elif texts and not content:
        inner = [_value(texts[0].value)]
    elif texts:
        inner = [element("mixed")]
        inner[0].children = [_with(element("interleave"), content)]
    elif content:
        inner = [_with(element("interleave"), content)]
    return _with(element("define", {"name": names[declared]}), [*attributes, element("ref", {"name": _FOREIGN}), *inner])


def _attributes(spec: FieldSpec) -> Iterator[XmlNode]:
    """Yield the pattern of an attribute; deprecated names are optional."""
    for number, name in enumerate((spec.name or "", *spec.aliases)):
        attribute = _with(element("attribute", {"name": name}), [*_documentation(spec), _value(spec.value)])
        is_required = spec.required and not number and not spec.aliases
        yield attribute if is_required else _with(element("optional"), [attribute])


def _children(spec: FieldSpec, names: dict[type[Element], str]) -> Iterator[XmlNode]:
    """Yield the pattern of a field with child elements: one of several, of which it may state several."""
    if spec.kind is FieldKind.ELEMENT:
        choices = [(tag, element("ref", {"name": names[target]})) for tag, target in spec.elements.items()]
    elif spec.kind is FieldKind.CHILD:
        choices = [(name, _value(spec.value)) for name in (spec.name or "", *spec.aliases)]
    else:
        return
    found = [
        _with(element("element", {"name": tag}), [*_documentation(spec), *_content(spec, content)]) for tag, content in choices
    ]
    pattern = found[0] if len(found) == 1 else _with(element("choice"), found)
    occurrence = {(False, False): "optional", (False, True): None, (True, False): "zeroOrMore", (True, True): "oneOrMore"}
    wrapper = occurrence[spec.repeated, spec.required]
    yield pattern if wrapper is None else _with(element(wrapper), [pattern])


def _content(spec: FieldSpec, content: XmlNode) -> list[XmlNode]:
    return [content] if spec.kind is FieldKind.ELEMENT else [element("ref", {"name": _FOREIGN}), content]


def _documentation(spec: FieldSpec) -> list[XmlNode]:
    unit = f" [{spec.unit}]" if spec.unit else ""
    return [element("a:documentation", text=f"{spec.doc}{unit}")] if spec.doc else []


def _other_children(declared: type[Element], specs: list[FieldSpec]) -> list[XmlNode]:
    """Return the pattern of elements that are passed through, or known and not read."""
    known = [tag for spec in specs for tag in (spec.elements or (spec.name or "", *spec.aliases)) if spec.kind in _IN_ELEMENTS]
    if declared.has_passthrough:
        except_known = _with(element("except"), [element("name", text=tag) for tag in known])
        name = _with(element("anyName"), [except_known] if known else [])
        return [_with(element("zeroOrMore"), [_with(element("element"), [name, element("ref", {"name": _ANYTHING})])])]
    others = [tag for tag in (*declared.ignored, *declared.unread) if tag not in known]
    return [
        _with(element("zeroOrMore"), [_with(element("element", {"name": tag}), [element("ref", {"name": _ANYTHING})])])
        for tag in others
    ]


_IN_ELEMENTS = (FieldKind.CHILD, FieldKind.ELEMENT)


def _foreign_attributes(namespaces: Iterable[str]) -> XmlNode:
    """Return the definition of attributes of other namespaces than those of the format, such as ``xml:base``."""
    name = _with(element("anyName"), [_with(element("except"), [element("nsName", {"ns": uri}) for uri in namespaces])])
    attributes = _with(element("zeroOrMore"), [_with(element("attribute"), [name, element("text")])])
    return _with(element("define", {"name": _FOREIGN}), [attributes])


def _anything() -> XmlNode:
    inner = _with(element("element"), [element("anyName"), element("ref", {"name": _ANYTHING})])
    attribute = _with(element("attribute"), [element("anyName"), element("text")])
    choice = _with(element("choice"), [attribute, element("text"), inner])
    return _with(element("define", {"name": _ANYTHING}), [_with(element("zeroOrMore"), [choice])])


# Values


def _value(value: ValueType[object]) -> XmlNode:
    if value.words and not value.name.startswith("list"):
        words = [element("value", text=word) for word in value.words]
        pattern = "|".join(_any_case(word) for word in value.words)
        return _with(element("choice"), [*words, _pattern(pattern)])
    count, _, rest = value.name.partition(" ")
    if count.isdecimal() and rest == "numbers":
        return _with(element("list"), [_data("double")] * int(count))
    return _TYPES[value.name]() if value.name in _TYPES else element("text")


def _data(name: str) -> XmlNode:
    return element("data", {"type": name})


def _pattern(expression: str) -> XmlNode:
    text = f"{_SPACE}({expression}){_SPACE}"
    return _with(element("data", {"type": "string"}), [element("param", {"name": "pattern"}, text=text)])


def _any_case(word: str) -> str:
    return "".join(f"[{letter.lower()}{letter.upper()}]" if letter.isalpha() else _escaped(letter) for letter in word)


def _escaped(letter: str) -> str:
    return letter if letter in "_ /" or letter.isalnum() else f"\\{letter}"


_TYPES = {
    "number": lambda: _data("double"),
    "number, inf or -inf": lambda: _with(
        element("choice"), [_data("double"), _pattern(r"[+\-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?")]
    ),
    "integer": lambda: _data("integer"),
    "numbers": lambda: _with(element("list"), [_with(element("zeroOrMore"), [_data("double")])]),
    "boolean": lambda: _with(
        element("choice"),
        [
            *(element("value", text=word) for word in ("true", "false", "1", "0")),
            _pattern("[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]"),
        ],
    ),
}
