"""Writer of bodies: prims with mass properties, shapes and sites."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ossature.diagnostics import Ledger
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.single_precision import SinglePrecision
from ossature.formats.usd.stage import SUBCOMPONENT
from ossature.formats.usd.usda_text import UsdPrim, numbers
from ossature.formats.usd.write_shapes import ShapeWriter
from ossature.kinematics.principal_inertia import is_diagonal, principal_inertia
from ossature.model import Body, Inertial, Plane
from ossature.model.unique_names import take_unique_name
from ossature.spatial import IDENTITY_WXYZ, Matrix3, Quaternion, Vector3, matrix_from, quaternion_from_matrix

SMALLEST_MASS = 1e-9
"""The mass of a body without mass whose shapes would give it one [kg]."""


class BodyWriter:
    """Writes bodies."""

    def __init__(self, shapes: ShapeWriter, ledger: Ledger) -> None:
        self._shapes, self._ledger = shapes, ledger
        self._single = SinglePrecision(ledger)

    def write(self, body: Body, prim: UsdPrim, path: str, *, is_static: bool) -> None:
        """Add the content of a body to its prim.

        Args:
            path: The path of the body.
            is_static: Whether it never moves, and is no rigid body.
        """
        prim.kind = SUBCOMPONENT
        if not is_static:
            prim.apply("PhysicsRigidBodyAPI")
            if body.mocap:
                prim.add("bool", "physics:kinematicEnabled", "1")
            if not body.gravity:
                prim.add("bool", "physxRigidBody:disableGravity", "1")
        self._write_inertial(body, prim, f"{path}.inertial", is_static=is_static)
        names = PrimNames(self._ledger)
        self._shapes.write(body, prim, names, path)
        self._write_frames(body, prim, names, path)

    # Mass

    def _write_inertial(self, body: Body, prim: UsdPrim, path: str, *, is_static: bool) -> None:
        inertial = body.inertial
        solids = [shape for shape in body.collisions if not isinstance(shape.geometry, Plane)]
        mass = inertial.mass
        if mass < 0.0:
            self._ledger.dropped(f"{path}.mass", "masses of OpenUSD are not negative: zero is written")
        if not mass > 0.0:
            if is_static or not solids:
                self._record_massless(inertial, path)
                return
            detail = f"a mass of zero is computed from shapes in OpenUSD: {SMALLEST_MASS:g} kg is written"
            self._ledger.approximated(f"{path}.mass", detail, error=SMALLEST_MASS)
            mass = SMALLEST_MASS
        prim.apply("PhysicsMassAPI")
        prim.add("float", "physics:mass", self._single.number(mass, f"{path}.mass"))
        center = self._single.vector(inertial.center_of_mass, f"{path}.center_of_mass")
        prim.add("point3f", "physics:centerOfMass", center)
        if inertial.moment is not None:
            self._write_moment(inertial.moment, prim)

    def _record_massless(self, inertial: Inertial, path: str) -> None:
        if any(inertial.center_of_mass):
            self._ledger.dropped(f"{path}.center_of_mass", "the body has no mass")
        if inertial.moment is not None and np.any(inertial.moment):
            self._ledger.dropped(f"{path}.moment", "the body has no mass")
        else:
            self._ledger.rewritten(f"{path}.moment", "the body has no mass")

    def _write_moment(self, moment: Matrix3, prim: UsdPrim) -> None:
        """Add a tensor with 64 bits, and its principal moments and axes with 32 bits for programs without Newton's schemas."""
        principal = _principal(moment)
        if principal is not None:
            moments, axes = principal
            texts = [self._single.unrecorded(value) for value in moments]
            prim.add("float3", "physics:diagonalInertia", f"({', '.join(texts)})")
            prim.add("quatf", "physics:principalAxes", self._single.rotation(axes, None))
        prim.apply("NewtonMassAPI")
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = moment
        prim.add("double[]", "newton:inertia", numbers((xx, yy, zz, xy, xz, yz)))

    # Sites

    def _write_frames(self, body: Body, prim: UsdPrim, names: PrimNames, path: str) -> None:
        taken: set[str] = set()
        for index, frame in enumerate(body.frames):
            own = f"{path}.frames[{index}]"
            label = take_unique_name(frame.name, taken)
            if label != frame.name:
                self._ledger.rewritten(f"{own}.name", "frames of a body have different names", after=label)
            name, shown = names.take(label, "site", own)
            site = prim.child("Xform", name, shown)
            site.apply("NewtonSiteAPI")
            site.place(frame.pose)


def _principal(moment: Matrix3) -> tuple[Sequence[float], Quaternion] | None:
    """Return principal moments and the rotation to their axes, or None if they are not finite."""
    if is_diagonal(moment):
        diagonal: Vector3 = (moment[0][0], moment[1][1], moment[2][2])
        return diagonal, IDENTITY_WXYZ
    found = principal_inertia(np.array(moment))
    if found is None:
        return None
    return found.moments, quaternion_from_matrix(matrix_from(found.axes))
