"""Recordings as MCAP files, which Foxglove and PlotJuggler show.

Each sample is a message on three kinds of channels, all in JSON with a schema in the file: ``/tf`` has the poses of all bodies
(``foxglove.FrameTransforms``), ``/MODEL/joint_states`` the coordinates, and ``/dynamics`` forces, energy and residuals.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedWriter
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ossature.array_types import Array
from ossature.assets import open_output
from ossature.recordings.header import Header
from ossature.recordings.journal import Journal
from ossature.recordings.number_formatting import PLACEHOLDER, NumberTemplate
from ossature.recordings.sample_columns import BODIES, JOINTS, TIME, Columns

_Message = dict[str, Any]
_SAMPLES_AT_ONCE = 16

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
            for start in range(0, len(block), _SAMPLES_AT_ONCE):
                rows = block[start : start + _SAMPLES_AT_ONCE]
                messages = zip(*(template.messages(rows) for _, _, template in channels), strict=True)
                for time, of_sample in zip(map(_nanoseconds, rows[:, 0].tolist()), messages, strict=True):
                    for number, message in zip(numbers, of_sample, strict=True):
                        writer.add_message(number, time, message, time)
        writer.finish()  # type: ignore[no-untyped-call]
        buffer.flush()
        buffer.detach()


class _MessageTemplate:
    """Serializes the messages of a channel.

    Args:
        message: A message with the indices of columns in the place of their numbers, and :data:`_TIMESTAMP` for the time.
    """

    def __init__(self, message: _Message) -> None:
        order: list[int] = []
        text = orjson.dumps(_with_placeholders(message, order)).decode()
        self._template = NumberTemplate(text.replace(_ESCAPED_PLACEHOLDER, PLACEHOLDER), order)

    def messages(self, rows: Array) -> Iterator[bytes]:
        """Yield the message of each sample, shape (samples, columns)."""
        stamps = [orjson.dumps(_timestamp(time)) for time in rows[:, 0].tolist()]
        for stamp, text in zip(stamps, self._template.fill_rows(rows), strict=True):
            yield text.replace(_ESCAPED_TIMESTAMP, stamp)


_TIMESTAMP = "\1"
_ESCAPED_TIMESTAMP, _ESCAPED_PLACEHOLDER = orjson.dumps(_TIMESTAMP), orjson.dumps(PLACEHOLDER).decode()


def _with_placeholders(content: Any, order: list[int]) -> Any:
    """Return the content of a message with placeholders for the indices of columns, which are appended to a list."""
    if isinstance(content, dict):
        return {key: _with_placeholders(value, order) for key, value in content.items()}
    if isinstance(content, list):
        return [_with_placeholders(value, order) for value in content]
    if isinstance(content, str):
        return content
    order.append(round(content))
    return PLACEHOLDER


def _channels(header: Header) -> list[tuple[str, str, _MessageTemplate]]:
    """Return topic, schema and template of each channel."""
    columns = header.columns
    models = dict.fromkeys(quantity.model for quantity in columns.quantities if quantity.group == JOINTS)
    joints = [(f"/{model}/joint_states", "ossature.JointStates", _joint_states(columns, model)) for model in models]
    messages = [("/tf", "foxglove.FrameTransforms", _transforms(columns)), *joints]
    others = Columns(tuple([one for one in columns.quantities if one.group not in (TIME, BODIES, JOINTS)]))
    if others.quantities:
        chosen = [number for one, part in columns.slices if one in others.quantities for number in range(part.start, part.stop)]
        messages.append(("/dynamics", "ossature.Dynamics", others.nested(np.array(chosen, dtype=float))))
    return [(topic, schema, _MessageTemplate(message)) for topic, schema, message in messages]


def _nanoseconds(time: float) -> int:
    return round(time * 1e9)


def _timestamp(time: float) -> _Message:
    seconds, nanoseconds = divmod(_nanoseconds(time), 1_000_000_000)
    return {"sec": seconds, "nsec": nanoseconds}


def _transforms(columns: Columns) -> _Message:
    places = {(one.model, one.name, one.field): part for one, part in columns.slices if one.group == BODIES}
    transforms = []
    for model, name in [(model, name) for model, name, field in places if field == "position"]:
        position, rotation = (places[model, name, field] for field in ("position", "wxyz"))
        x, y, z = range(position.start, position.stop)
        w, i, j, k = range(rotation.start, rotation.stop)
        transforms.append(
            {
                "timestamp": _TIMESTAMP,
                "parent_frame_id": "world",
                "child_frame_id": f"{model}/{name}",
                "translation": {"x": x, "y": y, "z": z},
                "rotation": {"x": i, "y": j, "z": k, "w": w},
            }
        )
    return {"transforms": transforms}


def _joint_states(columns: Columns, model: str) -> _Message:
    own = [(one, part) for one, part in columns.slices if one.group == JOINTS and one.model == model]
    positions = [(one.name, number) for one, part in own if one.field == "positions" for number in range(part.start, part.stop)]
    velocities = [number for one, part in own if one.field == "velocities" for number in range(part.start, part.stop)]
    names = [f"{name}[{number - _start(own, name)}]" if _width(own, name) > 1 else name for name, number in positions]
    numbers = [number for _, number in positions]
    return {"timestamp": _TIMESTAMP, "name": names, "position": numbers, "velocity": velocities}


def _start(own: list[tuple[Any, slice]], name: str) -> int:
    return next(int(part.start) for one, part in own if one.name == name and one.field == "positions")


def _width(own: list[tuple[Any, slice]], name: str) -> int:
    return next(int(one.count) for one, _ in own if one.name == name and one.field == "positions")
