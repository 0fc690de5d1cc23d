"""Detection of cylinders that touch along a line, for which the engine finds a single point of contact."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import BoolArray
from ossature.diagnostics import Report
from ossature.simulation import rules
from ossature.simulation.compile.engine_enumerations import CYLINDER
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.penetration_monitor import find_owner

_PARALLEL = 1e-3
"""Largest angle between the axes of cylinders, and of the normal to their common perpendiculars [rad]."""


class LineContactMonitor:
    """Reports each pair of bodies whose parallel cylinders touch along a line."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._compiled: EngineModel | None = None
        self._is_cylinder: BoolArray = np.zeros(0, dtype=bool)
        self._reported: set[tuple[str, str]] = set()

    def check(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        """Report the contacts of the last step."""
        if compiled is not self._compiled:
            self._compiled = compiled
            self._is_cylinder = np.array(compiled.model.geom_type) == CYLINDER
        if not data.ncon or np.count_nonzero(self._is_cylinder) < 2:
            return
        pairs = data.contact.geom
        for number in np.flatnonzero(self._is_cylinder[pairs].all(axis=1)).tolist():
            first, second = pairs[number].tolist()
            axis, other = (data.geom_xmat[geom].reshape(3, 3)[:, 2] for geom in (first, second))
            across = abs(float(data.contact.frame[number, :3] @ axis))
            if float(np.linalg.norm(np.cross(axis, other))) < _PARALLEL and across < _PARALLEL:
                self._add(compiled, first, second)

    def _add(self, compiled: EngineModel, first: int, second: int) -> None:
        one, other = sorted(find_owner(compiled, geom) for geom in (first, second))
        if (one, other) not in self._reported:
            self._reported.add((one, other))
            message = f"the cylinders of {one} and {other} touch along a line, but have one point of contact"
            self._report.add(rules.LINE_CONTACT, message, path=one, hint="use capsules, which touch in two points")
