"""A trajectory refers to unknown joints, or is not a valid curve."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.diagnostics.counted_nouns import counted
from ossature.model import Channel, Trajectory, World
from ossature.model.trajectory_curves import Curve

RULE = Rule.error(
    "invalid-trajectory",
    "MDL051",
    "A trajectory refers to an unknown joint, moves a coordinate twice, or is not a valid curve.",
    "Each channel names a model, a joint and one of its coordinates. Its key times increase, and BEZIER and HERMITE segments "
    "have their tangents. A coupled joint cannot be moved by itself. Correct the channel that the message names.",
    aliases=("bad-trajectory",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report trajectories that cannot be tracked."""
    for trajectory in world.trajectories:
        check_trajectory(trajectory, world, report)


def check_trajectory(trajectory: Trajectory, world: World, report: Report) -> None:
    """Report why a World cannot track a trajectory, if so."""
    for channel, message in _trajectory_problems(trajectory, world):
        origin = channel.origin or trajectory.origin
        report.add(RULE, f"trajectory '{trajectory.name}': {message}", origin, path=trajectory.name)


def _trajectory_problems(trajectory: Trajectory, world: World) -> Iterator[tuple[Channel, str]]:
    seen = set()
    for channel in trajectory.channels:
        model = world.models.get(channel.model)
        joint = None if model is None else model.joints.get(channel.joint)
        if joint is None:
            yield channel, f"unknown joint '{channel.model}/{channel.joint}'"
        elif channel.coordinate >= joint.degrees_of_freedom:
            yield channel, f"'{channel.path}': the joint has {counted(joint.degrees_of_freedom, 'coordinate')}"
        elif joint.coordinates[channel.coordinate].coupling is not None:
            yield channel, f"'{channel.path}' is coupled to other joints"
        if channel.path in seen:
            yield channel, f"'{channel.path}' is moved twice"
        seen.add(channel.path)
        try:
            Curve(channel)
        except ValueError as error:
            yield channel, str(error)
