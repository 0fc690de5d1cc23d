"""Tolerances of rigid contacts for a time step."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ossature.simulation.compile.contact_model import LARGEST_GAP_ERROR_M

_LARGEST_OVERLAP = 0.05
"""Largest overlap at the end of a step, relative to the largest error of gaps. The next step removes an overlap, with a large
force if friction jams the contact; a body above the surface only falls."""
LARGEST_SPEED_ERROR = 0.02
"""Largest error of the normal velocity of a contact after a step [m/s]; in short steps it is a small gap."""
NEGLIGIBLE_M = 1e-6
"""Negligible change of gaps in a step, such as that of bodies at rest."""
_NEGLIGIBLE_OPENING = 0.01
"""Opening of a contact by its slip that remains, relative to the largest error of gaps. If a contact nearly sticks, its slip
in the last step does not predict that in this one: if such openings were removed, slips of 0.1 mm/s might alternate."""
_LARGEST_STEADY_OVERLAP = 0.5
"""Largest overlap of what friction brakes on a level plane, relative to the largest error of gaps. The forces of a larger one
would alternate, because it exceeds that error in some of the steps."""
_LARGEST_QUIET_SPEED = 0.01
"""Largest generalised velocity of bodies that are treated as at rest, far below that of a rebound [m/s or rad/s]."""
RECOVERY_SPEED = 0.03
"""Speed with which an overlap is removed [m/s]: a body with this speed rises by 0.05 mm."""


@dataclass(frozen=True, slots=True)
class ContactTolerances:
    """Tolerances for a time step.

    Attributes:
        recovery: The change of the gap by which an overlap is removed in a step, negative [m].
        quiet_square: Square of the generalised velocities up to which bodies are at rest.
        gap_error: Largest error of gaps at the end of a step [m].
        overlap_error: Largest overlap at the end of a step [m].
        negligible_opening: Opening of a contact by its slip that remains [m].
        largest_steady_opening: Opening by a steady slip up to which contacts may overlap by their braking [m].
        still_square: Square of the generalised accelerations up to which a solution needs no correction.
    """

    recovery: float
    quiet_square: float
    gap_error: float
    overlap_error: float
    negligible_opening: float
    largest_steady_opening: float
    still_square: float

    @classmethod
    def of_step(cls, step: float, largest_friction: float, acceleration: float) -> ContactTolerances:
        """Return the tolerances.

        Args:
            step: The time step [s].
            largest_friction: The largest coefficient of friction.
            acceleration: The acceleration that margins allow for [m/s²].
        """
        # A slip opens gaps by its friction in a step, and so do changes of slips that are not predicted. An approach
        # closes them by its whole length, and may end in a rebound.
        quiet_speed = min(NEGLIGIBLE_M / (step * largest_friction), _LARGEST_QUIET_SPEED)
        gap_error = min(LARGEST_GAP_ERROR_M, LARGEST_SPEED_ERROR * step)
        overlap_error = _LARGEST_OVERLAP * gap_error
        return cls(
            recovery=-RECOVERY_SPEED * step,
            quiet_square=quiet_speed**2,
            gap_error=gap_error,
            overlap_error=overlap_error,
            negligible_opening=_NEGLIGIBLE_OPENING * gap_error,
            # Friction of coefficient µ brakes a slip by µ·g·h in a step, which changes the opening µ·h·slip by g·(µ·h)².
            largest_steady_opening=math.sqrt(_LARGEST_STEADY_OVERLAP * gap_error / acceleration),
            still_square=(overlap_error / (step * step * max(largest_friction, 1.0))) ** 2,
        )
