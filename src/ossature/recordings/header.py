"""What a recording says once: its columns, and the World that it is of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from ossature.kinematics.state_kinematics import frame_motions
from ossature.model import State
from ossature.model.fingerprint import Fingerprint
from ossature.recordings.sample_columns import Columns, columns_from_data
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a recording says once.

    Attributes:
        columns: What each number of a sample is.
        name: Name of the World.
        poses: The frames of models in the world, by model; where one is missing, links are stated in the world.
        fingerprint: What the World is known by, or None.
        turns: The joints, by model and name, whose first three coordinates are a rotation vector.
    """

    columns: Columns
    name: str = "world"
    poses: dict[str, Pose] = field(default_factory=dict)
    fingerprint: Fingerprint | None = None
    turns: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, columns: Columns, first: State, turns: Iterable[tuple[str, str]] = ()) -> Header:
        """Return the header of a recording that begins with a state.

        Raises:
            FrameError: The frames of the state cannot be resolved.
        """
        frames = frame_motions(first)
        poses = {model.name: frames[model.name].pose for model in first.models}
        fingerprint = first.fingerprint
        return cls(columns=columns, name=first.name, poses=poses, fingerprint=fingerprint, turns=frozenset(turns))

    def to_json(self) -> str:
        """Return it as JSON."""
        fingerprint = self.fingerprint
        data = {
            "columns": self.columns.to_data(),
            "name": self.name,
            "poses": {model: [*pose.position, *pose.wxyz] for model, pose in self.poses.items()},
            "turns": sorted(map(list, self.turns)),
            "fingerprint": None if fingerprint is None else [fingerprint.world, [list(pair) for pair in fingerprint.models]],
        }
        return json.dumps(data)


def header_from_json(text: str | bytes) -> Header:
    """Return the header that :meth:`Header.to_json` gave.

    Raises:
        ValueError: It is no such header.
    """
    try:
        data = json.loads(text)
        poses = {model: _pose(list(map(float, numbers))) for model, numbers in data["poses"].items()}
        stated = data["fingerprint"]
        fingerprint = None
        if stated is not None:
            models = tuple([(str(name), str(digest)) for name, digest in stated[1]])
            fingerprint = Fingerprint(world=str(stated[0]), models=models)
        columns = columns_from_data(data["columns"])
        turns = frozenset([(str(model), str(joint)) for model, joint in data.get("turns", ())])
        return Header(columns=columns, name=str(data["name"]), poses=poses, fingerprint=fingerprint, turns=turns)
    except (KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError("this is no header of a recording") from error


def _pose(numbers: list[float]) -> Pose:
    x, y, z, w, i, j, k = numbers
    return Pose((x, y, z), (w, i, j, k))
