"""Hints: what files of one format state for one program, as typed extensions of elements of the model."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, TypeVar

from ossature.model.validated_element import Element, ModelError

ContactMethod: TypeAlias = Literal["SMC", "NSC"]
"""A contact method of Chrono."""


class Hint(Element):
    """Base of the hints. An element has at most one of each class."""

    __slots__ = ()

    @property
    def specifies_anything(self) -> bool:
        """Whether one of its fields is stated, or it has none."""
        kind = type(self)
        if kind not in _FIELD_NAMES:
            _FIELD_NAMES[kind] = tuple([item.name for item in fields(self)])  # type: ignore[arg-type]  # hints are data classes
        names = _FIELD_NAMES[kind]
        return not names or any(getattr(self, name) is not None for name in names)


_FIELD_NAMES: dict[type[Hint], tuple[str, ...]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class DartStepping(Hint):
    """A simulation steps as DART does, which is first order in the time step: files for DART move as they do there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChronoContact(Hint):
    """The contact method of Chrono.

    Attributes:
        method: ``SMC`` for smooth (penalty) contacts, or ``NSC`` for non-smooth (rigid) ones.
    """

    method: ContactMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class ChronoCollision(Hint):
    """The collision settings of a body in Chrono.

    Attributes:
        family: Number of its collision family.
    """

    family: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenravePlanning(Hint):
    """The settings of OpenRAVE's planners for a coordinate.

    Attributes:
        weight: Weight of the coordinate in a planner's metric, or None.
        resolution: Step of collision checks along it [rad or m], or None.
    """

    weight: float | None = None
    resolution: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenravePlugin(Hint):
    """The plugin that a file names for an element. It is only a name: nothing is loaded.

    Attributes:
        kind: The type of its element: ``robot``, ``kinbody``, ``sensor``, ``iksolver``, or None if unspecified.
        name: Its name.
        plugin: The library that contains it, or None.
    """

    kind: str | None = None
    name: str
    plugin: str | None = None


class HintedElement(Element):
    """Base of the elements with hints, in the order of the names of their classes, and without those that state nothing."""

    __slots__ = ()
    hints: tuple[Any, ...]

    def _finish(self) -> None:
        if self.hints:
            specified = sorted([hint for hint in self.hints if hint.specifies_anything], key=_class_name)
            if len({*map(type, specified)}) < len(specified):
                raise ModelError(f"{type(self).__name__}.hints: several of one class: {', '.join(map(_class_name, specified))}")
            object.__setattr__(self, "hints", tuple(specified))


def _class_name(hint: Hint) -> str:
    return type(hint).__name__


H = TypeVar("H", bound=Hint)
E = TypeVar("E", bound=HintedElement)


def hint_of(element: HintedElement, kind: type[H]) -> H | None:
    """Return the hint of a class that an element has, or None."""
    for hint in element.hints:
        if isinstance(hint, kind):
            return hint
    return None


def with_hint(element: E, hint: Hint) -> E:
    """Return an element with a hint, instead of the one of the same class."""
    others = [one for one in element.hints if type(one) is not type(hint)]
    return replace(element, hints=(*others, hint))  # type: ignore[type-var]  # all elements are data classes
