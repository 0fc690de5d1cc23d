"""Joints that start outside their limits: where a simulation lets them begin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ossature.model import Actuation, Coordinate, Floating, Joint, Model, NamedList, PointOnLine, PointOnPlane, Range, Spherical

_ROUNDING = 1e-9
"""By how much a start may lie outside its limits without a word [rad or m]: files round them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialLimitViolation:
    """A coordinate whose initial position lies outside its limits.

    Attributes:
        joint: Its joint.
        number: Which of the joint's coordinates.
        coordinate: The coordinate.
    """

    joint: Joint
    number: int
    coordinate: Coordinate

    @property
    def is_kept(self) -> bool:
        """Whether a simulation begins there all the same, because the file states it or it follows from other joints."""
        coordinate = self.coordinate
        return coordinate.states_position or coordinate.initial_position != 0.0 or coordinate.coupling is not None

    @property
    def nearest(self) -> float:
        """The limit that is next to it [rad or m]."""
        return clamped(self.coordinate.initial_position, self.coordinate.position_limits)

    @property
    def message(self) -> str:
        """What it is, and what a simulation does about it."""
        limits = self.coordinate.position_limits
        name = f"joint '{self.joint.name}'"
        if self.joint.degrees_of_freedom > 1:
            name = f"coordinate {self.number} of {name}"
        start, outside = self.coordinate.initial_position, f"outside {limits.lower:g} to {limits.upper:g}"
        if not has_stop(self.joint, self.number):
            return f"{name} starts at the position {start:g}, {outside}, which nothing enforces in a simulation"
        if self.is_kept:
            return f"{name} starts at the position {start:g}, {outside}: a simulation moves it back to {self.nearest:g}"
        return f"{name} has its zero {outside}: a simulation starts at {self.nearest:g}"


def clamped(value: float, limits: Range) -> float:
    """Return the value within limits that is nearest to one."""
    return min(max(value, limits.lower), limits.upper)


def has_stop(joint: Joint, number: int) -> bool:
    """Whether a simulation enforces the limits of a coordinate: it does not for parts of a rotation vector."""
    if joint.actuation is Actuation.LOCKED or isinstance(joint.type, Spherical | Floating):
        return False
    return not isinstance(joint.type, PointOnLine | PointOnPlane) or number < joint.degrees_of_freedom - 3


def find_initial_limit_violations(model: Model) -> Iterator[InitialLimitViolation]:
    """Yield the coordinates of a model that start outside their limits; none whose limits are reversed."""
    for joint in model.joints:
        for number, coordinate in enumerate(joint.coordinates):
            limits, start = coordinate.position_limits, coordinate.initial_position
            if limits.lower <= limits.upper and not limits.lower - _ROUNDING <= start <= limits.upper + _ROUNDING:
                yield InitialLimitViolation(joint=joint, number=number, coordinate=coordinate)


def clamp_initial_positions(model: Model) -> Model:
    """Return a model whose coordinates that would start at an unstated zero outside their limits start at the nearest one."""
    # Of several joints of one name only the first is known by it.
    joints = {joint.name: joint for joint in reversed(list(model.joints))}
    for start in find_initial_limit_violations(model):
        if not start.is_kept and model.joints[start.joint.name] is start.joint and has_stop(start.joint, start.number):
            coordinates = list(joints[start.joint.name].coordinates)
            coordinates[start.number] = replace(start.coordinate, initial_position=start.nearest)
            joints[start.joint.name] = replace(joints[start.joint.name], coordinates=tuple(coordinates))
    return replace(model, joints=NamedList([joints[j.name] if model.joints[j.name] is j else j for j in model.joints]))
