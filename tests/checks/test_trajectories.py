"""Checks of trajectories."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import NamedList, Range, World

from .worlds_and_cases import UNIT_RANGE, Cases, find_none, find_one, numbered, with_coordinate


def with_trajectory(*channels: m.Channel, **limits: object) -> World:
    """Return a World with a trajectory of its joint, which has these limits."""
    trajectory = m.Trajectory(name="wave", channels=channels)
    return replace(with_coordinate(**limits), trajectories=NamedList([trajectory]))


def moved(*values: float, joint: str = "j", **fields: object) -> m.Channel:
    times = tuple(float(number) for number in range(len(values)))
    return replace(m.Channel(model="m", joint=joint, times=times, values=values), **fields)  # type: ignore[arg-type]


BAD: Cases = {
    "invalid-trajectory": (
        lambda: with_trajectory(moved(0.0, 1.0, joint="k")),
        lambda: with_trajectory(moved(0.0, 1.0, coordinate=1)),
        lambda: with_trajectory(moved(0.0, 1.0), moved(0.0, 1.0)),
        lambda: with_trajectory(moved()),
        lambda: with_trajectory(moved(0.0, 1.0), coupling=m.Coupling(position=m.Number(value=0.0))),
    ),
    "trajectory-exceeds-limits": (
        lambda: with_trajectory(moved(0.0, 1.5), position_limits=UNIT_RANGE),
        lambda: with_trajectory(moved(0.0, -1.5), position_limits=Range(lower=-2.0, upper=2.0), velocity_limits=UNIT_RANGE),
        lambda: with_trajectory(moved(0.0, 1.0, 0.0), acceleration_limits=UNIT_RANGE),
        lambda: with_trajectory(moved(0.0, 1.0, 0.0, 1.0), jerk_limits=UNIT_RANGE),
        lambda: with_trajectory(moved(0.0, 0.5, interpolations=(m.Interpolation.STEP,)), velocity_limits=UNIT_RANGE),
        lambda: with_trajectory(moved(0.0, 1.5), hard_limits=m.HardLimits(position=UNIT_RANGE)),
    ),
}

NEARLY: Cases = {
    "invalid-trajectory": (lambda: with_trajectory(moved(0.0, 1.0)), lambda: with_trajectory(moved(0.5))),
    "trajectory-exceeds-limits": (
        lambda: with_trajectory(moved(0.0, 1.0), position_limits=UNIT_RANGE, velocity_limits=UNIT_RANGE),
        lambda: with_trajectory(moved(0.0, 7.0), position_limits=UNIT_RANGE, continuous=True),
    ),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)
