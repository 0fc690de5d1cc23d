"""The largest value of a quantity so far."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class RunningMaximum:
    """The largest value so far, its time [s], and the engine's index or the path of its element; negative without a value."""

    value: float = -1.0
    time: float = 0.0
    of: int | str = 0
    bound: float | None = None

    def update(self, value: float, time: float, of: int | str) -> None:
        """Include a value."""
        if value > self.value:
            self.value, self.time, self.of = value, time, of
