"""The columns of a recording: the meaning of each number of a sample."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

from ossature.array_types import Array

BODIES, JOINTS, ELEMENTS, REACTIONS, CONTACTS = "bodies", "joints", "elements", "reactions", "contacts"
BODY_FIELDS: Mapping[str, int] = {"position": 3, "wxyz": 4, "linear_velocity": 3, "angular_velocity_body": 3}
"""Fields of a body with the number of their values; see :class:`ossature.simulation.BodyState`."""
JOINT_FIELDS = ("positions", "velocities")
TIME = "time"

_NAMED_GROUPS = (BODIES, JOINTS, ELEMENTS, REACTIONS, CONTACTS)
"""Groups whose quantities belong to a named element."""
_PREFIXES = {REACTIONS: "reaction_", CONTACTS: "contact_"}
"""Prefix of a quantity in the names of its columns, by group."""
MAX_COLUMNS = 10_000_000
_SPECIAL = re.compile("%(?=[0-9A-Fa-f]{2})|[/\r\n]")
"""Characters that are percent-encoded in names of columns: separators, and percent signs that look like an encoding."""
_LABEL = re.compile(r"(?P<model>[^/]*)/(?P<name>.*)\.(?P<field>[a-z_]+)(?:\[(?P<number>[0-9]{1,6})\])?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedQuantity:
    """One quantity of a sample, with one value or several.

    Attributes:
        group: ``time``, ``bodies``, ``joints``, ``elements``, ``reactions``, ``contacts``, ``energy`` or ``violation``.
        model: Name of the model, or empty.
        name: Name of the body, joint or element, of two bodies in contact, or empty.
        field: Field of the element, or empty.
        width: Number of values of a list, or None for a scalar.
    """

    group: str
    model: str = ""
    name: str = ""
    field: str = ""
    width: int | None = None

    @property
    def count(self) -> int:
        """Number of columns."""
        return 1 if self.width is None else self.width

    @property
    def label(self) -> str:
        """The name in tables."""
        if self.group not in _NAMED_GROUPS:
            return f"{self.group}.{self.field}" if self.field else self.group
        prefix = _PREFIXES.get(self.group, "")
        return f"{_encode_name(self.model)}/{_encode_name(self.name)}.{prefix}{self.field}"

    def to_data(self) -> tuple[str, str, str, str, int | None]:
        """Return the quantity as plain data: group, model, name, field, width."""
        return (self.group, self.model, self.name, self.field, self.width)

    @property
    def labels(self) -> list[str]:
        """The names of its columns."""
        return [self.label] if self.width is None else [f"{self.label}[{number}]" for number in range(self.width)]


def quantities_of_body(model: str, body: str) -> list[RecordedQuantity]:
    """Return the quantities of a body in a recording."""
    return [
        RecordedQuantity(group=BODIES, model=model, name=body, field=field, width=width) for field, width in BODY_FIELDS.items()
    ]


def quantities_of_joint(model: str, joint: str, degrees_of_freedom: int) -> list[RecordedQuantity]:
    """Return the quantities of a joint in a recording."""
    return [
        RecordedQuantity(group=JOINTS, model=model, name=joint, field=field, width=degrees_of_freedom) for field in JOINT_FIELDS
    ]


@dataclass(frozen=True)
class Columns:
    """All columns of a recording, in order; the first one is the time.

    Attributes:
        quantities: The quantities.
    """

    quantities: tuple[RecordedQuantity, ...]

    @cached_property
    def labels(self) -> list[str]:
        """The names of all columns."""
        return [label for quantity in self.quantities for label in quantity.labels]

    @property
    def count(self) -> int:
        """Number of columns."""
        return sum(quantity.count for quantity in self.quantities)

    @cached_property
    def slices(self) -> list[tuple[RecordedQuantity, slice]]:
        """Each quantity with its columns."""
        found, start = [], 0
        for quantity in self.quantities:
            found.append((quantity, slice(start, start + quantity.count)))
            start += quantity.count
        return found

    def nested(self, row: Array) -> dict[str, Any]:
        """Return a sample as plain data, as in :meth:`ossature.simulation.Recording.to_dict`."""
        values = row.tolist()
        sample: dict[str, Any] = {}
        for quantity, columns in self.slices:
            value = values[columns.start] if quantity.width is None else values[columns]
            if quantity.group in _NAMED_GROUPS:
                names = sample.setdefault(quantity.group, {}).setdefault(quantity.model, {})
                names.setdefault(quantity.name, {})[quantity.field] = value
            elif quantity.field:
                sample.setdefault(quantity.group, {})[quantity.field] = value
            else:
                sample[quantity.group] = value
        return sample

    def row(self, sample: dict[str, Any]) -> Array:
        """Return the numbers of a sample that :meth:`nested` returned; NaN for null.

        Raises:
            KeyError: A quantity is missing.
            TypeError: A value is not a number.
            ValueError: A quantity has a wrong number of values.
        """
        import numpy as np

        row = np.empty(self.count)
        for quantity, columns in self.slices:
            value = sample[quantity.group]
            if quantity.group in _NAMED_GROUPS:
                value = value[quantity.model][quantity.name]
            if quantity.field:
                value = value[quantity.field]
            row[columns] = np.array(value, dtype=float)
        return row

    def to_data(self) -> list[tuple[str, str, str, str, int | None]]:
        """Return the columns as plain data."""
        return [one.to_data() for one in self.quantities]


def columns_from_data(data: Iterable[Sequence[Any]]) -> Columns:
    """Return columns from the data that :meth:`Columns.to_data` returned.

    Raises:
        ValueError: They are not columns of a recording.
    """
    columns = Columns(quantities_from_data(data))
    if not columns.quantities or columns.quantities[0].group != TIME or columns.count > MAX_COLUMNS:
        raise ValueError("the columns are not those of an Ossature recording")
    return columns


def quantities_from_data(data: Iterable[Sequence[Any]]) -> tuple[RecordedQuantity, ...]:
    """Return quantities from the data that :meth:`RecordedQuantity.to_data` returned.

    Raises:
        ValueError: They are not quantities of a recording.
    """
    quantities = []
    for group, model, name, field, width in data:
        words = (group, model, name, field)
        if not all(isinstance(word, str) for word in words) or not (width is None or 0 <= int(width) < 10_000):
            raise ValueError("the columns are not those of an Ossature recording")
        quantities.append(RecordedQuantity(group=group, model=model, name=name, field=field, width=width))
    return tuple(quantities)


def columns_from_sample(sample: dict[str, Any]) -> Columns:
    """Return the columns of a sample that :meth:`Columns.nested` returned.

    Raises:
        ValueError: It is not a sample.
    """
    if not isinstance(sample, dict) or "time" not in sample:
        raise ValueError("a sample has no time")
    quantities = [RecordedQuantity(group=TIME)]
    try:
        for group in _NAMED_GROUPS:
            for model, names in sample.get(group, {}).items():
                for name, fields in names.items():
                    for field, value in fields.items():
                        width = len(value) if isinstance(value, list) else None
                        quantities.append(RecordedQuantity(group=group, model=model, name=name, field=field, width=width))
        quantities += [RecordedQuantity(group="energy", field=field) for field in sample.get("energy", {})]
    except AttributeError as error:
        raise ValueError("a sample is not a mapping by names") from error
    quantities += [RecordedQuantity(group="violation")] if "violation" in sample else []
    return Columns(tuple(quantities))


def columns_from_labels(labels: Iterable[str]) -> Columns:
    """Return columns from their names in a table.

    Raises:
        ValueError: A name is not that of a column of a recording.
    """
    widths: dict[RecordedQuantity, int | None] = {}
    labels = list(labels)
    if labels[:1] != [TIME]:
        raise ValueError(f"the first column is '{labels[0][:80] if labels else ''}', not '{TIME}'")
    for label in labels:
        quantity, number = _parse_label(label)
        if number not in (None, (widths.get(quantity) or 0)):
            raise ValueError(f"column '{label[:80]}' is out of order")
        widths[quantity] = None if number is None else number + 1
    return Columns(
        tuple(
            RecordedQuantity(group=one.group, model=one.model, name=one.name, field=one.field, width=width)
            for one, width in widths.items()
        )
    )


def _encode_name(name: str) -> str:
    return _SPECIAL.sub(lambda found: quote(found[0], safe=""), name)


def _parse_label(label: str) -> tuple[RecordedQuantity, int | None]:
    if label in (TIME, "violation"):
        return RecordedQuantity(group=label), None
    if label in ("energy.potential", "energy.kinetic"):
        return RecordedQuantity(group="energy", field=label.removeprefix("energy.")), None
    found = _LABEL.fullmatch(label)
    if found is None:
        raise ValueError(f"'{label[:80]}' is not a column of a recording")
    field, number = found["field"], found["number"]
    group = BODIES if field in BODY_FIELDS and number is not None else JOINTS if field in JOINT_FIELDS else ELEMENTS
    for special, prefix in _PREFIXES.items():
        if field.startswith(prefix):
            group, field = special, field.removeprefix(prefix)
    quantity = RecordedQuantity(group=group, model=unquote(found["model"]), name=unquote(found["name"]), field=field)
    return quantity, None if number is None else int(number)
