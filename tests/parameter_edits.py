"""Changes of the numbers of a World, by kind of parameter, and comparison of the engine's models that result."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ossature.model import Body, Box, Coordinate, Joint, NamedList, Range, World
from ossature.simulation import Simulation

FACTOR = 1.0625
"""Factor of a changed number."""


def _with_bodies(world: World, change: Callable[[Body], Body]) -> World:
    models = [replace(model, bodies=NamedList([change(body) for body in model.bodies])) for model in world.models]
    return replace(world, models=NamedList(models))


def _with_joints(world: World, change: Callable[[Joint], Joint]) -> World:
    models = [replace(model, joints=NamedList([change(joint) for joint in model.joints])) for model in world.models]
    return replace(world, models=NamedList(models))


def _with_coordinates(world: World, **changes: Callable[[Any], Any]) -> World:
    def changed(coordinate: Coordinate) -> Coordinate:
        return replace(coordinate, **{name: change(getattr(coordinate, name)) for name, change in changes.items()})

    return _with_joints(world, lambda joint: replace(joint, coordinates=tuple(map(changed, joint.coordinates))))


def _with_elements(world: World, group: str, *names: str) -> World:
    """Return a World in which numbers of the force elements of a group are scaled."""

    def changed(element: Any) -> Any:
        return replace(element, **{name: scaled(getattr(element, name)) for name in names})

    models = [replace(model, **{group: NamedList([changed(one) for one in getattr(model, group)])}) for model in world.models]
    return replace(world, models=NamedList(models))


def scaled(value: Any) -> Any:
    """Return a value in which all numbers are scaled; booleans, names and references are kept."""
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | float):
        return value * FACTOR
    if isinstance(value, tuple):
        return tuple(map(scaled, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: scaled(getattr(value, one.name)) for one in fields(value) if one.name not in _KEPT})
    return value


_KEPT = ("origin", "pose", "extrapolation", "repeat")


def _inertial(world: World, **changes: Callable[[Any], Any]) -> World:
    def changed(body: Body) -> Body:
        values = {name: change(getattr(body.inertial, name)) for name, change in changes.items()}
        return replace(body, inertial=replace(body.inertial, **values))

    return _with_bodies(world, changed)


def _scaled_moment(moment: Any) -> Any:
    return None if moment is None else tuple([tuple([number * FACTOR for number in row]) for row in moment])


def _rotated_moment(moment: Any) -> Any:
    """Return a moment of inertia about other axes, with the same principal moments."""
    if moment is None:
        return None
    c, s = np.cos(0.1), np.sin(0.1)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    turned = rotation @ np.array(moment) @ rotation.T
    turned = 0.5 * (turned + turned.T)
    return tuple([tuple(row) for row in turned.tolist()])


def _sizes(world: World) -> World:
    def changed(body: Body) -> Body:
        shapes = [
            replace(shape, geometry=replace(shape.geometry, size=scaled(shape.geometry.size)))
            if isinstance(shape.geometry, Box)
            else shape
            for shape in body.collisions
        ]
        return replace(body, collisions=tuple(shapes))

    return _with_bodies(world, changed)


def _materials(world: World) -> World:
    def changed(body: Body) -> Body:
        shapes = [
            shape
            if shape.material is None
            else replace(shape, material=replace(shape.material, friction=_friction(shape.material)))
            for shape in body.collisions
        ]
        return replace(body, collisions=tuple(shapes))

    return _with_bodies(world, changed)


def _friction(material: Any) -> Any:
    return None if material.friction is None else scaled(material.friction)


def _limits(limits: Range) -> Range:
    return replace(limits, lower=limits.lower - 0.125, upper=limits.upper + 0.125)


KINDS: dict[str, Callable[[World], World]] = {
    "mass": lambda world: _inertial(world, mass=scaled),
    "moment of inertia": lambda world: _inertial(world, moment=_scaled_moment),
    "axes of inertia": lambda world: _inertial(world, moment=_rotated_moment),
    "centre of mass": lambda world: _inertial(world, center_of_mass=scaled),
    "damping": lambda world: _with_coordinates(world, damping=lambda value: value * FACTOR + 0.01),
    "stiffness": lambda world: _with_coordinates(world, stiffness=scaled),
    "spring reference": lambda world: _with_coordinates(world, spring_reference=lambda value: value + 0.01),
    "friction": lambda world: _with_coordinates(world, friction=scaled),
    "added friction": lambda world: _with_coordinates(world, friction=lambda value: value + 0.01),
    "limits": lambda world: _with_coordinates(world, position_limits=_limits),
    "initial state": lambda world: _with_coordinates(world, initial_velocity=lambda value: value + 0.01),
    "initial position": lambda world: _with_coordinates(world, initial_position=lambda value: value * 0.9),
    "gravity": lambda world: replace(world, gravity=(0.5, -0.25, -3.0)),
    "sizes": _sizes,
    "contact friction": _materials,
    "springs": lambda world: _with_elements(world, "spring_dampers", "stiffness", "damping", "preload"),
    "rotational springs": lambda world: _with_elements(world, "rotational_spring_dampers", "stiffness", "damping", "preload"),
    "bushings": lambda world: _with_elements(world, "bushings", "stiffness", "damping"),
    "loads": lambda world: _with_elements(world, "loads", "value", "modulation"),
    "motor functions": lambda world: _with_elements(world, "motors", "function"),
    "electric motors": lambda world: _with_elements(world, "actuators", "motor", "controller"),
}
"""The kinds of parameters, and a World in which all of a kind have other values."""


def arrays(model: Any) -> dict[str, Any]:
    """Return everything that an engine model contains: arrays as bytes, and numbers."""
    found: dict[str, Any] = {}
    for prefix, part in (("", model), ("opt.", model.opt), ("stat.", model.stat)):
        for name in dir(part):
            # The signature identifies the specification that a model was compiled from; files of the engine do not have it.
            if name.startswith("_") or name == "signature":
                continue
            value = getattr(part, name)
            if isinstance(value, np.ndarray):
                found[prefix + name] = (value.shape, value.tobytes())
            elif isinstance(value, int | float | bytes | str):
                found[prefix + name] = repr(value)
    return found


def differing_arrays(first: Any, second: Any) -> list[str]:
    """Return the names of the arrays and numbers in which two engine models differ in a bit."""
    one, other = arrays(first), arrays(second)
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def edited_worlds(world: World) -> Iterator[tuple[str, World]]:
    """Yield the kinds of parameters of a World, and the World in which all of the kind are changed."""
    for kind, edit in KINDS.items():
        changed = edit(world)
        if changed != world:
            yield kind, changed


def digest(simulation: Simulation, steps: int = 20) -> str:
    """Return a digest of the state after some steps, and of the engine's model at the end."""
    simulation.step(steps)
    hashed = hashlib.sha256(simulation.data.qpos.tobytes() + simulation.data.qvel.tobytes())
    hashed.update(repr(arrays(simulation.compiled.model)).encode())
    return hashed.hexdigest()
