"""Paths of elements: ``arm``, ``arm/elbow``, ``arm/elbow.coordinates[0].damping``, as findings and ledgers have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from ossature.diagnostics.suggestions import suggestion
from ossature.instance_maker import with_attributes
from ossature.model.actuator import Actuator
from ossature.model.appearance import Appearance, Texture
from ossature.model.body import Body, Inertial
from ossature.model.cameras_and_lights import Camera, Light
from ossature.model.contact_pair import ContactPair
from ossature.model.equality_constraint import Equality
from ossature.model.force_element import Bushing, Load, RotationalSpringDamper, SpringDamper
from ossature.model.joint import Coordinate, Joint
from ossature.model.keyframe import Keyframe
from ossature.model.manipulator import Manipulator
from ossature.model.massless_link_constraint import Constraint
from ossature.model.model import COLLECTIONS, Model
from ossature.model.motor import Motor
from ossature.model.named_list import NamedList
from ossature.model.sensor import Sensor
from ossature.model.tendon import Tendon
from ossature.model.trajectory import Trajectory
from ossature.model.validated_element import Element, ModelError
from ossature.spatial import Pose

_ATTRIBUTES = re.compile(r"(?:\.\w+|\[\d+\])+\Z")
_LAST_FIELD = re.compile(r"(.*)(?:\.(\w+)|\[(\d+)\])", re.DOTALL)
_KINDS = (
    *(Body, Joint, Bushing, Constraint, SpringDamper, RotationalSpringDamper, Motor, Load, Manipulator, Sensor, Actuator),
    *(Tendon, Equality, ContactPair, Keyframe, Camera, Light, Appearance, Texture),
)
COLLECTION_OF: dict[type, str] = dict(zip(_KINDS, COLLECTIONS[:2] + COLLECTIONS[2:], strict=True))
"""The field of a model with the elements of a class."""
_FORWARDED: dict[type, tuple[tuple[str | int, ...], type]] = {
    Joint: (("coordinates", 0), Coordinate),
    Body: (("inertial",), Inertial),
}
"""Elements whose attributes include those of a part."""
_SHORT_NAMES = {"limits": "position_limits"}


@dataclass(frozen=True, slots=True)
class ElementPath:
    """The position of an element, or of one of its attributes, in a World.

    Attributes:
        steps: Names of fields, names of elements of a named list, and indices in a tuple, from the World inwards.
    """

    steps: tuple[str | int, ...]
    text: str

    @property
    def model(self) -> str | None:
        """The name of the model of the element, or None."""
        return str(self.steps[1]) if self.steps[0] == "models" else None

    @property
    def is_element(self) -> bool:
        """Whether it is a named element, and not an attribute."""
        is_in_model = len(self.steps) == 4 and self.steps[2] in COLLECTIONS
        return self.steps[0] in ("models", "trajectories") and (len(self.steps) == 2 or is_in_model)

    @property
    def name(self) -> str:
        """The name of the element."""
        return str(self.steps[-1])


def resolve(world: Any, path: str, kind: type | None = None) -> ElementPath:
    """Return the position of an element or attribute, or of an attribute of the World: ``gravity[2]``.

    A joint with one coordinate has its attributes too, and a body those of its inertial.

    Args:
        kind: The class of the element, or None if only one element has that path.

    Raises:
        ModelError: There is no such element, or there are several.
        TypeError: The path is not a text.
    """
    if not isinstance(path, str):
        raise TypeError(f"an element is stated by its path, such as 'arm/elbow', not {path!r:.80}")
    rest = path
    suffix: list[str | int] = []
    while True:
        found = [steps for steps in _exact(world, rest) if kind is None or isinstance(_value(world, steps), kind)]
        if len(found) > 1 and suffix:
            found = [steps for steps in found if _has_attribute(_value(world, steps), suffix[-1])] or found
        if len(found) > 1:
            words = " and ".join(f"a {type(_value(world, steps)).__name__}" for steps in found)
            raise ModelError(f"'{rest}' is {words}: choose with `find(Joint, …)`, or the class that is meant")
        if found:
            return ElementPath((*found[0], *_full_steps(_value(world, found[0]), suffix[::-1], rest)), path)
        shorter = _LAST_FIELD.fullmatch(rest)
        if shorter is None and "/" not in path and kind is None and _has_attribute(world, rest):
            return ElementPath((rest, *reversed(suffix)), path)
        if shorter is None or not shorter[1]:
            raise ModelError(f"no {kind.__name__ if kind else 'element'} '{path}': {_nearest(world, path, kind)}")
        suffix.append(shorter[2] if shorter[2] is not None else int(shorter[3]))
        rest = shorter[1]


def _full_steps(element: Any, steps: list[str | int], path: str) -> tuple[str | int, ...]:
    return (*forwarded(element, steps[0], path), *steps[1:]) if steps and isinstance(steps[0], str) else tuple(steps)


def _has_attribute(value: Any, name: str | int) -> bool:
    return name in [*[item.name for item in fields(value)], *_forwarded_names(value)]


def _exact(world: Any, path: str) -> Iterator[tuple[str | int, ...]]:
    """Yield the positions of the elements with a path."""
    for collection in ("models", "trajectories"):
        if path in getattr(world, collection):
            yield (collection, path)
    for model in world.models:
        if path.startswith(f"{model.name}/"):
            name = path[len(model.name) + 1 :]
            yield from [("models", model.name, field, name) for field in COLLECTIONS if name in getattr(model, field)]


def _nearest(world: Any, path: str, kind: type | None) -> str:
    collections = [COLLECTION_OF[kind]] if kind in COLLECTION_OF else COLLECTIONS
    models = [model for model in world.models if path.startswith(f"{model.name}/")]
    known = [f"{model.name}/{name}" for model in models for field in collections for name in getattr(model, field).names()]
    attributes = [] if "/" in path else [item.name for item in fields(world)]
    name = _ATTRIBUTES.sub("", path) if known else path.partition("/")[0]
    return suggestion(name, known or [*world.models.names(), *attributes]) or "the World has no models"


def paths_of_elements(world: Any) -> list[str]:
    """Return the paths of the models, of their elements, and of the trajectories."""
    elements = [
        f"{model.name}/{name}" for model in world.models for field in COLLECTIONS for name in getattr(model, field).names()
    ]
    return list(dict.fromkeys([*world.models.names(), *elements, *world.trajectories.names()]))


def find(world: Any, kind: type, name: str) -> Any:
    """Return the element of a class with a name or a path.

    Raises:
        ModelError: There is no such element, or several models have one.
    """
    if kind in (Model, Trajectory) or any(name.startswith(f"{model.name}/") for model in world.models):
        return _value(world, resolve(world, name, kind).steps)
    if kind not in COLLECTION_OF:
        raise ModelError(f"elements of class {kind.__name__} are not found by name: use one of {_kind_names()}")
    models = [model for model in world.models if name in getattr(model, COLLECTION_OF[kind])]
    if len(models) > 1:
        raise ModelError(
            f"'{name}' is in {' and '.join(repr(model.name) for model in models)}: use a path, '{models[0].name}/{name}'"
        )
    if not models:
        known = [known for model in world.models for known in getattr(model, COLLECTION_OF[kind]).names()]
        raise ModelError(f"no {kind.__name__} '{name}': {suggestion(name, known) or 'there are none'}")
    return getattr(models[0], COLLECTION_OF[kind])[name]


def _kind_names() -> str:
    return ", ".join(kind.__name__ for kind in (Model, *COLLECTION_OF, Trajectory))


def value_at(world: Any, path: ElementPath) -> Any:
    """Return the element or attribute at a position.

    Raises:
        ModelError: There is no such attribute.
    """
    return _value(world, path.steps, path.text)


def _value(value: Any, steps: tuple[str | int, ...], text: str = "") -> Any:
    for step in steps:
        value = _step(value, step, text)
    return value


def _step(value: Any, step: str | int, text: str) -> Any:
    if isinstance(value, NamedList):
        return value[step]
    if isinstance(value, tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    if isinstance(step, str) and not isinstance(value, tuple):
        return getattr(value, checked_attribute(value, step, text))
    raise ModelError(f"'{text}': there is no [{step}] in {type(value).__name__}")


def checked_attribute(value: Any, name: str, path: str) -> str:
    """Return the full name of an attribute.

    Raises:
        ModelError: The element has no such attribute; the message names the nearest one.
    """
    name = _SHORT_NAMES.get(name, name) if isinstance(value, Coordinate) else name
    known = [item.name for item in fields(value)] if is_dataclass(value) else []
    if name not in known and not (isinstance(value, Pose) and hasattr(value, name)):
        words = [*known, *_forwarded_names(value)]
        raise ModelError(
            f"'{path}': a {type(value).__name__} has no '{name}': {suggestion(name, words) or 'it has no attributes'}"
        )
    return name


def _forwarded_names(value: Any) -> list[str]:
    names = [item.name for item in fields(_FORWARDED[type(value)][1])] if type(value) in _FORWARDED else []
    return [*names, *(short for short, full in _SHORT_NAMES.items() if full in names)]


def forwarded(value: Any, name: str, path: str) -> tuple[str | int, ...]:
    """Return the steps to an attribute of an element: directly, or through its only coordinate or its inertial.

    Raises:
        ModelError: There is no such attribute, or the element has several coordinates.
    """
    own = is_dataclass(value) and name in [item.name for item in fields(value)]
    if own or name not in _forwarded_names(value):
        return (checked_attribute(value, name, path),)
    if isinstance(value, Joint) and len(value.coordinates) != 1:
        raise ModelError(f"'{path}' has {len(value.coordinates)} coordinates: use '{path}.coordinates[0]'")
    return (*_FORWARDED[type(value)][0], _SHORT_NAMES.get(name, name))


def replaced_at(value: Any, steps: tuple[str | int, ...], new: Any) -> Any:
    """Return a World, or a part of one, with another value at a position."""
    if not steps:
        return new
    step = steps[0]
    before = value[step] if not is_dataclass(value) else getattr(value, str(step))
    inner = replaced_at(before, steps[1:], new)
    if isinstance(value, NamedList):
        first = value[step]
        return NamedList([inner if item is first else item for item in value])
    if isinstance(value, tuple):
        return (*value[: int(step)], inner, *value[int(step) + 1 :])
    # A constructor would validate all attributes.
    return (with_attributes if _is_same_kind(inner, before) else replace)(value, **{str(step): inner})


def _is_same_kind(inner: Any, before: Any) -> bool:
    """Whether an element, or each of several, replaces one of its class, which needs no further validation."""
    if isinstance(before, NamedList):
        return isinstance(inner, NamedList) and list(map(type, inner)) == list(map(type, before))
    return isinstance(before, Element) and type(inner) is type(before)
