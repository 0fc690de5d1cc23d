"""Recordings as MCAP files, which Foxglove and PlotJuggler show.

Each sample is a message on three kinds of channels, all in JSON with a schema in the file: ``/tf`` has the poses of all bodies
(``foxglove.FrameTransforms``), ``/MODEL/joint_states`` the coordinates, and ``/dynamics`` forces, energy and residuals.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedWriter
from pathlib import Path
from typing import Any

import orjson

from ossature.array_types import AnyArray
from ossature.assets import open_output
from ossature.recordings.header import Header
from ossature.recordings.journal import Journal
from ossature.recordings.sample_columns import BODIES, JOINTS, TIME, Columns

_Message = dict[str, Any]

_NUMBER: _Message = {"type": "number"}
_NUMBERS: _Message = {"type": "array", "items": _NUMBER}
_TIME: _Message = {"type": "object", "title": "time", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}


def _object(**properties: _Message) -> _Message:
    return {"type": "object", "properties": properties}


_TRANSFORM = _object(
    timestamp=_TIME,
    parent_frame_id={"type": "string"},
    child_frame_id={"type": "string"},
    translation=_object(x=_NUMBER, y=_NUMBER, z=_NUMBER),
    rotation=_object(x=_NUMBER, y=_NUMBER, z=_NUMBER, w=_NUMBER),
)
_SCHEMAS: dict[str, _Message] = {
    "foxglove.FrameTransforms": _object(transforms={"type": "array", "items": _TRANSFORM}),
    "ossature.JointStates": _object(
        timestamp=_TIME, name={"type": "array", "items": {"type": "string"}}, position=_NUMBERS, velocity=_NUMBERS
    ),
    "ossature.Dynamics": {"type": "object"},
}


def write_mcap(journal: Journal, path: Path) -> None:
    """Write a journal as MCAP.

    Raises:
        ImportError: The package mcap is not installed.
        OSError: The file cannot be written.
    """
    from mcap.writer import Writer

    channels = _channels(journal.header)
    with open_output(path) as file:
        buffer = BufferedWriter(file)
        writer = Writer(buffer)
        writer.start(library="ossature")
        schemas = {
            name: writer.register_schema(name, "jsonschema", orjson.dumps({"title": name} | schema))
            for name, schema in _SCHEMAS.items()
        }
        numbers = [writer.register_channel(topic, "json", schemas[schema]) for topic, schema, _ in channels]
        for block in journal.blocks():
            for row in block:
                time = round(float(row[0]) * 1e9)
                for number, (_, _, message) in zip(numbers, channels, strict=True):
                    writer.add_message(number, time, orjson.dumps(message(row)), time)
        writer.finish()  # type: ignore[no-untyped-call]
        buffer.flush()
        buffer.detach()


def _channels(header: Header) -> list[tuple[str, str, Callable[[AnyArray], _Message]]]:
    """Return topic and schema of each channel, and what makes a message of a row."""
    columns = header.columns
    models = dict.fromkeys(quantity.model for quantity in columns.quantities if quantity.group == JOINTS)
    joints = [(f"/{model}/joint_states", "ossature.JointStates", _joint_states(columns, model)) for model in models]
    channels = [("/tf", "foxglove.FrameTransforms", _transforms(columns)), *joints]
    others = Columns(tuple([one for one in columns.quantities if one.group not in (TIME, BODIES, JOINTS)]))
    if others.quantities:
        chosen = [number for one, part in columns.slices if one in others.quantities for number in range(part.start, part.stop)]
        channels.append(("/dynamics", "ossature.Dynamics", lambda row: others.nested(row[chosen])))
    return channels


def _timestamp(time: float) -> _Message:
    seconds, nanoseconds = divmod(round(time * 1e9), 1_000_000_000)
    return {"sec": seconds, "nsec": nanoseconds}


def _transforms(columns: Columns) -> Callable[[AnyArray], _Message]:
    places = {(one.model, one.name, one.field): part for one, part in columns.slices if one.group == BODIES}
    positions = [(model, name) for model, name, field in places if field == "position"]
    bodies = [(f"{model}/{name}", places[model, name, "position"], places[model, name, "wxyz"]) for model, name in positions]

    def message(row: AnyArray) -> _Message:
        transforms = []
        for frame, position, rotation in bodies:
            (x, y, z), (w, i, j, k) = row[position].tolist(), row[rotation].tolist()
            transforms.append(
                {
                    "timestamp": _timestamp(row[0]),
                    "parent_frame_id": "world",
                    "child_frame_id": frame,
                    "translation": {"x": x, "y": y, "z": z},
                    "rotation": {"x": i, "y": j, "z": k, "w": w},
                }
            )
        return {"transforms": transforms}

    return message


def _joint_states(columns: Columns, model: str) -> Callable[[AnyArray], _Message]:
    own = [(one, part) for one, part in columns.slices if one.group == JOINTS and one.model == model]
    positions = [(one.name, number) for one, part in own if one.field == "positions" for number in range(part.start, part.stop)]
    velocities = [number for one, part in own if one.field == "velocities" for number in range(part.start, part.stop)]
    names = [f"{name}[{number - _start(own, name)}]" if _width(own, name) > 1 else name for name, number in positions]
    numbers = [number for _, number in positions]

    def message(row: AnyArray) -> _Message:
        values = {"position": row[numbers].tolist(), "velocity": row[velocities].tolist()}
        return {"timestamp": _timestamp(row[0]), "name": names} | values

    return message


def _start(own: list[tuple[Any, slice]], name: str) -> int:
    return next(int(part.start) for one, part in own if one.name == name and one.field == "positions")


def _width(own: list[tuple[Any, slice]], name: str) -> int:
    return next(int(one.count) for one, _ in own if one.name == name and one.field == "positions")
