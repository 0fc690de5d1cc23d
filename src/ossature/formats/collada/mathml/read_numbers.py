"""Values of MathML numbers: ``<cn>`` of every type."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_values import parse_finite


def _parse_real(node: XmlNode) -> float:
    return parse_finite(node.text)


def _parse_integer(node: XmlNode) -> float:
    base = int(node.attributes.get("base", "10"))
    return float(int(node.text, base)) if "_" not in node.text and len(node.text) < 400 else parse_finite("")


def _split_at_separator(node: XmlNode) -> tuple[str, str]:
    """Return the texts before and after ``<sep/>``, which the text of the element joins."""
    before, after = node.source.data[node.offset : node.children[0].offset], node.text.strip()
    first = before.decode(node.source.encoding, "replace").rpartition(">")[2].strip()
    if len(node.children) != 1 or not after.startswith(first):
        raise ValueError(node.text)
    return first, after[len(first) :]


def _parse_with_exponent(node: XmlNode) -> float:
    if not node.children:
        return parse_finite(node.text)
    mantissa, exponent = _split_at_separator(node)
    return parse_finite(f"{mantissa}e{int(exponent)}")


def _parse_fraction(node: XmlNode) -> float:
    if not node.children:
        return parse_finite(node.text)
    numerator, denominator = _split_at_separator(node)
    return parse_finite(numerator) / parse_finite(denominator)


NUMBERS: Mapping[str, Callable[[XmlNode], float]] = {
    "real": _parse_real,
    "double": _parse_real,
    "integer": _parse_integer,
    "e-notation": _parse_with_exponent,
    "rational": _parse_fraction,
}
"""Parsers of numbers, by the ``type`` attribute."""
