"""Finds the specified fields that a writer does not support, so that none is lost silently."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, get_args

from ossature.diagnostics import Location
from ossature.diagnostics.ledger import Ledger
from ossature.model.element_fields import compared_fields, default_value, elements, join_path
from ossature.model.format_extension import Extension
from ossature.model.joint import Coordinate, Joint, JointType
from ossature.model.named_list import NamedList
from ossature.model.value_text import extension_text, field_text, is_rotation, kind_text, kind_with_article, value_text


def all_fields(*kinds: Any) -> dict[type, frozenset[str]]:
    """Return the names of all fields of data classes, by class; a union means all of its classes."""
    return {kind: fields_except(kind) for union in kinds for kind in get_args(union) or (union,)}


def fields_except(kind: type, *missing: str) -> frozenset[str]:
    """Return the names of the fields of a data class, without some of them."""
    return frozenset(item.name for item in dataclasses.fields(kind)) - frozenset(missing)


def audit(root: Any, supported: Mapping[type, frozenset[str]], ledger: Ledger) -> None:
    """Add each specified field that a writer does not support to the ledger.

    Args:
        root: A World, or any part of one.
        supported: For each data class of the model that the writer supports, the supported fields. A class that is
            missing here is dropped whole, with one entry for all that is inside.
        ledger: The ledger to add entries to.
    """
    joint_type: JointType | None = None
    for path, value, origin in elements(root, fields=lambda value: _audited_fields(value, supported)):
        if isinstance(value, Joint):
            joint_type = value.type
        known = supported.get(type(value))
        if known is None:
            ledger.dropped(
                path or type(value).__name__,
                f"{kind_text(type(value))}, which the format does not support",
                before=value_text(value, longest=None),
                location=origin,
            )
            continue
        for item in compared_fields(type(value)):
            if item.name not in known:
                specified = getattr(value, item.name)
                # Named elements are accounted for one by one.
                if not isinstance(specified, NamedList) and specified != default_value(item):
                    rotation = not isinstance(value, Coordinate) or is_rotation_at(joint_type, path)
                    _drop_field(value, item.name, join_path(path, item.name), ledger, origin, rotation=rotation)


def _drop_field(owner: Any, name: str, path: str, ledger: Ledger, origin: Location | None, *, rotation: bool) -> None:
    value = getattr(owner, name)
    if isinstance(value, tuple) and value and all(isinstance(item, Extension) for item in value):
        for index, extension in enumerate(value):
            drop_extension(extension, f"{path}[{index}]", ledger, origin)
        return
    title = " and ".join([kind_text(type(hint)) for hint in value]) if name == "hints" else name.replace("_", " ")
    words = f"{title} of {kind_with_article(type(owner))}, which the format does not support"
    ledger.dropped(path, words, before=field_text(owner, name, rotation=rotation), location=origin)


def drop_extension(extension: Extension, path: str, ledger: Ledger, location: Location | None = None) -> None:
    """Record that an extension is not written."""
    is_element = extension.value.startswith("<")
    name = f"<{extension.key}>" if is_element else "attribute" if extension.key.startswith("@") else f"'{extension.key}'"
    detail = f"{name} of {extension.format} files, which the format does not support"
    ledger.dropped(path, detail, before=extension_text(extension), location=location)


def _audited_fields(value: Any, supported: Mapping[type, frozenset[str]]) -> list[dataclasses.Field[Any]]:
    """Return the fields whose elements are audited one by one; the content of a dropped field is dropped with it."""
    known = supported.get(type(value))
    if known is None:
        return []
    return [
        item for item in compared_fields(type(value)) if item.name in known or isinstance(getattr(value, item.name), NamedList)
    ]


def is_rotation_at(joint_type: JointType | None, path: str) -> bool:
    """Whether the coordinate with a path (``arm/elbow.coordinates[0]``) is a rotation."""
    return joint_type is None or is_rotation(joint_type, int(path.rpartition("[")[2].rstrip("]") or 0))
