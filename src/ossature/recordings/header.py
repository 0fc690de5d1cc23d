"""The header of a recording: its columns, and the identity of its World."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from ossature.kinematics.state_frame_motions import frame_motions
from ossature.model import State
from ossature.model.fingerprint import Fingerprint
from ossature.recordings.sample_columns import Columns, columns_from_data
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The header of a recording.

    Attributes:
        columns: The meaning of each number of a sample.
        name: Name of the World.
        poses: Poses of models in the world, by model; links of other models are expressed in the world frame.
        fingerprint: Fingerprint of the World, or None.
        rotation_vectors: The joints, by model and name, whose first three coordinates are a rotation vector.
    """

    columns: Columns
    name: str = "world"
    poses: dict[str, Pose] = field(default_factory=dict)
    fingerprint: Fingerprint | None = None
    rotation_vectors: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, columns: Columns, first: State, rotation_vectors: Iterable[tuple[str, str]] = ()) -> Header:
        """Return the header of a recording with a given first state.

        Raises:
            FrameError: The frames of the state cannot be resolved.
        """
        frames = frame_motions(first)
        poses = {model.name: frames[model.name].pose for model in first.models}
        fingerprint = first.fingerprint
        return cls(
            columns=columns, name=first.name, poses=poses, fingerprint=fingerprint, rotation_vectors=frozenset(rotation_vectors)
        )

    def to_json(self) -> str:
        """Return the header as JSON."""
        fingerprint = self.fingerprint
        data = {
            "columns": self.columns.to_data(),
            "name": self.name,
            "poses": {model: [*pose.position, *pose.wxyz] for model, pose in self.poses.items()},
            "turns": sorted(map(list, self.rotation_vectors)),
            "fingerprint": None if fingerprint is None else [fingerprint.world, [list(pair) for pair in fingerprint.models]],
        }
        return json.dumps(data)


def header_from_json(text: str | bytes) -> Header:
    """Parse a header that :meth:`Header.to_json` returned.

    Raises:
        ValueError: It is not a header.
    """
    try:
        data = json.loads(text)
        poses = {model: _pose(list(map(float, numbers))) for model, numbers in data["poses"].items()}
        digests = data["fingerprint"]
        fingerprint = None
        if digests is not None:
            models = tuple([(str(name), str(digest)) for name, digest in digests[1]])
            fingerprint = Fingerprint(world=str(digests[0]), models=models)
        columns = columns_from_data(data["columns"])
        rotation_vectors = frozenset([(str(model), str(joint)) for model, joint in data.get("turns", ())])
        return Header(
            columns=columns, name=str(data["name"]), poses=poses, fingerprint=fingerprint, rotation_vectors=rotation_vectors
        )
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError("the header is not that of an Ossature recording") from error


def _pose(numbers: list[float]) -> Pose:
    x, y, z, w, i, j, k = numbers
    if not all(map(math.isfinite, numbers)):
        raise ValueError("the pose of a model in the header is not finite")
    return Pose((x, y, z), (w, i, j, k))
