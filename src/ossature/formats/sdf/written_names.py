"""Names in a file: those of a model with ``::`` become nested models, and all names of a scope are different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ossature.diagnostics.ledger import Ledger, WrittenName
from ossature.formats.sdf.frame_graph import SEPARATOR, WORLD
from ossature.formats.sdf.name_scopes import is_reserved
from ossature.model import Body, Joint, Model, Sensor, World
from ossature.model.unique_names import take_unique_name
from ossature.syntax import xml

ScopePath: TypeAlias = tuple[str, ...]
"""The names of the nested models that contain each other; empty for the outermost model."""


@dataclass(frozen=True, slots=True)
class ScopedName:
    """A name in a scope."""

    scope: ScopePath
    name: str

    @property
    def path(self) -> str:
        """The name in the outermost model."""
        return SEPARATOR.join((*self.scope, self.name))

    def seen_from(self, scope: ScopePath) -> str:
        """Return the name in a scope that contains the element."""
        return SEPARATOR.join((*self.scope[len(scope) :], self.name))

    def is_visible_from(self, scope: ScopePath) -> bool:
        """Whether a scope contains the element."""
        return self.scope[: len(scope)] == scope


def model_names(world: World, ledger: Ledger) -> list[str]:
    """Return the names of the models of a World in its file; changes are recorded in the ledger."""
    taken, counts = {WORLD}, Counter[str]()
    names = []
    for model in world.models:
        names.append(take_unique_name(_flat(model.name, "model"), taken))
        if names[-1] != model.name:
            changed = WrittenName(
                model="", collection="models", name=model.name, occurrence=counts[model.name], written=names[-1]
            )
            ledger.renamed(changed)
        counts[model.name] += 1
    return names


class WrittenNames:
    """The names of the elements of a model in its file; changes are recorded in the ledger.

    Args:
        joints: The joints that are written; both of their bodies exist.

    Attributes:
        bodies: The first body of each name.
        joints: The joints, by their index.
        frames: The frames of bodies, by body and index.
        sensors: The sensors, by their index.
        scopes: The outermost scope and those of nested models, in the order of the file.
    """

    def __init__(self, model: Model, joints: Sequence[Joint], sensors: Sequence[Sensor], ledger: Ledger) -> None:
        self._model, self._ledger = model, ledger
        self._counts: Counter[tuple[str, str]] = Counter()
        paths = _body_paths(model)
        self.scopes = _scopes([path[:-1] for path in paths.values()])
        self._taken: dict[ScopePath, set[str]] = {scope: {WORLD} for scope in self.scopes}
        for scope in self.scopes[1:]:
            self._taken[scope[:-1]].add(scope[-1])
        self.bodies: dict[str, ScopedName] = {}
        for body in model.bodies:
            if body.name in self.bodies:
                ledger.dropped(f"{model.name}/{body.name}", "another body has the same name", location=body.origin)
            else:
                path = paths[body.name]
                self.bodies[body.name] = self._take("bodies", body.name, path[:-1], path[-1])
        self.joints = [self._joint_name(joint) for joint in joints]
        self.frames = {
            (body.name, index): self._frame_name(body, index)
            for body in model.bodies
            if model.bodies[body.name] is body
            for index in range(len(body.frames))
        }
        taken: dict[ScopePath, set[str]] = {}
        self.sensors = [self._sensor_name(sensor, taken) for sensor in sensors]

    def _joint_name(self, joint: Joint) -> ScopedName:
        ends = [self.bodies[name].scope for name in (joint.parent, joint.child) if name is not None]
        scope, name = self._scope_and_name(joint.name, "joint", ends)
        return self._take("joints", joint.name, scope, self._other_name(scope, name, "joint"))

    def _frame_name(self, body: Body, index: int) -> ScopedName:
        frame = body.frames[index]
        scope, name = self._scope_and_name(frame.name, "frame", [self.bodies[body.name].scope])
        return self._take("frames", frame.name, scope, self._other_name(scope, name, "frame"), body=body.name)

    def _sensor_name(self, sensor: Sensor, taken: dict[ScopePath, set[str]]) -> ScopedName:
        """Return the name of a sensor, which is in the scope of its body and has names of its own."""
        scope = self.bodies[sensor.body or ""].scope
        inner, name = self._scope_and_name(sensor.name, "sensor", [scope])
        unique = take_unique_name(name if inner == scope else _flat(sensor.name, "sensor"), taken.setdefault(scope, set()))
        written = ScopedName(scope, unique)
        self._record("sensors", sensor.name, written)
        return written

    def _scope_and_name(self, name: str, default: str, ends: Sequence[ScopePath]) -> tuple[ScopePath, str]:
        """Return the scope of an element, which contains all that it refers to, and its name there."""
        path = _parts(name, default)
        scope = path[:-1]
        if scope in self._taken and all(end[: len(scope)] == scope for end in ends):
            return scope, path[-1]
        return (), _flat(name, default)

    def _other_name(self, scope: ScopePath, name: str, kind: str) -> str:
        """Return a name, with its kind if another element has it."""
        return f"{name}_{kind}" if name in self._taken[scope] else name

    def _take(self, collection: str, name: str, scope: ScopePath, local: str, body: str | None = None) -> ScopedName:
        written = ScopedName(scope, take_unique_name(local, self._taken[scope]))
        self._record(collection, name, written, body=body)
        return written

    def _record(self, collection: str, name: str, written: ScopedName, body: str | None = None) -> None:
        occurrence = self._counts[collection, name] if body is None else 0
        self._counts[collection, name] += 1
        if written.path == name:
            return
        changed = WrittenName(
            model=self._model.name, collection=collection, body=body, name=name, occurrence=occurrence, written=written.path
        )
        self._ledger.renamed(changed, _reason(name, written))


def _reason(name: str, written: ScopedName) -> str:
    local = name.rpartition(SEPARATOR)[2]
    if is_reserved(local):
        return "the name is reserved in SDFormat"
    if written.name.startswith(f"{local}_"):
        return "links, joints, frames and nested models of a model have different names in SDFormat"
    return "the name is changed"


def _parts(name: str, default: str) -> ScopePath:
    """Return the names of nested models and that of an element."""
    parts = tuple((xml.printable(name) or default).split(SEPARATOR))
    return (_flat(name, default),) if not all(map(_is_valid, parts)) else parts


def _is_valid(name: str) -> bool:
    return bool(name) and name == name.strip() and not is_reserved(name)


def _flat(name: str, default: str) -> str:
    flat = (xml.printable(name) or default).replace(SEPARATOR, "_")
    return flat if flat == WORLD or not is_reserved(flat) else flat.strip("_") or default


def _body_paths(model: Model) -> dict[str, ScopePath]:
    """Return the nested models and the name of each body; a name that is also that of a nested model is not nested."""
    paths = {body.name: _parts(body.name, "link") for body in model.bodies}
    elements = set(paths.values())
    return {
        name: (_flat(name, "link"),) if any(path[:end] in elements for end in range(1, len(path))) else path
        for name, path in paths.items()
    }


def _scopes(found: Sequence[ScopePath]) -> list[ScopePath]:
    """Return scopes with all that contain them, each after the one that contains it, in the order of the first element."""
    scopes: dict[ScopePath, None] = {(): None}
    for scope in found:
        scopes.update(dict.fromkeys(scope[:end] for end in range(1, len(scope) + 1)))
    return list(scopes)
