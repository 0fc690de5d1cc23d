"""Simple types: what the text of an element or an attribute may be."""

from __future__ import annotations

import re
from collections.abc import Callable

START = "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
START += "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
INNER_LAYERS = START + "0-9.\u00b7\u0300-\u036f\u203f-\u2040" + r"\-"
NCNAME = f"[{START}][{INNER_LAYERS}]*"
DOUBLE = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|-?INF|NaN"
INTEGER = r"[+-]?0*\d{1,19}"
UNSIGNED = r"\+?0*\d{1,20}|-0+"
EMAIL = r"[A-Za-z0-9!#-'*+\-/=?^_`{-~]+(?:\.[A-Za-z0-9!#-'*+\-/=?^_`{-~]+)*"
DATE_TIME = r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"
SIDREF = rf"(?:{NCNAME}|.)(?:/[{START}_][{INNER_LAYERS}]*)+(?:\.{NCNAME}|(?:\(\d+\)){{1,2}})?"

_PATTERNS = {
    "ID": NCNAME,
    "NCName": NCNAME,
    "sid": NCNAME,
    "NMTOKEN": f"[{INNER_LAYERS}:]+",
    "double": DOUBLE,
    "int": INTEGER,
    "uint": UNSIGNED,
    "boolean": "true|false|0|1",
    "dateTime": DATE_TIME,
}
"""Types whose spaces at the ends do not count, and of whose values nothing but the spelling is looked at."""
_EXACT = {"sidref": SIDREF, "fragment": "#.*", "email": f"{EMAIL}@{EMAIL}"}
"""Types to which every character counts."""
_CHOICES = {
    "version": ("1.5.0",),
    "up_axis": ("X_UP", "Y_UP", "Z_UP"),
    "node_kind": ("JOINT", "NODE"),
    "opaque": ("A_ONE", "A_ZERO", "RGB_ONE", "RGB_ZERO"),
    "altitude_mode": ("absolute", "relativeToGround"),
    "wrap": ("WRAP", "CLAMP", "BORDER", "MIRROR", "MIRROR_ONCE"),
    "min_filter": ("NEAREST", "LINEAR", "ANISOTROPIC"),
    "mag_filter": ("NEAREST", "LINEAR"),
    "mip_filter": ("NONE", "NEAREST", "LINEAR"),
    "geometry_use": ("environment", "self"),
    "equation_kind": ("position", "first_partial", "second_partial"),
}
_LISTS = {
    "doubles": "double",
    "ints": "int",
    "uints": "uint",
    "booleans": "boolean",
    "names": "Name",
    "idrefs": "NCName",
    "sidrefs": "sidref",
}
_FREE = {"string", "token", "anyURI", "tokens"}
_NUMBERS_ONLY = re.compile(r"[0-9eE+\-.\s]*")
_LONGEST_COUNT = 20
_COUNTS_ONLY = re.compile(r"[0-9\s]*")
_COMPILED = {
    **{name: re.compile(pattern, re.ASCII) for name, pattern in {**_PATTERNS, **_EXACT}.items()},
    "Name": re.compile(f"[{START}:][{INNER_LAYERS}:]*"),
}


def is_simple(kind: str) -> bool:
    """Return whether there is a simple type of that name; ``doubles3`` is a list of three."""
    return kind in _FREE or kind in _COMPILED or kind in _CHOICES or _list(kind) is not None or kind in _RANGES


def fault(kind: str, text: str) -> str | None:
    """Return what is wrong with a value of a simple type, or None."""
    if kind in _FREE:
        return None
    if kind in _CHOICES:
        return None if text in _CHOICES[kind] else f"'{text}' is none of {', '.join(_CHOICES[kind])}"
    if kind in _RANGES:
        return _RANGES[kind](text)
    listed = _list(kind)
    if listed is not None:
        return _fault_of_list(*listed, text)
    fits = _COMPILED[kind].fullmatch(text if kind in _EXACT else text.strip(" \t\r\n"))
    return None if fits else f"'{_short(text)}' is no {kind}"


def numbers(text: str) -> list[float]:
    """Return the numbers of a list; what is none counts as zero, because that has been told already."""
    return [float(token) if _COMPILED["double"].fullmatch(token) else 0.0 for token in text.split()]


def integers(text: str) -> list[int]:
    """Return the integers of a list; what is none counts as zero, because that has been told already."""
    return [int(token) if _COMPILED["int"].fullmatch(token) else 0 for token in text.split()]


def _list(kind: str) -> tuple[str, int | None] | None:
    stem = kind.rstrip("0123456789")
    return (_LISTS[stem], int(kind[len(stem) :]) if kind != stem else None) if stem in _LISTS else None


def _fault_of_list(item: str, length: int | None, text: str) -> str | None:
    tokens = text.split()
    if length is not None and len(tokens) != length:
        return f"{len(tokens)} values instead of {length}"
    if item == "double" and _NUMBERS_ONLY.fullmatch(text) and _all_floats(tokens):
        return None
    if item == "uint" and _COUNTS_ONLY.fullmatch(text) and all(len(token) < _LONGEST_COUNT for token in tokens):
        return None
    wrong = next((token for token in tokens if not _COMPILED[item].fullmatch(token)), None)
    return None if wrong is None else f"'{_short(wrong)}' is no {item}"


def _all_floats(tokens: list[str]) -> bool:
    try:
        for token in tokens:
            float(token)
    except ValueError:
        return False
    return True


def _between(least: int, most: int) -> Callable[[str], str | None]:
    def outside(text: str) -> str | None:
        stripped = text.strip()
        if re.fullmatch(INTEGER, stripped, re.ASCII) and least <= int(stripped) <= most:
            return None
        return f"'{_short(text)}' is no integer from {least} to {most}"

    return outside


_RANGES = {"digits": _between(1, 17), "magnitude": _between(-324, 308), "byte": _between(0, 255)}


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"
