"""Mass and inertia as the engine accepts them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import moment_of
from ossature.model import Body, Mesh, TriangleMesh
from ossature.simulation import rules
from ossature.spatial import quaternion_from_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlikelyInertia:
    """Principal moments that no distribution of mass has, and with which a body moves nevertheless as its file says.

    Attributes:
        engine_body: The body.
        principal_moments: About the axes of its inertial frame [kg·m²].
    """

    engine_body: Any
    principal_moments: NDArray[np.float64]


def place_inertia(
    engine_body: Any, body: Body, path: str, meshes: MeshStore, report: Report, share: float = 1.0
) -> UnlikelyInertia | None:
    """Give an engine body its mass and inertia, or a share of them.

    Errors go to the report where they are impossible. Moments that only no distribution of mass has are returned: the
    engine's compiler refuses them, and has to be given them afterwards.
    """
    moment = _moment(body, path, meshes, report)
    problem = _problem(body.inertial.mass, moment)
    if problem is not None:
        report.add(rules.IMPOSSIBLE_INERTIA, f"{path}: {problem}", body.origin, path=path)
        return None
    engine_body.explicitinertial = True
    engine_body.mass = share * body.inertial.mass
    engine_body.ipos = body.inertial.center_of_mass
    unlikely = _unlikely(moment)
    if unlikely is None:
        _place_moment(engine_body, share * moment)
        return None
    report.add(rules.UNLIKELY_INERTIA, f"{path}: {unlikely}", body.origin, path=path)
    return _place_principal_moments(engine_body, share * moment)


def place_trace_of_mass(engine_body: Any) -> None:
    """Give an engine body that has no mass hardly more than the engine asks for, which changes nothing that can be measured."""
    engine_body.explicitinertial = True
    engine_body.mass = _TRACE
    engine_body.inertia = (_TRACE, _TRACE, _TRACE)


_TRACE = 1e-14
"""Mass [kg] and moments of inertia [kg·m²]; the engine refuses less than 1e-15 of moving bodies."""


def _moment(body: Body, path: str, meshes: MeshStore, report: Report) -> NDArray[np.float64]:
    try:
        return np.array(moment_of(body, meshes))
    except AssetError as error:
        report.add(
            rules.MOMENT_WITHOUT_MESH,
            f"{path}: the moment of inertia should come from a mesh that cannot be had: {error}",
            body.origin,
            path=path,
            hint=error.hint,
        )
    return np.array(moment_of(_without_meshes(body), meshes))


def _without_meshes(body: Body) -> Body:
    visuals = tuple(shape for shape in body.visuals if not isinstance(shape.geometry, Mesh | TriangleMesh))
    collisions = tuple(shape for shape in body.collisions if not isinstance(shape.geometry, Mesh | TriangleMesh))
    return replace(body, visuals=visuals, collisions=collisions)


def _problem(mass: float, moment: NDArray[np.float64]) -> str | None:
    if not mass > 0.0 or not np.isfinite(mass):
        return f"the mass is {mass:g} kg"
    if not np.isfinite(moment).all():
        return "the moment of inertia is not finite"
    smallest = np.linalg.eigvalsh(moment)[0]
    return f"a principal moment of inertia is {smallest:g} kg·m²" if smallest <= 0.0 else None


def _unlikely(moment: NDArray[np.float64]) -> str | None:
    smallest, middle, largest = np.linalg.eigvalsh(moment)
    if largest <= (smallest + middle) * (1.0 + _ROUNDING):
        return None
    return f"the largest principal moment {largest:g} exceeds the sum of the others, {smallest + middle:g} kg·m²"


def _place_principal_moments(engine_body: Any, moment: NDArray[np.float64]) -> UnlikelyInertia:
    principal, axes = np.linalg.eigh(moment)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    first, second, third = axes.tolist()
    engine_body.iquat = quaternion_from_matrix((tuple(first), tuple(second), tuple(third)))
    engine_body.inertia = principal
    return UnlikelyInertia(engine_body=engine_body, principal_moments=principal)


def _place_moment(engine_body: Any, moment: NDArray[np.float64]) -> None:
    off_diagonal = (moment[0, 1], moment[0, 2], moment[1, 2])
    if not any(off_diagonal):
        smallest, middle, largest = sorted(np.diag(moment))
        # A thin rod or plate has its largest moment equal to the sum of the others, and rounding may lift it above.
        engine_body.inertia = np.minimum(np.diag(moment), smallest + middle) if largest > smallest + middle else np.diag(moment)
        return
    engine_body.fullinertia = (*np.diag(moment), *off_diagonal)
