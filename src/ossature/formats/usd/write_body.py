"""Writer of bodies: prims with mass properties, shapes and sites."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ossature.diagnostics import Ledger
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.read_bodies import MUJOCO_SITE
from ossature.formats.usd.single_precision import DETAIL, RADIANS, ROUNDING, SinglePrecision, rounded_pose
from ossature.formats.usd.stage import SUBCOMPONENT
from ossature.formats.usd.usda_text import UsdPrim, single
from ossature.formats.usd.write_shapes import SITE_SHAPES, ShapeWriter, type_of
from ossature.kinematics.principal_inertia import is_diagonal, principal_inertia
from ossature.model import Body, Inertial, Plane
from ossature.model.unique_names import take_unique_name
from ossature.spatial import (
    IDENTITY_WXYZ,
    Matrix3,
    Pose,
    Quaternion,
    Vector3,
    matrix_from,
    quaternion_from_matrix,
    rotate,
    rotated_tensor,
)

SMALLEST_MOMENT = 1e-12
"""The moments of inertia of a body with mass that has none [kg·m²]."""
SMALLEST_MASS = 1e-9
"""The mass of a body without mass whose shapes would give it one [kg]."""


class BodyWriter:
    """Writes bodies.

    Attributes:
        frames: The paths of sites, by body and name.

    Of the tensors only principal moments and axes are written: MuJoCo refuses a body that states a full tensor too.
    """

    def __init__(self, shapes: ShapeWriter, ledger: Ledger) -> None:
        self.frames: dict[tuple[str, str], str] = {}
        self._shapes, self._ledger = shapes, ledger
        self._single = SinglePrecision(ledger)

    def write(self, body: Body, prim: UsdPrim, path: str, *, is_static: bool) -> None:
        """Add the content of a body to its prim.

        Args:
            body: The body at its initial pose.
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
            self._write_velocities(body, prim, path)
        self._write_inertial(body, prim, f"{path}.inertial", is_static=is_static)
        names = PrimNames(self._ledger)
        self._shapes.write(body, prim, names, path)
        self._write_frames(body, prim, names, path)

    def _write_velocities(self, body: Body, prim: UsdPrim, path: str) -> None:
        """Add initial velocities, in axes of the prim that contains the body."""
        linear, angular = body.initial_velocity, body.initial_angular_velocity_body
        if any(linear):
            prim.add("vector3f", "physics:velocity", self._single.vector(linear, f"{path}.initial_velocity"))
        if any(angular):
            own = f"{path}.initial_angular_velocity_body"
            self._ledger.approximated(own, "turned to the axes of the model, and " + DETAIL)
            turning = self._single.vector(rotate(body.pose.wxyz, angular), own, RADIANS)
            prim.add("vector3f", "physics:angularVelocity", turning)

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
            self._write_moment(inertial.moment, prim, f"{path}.moment")

    def _record_massless(self, inertial: Inertial, path: str) -> None:
        if any(inertial.center_of_mass):
            self._ledger.dropped(f"{path}.center_of_mass", "the body has no mass")
        if inertial.moment is not None and np.any(inertial.moment):
            self._ledger.dropped(f"{path}.moment", "the body has no mass")
        else:
            self._ledger.rewritten(f"{path}.moment", "the body has no mass")

    def _write_moment(self, moment: Matrix3, prim: UsdPrim, path: str) -> None:
        """Add the principal moments and axes of a tensor."""
        if not np.any(moment):
            detail = f"moments of inertia of zero are computed from shapes in OpenUSD: {SMALLEST_MOMENT:g} kg·m² are written"
            self._ledger.approximated(path, detail, error=SMALLEST_MOMENT)
            moment = matrix_from(np.eye(3) * SMALLEST_MOMENT)
        principal = _principal(moment)
        if principal is None:
            self._ledger.dropped(path, "the inertia is not finite")
            return
        moments, axes = principal
        prim.add("float3", "physics:diagonalInertia", self._single.unrecorded_vector(moments))
        prim.add("quatf", "physics:principalAxes", self._single.rotation(axes, None))
        self._record_tensor(moment, moments, axes, path)

    def _record_tensor(self, moment: Matrix3, moments: Sequence[float], axes: Quaternion, path: str) -> None:
        """Record the rounding of a tensor, which is relative to its largest entry."""
        x, y, z = (float(single(value)) for value in moments)
        rounded = rounded_pose(Pose(wxyz=axes)).wxyz
        written = rotated_tensor(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), rounded)
        error = float(np.abs(np.subtract(written, moment)).max())
        if error > ROUNDING * float(np.abs(moment).max()):
            self._ledger.approximated(path, DETAIL, error=error)

    # Sites

    def _write_frames(self, body: Body, prim: UsdPrim, names: PrimNames, path: str) -> None:
        taken: set[str] = set()
        for index, frame in enumerate(body.frames):
            own = f"{path}.frames[{index}]"
            label = take_unique_name(frame.name, taken)
            if label != frame.name:
                self._ledger.rewritten(f"{own}.name", "frames of a body have different names", after=label)
            name, shown = names.take(label, "site", own)
            geometry = frame.geometry or MUJOCO_SITE  # MuJoCo reads only sites that are gprims
            if not isinstance(geometry, SITE_SHAPES):
                self._ledger.dropped(
                    f"{own}.geometry", "sites of OpenUSD are boxes, spheres, ellipsoids, cylinders or capsules"
                )
                geometry = MUJOCO_SITE
            site = prim.child(type_of(geometry), name, shown)
            self.frames[body.name, frame.name] = site.path
            site.apply("MjcSiteAPI", "NewtonSiteAPI")
            site.add("uniform token", "purpose", '"guide"')
            self._shapes.write_solid(site, geometry, frame.pose)


def _principal(moment: Matrix3) -> tuple[Sequence[float], Quaternion] | None:
    """Return principal moments and the rotation to their axes, or None if they are not finite."""
    if is_diagonal(moment):
        diagonal: Vector3 = (moment[0][0], moment[1][1], moment[2][2])
        return diagonal, IDENTITY_WXYZ
    found = principal_inertia(np.array(moment))
    if found is None:
        return None
    return found.moments, quaternion_from_matrix(matrix_from(found.axes))
