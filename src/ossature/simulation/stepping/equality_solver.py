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
import itertools
from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import mujoco
import numpy as np

from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.stepping.compiled_stepping_structs import Engine, EqualityProblem, set_addresses, set_index_addresses
from ossature.simulation.stepping.engine_memory_addresses import engine_access

_Rows: TypeAlias = "list[list[tuple[int, float]]]"
"""The columns and values of the entries of each row that are not zero."""

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
        data, smooth, a = self._data, self._smooth_force.tolist(), self._warmstart.tolist()
        jacobian = [[(i, value) for i, value in enumerate(row) if value] for row in data.efc_J.reshape(-1, self._size).tolist()]
        weights, references = data.efc_D.tolist(), data.efc_aref.tolist()
        mass = self._rows_of_mass()
        factors = _factorize(_compute_hessian(mass, jacobian, weights))
        if factors is None:
            return False
        for _ in range(_NEWTON_STEPS):
            forces = _compute_constraint_forces(jacobian, weights, references, a)
            change = _compute_residual(mass, smooth, a)
            _add_constraint_forces(change, jacobian, forces)
            _solve_factorized(factors, change)
            a = [value + other for value, other in zip(a, change, strict=True)]
        bound = _LARGEST_CHANGE * max(map(abs, a))
        if not all(abs(value) <= bound for value in change):  # also if a number is not finite
            return False
        forces, generalized = _compute_constraint_forces(jacobian, weights, references, a), [0.0] * self._size
        _add_constraint_forces(generalized, jacobian, forces)
        data.efc_force[:], self._constraint_force[:] = forces, generalized
        self._acceleration[:] = self._warmstart[:] = a
        return True

    def _rows_of_mass(self) -> _Rows:
        """Return the rows of the lower triangle of the mass matrix."""
        entries = zip(self._mass_columns.tolist(), (self._mass + 0.0).tolist(), strict=True)
        return [list(itertools.islice(entries, count)) for count in self._mass_counts.tolist()]


# Plain numbers: for small matrices operations of numpy take several times as long.


def _compute_hessian(mass: _Rows, jacobian: _Rows, weights: list[float]) -> list[list[float]]:
    """Return the lower triangle of M + JᵀDJ; numbers above it are zero."""
    hessian = [[0.0] * len(mass) for _ in mass]
    for row, entries in zip(hessian, mass, strict=True):
        for j, value in entries:
            row[j] = value
    for entries, weight in zip(jacobian, weights, strict=True):
        for number, (i, value) in enumerate(entries):
            row, weighted = hessian[i], weight * value
            for j, other in entries[: number + 1]:
                row[j] += weighted * other
    return hessian


def _factorize(matrix: list[list[float]]) -> list[list[float]] | None:
    """Return a matrix with its factors L and D in the lower triangle, D on the diagonal; None if it is not positive."""
    for k, pivots in enumerate(matrix):
        pivot = pivots[k]
        if not pivot > 0.0:
            return None
        column = [row[k] for row in matrix]
        for i in range(k + 1, len(matrix)):
            row = matrix[i]
            row[k] = ratio = column[i] / pivot
            if ratio:
                for j in range(k + 1, i + 1):
                    row[j] -= ratio * column[j]
    return matrix


def _solve_factorized(factors: list[list[float]], x: list[float]) -> None:
    """Replace the right side of equations by their solution."""
    size = len(x)
    for i, row in enumerate(factors):
        for k in range(i):
            x[i] -= row[k] * x[k]
    for i in range(size):
        x[i] /= factors[i][i]
    for i in reversed(range(size)):
        for k in range(size - 1, i, -1):
            x[i] -= factors[k][i] * x[k]


def _compute_constraint_forces(jacobian: _Rows, weights: list[float], references: list[float], a: list[float]) -> list[float]:
    forces = []
    for entries, weight, reference in zip(jacobian, weights, references, strict=True):
        difference = reference + 0.0
        for j, value in entries:
            difference -= value * a[j]
        forces.append(weight * difference)
    return forces


def _add_constraint_forces(total: list[float], jacobian: _Rows, forces: list[float]) -> None:
    """Add the generalized forces of the constraints to numbers."""
    for entries, force in zip(jacobian, forces, strict=True):
        for i, value in entries:
            total[i] += value * force


def _compute_residual(mass: _Rows, smooth: list[float], a: list[float]) -> list[float]:
    """Return the smooth forces less those of the mass."""
    residual = [value + 0.0 for value in smooth]
    for i, entries in enumerate(mass):
        for j, value in entries:
            residual[i] -= value * a[j]
            if j < i:
                residual[j] -= value * a[i]
    return residual


def take_second_half(solver: EqualitySolver | None, model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Take the second half of the engine's step, with a solver if it applies."""
    if solver is None or not solver.take_second_half():
        mujoco.mj_step2(model, data)


def make_equality_solver(model: mujoco.MjModel, data: mujoco.MjData, integrator: Integrator) -> EqualitySolver | None:
    """Return a solver for the steps without contacts, limits and friction, or None if the engine must solve.

    The engine's own step computes sensors and energies, which the solver's does not.
    """
    needs_engine = model.sensor_type.size or model.opt.enableflags or mujoco.mj_isSparse(model)
    return EqualitySolver(model, data) if integrator is Integrator.CENTRED and model.neq and not needs_engine else None
