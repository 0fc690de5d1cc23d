"""Closed loops that are moved by hand: one joint is put somewhere, and the others follow so that everything stays closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import derived_positions, read_positions, write_positions
from ossature.simulation.compile.equality_constraints import find_equalities
from ossature.simulation.engine_warnings import suppress_engine_warnings
from ossature.simulation.simulation import Simulation
from ossature.simulation.stepping.constraint_projection import equality_rows
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CLOSED = 1e-9
_NEARLY_CLOSED = 1e-5
"""What is left of a gap [m or rad] cannot be seen."""
_MOST_ITERATIONS = 25
_STRIDE = 0.05
"""How far a joint goes at once [rad or m], so that the loop stays the same one of several ways to close it."""
_MOST_STRIDES = 200
_NEGLIGIBLE = 1e-7


class Assembly:
    """Moves the joints of a World whose loops are closed; its motors let go."""

    def __init__(self, simulation: Simulation) -> None:
        """Begin where a simulation stands, which is not changed."""
        self._compiled = simulation.compiled
        self._model = simulation.compiled.model
        self._data = mujoco.MjData(self._model)
        self._data.qpos[:] = simulation.data.qpos
        driven = list(find_equalities(self._model).joints.values())
        self._data.eq_active[driven] = 0
        self._start = self._data.qpos.copy()
        self._close(())

    def reset(self) -> None:
        """Go back to the start."""
        self._data.qpos[:] = self._start
        self._close(())

    def move(self, model: str, joint: str, number: int, value: float) -> bool:
        """Move one coordinate of a joint, and the others with it; return whether that can be.

        A joint that closes a loop cannot be moved itself. Where a loop would have to be opened nothing is moved.
        """
        index = self._compiled.index.joints[model][joint]
        if index.layout in (JointLayout.NONE, JointLayout.DERIVED):
            return False
        before = self._data.qpos.copy()
        positions = list(read_positions(index, self._data.qpos))
        strides = min(max(math.ceil(abs(value - positions[number]) / _STRIDE), 1), _MOST_STRIDES)
        for place in np.linspace(positions[number], value, strides + 1)[1:]:
            positions[number] = float(place)
            write_positions(index, positions, self._data.qpos)
            if self._close(self._held(index, number)) > _NEARLY_CLOSED:
                self._data.qpos[:] = before
                self._close(())
                return False
        return True

    def place(self, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Put joints somewhere, by model and joint.

        What is open then is closed by those of which nothing is said, the motors among them, and by all of them as far as
        that does not do.
        """
        stated: list[int] = []
        for model, joints in positions.items():
            for name, values in joints.items():
                index = self._compiled.index.joints[model][name]
                if index.layout not in (JointLayout.NONE, JointLayout.DERIVED):
                    write_positions(index, values, self._data.qpos)
                    stated += range(index.dof, index.dof + index.dof_count)
        self._close(stated)
        self._close(())

    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world."""
        return {
            model: {name: self._pose(body.number) for name, body in bodies.items()}
            for model, bodies in self._compiled.index.bodies.items()
        }

    def positions(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the coordinates of every joint."""
        return {
            model: {name: self._positions(index) for name, index in joints.items()}
            for model, joints in self._compiled.index.joints.items()
        }

    def _positions(self, index: JointAddress) -> tuple[float, ...]:
        if index.layout is JointLayout.DERIVED:
            return derived_positions(index, self._pose(index.parent), self._pose(index.body))
        return read_positions(index, self._data.qpos)

    def _pose(self, number: int) -> Pose:
        x, y, z = self._data.xpos[number].tolist()
        w, i, j, k = self._data.xquat[number].tolist()
        return Pose((x, y, z), (w, i, j, k))

    @staticmethod
    def _held(index: JointAddress, number: int) -> Sequence[int]:
        """Return the degrees of freedom that stay where they were put."""
        if index.layout is JointLayout.SCALARS:
            return [range(10**6)[index.coordinate_dofs][number]]
        return range(index.dof, index.dof + index.dof_count)

    def _close(self, held: Sequence[int]) -> float:
        """Close what is open by moving all that is not held; return what is left [m or rad]."""
        left = 0.0
        free = np.ones(self._model.nv, dtype=bool)
        free[list(held)] = False
        with suppress_engine_warnings():
            for _ in range(_MOST_ITERATIONS):
                mujoco.mj_fwdPosition(self._model, self._data)
                violation, J = equality_rows(self._model, self._data)
                left = float(np.abs(violation).max()) if violation.size else 0.0
                if left < _CLOSED or not math.isfinite(left):
                    break
                change = np.zeros(self._model.nv)
                change[free] = -self._inverse(J[:, free]) @ violation
                mujoco.mj_integratePos(self._model, self._data.qpos, change, 1.0)
            mujoco.mj_kinematics(self._model, self._data)
        return left if math.isfinite(left) else math.inf

    @staticmethod
    def _inverse(J: NDArray[np.float64]) -> NDArray[np.float64]:
        inverse: Any = np.linalg.pinv(J, rcond=_NEGLIGIBLE)
        return np.asarray(inverse)
