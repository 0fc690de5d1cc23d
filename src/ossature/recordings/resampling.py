"""Samples of a recording at other times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ossature.recordings.columns import BODIES, Columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


def resampled(columns: Columns, blocks: Iterable[Vector], times: Iterable[float]) -> Iterator[Vector]:
    """Yield samples at given times, in growing order.

    Between two samples numbers go along straight lines, and rotations the shortest way at a steady rate. A time at which
    there is a sample takes that one as it is; times before the first or after the last sample are left out.

    Args:
        columns: The columns.
        blocks: The samples in blocks, of shape (samples, columns).
        times: The times [s].
    """
    rotations = [where for quantity, where in columns.slices if quantity.group == BODIES and quantity.field == "wxyz"]
    rows = (row for block in blocks for row in block)
    before = next(rows, None)
    if before is None:
        return
    after: Vector | None = before
    for time in times:
        if time < before[0]:
            continue
        while after is not None and after[0] < time:
            before, after = after, next(rows, None)
        if after is None:
            return
        yield after if after[0] == time else _between(before, after, time, rotations)


def _between(before: Vector, after: Vector, time: float, rotations: list[slice]) -> Vector:
    share = (time - before[0]) / (after[0] - before[0])
    row = np.asarray((1.0 - share) * before + share * after)
    row[0] = time
    for where in rotations:
        row[where] = _slerp(before[where], after[where], share)
    return row


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
