"""Context of the writer: poses in the global frame, names of bodies, and the ledger."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ossature.diagnostics.ledger import Ledger
from ossature.model import Model
from ossature.spatial import Pose, Quaternion, Vector3, rotate

_SAME = 1e-12

GROUND = "ground"
"""Name of the fixed body that represents the world, if a model requires one."""


@dataclass(slots=True)
class ChronoWriteContext:
    """A model being written.

    Attributes:
        names: Name in the file of each of its bodies.
        ground: Name of the fixed body that represents the world.
        ledger: Receives the entries.
        uses_ground: Whether an element is attached to the world.
    """

    model: Model
    names: dict[str, str]
    ground: str
    ledger: Ledger
    uses_ground: bool = False

    def pose_in_global_frame(self, body: str | None) -> Pose:
        """Return a body's pose in the global frame; that of the model frame for the world."""
        return self.model.pose if body is None else self.model.pose @ self.model.bodies[body].pose

    def point(self, body: str | None, point: Vector3) -> Vector3:
        """Return a point of a body in the global frame."""
        return self.pose_in_global_frame(body).transform(point)

    def direction(self, body: str | None, direction: Vector3) -> Vector3:
        """Return a direction of a body in the global frame."""
        return rotate(self.pose_in_global_frame(body).wxyz, direction)

    def name(self, body: str | None, path: str) -> str:
        """Return the name of a body in the file; the path is that of the field that refers to it."""
        if body is None:
            self.uses_ground = True
            self.ledger.rewritten(path, f"the fixed body '{self.ground}' represents the world")
            return self.ground
        return self.names[body]

    def path(self, name: str) -> str:
        """Return the path of an element of the model."""
        return f"{self.model.name}/{name}"


def is_same_rotation(a: Quaternion, b: Quaternion) -> bool:
    """Whether two unit quaternions are the same rotation to rounding, in each of their components."""
    sign = math.copysign(1.0, sum(p * q for p, q in zip(a, b, strict=True)))
    return all(abs(p - sign * q) < _SAME for p, q in zip(a, b, strict=True))
