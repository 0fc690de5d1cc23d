"""The state of sensors as bytes, without anything that could run code when it is read."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ossature.simulation.sensors.sensor_base import SensorState
from ossature.simulation.sensors.sensor_reading import Reading

_STATES = "states"
_MEMORY, _LAST = "memory", "last"


def to_plain_data(states: Mapping[str, SensorState]) -> bytes:
    """Return states by sensor as bytes."""
    plain = {
        path: {"is_on": state.is_on, "began": state.began, "count": state.count, "generator": state.generator}
        for path, state in states.items()
    }
    arrays: dict[str, Any] = {_STATES: np.frombuffer(json.dumps(plain).encode(), np.uint8)}
    for path, state in states.items():
        arrays |= {f"{path}|{_MEMORY}|{name}": array for name, array in state.memory.items()}
        if state.last is not None:
            arrays |= {f"{path}|{_LAST}|{name}": array for name, array in state.last.arrays().items()}
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)
    return data.getvalue()


def unpacked(data: bytes, kinds: Mapping[str, type[Reading]]) -> dict[str, SensorState]:
    """Return the states by sensor that bytes hold.

    Args:
        data: The bytes.
        kinds: What each sensor reads.

    Raises:
        ValueError: They hold no states, or those of other sensors.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            plain = json.loads(arrays[_STATES].tobytes())
            if set(plain) != set(kinds):
                raise ValueError("the state is one of other sensors")
            return {
                path: SensorState(
                    **said,
                    last=_last(path, kinds[path], _part(arrays, path, _LAST)),
                    memory=_part(arrays, path, _MEMORY),
                )
                for path, said in plain.items()
            }
    except (OSError, KeyError, TypeError, EOFError, ValueError, BadZipFile) as error:
        raise ValueError(f"the state of the sensors cannot be read: {error}") from error


def _part(arrays: Any, path: str, part: str) -> dict[str, Any]:
    begin = f"{path}|{part}|"
    return {name.removeprefix(begin): arrays[name] for name in arrays.files if name.startswith(begin)}


def _last(path: str, kind: type[Reading], arrays: Mapping[str, Any]) -> Reading | None:
    return kind.of_arrays(path, arrays) if arrays else None
