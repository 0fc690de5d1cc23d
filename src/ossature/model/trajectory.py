"""Trajectories of joints, as curves through keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ossature.diagnostics import Location
from ossature.model.validated_element import Element


class Interpolation(StrEnum):
    """Interpolation between keys."""

    LINEAR = "LINEAR"
    """Linear."""
    STEP = "STEP"
    """Constant, with a jump at the next key."""
    BEZIER = "BEZIER"
    """A cubic with the tangents as control points."""
    HERMITE = "HERMITE"
    """A cubic with the tangents as derivatives by the parameter, which goes from 0 to 1."""
    CARDINAL = "CARDINAL"
    """A Catmull-Rom spline: the slope at a key is that between its neighbours."""
    BSPLINE = "BSPLINE"
    """A uniform cubic B-spline, which the keys control and which does not pass through them."""


class Extrapolation(StrEnum):
    """Extrapolation before the first and after the last key."""

    UNDEFINED = "UNDEFINED"
    """Unspecified; treated as CONSTANT."""
    CONSTANT = "CONSTANT"
    """The value of the key."""
    GRADIENT = "GRADIENT"
    """Linear, with the slope at the key."""
    CYCLE = "CYCLE"
    """Periodic repetition."""
    CYCLE_RELATIVE = "CYCLE_RELATIVE"
    """Periodic repetition, offset by the difference of the ends."""
    OSCILLATE = "OSCILLATE"
    """Periodic repetition, alternately reversed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel(Element):
    """The trajectory of one coordinate of a joint.

    Attributes:
        model: Name of the model.
        joint: Name of the joint.
        coordinate: Which of its coordinates, counted from zero.
        times: Times of the keys, growing [s].
        values: The coordinate at each key [rad or m].
        interpolations: Interpolation after each key; a single one if all are equal.
        in_tangents: For BEZIER and HERMITE at each key: incoming tangent as (time, value) [s, rad or m], or the value
            alone; empty if no segment needs any.
        out_tangents: Outgoing tangents, likewise.
        before: Extrapolation before the first key.
        after: Extrapolation after the last key.
    """

    model: str
    joint: str
    coordinate: int = 0
    times: tuple[float, ...]
    values: tuple[float, ...]
    interpolations: tuple[Interpolation, ...] = (Interpolation.LINEAR,)
    in_tangents: tuple[tuple[float, ...], ...] = ()
    out_tangents: tuple[tuple[float, ...], ...] = ()
    before: Extrapolation = Extrapolation.UNDEFINED
    after: Extrapolation = Extrapolation.UNDEFINED
    origin: Location | None = field(default=None, compare=False, repr=False)

    def interpolation(self, key: int) -> Interpolation:
        """Return the interpolation after a key."""
        return self.interpolations[key if len(self.interpolations) > 1 else 0]

    @property
    def path(self) -> str:
        """The coordinate's name: ``MODEL/JOINT``, with ``[1]`` and so on for others than the first."""
        return f"{self.model}/{self.joint}" + (f"[{self.coordinate}]" if self.coordinate else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory(Element):
    """A trajectory of several joints.

    Attributes:
        name: Its name, unique within the world.
        channels: The coordinates that it moves.
    """

    name: str
    channels: tuple[Channel, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)

    @property
    def start(self) -> float:
        """Time of the first key [s]; zero without keys."""
        return min((channel.times[0] for channel in self.channels if channel.times), default=0.0)

    @property
    def end(self) -> float:
        """Time of the last key [s]; zero without keys."""
        return max((channel.times[-1] for channel in self.channels if channel.times), default=0.0)
