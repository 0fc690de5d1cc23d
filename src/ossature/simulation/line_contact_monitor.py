"""Detection of cylinders that touch along a line, for which the engine finds a single point of contact."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from ossature.array_types import BoolArray
from ossature.diagnostics import Report
from ossature.simulation import rules
from ossature.simulation.compile.engine_enumerations import CYLINDER
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.penetration_monitor import find_owner

_INTERVAL = 150
"""Steps between two checks."""
_PARALLEL = 1e-3
"""Largest angle between the axes of cylinders, and of the normal to their common perpendiculars [rad]."""


class LineContactMonitor:
    """Reports each pair of bodies whose parallel cylinders touch along a line.

    Attributes:
        interval: Largest number of steps between two checks, which is infinite without two cylinders.
    """

    def __init__(self, compiled: EngineModel, report: Report) -> None:
        self._report = report
        self._reported: set[tuple[str, str]] = set()
        self.switch_to_engine(compiled)

    def switch_to_engine(self, compiled: EngineModel) -> None:
        """Check the contacts of another compilation from now on."""
        self._compiled = compiled
        self._is_cylinder: BoolArray = np.array(compiled.model.geom_type) == CYLINDER
        self.interval = _INTERVAL if np.count_nonzero(self._is_cylinder) > 1 else math.inf

    def check(self, data: mujoco.MjData) -> None:
        """Report the contacts of the last step."""
        if not data.ncon or self.interval == math.inf:
            return
        pairs = data.contact.geom
        for number in np.flatnonzero(self._is_cylinder[pairs].all(axis=1)).tolist():
            first, second = pairs[number].tolist()
            axis, other = (data.geom_xmat[geom].reshape(3, 3)[:, 2] for geom in (first, second))
            across = abs(float(data.contact.frame[number, :3] @ axis))
            if float(np.linalg.norm(np.cross(axis, other))) < _PARALLEL and across < _PARALLEL:
                self._add(first, second)

    def _add(self, first: int, second: int) -> None:
        one, other = sorted(find_owner(self._compiled, geom) for geom in (first, second))
        if (one, other) not in self._reported:
            self._reported.add((one, other))
            message = f"the cylinders of {one} and {other} touch along a line, but have one point of contact"
            self._report.add(rules.LINE_CONTACT, message, path=one, hint="use capsules, which touch in two points")
