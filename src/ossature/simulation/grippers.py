"""Grippers in motion: commands that close fingers until they meet their limits or something else, and press then."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.diagnostics import suggestion
from ossature.kinematics import Finger, GripperError, bodies_moved_by, fingers_of
from ossature.model import Actuation, Compound, Joint, Manipulator, Model, Prismatic, Translational, Translational2D
from ossature.simulation import rules
from ossature.simulation.compiling.actuation import is_limited_servo

if TYPE_CHECKING:
    from ossature.simulation.simulation import Simulation

FORCE, TORQUE = 20.0, 1.0
"""With what a finger presses where nothing says so: a slide [N], a turn [N·m], as small hands do."""
_STEPS_TO_STOP = 20.0
"""In how many steps a finger comes to rest at its limit, and begins to press."""
_SHARE = 0.5
"""Of the damping that would bring a finger to its speed in one step; more of it overshoots."""


class Gripper:
    """The gripper of a manipulator.

    Args:
        simulation: Where it moves.
        model: The model that has it.
        manipulator: The manipulator.
    """

    def __init__(self, simulation: Simulation, model: Model, manipulator: Manipulator) -> None:
        self._simulation, self._model, self._manipulator = simulation, model, manipulator

    def close(self, *, effort: float | None = None, speed: float | None = None) -> None:
        """Close, from now on; a finger that meets something presses it.

        Args:
            effort: With what each finger presses [N·m or N]; the effort limit of its joint if not given, and 1 N·m or 20 N
                where it has none, which a finding says.
            speed: How fast it goes [rad/s or m/s]; the velocity limit of its joint if not given, and where it has none what
                takes it from limit to limit in a second.

        Raises:
            GripperError: Nothing closes it, nothing says how fast, or a joint takes no such command.
        """
        self._go(closing=True, effort=effort, speed=speed)

    def open(self, *, effort: float | None = None, speed: float | None = None) -> None:
        """Open, from now on; see :meth:`close`."""
        self._go(closing=False, effort=effort, speed=speed)

    def relax(self) -> None:
        """Let it go: no finger is pressed or driven any more."""
        for name in self._joints():
            joint = self._model.joints[name]
            self._simulation.command(self._model.name, name, [0.0] * joint.degrees_of_freedom)

    def _joints(self) -> list[str]:
        return list(dict.fromkeys(finger.position.joint for finger in fingers_of(self._model, self._manipulator)))

    def _go(self, *, closing: bool, effort: float | None, speed: float | None) -> None:
        for value in (effort, speed):
            if value is not None and not 0.0 < value < math.inf:
                raise GripperError(f"effort and speed of a gripper must be positive, not {value:g}")
        fingers = fingers_of(self._model, self._manipulator)
        commands: dict[str, FingerCommand] = {}
        for name in self._joints():
            joint = self._model.joints[name]
            if joint.actuation is Actuation.ACCELERATION:
                raise GripperError(f"joint '{name}' takes accelerations, by which no gripper can be closed")
            own = [finger for finger in fingers if finger.position.joint == name]
            ways = [_Way(self._model, finger, closing=closing, speed=speed) for finger in own]
            commands[name] = self._command(joint, ways, effort)
        for name, command in commands.items():
            self._simulation.command(self._model.name, name, command)

    def _command(self, joint: Joint, ways: Sequence[_Way], effort: float | None) -> FingerCommand:
        if joint.actuation is Actuation.FORCE:
            return _Press(self._simulation, self._model, joint, ways, [self._effort(joint, way, effort) for way in ways])
        return _Approach(self._simulation, self._model, joint, ways)

    def _effort(self, joint: Joint, way: _Way, effort: float | None) -> float:
        limits = joint.coordinates[way.number].effort
        limit = limits.upper if way.sign > 0.0 else -limits.lower
        if effort is not None:
            return min(effort, limit)
        if math.isfinite(limit):
            return limit
        assumed = TORQUE if way.turns else FORCE
        unit = "N·m" if way.turns else "N"
        path = f"{self._model.name}/{joint.name}"
        self._simulation.report.add(
            rules.ASSUMED_GRIP, f"{path}: presses with {assumed:g} {unit}", joint.origin, path=path, hint="say effort="
        )
        return assumed


class _Way:
    """The way of one finger."""

    def __init__(self, model: Model, finger: Finger, *, closing: bool, speed: float | None) -> None:
        joint = model.joints[finger.position.joint]
        self.number = finger.position.coordinate
        self.sign = finger.direction if closing else -finger.direction
        self.end = finger.end(closing=closing)
        self.turns = _turns(joint, self.number)
        self.bodies = bodies_moved_by(model, [finger.position])
        coordinate = joint.coordinates[self.number]
        limit = coordinate.velocity.upper if self.sign > 0.0 else -coordinate.velocity.lower
        length = finger.limits.upper - finger.limits.lower
        stated = [value for value in (speed, limit, length) if value is not None and 0.0 < value < math.inf]
        if not stated:
            raise GripperError(f"joint '{joint.name}' has neither a velocity limit nor a range: say how fast it goes")
        self.speed = stated[0]


def _turns(joint: Joint, number: int) -> bool:
    if isinstance(joint.type, Compound):
        return joint.type.axes[number].turns
    return not isinstance(joint.type, Prismatic | Translational | Translational2D)


class FingerCommand:
    """What the coordinates of a joint of a gripper are told at each step.

    Args:
        simulation: Where it moves.
        model: The model.
        joint: The joint.
        ways: What its coordinates are to do.
    """

    def __init__(self, simulation: Simulation, model: Model, joint: Joint, ways: Sequence[_Way]) -> None:
        self._simulation, self._model, self._joint, self._ways = simulation, model, joint, ways

    def __call__(self, time: float) -> Sequence[float]:
        """Return the values of all coordinates of the joint at a time [s]."""
        index = self._simulation.compiled.index.joints[self._model.name][self._joint.name]
        data = self._simulation.data
        dofs = np.arange(data.qvel.size)[index.coordinate_dofs]
        values = [0.0] * self._joint.degrees_of_freedom
        for way in self._ways:
            dof = int(dofs[way.number])
            values[way.number] = self._value(way, dof, float(data.qpos[self._address(dof)]), float(data.qvel[dof]), time)
        return values

    def _address(self, dof: int) -> int:
        engine = self._simulation.compiled.model
        return int(engine.jnt_qposadr[engine.dof_jntid[dof]])

    def _value(self, way: _Way, dof: int, place: float, rate: float, time: float) -> float:
        raise NotImplementedError

    def _wanted(self, way: _Way, place: float) -> float:
        """Return the velocity that a finger is to have: its speed, and less of it shortly before its limit."""
        if not math.isfinite(way.end):
            return way.sign * way.speed
        slowing = (way.end - place) / (_STEPS_TO_STOP * self._simulation.time_step)
        return max(-way.speed, min(way.speed, slowing))


class _Press(FingerCommand):
    """Forces that bring fingers to their speed, and grow to what they may press with where something stops them."""

    def __init__(
        self, simulation: Simulation, model: Model, joint: Joint, ways: Sequence[_Way], efforts: Sequence[float]
    ) -> None:
        super().__init__(simulation, model, joint, ways)
        self._efforts = {id(way): effort for way, effort in zip(ways, efforts, strict=True)}
        self._pushes = {id(way): 0.0 for way in ways}
        self._last = simulation.time

    def __call__(self, time: float) -> Sequence[float]:
        """Return the forces of all coordinates of the joint at a time [s]."""
        values = super().__call__(time)
        self._last = time
        return values

    def _value(self, way: _Way, dof: int, place: float, rate: float, time: float) -> float:
        step, effort = self._simulation.time_step, self._efforts[id(way)]
        damping = _SHARE / (float(self._simulation.compiled.model.dof_invweight0[dof]) * step)
        lacking = self._wanted(way, place) - rate
        growth = damping * lacking * (time - self._last) / (_STEPS_TO_STOP * step)
        self._pushes[id(way)] = push = max(-effort, min(effort, self._pushes[id(way)] + growth))
        return max(-effort, min(effort, push + damping * lacking))


class _Approach(FingerCommand):
    """Velocities of fingers that follow whatever it takes: they stop for good where they touch something."""

    def __init__(self, simulation: Simulation, model: Model, joint: Joint, ways: Sequence[_Way]) -> None:
        super().__init__(simulation, model, joint, ways)
        self._stopped: set[int] = set()

    def _value(self, way: _Way, dof: int, place: float, rate: float, time: float) -> float:
        if id(way) in self._stopped:
            return 0.0
        if not is_limited_servo(self._joint) and self._touches(way):
            self._stopped.add(id(way))
            return 0.0
        return self._wanted(way, place)

    def _touches(self, way: _Way) -> bool:
        bodies = self._simulation.compiled.index.bodies[self._model.name]
        own = {bodies[name].number for name in way.bodies}
        owners = self._simulation.compiled.model.geom_bodyid
        touching = [contact for contact in self._simulation.data.contact if contact.dist < 0.0]
        pairs = ([int(owners[geom]) for geom in contact.geom] for contact in touching)
        return any((first in own) != (second in own) for first, second in pairs)


def _names(paths: Iterable[str]) -> list[str]:
    return [name for path in paths for name in (path, path.partition("/")[2])]


class Grippers(Mapping[str, Gripper]):
    """The grippers of a simulation by ``MODEL/NAME`` of their manipulators; by the name alone where only one has it."""

    def __init__(self, simulation: Simulation) -> None:
        self._grippers = {
            f"{model.name}/{manipulator.name}": Gripper(simulation, model, manipulator)
            for model in simulation.world.models
            for manipulator in model.manipulators
            if manipulator.gripper
        }

    def __getitem__(self, name: str) -> Gripper:
        """Return a gripper.

        Raises:
            KeyError: There is none of that name, or several models have one.
        """
        found = [path for path in self._grippers if name in (path, path.partition("/")[2])]
        if len(found) == 1:
            return self._grippers[found[0]]
        if found:
            raise KeyError(f"several models have a gripper '{name}': {', '.join(found)}")
        raise KeyError(f"there is no gripper '{name}': {suggestion(name, _names(self._grippers)) or 'there are none'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._grippers)

    def __len__(self) -> int:
        return len(self._grippers)
