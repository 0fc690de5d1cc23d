"""Mass properties of bodies, with the precedence that UsdPhysics documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ossature.assets import MeshStore
from ossature.formats.usd import rules
from ossature.formats.usd.read_materials import MaterialReader
from ossature.formats.usd.stage import Prim, Stage
from ossature.kinematics.inertia_inference import inertial_of_solids
from ossature.model import Collision, Inertial, Plane
from ossature.spatial import Matrix3, Vector3, matrix_from, rotated_tensor

DEFAULT_DENSITY = 1000.0
"""Density of shapes for which a stage states none [kg/m³]."""
_MASS_ATTRIBUTES = {f"physics:{name}" for name in ("mass", "density", "centerOfMass", "diagonalInertia", "principalAxes")}
_NO_TENSOR: Matrix3 = ((0.0, 0.0, 0.0),) * 3


@dataclass(slots=True)
class MassReader:
    """Reads the mass properties of bodies, and remembers which of them it computed from shapes."""

    stage: Stage
    materials: MaterialReader
    meshes: MeshStore
    computed: dict[str, None] = field(default_factory=dict)
    massless: dict[str, None] = field(default_factory=dict)

    def inertial(self, body: Prim, colliders: Sequence[tuple[Prim, Collision]]) -> Inertial:
        """Return the inertial of a body.

        Args:
            body: The prim of the body.
            colliders: Its shapes that collide, each with its prim, in the frame of the body.
        """
        mass = self._mass(body)
        center, tensor = self._center(body), self._tensor(body)
        for prim, _ in colliders:
            prim.used |= _MASS_ATTRIBUTES  # those of the body have precedence
        if mass is not None and center is not None and tensor is not None:
            return Inertial(mass=mass, center_of_mass=center, moment=tensor)
        inferred = self._of_shapes(body, colliders)
        if inferred is None:
            if mass is None:
                self.massless[body.path] = None
            return Inertial(
                mass=mass or 0.0, center_of_mass=center or (0.0, 0.0, 0.0), moment=tensor or (None if mass else _NO_TENSOR)
            )
        self.computed[body.path] = None
        if mass is None:
            mass = inferred.mass
        moment = tensor or _scaled(inferred.moment or _NO_TENSOR, mass / inferred.mass)
        return Inertial(mass=mass, center_of_mass=center or inferred.center_of_mass, moment=moment)

    def _mass(self, prim: Prim) -> float | None:
        """Return the mass that a prim states [kg], or None."""
        value = prim.finite("physics:mass", 0.0)
        if value < 0.0:
            self.stage.add(rules.INVALID_VALUE, f"the mass {value:g} of {prim.path} is negative: it is computed from shapes")
        return value * self.stage.mass if value > 0.0 else None

    def _center(self, body: Prim) -> Vector3 | None:
        x, y, z = body.vector("physics:centerOfMass", (-math.inf,) * 3)
        if not all(map(math.isfinite, (x, y, z))):
            return None
        _, scale, _ = body.rotation_and_scale
        a, b, c = (factor * self.stage.length for factor in scale)
        return a * x, b * y, c * z

    def _tensor(self, body: Prim) -> Matrix3 | None:
        full = body.numbers("newton:inertia")
        if len(full) == 6:
            xx, yy, zz, xy, xz, yz = (value * self.stage.torque for value in full)
            body.used |= {"physics:diagonalInertia", "physics:principalAxes"}
            return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
        if full:
            message = f"'newton:inertia' of {body.path} has {len(full)} numbers, not 6: it is ignored"
            self.stage.add(rules.INVALID_VALUE, message)
        x, y, z = (value * self.stage.torque for value in body.finite_vector("physics:diagonalInertia", (0.0, 0.0, 0.0)))
        axes = body.quaternion("physics:principalAxes")
        if x == y == z == 0.0:
            return None
        diagonal: Matrix3 = ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
        return diagonal if axes is None else rotated_tensor(diagonal, axes)

    def _of_shapes(self, body: Prim, colliders: Sequence[tuple[Prim, Collision]]) -> Inertial | None:
        """Return the inertial of the shapes of a body, or None if they have no volume."""
        solids = [(prim, shape) for prim, shape in colliders if not isinstance(shape.geometry, Plane)]
        whole = self._stated_density(body)
        parts = [part for prim, shape in solids if (part := self._of_shape(body, prim, shape, whole)) is not None]
        return _sum(parts)

    def _of_shape(self, body: Prim, prim: Prim, shape: Collision, body_density: float | None) -> Inertial | None:
        density = self._stated_density(prim) or body_density or self.materials.density(prim) or DEFAULT_DENSITY
        found, _ = inertial_of_solids([shape], [density], self.meshes)
        mass, center, tensor = self._mass(prim), self._center(prim), self._tensor(prim)
        if found is None:
            return None if mass is None else Inertial(mass=mass, center_of_mass=shape.pose.position, moment=_NO_TENSOR)
        if mass is not None:
            found = replace(found, mass=mass, moment=_scaled(found.moment or _NO_TENSOR, mass / found.mass))
        frame = body.pose.inverse() @ prim.pose
        if center is not None:
            found = replace(found, center_of_mass=frame.transform(center))
        return found if tensor is None else replace(found, moment=rotated_tensor(tensor, frame.wxyz))

    def _stated_density(self, prim: Prim) -> float | None:
        value = prim.finite("physics:density", 0.0)
        return value * self.stage.mass / self.stage.length**3 if value > 0.0 else None

    def report(self) -> None:
        """Report which bodies have a computed mass, centre of mass or inertia, and which have no mass."""
        found = list(self.computed)
        if found:
            message = f"the mass, centre of mass or inertia of {len(found)} bodies is computed from shapes: {_listed(found)}"
            self.stage.add(rules.COMPUTED_MASS, message, hint="state mass, centerOfMass and diagonalInertia")
        without = list(self.massless)
        if without:
            message = (
                f"{len(without)} bodies have neither a mass nor shapes with a volume: their mass is zero: {_listed(without)}"
            )
            self.stage.add(rules.COMPUTED_MASS, message, hint="state physics:mass and physics:diagonalInertia")


def _listed(paths: Sequence[str]) -> str:
    shown = [path.rpartition("/")[2] for path in paths[:5]]
    return ", ".join(shown) + (", …" if len(paths) > len(shown) else "")


def _scaled(tensor: Matrix3, factor: float) -> Matrix3:
    return matrix_from(factor * np.array(tensor))


def _sum(parts: Sequence[Inertial]) -> Inertial | None:
    mass = sum(part.mass for part in parts)
    if not 0.0 < mass < math.inf:
        return None
    center = np.sum([part.mass * np.array(part.center_of_mass) for part in parts], axis=0) / mass
    tensor = np.zeros((3, 3))
    for part in parts:
        d = np.array(part.center_of_mass) - center
        tensor += np.array(part.moment or _NO_TENSOR) + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    x, y, z = center.tolist()
    return Inertial(mass=mass, center_of_mass=(x, y, z), moment=matrix_from((tensor + tensor.T) / 2.0))
