"""Forces, energy and constraint residuals of the samples of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ossature.simulation.observation.quantity_type_aliases import Quantities


class DynamicsSample(NamedTuple):
    """Energy at an instant and, if they are recorded, forces and the largest residual of a constraint."""

    energy: tuple[float, float]
    elements: Quantities
    reactions: Quantities
    contacts: Quantities
    violation: float | None

    @property
    def is_finite(self) -> bool:
        """Whether all its numbers are finite; in the last state before a divergence they may not be."""
        fields_by_name = [fields for names in (*self.elements.values(), *self.reactions.values()) for fields in names.values()]
        return bool(np.isfinite([*self.energy, self.violation or 0.0]).all()) and all(
            bool(np.isfinite(value).all()) for fields in fields_by_name for value in fields.values()
        )


def stack_quantities(series: Sequence[Quantities]) -> Quantities:
    """Return a series of quantities as quantities with one array over the series each."""
    if not series:
        return {}
    return {
        model: {
            name: {quantity: np.stack([quantities[model][name][quantity] for quantities in series]) for quantity in group}
            for name, group in names.items()
        }
        for model, names in series[0].items()
    }
