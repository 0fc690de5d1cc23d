"""Compilation of mass and inertia to values that the engine accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import default_moment_of_inertia
from ossature.kinematics.principal_inertia import (
    ARITHMETIC_ROUNDING,
    INERTIA_ROUNDING,
    PrincipalInertia,
    is_diagonal,
    principal_inertia,
)
from ossature.kinematics.rules import (
    INERTIA_NOT_POSITIVE_DEFINITE,
    INERTIA_VIOLATES_TRIANGLE_INEQUALITY,
    INVALID_INERTIA_OF_FIXED_BODY,
)
from ossature.kinematics.soft_skin_inertia import inertial_with_skin
from ossature.model import Body, Mesh, TriangleMesh
from ossature.simulation.compile import rules
from ossature.simulation.compile.engine_constants import set_constants
from ossature.simulation.compile.engine_enumerations import SLIDE
from ossature.simulation.compile.engine_spec import SpecBody
from ossature.spatial import Matrix3, quaternion_from_matrix

INERTIA_HINT = "state masses and moments of inertia, or infer them from the shapes with --infer-inertia"
"""What to do about missing inertia."""
NEGLIGIBLE = 1e-14
"""Mass [kg] and moments of inertia [kg·m²]; the engine's compiler rejects less than 1e-15 for moving bodies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstitutedInertia:
    """An inertia that the engine's compiler rejects, but its equations support: it is set after compilation.

    Attributes:
        engine_body: The body, which has a substitute inertia until then.
        mass: Its mass [kg].
        moments: Its principal moments, about the axes of its inertial frame [kg·m²].
        has_own_joint: Whether it can move relative to its parent.
    """

    engine_body: SpecBody
    mass: float
    moments: Array
    has_own_joint: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownInertia:
    """The inertia of an engine body without findings, for the next compilation of a World with the same body.

    Attributes:
        body: The body of the model.
        attributes: Mass, moments, and position and orientation of the inertial frame, as in the engine's specification.
    """

    body: Body
    attributes: tuple[float, Sequence[float], Sequence[float] | None, Sequence[float]]

    @classmethod
    def of(cls, engine_body: SpecBody, body: Body) -> KnownInertia:
        """Return that of an engine body, which is complete."""
        return cls(body=body, attributes=(engine_body.mass, engine_body.inertia, engine_body.ipos, engine_body.iquat))

    def set_in(self, engine_body: SpecBody) -> None:
        """Set it in an engine body."""
        engine_body.explicitinertial = True
        engine_body.mass, engine_body.inertia, engine_body.ipos, engine_body.iquat = self.attributes


def set_inertia(
    engine_body: SpecBody,
    body: Body,
    path: str,
    meshes: MeshStore,
    report: Report,
    *,
    has_own_joint: bool,
    share: float = 1.0,
    with_skin: bool = True,
) -> SubstitutedInertia | None:
    """Set the mass and inertia of an engine body, or a share of them.

    Args:
        path: Its path in the World, for findings.
        meshes: The store of meshes, for moments that the file does not specify.
        has_own_joint: Whether it can move relative to its parent. Otherwise invalid parts of its inertia are omitted, with a
            warning instead of an error.
        with_skin: Whether the points of its soft skin are fixed to it.

    Returns:
        The inertia to set after compilation, or None.
    """
    simulated = inertial_with_skin(
        body if with_skin else replace(body, soft_skin=None), _moment_of_inertia(body, path, meshes, report)
    )
    mass, moment = simulated.mass, np.array(simulated.moment)
    inertia = principal_inertia(moment)
    problem = _inertia_problem(mass, inertia)
    if inertia is not None and inertia.is_negative and problem is None and has_own_joint:
        message = f"{path}: simulated with the specified principal moments {inertia.text}"
        report.add(INERTIA_NOT_POSITIVE_DEFINITE, message, body.origin, path=path)
    elif inertia is not None and inertia.is_negative and problem is None:
        problem = f"a principal moment of inertia is {inertia.moments[0]:g} kg·m²"
    if problem is not None and has_own_joint:
        report.add(rules.NONPHYSICAL_INERTIA, f"{path}: {problem}", body.origin, path=path)
        return None
    if problem is not None or inertia is None:
        message = f"{path}: the body is fixed and simulated without its {_invalid_quantities(mass)}: {problem}"
        report.add(INVALID_INERTIA_OF_FIXED_BODY, message, body.origin, path=path)
        mass, moment = (mass if _is_valid_mass(mass) else 0.0), np.zeros((3, 3))
        inertia = PrincipalInertia(moments=(0.0, 0.0, 0.0), axes=np.eye(3))
    if inertia.violates_triangle and not inertia.is_negative:
        message = f"{path}: simulated with the specified principal moments {inertia.text}"
        report.add(INERTIA_VIOLATES_TRIANGLE_INEQUALITY, message, body.origin, path=path)
    engine_body.ipos = simulated.center_of_mass
    substituted = _set_principal_inertia(engine_body, share * mass, share * moment, inertia, share)
    return None if substituted is None else replace(substituted, has_own_joint=has_own_joint)


def set_negligible_inertia(engine_body: SpecBody) -> None:
    """Set the mass and inertia of a massless engine body to negligible values that the engine accepts."""
    engine_body.explicitinertial = True
    engine_body.mass = NEGLIGIBLE
    engine_body.inertia = (NEGLIGIBLE, NEGLIGIBLE, NEGLIGIBLE)


def _moment_of_inertia(body: Body, path: str, meshes: MeshStore, report: Report) -> Matrix3:
    try:
        return default_moment_of_inertia(body, meshes)
    except AssetError as error:
        report.add(
            rules.MISSING_INERTIA_MESH,
            f"{path}: the mesh for its moment of inertia is unavailable: {error}",
            body.origin,
            path=path,
            hint=error.hint,
        )
    return default_moment_of_inertia(_without_meshes(body), meshes)


def _without_meshes(body: Body) -> Body:
    visuals = tuple(shape for shape in body.visuals if not isinstance(shape.geometry, Mesh | TriangleMesh))
    collisions = tuple(shape for shape in body.collisions if not isinstance(shape.geometry, Mesh | TriangleMesh))
    return replace(body, visuals=visuals, collisions=collisions)


def _is_valid_mass(mass: float) -> bool:
    return mass >= 0.0 and bool(np.isfinite(mass))


def _invalid_quantities(mass: float) -> str:
    return "moments of inertia" if _is_valid_mass(mass) else "mass and moments of inertia"


def _inertia_problem(mass: float, inertia: PrincipalInertia | None) -> str | None:
    if not _is_valid_mass(mass):
        return f"the mass is {mass:g} kg"
    return "the moment of inertia is not finite" if inertia is None else None


def _set_principal_inertia(
    engine_body: SpecBody, mass: float, moment: Array, inertia: PrincipalInertia, share: float
) -> SubstitutedInertia | None:
    engine_body.explicitinertial = True
    rows: list[list[float]] = moment.tolist()
    if is_diagonal(rows):
        moments = [row[axis] for axis, row in enumerate(rows)]
    else:
        # The engine's computation of principal axes ignores products of inertia below 1e-12 kg·m².
        first, second, third = inertia.axes.tolist()
        engine_body.iquat = quaternion_from_matrix((tuple(first), tuple(second), tuple(third)))
        moments = [share * value for value in inertia.moments]
    # Moments that are negative within rounding are zero; larger ones are simulated, if each joint moves a positive inertia.
    size = max(map(abs, moments))
    moments = [0.0 if -INERTIA_ROUNDING * size <= value <= ARITHMETIC_ROUNDING * size else value for value in moments]
    if _is_accepted_by_compiler(mass, moments):
        engine_body.mass, engine_body.inertia = mass, tuple(moments)
        return None
    engine_body.mass = max(mass, NEGLIGIBLE)
    engine_body.inertia = (max(*moments, NEGLIGIBLE),) * 3
    return SubstitutedInertia(engine_body=engine_body, mass=mass, moments=np.array(moments))


def _is_accepted_by_compiler(mass: float, moments: Sequence[float]) -> bool:
    smallest, middle, largest = sorted(moments)
    return mass >= NEGLIGIBLE and smallest >= NEGLIGIBLE and largest <= smallest + middle


def set_substituted(model: mujoco.MjModel, substituted: Sequence[SubstitutedInertia]) -> None:
    """Set the inertias that the engine's compiler rejects in its compiled model."""
    for inertia in substituted:
        number = inertia.engine_body.id
        # The engine refuses a sliding body without any mass; with this one it is reported as motion without inertia.
        slides = (model.jnt_type[model.jnt_bodyid == number] == SLIDE).any()
        model.body_mass[number] = max(inertia.mass, _LEAST_SLIDING_MASS) if slides else inertia.mass
        model.body_inertia[inertia.engine_body.id] = inertia.moments
    set_constants(model)


_LEAST_SLIDING_MASS = 1e-300


def give_extent(model: mujoco.MjModel, substituted: Sequence[SubstitutedInertia]) -> list[SubstitutedInertia]:
    """Set a negligible moment of line masses about their own axis; return those that were changed."""
    lines = [one for one in substituted if one.has_own_joint and one.moments.min() == 0.0 < one.moments.max()]
    extended = [replace(one, moments=np.maximum(one.moments, max(EXTENT * one.moments.max(), _LEAST_EXTENT))) for one in lines]
    set_substituted(model, extended)
    return extended


EXTENT = 1e-9
"""Moment about its own axis of a line mass that a joint rotates about it, as a share of the largest moment."""
_LEAST_EXTENT = 2e-15
"""Lower bound of this moment [kg·m²]; see _LEAST_PIVOT."""


def export_inertia(substituted: SubstitutedInertia) -> bool:
    """Set the inertia of an exported file in the engine's specification; return whether a compiler must balance it."""
    moments = np.maximum(substituted.moments, NEGLIGIBLE)
    smallest, middle, largest = sorted(moments.tolist())
    rounding = INERTIA_ROUNDING * largest
    if 0.0 < largest - (smallest + middle) <= rounding:
        moments = np.minimum(moments, smallest + middle)
    substituted.engine_body.mass = max(substituted.mass, NEGLIGIBLE)
    substituted.engine_body.inertia = tuple(moments.tolist())
    return bool(largest - (smallest + middle) > rounding)
