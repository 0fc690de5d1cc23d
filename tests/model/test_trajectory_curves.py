"""Curves of trajectories against their definitions, and their derivatives against differences."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossature.model import Channel, Extrapolation, Interpolation, Trajectory
from ossature.model.trajectory_curves import Curve
from ossature.model.trajectory_extrema import extrema
from ossature.model.trajectory_resampling import resample_trajectory

ROUNDING = 1e-9


def channel(times: tuple[float, ...], values: tuple[float, ...], *kinds: Interpolation, **fields: object) -> Channel:
    return replace(
        Channel(model="m", joint="j", times=times, values=values, interpolations=kinds or (Interpolation.LINEAR,)),
        **fields,  # type: ignore[arg-type]
    )


def values(curve: Channel, *times: float) -> list[float]:
    found: list[float] = Curve(curve).at(np.array(times)).values.tolist()
    return found


def test_lines_and_steps() -> None:
    assert values(channel((0.0, 1.0, 3.0), (0.0, 2.0, -2.0)), 0.0, 0.5, 1.0, 2.0, 3.0) == [0.0, 1.0, 2.0, 0.0, -2.0]
    stepped = channel((0.0, 1.0, 3.0), (0.0, 2.0, -2.0), Interpolation.STEP)
    assert values(stepped, 0.0, 0.999, 1.0, 2.999, 3.0) == [0.0, 0.0, 2.0, 2.0, -2.0]


def test_a_bezier_curve_is_that_of_casteljau() -> None:
    """Its control points are met by cutting lines in the same ratio again and again."""
    curve = channel(
        (1.0, 3.0),
        (0.0, 1.0),
        Interpolation.BEZIER,
        out_tangents=((1.5, 2.0), (0.0, 0.0)),
        in_tangents=((0.0, 0.0), (2.0, -1.0)),
    )
    points = np.array([(1.0, 0.0), (1.5, 2.0), (2.0, -1.0), (3.0, 1.0)])
    for ratio in np.linspace(0.0, 1.0, 11):
        cut = points
        while len(cut) > 1:
            cut = (1.0 - ratio) * cut[:-1] + ratio * cut[1:]
        assert values(curve, cut[0, 0]) == pytest.approx([cut[0, 1]], abs=ROUNDING)


def test_hermite_is_bezier_with_three_times_the_way_to_the_control_points() -> None:
    bezier = channel(
        (1.0, 3.0),
        (0.0, 1.0),
        Interpolation.BEZIER,
        out_tangents=((1.5, 2.0), (0.0, 0.0)),
        in_tangents=((0.0, 0.0), (2.0, -1.0)),
    )
    hermite = channel(
        (1.0, 3.0),
        (0.0, 1.0),
        Interpolation.HERMITE,
        out_tangents=((1.5, 6.0), (0.0, 0.0)),
        in_tangents=((0.0, 0.0), (3.0, 6.0)),
    )
    times = np.linspace(1.0, 3.0, 21)
    assert np.allclose(Curve(bezier).at(times).values, Curve(hermite).at(times).values, atol=ROUNDING)


def test_tangents_of_values_alone_run_evenly_in_time() -> None:
    plain = channel((0.0, 3.0), (0.0, 1.0), Interpolation.BEZIER, out_tangents=((0.5,), (0.0,)), in_tangents=((0.0,), (0.25,)))
    full = replace(plain, out_tangents=((1.0, 0.5), (0.0, 0.0)), in_tangents=((0.0, 0.0), (2.0, 0.25)))
    times = np.linspace(0.0, 3.0, 13)
    assert np.allclose(Curve(plain).at(times).values, Curve(full).at(times).values, atol=ROUNDING)


@pytest.mark.parametrize("kind", [Interpolation.CARDINAL, Interpolation.BSPLINE, Interpolation.LINEAR])
def test_a_line_stays_a_line(kind: Interpolation) -> None:
    motion = Curve(channel((0.0, 1.0, 2.0, 3.0, 4.0), (1.0, 3.0, 5.0, 7.0, 9.0), kind)).at(np.linspace(0.0, 4.0, 33))
    assert np.allclose(motion.values, 1.0 + 2.0 * np.linspace(0.0, 4.0, 33))
    assert np.allclose(motion.velocities, 2.0)


def test_cardinal_meets_its_keys_and_keeps_its_slope() -> None:
    curve = Curve(channel((0.0, 1.0, 2.0, 3.0), (0.0, 2.0, -1.0, 1.0), Interpolation.CARDINAL))
    assert np.allclose(curve.at(np.arange(4.0)).values, (0.0, 2.0, -1.0, 1.0))
    before, after = curve.at(np.array([1.0 - 1e-12, 1.0])).velocities
    assert before == pytest.approx(after, abs=1e-9)
    assert after == pytest.approx((-1.0 - 0.0) / 2.0)


def test_bspline_bends_without_a_jump_of_its_second_derivative() -> None:
    curve = Curve(channel((0.0, 1.0, 2.0, 3.0), (0.0, 2.0, -1.0, 1.0), Interpolation.BSPLINE))
    motion = curve.at(np.array([1.0 - 1e-12, 1.0]))
    assert motion.values[1] == pytest.approx((0.0 + 4.0 * 2.0 - 1.0) / 6.0)
    for quantity in (motion.values, motion.velocities, motion.accelerations):
        assert quantity[0] == pytest.approx(quantity[1], abs=1e-9)


def test_outside() -> None:
    saw = channel((1.0, 3.0), (0.0, 4.0))
    times = (0.0, 3.5, 5.5, 7.5)
    expected = {
        Extrapolation.UNDEFINED: [0.0, 4.0, 4.0, 4.0],
        Extrapolation.CONSTANT: [0.0, 4.0, 4.0, 4.0],
        Extrapolation.GRADIENT: [-2.0, 5.0, 9.0, 13.0],
        Extrapolation.CYCLE: [2.0, 1.0, 1.0, 1.0],
        Extrapolation.CYCLE_RELATIVE: [-2.0, 5.0, 9.0, 13.0],
        Extrapolation.OSCILLATE: [2.0, 3.0, 1.0, 3.0],
    }
    for behaviour, wanted in expected.items():
        assert values(replace(saw, before=behaviour, after=behaviour), *times) == pytest.approx(wanted), behaviour


tangent = st.tuples(st.floats(0.05, 0.9), st.floats(-3.0, 3.0))


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(list(Interpolation)),
    spans=st.lists(st.floats(0.5, 2.0), min_size=2, max_size=5),
    data=st.data(),
)
def test_derivatives_are_those_of_differences(kind: Interpolation, spans: list[float], data: st.DataObject) -> None:
    times = tuple(np.cumsum([0.0, *spans]).tolist())
    heights = tuple(data.draw(st.lists(st.floats(-3.0, 3.0), min_size=len(times), max_size=len(times))))
    into = data.draw(st.lists(tangent, min_size=len(times), max_size=len(times)))
    out = data.draw(st.lists(tangent, min_size=len(times), max_size=len(times)))
    fields: dict[str, object] = {}
    if kind is Interpolation.HERMITE:
        fields = {"in_tangents": tuple(into), "out_tangents": tuple(out)}
    if kind is Interpolation.BEZIER:
        fields = {
            "in_tangents": tuple((time - 0.2 * share, value) for time, (share, value) in zip(times, into, strict=True)),
            "out_tangents": tuple((time + 0.2 * share, value) for time, (share, value) in zip(times, out, strict=True)),
        }
    curve = Curve(channel(times, heights, kind, **fields))
    middles = np.array([a + share * (b - a) for a, b in pairwise(times) for share in (0.3, 0.5, 0.8)])
    step = 1e-6
    low, here, high = (curve.at(middles + shift) for shift in (-step, 0.0, step))
    scale = 1.0 + np.abs(here.accelerations) + np.abs(here.jerks)
    assert np.all(np.abs((high.values - low.values) / (2.0 * step) - here.velocities) < 1e-4 * scale)
    assert np.all(np.abs((high.velocities - low.velocities) / (2.0 * step) - here.accelerations) < 1e-4 * scale)
    assert np.all(np.abs((high.accelerations - low.accelerations) / (2.0 * step) - here.jerks) < 1e-3 * scale**2)


def test_extremes_of_a_parabola_and_of_samples() -> None:
    """A cubic 3t² - 2t³ from rest to rest: velocity 1.5 in the middle, accelerations ±6, jerk -12."""
    smooth = channel((0.0, 1.0), (0.0, 1.0), Interpolation.HERMITE, in_tangents=((0.0,), (0.0,)), out_tangents=((0.0,), (0.0,)))
    found = extrema(smooth)
    assert found["velocity"].highest == pytest.approx(1.5)
    assert found["velocity"].highest_at == pytest.approx(0.5)
    assert (found["acceleration"].lowest, found["acceleration"].highest) == pytest.approx((-6.0, 6.0))
    assert found["jerk"].lowest == pytest.approx(-12.0)
    times = tuple(np.linspace(0.0, 1.0, 101).tolist())
    samples = extrema(channel(times, tuple(np.sin(times).tolist())))
    assert samples["velocity"].highest == pytest.approx(1.0, rel=1e-3)
    assert samples["acceleration"].lowest == pytest.approx(-math.sin(1.0), rel=2e-2)
    jump = extrema(channel((0.0, 1.0), (0.0, -1.0), Interpolation.STEP))
    assert jump["velocity"].lowest == -math.inf


def test_resampling_lies_on_the_curve() -> None:
    smooth = channel((0.0, 1.0), (0.0, 1.0), Interpolation.CARDINAL)
    again = resample_trajectory(Trajectory(name="t", channels=(smooth, channel((0.5, 1.25), (2.0, 3.0)))), 0.25)
    first, second = again.channels
    assert first.times == second.times == (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)
    assert first.values == pytest.approx(values(smooth, *first.times))
    assert second.values[0] == 2.0
    with pytest.raises(ValueError, match="positive"):
        resample_trajectory(again, 0.0)
    with pytest.raises(ValueError, match="at most"):
        resample_trajectory(again, 1e-12)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (channel((), ()), "no keys"),
        (channel((0.0, 0.0), (0.0, 1.0)), "do not increase"),
        (channel((0.0, 1.0), (0.0,)), "other numbers"),
        (channel((0.0, math.nan), (0.0, 1.0)), "not finite"),
        (channel((0.0, 1.0), (0.0, 1.0), Interpolation.BEZIER), "2 keys and 0 tangents"),
        (
            channel((0.0, 1.0), (0.0, 1.0), Interpolation.BEZIER, in_tangents=2 * ((1.0,),), out_tangents=2 * ((0.0, 1.0),)),
            "not all values",
        ),
        (
            channel(
                (0.0, 1.0), (0.0, 1.0), Interpolation.BEZIER, in_tangents=2 * ((-3.0, 1.0),), out_tangents=2 * ((4.0, 1.0),)
            ),
            "reverse its time",
        ),
    ],
)
def test_what_is_no_curve(bad: Channel, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Curve(bad)
