"""Initial positions of joints outside their limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ossature.model import Actuation, Coordinate, Floating, Joint, Model, PointOnLine, PointOnPlane, Range, Spherical

_ROUNDING = 1e-9
"""Limit violation that is not reported [rad or m], because files round numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialLimitViolation:
    """A coordinate whose initial position is outside its limits.

    Attributes:
        number: Number of the coordinate in the joint.
    """

    joint: Joint
    number: int
    coordinate: Coordinate

    @property
    def is_kept(self) -> bool:
        """Whether a simulation starts there nevertheless, because the file states it or the coordinate is coupled."""
        coordinate = self.coordinate
        return coordinate.states_position or coordinate.initial_position != 0.0 or coordinate.coupling is not None

    @property
    def nearest(self) -> float:
        """The nearest limit [rad or m]."""
        return clamped(self.coordinate.initial_position, self.coordinate.position_limits)

    @property
    def violated_bound(self) -> str:
        """Which limit is violated, ``lower`` or ``upper``."""
        return "lower" if self.coordinate.initial_position < self.coordinate.position_limits.lower else "upper"

    @property
    def message(self) -> str:
        """The text of a finding: the violation and its effect in a simulation."""
        limits = self.coordinate.position_limits
        name = f"joint '{self.joint.name}'"
        if self.joint.degrees_of_freedom > 1:
            name = f"coordinate {self.number} of {name}"
        start, outside = self.coordinate.initial_position, f"outside of its limits {limits.lower:g} to {limits.upper:g}"
        if not has_stop(self.joint, self.number):
            return f"{name} starts at {start:g}, {outside}, which are not enforced in simulation"
        if self.is_kept:
            is_shown = f"{start:g}" != f"{self.nearest:g}"
            amount = f"at {start:g}," if is_shown else f"{abs(start - self.nearest):.2g}"
            return f"{name} starts {amount} {outside}: a simulation moves it back to {self.nearest:g}"
        return f"the zero position of {name} is {outside}: a simulation starts at {self.nearest:g}"


def clamped(value: float, limits: Range) -> float:
    """Return a value clamped to limits."""
    return min(max(value, limits.lower), limits.upper)


def has_stop(joint: Joint, number: int) -> bool:
    """Whether a simulation enforces the limits of a coordinate: not for components of a rotation vector."""
    if joint.actuation is Actuation.LOCKED or isinstance(joint.type, Spherical | Floating):
        return False
    return not isinstance(joint.type, PointOnLine | PointOnPlane) or number < joint.degrees_of_freedom - 3


def find_initial_limit_violations(model: Model) -> Iterator[InitialLimitViolation]:
    """Yield the coordinates of a model that start outside their limits, except those with reversed limits."""
    for joint in model.joints:
        for number, coordinate in enumerate(joint.coordinates):
            limits, start = coordinate.position_limits, coordinate.initial_position
            if limits.lower <= limits.upper and not limits.lower - _ROUNDING <= start <= limits.upper + _ROUNDING:
                yield InitialLimitViolation(joint=joint, number=number, coordinate=coordinate)


def clamp_initial_positions(model: Model) -> Model:
    """Return a model whose unstated initial positions are clamped to their limits; the model itself if there are none."""
    changed: dict[str, Joint] = {}
    for start in find_initial_limit_violations(model):
        # Of joints with the same name, the name refers to the first.
        if not start.is_kept and model.joints[start.joint.name] is start.joint and has_stop(start.joint, start.number):
            joint = changed.get(start.joint.name, start.joint)
            coordinates = list(joint.coordinates)
            coordinates[start.number] = replace(start.coordinate, initial_position=start.nearest)
            changed[joint.name] = replace(joint, coordinates=tuple(coordinates))
    return replace(model, joints=model.joints.replaced(*changed.values())) if changed else model
