"""Resolves parameters and paths of scoped identifiers (SIDs) through all levels of instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.schema_common import BindElement, NewparamElement, SetparamElement, ValueElement

Visited: TypeAlias = set[tuple[int, tuple[str, ...]]]
"""The pairs of scope and path that a search has visited."""
Parameters: TypeAlias = Iterable[NewparamElement | BindElement | SetparamElement]


@dataclass(frozen=True, slots=True)
class AxisTarget:
    """An axis of a joint of an instantiated model.

    Attributes:
        joint: The sid of the joint in the model.
    """

    model: ModelScope
    joint: str
    axis: int


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """An instantiated model."""

    model: ModelScope


Target: TypeAlias = AxisTarget | ModelTarget | float | bool


@dataclass(slots=True, eq=False)
class ModelScope:
    """The names inside an instance of a kinematics model.

    Attributes:
        identifiers: The sid of the instance and the id of the model.
        axes: The sids of the axes of each joint, by the sid of the joint.
    """

    identifiers: frozenset[str]
    axes: dict[str, tuple[str | None, ...]]
    names: dict[str, ValueElement] = field(default_factory=dict)

    def override(self, parameters: Iterable[SetparamElement]) -> None:
        """Override parameters of the model."""
        self.names.update({parameter.ref: parameter for parameter in parameters if parameter.ref in self.names})

    def find(self, parts: tuple[str, ...]) -> Target | None:
        """Return the target of a path that starts at this instance or inside it, or None."""
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
    """The names inside an articulated system or a scene.

    Attributes:
        identifiers: Its id, and the sid of its instance.
        inner: The scopes of its instances.
        names: Its parameters, each with the scope in which its value is resolved first.
    """

    identifiers: frozenset[str]
    inner: list[Scope | ModelScope] = field(default_factory=list)
    names: dict[str, tuple[ValueElement, Scope | ModelScope | None]] = field(default_factory=dict)

    def declare(self, parameters: Parameters, inner: Scope | ModelScope | None) -> None:
        """Add the parameters of an instance."""
        for parameter in parameters:
            name = _parameter_name(parameter)
            if name:
                self.names.setdefault(name, (parameter, inner))

    def override(self, parameters: Iterable[SetparamElement]) -> None:
        """Override parameters of this scope or of inner ones."""
        for parameter in parameters:
            if not parameter.ref:
                continue
            parts = split_sid_path(parameter.ref)
            level: Scope | ModelScope | None = self
            while isinstance(level, Scope) and len(parts) > 1:
                level, parts = next((inner for inner in level.inner if parts[0] in inner.identifiers), level), parts[1:]
            declaring = next((known for known in _iterate_scopes(level) if parts[-1] in known.names), level)
            if isinstance(declaring, Scope):
                declaring.names[parts[-1]] = (parameter, declaring)
            elif isinstance(declaring, ModelScope):
                declaring.names[parts[-1]] = parameter

    def find(self, parts: tuple[str, ...], visited: Visited | None = None) -> Target | None:
        """Return the target of a path that starts at this scope or inside it, or None."""
        visited = set() if visited is None else visited
        if not parts or (id(self), parts) in visited:
            return None  # a cyclic reference has no target, and a failed search is not repeated
        visited.add((id(self), parts))
        named = self.names.get("/".join(parts))
        if named is not None:
            found = self._resolve_parameter(*named, visited)
            if found is not None:
                return found
        if len(parts) > 1 and parts[0] in self.identifiers:
            return self.find(parts[1:], visited)
        for inner in self.inner:
            found = inner.find(parts, visited) if isinstance(inner, Scope) else _find_in_model(inner, parts, self, visited)
            if found is not None:
                return found
        return None

    def _resolve_parameter(self, value: ValueElement, inner: Scope | ModelScope | None, visited: Visited) -> Target | None:
        if value.number is not None:
            specified: float | bool = value.number
            return specified
        parts = split_sid_path(value.reference or "")
        if isinstance(inner, Scope) and inner is not self:
            found = inner.find(parts, visited)
            if found is not None:
                return found
        return self.find(parts, visited)


def _iterate_scopes(outer: Scope | ModelScope | None) -> Iterator[Scope | ModelScope]:
    """Yield a scope and its inner ones, breadth first."""
    pending = [] if outer is None else [outer]
    while pending:
        level = pending.pop(0)
        yield level
        pending.extend(level.inner if isinstance(level, Scope) else [])


def _find_in_model(model: ModelScope, parts: tuple[str, ...], outer: Scope, visited: Visited) -> Target | None:
    named = model.names.get(parts[-1])
    if named is not None and (len(parts) == 1 or parts[0] in model.identifiers):
        return outer._resolve_parameter(named, None, visited)
    return model.find(parts)


def _parameter_name(parameter: NewparamElement | BindElement | SetparamElement) -> str | None:
    match parameter:
        case BindElement():
            return parameter.symbol
        case SetparamElement():
            return parameter.ref
    return parameter.sid


def split_sid_path(path: str) -> tuple[str, ...]:
    """Return the scoped identifiers of a path."""
    return tuple(part for part in path.strip().split("/") if part not in ("", "."))


def resolve_value(value: ValueElement | None, scope: Scope, local: Parameters = ()) -> Target | None:
    """Return the target of a value, resolved by local parameters first and by those of a scope second.

    Args:
        value: The value in the document.
        local: Parameters of the parent element.
    """
    if value is None:
        return None
    if value.number is not None:
        specified: float | bool = value.number
        return specified
    if value.plain and value.reference is None:
        return _parse_plain(value.plain)
    reference = value.reference or ""
    for parameter in local:
        if _parameter_name(parameter) == reference.removeprefix("./"):
            inner = parameter.number if parameter.number is not None else parameter.reference
            return scope.find(split_sid_path(inner)) if isinstance(inner, str) else inner
    parts = split_sid_path(reference)
    return scope.find(parts) if parts else None


def _parse_plain(text: str) -> Target | None:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return None


def resolve_number(value: ValueElement | None, scope: Scope, local: Parameters, report: Report) -> float | None:
    """Return the number that a value resolves to, or None, with a finding if it is stated and not a number."""
    found = _resolve(value, scope, local, report, "is not a number", "use <float>, or the name of a parameter")
    return None if found is None else float(found)


def resolve_boolean(value: ValueElement | None, scope: Scope, local: Parameters, report: Report) -> bool | None:
    """Return the boolean that a value resolves to, or None, with a finding if it is stated and not a boolean."""
    found = _resolve(value, scope, local, report, "is not a boolean", "for example <bool>true</bool>")
    return None if found is None else bool(found)


def _resolve(
    value: ValueElement | None, scope: Scope, local: Parameters, report: Report, problem: str, hint: str
) -> float | None:
    if value is None:
        return None
    found = resolve_value(value, scope, local)
    if isinstance(found, bool | int | float):
        return found
    specified = value.reference or value.plain or ""
    report.add(rules.UNRESOLVED_PARAMETER, f"'{specified[:80]}' {problem}", value.location(), hint=hint)
    return None
