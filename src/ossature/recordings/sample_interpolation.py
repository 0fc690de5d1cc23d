"""Samples of a recording at other times."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from ossature.recordings.header import Header
from ossature.recordings.sample_columns import BODIES, JOINTS
from ossature.spatial import quaternion_from_rotation_vector, rotation_vector_from_quaternion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


MOST_SAMPLES = 10_000_000
"""Which is hours of writing, and gigabytes of numbers."""


def check_samples(times: tuple[float, float], interval: float, start: float | None, end: float | None) -> None:
    """Refuse times of which nobody could want samples.

    Args:
        times: Those of the first and the last sample [s].
        interval: From one time to the next [s].
        start: The first time that is wanted [s]; that of the first sample if not given.
        end: The last time that is wanted [s]; that of the last sample if not given.

    Raises:
        ValueError: There would be too many samples, or rounding would not tell one time from the next.
    """
    begin = times[0] if start is None else start
    first, last = max(begin, times[0]), times[1] if end is None else min(end, times[1])
    count = (last - first) / interval
    if not count < MOST_SAMPLES:
        made = f"from {first:g} s to {last:g} s every {interval:g} s are {count:.3g} samples"
        raise ValueError(f"{made}, and more than {MOST_SAMPLES:,} are not made: ask for a longer interval or a shorter time")
    largest = max(abs(begin), abs(first), abs(last))
    if interval < 2.0 * math.ulp(largest):
        raise ValueError(f"at {largest:g} s an interval of {interval:g} s is lost to rounding: ask for a longer one")


def resampled(
    header: Header, rows: Iterable[Vector], interval: float, *, start: float | None = None, end: float | None = None
) -> Iterator[Vector]:
    """Yield samples at regular times, from the first or the start to the last or the end.

    Between two samples numbers go along straight lines, and rotations the shortest way at a steady rate. A time at which
    there is a sample takes that one as it is; times before the first or after the last sample are left out.

    Args:
        header: What the recording says once.
        rows: The samples.
        interval: From one time to the next [s].
        start: The first time [s]; that of the first sample if not given.
        end: The last time [s]; that of the last sample if not given.
    """
    blend = _Blend(header)
    rows = iter(rows)
    before = next(rows, None)
    if before is None:
        return
    begin = float(before[0]) if start is None else start
    after: Vector | None = before
    for number in count(max(0, math.ceil((float(before[0]) - begin - ROUNDING) / interval))):
        time = begin + number * interval
        while after is not None and after[0] < time - ROUNDING:
            before, after = after, next(rows, None)
        if after is None or (end is not None and time > end + ROUNDING):
            return
        yield after if abs(after[0] - time) <= ROUNDING else blend.between(before, after, time)


ROUNDING = 1e-9
"""What times gather by being added up [s]."""


class _Blend:
    """Finds what is between two samples."""

    def __init__(self, header: Header) -> None:
        self._quaternions = [
            where for quantity, where in header.columns.slices if quantity.group == BODIES and quantity.field == "wxyz"
        ]
        self._vectors = [
            slice(where.start, where.start + 3)
            for quantity, where in header.columns.slices
            if quantity.group == JOINTS and quantity.field == "positions" and (quantity.model, quantity.name) in header.turns
        ]

    def between(self, before: Vector, after: Vector, time: float) -> Vector:
        share = (time - before[0]) / (after[0] - before[0])
        row = np.asarray((1.0 - share) * before + share * after)
        row[0] = time
        for where in self._quaternions:
            row[where] = _slerp(before[where], after[where], share)
        for where in self._vectors:
            first, second = _quaternion(before[where]), _quaternion(after[where])
            row[where] = _rotation_vector(_slerp(first, second, share))
        return row


def _quaternion(rotation_vector: Vector) -> Vector:
    x, y, z = rotation_vector.tolist()
    return np.array(quaternion_from_rotation_vector((x, y, z)))


def _rotation_vector(wxyz: Vector) -> Vector:
    w, x, y, z = wxyz.tolist()
    return np.array(rotation_vector_from_quaternion((w, x, y, z)))


def _slerp(first: Vector, second: Vector, share: float) -> Vector:
    cosine = float(first @ second)
    if cosine < 0.0:
        second, cosine = -second, -cosine
    angle = np.arctan2(np.linalg.norm(second - cosine * first), cosine)
    if angle < 1e-8:
        mixed = (1.0 - share) * first + share * second
    else:
        mixed = (np.sin((1.0 - share) * angle) * first + np.sin(share * angle) * second) / np.sin(angle)
    return np.asarray(mixed / np.linalg.norm(mixed))
