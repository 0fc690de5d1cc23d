"""Values of MathML numbers: ``<cn>`` of every type."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from ossature.syntax.xml import XmlNode


def _real(node: XmlNode) -> float:
    return _finite(node.text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value) or "_" in text:
        raise ValueError(text)
    return value


def _integer(node: XmlNode) -> float:
    base = int(node.attributes.get("base", "10"))
    return float(int(node.text, base)) if "_" not in node.text and len(node.text) < 400 else _finite("")


def _split_at_separator(node: XmlNode) -> tuple[str, str]:
    """Return the texts before and after ``<sep/>``, which the text of the element joins."""
    before, after = node.source.data[node.offset : node.children[0].offset], node.text.strip()
    first = before.decode(node.source.encoding, "replace").rpartition(">")[2].strip()
    if len(node.children) != 1 or not after.startswith(first):
        raise ValueError(node.text)
    return first, after[len(first) :]


def _with_exponent(node: XmlNode) -> float:
    if not node.children:
        return _finite(node.text)
    mantissa, exponent = _split_at_separator(node)
    return _finite(f"{mantissa}e{int(exponent)}")


def _fraction(node: XmlNode) -> float:
    if not node.children:
        return _finite(node.text)
    numerator, denominator = _split_at_separator(node)
    return _finite(numerator) / _finite(denominator)


NUMBERS: Mapping[str, Callable[[XmlNode], float]] = {
    "real": _real,
    "double": _real,
    "integer": _integer,
    "e-notation": _with_exponent,
    "rational": _fraction,
}
"""Parsers of numbers, by the ``type`` attribute."""
