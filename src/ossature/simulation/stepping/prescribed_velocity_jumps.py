"""Jumps of prescribed velocities, which must not be extrapolated to the present time."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from ossature.array_types import BoolArray, IndexArray, Vector
from ossature.simulation.stepping.constraint_islands import find_dofs_in_islands
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.motor_and_load_inputs import MotorInput

_LEAST_CHANGE = 0.05
"""Smallest change of a velocity in a step that is examined [share of the larger velocity]."""
_WORSE = 4.0
"""By how much the error of an extrapolated velocity is larger than that of the last one after a jump; else it is smaller."""


class PrescribedVelocityJumps:
    """Finds what jumps with the velocities of motors that are functions of time."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, inputs: Inputs) -> None:
        self._model, self._data, self._inputs = model, data, inputs
        self._motors: Sequence[MotorInput] | None = None
        self._dofs: IndexArray = np.zeros(0, dtype=np.intp)

    def find(self, last: Vector, before: Vector) -> BoolArray | None:
        """Return the degrees of freedom of the mechanisms in which a motor's velocity jumped, or None if there is none.

        Args:
            last: The velocities in the middle of the last step.
            before: Those a step before.
        """
        if self._inputs.targeted_motors is not self._motors:
            self._select()
        if not self._dofs.size:
            return None
        now, then = last[self._dofs], before[self._dofs]
        has_changed = np.abs(now - then) > _LEAST_CHANGE * np.maximum(np.abs(now), np.abs(then))
        if not has_changed.any():
            return None
        jumping = [number for number in np.flatnonzero(has_changed).tolist() if self._jumps(number, now, then)]
        return self._connected(jumping) if jumping else None

    def _select(self) -> None:
        self._motors = self._inputs.targeted_motors
        driven = self._inputs.target_rows
        self._dofs = np.array(self._model.jnt_dofadr[self._model.eq_obj1id[driven]], dtype=np.intp)

    def _jumps(self, number: int, now: Vector, then: Vector) -> bool:
        """Whether the last velocity of a motor is much nearer to that of its function than the extrapolated one."""
        assert self._motors is not None  # noqa: S101  # selected by the caller
        motor, step = self._motors[number], float(self._model.opt.timestep)
        if motor.commanded_signal is not None:
            return False
        # Steps are counted from time zero, as those of the targets.
        rate = motor.built.sign * motor.rate(step * round(float(self._data.time) / step))
        extrapolated = 1.5 * now[number] - 0.5 * then[number]
        return bool(abs(extrapolated - rate) > _WORSE * abs(now[number] - rate))

    def _connected(self, jumping: Sequence[int]) -> BoolArray:
        data = self._data
        is_jumping = np.zeros(data.nefc, dtype=bool)
        is_jumping[: data.ne] = np.isin(data.efc_id[: data.ne], self._inputs.target_rows[jumping])
        return find_dofs_in_islands(self._model, data, is_jumping)
