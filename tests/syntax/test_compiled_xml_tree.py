"""The compiled builder of trees of elements, beside the handlers in Python, over odd and malformed documents."""

from __future__ import annotations

import gc
import random
import tracemalloc
from typing import Any

import pytest

from ossature.diagnostics import Limits, Report, Source
from ossature.syntax import rules, xml_parser
from ossature.syntax.compiled_xml import compiled_xml_module
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_parser import parse

LONG = "1 2 3 4 " * 10
PIECES = (
    *("<", ">", "/", "&", ";", "=", '"', "'", "!", "?", "-", "]", "<a>", "</a>", "<b/>", "<a b='1'>", "<x:y z:w=''/>"),
    *(" ", "\t", "\n", "\r", "\r\n", "\u0085", "\u00a0", "\u2003", "é", "\U0001f600", "\ufffd", "\uffff", "\0", "\x0b", "\x7f"),
    *("&lt;", "&gt;", "&amp;", "&quot;", "&apos;", "&#9;", "&#10;", "&#13;", "&#65;", "&#xe9;", "&#x1F600;", "&#xA0;", "&#0;"),
    *("&nbsp;", "&#xD800;", "&#x110000;", "&#99999999999999999999;", "&#;", "&#x;", "& lt;"),
    *("<!-- c -->", "<!---->", "<!-- -- -->", "<!-- > <a> -->", "<?p i?>", "<?p?>", "<? p?>", "<![CDATA[ <1> ]]>", "]]>"),
    *(" name='v'", ' name="v"', ' name = "v"', "name='v'", " name=v", " name", " é='1'", " a='<'", " a='>'", " a='x\ty\r\nz'"),
    *(f"<p>{LONG}</p>", f"<p x='1'>{LONG}", f"<!-- <p>{LONG}</p> -->", "</p>"),
    *("<!DOCTYPE a>", "<!DOCTYPE a [<!ENTITY e 'x'>]>", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='latin-1'?>"),
)
DOCUMENTS = (
    "<a/>",
    "<a></a>",
    "<a b='1' c=\"2\"/>",
    "\ufeff<a>1</a>",
    "<?xml version='1.0' encoding='UTF-8'?>\n<!-- é -->\n<?p i?>\n<a\n b = '1'\n>\n</a >\n<!-- after --><?p?>\n",
    "<a>1<b/>2<b> 3 </b> 4 <!-- c --> 5<?p i?>6 <b/> </a>",
    "<a> <!-- c --> 1 <!-- c --> </a>",
    "<a>  <b/>\u00a0<b/>\u2003x</a>",
    "<a>&#x20;&#xA0;<b>&#9;</b>&#9;1</a>",
    "<a b='&lt;&#10;\n\t&quot;'>1 &amp; 2&#x1F600;\r\n3\r4</a>",
    "<a>\r\n <b>\r\n</b>\r</a>",
    "<a b='&apos;' c=''>]] ></a>",
    "<é ü='ö'>ß</é>",
    f"<a>1<p>{LONG}</p>2<p x='1'>{LONG}</p><b><p>{LONG}</p></b></a>",
    f"<a>1<!-- <p>{LONG}</p> --><p>{LONG}</p></a>",
    f"<a><p>{LONG}<b/>1</p><b/></a>",
    "<a>1</a>" + " " * 100_000,
    "<a>" + " " * 70_000 + "1</a>",
    "<a>" + "0 1 " * 30_000 + "</a>",
    "<a>" + "<b c='1'>2</b>" * 5000 + "</a>",
    "<a>" + "".join(f"<n{n} a{n}='{n}'/>" for n in range(3000)) + "</a>",
    "<a>" * 200 + "</a>" * 200,
)


@pytest.fixture(autouse=True)
def _requires_compiled_module() -> None:
    if compiled_xml_module() is None:
        pytest.skip("the compiled module is not installed")


def contents(node: XmlNode | None) -> Any:
    if node is None:
        return None
    inner = [contents(child) for child in node.children]
    return node.tag, list(node.attributes.items()), node.offset, node.span, node.text, node.source.name, inner


def outcome(data: bytes, limits: Limits | None = None) -> Any:
    report = Report(limits=limits)
    root = parse(Source("file.xml", data), report, long_texts=("p",))
    findings = [(finding.rule, finding.message, finding.location, finding.hint) for finding in report]
    return contents(root), findings, report.budget.elements


def both(monkeypatch: pytest.MonkeyPatch, data: bytes, limits: Limits | None = None) -> tuple[Any, Any]:
    compiled = outcome(data, limits)
    with monkeypatch.context() as patched:
        patched.setattr(xml_parser, "compiled_xml_module", lambda: None)
        return compiled, outcome(data, limits)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document[:30].encode("unicode_escape").decode())
def test_same_tree_as_in_python(monkeypatch: pytest.MonkeyPatch, document: str) -> None:
    compiled, expected = both(monkeypatch, document.encode())
    assert expected[0] is not None
    assert compiled == expected


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(8))
def test_same_tree_or_findings_for_random_documents(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    chosen = random.Random(seed)
    read = 0
    for _ in range(1000):
        document = chosen.choice(DOCUMENTS[:16])
        for _ in range(chosen.choice((1, 1, 2, 3, 6))):
            at = chosen.randrange(len(document) + 1)
            document = document[:at] + chosen.choice(PIECES) + document[at + chosen.choice((0, 0, 0, 1, 3)) :]
        data = document.encode("utf-8", "surrogatepass")
        if chosen.random() < 0.1:
            at = chosen.randrange(len(data) + 1)
            data = data[:at] + bytes([chosen.randrange(256)]) + data[at:]
        compiled, expected = both(monkeypatch, data)
        assert compiled == expected, data
        read += expected[0] is not None
    assert read > 50


@pytest.mark.parametrize("limits", [Limits(depth=3), Limits(elements=100)], ids=str)
@pytest.mark.parametrize("document", DOCUMENTS[-4:], ids=["long", "wide", "names", "deep"])
def test_same_limits(monkeypatch: pytest.MonkeyPatch, document: str, limits: Limits) -> None:
    compiled, expected = both(monkeypatch, document.encode(), limits)
    assert compiled == expected


def test_deepest_elements_are_refused_at_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    depth = Limits().depth
    for inside in (depth, depth + 1):
        compiled, expected = both(monkeypatch, b"<a>" * inside + b"</a>" * inside)
        assert (expected[0] is None) == (inside > depth)
        assert compiled == expected


@pytest.mark.parametrize("declared", ["", "utf-8", "UTF-8", "utf8", "utf-16", "ascii", "iso-8859-1", "windows-1252", "unknown"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1"])
def test_same_tree_in_other_encodings(monkeypatch: pytest.MonkeyPatch, encoding: str, declared: str) -> None:
    declaration = f"<?xml version='1.0' encoding='{declared}'?>" if declared else ""
    compiled, expected = both(monkeypatch, (declaration + "<größe name='ä'>1\n<b/>é</größe>").encode(encoding))
    assert compiled == expected


def test_expat_does_not_parse_documents_above_limits_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its memory grows with the number of open elements, and its time with the number of all."""
    monkeypatch.setattr(xml_parser, "_is_well_formed", None)
    for document in (b"<a>" * 10_000, b"<a>" + b"<b/>" * 10_000 + b"</a>"):
        root, findings, _ = outcome(document, Limits(elements=1000))
        assert root is None and len(findings) == 1


def test_usual_documents_are_read_by_the_compiled_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_parser, "_parse_without", None)
    for document in DOCUMENTS[:14]:
        assert outcome(document.encode())[0] is not None


def test_entities_are_not_expanded_before_they_are_refused() -> None:
    entities = "".join(f"<!ENTITY e{n + 1} '{f'&e{n};' * 100}'>" for n in range(20))
    document = f"<!DOCTYPE a [<!ENTITY e0 'x'>{entities}]><a>&e20;</a>"
    _, findings, _ = outcome(document.encode())
    assert [rule for rule, *_ in findings] == [rules.FORBIDDEN_ENTITY]


def test_a_class_without_slots_is_refused() -> None:
    module = compiled_xml_module()
    assert module is not None

    class Slotless:
        tag = attributes = source = offset = children = text = span = None

    for node_class in (Slotless, object, 1):
        with pytest.raises((TypeError, AttributeError)):
            module.build(node_class, b"<a/>", [], None, 10, None)


def test_documents_that_are_not_well_formed_do_not_harm() -> None:
    """The module does not rely on Expat for safe access to memory."""
    module = compiled_xml_module()
    assert module is not None
    chosen = random.Random(0)
    for _ in range(3000):
        document = "<" * chosen.randrange(2) + "".join(chosen.choices(PIECES, k=chosen.randrange(8)))
        data = document.encode("utf-8", "surrogatepass")
        try:
            root = module.build(XmlNode, data, [], Source("file.xml", data), 10, lambda *_: None)
        except (UnicodeDecodeError, ValueError):
            continue
        assert root is None or isinstance(root, XmlNode)


@pytest.mark.usefixtures("heap_of_one_module")
def test_no_memory_is_kept() -> None:
    """Neither of documents that are read, nor of those that are read in Python, exceed limits, or are not well-formed."""
    documents = [document.encode() for document in (*DOCUMENTS, "<a>1<b>2</b>3<![CDATA[4]]></a>", "<a b='1'>&amp;<b></a>")]

    def parse_all() -> int:
        for limits in (None, Limits(depth=3), Limits(elements=64)):
            for data in documents:
                parse(Source("file.xml", data), Report(limits=limits))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        parse_all()
        before = parse_all()
        assert parse_all() - before < 10_000
    finally:
        tracemalloc.stop()
