"""Concatenation of consecutive recordings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.simulation.observation.recording import Recording

if TYPE_CHECKING:
    from ossature.simulation.sensors import Reading

_SERIES = ("times", "positions", "wxyz", "linear_velocities", "angular_velocities_body", "qpos", "qvel", "energy", "violation")


def concatenate(recordings: Sequence[Recording]) -> Recording:
    """Return the recording of a simulation from those of its parts, each of which starts with the last sample of the previous.

    Raises:
        ValueError: There are no recordings.
    """
    if not recordings:
        raise ValueError("there are no recordings to concatenate")
    first, *rest = recordings
    series: dict[str, Any] = {
        name: np.concatenate([getattr(first, name), *(getattr(o, name)[1:] for o in rest)]) for name in _SERIES
    }
    return Recording(
        **series,
        index=first.index,
        elements=_concatenate_quantities([part.elements for part in recordings]),
        reactions=_concatenate_quantities([part.reactions for part in recordings]),
        contacts=_concatenate_quantities([part.contacts for part in recordings]),
        readings={path: _concatenate_readings(path, recordings) for path in first.readings},
        diagnostics=recordings[-1].diagnostics,
    )


def _concatenate_readings(path: str, parts: Sequence[Recording]) -> tuple[Reading, ...]:
    """Return the readings of a sensor in all parts; a reading at the boundary of two parts is in both, and included once."""
    readings: list[Reading] = []
    for part in parts:
        readings += [reading for reading in part.readings.get(path, ()) if not readings or reading.time > readings[-1].time]
    return tuple(readings)


def _concatenate_quantities(parts: Sequence[Quantities]) -> Quantities:
    first, *rest = parts
    return {
        model: {
            name: {
                quantity: np.concatenate([values, *(other[model][name][quantity][1:] for other in rest)])
                for quantity, values in group.items()
            }
            for name, group in names.items()
        }
        for model, names in first.items()
    }
