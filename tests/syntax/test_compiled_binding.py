"""The compiled binder of elements, beside that in Python: the same elements and findings, also of odd documents."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from ossature.diagnostics import Report, Source
from ossature.formats.builtin_formats import OWN_FORMATS
from ossature.syntax import xml, xml_binding, xml_parser
from ossature.syntax.compiled_xml import compiled_xml_module
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import bind
from ossature.syntax.xml_values import NUMBER, STRING, VECTOR3


class Leaf(Element):
    name: str | None = attribute(STRING, doc="Name.", required=True, aliases={"nom": "it was renamed"})
    mass: float = child(NUMBER, default=1.0, announce=True, doc="Mass.")
    size: tuple[float, float, float] | None = child(VECTOR3, doc="Size.", aliases={"dims": "it was renamed"})


class Number(Element):
    value: float | None = text(NUMBER, doc="Value.")


class Opaque(Element):
    opaque = True
    kind: str | None = attribute(STRING, doc="Kind.")


class PassedThrough(Element):
    has_passthrough = True
    leaf: Leaf | None = element(Leaf, doc="Leaf.")


class Prefixed(Element):
    passes_prefixed = True
    ignored: ClassVar = {"old": "it is not supported"}
    unread = frozenset({"colour"})


class OpaqueAndPassedThrough(Opaque):
    has_passthrough = True


class Root(Element):
    leaf: tuple[Leaf, ...] = element(Leaf, repeated=True, doc="Leaves.")
    first: Leaf | None = element(Leaf, required=True, doc="First.")
    number: tuple[Number, ...] = element(Number, repeated=True, doc="Numbers.")
    words: tuple[str, ...] = child(STRING, repeated=True, doc="Words.")
    inner: Root | None = element(lambda: Root, doc="Inner.")
    choice: Element | None = one_of({"opaque": Opaque, "passed": PassedThrough, "prefixed": Prefixed}, doc="Choice.")
    hidden: OpaqueAndPassedThrough | None = element(OpaqueAndPassedThrough, doc="Hidden.")


TAGS = (
    "leaf",
    "first",
    "number",
    "words",
    "inner",
    "opaque",
    "passed",
    "prefixed",
    "hidden",
    "old",
    "colour",
    "mass",
    "size",
    "dims",
)
NAMES = ("name", "nom", "kind", "mass", "nmae", "xmlns", "a:b", "value")
TEXTS = ("", "", " ", "1", "-2.5e3", "nan", "1_0", "1 2 3", "1 2", "inf 0 0", "word", "\u00a0")


@pytest.fixture(autouse=True)
def _requires_compiled_module() -> None:
    if compiled_xml_module() is None:
        pytest.skip("the compiled module is not installed")


def document(chosen: random.Random, depth: int = 5) -> str:
    """Return a random element."""
    tag = chosen.choice((*TAGS, "a:b", "unknown"))
    attributes = "".join(f" {name}='{chosen.choice(TEXTS)}'" for name in chosen.sample(NAMES, chosen.choice((0, 0, 1, 2))))
    inner = "".join(document(chosen, depth - 1) for _ in range(chosen.choice((0, 1, 2, 3)) if depth else 0))
    return f"<{tag}{attributes}>{chosen.choice(TEXTS)}{inner}</{tag}>"


def contents(value: Any) -> Any:
    if isinstance(value, Element):
        return type(value), [(name, contents(inner)) for name, inner in vars(value).items()]
    if isinstance(value, XmlNode):
        return id(value)
    return [contents(item) for item in value] if isinstance(value, tuple) else (type(value), repr(value))


def both(monkeypatch: pytest.MonkeyPatch, declared: type[Element], root: XmlNode) -> tuple[Any, Any]:
    """Return what a document is bound to, and the findings: by the compiled binder, and in Python."""
    results = []
    for binder in (xml_binding._binder(), xml_binding._bind_in_python):
        report = Report()
        with monkeypatch.context() as patched:
            patched.setattr(xml_binding, "_binder", lambda binder=binder: binder)
            bound = contents(bind(declared, root, report))
        findings = [(one.rule, one.message, one.location, one.hint, one.related, one.make_fix is None) for one in report]
        results.append((bound, findings))
    return results[0], results[1]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(10))
def test_same_elements_and_findings_for_random_documents(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    chosen = random.Random(seed)
    found = set()
    for _ in range(100):
        inner = "".join(document(chosen) for _ in range(4))
        root = xml_parser.parse(Source("file.xml", f"<root>{inner}</root>".encode()), Report())
        assert root is not None
        compiled, expected = both(monkeypatch, Root, root)
        assert compiled == expected
        found |= {rule.name for rule, *_ in expected[1]}
    assert len(found) >= 9


def roots() -> Iterator[tuple[str, type[Element]]]:
    for known in OWN_FORMATS:
        if known.syntax == "xml":
            yield from ((f"{known.name} {tag}", declared) for tag, declared in known.schema())


@pytest.mark.parametrize("declared", [declared for _, declared in roots()], ids=[name for name, _ in roots()])
def test_same_elements_and_findings_for_all_tags_of_a_format(monkeypatch: pytest.MonkeyPatch, declared: type[Element]) -> None:
    def inside(kind: type[Element], depth: int) -> str:
        plan = xml_binding._PLANS.get(kind) or xml_binding._make_plan(kind)
        parts = []
        for tag, entry in plan.children.items():
            content = inside(entry.target, depth - 1) if entry.target is not None and depth else chosen.choice(TEXTS)
            names = plan.attributes if entry.target is None else (xml_binding._make_plan(entry.target)).attributes
            attributes = "".join(f" {name}='{chosen.choice(TEXTS)}'" for name in names if chosen.random() < 0.5)
            parts += [f"<{tag}{attributes}>{content}</{tag}>"] * chosen.choice((0, 1, 1, 2))
        return "".join(parts)

    chosen = random.Random(0)
    for _ in range(3):
        root = xml_parser.parse(Source("file.xml", f"<root>{inside(declared, 2)}</root>".encode()), Report())
        assert root is not None
        compiled, expected = both(monkeypatch, declared, root)
        assert compiled == expected


def test_elements_that_are_as_declared_are_bound_without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    module = compiled_xml_module()
    assert module is not None
    binder = module.Binder(XmlNode, {}, (xml_binding._make_plan, *[None] * 4))
    leaf = "<mass>2</mass><size>1 2 3</size>"
    content = (
        f"<leaf name='a'>{leaf}</leaf><leaf name='b'>{leaf}</leaf><first name='c'>{leaf}</first><opaque kind='k'><x/></opaque>"
    )
    root = xml_parser.parse(Source("file.xml", f"<root>{content}</root>".encode()), Report())
    bound = binder(Root, root, None)
    assert [one.name for one in bound.leaf] == ["a", "b"]
    assert (bound.first.mass, bound.first.size, bound.choice.kind) == (2.0, (1.0, 2.0, 3.0), "k")
    with pytest.raises(TypeError):  # the functions are needed for what is not as declared
        binder(Leaf, root, None)


def test_errors_of_parsers_and_reports_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    root = xml_parser.parse(Source("file.xml", b"<root><leaf name='a' other='1'/></root>"), Report())
    assert root is not None

    def fail(*_: object, **__: object) -> None:
        raise LookupError("tested")

    report = Report()
    monkeypatch.setattr(report, "add", fail)
    with pytest.raises(LookupError, match="tested"):
        bind(Root, root, report)


def test_too_deep_elements_are_an_error_of_python() -> None:
    deep = xml.element("inner")
    for _ in range(100_000):
        outer = xml.element("inner")
        outer.children.append(deep)
        deep = outer
    with pytest.raises(RecursionError):
        bind(Root, deep, Report())
    while deep.children:  # one by one, because also deallocation is recursive
        deep = deep.children.pop()


@pytest.mark.parametrize("node", [None, 1, "text", Leaf()])
def test_other_nodes_are_errors(node: Any) -> None:
    with pytest.raises((TypeError, AttributeError)):
        bind(Root, node, Report())


def test_no_memory_is_kept() -> None:
    chosen = random.Random(1)
    documents = ["<root>" + "".join(document(chosen) for _ in range(4)) + "</root>" for _ in range(20)]
    parsed = [xml_parser.parse(Source("file.xml", one.encode()), Report()) for one in documents]

    def bind_all() -> int:
        for root in parsed:
            assert root is not None
            bind(Root, root, Report())
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        bind_all()
        before = bind_all()
        assert bind_all() - before < 10_000
    finally:
        tracemalloc.stop()
