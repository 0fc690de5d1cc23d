"""The differences between two Worlds as values: what differs, where, by how much, and in which words."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ossature.diagnostics.counted_nouns import counted
from ossature.html_table import html_table


class Category(StrEnum):
    """What a difference is about, in the order in which differences are listed."""

    STRUCTURE = "structure"
    """Models, bodies and joints that only one side has, parents, types of joints, bases."""
    NAMES = "names"
    KINEMATICS = "kinematics"
    """Positions and axes of joints, their signs and zeros, couplings."""
    INERTIA = "inertia"
    GEOMETRY = "geometry"
    """Visual and collision shapes."""
    LIMITS = "limits"
    DYNAMICS = "dynamics"
    """Damping, friction, springs, forces, gravity."""
    ACTUATION = "actuation"
    """Commands, motors, actuators, grippers."""
    SENSORS = "sensors"
    INITIAL_STATE = "initial state"
    FRAMES = "frames"
    """Frames in which the same content is expressed: no physical difference."""
    OTHER = "other"
    """Everything else, such as content of one format only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference.

    Attributes:
        category: What it is about.
        path_a: Path of the element in A (``arm/elbow``), or None if only B has it.
        path_b: Path of the element in B, or None if only A has it.
        quantity: What differs, in words: ``mass``, ``position limits``.
        text: The difference in words, with units: ``2 kg → 2.5 kg (+25 %)``.
        field: Path of the attribute in the element (``coordinates[0].damping``), or empty for the element itself.
        amount: Its size [SI units], or None if it has none.
    """

    category: Category
    path_a: str | None
    path_b: str | None
    quantity: str
    text: str = ""
    field: str = ""
    amount: float | None = None

    @property
    def path(self) -> str:
        """Path of the element, in A if it has it."""
        return self.path_a or self.path_b or ""

    def __str__(self) -> str:
        side = (
            "" if self.path_a is not None and self.path_b is not None else f" (only in {'B' if self.path_a is None else 'A'})"
        )
        return f"{self.path or 'world'}: {self.quantity}{f' {self.text}' if self.text else ''}{side}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "category": self.category.value,
            "path_a": self.path_a,
            "path_b": self.path_b,
            "field": self.field,
            "quantity": self.quantity,
            "text": self.text,
            "amount": self.amount,
        }


@dataclass(frozen=True, slots=True)
class PathPair:
    """Paths of corresponding elements.

    Attributes:
        a: The path in A, or None if only B has the element.
        b: The path in B, or None if only A has it.
    """

    a: str | None
    b: str | None

    @classmethod
    def one_sided(cls, path: str, *, is_in_a: bool) -> PathPair:
        """Return the paths of an element that only one side has."""
        return cls(path, None) if is_in_a else cls(None, path)

    def change(self, category: Category, quantity: str, text: str = "", field: str = "", amount: float | None = None) -> Change:
        """Return a difference of the elements."""
        return Change(category=category, path_a=self.a, path_b=self.b, quantity=quantity, text=text, field=field, amount=amount)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseDistances:
    """How far corresponding bodies are apart if corresponding joints have the same positions.

    Attributes:
        configurations: Number of random configurations, besides that with all joints at zero.
        at_zero: Largest distance with all joints of A at zero [m].
        anywhere: Largest distance of all configurations [m].
        body: The body in A with the largest distance, as a path, or None if all are equal.
    """

    configurations: int
    at_zero: float
    anywhere: float
    body: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldDiff:
    """The differences between two Worlds, A and B.

    Attributes:
        changes: The differences, by category.
        tolerance: The tolerance with which they were compared.
        poses: Distances of corresponding bodies, or None if there are none to compare.
        bodies: The bodies of B that correspond to those of A, as paths.
        joints: The joints of B that correspond to those of A, as paths.
        notes: What could not be compared.
    """

    changes: tuple[Change, ...]
    tolerance: float
    poses: PoseDistances | None = None
    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is a difference."""
        return bool(self.changes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "no differences"

    def __repr__(self) -> str:
        counts = Counter(change.category.value for change in self.changes)
        listed = ", ".join(f"{category}: {count}" for category, count in counts.items())
        return f"WorldDiff({counted(len(self.changes), 'difference')}; {listed})" if listed else "WorldDiff(no differences)"

    def _repr_html_(self) -> str:
        rows = [
            (change.category.value, change.path_a or "", change.path_b or "", change.quantity, change.text)
            for change in self.changes
        ]
        notes = "".join(f"<p>note: {html.escape(note)}</p>" for note in self.notes)
        head = ("category", "element of A", "element of B", "quantity", "difference")
        return (html_table(head, rows) if rows else "<p>no differences</p>") + notes

    def to_dict(self) -> dict[str, Any]:
        """Return the differences as plain data."""
        poses = self.poses
        return {
            "equal": not self.changes,
            "tolerance": self.tolerance,
            "differences": [change.to_dict() for change in self.changes],
            "poses": None
            if poses is None
            else {
                "configurations": poses.configurations,
                "distance_at_zero": poses.at_zero,
                "distance": poses.anywhere,
                "body": poses.body,
            },
            "bodies": self.bodies,
            "joints": self.joints,
            "notes": list(self.notes),
        }
