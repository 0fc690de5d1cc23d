"""Schedule of timed actions of a simulation."""

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


class EventSchedule:
    """Timed actions; those of the same time are executed in the order in which they were added."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._entries)

    def add(self, time: float, action: Action) -> None:
        """Add an action at a time [s]; an action in the past is executed before the next step."""
        insort(self._entries, _Entry(time, self._count, action))
        self._count += 1

    def pop_due(self, time: float, step: float) -> list[Action]:
        """Remove and return the actions that are due before the step that starts at a time [s]."""
        due = [entry for entry in self._entries if entry.time < time + 0.5 * step]
        del self._entries[: len(due)]
        return [entry.action for entry in due]

    def steps_before_next(self, time: float, step: float) -> float:
        """Return the number of steps before the next action; infinity if there is none."""
        return max(1, round((self._entries[0].time - time) / step)) if self._entries else math.inf
