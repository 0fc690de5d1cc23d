"""Penetrations of shapes: which of them a simulation reports."""

from __future__ import annotations

from dataclasses import dataclass

SAME_DEPTH = 1.1
"""Ratio of depths below which a penetration of the same geoms is represented by an earlier one."""


@dataclass(frozen=True, slots=True)
class Penetration:
    """The penetration of two of the engine's geoms at the start of a step.

    Attributes:
        depth: The penetration depth [m].
        time: The time [s].
        geoms: The engine's indices of the two.
    """

    depth: float
    time: float
    geoms: tuple[int, int]


def select_penetration(earlier: Penetration | None, found: Penetration, *, were_apart: bool) -> Penetration:
    """Return a penetration, or the earlier one if it is of the same geoms and not notably less deep.

    Args:
        earlier: The earlier penetration, or None.
        found: The penetration.
        were_apart: Whether shapes were apart after the earlier one: one at the start is then not continued.
    """
    if earlier is None or earlier.geoms != found.geoms or (were_apart and earlier.time <= 0.0):
        return found
    return earlier if found.depth < SAME_DEPTH * earlier.depth else found
