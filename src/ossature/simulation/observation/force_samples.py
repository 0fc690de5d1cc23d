"""What a recording keeps besides places and velocities: forces, energy and violation at each of its instants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ossature.simulation.observation.quantities import Quantities


class ForceSample(NamedTuple):
    """Energy at an instant, and where they are looked at, the forces at work and the largest violation of a constraint."""

    energy: tuple[float, float]
    elements: Quantities
    reactions: Quantities
    contacts: Quantities
    violation: float | None

    @property
    def is_finite(self) -> bool:
        """Whether all of it is finite numbers: in the last state before a simulation diverges it may not be."""
        values = [fields for names in (*self.elements.values(), *self.reactions.values()) for fields in names.values()]
        return bool(np.isfinite([*self.energy, self.violation or 0.0]).all()) and all(
            bool(np.isfinite(value).all()) for fields in values for value in fields.values()
        )


def stacked(series: Sequence[Quantities]) -> Quantities:
    """Return a series of quantities as quantities that are series."""
    if not series:
        return {}
    return {
        model: {
            name: {quantity: np.stack([one[model][name][quantity] for one in series]) for quantity in group}
            for name, group in names.items()
        }
        for model, names in series[0].items()
    }
