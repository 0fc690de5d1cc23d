"""Declaration of sensor parameters: meaning, unit and documented default."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

T = TypeVar("T")

_KEY = "sensor setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The declaration of one parameter of a sensor.

    Attributes:
        default: The default value, or None if absence has its own meaning.
        absence: The meaning of its absence if there is no default.
    """

    doc: str
    unit: str | None = None
    default: Any = None
    absence: str = ""


def setting(doc: str, *, unit: str | None = None, default: Any = None, absence: str = "") -> Any:
    """Declare a parameter of a sensor; see :class:`Setting`. It is None if unspecified."""
    return field(default=None, metadata={_KEY: Setting(doc=doc, unit=unit, default=default, absence=absence)})


def settings_of(kind: type) -> dict[str, Setting]:
    """Return the declarations of a sensor's parameters, in order."""
    return {item.name: item.metadata[_KEY] for item in dataclasses.fields(kind) if _KEY in item.metadata}


def with_defaults(description: T) -> tuple[T, dict[str, Any]]:
    """Return a description with documented defaults, and the defaults used, by field."""
    taken = {
        name: specified.default
        for name, specified in settings_of(type(description)).items()
        if specified.default is not None and getattr(description, name) is None
    }
    return replace(description, **taken) if taken else description, taken  # type: ignore[type-var]  # only data classes are passed
