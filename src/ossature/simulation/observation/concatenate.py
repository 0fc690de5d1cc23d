"""One recording out of several that follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.simulation.observation.quantities import Quantities
from ossature.simulation.observation.recording import Recording

if TYPE_CHECKING:
    from ossature.simulation.sensors import Reading

_SERIES = ("times", "positions", "wxyz", "linear_velocities", "angular_velocities_body", "qpos", "qvel", "energy", "violation")


def concatenate(recordings: Sequence[Recording]) -> Recording:
    """Return the recording of a simulation from those of its parts, each of which begins where the one before it ended.

    Raises:
        ValueError: There are none.
    """
    if not recordings:
        raise ValueError("there is nothing to join")
    first, *others = recordings
    series: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), *(getattr(o, name)[1:] for o in others)]) for name in _SERIES
    }
    return Recording(
        **series,
        index=first.index,
        elements=_concatenated([part.elements for part in recordings]),
        reactions=_concatenated([part.reactions for part in recordings]),
        contacts=_concatenated([part.contacts for part in recordings]),
        readings={path: _concatenated_readings(path, recordings) for path in first.readings},
        diagnostics=recordings[-1].diagnostics,
    )


def _concatenated_readings(path: str, parts: Sequence[Recording]) -> tuple[Reading, ...]:
    """Return the readings of a sensor in all parts; one where two parts meet is in both, and taken once."""
    readings: list[Reading] = []
    for part in parts:
        readings += [one for one in part.readings.get(path, ()) if not readings or one.time > readings[-1].time]
    return tuple(readings)


def _concatenated(parts: Sequence[Quantities]) -> Quantities:
    first, *others = parts
    return {
        model: {
            name: {
                quantity: np.concatenate([values, *(other[model][name][quantity][1:] for other in others)])
                for quantity, values in group.items()
            }
            for name, group in names.items()
        }
        for model, names in first.items()
    }
