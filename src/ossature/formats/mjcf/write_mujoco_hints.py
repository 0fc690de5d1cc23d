"""Attributes of MJCF from the hints for MuJoCo that elements of a model have."""

from __future__ import annotations

from dataclasses import fields

from ossature.formats.mjcf.attribute_text import attribute_text
from ossature.model import MujocoOption
from ossature.model.program_hints import Hint
from ossature.syntax.xml import XmlNode, element

_OTHERWISE_WRITTEN = ("plugin", "stiffness", "damping", "rgba", "appearance", "mesh", "disabled", "enabled", "size")


def hint_attributes(hint: Hint | None, *without: str) -> dict[str, str]:
    """Return the attributes that a hint states, by their names in MJCF.

    Args:
        without: Fields that are written in another way.
    """
    if hint is None:
        return {}
    names = [item.name for item in fields(hint) if item.name not in (*_OTHERWISE_WRITTEN, *without)]  # type: ignore[arg-type]  # all hints are data classes
    return {name: attribute_text(getattr(hint, name)) for name in names if getattr(hint, name) is not None}


def option_node(option: MujocoOption, attributes: dict[str, str]) -> XmlNode:
    """Return the element ``option`` of a World that states one, with the attributes that the World has."""
    node = element("option", attributes | hint_attributes(option))
    flags = dict.fromkeys(option.disabled or (), "disable") | dict.fromkeys(option.enabled or (), "enable")
    node.children = [element("flag", flags)] if flags else []
    return node
