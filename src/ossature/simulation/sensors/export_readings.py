"""Writing readings: as numbers, and as pictures."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ossature.assets import write_whole
from ossature.diagnostics import OssatureError
from ossature.simulation.sensors.sensor_reading import Reading

PICTURES = (".png", ".svg", ".pdf")
NUMBERS = (".json", ".npz")
SUFFIXES = (*NUMBERS, *PICTURES)


def save_reading(reading: Reading, path: Path) -> None:
    """Write a reading, whole or not at all: ``.json`` and ``.npz`` as numbers, ``.png``, ``.svg`` and ``.pdf`` as a picture.

    Raises:
        OssatureError: The suffix is another one, or the reading is nothing that can be drawn.
        ImportError: Matplotlib, which draws, is not installed.
        OSError: The file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix in PICTURES:
        from ossature.simulation.sensors.plot_readings import plot_reading

        write_whole(path, plot_reading(reading, suffix))
    elif suffix == ".json":
        write_whole(path, json.dumps(reading.to_json(), indent=1, ensure_ascii=False) + "\n")
    elif suffix == ".npz":
        write_whole(path, _packed(reading.arrays()))
    else:
        raise OssatureError(f"readings are written as {', '.join(SUFFIXES)}, not '{path.suffix}'")


def save_readings(readings: Mapping[str, Sequence[Reading]], path: Path) -> None:
    """Write all readings of a recording to a ``.npz`` file, whole or not at all.

    Each array is called ``model/name/field`` and has the readings along its first axis.

    Raises:
        OssatureError: The suffix is another one.
        OSError: The file cannot be written.
    """
    if path.suffix.lower() != ".npz":
        raise OssatureError(f"readings of a recording are written as .npz, not '{path.suffix}'")
    write_whole(path, _packed({name: array for path, taken in readings.items() for name, array in _stacked(path, taken)}))


def _stacked(path: str, readings: Sequence[Reading]) -> list[tuple[str, Any]]:
    if not readings:
        return []
    rows = [reading.arrays() for reading in readings]
    return [(f"{path}/{name}", np.stack([row[name] for row in rows])) for name in rows[0]]


def _packed(arrays: Mapping[str, Any]) -> bytes:
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)
    return data.getvalue()
