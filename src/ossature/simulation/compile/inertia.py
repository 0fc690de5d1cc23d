"""Compilation of mass and inertia to values that the engine accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ossature.array_types import Array, Int64Array
from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Report
from ossature.formats.mjcf.engine import temporary_engine_data
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
from ossature.model import Body, Mesh, TriangleMesh
from ossature.simulation.compile import rules
from ossature.simulation.compile.engine_spec import EngineSpec, SpecBody
from ossature.simulation.engine_log_suppression import suppress_engine_warnings
from ossature.spatial import quaternion_from_matrix

INERTIA_HINT = "state masses and moments of inertia, or infer them from the shapes with --infer-inertia"
"""What to do about missing inertia."""
_SMALLEST = 1e-14
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


def set_inertia(
    engine_body: SpecBody, body: Body, path: str, meshes: MeshStore, report: Report, *, has_own_joint: bool, share: float = 1.0
) -> SubstitutedInertia | None:
    """Set the mass and inertia of an engine body, or a share of them.

    Args:
        path: Its path in the World, for findings.
        meshes: The store of meshes, for moments that the file does not specify.
        has_own_joint: Whether it can move relative to its parent. Otherwise invalid parts of its inertia are omitted, with a
            warning instead of an error.
        share: The share of its inertia.

    Returns:
        The inertia to set after compilation, or None.
    """
    mass, moment = body.inertial.mass, _moment_of_inertia(body, path, meshes, report)
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
    substituted = _set_principal_inertia(engine_body, body, share * mass, share * moment, inertia, share)
    return None if substituted is None else replace(substituted, has_own_joint=has_own_joint)


def set_negligible_inertia(engine_body: SpecBody) -> None:
    """Set the mass and inertia of a massless engine body to negligible values that the engine accepts."""
    engine_body.explicitinertial = True
    engine_body.mass = _SMALLEST
    engine_body.inertia = (_SMALLEST, _SMALLEST, _SMALLEST)


def _moment_of_inertia(body: Body, path: str, meshes: MeshStore, report: Report) -> Array:
    try:
        return np.array(default_moment_of_inertia(body, meshes))
    except AssetError as error:
        report.add(
            rules.MISSING_INERTIA_MESH,
            f"{path}: the mesh for its moment of inertia is unavailable: {error}",
            body.origin,
            path=path,
            hint=error.hint,
        )
    return np.array(default_moment_of_inertia(_without_meshes(body), meshes))


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
    engine_body: SpecBody, body: Body, mass: float, moment: Array, inertia: PrincipalInertia, share: float
) -> SubstitutedInertia | None:
    engine_body.explicitinertial = True
    engine_body.ipos = body.inertial.center_of_mass
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
    engine_body.mass = max(mass, _SMALLEST)
    engine_body.inertia = (max(*moments, _SMALLEST),) * 3
    return SubstitutedInertia(engine_body=engine_body, mass=mass, moments=np.array(moments))


def _is_accepted_by_compiler(mass: float, moments: Sequence[float]) -> bool:
    smallest, middle, largest = sorted(moments)
    return mass >= _SMALLEST and smallest >= _SMALLEST and largest <= smallest + middle


def set_substituted(model: mujoco.MjModel, substituted: Sequence[SubstitutedInertia]) -> None:
    """Set the inertias that the engine's compiler rejects in its compiled model."""
    for inertia in substituted:
        number = inertia.engine_body.id
        # The engine refuses a sliding body without any mass; with this one it is reported as motion without inertia.
        slides = (model.jnt_type[model.jnt_bodyid == number] == mujoco.mjtJoint.mjJNT_SLIDE).any()
        model.body_mass[number] = max(inertia.mass, _LEAST_SLIDING_MASS) if slides else inertia.mass
        model.body_inertia[inertia.engine_body.id] = inertia.moments
    set_constants(model)


_LEAST_SLIDING_MASS = 1e-300


def set_constants(model: mujoco.MjModel) -> None:
    """Compute the constants of an engine model that depend on its inertia."""
    # Line masses may make the mass matrix singular until they get an extent.
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        mujoco.mj_setConst(model, data)


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


@dataclass(frozen=True, slots=True)
class JointInertia:
    """The inertia that joints move, at joint positions zero.

    Attributes:
        massless: Coordinates that move no inertia, or too little for the engine's arithmetic.
        is_valid: Whether the mass matrix is finite and not indefinite.
        diagonal: Diagonal of the mass matrix [kg·m² or kg].
    """

    massless: Int64Array
    is_valid: bool
    diagonal: Array


def joint_inertia(model: mujoco.MjModel) -> JointInertia:
    """Return the inertia that the joints of an engine model move, with joints at zero.

    The engine's sparse factorization finds the kinematic trees whose mass matrix is singular; only those are analyzed further.
    """
    nothing = np.zeros(0, np.int64)
    columns, rows = model.M_colind, np.repeat(np.arange(model.nv), model.M_rownnz)
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        mujoco.mj_fwdPosition(model, data)
        mass = data.M.copy()
        diagonal = mass[model.M_rowadr + model.M_rownnz - 1]
        is_infinite = ~np.isfinite(mass)
        if is_infinite.any():
            return JointInertia(np.union1d(rows[is_infinite], columns[is_infinite]), False, diagonal)
        if (diagonal < _LEAST_PIVOT).any():
            return JointInertia(np.flatnonzero(diagonal < _LEAST_PIVOT), bool((diagonal > -_LEAST_PIVOT).all()), diagonal)
        # Scaled by its diagonal, so that the test of independence does not depend on units and sizes.
        scale = 1.0 / np.sqrt(diagonal)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = scale[rows] * mass * scale[columns]
        if not np.isfinite(scaled).all():  # above one, and so not positive definite
            return JointInertia(nothing, False, diagonal)
        singular = _nonpositive_pivots(model, data, scaled, -_SINGULAR_EIGENVALUE)
        trees = [np.flatnonzero(model.dof_treeid == tree) for tree in np.unique(model.dof_treeid[singular])]
        is_valid, massless = True, [nothing]
        for tree in trees:
            if len(tree) > _MOST_DENSE_COORDINATES:
                is_valid &= not np.isin(tree, _nonpositive_pivots(model, data, scaled, _INDEFINITE_EIGENVALUE)).any()
                massless.append(np.intersect1d(tree, singular))
                continue
            is_in_tree = model.dof_treeid[rows] == model.dof_treeid[tree[0]]
            matrix = np.zeros((len(tree), len(tree)))
            matrix[rows[is_in_tree] - tree[0], columns[is_in_tree] - tree[0]] = scaled[is_in_tree]
            values, vectors = np.linalg.eigh(matrix)  # which reads the lower triangle
            null_space = vectors[:, values < _SINGULAR_EIGENVALUE]
            massless.append(tree[np.linalg.norm(null_space, axis=1) > _NOTABLE_COMPONENT])
            is_valid &= bool(values[0] > -_INDEFINITE_EIGENVALUE)
    return JointInertia(np.concatenate(massless), is_valid, diagonal)


def _nonpositive_pivots(model: mujoco.MjModel, data: mujoco.MjData, matrix: Array, shift: float) -> Int64Array:
    """Return the coordinates at which the engine's factorization of a matrix plus a multiple of the identity breaks down.

    There are none if all eigenvalues of the sum are positive.

    Args:
        data: Its data, whose mass matrix is overwritten.
        matrix: A symmetric matrix of the sparsity pattern of the mass matrix.
        shift: The multiple.
    """
    diagonal = model.M_rowadr + model.M_rownnz - 1
    data.M[:] = matrix
    data.M[diagonal] += shift
    mujoco.mj_factorM(model, data)
    return np.flatnonzero(data.qLD[diagonal] <= _LEAST_PIVOT)


def joint_names(model: mujoco.MjModel, coordinates: Int64Array) -> list[str]:
    """Return the names of the engine joints of coordinates, for messages."""
    return sorted({_joint_name(model, int(model.dof_jntid[coordinate])) for coordinate in coordinates})


def add_armature(spec: EngineSpec, model: mujoco.MjModel, inertia: JointInertia) -> float | None:
    """Add an armature to joints that move no inertia; return the largest, or None if one of them is a free joint.

    The armature is :data:`ARMATURE` of the largest inertia of the coordinates of the same kind, rotations or translations. It
    is added to the specification too, from which files are exported.
    """
    kinds = model.jnt_type[model.dof_jntid]
    free, slide = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_SLIDE)
    if (kinds[inertia.massless] == free).any():
        return None
    largest = 0.0
    for joint in sorted({int(model.dof_jntid[coordinate]) for coordinate in inertia.massless}):
        is_slide = int(model.jnt_type[joint]) == slide
        alike = inertia.diagonal[((kinds == slide) == is_slide) & (kinds != free)]
        armature = ARMATURE * max(float(alike.max(initial=0.0)), _LEAST_REFERENCE)
        model.dof_armature[model.dof_jntid == joint] += armature
        next(one for one in spec.joints if one.id == joint).armature = model.dof_armature[model.jnt_dofadr[joint]]
        largest = max(largest, armature)
    return largest


ARMATURE = 1e-6
"""Armature of a joint that moves no inertia, as a fraction of the largest inertia that a joint of the same kind moves."""
_LEAST_REFERENCE = 1e-3
"""Least inertia to which the armature refers [kg·m² or kg]."""


_LEAST_PIVOT = 1e-15
"""The engine's smallest divisor (mjMINVAL)."""
_SINGULAR_EIGENVALUE = 1e-13
_INDEFINITE_EIGENVALUE = 1e-9
_NOTABLE_COMPONENT = 0.1
_MOST_DENSE_COORDINATES = 500
"""Coordinates of a kinematic tree up to which eigenvectors are computed, whose time grows with the cube; in larger trees the
pivots of the factorization select the joints that move no inertia."""


def _joint_name(model: mujoco.MjModel, joint: int) -> str:
    name = model.joint(joint).name
    return f"'{name}'" if name else f"free joint of '{model.body(model.jnt_bodyid[joint]).name}'"


def export_inertia(substituted: SubstitutedInertia) -> bool:
    """Set the inertia of an exported file in the engine's specification; return whether a compiler must balance it."""
    moments = np.maximum(substituted.moments, _SMALLEST)
    smallest, middle, largest = sorted(moments.tolist())
    rounding = INERTIA_ROUNDING * largest
    if 0.0 < largest - (smallest + middle) <= rounding:
        moments = np.minimum(moments, smallest + middle)
    substituted.engine_body.mass = max(substituted.mass, _SMALLEST)
    substituted.engine_body.inertia = tuple(moments.tolist())
    return bool(largest - (smallest + middle) > rounding)
