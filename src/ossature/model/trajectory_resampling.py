"""Resampling of trajectories."""

from __future__ import annotations

import numpy as np

from ossature.model.trajectory import Channel, Trajectory
from ossature.model.trajectory_curves import Curve

MOST_SAMPLES = 10_000_000


def resample_trajectory(trajectory: Trajectory, step: float) -> Trajectory:
    """Return a trajectory with keys at equal distances in time, the same ones for all channels, and straight lines between.

    Args:
        step: Time between keys [s]; the last interval is shorter if the duration is not a multiple.

    Raises:
        ValueError: The step is not positive, or so small that there would be too many keys, or a channel is no curve.
    """
    span = trajectory.end - trajectory.start
    if not step > 0.0 or span / step > MOST_SAMPLES:
        raise ValueError(f"a step of {step:g} s for {span:g} s: it has to be positive, with {MOST_SAMPLES} keys at most")
    times = trajectory.start + step * np.arange(int(span / step * (1.0 + 1e-12)) + 1, dtype=np.float64)
    if times[-1] < trajectory.end - 1e-9 * step:
        times = np.append(times, trajectory.end)
    keys = tuple(times.tolist())
    channels = [
        Channel(
            model=channel.model,
            joint=channel.joint,
            coordinate=channel.coordinate,
            times=keys,
            values=tuple(Curve(channel).at(times).values.tolist()),
            before=channel.before,
            after=channel.after,
            origin=channel.origin,
        )
        for channel in trajectory.channels
    ]
    return Trajectory(name=trajectory.name, channels=tuple(channels), origin=trajectory.origin)
