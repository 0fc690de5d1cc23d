"""A recording for playback: body poses and joint positions over time."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ossature.diagnostics import OssatureError
from ossature.model import World
from ossature.spatial import Pose

if TYPE_CHECKING:
    from ossature.simulation import Recording

Poses: TypeAlias = Mapping[str, Mapping[str, Pose]]
Coordinates: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]

MAX_BYTES = 1 << 30
"""Size of a recording that is read at most."""


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
    """Frames in order of time."""

    frames: tuple[PlaybackFrame, ...]

    @property
    def duration(self) -> float:
        """The time from its first frame to its last one [s]."""
        return self.frames[-1].time - self.frames[0].time if self.frames else 0.0

    def fits(self, world: World) -> bool:
        """Whether a World has exactly the bodies and joints of the recording."""
        first = self.frames[0]
        bodies = {model.name: set(model.bodies.names()) for model in world.models}
        joints = {(model.name, joint.name): joint.degrees_of_freedom for model in world.models for joint in model.joints}
        shown = {(model, name): len(values) for model, group in first.positions.items() for name, values in group.items()}
        return {model: set(group) for model, group in first.poses.items()} == bodies and shown == joints

    def at(self, time: float) -> PlaybackFrame:
        """Return the last frame not after a time since the start [s]."""
        start = self.frames[0].time
        number = bisect_right(self.frames, time + start + 1e-9, key=lambda frame: frame.time)
        return self.frames[max(number - 1, 0)]


def playback_of(recording: Recording) -> PlaybackRecording:
    """Return a recording of a simulation for playback."""
    return PlaybackRecording(tuple(_frame_of_sample(recording, sample) for sample in range(len(recording.times))))


def _frame_of_sample(recording: Recording, sample: int) -> PlaybackFrame:
    index = recording.index
    poses = {}
    for model, bodies in index.bodies.items():
        states = {body: recording.body(model, body, sample) for body in bodies}
        poses[model] = {body: _make_pose(state.position, state.wxyz) for body, state in states.items()}
    positions = {
        model: {joint: recording.joint_positions(model, joint, sample) for joint in joints}
        for model, joints in index.joints.items()
    }
    return PlaybackFrame(time=float(recording.times[sample]), poses=poses, positions=positions)


def _make_pose(position: Sequence[float], wxyz: Sequence[float]) -> Pose:
    x, y, z = map(float, position)
    w, i, j, k = map(float, wxyz)
    return Pose((x, y, z), (w, i, j, k))


def read_playback(path: Path, world: World) -> PlaybackRecording:
    """Return the recording in a JSON file, as ``ossature simulate --record`` writes it.

    Args:
        path: The file.
        world: The World that was recorded.

    Raises:
        PlaybackError: The file cannot be read, is not a recording, or is one of another World.
    """
    if path.suffix.lower() != ".json":
        raise PlaybackError(f"{path}: unsupported recording format '{path.suffix}': use .json")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PlaybackError(f"{path}: the recording exceeds {MAX_BYTES >> 20} MiB")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise PlaybackError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, RecursionError) as error:
        raise PlaybackError(f"{path}: invalid JSON: {error}") from error
    try:
        clip = PlaybackRecording(
            tuple(sorted((_read_frame(sample) for sample in data["samples"]), key=lambda frame: frame.time))
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise PlaybackError(f"{path}: not a recording of ossature simulate --record") from error
    if not clip.frames:
        raise PlaybackError(f"{path}: the recording has no samples")
    _require_same_bodies(path, clip, world)
    return clip


def _read_frame(sample: dict[str, Any]) -> PlaybackFrame:
    poses = {
        model: {body: _make_pose(state["position"], state["wxyz"]) for body, state in bodies.items()}
        for model, bodies in sample["bodies"].items()
    }
    positions = {
        model: {joint: [float(value) for value in state["positions"]] for joint, state in joints.items()}
        for model, joints in sample.get("joints", {}).items()
    }
    return PlaybackFrame(time=float(sample["time"]), poses=poses, positions=positions)


def _require_same_bodies(path: Path, clip: PlaybackRecording, world: World) -> None:
    expected = {(model.name, body.name) for model in world.models for body in model.bodies}
    for frame in clip.frames:
        recorded = {(model, body) for model, bodies in frame.poses.items() for body in bodies}
        if recorded != expected:
            model, body = sorted(recorded ^ expected)[0]
            raise PlaybackError(f"{path}: this is a recording of another file: body '{model}/{body}' is in only one of the two")
        for model, joints in frame.positions.items():
            for joint, values in joints.items():
                known = world.models[model].joints.get(joint)
                if known is None or len(values) != known.degrees_of_freedom:
                    raise PlaybackError(f"{path}: this is a recording of another file: joint '{model}/{joint}' differs")
