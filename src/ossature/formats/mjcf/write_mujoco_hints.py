"""Attributes of MJCF from the hints for MuJoCo that elements of a model have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from ossature.formats.mjcf.write_context import numbers_text
from ossature.model import MujocoOption
from ossature.model.program_hints import Hint
from ossature.syntax.xml import XmlNode, element

_OTHERWISE_WRITTEN = ("plugin", "stiffness", "damping", "rgba", "appearance", "mesh", "disabled", "enabled", "size")


def hint_attributes(hint: Hint | None, *without: str) -> dict[str, str]:
    """Return the attributes that a hint states, by their names in MJCF.

    Args:
        hint: The hint, or None.
        without: Fields that are written in another way.
    """
    if hint is None:
        return {}
    names = [item.name for item in fields(hint) if item.name not in (*_OTHERWISE_WRITTEN, *without)]  # type: ignore[arg-type]  # all hints are data classes
    return {name: value_attribute(getattr(hint, name)) for name in names if getattr(hint, name) is not None}


def value_attribute(value: Any) -> str:
    """Return a value as the text of an attribute."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list):
        return " ".join(map(str, value)) if value and isinstance(value[0], str) else numbers_text(value)
    return numbers_text([value])


def polynomial_attribute(first: float, others: Collection[float] | None) -> str | None:
    """Return the coefficients of a spring or damper, or None if all are zero."""
    values = [first, *(others or ())]
    while values and not values[-1]:
        values.pop()
    return numbers_text(values) if values else None


def option_node(option: MujocoOption, attributes: dict[str, str]) -> XmlNode:
    """Return the element ``option`` of a World that states one, with the attributes that the World has."""
    node = element("option", attributes | hint_attributes(option))
    flags = dict.fromkeys(option.disabled or (), "disable") | dict.fromkeys(option.enabled or (), "enable")
    node.children = [element("flag", flags)] if flags else []
    return node
