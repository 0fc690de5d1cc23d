"""Names of what can be commanded: joints, motors, loads, actuators, and quantities of electric motors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ossature.formats.mjcf.write_keyframe import control_count
from ossature.model import Joint, Model, World
from ossature.simulation.stepping.electric_motor_drive import MotorQuantity

CommandKey: TypeAlias = tuple[str, str]
"""Names of a model, and of one of its joints, motors, loads or actuators, or ``ACTUATOR:QUANTITY`` of an electric motor."""


def command_names(model: Model) -> Iterator[str]:
    """Yield the names of a model that accept commands, as far as the model states it."""
    for joint in model.joints:
        if joint.degrees_of_freedom:
            yield joint.name
    yield from model.motors.names()
    yield from model.loads.names()
    for actuator in model.actuators:
        if actuator.model is not None:
            yield actuator.name
        if actuator.motor is not None:
            yield from (f"{actuator.name}:{quantity}" for quantity in MotorQuantity)


class CommandNames:
    """Finds what is commanded by ``MODEL/NAME``, or by ``NAME`` if only one model has it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._keys: dict[str, list[CommandKey]] = {}
        for model in world.models:
            for name in dict.fromkeys([*model.joints.names(), *command_names(model)]):
                self._keys.setdefault(f"{model.name}/{name}", []).append((model.name, name))
        for model in world.models:
            for name in dict.fromkeys([*model.joints.names(), *command_names(model)]):
                self._keys.setdefault(name, []).append((model.name, name))

    def find(self, path: str) -> list[CommandKey]:
        """Return what has a name: several if the name is that of several models, none if there is none."""
        return self._keys.get(path, [])

    def choices(self, path: str) -> Iterator[str]:
        """Yield the names from which a misspelt one may be chosen: as ``MODEL/NAME`` if it has a model."""
        if "/" in path:
            yield from self.paths()
            return
        for model in self._world.models:
            yield from command_names(model)

    def paths(self) -> Iterator[str]:
        """Yield all names as ``MODEL/NAME``."""
        for model in self._world.models:
            for name in command_names(model):
                yield f"{model.name}/{name}"


def commanded_joint(key: CommandKey, world: World) -> Joint | None:
    """Return the joint of a command, or None if the command is for a motor, load or actuator of that name."""
    model = world.models[key[0]]
    actuator = model.actuators.get(key[1])
    is_actuator = actuator is not None and actuator.model is not None
    return None if is_actuator or key[1] in model.motors or key[1] in model.loads else model.joints.get(key[1])


def command_width(key: CommandKey, world: World) -> int:
    """Return the number of values of a command."""
    model, name = world.models[key[0]], key[1]
    joint, load, actuator = commanded_joint(key, world), model.loads.get(name), model.actuators.get(name)
    if joint is not None:
        return joint.degrees_of_freedom
    if load is not None:
        return 3 if load.value is None else 1
    has_controls = name not in model.motors and actuator is not None and actuator.model is not None
    return control_count(actuator) if has_controls and actuator is not None else 1
