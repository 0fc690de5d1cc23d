"""A recording for playback: body poses and joint positions over time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import OssatureError, Report
from ossature.model import World
from ossature.recordings.read import open_recording
from ossature.recordings.sample_columns import BODIES, JOINTS, RecordedQuantity
from ossature.spatial import Pose, pose_from
from ossature.viewer.signal_history import SignalTable

if TYPE_CHECKING:
    from ossature.simulation import Recording

Poses: TypeAlias = Mapping[str, Mapping[str, Pose]]
Coordinates: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]


class PlaybackError(OssatureError):
    """A recording cannot be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackFrame:
    """The World at one instant.

    Attributes:
        time: The time [s].
        poses: Poses of bodies in the world, by model and body.
        positions: Joint positions by model and joint [rad or m].
    """

    time: float
    poses: Poses
    positions: Coordinates


@dataclass(frozen=True, slots=True)
class PlaybackRecording:
    """Frames in order of time.

    Attributes:
        signals: All recorded quantities over time, or None if they are not known.
    """

    frames: tuple[PlaybackFrame, ...]
    signals: SignalTable | None = None

    @property
    def duration(self) -> float:
        """The time from its first frame to its last one [s]."""
        return self.frames[-1].time - self.frames[0].time if self.frames else 0.0

    def fits(self, world: World) -> bool:
        """Whether a World has exactly the bodies and joints of the recording, except for static models such as a floor."""
        first = self.frames[0]
        static = {model.name for model in world.models if model.static}
        bodies = {model.name: set(model.bodies.names()) for model in world.models if not model.static}
        joints = {
            (model.name, joint.name): joint.degrees_of_freedom
            for model in world.models
            if not model.static
            for joint in model.joints
        }
        shown = {
            (model, name): len(values)
            for model, group in first.positions.items()
            if model not in static
            for name, values in group.items()
        }
        return {model: set(group) for model, group in first.poses.items() if model not in static} == bodies and shown == joints

    def at(self, time: float) -> PlaybackFrame:
        """Return the last frame not after a time since the start [s]."""
        return self.frames[self._number_at(time)]

    def time_beside(self, time: float, offset: int) -> float:
        """Return the time of the frame a number of frames after the one at a time, since the start [s]."""
        number = min(max(self._number_at(time) + offset, 0), len(self.frames) - 1)
        return self.frames[number].time - self.frames[0].time

    def _number_at(self, time: float) -> int:
        start = self.frames[0].time
        return max(bisect_right(self.frames, time + start + 1e-9, key=lambda frame: frame.time) - 1, 0)


def playback_of(recording: Recording) -> PlaybackRecording:
    """Return a recording of a simulation for playback."""
    columns, rows = recording.to_rows()
    frames = tuple(_frame_of_sample(recording, sample) for sample in range(len(recording.times)))
    return PlaybackRecording(frames, SignalTable(columns=columns, rows=rows))


def _frame_of_sample(recording: Recording, sample: int) -> PlaybackFrame:
    index = recording.index
    poses = {}
    for model, bodies in index.bodies.items():
        states = {body: recording.body(model, body, sample) for body in bodies}
        poses[model] = {body: pose_from(state.position, state.wxyz) for body, state in states.items()}
    positions = {
        model: {joint: recording.joint_positions(model, joint, sample) for joint in joints}
        for model, joints in index.joints.items()
    }
    return PlaybackFrame(time=float(recording.times[sample]), poses=poses, positions=positions)


def read_playback(path: Path, world: World, report: Report) -> PlaybackRecording:
    """Return a recording that ``ossature simulate --record`` wrote, in any of its formats.

    Args:
        world: The World that was recorded.
        report: Collects the findings.

    Raises:
        RecordingError: The file cannot be read, or is not a recording.
        PlaybackError: The recording has no samples or poses, or is one of another World.
    """
    file = open_recording(path, report)
    columns = file.header.columns
    rows = [row for block in file.rows() for row in block]
    frames = [_read_frame(path, columns.slices, row) for row in rows]
    if not frames:
        raise PlaybackError(f"{path}: the recording has no samples")
    fixed = {model.name: {joint.name: () for joint in model.joints if not joint.coordinates} for model in world.models}
    signals = SignalTable(columns=columns, rows=np.array(rows))
    clip = PlaybackRecording(tuple([_with_fixed_joints(frame, fixed) for frame in frames]), signals)
    _require_same_bodies(path, clip, world)
    return clip


def _read_frame(path: Path, columns: Sequence[tuple[RecordedQuantity, slice]], row: Array) -> PlaybackFrame:
    values: dict[str, dict[str, dict[str, dict[str, list[float]]]]] = {BODIES: {}, JOINTS: {}}
    for quantity, numbers in columns:
        if quantity.group in values and quantity.field in _SHOWN:
            fields = values[quantity.group].setdefault(quantity.model, {}).setdefault(quantity.name, {})
            fields[quantity.field] = row[numbers].tolist()
            if not all(map(math.isfinite, fields[quantity.field])):
                raise PlaybackError(f"{path}: the recording has no {quantity.field} of '{quantity.model}/{quantity.name}'")
    poses = {
        model: {body: pose_from(state["position"], state["wxyz"]) for body, state in bodies.items()}
        for model, bodies in values[BODIES].items()
    }
    positions = {
        model: {joint: state["positions"] for joint, state in joints.items()} for model, joints in values[JOINTS].items()
    }
    return PlaybackFrame(time=float(row[0]), poses=poses, positions=positions)


def _with_fixed_joints(frame: PlaybackFrame, fixed: Coordinates) -> PlaybackFrame:
    """Return a frame with the joints without coordinates, which tables have no columns for."""
    models = dict.fromkeys([*frame.positions, *(name for name, joints in fixed.items() if joints)])
    return replace(frame, positions={model: {**fixed.get(model, {}), **frame.positions.get(model, {})} for model in models})


_SHOWN = ("position", "wxyz", "positions")


def _require_same_bodies(path: Path, clip: PlaybackRecording, world: World) -> None:
    expected = {(model.name, body.name) for model in world.models for body in model.bodies}
    for frame in clip.frames:
        recorded = {(model, body) for model, bodies in frame.poses.items() for body in bodies}
        if recorded != expected:
            model, body = min(recorded ^ expected)
            raise PlaybackError(f"{path}: this is a recording of another file: body '{model}/{body}' is in only one of the two")
        for model, joints in frame.positions.items():
            for joint, values in joints.items():
                known = world.models[model].joints.get(joint)
                if known is None or len(values) != known.degrees_of_freedom:
                    raise PlaybackError(f"{path}: this is a recording of another file: joint '{model}/{joint}' differs")
