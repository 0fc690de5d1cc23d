"""Wrenches of tendons on the bodies along their paths, in Worlds that MuJoCo compiles.

A tendon is a massless cable: each straight part of its path between two bodies pulls them together with its tension, over the
divisor of the pulleys before it. The tension is that of its spring and damper, of its actuators, and of its limits, dry
friction and equalities. See "Tendon" in the modelling chapter of MuJoCo's documentation.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.simulation.observation.mujoco_quantities import tendon_forces
from ossature.simulation.observation.wrench_pairs import Pairs

_PULLEY = -2


class TendonWrenches:
    """Computes the wrenches of spatial tendons with any path."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data
        self._tendons = [tendon for tendon in range(model.ntendon) if _is_spatial(model, tendon)]

    def pairs(self) -> list[Pairs]:
        """Return the wrenches of all tendons."""
        if not self._tendons:
            return []
        forces = tendon_forces(self._model, self._data)
        return [self._along_path(tendon, float(forces[tendon])) for tendon in self._tendons if forces[tendon]]

    def _along_path(self, tendon: int, force: float) -> Pairs:
        """Return the wrenches of a tendon on the bodies of each straight part of its path."""
        model, data = self._model, self._data
        first, count = int(data.ten_wrapadr[tendon]), int(data.ten_wrapnum[tendon])
        objects = data.wrap_obj.reshape(-1)[first : first + count]
        points = data.wrap_xpos.reshape(-1, 3)[first : first + count]
        sites, divisors = _sites_and_divisors(model, tendon)
        bodies = np.where(objects >= 0, model.geom_bodyid[np.maximum(objects, 0)], 0)
        bodies[objects == -1] = model.site_bodyid[sites]
        branches = np.cumsum(objects == _PULLEY)
        is_part = (objects[:-1] != _PULLEY) & (objects[1:] != _PULLEY) & (bodies[:-1] != bodies[1:])
        starts = np.flatnonzero(is_part)
        lines = points[starts] - points[starts + 1]
        lengths = np.maximum(np.linalg.norm(lines, axis=1, keepdims=True), mujoco.mjMINVAL)
        tensions = force / np.array(divisors)[branches[starts]]
        forces = tensions[:, None] * lines / lengths
        return Pairs(bodies[starts], bodies[starts + 1], points[starts], points[starts + 1], forces, np.zeros_like(forces))


def _is_spatial(model: mujoco.MjModel, tendon: int) -> bool:
    return bool(model.wrap_type[model.tendon_adr[tendon]] != mujoco.mjtWrap.mjWRAP_JOINT)


def _sites_and_divisors(model: mujoco.MjModel, tendon: int) -> tuple[list[int], list[float]]:
    """Return the sites of a tendon, and the divisor of each of its branches."""
    sites, divisors = [], [1.0]
    first = int(model.tendon_adr[tendon])
    for wrap in range(first, first + int(model.tendon_num[tendon])):
        if model.wrap_type[wrap] == mujoco.mjtWrap.mjWRAP_SITE:
            sites.append(int(model.wrap_objid[wrap]))
        elif model.wrap_type[wrap] == mujoco.mjtWrap.mjWRAP_PULLEY:
            divisors.append(float(model.wrap_prm[wrap]))
    return sites, divisors
