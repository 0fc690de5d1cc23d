"""Export of readings as data and as images."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ossature.assets import write_file_atomically
from ossature.diagnostics import OssatureError
from ossature.simulation.sensors.reading_base import Reading

IMAGE_SUFFIXES = (".png", ".svg", ".pdf")
DATA_SUFFIXES = (".json", ".npz")
SUFFIXES = (*DATA_SUFFIXES, *IMAGE_SUFFIXES)


def save_reading(reading: Reading, path: Path) -> None:
    """Write a reading atomically: ``.json`` and ``.npz`` as data, ``.png``, ``.svg`` and ``.pdf`` as an image.

    Raises:
        OssatureError: The suffix is not supported, or the reading cannot be plotted.
        ImportError: Matplotlib is not installed.
        OSError: The file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix in IMAGE_SUFFIXES:
        from ossature.simulation.sensors.plot_readings import plot_reading

        write_file_atomically(path, plot_reading(reading, suffix))
    elif suffix == ".json":
        write_file_atomically(path, json.dumps(reading.to_dict(), indent=1, ensure_ascii=False) + "\n")
    elif suffix == ".npz":
        write_file_atomically(path, _npz_bytes(reading.arrays()))
    else:
        raise OssatureError(f"unsupported suffix '{path.suffix}' for a reading: use {', '.join(SUFFIXES)}")


def save_readings(readings: Mapping[str, Sequence[Reading]], path: Path) -> None:
    """Write all readings of a recording to a ``.npz`` file atomically.

    Each array is called ``model/name/field`` and has the readings along its first axis.

    Raises:
        OssatureError: The suffix is not supported.
        OSError: The file cannot be written.
    """
    if path.suffix.lower() != ".npz":
        raise OssatureError(f"unsupported suffix '{path.suffix}' for readings of a recording: use .npz")
    write_file_atomically(
        path, _npz_bytes({name: array for path, series in readings.items() for name, array in _stack_fields(path, series)})
    )


def _stack_fields(path: str, readings: Sequence[Reading]) -> list[tuple[str, Any]]:
    if not readings:
        return []
    rows = [reading.arrays() for reading in readings]
    return [(f"{path}/{name}", np.stack([row[name] for row in rows])) for name in rows[0]]


def _npz_bytes(arrays: Mapping[str, Any]) -> bytes:
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)
    return data.getvalue()
