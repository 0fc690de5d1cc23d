"""What is to be done at times of a simulation."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

Action: TypeAlias = Callable[[], object]


@dataclass(order=True, frozen=True, slots=True)
class _Entry:
    time: float
    number: int
    action: Action = field(compare=False)


class Schedule:
    """Actions at times; those of the same time are done in the order in which they were added."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._count = 0

    def add(self, time: float, action: Action) -> None:
        """Add an action at a time [s]; one that is past is done before the next step."""
        insort(self._entries, _Entry(time, self._count, action))
        self._count += 1

    def take_due(self, time: float, step: float) -> list[Action]:
        """Take the actions that are to be done before the step that begins at a time [s]."""
        due = [entry for entry in self._entries if entry.time < time + 0.5 * step]
        del self._entries[: len(due)]
        return [entry.action for entry in due]

    def steps_before_next(self, time: float, step: float) -> float:
        """Return how many steps there are before the next action, infinitely many without one."""
        if not self._entries:
            return math.inf
        return max(1, round((self._entries[0].time - time) / step))
