"""Serialization of sensor states as bytes that cannot execute code when they are read."""

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


def states_to_bytes(states: Mapping[str, SensorState]) -> bytes:
    """Return states by sensor as bytes."""
    plain = {
        path: {"is_on": state.is_on, "began": state.began, "count": state.count, "generator": state.generator}
        for path, state in states.items()
    }
    arrays: dict[str, Any] = {_STATES: np.frombuffer(json.dumps(plain).encode(), np.uint8)}
    for path, state in states.items():
        arrays |= {f"{path}|{_MEMORY}|{name}": array for name, array in state.type_state.items()}
        if state.last is not None:
            arrays |= {f"{path}|{_LAST}|{name}": array for name, array in state.last.arrays().items()}
    data = io.BytesIO()
    np.savez_compressed(data, **arrays)
    return data.getvalue()


def states_from_bytes(data: bytes, kinds: Mapping[str, type[Reading]]) -> dict[str, SensorState]:
    """Return the states by sensor from bytes.

    Args:
        kinds: The type of the readings of each sensor.

    Raises:
        ValueError: They are not states, or states of other sensors.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            plain = json.loads(arrays[_STATES].tobytes())
            if set(plain) != set(kinds):
                raise ValueError("it is the state of other sensors")
            return {
                path: SensorState(
                    **fields,
                    last=_last_reading(path, kinds[path], _arrays_of(arrays, path, _LAST)),
                    type_state=_arrays_of(arrays, path, _MEMORY),
                )
                for path, fields in plain.items()
            }
    except (OSError, KeyError, TypeError, EOFError, ValueError, BadZipFile) as error:
        raise ValueError(f"the state of the sensors cannot be read: {error}") from error


def _arrays_of(arrays: Any, path: str, part: str) -> dict[str, Any]:
    prefix = f"{path}|{part}|"
    return {name.removeprefix(prefix): arrays[name] for name in arrays.files if name.startswith(prefix)}


def _last_reading(path: str, kind: type[Reading], arrays: Mapping[str, Any]) -> Reading | None:
    return kind.of_arrays(path, arrays) if arrays else None
