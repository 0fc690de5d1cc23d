"""Validation of sample times: finite and strictly increasing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from ossature.array_types import Array
from ossature.model import State


def validated_blocks(blocks: Iterable[Array], *, may_be_timeless: bool) -> Iterator[Array]:
    """Yield blocks of samples unchanged, and validate their times.

    Args:
        blocks: The blocks, of shape (samples, columns), whose first column is the time.
        may_be_timeless: Whether the first sample may have no time, like a state.

    Raises:
        ValueError: A time is not finite, or does not increase.
    """
    count, before = 0, -math.inf
    for block in blocks:
        times = block[:, 0]
        earlier = np.concatenate(([before], times[:-1]))
        is_invalid = ~np.isfinite(times) | (times <= earlier)
        if count == 0 and may_be_timeless and math.isnan(times[0]):
            is_invalid[0] = False
        for index in np.flatnonzero(is_invalid)[:1].tolist():
            raise ValueError(_time_error(count + index, float(times[index]), float(earlier[index])))
        yield block
        count, before = count + len(block), float(times[-1])


def validated_states(states: Iterable[State]) -> Iterator[State]:
    """Yield states unchanged, and validate their times; the first one may have no time.

    Raises:
        ValueError: A time is not finite, or does not increase.
    """
    before = -math.inf
    for number, state in enumerate(states):
        time = math.nan if state.time is None else state.time
        is_timeless_state = number == 0 and state.time is None
        if not is_timeless_state and (not math.isfinite(time) or time <= before):
            raise ValueError(_time_error(number, time, before))
        yield state
        before = time


def _time_error(number: int, time: float, before: float) -> str:
    if not math.isfinite(time):
        return f"the time of sample {number} is {time:g}, which is not finite"
    return f"the time of sample {number}, {time} s, does not exceed that of the previous sample, {before} s"
