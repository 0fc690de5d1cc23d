"""By how much integration errors of the rotations of ball joints and free bodies are larger than those of other coordinates.

A ball joint or a free body has its angular velocity in axes that spin with the body. There an error of the torque moves the
angular momentum, so that the error of precession is larger by the ratio of the largest moment of inertia to that about the axis
of rotation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from ossature.array_types import Int64Array, Vector
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation.compile.engine_enumerations import BALL, FREE
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.joint_inertia import compute_mass
from ossature.simulation.stepping.compiled_stepping_structs import Program, set_addresses, set_index_addresses

_FACTOR = 3.0
"""Ratio of the error of a rotation in axes that spin with the body to that of another coordinate: the gyroscopic torque of
steps that are not watched is evaluated with the extrapolated velocity. Measured on free bodies with random moments."""


class RotationErrorFactors:
    """The rotations of ball joints and free bodies, with the factors by which their errors are larger.

    Attributes:
        dofs: The engine's degrees of freedom of each of them, shape (n, 3).
        largest_factor: The largest factor that is possible.
    """

    def __init__(self, compiled: EngineModel) -> None:
        layout = compiled.shared_results.get(_find_rotations, compiled, None)
        self.dofs = layout.dofs
        self.largest_factor = 1.0
        self._moments: Vector = np.zeros((0, 3, 3))
        self._largest: Vector = np.zeros(0)
        if not len(self.dofs):
            return
        self._moments = _moments(compiled.model, layout)
        # Positions or masses near the largest numbers: such a state is an error of its own when the simulation starts.
        self._moments[~np.isfinite(self._moments).all(axis=(1, 2))] = np.eye(3)
        principal = np.linalg.eigvalsh(self._moments)
        self._largest = np.ascontiguousarray(principal[:, -1], dtype=np.float64)
        ratios = self._largest / np.maximum(principal[:, 0], 1e-12 * self._largest)
        self.largest_factor = _FACTOR * float(ratios.max())

    def describe(self, program: Program, kept: list[Any]) -> None:
        """Set what the compiled loop needs; the arrays of it are kept in a list."""
        kept += [self.dofs, self._moments, self._largest]
        program.rotation_count, program.rotation_factor = len(self.dofs), _FACTOR
        set_index_addresses(program, rotations=self.dofs)
        set_addresses(program, moments=self._moments, largest_moments=self._largest)

    def at(self, velocities: Vector) -> Vector:
        """Return the factor of each rotation at the present velocities, shape (n, 1)."""
        spins, m = velocities[self.dofs], self._moments
        # A product of matrices, and numpy's sum, add in an order of their own.
        momenta = m[:, :, 0] * spins[:, :1] + m[:, :, 1] * spins[:, 1:2] + m[:, :, 2] * spins[:, 2:]
        squares = _squares(spins)
        moments = np.sqrt(_squares(momenta) / np.where(squares > 0.0, squares, 1.0))
        is_spinning = moments > 0.0
        ratios = np.where(is_spinning, self._largest / np.where(is_spinning, moments, 1.0), 1.0)
        return np.asarray(_FACTOR * ratios[:, None])


class _Rotations(NamedTuple):
    """Where the rotations of ball joints and free bodies are in the engine's mass matrix.

    Attributes:
        dofs: The degrees of freedom of each rotation, shape (n, 3).
        inertias: The index of each number of its inertia tensor, shape (n, 3, 3); that of zero after the last number.
        couplings: The same for the numbers that couple it with translations.
        masses: The index of the mass that is translated, shape (n,); that of one after the zero for a ball joint.
    """

    dofs: Int64Array
    inertias: Int64Array
    couplings: Int64Array
    masses: Int64Array


def _find_rotations(compiled: EngineModel, _: None) -> _Rotations:
    model = compiled.model
    kinds = model.jnt_type
    joints = np.flatnonzero((kinds == FREE) | (kinds == BALL))
    first, is_free = model.jnt_dofadr[joints].astype(np.int64), kinds[joints] == FREE
    zero, one = len(model.M_colind), len(model.M_colind) + 1
    last = model.M_rowadr + model.M_rownnz - 1
    dofs = (first + 3 * is_free)[:, None] + np.arange(3)
    couplings = np.full((len(joints), 3, 3), zero)
    couplings[is_free] = _indices(model, dofs[is_free], first[is_free, None] + np.arange(3))
    return _Rotations(dofs, _indices(model, dofs, dofs), couplings, np.where(is_free, last[first], one))


def _indices(model: mujoco.MjModel, rows: Int64Array, columns: Int64Array) -> Int64Array:
    """Return where the numbers of blocks of the mass matrix are, whose rows end with those of the degrees of freedom before."""
    i, j = rows[:, :, None], columns[:, None, :]
    later, distance = np.maximum(i, j), abs(i - j)
    # The row of a degree of freedom of a simple body has only its diagonal.
    is_there = distance < model.M_rownnz[later]
    return np.where(is_there, model.M_rowadr[later] + model.M_rownnz[later] - 1 - distance, len(model.M_colind))


def _moments(model: mujoco.MjModel, layout: _Rotations) -> Vector:
    """Return the inertia tensor of each ball joint and free body, in its own axes, shape (n, 3, 3)."""
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        compute_mass(model, data)
        numbers = np.concatenate([data.M, [0.0, 1.0]])
    # The precession of a free body is about its centre of mass, which need not be the origin of its joint.
    couplings = numbers[layout.couplings]
    products = couplings @ couplings.transpose(0, 2, 1)
    return np.asarray(numbers[layout.inertias] - products / numbers[layout.masses][:, None, None])


def _squares(vectors: Vector) -> Vector:
    x, y, z = vectors.T
    return np.asarray(x * x + y * y + z * z)
