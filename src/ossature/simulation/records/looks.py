"""What a recording keeps besides places and velocities: forces, energy and violation at each of its instants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ossature.simulation.records.quantities import Quantities


class Look(NamedTuple):
    """Energy at an instant, and where they are looked at, the forces at work and the largest violation of a constraint."""

    energy: tuple[float, float]
    elements: Quantities
    reactions: Quantities
    contacts: Quantities
    violation: float | None


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
