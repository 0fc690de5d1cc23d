"""Residuals of loops, and the constraint Jacobian, in all steps since the last sample of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.simulation.accuracy_results import MAX_LOOP_RESIDUAL
from ossature.simulation.compile.engine_enumerations import WELD
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.mechanism_layout import LOOP_EQUALITIES
from ossature.simulation.moving_extent import moving_extent
from ossature.simulation.stepping.compiled_stepping_structs import ResidualRows, set_addresses
from ossature.simulation.stepping.constraint_projection import equality_numbers

_MOST_NUMBERS_OF_JACOBIAN = 2048
"""Size of the constraint Jacobian up to which it is recorded in each step."""


class LoopRecorder:
    """Records the constraint rows of the engine that close loops.

    Args:
        capacity: The number of steps that can be recorded between two samples.

    Attributes:
        extent: The extent of the bodies that can move [m].
        has_rows: Whether there are loops.
        rows: The rows that integrators fill.
        record: Records the last step.
        largest_residual: The largest one in the steps before the last call of :meth:`largest_relative_residual` [m or rad].
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, capacity: int) -> None:
        model = compiled.model
        self._data = data
        self.extent = moving_extent(compiled, data)
        layout = compiled.shared_results.get(_find_loop_layout, compiled, equality_numbers(data))
        self.has_rows, self._numbers = layout.has_rows, layout.numbers
        self._first, self._past = layout.first, layout.first + len(layout.numbers)
        self._bounds = np.where(layout.are_lengths, MAX_LOOP_RESIDUAL * self.extent, layout.other_bounds)
        self.largest_residual = 0.0
        columns, size = self._past - self._first, data.ne * model.nv if self.has_rows and not mujoco.mj_isSparse(model) else 0
        size = size if size <= _MOST_NUMBERS_OF_JACOBIAN else 0
        self._residuals, self._jacobians = np.empty((capacity, columns)), np.empty((capacity, size))
        self.rows = ResidualRows(
            capacity=capacity, columns=columns, first_column=self._first, equalities=data.ne, jacobian_size=size
        )
        set_addresses(self.rows, residuals=self._residuals, jacobians=self._jacobians)
        self.record = self._make_recorder()

    @property
    def jacobians(self) -> Vector:
        """The Jacobians of the recorded steps, shape (steps, size); none if they are not recorded."""
        return self._jacobians[: int(self.rows.count) if self._jacobians.shape[1] else 0]

    def _make_recorder(self) -> Callable[[], None]:
        """Return a function that records the residuals of the last step; a closure, because it is called in every step."""
        data, residuals, rows, columns = self._data, self._residuals, self.rows, slice(self._first, self._past)
        jacobians, size, equalities = self._jacobians, self._jacobians.shape[1], int(self.rows.equalities)
        capacity = int(rows.capacity)

        def record() -> None:
            count, present = rows.count, data.efc_pos[columns]
            if count < capacity:
                # In a state that has diverged, the engine has no constraints.
                residuals[count] = present if present.size == residuals.shape[1] else np.nan
                if size:
                    jacobians[count] = data.efc_J[:size] if data.ne == equalities else np.nan
                rows.count = count + 1

        return record

    def violations(self, number: int) -> Vector:
        """Return the violations of all equality constraints in a recorded step; those of constraints outside loops are zero."""
        found = np.zeros(int(self.rows.equalities))
        found[self._first : self._past] = self._residuals[number]
        return found

    def largest_relative_residual(self) -> tuple[float, float, int, int] | None:
        """Return the residual that is largest relative to its bound in all steps since the last call.

        Returns:
            The residual [m or rad], its ratio to the bound, the index of the constraint, and the number of steps since then.
        """
        count, self.rows.count = int(self.rows.count), 0
        if not count or self._past == self._first:
            return None
        residuals = np.abs(self._residuals[:count])
        self.largest_residual = float(residuals.max())
        if math.isnan(self.largest_residual):  # in a step that diverged
            residuals[np.isnan(residuals)] = 0.0
            self.largest_residual = float(residuals.max())
        ratios = residuals / self._bounds
        step, row = divmod(int(ratios.argmax()), ratios.shape[1])
        return float(residuals[step, row]), float(ratios[step, row]), self._numbers[row], count - 1 - step


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoopLayout:
    """The rows of constraints that close loops, and those between them.

    Attributes:
        has_rows: Whether there are loops.
        first: The first row.
        numbers: The index of the engine's equality constraint of each row.
        are_lengths: Which residuals are lengths of loops.
        other_bounds: The bound of each other residual: an angle [rad], or infinity for rows of couplings and motors.
    """

    has_rows: bool
    first: int
    numbers: Sequence[int]
    are_lengths: BoolArray
    other_bounds: Vector


def _find_loop_layout(compiled: EngineModel, numbers: tuple[int, ...]) -> _LoopLayout:
    """Return the layout of the rows that close loops.

    Args:
        numbers: The engine's equality constraint of each row.
    """
    model = compiled.model
    couplings = {coupling.equality.id for coupling in compiled.couplings}
    # Islands that sleep have no rows.
    can_sleep = bool(model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_SLEEP))
    candidates = [] if can_sleep else [number for number in range(model.neq) if number not in couplings]
    closing = {number for number in candidates if model.eq_type[number] in LOOP_EQUALITIES}
    rows = [row for row, number in enumerate(numbers) if number in closing]
    first, past = (rows[0], rows[-1] + 1) if rows else (0, 0)
    are_rotations, seen = [], Counter[int]()
    for number in numbers[first:past]:
        are_rotations.append(bool(model.eq_type[number] == WELD) and seen[number] >= 3)
        seen[number] += 1
    is_closing = np.isin(numbers[first:past], list(closing))
    return _LoopLayout(
        has_rows=bool(closing),
        first=first,
        numbers=numbers[first:past],
        are_lengths=is_closing & ~np.array(are_rotations, dtype=bool),
        other_bounds=np.where(is_closing, MAX_LOOP_RESIDUAL, np.inf),
    )
