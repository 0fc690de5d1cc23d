"""Interpolation of recorded samples at regular times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import count

import numpy as np

from ossature.array_types import Vector
from ossature.recordings.header import Header
from ossature.recordings.sample_columns import BODIES, JOINTS
from ossature.spatial import quaternion_from, quaternion_from_rotation_vector, rotation_vector_from_quaternion, vector_from

MAX_SAMPLES = 10_000_000
"""Largest number of interpolated samples: gigabytes of numbers, and hours of writing."""


def check_samples(times: tuple[float, float], interval: float, start: float | None, end: float | None) -> None:
    """Check the times of interpolated samples.

    Args:
        times: Times of the first and the last sample [s].
        interval: Interval between interpolated samples [s].
        start: First time [s]; by default that of the first sample.
        end: Last time [s]; by default that of the last sample.

    Raises:
        ValueError: There would be too many samples, or the interval is below the resolution of the times.
    """
    first_time = times[0] if start is None else start
    first, last = max(first_time, times[0]), times[1] if end is None else min(end, times[1])
    count = (last - first) / interval
    if not count < MAX_SAMPLES:
        requested = f"an interval of {interval:g} s from {first:g} s to {last:g} s has {count:.3g} samples"
        raise ValueError(f"{requested}; the limit is {MAX_SAMPLES:,}; use a longer interval or a shorter time range")
    largest = max(abs(first_time), abs(first), abs(last))
    if interval < 2.0 * math.ulp(largest):
        raise ValueError(
            f"an interval of {interval:g} s is below the floating-point resolution at {largest:g} s; use a longer interval"
        )


def resample_rows(
    header: Header, rows: Iterable[Vector], interval: float, *, start: float | None = None, end: float | None = None
) -> Iterator[Vector]:
    """Yield samples at regular times, from the first or the start to the last or the end.

    Numbers are interpolated linearly, and rotations by slerp. A sample at a requested time is used unchanged; times before the
    first or after the last sample are ignored.

    Args:
        interval: Interval between interpolated samples [s].
        start: First time [s]; by default that of the first sample.
        end: Last time [s]; by default that of the last sample.
    """
    interpolator = _Interpolator(header)
    rows = iter(rows)
    before = next(rows, None)
    if before is None:
        return
    first_time = float(before[0]) if start is None else start
    after: Vector | None = before
    for number in count(max(0, math.ceil((float(before[0]) - first_time - ROUNDING) / interval))):
        time = first_time + number * interval
        while after is not None and after[0] < time - ROUNDING:
            before, after = after, next(rows, None)
        if after is None or (end is not None and time > end + ROUNDING):
            return
        yield after if abs(after[0] - time) <= ROUNDING else interpolator.between(before, after, time)


ROUNDING = 1e-9
"""Accumulated rounding of times [s]."""


class _Interpolator:
    def __init__(self, header: Header) -> None:
        self._quaternions = [
            span for quantity, span in header.columns.slices if quantity.group == BODIES and quantity.field == "wxyz"
        ]
        self._rotation_vectors = [
            slice(span.start, span.start + 3)
            for quantity, span in header.columns.slices
            if quantity.group == JOINTS
            and quantity.field == "positions"
            and (quantity.model, quantity.name) in header.rotation_vectors
        ]

    def between(self, before: Vector, after: Vector, time: float) -> Vector:
        fraction = (time - before[0]) / (after[0] - before[0])
        row = np.asarray((1.0 - fraction) * before + fraction * after)
        row[0] = time
        for span in self._quaternions:
            row[span] = _slerp(before[span], after[span], fraction)
        for span in self._rotation_vectors:
            ends = [np.array(quaternion_from_rotation_vector(vector_from(side[span]))) for side in (before, after)]
            row[span] = rotation_vector_from_quaternion(quaternion_from(_slerp(ends[0], ends[1], fraction)))
        return row


def _slerp(first: Vector, second: Vector, fraction: float) -> Vector:
    cosine = float(first @ second)
    if cosine < 0.0:
        second, cosine = -second, -cosine
    angle = np.arctan2(np.linalg.norm(second - cosine * first), cosine)
    if angle < 1e-8:
        mixed = (1.0 - fraction) * first + fraction * second
    else:
        mixed = (np.sin((1.0 - fraction) * angle) * first + np.sin(fraction * angle) * second) / np.sin(angle)
    return np.asarray(mixed / np.linalg.norm(mixed))
