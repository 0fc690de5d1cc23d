"""Trajectories: what joints do over time, as curves through keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ossature.diagnostics import Location


class Interpolation(StrEnum):
    """How a curve goes from a key to the next."""

    LINEAR = "LINEAR"
    """Along a straight line."""
    STEP = "STEP"
    """It stays, and jumps at the next key."""
    BEZIER = "BEZIER"
    """A cubic with the tangents as control points."""
    HERMITE = "HERMITE"
    """A cubic with the tangents as derivatives by the parameter, which goes from 0 to 1."""
    CARDINAL = "CARDINAL"
    """A cubic through the keys, each slope half of the way between its neighbours."""
    BSPLINE = "BSPLINE"
    """A uniform cubic B-spline, which the keys control and which does not pass through them."""


class Extrapolation(StrEnum):
    """What a curve does before its first or behind its last key."""

    UNDEFINED = "UNDEFINED"
    """Nothing is said; here it stays."""
    CONSTANT = "CONSTANT"
    """It stays."""
    GRADIENT = "GRADIENT"
    """It goes on with its slope."""
    CYCLE = "CYCLE"
    """It begins again."""
    CYCLE_RELATIVE = "CYCLE_RELATIVE"
    """It begins again from where it ended."""
    OSCILLATE = "OSCILLATE"
    """It goes back and forth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What one coordinate of a joint does.

    Attributes:
        model: Name of the model.
        joint: Name of the joint.
        coordinate: Which of its coordinates, counted from zero.
        times: Times of the keys, growing [s].
        values: The coordinate at each key [rad or m].
        interpolations: How the curve goes on from each key; one for all where they are alike.
        in_tangents: For BEZIER and HERMITE at each key: how the curve comes in, as (time, value) [s, rad or m], or the value
            alone; empty where no segment needs any.
        out_tangents: How it goes out, likewise.
        before: What it does before the first key.
        after: What it does behind the last key.
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
        """Return how the curve goes on from a key."""
        return self.interpolations[key if len(self.interpolations) > 1 else 0]

    @property
    def path(self) -> str:
        """The coordinate's name: ``MODEL/JOINT``, with ``[1]`` and so on for others than the first."""
        return f"{self.model}/{self.joint}" + (f"[{self.coordinate}]" if self.coordinate else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """What joints do together.

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
