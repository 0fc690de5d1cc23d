"""Impacts in a sequence: contacts that close within a step because of an impact in it.

In one solution, all contacts of a step get their velocities together. A contact that is open at the start of the step and
closes only because of an impact, as the next gap of Newton's cradle does, would then lose the speed of its own impact: it has
none before the step. Such impacts are resolved one after another, from the velocities that the earlier ones cause, with the
bodies at their positions of the start of the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ossature.array_types import BoolArray, Vector

_MAX_IMPACTS = 64
"""Largest number of successive impacts in one step."""
OPEN_M = 1e6
"""A requested gap that no contact closes [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactSequence:
    """The contacts of a step in which impacts follow each other.

    Attributes:
        gaps: The gaps at the start of the step [m].
        can_follow: Whether each contact can have an impact that follows another one.
        step: The time step [s].
        smallest_speed: The normal speed below which a contact does not rebound [m/s].
        solve: Takes the step, so that gaps change by at least the opposite of the requested ones [m]; returns the normal
            velocities [m/s].
        continue_from_solution: Makes the next solutions start from the velocities of the last one.
    """

    gaps: Vector
    restitutions: Vector
    can_follow: BoolArray
    step: float
    smallest_speed: float
    solve: Callable[[Vector], Vector]
    continue_from_solution: Callable[[], None]

    def resolve(self, requested: Vector, is_impact: BoolArray) -> None:
        """Resolve the impacts that follow from the first ones.

        Args:
            requested: The requested gaps, with those of the rebounds after the first impacts [m].
            is_impact: The contacts with the first impacts.
        """
        resting = np.where(is_impact, np.maximum(self.gaps, 0.0), requested)
        is_elastic = self.can_follow | is_impact
        for _ in range(_MAX_IMPACTS):
            speeds = self.solve(np.where(is_elastic & ~is_impact, OPEN_M, requested))
            is_impact = is_elastic & ~is_impact & (speeds < -self.smallest_speed) & (resting + self.step * speeds < 0.0)
            if not is_impact.any():
                break
            self.continue_from_solution()
            requested = np.where(is_impact, self.step * self.restitutions * speeds, resting)
        self.solve(requested)
