"""The acceleration of a model whose only constraints are equalities, without the engine's iterative solver.

The acceleration a minimises the engine's cost ½(a - a₀)ᵀM(a - a₀) + ½(Ja - r)ᵀD(Ja - r), with the unconstrained acceleration
a₀, the mass matrix M, and the Jacobian J, reference accelerations r and weights D of the constraints (MuJoCo's documentation,
Computation). Without inequalities and friction the cost is quadratic: a step of Newton's method, with the matrix M + JᵀDJ,
finds its minimum, and another one removes the rounding errors of the first. If these are large, the engine solves.

The compiled loop has the same functions; both give the same bits. Sums are therefore made term by term, and no zero has a sign,
because the compiled functions leave out products with zeros.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property

import mujoco
import numpy as np

from ossature.array_types import Matrix, Vector
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stepping.compiled_stepping_structs import Engine, EqualityProblem, set_addresses, set_index_addresses
from ossature.simulation.stepping.engine_memory_addresses import engine_access

_NEWTON_STEPS = 2
_LARGEST_CHANGE = 1e-6
"""Largest change of the acceleration in the last step, relative to it: a larger one is that of an ill-conditioned matrix."""
_MOST_ROWS = 6
"""Largest number of rows of an equality constraint of the engine."""


class EqualitySolver:
    """Takes the second half of the engine's step, if there are equality constraints only.

    Args:
        model: The engine's model; :func:`make_equality_solver` returns whether it is suitable.
        data: Its data.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data, self._size = model, data, model.nv
        self._acceleration, self._warmstart, self._constraint_force = data.qacc, data.qacc_warmstart, data.qfrc_constraint
        self._mass, self._smooth_force = data.M, data.qfrc_smooth
        self._mass_counts, self._mass_columns = model.M_rownnz.astype(np.int64), model.M_colind.astype(np.int64)
        self._most_rows = _MOST_ROWS * model.neq
        self._numbers = np.empty(model.nv * (model.nv + 1 + self._most_rows))
        self._indices = np.empty(self._most_rows * (model.nv + 1) + 1, dtype=np.int64)

    def _solve(self) -> bool:
        """Compute the acceleration, whose smooth forces are known; return whether it is found."""
        if self._compiled is None:
            return self._solve_in_python()
        solve, address = self._compiled
        return bool(solve(address))

    @cached_property
    def _compiled(self) -> tuple[Callable[[int], bool], int] | None:
        """The compiled function and the address of its argument, or None if there is none."""
        access = engine_access()
        if isinstance(access, str):
            return None
        self._engine = access.bind(self._model, self._data)
        self._problem = self.describe(self._engine)
        return access.loop.solve_equalities, ctypes.addressof(self._problem)

    def describe(self, engine: Engine) -> EqualityProblem:
        """Return the structure of the compiled loop, for an engine; both and the solver must be kept."""
        size, most_rows, numbers, indices = self._size, self._most_rows, self._numbers, self._indices
        problem = EqualityProblem(engine=ctypes.addressof(engine), nv=size, most_rows=most_rows)
        set_index_addresses(problem, mass_counts=self._mass_counts, mass_columns=self._mass_columns)
        set_addresses(problem, mass=self._mass, smooth_force=self._smooth_force, acceleration=self._acceleration)
        set_addresses(problem, warmstart=self._warmstart, constraint_force=self._constraint_force)
        set_addresses(problem, hessian=numbers, residual=numbers[size * size :], values=numbers[size * (size + 1) :])
        set_index_addresses(problem, value_starts=indices, value_columns=indices[most_rows + 1 :])
        return problem

    def take_second_half(self) -> bool:
        """Take the second half of the engine's step; return False, before it, if the engine must take it."""
        model, data = self._model, self._data
        if not data.ne or data.nefc != data.ne:
            return False
        mujoco.mj_fwdActuation(model, data)
        mujoco.mj_fwdAcceleration(model, data)
        if not self._solve():
            return False
        mujoco.mj_checkAcc(model, data)
        mujoco.mj_Euler(model, data)
        return True

    def _solve_in_python(self) -> bool:
        data, acceleration = self._data, self._acceleration
        jacobian, weights, references = data.efc_J.reshape(-1, self._size), data.efc_D, data.efc_aref
        mass = self._compute_dense_mass()
        factors = _factorize(_compute_hessian(mass, jacobian, weights))
        if factors is None:
            return False
        acceleration[:] = self._warmstart
        for _ in range(_NEWTON_STEPS):
            forces = weights * _subtract_products(references, jacobian, acceleration)
            residual = _subtract_products(self._smooth_force, mass, acceleration)
            change = _solve_factorized(factors, _add_products(residual, jacobian, forces))
            acceleration += change
        if not np.abs(change).max() <= _LARGEST_CHANGE * np.abs(acceleration).max():
            return False
        data.efc_force[:] = weights * _subtract_products(references, jacobian, acceleration)
        self._constraint_force[:] = _add_products(np.zeros(self._size), jacobian, data.efc_force)
        self._warmstart[:] = acceleration
        return True

    def _compute_dense_mass(self) -> Matrix:
        mass, rows = np.zeros((self._size, self._size)), np.repeat(np.arange(self._size), self._mass_counts)
        mass[rows, self._mass_columns] = mass[self._mass_columns, rows] = self._mass
        return mass + 0.0


def _compute_hessian(mass: Matrix, jacobian: Matrix, weights: Vector) -> Matrix:
    hessian = mass.copy()
    for row, weight in zip(jacobian, weights, strict=True):
        hessian += np.outer(weight * row, row)
    return hessian


def _factorize(matrix: Matrix) -> Matrix | None:
    """Return a matrix with its factors L and D in the lower triangle, D on the diagonal; None if it is not positive."""
    for k in range(len(matrix)):
        pivot = matrix[k, k]
        if not pivot > 0.0:
            return None
        column = matrix[k + 1 :, k].copy()
        matrix[k + 1 :, k] /= pivot
        matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], column)
    return matrix


def _solve_factorized(factors: Matrix, right: Vector) -> Vector:
    x = right.copy()
    for k in range(len(x)):
        x[k + 1 :] -= factors[k + 1 :, k] * x[k]
    x /= np.diagonal(factors)
    for k in reversed(range(len(x))):
        x[:k] -= factors[k, :k] * x[k]
    return x


def _subtract_products(start: Vector, matrix: Matrix, vector: Vector) -> Vector:
    """Return a vector less a matrix times another one."""
    result = start + 0.0
    for column, value in zip(matrix.T, vector, strict=True):
        result -= column * value
    return result


def _add_products(start: Vector, matrix: Matrix, vector: Vector) -> Vector:
    """Return a vector plus a transposed matrix times another one."""
    result = start.copy()
    for row, value in zip(matrix, vector, strict=True):
        result += row * value
    return result


def take_second_half(solver: EqualitySolver | None, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Take the second half of the engine's step, with a solver if it applies."""
    if solver is None or not solver.take_second_half():
        mujoco.mj_step2(model, data)


def make_equality_solver(model: mujoco.MjModel, data: mujoco.MjData, scheme: Integrator) -> EqualitySolver | None:
    """Return a solver for the steps without contacts, limits and friction, or None if the engine must solve.

    The engine's own step computes sensors and energies, which the solver's does not.
    """
    needs_engine = model.sensor_type.size or model.opt.enableflags or mujoco.mj_isSparse(model)
    return EqualitySolver(model, data) if scheme is Integrator.CENTRED and model.neq and not needs_engine else None
