"""The inertia that joints move, and an armature for joints that move none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from ossature.array_types import Array, BoolArray, Int64Array
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation.compile.engine_enumerations import FREE
from ossature.simulation.compile.engine_spec import EngineSpec
from ossature.simulation.constraint_jacobian import dense_jacobian

_FREE_JOINT = "free joint of"
"""Start of the name of the joint of a floating base, which has none in the file."""


@dataclass(frozen=True, slots=True)
class JointInertia:
    """The inertia that joints move, at joint positions zero.

    Attributes:
        massless: Coordinates that move no inertia, or too little for the engine's arithmetic.
        is_valid: Whether the mass matrix is finite and not indefinite.
        diagonal: Diagonal of the mass matrix [kg·m² or kg].
        motions: Orthonormal velocities that move no inertia, of coordinates times the square root of their diagonal, shape
            (coordinates, velocities); None if they were not computed.
    """

    massless: Int64Array
    is_valid: bool
    diagonal: Array
    motions: Array | None = None


def joint_inertia(model: mujoco.MjModel) -> JointInertia:
    """Return the inertia that the joints of an engine model move, with joints at zero.

    The engine's sparse factorization finds the kinematic trees whose mass matrix is singular; only those are analyzed further.
    """
    nothing = np.zeros(0, np.int64)
    columns, rows = model.M_colind, np.repeat(np.arange(model.nv), model.M_rownnz)
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        compute_mass(model, data)
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
        if not singular.size:
            return JointInertia(nothing, True, diagonal)
        trees = [np.flatnonzero(model.dof_treeid == tree) for tree in np.unique(model.dof_treeid[singular])]
        is_valid, massless, motions = True, [nothing], []
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
            massless.append(tree[_notable_rows(null_space)])
            motions.append(np.zeros((model.nv, null_space.shape[1])))
            motions[-1][tree] = null_space
            is_valid &= bool(values[0] > -_INDEFINITE_EIGENVALUE)
    is_computed = len(motions) == len(trees)
    return JointInertia(np.concatenate(massless), is_valid, diagonal, np.hstack(motions) if is_computed else None)


def free_joint_inertia(model: mujoco.MjModel) -> JointInertia:
    """Return the inertia that joints move if equality constraints may determine the motion of massless links.

    A coordinate without inertia is determined by the others if equality constraints connect them, and moves none only if the
    mass matrix is also singular for the motions that satisfy the constraints. Of a floating base whose motion can be that of
    its joints too, only the latter are listed: inertia that they get makes the motion of both unique.
    """
    inertia = joint_inertia(model)
    if not inertia.is_valid or not inertia.massless.size:
        return inertia
    massless = inertia.massless
    if model.neq and inertia.motions is not None:
        massless = _undetermined_coordinates(model, 1.0 / np.sqrt(inertia.diagonal), inertia.motions)
    is_free = model.jnt_type[model.dof_jntid[massless]] == FREE
    return replace(inertia, massless=massless if is_free.all() else massless[~is_free])


def _undetermined_coordinates(model: mujoco.MjModel, scale: Array, motions: Array) -> Int64Array:
    """Return the coordinates that move in motions without inertia that also satisfy the equality constraints."""
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        mujoco.mj_fwdPosition(model, data)
        jacobian = dense_jacobian(model, data)[: data.ne] * scale
    satisfying = motions @ _null_space(jacobian @ motions, _DEPENDENT * float(np.linalg.norm(jacobian)))
    return np.flatnonzero(_notable_rows(satisfying))


def _notable_rows(motions: Array) -> BoolArray:
    return np.asarray(np.linalg.norm(motions, axis=1) > _NOTABLE_COMPONENT)


def _null_space(matrix: Array, tolerance: float) -> Array:
    """Return an orthonormal basis of the vectors that a matrix of many rows maps to less than a tolerance."""
    _, values, rows = np.linalg.svd(np.linalg.qr(matrix, mode="r"))
    return np.asarray(rows[np.count_nonzero(values > tolerance) :].T)


def compute_mass(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Compute the engine's mass matrix at the present positions, without constraints and collisions."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_tendon(model, data)
    mujoco.mj_makeM(model, data)


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


def has_floating_base(names: Iterable[str]) -> bool:
    """Whether the joint of a floating base is among the names of :func:`joint_names`."""
    return any(name.startswith(_FREE_JOINT) for name in names)


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


_DEPENDENT = 1e-9
"""Rate of a constraint that a motion satisfies, relative to the norm of the Jacobian."""


_INDEFINITE_EIGENVALUE = 1e-9


_NOTABLE_COMPONENT = 0.1


_MOST_DENSE_COORDINATES = 500
"""Coordinates of a kinematic tree up to which eigenvectors are computed, whose time grows with the cube; in larger trees the
pivots of the factorization select the joints that move no inertia."""


def _joint_name(model: mujoco.MjModel, joint: int) -> str:
    name = model.joint(joint).name
    return f"'{name}'" if name else f"{_FREE_JOINT} '{model.body(model.jnt_bodyid[joint]).name}'"
