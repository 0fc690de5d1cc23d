"""The columns of a recording: what each number of a sample is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BODIES, JOINTS, ELEMENTS, REACTIONS, CONTACTS = "bodies", "joints", "elements", "reactions", "contacts"
BODY_FIELDS: Mapping[str, int] = {"position": 3, "wxyz": 4, "linear_velocity": 3, "angular_velocity_body": 3}
"""Fields of a body, with how many numbers each has; see :class:`ossature.simulation.BodyState`."""
JOINT_FIELDS = ("positions", "velocities")
TIME = "time"

_WITHIN = (BODIES, JOINTS, ELEMENTS, REACTIONS, CONTACTS)
"""Groups whose quantities belong to something that has a name."""
_PREFIXES = {REACTIONS: "reaction_", CONTACTS: "contact_"}
"""What stands before a quantity in the names of its columns, by group."""
MOST_COLUMNS = 10_000_000
_SPECIAL = re.compile("%(?=[0-9A-Fa-f]{2})|[/\r\n]")
"""What is spelled as in addresses in names of columns: what would part them, and what looks like such a spelling."""
_NAMED = re.compile(r"(?P<model>[^/]*)/(?P<name>.*)\.(?P<field>[a-z_]+)(?:\[(?P<number>[0-9]{1,6})\])?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedQuantity:
    """One quantity of a sample, of one number or several.

    Attributes:
        group: ``time``, ``bodies``, ``joints``, ``elements``, ``reactions``, ``contacts``, ``energy`` or ``violation``.
        model: Name of the model, or empty.
        name: Name of the body, joint or element, of two bodies that touch, or empty.
        field: What of it, or empty.
        width: How many numbers it has, or None for a single number that is no list.
    """

    group: str
    model: str = ""
    name: str = ""
    field: str = ""
    width: int | None = None

    @property
    def count(self) -> int:
        """How many columns it has."""
        return 1 if self.width is None else self.width

    @property
    def label(self) -> str:
        """Its name in tables."""
        if self.group not in _WITHIN:
            return f"{self.group}.{self.field}" if self.field else self.group
        prefix = _PREFIXES.get(self.group, "")
        return f"{_spelled(self.model)}/{_spelled(self.name)}.{prefix}{self.field}"

    def to_data(self) -> tuple[str, str, str, str, int | None]:
        """Return it as plain data: group, model, name, field, width."""
        return (self.group, self.model, self.name, self.field, self.width)

    @property
    def labels(self) -> list[str]:
        """The names of its columns."""
        return [self.label] if self.width is None else [f"{self.label}[{number}]" for number in range(self.width)]


def quantities_of_body(model: str, body: str) -> list[RecordedQuantity]:
    """Return what a recording says of a body."""
    return [
        RecordedQuantity(group=BODIES, model=model, name=body, field=field, width=width) for field, width in BODY_FIELDS.items()
    ]


def quantities_of_joint(model: str, joint: str, degrees_of_freedom: int) -> list[RecordedQuantity]:
    """Return what a recording says of a joint."""
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
        """How many columns there are."""
        return sum(quantity.count for quantity in self.quantities)

    @cached_property
    def slices(self) -> list[tuple[RecordedQuantity, slice]]:
        """Each quantity with its columns."""
        found, start = [], 0
        for quantity in self.quantities:
            found.append((quantity, slice(start, start + quantity.count)))
            start += quantity.count
        return found

    def nested(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """Return a sample as plain data, as :meth:`ossature.simulation.Recording.to_json` gives it."""
        values = row.tolist()
        sample: dict[str, Any] = {}
        for quantity, columns in self.slices:
            value = values[columns.start] if quantity.width is None else values[columns]
            if quantity.group in _WITHIN:
                names = sample.setdefault(quantity.group, {}).setdefault(quantity.model, {})
                names.setdefault(quantity.name, {})[quantity.field] = value
            elif quantity.field:
                sample.setdefault(quantity.group, {})[quantity.field] = value
            else:
                sample[quantity.group] = value
        return sample

    def row(self, sample: dict[str, Any]) -> NDArray[np.float64]:
        """Return a sample that :meth:`nested` gave as numbers; what is null there is not a number.

        Raises:
            KeyError: It lacks a quantity.
            TypeError: Something else stands where numbers should be.
            ValueError: A quantity has another count of numbers.
        """
        import numpy as np

        row = np.empty(self.count)
        for quantity, columns in self.slices:
            value = sample[quantity.group]
            if quantity.group in _WITHIN:
                value = value[quantity.model][quantity.name]
            if quantity.field:
                value = value[quantity.field]
            row[columns] = np.array(value, dtype=float)
        return row

    def to_data(self) -> list[tuple[str, str, str, str, int | None]]:
        """Return the columns as plain data."""
        return [one.to_data() for one in self.quantities]


def columns_from_data(data: Iterable[Sequence[Any]]) -> Columns:
    """Return the columns that :meth:`Columns.to_data` gave.

    Raises:
        ValueError: They are no such columns.
    """
    columns = Columns(quantities_from_data(data))
    if not columns.quantities or columns.quantities[0].group != TIME or columns.count > MOST_COLUMNS:
        raise ValueError("these are no columns of a recording")
    return columns


def quantities_from_data(data: Iterable[Sequence[Any]]) -> tuple[RecordedQuantity, ...]:
    """Return the quantities that :meth:`RecordedQuantity.to_data` gave.

    Raises:
        ValueError: They are no such quantities.
    """
    quantities = []
    for group, model, name, field, width in data:
        words = (group, model, name, field)
        if not all(isinstance(word, str) for word in words) or not (width is None or 0 <= int(width) < 10_000):
            raise ValueError("these are no columns of a recording")
        quantities.append(RecordedQuantity(group=group, model=model, name=name, field=field, width=width))
    return tuple(quantities)


def columns_from_sample(sample: dict[str, Any]) -> Columns:
    """Return the columns of a sample that :meth:`Columns.nested` gave.

    Raises:
        ValueError: It is no such sample.
    """
    if not isinstance(sample, dict) or "time" not in sample:
        raise ValueError("a sample has no time")
    quantities = [RecordedQuantity(group=TIME)]
    try:
        for group in _WITHIN:
            for model, names in sample.get(group, {}).items():
                for name, fields in names.items():
                    for field, value in fields.items():
                        width = len(value) if isinstance(value, list) else None
                        quantities.append(RecordedQuantity(group=group, model=model, name=name, field=field, width=width))
        quantities += [RecordedQuantity(group="energy", field=field) for field in sample.get("energy", {})]
    except AttributeError as error:
        raise ValueError("a sample has something else where names should be") from error
    quantities += [RecordedQuantity(group="violation")] if "violation" in sample else []
    return Columns(tuple(quantities))


def columns_from_labels(labels: Iterable[str]) -> Columns:
    """Return columns from their names in a table.

    Raises:
        ValueError: A name is none of a recording's column.
    """
    widths: dict[RecordedQuantity, int | None] = {}
    labels = list(labels)
    if labels[:1] != [TIME]:
        raise ValueError(f"the first column is '{labels[0][:80] if labels else ''}', not '{TIME}'")
    for label in labels:
        quantity, number = _parsed(label)
        if number not in (None, (widths.get(quantity) or 0)):
            raise ValueError(f"column '{label[:80]}' is out of order")
        widths[quantity] = None if number is None else number + 1
    return Columns(
        tuple(
            [
                RecordedQuantity(group=one.group, model=one.model, name=one.name, field=one.field, width=width)
                for one, width in widths.items()
            ]
        )
    )


def _spelled(name: str) -> str:
    return _SPECIAL.sub(lambda found: quote(found[0], safe=""), name)


def _parsed(label: str) -> tuple[RecordedQuantity, int | None]:
    if label in (TIME, "violation"):
        return RecordedQuantity(group=label), None
    if label in ("energy.potential", "energy.kinetic"):
        return RecordedQuantity(group="energy", field=label.removeprefix("energy.")), None
    found = _NAMED.fullmatch(label)
    if found is None:
        raise ValueError(f"'{label[:80]}' is no column of a recording")
    field, number = found["field"], found["number"]
    group = BODIES if field in BODY_FIELDS and number is not None else JOINTS if field in JOINT_FIELDS else ELEMENTS
    for special, prefix in _PREFIXES.items():
        if field.startswith(prefix):
            group, field = special, field.removeprefix(prefix)
    quantity = RecordedQuantity(group=group, model=unquote(found["model"]), name=unquote(found["name"]), field=field)
    return quantity, None if number is None else int(number)
