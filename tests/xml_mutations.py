"""Seeded mutations of XML files: of their bytes, of their elements, and of what their elements say of each other.

Everything works on the text itself, so what is not changed stays as it was written. The same seed makes the same file.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias
from xml.parsers import expat

Mutation: TypeAlias = Callable[[str, random.Random], str]

TOKENS = [
    *("0", "-1", "1e308", "-1e-320", "nan", "inf", "-inf", "0x1F", "1_0", "", " ", "9" * 400, "1 2 3", "true", "world"),
    *("free", "ball", "weld", "xyz", "zyx", "screw", "arbitrary", "\u202e", "é", "&amp;", "&#0;", "<", ">", "<body/>"),
]
NUMBERS = ["0", "-1", "1e308", "1e-320", "NaN", "INF", "-INF", "1,5", "0x10", "1e", "--1", "\u0661", "9" * 400]
COUNTS = ["0", "1", "-1", "3.5", "1000000000", "9223372036854775808", "", "many"]
DEPTHS = (10, 300, 2000)
IDENTIFIERS = ("id", "sid")
_TAG = re.compile(rb"""(?:[^>"']|"[^"]*"|'[^']*')*+>""")
NUMBER = r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """An element of a text.

    Attributes:
        name: Its name as it is written.
        start: Where its start tag begins.
        inside: Where its start tag ends.
        stop: Where its end tag ends.
        attributes: Its attributes.
        parent: The element around it, None for the root.
    """

    name: str
    start: int
    inside: int
    stop: int
    attributes: dict[str, str]
    parent: Span | None

    @property
    def is_empty(self) -> bool:
        """Whether it consists of one tag alone."""
        return self.inside == self.stop


@lru_cache(maxsize=64)
def spans(text: str) -> list[Span]:
    """Return the elements of a text in its order; none where it is not well-formed."""
    data = text.encode()
    parser = expat.ParserCreate("utf-8")  # whatever the file says of itself
    places: list[tuple[str, dict[str, str], int, int]] = []
    pending: list[int] = []
    stops: dict[int, int] = {}
    parents: list[int | None] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        begin = parser.CurrentByteIndex
        parents.append(pending[-1] if pending else None)
        pending.append(len(places))
        places.append((name, attributes, begin, _end_of_tag(data, begin)))

    def end(name: str) -> None:
        index = pending.pop()
        inside = places[index][3]
        # Of an element in one tag, the end is reported at its beginning or behind it.
        is_empty = data[inside - 2 : inside] == b"/>"
        stops[index] = inside if is_empty else _end_of_tag(data, parser.CurrentByteIndex)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return []
    return _in_characters(text, data, places, stops, parents)


def _end_of_tag(data: bytes, begin: int) -> int:
    found = _TAG.match(data, begin)
    return len(data) if found is None else found.end()


def _in_characters(
    text: str,
    data: bytes,
    places: list[tuple[str, dict[str, str], int, int]],
    stops: dict[int, int],
    parents: list[int | None],
) -> list[Span]:
    at = (lambda place: place) if len(text) == len(data) else (lambda place: len(data[:place].decode(errors="ignore")))
    made: list[Span] = []
    for index, (name, attributes, begin, inside) in enumerate(places):
        parent = parents[index]
        around = made[parent] if parent is not None else None
        made.append(Span(name, at(begin), at(inside), at(stops[index]), attributes, around))
    return made


def mutate(text: str, rng: random.Random, *, kinds: tuple[Mutation, ...] | None = None) -> bytes:
    """Return a file with one to four things changed.

    Args:
        text: The file.
        rng: Where chance comes from.
        kinds: The mutations to choose from; the plain ones of :data:`PLAIN` unless told.
    """
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(kinds or PLAIN)(text, rng)
    data = text.encode(errors="replace")
    if rng.random() < 0.2:
        place = rng.randrange(len(data) + 1)
        data = data[:place] + bytes(rng.randrange(256) for _ in range(rng.randint(0, 8))) + data[place + rng.randint(0, 8) :]
    return data


# Of the text


def change_byte(text: str, rng: random.Random) -> str:
    """Replace up to two characters by an odd one."""
    if not text:
        return text
    place = rng.randrange(len(text))
    return text[:place] + chr(rng.choice((0, 9, 10, 34, 38, 60, 62, 65, 233, 0x1F600))) + text[place + rng.randint(0, 2) :]


def change_token(text: str, rng: random.Random) -> str:
    """Replace the text of an element or the value of an attribute."""
    found = [match.span() for match in re.finditer(r'(?<=>)[^<>\n]+(?=<)|(?<==")[^"]*(?=")', text)]
    if not found:
        return text
    start, stop = rng.choice(found)
    return text[:start] + rng.choice(TOKENS) + text[stop:]


def change_lines(text: str, rng: random.Random) -> str:
    """Delete, repeat or copy a few lines."""
    lines = text.split("\n")
    start = rng.randrange(len(lines))
    part = lines[start : start + rng.randint(1, 12)]
    kind = rng.random()
    if kind < 0.4:
        del lines[start : start + len(part)]
    else:
        place = rng.randrange(len(lines)) if kind < 0.7 else start
        lines[place:place] = part
    return "\n".join(lines)


def rename_tag(text: str, rng: random.Random) -> str:
    """Call elements as others."""
    tags = re.findall(r"</?([a-z_0-9]+)", text)
    if not tags:
        return text
    old, new = rng.choice(tags), rng.choice(tags)
    return re.sub(rf"(</?){old}\b", rf"\g<1>{new}", text, count=rng.choice((0, 1, 2)))


def truncate(text: str, rng: random.Random) -> str:
    """Break off somewhere."""
    return text[: rng.randrange(len(text) + 1)]


def corrupt_number(text: str, rng: random.Random) -> str:
    """Replace one number of a list or a value by another one, or by what is none."""
    found = [match.span() for match in re.finditer(rf'(?<=[>\s"]){NUMBER}(?=[<\s"])', text)]
    if not found:
        return text
    start, stop = rng.choice(found)
    return text[:start] + rng.choice(NUMBERS) + text[stop:]


# Of elements


def delete_element(text: str, rng: random.Random) -> str:
    """Delete an element with all in it."""
    span = _any(text, rng)
    return text if span is None else text[: span.start] + text[span.stop :]


def duplicate_element(text: str, rng: random.Random) -> str:
    """Put an element behind itself once more."""
    span = _any(text, rng)
    return text if span is None else text[: span.stop] + text[span.start : span.stop] + text[span.stop :]


def move_element(text: str, rng: random.Random) -> str:
    """Put an element to the beginning or the end of another one."""
    span = _any(text, rng)
    if span is None:
        return text
    part = text[span.start : span.stop]
    left = text[: span.start] + text[span.stop :]
    places = [place for other in spans(left) if not other.is_empty for place in (other.inside, left.rfind("<", 0, other.stop))]
    if not places:
        return text
    place = rng.choice(places)
    return left[:place] + part + left[place:]


def swap_siblings(text: str, rng: random.Random) -> str:
    """Exchange two neighbours."""
    families: dict[Span | None, list[Span]] = {}
    for span in spans(text):
        families.setdefault(span.parent, []).append(span)
    pairs = [pair for children in families.values() for pair in pairwise(children)]
    if not pairs:
        return text
    first, second = rng.choice(pairs)
    between = text[first.stop : second.start]
    swapped = text[second.start : second.stop] + between + text[first.start : first.stop]
    return text[: first.start] + swapped + text[second.stop :]


def swap_attributes(text: str, rng: random.Random) -> str:
    """Exchange the values of two attributes, of any elements."""
    values = [match.span(1) for match in re.finditer(r'\s[\w:]+="([^"<>]*)"', text)]
    if len(values) < 2:
        return text
    (a, b), (c, d) = sorted(rng.sample(values, 2))
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def drop_attribute(text: str, rng: random.Random) -> str:
    """Delete an attribute."""
    found = [match.span() for match in re.finditer(r'\s[\w:]+="[^"<>]*"', text)]
    if not found:
        return text
    start, stop = rng.choice(found)
    return text[:start] + text[stop:]


def nest_deeply(text: str, rng: random.Random) -> str:
    """Put an element into many elements like itself, each in the one before."""
    span = _any(text, rng)
    if span is None:
        return text
    depth = rng.choice(DEPTHS)
    wrapped = f"<{span.name}>" * depth + text[span.start : span.stop] + f"</{span.name}>" * depth
    return text[: span.start] + wrapped + text[span.stop :]


def change_count(text: str, rng: random.Random) -> str:
    """Let a count or its like say something else."""
    return _new_value(text, rng, ("count", "stride", "offset", "set"), lambda value: rng.choice(COUNTS))


# Of identifiers and references


def change_identifier(text: str, rng: random.Random) -> str:
    """Give an element the identifier of another one, or one that is none."""
    known = _identifiers(text)
    return _new_value(text, rng, IDENTIFIERS, lambda value: rng.choice([*known, "", "a b", "1st", f"{value}/{value}"]))


def misdirect(text: str, rng: random.Random) -> str:
    """Let a reference, in an attribute or a text, lead to another element or nowhere."""
    known = _identifiers(text)
    found = [match.span() for match in re.finditer(r'(?<==")#[^"]*(?=")|(?<=[">])[\w.\-]+(?:/[\w.\-]+)+(?=["<])', text)]
    if not found or not known:
        return text
    start, stop = rng.choice(found)
    value = text[start:stop]
    if value.startswith("#"):
        new = "#" + rng.choice([*known, "", "nothing"])
    else:
        parts = value.split("/")
        parts[rng.randrange(len(parts))] = rng.choice([*known, "", ".", ".."])
        new = "/".join(parts)
    return text[:start] + new + text[stop:]


def close_circle(text: str, rng: random.Random) -> str:
    """Let something refer to what it is in: an instance, an address, or a symbol of a formula."""
    kinds: tuple[Mutation, ...] = (_instance_circle, _address_circle, _formula_circle)
    return rng.choice(kinds)(text, rng)


def _instance_circle(text: str, rng: random.Random) -> str:
    """Let an URL name an element around its own."""
    inner = [(span, around) for span in spans(text) if "url" in span.attributes and (around := _ids_around(span))]
    if not inner:
        return text
    span, around = rng.choice(inner)
    tag = re.sub(r'\burl="[^"]*"', f'url="#{rng.choice(around)}"', text[span.start : span.inside], count=1)
    return text[: span.start] + tag + text[span.inside :]


def _address_circle(text: str, rng: random.Random) -> str:
    """Let the address in a parameter name the parameter itself, or another one that may name it."""
    found = spans(text)
    holders = [span for span in found if span.name.endswith("newparam") and "sid" in span.attributes and _ids_around(span)]
    inner = [span for span in found if span.name.endswith("SIDREF") and span.parent in holders]
    if not inner:
        return text
    span = rng.choice(inner)
    assert span.parent is not None
    goal = span.parent if rng.random() < 0.5 else rng.choice(holders)
    address = f"{_ids_around(goal)[0]}/{goal.attributes['sid']}"
    return text[: span.inside] + address + text[text.rfind("<", 0, span.stop) :]


def _formula_circle(text: str, rng: random.Random) -> str:
    """Let a formula speak of its own target, or of that of another formula."""
    targets: list[str] = re.findall(r"<target>\s*<param>([^<]*)</param>", text)
    symbols = [match.span(1) for match in re.finditer(r"<(?:\w+:)?csymbol[^>]*>([^<]*)<", text)]
    if not targets or not symbols:
        return text
    start, stop = rng.choice(symbols)
    return text[:start] + rng.choice(targets) + text[stop:]


def _ids_around(span: Span) -> list[str]:
    """Return the ids of the elements around one, the nearest first."""
    around, found = span.parent, []
    while around is not None:
        if "id" in around.attributes:
            found.append(around.attributes["id"])
        around = around.parent
    return found


def _any(text: str, rng: random.Random) -> Span | None:
    found = [span for span in spans(text) if span.parent is not None]
    return rng.choice(found) if found else None


def _identifiers(text: str) -> list[str]:
    return re.findall(r'\ss?id="([^"<>]*)"', text)


def _new_value(text: str, rng: random.Random, names: tuple[str, ...], new: Callable[[str], str]) -> str:
    found = [match.span(1) for match in re.finditer(rf'\s(?:{"|".join(names)})="([^"<>]*)"', text)]
    if not found:
        return text
    start, stop = rng.choice(found)
    return text[:start] + new(text[start:stop]) + text[stop:]


PLAIN: tuple[Mutation, ...] = (change_byte, change_token, change_lines, rename_tag)
"""Mutations that leave few files well-formed."""
WELL_FORMED: tuple[Mutation, ...] = (
    *(corrupt_number, delete_element, duplicate_element, move_element, swap_siblings, swap_attributes, drop_attribute),
    *(change_count, change_identifier, misdirect, close_circle),
)
"""Mutations that leave every file well-formed, so that what reads the elements has to bear them."""
ALL: tuple[Mutation, ...] = (*PLAIN, *WELL_FORMED, nest_deeply, truncate)
"""Every mutation."""
