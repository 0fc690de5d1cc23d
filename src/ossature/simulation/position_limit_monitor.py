"""Monitoring of joints that something moves beyond their position limits during a run."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import BoolArray, Vector
from ossature.diagnostics import Diagnostic, Report
from ossature.simulation import rules
from ossature.simulation.compile.engine_enumerations import HINGE
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.mechanism_layout import joint_path
from ossature.simulation.stepping.approached_limits import find_limited_joints

_LARGEST_EXCESS = 1e-3
"""Excess over a limit from which it is reported [rad or m]."""


class PositionLimitMonitor:
    """Reports each joint that is beyond its limits between steps, with the largest excess that was seen.

    A joint that starts outside its limits returns with its stop, whose limit in the engine model is moved: that is no excess.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData, report: Report) -> None:
        self._report = report
        self._largest: dict[str, tuple[float, Diagnostic]] = {}
        self.switch_to_engine(compiled, data)

    def switch_to_engine(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        """Monitor another compilation of the same World from now on."""
        model, self._compiled, self._data = compiled.model, compiled, data
        # The limits of MuJoCo's files are soft by intention.
        every = compiled.shared_results.get(find_limited_joints, compiled, None)
        self._joints = every[:0] if compiled.is_mjcf_world else every
        self._positions, self._ranges = model.jnt_qposadr[self._joints], model.jnt_range
        self._specified = np.array(self._ranges[self._joints])
        self._are_returning: BoolArray = np.zeros(self._joints.size, dtype=bool)

    def check(self) -> None:
        """Report the joints that are further beyond their limits than before."""
        if not self._joints.size:
            return
        positions, (lower, upper) = self._data.qpos[self._positions], self._specified.T
        excesses: Vector = np.maximum(lower - positions, positions - upper)
        have_moved_stops = (self._ranges[self._joints] != self._specified).any(axis=1)
        self._are_returning = have_moved_stops | (self._are_returning & (excesses > 0.0))
        for number in np.flatnonzero((excesses > _LARGEST_EXCESS) & ~self._are_returning).tolist():
            self._add(int(self._joints[number]), float(excesses[number]))

    def _add(self, joint: int, excess: float) -> None:
        model = self._compiled.model
        path = joint_path(self._compiled, int(model.jnt_dofadr[joint]))
        largest, earlier = self._largest.get(path, (0.0, None))
        if excess <= largest:
            return
        unit = "rad" if model.jnt_type[joint] == HINGE else "m"
        message = f"'{path}' is {excess:.3g} {unit} beyond its position limit at {self._data.time:.4g} s"
        hint = "correct the limit, or the motion or formula that moves the joint there; after an impact reduce the time step"
        finding = Diagnostic(rule=rules.POSITION_LIMIT_EXCEEDED, message=message, path=path, hint=hint)
        self._largest[path] = excess, finding
        if earlier is None:
            self._report.add(finding.rule, finding.message, path=finding.path, hint=finding.hint)
        else:
            self._report.replace(earlier, finding)
