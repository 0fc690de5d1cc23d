"""What parameters and paths of scoped identifiers mean, through all levels of instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.schema_common import BindElement, NewparamElement, SetparamElement, ValueElement

Tried: TypeAlias = set[tuple[int, tuple[str, ...]]]
"""Which paths were looked for at which levels already."""
Parameters: TypeAlias = Iterable[NewparamElement | BindElement | SetparamElement]


@dataclass(frozen=True, slots=True)
class AxisTarget:
    """An axis of a joint of a model that is instantiated.

    Attributes:
        model: The scope of the model.
        joint: The joint's identifier in the model.
        axis: Which of its axes, counted from zero.
    """

    model: ModelScope
    joint: str
    axis: int


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """A model that is instantiated."""

    model: ModelScope


Target: TypeAlias = AxisTarget | ModelTarget | float | bool


@dataclass(slots=True, eq=False)
class ModelScope:
    """What can be named inside an instance of a kinematics model.

    Attributes:
        identifiers: By what the instance is known: its own sid, the model's id.
        axes: The sids of each joint's axes, by the joint's sid.
        names: Parameters that the model declares.
    """

    identifiers: frozenset[str]
    axes: dict[str, tuple[str | None, ...]]
    names: dict[str, ValueElement] = field(default_factory=dict)

    def override(self, parameters: Iterable[SetparamElement]) -> None:
        """Give parameters of the model other values."""
        self.names.update({parameter.ref: parameter for parameter in parameters if parameter.ref in self.names})

    def find(self, parts: tuple[str, ...]) -> Target | None:
        """Return what a path means that begins with this instance or inside it."""
        while parts and parts[0] in self.identifiers and parts[0] not in self.axes:
            parts = parts[1:]
        if not parts:
            return ModelTarget(self)
        sids = self.axes.get(parts[0])
        if sids is None or len(parts) > 2:
            return None
        if len(parts) == 1:
            return AxisTarget(self, parts[0], 0) if sids else None
        return AxisTarget(self, parts[0], sids.index(parts[1])) if parts[1] in sids else None


@dataclass(slots=True, eq=False)
class Scope:
    """What can be named inside an articulated system or a scene.

    Attributes:
        identifiers: By what it is known: its own id, the sid of the instance that leads to it.
        inner: What it instantiates.
        names: Parameters, each with the level at which its value is looked up first.
    """

    identifiers: frozenset[str]
    inner: list[Scope | ModelScope] = field(default_factory=list)
    names: dict[str, tuple[ValueElement, Scope | ModelScope | None]] = field(default_factory=dict)

    def declare(self, parameters: Parameters, inner: Scope | ModelScope | None) -> None:
        """Add the parameters that an instance declares."""
        for parameter in parameters:
            name = _name_of(parameter)
            if name:
                self.names.setdefault(name, (parameter, inner))

    def override(self, parameters: Iterable[SetparamElement]) -> None:
        """Give parameters of this level, or of those inside, other values."""
        for parameter in parameters:
            if not parameter.ref:
                continue
            parts = parts_of(parameter.ref)
            level: Scope | ModelScope | None = self
            while isinstance(level, Scope) and len(parts) > 1:
                level, parts = next((inner for inner in level.inner if parts[0] in inner.identifiers), level), parts[1:]
            declaring = next((known for known in _levels(level) if parts[-1] in known.names), level)
            if isinstance(declaring, Scope):
                declaring.names[parts[-1]] = (parameter, declaring)
            elif isinstance(declaring, ModelScope):
                declaring.names[parts[-1]] = parameter

    def find(self, parts: tuple[str, ...], tried: Tried | None = None) -> Target | None:
        """Return what a path means that begins with this level or inside it, or None where it means nothing."""
        tried = set() if tried is None else tried
        if not parts or (id(self), parts) in tried:
            return None  # what leads back to itself means nothing, and what meant nothing once does not the next time
        tried.add((id(self), parts))
        named = self.names.get("/".join(parts))
        if named is not None:
            found = self._value(*named, tried)
            if found is not None:
                return found
        if len(parts) > 1 and parts[0] in self.identifiers:
            return self.find(parts[1:], tried)
        for inner in self.inner:
            found = inner.find(parts, tried) if isinstance(inner, Scope) else _in_model(inner, parts, self, tried)
            if found is not None:
                return found
        return None

    def _value(self, value: ValueElement, inner: Scope | ModelScope | None, tried: Tried) -> Target | None:
        if value.number is not None:
            stated: float | bool = value.number
            return stated
        parts = parts_of(value.reference or "")
        if isinstance(inner, Scope) and inner is not self:
            found = inner.find(parts, tried)
            if found is not None:
                return found
        return self.find(parts, tried)


def _levels(outer: Scope | ModelScope | None) -> Iterator[Scope | ModelScope]:
    """Yield a level and those inside it, outer ones first."""
    pending = [] if outer is None else [outer]
    while pending:
        level = pending.pop(0)
        yield level
        pending.extend(level.inner if isinstance(level, Scope) else [])


def _in_model(model: ModelScope, parts: tuple[str, ...], around: Scope, tried: Tried) -> Target | None:
    named = model.names.get(parts[-1])
    if named is not None and (len(parts) == 1 or parts[0] in model.identifiers):
        return around._value(named, None, tried)
    return model.find(parts)


def _name_of(parameter: NewparamElement | BindElement | SetparamElement) -> str | None:
    match parameter:
        case BindElement():
            return parameter.symbol
        case SetparamElement():
            return parameter.ref
    return parameter.sid


def parts_of(path: str) -> tuple[str, ...]:
    """Return the scoped identifiers of a path."""
    return tuple(part for part in path.strip().split("/") if part not in ("", "."))


def resolve(value: ValueElement | None, scope: Scope, local: Parameters = ()) -> Target | None:
    """Return what a value means, by the parameters beside it first and those of a scope then.

    Args:
        value: What the document states.
        scope: The level at which it stands.
        local: Parameters that the element around it declares.
    """
    if value is None:
        return None
    if value.number is not None:
        stated: float | bool = value.number
        return stated
    if value.plain and value.reference is None:
        return _plain(value.plain)
    reference = value.reference or ""
    for parameter in local:
        if _name_of(parameter) == reference.removeprefix("./"):
            inner = parameter.number if parameter.number is not None else parameter.reference
            return scope.find(parts_of(inner)) if isinstance(inner, str) else inner
    parts = parts_of(reference)
    return scope.find(parts) if parts else None


def _plain(text: str) -> Target | None:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return None


def number(value: ValueElement | None, scope: Scope, local: Parameters, report: Report) -> float | None:
    """Return the number that a value means, or None, with a finding where it is stated and means none."""
    if value is None:
        return None
    found: Any = resolve(value, scope, local)
    if isinstance(found, bool | int | float):
        return float(found)
    _report_unresolved(value, "means no number", "<float>, or a parameter's name", report)
    return None


def truth(value: ValueElement | None, scope: Scope, local: Parameters, report: Report) -> bool | None:
    """Return whether a value means true, or None, with a finding where it is stated and means neither."""
    if value is None:
        return None
    found: Any = resolve(value, scope, local)
    if isinstance(found, bool | int | float):
        return bool(found)
    _report_unresolved(value, "is neither true nor false", "<bool>true</bool>", report)
    return None


def _report_unresolved(value: ValueElement, problem: str, hint: str, report: Report) -> None:
    stated = value.reference or value.plain or ""
    report.add(rules.UNRESOLVED_PARAMETER, f"'{stated[:80]}' {problem}", value.location(), hint=hint)
