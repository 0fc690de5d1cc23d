"""Interactive positioning of mechanisms: one joint is set, and the others move so that all loops stay closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.formats.mjcf.engine_data import make_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import derived_positions, read_positions, write_positions
from ossature.simulation.compile.equality_constraints import find_equalities
from ossature.simulation.compile.joint_actuation import DRIVEN
from ossature.simulation.simulation import Simulation
from ossature.simulation.stepping.constraint_projection import equality_rows
from ossature.spatial import Pose, pose_from

_CONVERGED = 1e-9
_CLOSED = 1e-5
"""Residual [m or rad] below which a loop counts as closed: the gap is invisible."""
_MAX_ITERATIONS = 25
_STRIDE = 0.05
"""Largest step of a joint [rad or m], so that the mechanism stays in its assembly mode."""
_MAX_STRIDES = 200
_PSEUDO_INVERSE_CUTOFF = 1e-7


class MechanismPositioner:
    """Moves the joints of a World and keeps its loops closed; motors are disabled."""

    def __init__(self, simulation: Simulation) -> None:
        """Start from the current state of a simulation, which is not modified."""
        self._compiled = simulation.compiled
        self._model = simulation.compiled.model
        self._data = make_engine_data(self._model)
        self._data.qpos[:] = simulation.data.qpos
        self._data.eq_active[self._equalities_of_drives()] = 0
        self._solve_loops(())

    def _equalities_of_drives(self) -> list[int]:
        """Return the engine's indices of the constraints that motors and drives of joints move."""
        found = find_equalities(self._model, self._compiled.grasp_plan.weld_names)
        driven = [index.body for index in self._compiled.index.all_joints() if index.joint.actuation in DRIVEN]
        return [*found.joints.values(), *[found.welds[body] for body in driven if body in found.welds]]

    def move(self, model: str, joint: str, number: int, value: float) -> bool:
        """Move one coordinate of a joint, and the others with it; return whether that is possible.

        A loop joint cannot be moved itself. If a loop cannot be closed, nothing is moved.
        """
        index = self._compiled.index.joints[model][joint]
        if index.layout in (JointLayout.NONE, JointLayout.DERIVED):
            return False
        before = self._data.qpos.copy()
        positions = list(read_positions(index, self._data.qpos))
        strides = min(max(math.ceil(abs(value - positions[number]) / _STRIDE), 1), _MAX_STRIDES)
        for position in np.linspace(positions[number], value, strides + 1)[1:]:
            positions[number] = float(position)
            write_positions(index, positions, self._data.qpos)
            if self._solve_loops(self._fixed_dofs(index, number)) > _CLOSED:
                self._data.qpos[:] = before
                self._solve_loops(())
                return False
        return True

    def place(self, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Set joint positions, by model and joint.

        Loops are then closed by the other joints, including those of motors, and by all joints as far as that is not enough.
        """
        fixed: list[int] = []
        for model, joints in positions.items():
            for name, values in joints.items():
                index = self._compiled.index.joints[model][name]
                if index.layout not in (JointLayout.NONE, JointLayout.DERIVED):
                    write_positions(index, values, self._data.qpos)
                    fixed += range(index.dof, index.dof + index.dof_count)
        self._solve_loops(fixed)
        self._solve_loops(())

    def poses(self) -> dict[str, dict[str, Pose]]:
        """Return the pose of every body in the world."""
        return {
            model: {name: self._body_pose(body.number) for name, body in bodies.items()}
            for model, bodies in self._compiled.index.bodies.items()
        }

    def positions(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the coordinates of every joint."""
        return {
            model: {name: self._joint_positions(index) for name, index in joints.items()}
            for model, joints in self._compiled.index.joints.items()
        }

    def _joint_positions(self, index: JointAddress) -> tuple[float, ...]:
        if index.layout is JointLayout.DERIVED:
            return derived_positions(index, self._body_pose(index.parent), self._body_pose(index.body))
        return read_positions(index, self._data.qpos)

    def _body_pose(self, number: int) -> Pose:
        return pose_from(self._data.xpos[number], self._data.xquat[number])

    def _fixed_dofs(self, index: JointAddress, number: int) -> Sequence[int]:
        """Return the degrees of freedom that are fixed while a coordinate of a joint is set."""
        if index.layout is JointLayout.SCALARS:
            return [range(self._model.nv)[index.coordinate_dofs][number]]
        return range(index.dof, index.dof + index.dof_count)

    def _solve_loops(self, fixed: Sequence[int]) -> float:
        """Close all loops with the degrees of freedom that are not fixed; return the residual [m or rad]."""
        residual = 0.0
        free = np.ones(self._model.nv, dtype=bool)
        free[list(fixed)] = False
        with suppress_engine_warnings():
            for _ in range(_MAX_ITERATIONS):
                mujoco.mj_fwdPosition(self._model, self._data)
                violation, J = equality_rows(self._model, self._data)
                residual = float(np.abs(violation).max()) if violation.size else 0.0
                if residual < _CONVERGED or not math.isfinite(residual):
                    break
                change = np.zeros(self._model.nv)
                change[free] = -self._pseudo_inverse(J[:, free]) @ violation
                mujoco.mj_integratePos(self._model, self._data.qpos, change, 1.0)
            mujoco.mj_kinematics(self._model, self._data)
        return residual if math.isfinite(residual) else math.inf

    @staticmethod
    def _pseudo_inverse(J: Array) -> Array:
        inverse: Any = np.linalg.pinv(J, rcond=_PSEUDO_INVERSE_CUTOFF)
        return np.asarray(inverse)
