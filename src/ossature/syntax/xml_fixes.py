"""Fixes of findings about XML: each function returns the fix, or None if the text of the file does not allow one."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from typing import Concatenate, ParamSpec

from ossature.diagnostics.fix import Fix, MakeFix, Safety
from ossature.diagnostics.location import Location
from ossature.syntax import xml_edits
from ossature.syntax.xml import XmlNode

P = ParamSpec("P")

_MIN_SIMILARITY = 0.75
_MASS_PROPERTIES = frozenset(
    {"inertial", "inertia", "mass", "moment_of_inertia", "ixx", "ixy", "ixz", "iyy", "iyz", "izz", "offset", "com"}
)
"""Names of elements and attributes that state mass properties, which no fix touches unasked."""


def only_near_name(name: str, choices: Iterable[str], taken: Iterable[str] = ()) -> str | None:
    """Return the only choice that resembles a misspelt name and is not used already, or None."""
    known = {choice.lower(): choice for choice in choices if choice.lower() != name.lower() or choice != name}
    if name.lower() in known:
        near = [name.lower()]
    else:
        near = difflib.get_close_matches(name.lower()[:80], known, n=2, cutoff=_MIN_SIMILARITY)
    return known[near[0]] if len(near) == 1 and known[near[0]] not in set(taken) else None


def _of_located(make: Callable[Concatenate[XmlNode, P], Fix | None]) -> Callable[Concatenate[XmlNode, P], Fix | None]:
    """Return a function that returns None if the text of the element cannot be located."""

    @wraps(make)
    def call(node: XmlNode, /, *arguments: P.args, **named: P.kwargs) -> Fix | None:
        try:
            return make(node, *arguments, **named)
        except ValueError:
            return None

    return call


def fix_of(
    node: object, make: Callable[Concatenate[XmlNode, P], Fix | None], *arguments: P.args, **named: P.kwargs
) -> MakeFix | None:
    """Return the function that makes a fix of an element, or None if the element was not read from XML."""
    return partial(make, node, *arguments, **named) if isinstance(node, XmlNode) else None


def replace_at(
    values: Sequence[tuple[Location | None, str]], *, title: str = "", safety: Safety = Safety.SAFE, keeps_model: bool = False
) -> Fix | None:
    """Return the fix that replaces the values of attributes, or texts of elements, at locations; None if one is not stated."""
    try:
        edits = [xml_edits.replace_value_at(location, value) for location, value in values if location is not None]
    except ValueError:
        return None
    if len(edits) < len(values) or len({edit.start for edit in edits}) < len(values):
        return None
    shown = " and ".join(value for _, value in values)
    return Fix(title=title or f"change the value to {shown}", edits=tuple(edits), safety=safety, keeps_model=keeps_model)


@_of_located
def rename_element(node: XmlNode, parent: XmlNode, choices: Iterable[str], repeatable: Iterable[str] = ()) -> Fix | None:
    """Return the fix of a misspelt element.

    Args:
        choices: Names of the children that the parent may have.
        repeatable: Those of them that may occur several times.
    """
    taken = {child.tag for child in parent.children} - set(repeatable)
    name = only_near_name(node.tag, choices, taken)
    if name is None:
        return None
    safety = Safety.UNSAFE if {name, node.tag, parent.tag} & _MASS_PROPERTIES else Safety.SAFE
    return Fix(title=f"rename <{node.tag}> to <{name}>", edits=xml_edits.rename_element(node, name), safety=safety)


@_of_located
def rename_attribute(node: XmlNode, attribute: str, choices: Iterable[str]) -> Fix | None:
    """Return the fix of a misspelt attribute."""
    name = only_near_name(attribute, choices, node.attributes)
    if name is None:
        return None
    safety = Safety.UNSAFE if {name, node.tag} & _MASS_PROPERTIES else Safety.SAFE
    edits = xml_edits.rename_attribute(node, attribute, name)
    return Fix(title=f"rename the attribute '{attribute}' to '{name}'", edits=edits, safety=safety)


@_of_located
def replace_deprecated_element(node: XmlNode, name: str) -> Fix | None:
    """Return the fix of a deprecated name of an element, which is read in the same way."""
    return Fix(title=f"rename <{node.tag}> to <{name}>", edits=xml_edits.rename_element(node, name), keeps_model=True)


@_of_located
def replace_deprecated_attribute(node: XmlNode, attribute: str, name: str) -> Fix | None:
    """Return the fix of a deprecated name of an attribute, which is read in the same way."""
    if name in node.attributes:
        return None
    edits = xml_edits.rename_attribute(node, attribute, name)
    return Fix(title=f"rename the attribute '{attribute}' to '{name}'", edits=edits, keeps_model=True)


@_of_located
def state_attributes(node: XmlNode, values: Mapping[str, str]) -> Fix | None:
    """Return the fix that states values which are used anyway."""
    specified = ", ".join(f'{name}="{value}"' for name, value in values.items())
    return Fix(title=f"state {specified}", edits=xml_edits.set_attributes(node, values), keeps_model=True)


@_of_located
def state_child(node: XmlNode, child: str) -> Fix | None:
    """Return the fix that states a child which is used anyway."""
    return Fix(title=f"add {child}", edits=xml_edits.add_child(node, child), keeps_model=True)


@_of_located
def replace_value(
    node: XmlNode, attribute: str | None, value: str, *, safety: Safety = Safety.SAFE, keeps_model: bool = False
) -> Fix | None:
    """Return the fix that replaces the value of an attribute, or the text of the element if the attribute is None."""
    edits = xml_edits.set_text(node, value) if attribute is None else xml_edits.set_attributes(node, {attribute: value})
    name = f"<{node.tag}>" if attribute is None else f"'{attribute}'"
    return Fix(title=f"change {name} to {value}", edits=edits, safety=safety, keeps_model=keeps_model)


@_of_located
def replace_word(node: XmlNode, attribute: str, choices: Iterable[str]) -> Fix | None:
    """Return the fix of a misspelt value of an attribute; safe if only its case is wrong."""
    word = node.attributes[attribute]
    name = only_near_name(word.strip(), choices)
    if name is None:
        return None
    safety = Safety.SAFE if name.lower() == word.strip().lower() else Safety.UNSAFE
    edits = xml_edits.set_attributes(node, {attribute: name})
    return Fix(title=f"change '{attribute}' to '{name}'", edits=edits, safety=safety)


@_of_located
def remove_duplicate_element(node: XmlNode, first: XmlNode) -> Fix | None:
    """Return the fix of a further element of which the first one is used; safe if both are equal."""
    is_equal = _content(node) == _content(first)
    safety = Safety.SAFE if is_equal else Safety.UNSAFE
    return Fix(title=f"remove the further <{node.tag}>", edits=xml_edits.remove_element(node), safety=safety, keeps_model=True)


def _content(node: XmlNode) -> tuple[object, ...]:
    return (node.tag, node.attributes, node.text.split(), [_content(child) for child in node.children])
