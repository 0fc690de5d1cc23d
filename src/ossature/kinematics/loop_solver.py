"""Configurations of a mechanism whose loops are closed, and its independent coordinates."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.absolute_coordinates import require_finite
from ossature.kinematics.closed_loop_poses import CLOSED, LoopClosureError
from ossature.kinematics.coordinate_map import CoordinateMap, KinematicsError, joined_names
from ossature.kinematics.loop_constraints_in_tree_coordinates import LoopConstraints, independent_columns

CLOSED_ENOUGH = 1e-6
"""Largest residual of loops at which their Jacobian is used [rad, or characteristic lengths]."""

_STEP = 0.1
"""Largest change of a prescribed coordinate while loops are closed [rad, or characteristic lengths]."""
_MAX_STEPS = 400
_MAX_ITERATIONS = 30
_CONVERGED = 1e-14
_DEPENDENT = 1e-9
_EXCURSION = 0.05
_DIRECTIONS = 3
_SINGULAR = 1e-6
"""Relative size of singular values of scaled Jacobians below which they count as zero."""


class LoopSolver:
    """The loop equations of a model as functions of its configuration, and their solution."""

    def __init__(self, coordinates: CoordinateMap, constraints: LoopConstraints) -> None:
        """Prepare a model.

        Args:
            coordinates: Its configuration vector.
        """
        self.constraints = constraints
        self._map = coordinates
        self._scale = np.where(coordinates.angles, 1.0, constraints.length)  # changes of lengths in characteristic lengths
        self._independent: tuple[int, ...] | None = None

    def equations(self, q: Array) -> tuple[Array, Array]:
        """Return the residuals of the loops, and their Jacobian by the velocities, at one configuration."""
        x, frames, G = self._map.tree_state(q[None])
        residual, J = self.constraints.evaluate(x[0], self._map.tree.body_frames(frames)[:, 0], frames)
        return residual, J @ G[0]

    def independent_numbers(self) -> tuple[int, ...]:
        """Return the numbers of coordinates that determine all others if the loops are closed."""
        if self._independent is None:
            order = sorted(range(len(self._scale)), key=lambda number: self._map.priorities[number])
            self._independent = tuple(range(len(self._scale)))
            if not self.constraints.is_empty:
                chosen = [tuple(independent_columns(J * self._scale, order)) for J in self._generic_jacobians()]
                self._independent = min(chosen, key=len)
        return self._independent

    def _generic_jacobians(self) -> list[Array]:
        """Return the Jacobians at the initial configuration, where it may be singular, and at neighbouring ones."""
        start = self.assemble()
        found = [self.equations(start)[1]]
        generator = np.random.default_rng(0)
        for _ in range(_DIRECTIONS):
            _, sizes, rows = np.linalg.svd(found[0] * self._scale)
            basis = rows[int((sizes > _SINGULAR * max(sizes.max(initial=0.0), 1e-300)).sum()) :]
            if not len(basis):
                return found
            step = generator.normal(size=len(basis)) @ basis
            near = self._map.integrate(start[None], (_EXCURSION * self._scale * step / np.linalg.norm(step))[None])[0]
            try:
                found.append(self.equations(self._project(near))[1])
            except LoopClosureError:
                continue
        return found

    def assemble(self) -> Array:
        """Return the configuration with closed loops near the initial one.

        Raises:
            LoopClosureError: There is none.
        """
        return self._project(self._map.initial)

    def _project(self, q: Array, fixed: Sequence[int] = ()) -> Array:
        """Return the configuration with closed loops that Gauss-Newton steps of the other coordinates reach."""
        scale = self._scale.copy()
        scale[list(fixed)] = 0.0
        best, smallest = q, math.inf
        for _ in range(_MAX_ITERATIONS):
            residual, J = self.equations(q)
            size = float(np.abs(residual).max(initial=0.0))
            if size >= smallest and smallest < CLOSED:
                break
            if size < smallest:
                best, smallest = q, size
            if size < _CONVERGED:
                break
            change = scale * np.linalg.lstsq(require_finite(J * scale), require_finite(-residual), rcond=_DEPENDENT)[0]
            largest = float(np.abs(change / np.where(scale > 0.0, scale, 1.0)).max(initial=0.0))
            q = self._map.integrate(q[None], (change * min(1.0, 0.5 / largest if largest else 1.0))[None])[0]
        if not smallest < CLOSED:
            raise self._closure_error(self.equations(best)[0], smallest)
        return best

    def _closure_error(self, residual: Array, size: float) -> LoopClosureError:
        worst = self.constraints.names[int(np.abs(residual).argmax())]
        return LoopClosureError(self._map.model.name, worst, size, self.constraints.length)

    def close(self, target: Array, columns: Sequence[int], start: Array) -> Array:
        """Return the configuration with closed loops that steps of some coordinates reach from another one.

        Args:
            target: The values of these coordinates, shape (n,); its other coordinates are ignored.
            start: A configuration with closed loops, shape (n,).

        Raises:
            LoopClosureError: Loops cannot be closed.
        """
        chosen = list(columns)
        span = float(np.abs((target - start) / self._scale)[chosen].max(initial=0.0))
        q, steps = start, min(max(math.ceil(span / _STEP), 1), _MAX_STEPS)
        for number in range(1, steps + 1):
            q = q.copy()
            q[chosen] = (target if number == steps else start + number / steps * (target - start))[chosen]
            q = self._project(q, chosen)
        return q

    def basis(self, q: Array) -> Array:
        """Return the velocities of all coordinates for a unit velocity of each independent one, shape (n, m).

        Raises:
            LoopClosureError: Loops are not closed.
            KinematicsError: The independent coordinates do not determine the others.
        """
        independent = list(self.independent_numbers())
        residual, J = self.equations(q)
        size = float(np.abs(residual).max(initial=0.0))
        if size > CLOSED_ENOUGH:
            raise self._closure_error(residual, size)
        basis = np.zeros((len(q), len(independent)))
        basis[independent] = np.eye(len(independent))
        dependent = [column for column in range(len(q)) if column not in set(independent)]
        if not dependent:
            return basis
        scale = self._scale[dependent]
        scaled = J[:, dependent] * scale
        sizes = np.linalg.svd(scaled, compute_uv=False)
        if len(sizes) < len(dependent) or sizes[-1] < _SINGULAR * sizes[0]:
            names = joined_names([self._map.names[number] for number in independent])
            raise KinematicsError(f"the configuration is singular: {names} do not determine the other coordinates")
        basis[dependent] = -scale[:, None] * np.linalg.lstsq(scaled, J[:, independent], rcond=None)[0]
        return basis
