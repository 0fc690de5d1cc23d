"""Impacts with restitution: the contacts that close fast in a step, and their velocities after it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ossature.array_types import BoolArray, Vector

SMALLEST_BOUNCE_SPEED = 0.1
"""Normal speed below which a contact does not rebound [m/s]; DART has the same value, Chrono 0.15."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RestitutionImpacts:
    """The contacts of a step of which some close with a rebound.

    Attributes:
        is_impact: Whether each contact closes with a rebound.
        can_follow: Whether an impact of each contact can follow from those of others in this step.
        heights: The gaps at the start of the step [m], not negative.
        speeds: The normal velocities before the impacts [m/s]; negative if the contact closes.
    """

    is_impact: BoolArray
    can_follow: BoolArray
    restitutions: Vector
    heights: Vector
    speeds: Vector

    def with_restitutions(self, factors: Vector | float) -> RestitutionImpacts:
        """Return the same impacts with coefficients of restitution that are multiplied by factors."""
        return replace(self, restitutions=factors * self.restitutions)

    def rebound_speeds(self, accelerations: Vector) -> Vector:
        """Return the normal velocities after impacts by Newton's law [m/s].

        A contact is resolved at the position of the start of the step, above the surface. It gets the velocity with which it
        would pass this position upwards after an impact at the surface.

        Args:
            accelerations: The normal accelerations without impacts [m/s²].
        """
        fall_term = 2.0 * np.minimum(accelerations, 0.0) * self.heights
        squares = self.restitutions**2 * (self.speeds**2 - fall_term) + fall_term
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def find_restitution_impacts(
    gaps: Vector, speeds: Vector, restitutions: Vector, *, step: float, negligible_gap: float
) -> RestitutionImpacts | None:
    """Return the impacts of a step, or None if no contact closes with a rebound.

    Args:
        gaps: The gaps of contacts at the start of the step [m].
        speeds: Their normal velocities [m/s].
        step: The time step [s].
        negligible_gap: A contact with a smaller gap is closed [m]: no impact of it can follow.
    """
    is_elastic = restitutions > 0.0
    is_impact = is_elastic & (gaps + step * speeds < 0.0) & (speeds < -SMALLEST_BOUNCE_SPEED)
    if not is_impact.any():
        return None
    return RestitutionImpacts(
        is_impact=is_impact,
        can_follow=is_elastic & ~is_impact & (gaps > negligible_gap),
        restitutions=restitutions,
        heights=np.maximum(gaps, 0.0),
        speeds=np.array(speeds),
    )
