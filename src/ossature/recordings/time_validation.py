"""Times of samples: finite, and each after the one before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ossature.model import State

if TYPE_CHECKING:
    from numpy.typing import NDArray


def running_blocks(blocks: Iterable[NDArray[np.float64]], *, may_be_timeless: bool) -> Iterator[NDArray[np.float64]]:
    """Yield blocks of samples as they are.

    Args:
        blocks: The blocks, of shape (samples, columns), whose first column is the time.
        may_be_timeless: Whether the first sample may say no time, as a state may.

    Raises:
        ValueError: A time is not finite, or not after the one before.
    """
    count, before = 0, -math.inf
    for block in blocks:
        times = block[:, 0]
        earlier = np.concatenate(([before], times[:-1]))
        is_fault = ~np.isfinite(times) | (times <= earlier)
        if count == 0 and may_be_timeless and math.isnan(times[0]):
            is_fault[0] = False
        for index in np.flatnonzero(is_fault)[:1].tolist():
            raise ValueError(_fault(count + index, float(times[index]), float(earlier[index])))
        yield block
        count, before = count + len(block), float(times[-1])


def running_states(states: Iterable[State]) -> Iterator[State]:
    """Yield states as they are; the first one may say no time.

    Raises:
        ValueError: A time is not finite, or not after the one before.
    """
    before = -math.inf
    for number, state in enumerate(states):
        time = math.nan if state.time is None else state.time
        is_timeless_state = number == 0 and state.time is None
        if not is_timeless_state and (not math.isfinite(time) or time <= before):
            raise ValueError(_fault(number, time, before))
        yield state
        before = time


def _fault(number: int, time: float, before: float) -> str:
    if not math.isfinite(time):
        return f"the time of sample {number} is {time:g}, and not a number of seconds"
    return f"sample {number}, at {time} s, is not after the one before, at {before} s"
