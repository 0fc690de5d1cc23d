"""A trajectory exceeds the limits of a joint."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Channel, Coordinate, Range, Trajectory, World
from ossature.model.trajectory_extrema import Extremum, extrema
from ossature.spatial import Vector3

RULE = Rule.warning(
    "trajectory-exceeds-limits",
    "MDL052",
    "A trajectory exceeds the limits of a joint.",
    "Positions are compared with soft and hard limits, and velocities, accelerations and jerks with theirs. Between linear "
    "keys accelerations and jerks are finite differences; a step has an infinite velocity. Change the trajectory or the "
    "limits.",
    aliases=("trajectory-over-limit",),
)
_ROUNDING = 1e-9


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report trajectories that exceed limits."""
    for trajectory in world.trajectories:
        check_limits(trajectory, world, report)


def check_limits(trajectory: Trajectory, world: World, report: Report) -> None:
    """Report where a trajectory exceeds the limits of a World's joints."""
    for channel in trajectory.channels:
        model = world.models.get(channel.model)
        joint = None if model is None else model.joints.get(channel.joint)
        if joint is None or channel.coordinate >= joint.degrees_of_freedom:
            continue  # reported by invalid-trajectory
        for message in _excesses(channel, joint.coordinates[channel.coordinate]):
            origin = channel.origin or trajectory.origin
            report.add(RULE, f"trajectory '{trajectory.name}': {channel.path} {message}", origin, path=trajectory.name)


def _excesses(channel: Channel, coordinate: Coordinate) -> Iterator[str]:
    try:
        found = extrema(channel)
    except ValueError:
        return  # reported by invalid-trajectory
    for quantity, extreme in found.items():
        soft: Range = getattr(coordinate, f"{quantity}_limits")
        hard: Range | None = None if coordinate.hard_limits is None else getattr(coordinate.hard_limits, quantity)
        if quantity == "position" and coordinate.continuous:
            continue
        words = [("hard ", hard)] if hard is not None and _excess(extreme, hard) else [("" if hard is None else "soft ", soft)]
        for kind, limits in words:
            if limits is not None and (excess := _excess(extreme, limits)) is not None:
                value, limit, time = excess
                yield f"has a {quantity} of {value:.6g} at {time:.6g} s; the {kind}limit is {limit:.6g}"


def _excess(extreme: Extremum, limits: Range) -> Vector3 | None:
    """Return value, limit and time of the larger excess, or None if there is none."""
    above, below = extreme.highest - limits.upper, limits.lower - extreme.lowest
    scale = _ROUNDING * (1.0 + max(abs(extreme.highest), abs(extreme.lowest)))
    if not max(above, below) > (scale if scale < float("inf") else _ROUNDING):
        return None
    if above >= below:
        return extreme.highest, limits.upper, extreme.highest_at
    return extreme.lowest, limits.lower, extreme.lowest_at
