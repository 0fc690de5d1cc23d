"""Declaring what describes a sensor: meaning, unit, and the documented default of what a file leaves open."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

T = TypeVar("T")

_KEY = "sensor setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What one field of a sensor's description means.

    Attributes:
        doc: Its meaning.
        unit: Its unit, or None where it has none.
        default: What is taken where nothing is stated, or None where its absence means something of its own.
        absence: What its absence means, where there is no default.
    """

    doc: str
    unit: str | None = None
    default: Any = None
    absence: str = ""


def setting(doc: str, *, unit: str | None = None, default: Any = None, absence: str = "") -> Any:
    """Declare a field of a sensor's description; see :class:`Setting`. It is None where nothing is stated."""
    return field(default=None, metadata={_KEY: Setting(doc=doc, unit=unit, default=default, absence=absence)})


def settings_of(kind: type) -> dict[str, Setting]:
    """Return what each field of a sensor's description means, in order."""
    return {item.name: item.metadata[_KEY] for item in dataclasses.fields(kind) if _KEY in item.metadata}


def with_defaults(description: T) -> tuple[T, dict[str, Any]]:
    """Return a description with its documented defaults, and those that were taken, by field."""
    taken = {
        name: stated.default
        for name, stated in settings_of(type(description)).items()
        if stated.default is not None and getattr(description, name) is None
    }
    return replace(description, **taken) if taken else description, taken  # type: ignore[type-var]  # only data classes come here
