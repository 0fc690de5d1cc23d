"""Editing a World: attributes by path, renaming, removing and attaching elements.

A World is immutable: each function returns another one. ``World`` has all of them as methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass, replace
from types import TracebackType
from typing import Any, Generic, NoReturn, TypeVar

from ossature.model.attach import attach
from ossature.model.body import Body
from ossature.model.element_fields import elements
from ossature.model.element_paths import COLLECTION_OF, ElementPath, find, forwarded, replaced_at, resolve, value_at
from ossature.model.grasp import BodyPath, Grasp
from ossature.model.joint import Joint
from ossature.model.model import COLLECTIONS, Model
from ossature.model.name_references import map_references, references, without_references
from ossature.model.named_list import NamedList
from ossature.model.trajectory import Channel, Trajectory
from ossature.model.validated_element import ModelError, to_pose
from ossature.spatial import IDENTITY, Pose, Vector3

W = TypeVar("W")


def replace_at(world: W, path: str, changes: dict[str, Any]) -> W:
    """Return a World with other attributes of one element.

    Raises:
        ModelError: There is no such element or attribute, or a value does not fit.
    """
    return _with_changes(world, resolve(world, path), changes)


def _with_changes(world: W, at: ElementPath, changes: dict[str, Any]) -> W:
    result: Any = world
    for name, value in changes.items():
        if name == "name" and at.is_element:
            raise ModelError(f"'{at.text}': use rename('{at.text}', '{value}'), so that references follow")
        steps = forwarded(value_at(world, at), name, at.text)
        try:
            result = replaced_at(result, (*at.steps, *steps), value)
        except ValueError as error:
            raise ModelError(f"'{at.text}': {error}") from None
    return result  # type: ignore[no-any-return]  # of the class of the World


def with_values(world: W, values: Mapping[str, Any]) -> W:
    """Return a World with other values of attributes.

    Args:
        values: The values by path: ``arm/link.mass``, ``arm/elbow.damping``, ``arm/link.collisions[0].geometry.radius``, or an
            attribute of the World such as ``gravity[2]``.

    Raises:
        ModelError: There is no such element or attribute, a path is ambiguous or names an element, or a value does not fit.
    """
    for path, value in values.items():
        at = resolve(world, path)
        if at.is_element or at.name == "name":
            raise ModelError(f"'{path}' names an element: append an attribute other than its name")
        value_at(world, at)
        world = with_value_at(world, at, value)
    return world


def with_value_at(world: W, at: ElementPath, value: Any) -> W:
    """Return a World with another value of an attribute that exists.

    Raises:
        ModelError: The value does not fit.
    """
    try:
        return replaced_at(world, at.steps, value)  # type: ignore[no-any-return]  # of the class of the World
    except ValueError as error:
        raise ModelError(f"'{at.text}': {error}") from None


def rename(world: Any, path: str, name: str, kind: type | None = None) -> Any:
    """Return a World in which an element has another name, and all references to it follow.

    Raises:
        ModelError: There is no such element, or another element has the name.
    """
    at = resolve(world, path, kind)
    if not at.is_element:
        raise ModelError(f"'{path}' is not an element with a name of its own")
    siblings: NamedList[Any] = _parent(world, at)
    try:
        renamed = replaced_at(world, at.steps[:-1], siblings.renamed(at.name, name))
    except ValueError as error:
        raise ModelError(f"'{path}': {error}") from None
    element = value_at(world, at)
    if isinstance(element, Model):
        return _with_model_name(renamed, at.name, name)
    if type(element) not in COLLECTION_OF or siblings[at.name] is not element:
        return renamed
    names = {COLLECTION_OF[type(element)]: {at.name: name}}
    model: Model = map_references(renamed.models[at.model], names)
    return _with_names_in_world(replace(renamed, models=renamed.models.replaced(model)), model.name, names)


def _parent(world: Any, at: ElementPath) -> Any:
    return value_at(world, ElementPath(at.steps[:-1], at.text))


def _with_names_in_world(world: Any, model: str, names: dict[str, dict[str, str]]) -> Any:
    bodies = names.get("bodies", {})

    def grasp(one: Grasp) -> Grasp:
        link = map_references(one.link, names) if one.link.model == model else one.link
        body = map_references(one.body, names) if one.body.model == model else one.body
        ignored = (
            tuple([bodies.get(name, name) for name in one.ignored_bodies]) if one.link.model == model else one.ignored_bodies
        )
        return replace(one, link=link, body=body, ignored_bodies=ignored)

    def trajectory(one: Trajectory) -> Trajectory:
        channels = [map_references(item, names) if item.model == model else item for item in one.channels]
        return replace(one, channels=tuple(channels))

    return replace(world, grasps=tuple([grasp(one) for one in world.grasps]), trajectories=world.trajectories.map(trajectory))


def _with_model_name(world: Any, old: str, new: str) -> Any:
    def renamed(one: Any) -> Any:
        return replace(one, model=new) if one.model == old else one

    grasps = [replace(one, link=renamed(one.link), body=renamed(one.body)) for one in world.grasps]
    trajectories = world.trajectories.map(lambda one: replace(one, channels=tuple(map(renamed, one.channels))))
    return replace(world, grasps=tuple(grasps), trajectories=trajectories)


def remove(world: Any, path: str, *, cascade: bool = False, kind: type | None = None) -> Any:
    """Return a World without an element.

    Args:
        cascade: Whether elements that refer to it are removed too: the joints of a body, the sensors and actuators of a joint.
            A coordinate that is coupled to a removed joint becomes independent.
        kind: The class of the element, if several have the path.

    Raises:
        ModelError: There is no such element, or others refer to it.
    """
    at = resolve(world, path, kind)
    if not at.is_element:
        raise ModelError(f"'{path}' is not an element that can be removed")
    element = value_at(world, at)
    removed = replaced_at(world, at.steps[:-1], _parent(world, at).without(at.name))
    if type(element) in COLLECTION_OF:
        model = _without_dependents(removed.models[at.model], at, COLLECTION_OF[type(element)], cascade)
        removed = replace(removed, models=removed.models.replaced(model))
    return _without_dangling_paths(removed, path, cascade)


def _without_dependents(model: Model, at: ElementPath, collection: str, cascade: bool) -> Model:
    users = [where for where, referred, name in references(model, model.name) if referred == collection and name == at.name]
    if users and not cascade:
        raise ModelError(f"'{at.text}' is used by {', '.join(sorted(set(users))[:5])}: remove these too with cascade=True")
    removed = {collection: frozenset({at.name})}
    while any(removed.values()):  # a joint of a removed body is removed, and then what refers to that joint
        fewer: Model = without_references(model, removed)
        removed = {
            name: frozenset(set(getattr(model, name).names()) - set(getattr(fewer, name).names())) for name in COLLECTIONS
        }
        model = fewer
    return model


def _without_dangling_paths(world: Any, path: str, cascade: bool) -> Any:
    """Return a World without grasps and trajectories of elements that do not exist."""

    def is_known(body: BodyPath) -> bool:
        return body.model in world.models and body.body in world.models[body.model].bodies

    def channels(one: Trajectory) -> list[Channel]:
        return [item for item in one.channels if item.model in world.models and item.joint in world.models[item.model].joints]

    grasps = tuple([one for one in world.grasps if is_known(one.link) and is_known(one.body)])
    trajectories = world.trajectories.map(
        lambda one: one if len(channels(one)) == len(one.channels) else replace(one, channels=tuple(channels(one)))
    )
    if not cascade and (len(grasps) != len(world.grasps) or trajectories is not world.trajectories):
        raise ModelError(f"'{path}' is used by a grasp or a trajectory: remove these too with cascade=True")
    return replace(world, grasps=grasps, trajectories=trajectories)


def attach_at(
    world: Any, part: Any, at: str, *, prefix: str = "", link: str | None = None, pose: Pose | Vector3 = IDENTITY
) -> Any:
    """Return a World with a part attached to a body; see :func:`ossature.model.attach.attach`.

    Args:
        part: The part: a model, or a World with one model.
        at: The path of the body of the robot.
        prefix: Prefix of all names of the part.
        link: The body of the part to attach by; its first one by default.
        pose: The frame of that body in that of the other one, or its position [m].

    Raises:
        ModelError: There is no such body, or the part cannot be attached.
        TypeError: The part is neither a Model nor a World.
    """
    place = resolve(world, at, Body)
    if not isinstance(part, Model) and not hasattr(part, "models"):
        raise TypeError(f"a part is a Model, or a World with one model, not {part!r:.80}")
    models = [part] if isinstance(part, Model) else list(part.models)
    if len(models) != 1:
        raise ModelError(f"a part is one model, not {len(models)}: attach one of {', '.join(map(repr, part.models.names()))}")
    base = world.models[place.model]
    try:
        attached = attach(base, models[0], onto=place.name, root=link, pose=to_pose(pose), prefix=prefix).model
    except ValueError as error:
        raise ModelError(f"'{at}': {error}") from None
    return replace(world, models=world.models.replaced(attached))


class Edit(Generic[W]):
    """Several edits of a World: attributes of elements are assigned by path.

    Each assignment is validated at once; references are validated at the end, where they may be wrong in between. The
    result is ``edit.world``; after an exception it is the World before all edits.
    """

    def __init__(self, world: W) -> None:
        self._original = world
        self.world = world
        """The edited World."""
        self._is_open = True

    def __enter__(self) -> Edit[W]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._is_open = False
        if kind is not None:
            self.world = self._original
            return
        new = dangling_references(self.world) - dangling_references(self._original)
        if new:
            self.world = self._original
            _raise_dangling(new)

    def __getitem__(self, path: str) -> ElementEdit:
        return ElementEdit(self, resolve(self.world, path))

    def body(self, path: str) -> ElementEdit:
        """Return the attributes of a body, for assignment."""
        return ElementEdit(self, resolve(self.world, path, Body))

    def joint(self, path: str) -> ElementEdit:
        """Return the attributes of a joint, for assignment; those of its only coordinate too, such as ``limits``."""
        return ElementEdit(self, resolve(self.world, path, Joint))

    def add(self, model: str, *elements: Any) -> None:
        """Add elements (bodies, joints, sensors, …) to a model.

        Raises:
            ModelError: There is no such model, or it has an element of that class and name.
        """
        self._apply(add(self.world, model, elements))

    def rename(self, path: str, name: str) -> None:
        """Rename an element, with all references to it."""
        self._apply(rename(self.world, path, name))

    def remove(self, path: str, *, cascade: bool = False) -> None:
        """Remove an element; see :func:`remove`."""
        self._apply(remove(self.world, path, cascade=cascade))

    def attach(self, part: Any, at: str, *, prefix: str = "", link: str | None = None, pose: Pose | Vector3 = IDENTITY) -> None:
        """Attach a part to a body; see :func:`attach_at`."""
        self._apply(attach_at(self.world, part, at, prefix=prefix, link=link, pose=pose))

    def _apply(self, world: W) -> None:
        if not self._is_open:
            raise ModelError("the edit is finished: begin another one with world.edit()")
        self.world = world


class ElementEdit:
    """The attributes of an element in an edit: reading returns them, assigning edits the World."""

    __slots__ = ("_at", "_edit")
    _at: ElementPath
    _edit: Edit[Any]

    def __init__(self, edit: Edit[Any], at: ElementPath) -> None:
        object.__setattr__(self, "_edit", edit)
        object.__setattr__(self, "_at", at)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        steps = forwarded(value_at(self._edit.world, self._at), name, self._at.text)
        at = ElementPath((*self._at.steps, *steps), f"{self._at.text}.{name}")
        value = value_at(self._edit.world, at)
        is_part = is_dataclass(value) or (isinstance(value, tuple) and value and is_dataclass(value[0]))
        return ElementEdit(self._edit, at) if is_part and not isinstance(value, Pose) else value

    def __getitem__(self, index: int) -> ElementEdit:
        at = ElementPath((*self._at.steps, index), f"{self._at.text}[{index}]")
        value_at(self._edit.world, at)
        return ElementEdit(self._edit, at)

    def __setattr__(self, name: str, value: Any) -> None:
        edit, at = self._edit, self._at
        if name == "name" and at.is_element:
            edit.rename(at.text, value)
            object.__setattr__(self, "_at", ElementPath((*at.steps[:-1], value), at.text))
            return
        edit._apply(_with_changes(edit.world, at, {name: value}))

    def __repr__(self) -> str:
        return f"<editing {self._at.text}: {value_at(self._edit.world, self._at)!r}>"


def add(world: Any, model: str, elements: tuple[Any, ...]) -> Any:
    """Return a World with further elements in a model.

    Raises:
        ModelError: There is no such model, an element has a class that models do not contain, or its name is used.
    """
    changed: Model = find(world, Model, model)
    for element in elements:
        collection = COLLECTION_OF.get(type(element))
        if collection is None:
            raise ModelError(f"'{model}': a model has no elements of class {type(element).__name__}")
        if element.name in getattr(changed, collection):
            raise ModelError(f"'{model}/{element.name}' exists: {collection} have unique names")
        changed = replace(changed, **{collection: getattr(changed, collection).with_(element)})
    return replace(world, models=world.models.replaced(changed))


def require_references(world: Any) -> None:
    """Raise an error if elements refer to others that do not exist.

    Raises:
        ModelError: The message names the first of them.
    """
    found = dangling_references(world)
    if found:
        _raise_dangling(found)


def _raise_dangling(found: set[tuple[str, str]]) -> NoReturn:
    raise ModelError("; ".join(f"{path}: there is no '{name}'" for path, name in sorted(found)[:5]))


def dangling_references(world: Any) -> set[tuple[str, str]]:
    """Return the references to elements that do not exist: the path of the field, and the name."""
    found = set()
    for model in world.models:
        known = {collection: set(getattr(model, collection).names()) for collection in COLLECTIONS}
        found |= {(path, name) for path, collection, name in references(model, model.name) if name not in known[collection]}
        found |= _dangling_references_in_bodies(model)
    return found


def _dangling_references_in_bodies(model: Model) -> set[tuple[str, str]]:
    """Return the references to frames and shapes of known bodies that do not exist."""
    found = set()
    for collection in ("tendons", "equalities", "contact_pairs", "actuators", "sensors"):
        for named in getattr(model, collection):
            found |= {(f"{model.name}/{named.name}.{path}", name) for path, name in _dangling_inside(model, named)}
    return found


def _dangling_inside(model: Model, element: Any) -> Iterator[tuple[str, str]]:
    for path, part, _ in elements(element):
        for field, names in (("frame", _frame_names), ("shape", _shape_names)):
            name, body = getattr(part, field, None), getattr(part, "body", None)
            owner = model.bodies.get(body) if isinstance(body, str) else None
            if isinstance(name, str) and owner is not None and name not in names(owner):
                yield f"{path}.{field}", f"{body}.{name}"


def _frame_names(body: Body) -> set[str]:
    return {frame.name for frame in body.frames}


def _shape_names(body: Body) -> set[str]:
    return {visual.name or "" for visual in body.visuals} | {collision.name or "" for collision in body.collisions}
