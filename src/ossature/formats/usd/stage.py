"""A stage as plain data: its prims with the values that its layers state, in SI units where they are poses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import Location, Report
from ossature.formats.usd import rules
from ossature.spatial import IDENTITY, Pose, Quaternion, Vector3, matrix_from, normalized, quaternion_from_matrix, vector_from

UPRIGHT = {
    "Z": np.eye(3),
    "Y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "X": np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
}
"""The rotation of a stage that lets its up axis be z."""


COMPONENT = "component"
"""The kind of a prim that is a model: it contains no other model."""
SUBCOMPONENT = "subcomponent"
"""The kind of a prim that is a part of a model."""


class InvalidSizeError(Exception):
    """A shape has a length that is not positive: the name of the attribute, and the length."""


@dataclass(slots=True, eq=False)
class Prim:
    """A prim of a stage.

    Attributes:
        path: Its path.
        name: Its name for people: that of its display if it has one.
        type: Its type, empty if it has none.
        apis: The schemas that are applied to it.
        parent: The prim that contains it, or None for one at the root.
        attributes: The values that the stage states.
        relationships: The paths that relationships name.
        linear: The linear part of the transform to the world, after the rotation of the stage, shape (3, 3).
        position: Its origin in the world [m].
        resets_transform: Whether its transform is relative to the world.
        facts: What the library computes of it.
        used: The names of the attributes and relationships that a reader has asked for.
    """

    path: str
    name: str
    type: str
    apis: tuple[str, ...]
    parent: Prim | None
    attributes: Mapping[str, Any]
    relationships: Mapping[str, Sequence[str]]
    linear: Array
    position: Array
    facts: Mapping[str, Any]
    stage: Stage
    used: set[str] = field(default_factory=set)

    @property
    def is_component(self) -> bool:
        """Whether it is a model of OpenUSD that contains no other model."""
        return self.facts.get("kind") == COMPONENT

    def has(self, api: str) -> bool:
        """Whether a schema is applied to it, with any instance name."""
        return any(one == api or one.startswith(f"{api}:") for one in self.apis)

    def targets(self, name: str) -> Sequence[str]:
        """Return the paths that a relationship names."""
        self.used.add(name)
        return self.relationships.get(name, ())

    def raw(self, name: str) -> Any:
        """Return the value of an attribute, or None if the stage states none."""
        self.used.add(name)
        return self.attributes.get(name)

    def number(self, name: str, default: float) -> float:
        """Return a number, which may be infinite, or its default."""
        value = self.raw(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            self._refuse(name, "no number", default)
            return default
        return float(value)

    def finite(self, name: str, default: float) -> float:
        """Return a finite number, or its default."""
        value = self.number(name, default)
        if math.isinf(value) and not math.isinf(default):
            self._refuse(name, "infinite", default)
            return default
        return value

    def size(self, name: str, default: float) -> float:
        """Return a positive length in units of the stage.

        Raises:
            InvalidSizeError: It is not positive.
        """
        value = self.finite(name, default)
        if value <= 0.0:
            raise InvalidSizeError(name, value)
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Return a truth value."""
        value = self.raw(name)
        return bool(value) if isinstance(value, bool | int) else default

    def token(self, name: str, default: str) -> str:
        """Return a word."""
        value = self.raw(name)
        return value if isinstance(value, str) else default

    def vector(self, name: str, default: Vector3) -> Vector3:
        """Return three numbers, which may be infinite."""
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, list) or len(value) != 3 or not all(isinstance(part, int | float) for part in value):
            self._refuse(name, "no vector", default)
            return default
        if any(math.isnan(part) for part in value):
            self._refuse(name, "not a number", default)
            return default
        return vector_from(value)

    def finite_vector(self, name: str, default: Vector3) -> Vector3:
        """Return three finite numbers."""
        value = self.vector(name, default)
        if not all(map(math.isfinite, value)):
            self._refuse(name, "not finite", default)
            return default
        return value

    def quaternion(self, name: str) -> Quaternion | None:
        """Return a unit quaternion, or None if none is stated or all its numbers are zero."""
        value = self.raw(name)
        if value is None:
            return None
        is_valid = isinstance(value, list) and len(value) == 4 and all(isinstance(part, int | float) for part in value)
        if not is_valid or not all(map(math.isfinite, value)):
            self._refuse(name, "no rotation", "none")
            return None
        if not any(value):
            return None
        w, x, y, z = map(float, value)
        return normalized((w, x, y, z))

    def numbers(self, name: str) -> tuple[float, ...]:
        """Return a list of finite numbers, empty if none is stated."""
        value = self.raw(name)
        if isinstance(value, np.ndarray):
            value = value.ravel().tolist()
        if value is None or not isinstance(value, list):
            return ()
        if not all(isinstance(part, int | float) and math.isfinite(part) for part in value):
            self._refuse(name, "not finite", "none")
            return ()
        return tuple(map(float, value))

    def array(self, name: str) -> Array | None:
        """Return an array of numbers, or None."""
        value = self.raw(name)
        if isinstance(value, list):
            value = np.array(value) if value else None
        return value if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" else None

    def _refuse(self, name: str, problem: str, used: object) -> None:
        shown = f"using {used}" if used != "none" else "it is ignored"
        self.stage.add(rules.INVALID_VALUE, f"'{name}' of {self.path} is {problem}: {shown}")

    @property
    def pose(self) -> Pose:
        """Its frame in the world, without scale."""
        return Pose(vector_from(self.position), self.rotation_and_scale[0])

    @property
    def rotation_and_scale(self) -> tuple[Quaternion, Vector3, bool]:
        """Its rotation, its scale, negative along one axis for a mirror, and whether both describe its transform exactly."""
        lengths = np.linalg.norm(self.linear, axis=0)
        if not lengths.all():
            return IDENTITY.wxyz, vector_from(lengths), False
        axes = self.linear / lengths
        is_orthogonal = bool(np.allclose(axes.T @ axes, np.eye(3), atol=1e-6))
        if not is_orthogonal:
            left, _, right = np.linalg.svd(self.linear)
            axes = left @ right
        if np.linalg.det(axes) < 0.0:
            axes[:, 0] *= -1.0
            lengths[0] *= -1.0
        return quaternion_from_matrix(matrix_from(axes)), vector_from(lengths), is_orthogonal

    def ancestors(self) -> Iterator[Prim]:
        """Yield itself and the prims that contain it, outwards."""
        prim: Prim | None = self
        while prim is not None:
            yield prim
            prim = prim.parent


@dataclass(slots=True, eq=False)
class Stage:
    """A composed stage.

    Attributes:
        prims: Its active prims, by path, in the order of the stage.
        length: Metres in a unit of length [m].
        mass: Kilograms in a unit of mass [kg].
        up: The axis that points upwards: ``X``, ``Y`` or ``Z``.
        default_prim: The path of the prim that other stages refer to, or None.
        location: The location of all findings.
        report: Receives findings.
        owners: The rigid body to which each prim belongs, by path, as far as it was asked for.
    """

    length: float
    mass: float
    up: str
    default_prim: str | None
    location: Location
    report: Report
    prims: dict[str, Prim] = field(default_factory=dict)
    owners: dict[str, Prim | None] = field(default_factory=dict)

    def add(self, rule: Any, message: str, hint: str | None = None) -> None:
        """Report a finding about the stage."""
        self.report.add(rule, message, self.location, hint=hint)

    @property
    def articulation_roots(self) -> list[Prim]:
        """The prims that are roots of articulations."""
        return [prim for prim in self.prims.values() if prim.has("PhysicsArticulationRootAPI")]

    @property
    def mujoco_angle(self) -> float:
        """Radians in a unit of the angles of MuJoCo's schemas, which a scene states."""
        words = [prim.token("mjc:compiler:angle", "degree") for prim in self.prims.values() if prim.type == "PhysicsScene"]
        return 1.0 if words[:1] == ["radian"] else math.pi / 180.0

    @property
    def rotation(self) -> Array:
        """The rotation that lets the up axis be z."""
        return UPRIGHT.get(self.up, UPRIGHT["Z"])

    @property
    def force(self) -> float:
        """Newtons in a unit of force."""
        return self.mass * self.length

    @property
    def torque(self) -> float:
        """Newton metres in a unit of torque; also kg·m² in a unit of inertia."""
        return self.mass * self.length**2
