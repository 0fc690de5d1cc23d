"""Elements of a document are released with their last reference, and not kept until the next garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from ossature.diagnostics import Location, Report, Source
from ossature.syntax import xml, xml_parser
from ossature.syntax.rules import MALFORMED_XML

WHOLE = Source("whole.xml", b"<a>" + 100 * b"<b c='1'>text</b>" + b"</a>")
TORN = Source("torn.xml", WHOLE.data[:-20])


pytestmark = pytest.mark.usefixtures("heap_of_one_module")


@contextmanager
def without_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "read",
    [
        lambda: xml_parser.parse(WHOLE, Report()),
        lambda: xml_parser.parse(TORN, Report()),
        lambda: list(xml_parser.stream(WHOLE, Report(), "b", MALFORMED_XML)),
        lambda: next(xml_parser.stream(WHOLE, Report(), "b", MALFORMED_XML)),
        lambda: xml_parser.element_at(Location(WHOLE, 0)),
    ],
)
def test_no_element_is_part_of_a_cycle(read: Callable[[], object]) -> None:
    with without_collections():
        read()
        assert not [each for each in gc.get_objects() if isinstance(each, xml.XmlNode) and each.source in (WHOLE, TORN)]
