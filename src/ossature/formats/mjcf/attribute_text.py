"""Attributes of MJCF elements: their values as text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ossature.syntax.xml_values import format_number


def numbers_text(values: Iterable[float]) -> str:
    """Return numbers as text, each in the shortest form that is exact, and zero without a sign."""
    return " ".join([format_number(float(value) + 0.0) for value in values])


def attribute_text(value: Any) -> str:
    """Return a value as the text of an attribute."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | list):
        return " ".join(map(str, value)) if value and isinstance(value[0], str) else numbers_text(value)
    return numbers_text([value])


def polynomial_text(first: float, others: Collection[float] | None) -> str | None:
    """Return the coefficients of a spring or damper, or None if all are zero."""
    values = [first, *(others or ())]
    while values and not values[-1]:
        values.pop()
    return numbers_text(values) if values else None


def specified_attributes(**values: Any) -> dict[str, str]:
    """Return the attributes that are not None, as text."""
    return {name: attribute_text(value) for name, value in values.items() if value is not None}


def differing_attributes(specified: Any, default: Any, names: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an element that are not None and differ from those of a default one, as attributes.

    Args:
        specified: The element of the model.
        default: The element with the values that MuJoCo assumes.
        names: Names of attributes by field.
    """
    differing = {name: getattr(specified, field) for field, name in names.items()}
    assumed = {name: getattr(default, field) for field, name in names.items()}
    return specified_attributes(**{name: value for name, value in differing.items() if value != assumed[name]})
