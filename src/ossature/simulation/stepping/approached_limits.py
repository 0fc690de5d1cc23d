"""Position limits that joints reach in a step: they arrive at them, and none passes its limit or rebounds.

The engine makes a constraint row for a limit that a joint has passed. The velocity of an impact would have carried the joint
beyond it by up to a step's displacement, from which it would return. If a joint may reach a limit in a step, the rows of all
limits are made before it instead, and each requests the velocity that closes its gap exactly at the end of the step, as those
of rigid contacts do (Stewart and Trinkle 1996). The requested velocities include zero, so that such an impact never adds
energy. A limit that is passed nevertheless, because another impact in the step made the joint faster, is approached slowly.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import Int64Array, Vector
from ossature.simulation.compile.constraint_solref import GAP_FACTOR
from ossature.simulation.compile.engine_enumerations import HINGE, LIMIT_OF_JOINT, SLIDE
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.stepping.compiled_stepping_structs import Program, set_addresses, set_index_addresses

_STEPS_AHEAD = 2.0
"""Displacements at the present velocity within which a limit may be reached in a step: the velocity increases in it."""
_LEAST_IMPACT_SPEED = 0.02
"""Speed of the impact of a joint that has reached its limit already [rad/s or m/s]; that of one at rest there is smaller."""
_ALL_GAPS = 1e9
"""A margin larger than all gaps [rad or m]."""


class ApproachedLimits:
    """The position limits of joints, in steps in which one may be reached."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, joints: Int64Array) -> None:
        self._model, self._data, self._joints = model, data, joints
        self._positions = np.array(model.jnt_qposadr[joints], dtype=np.int64)
        self._dofs = np.array(model.jnt_dofadr[joints], dtype=np.int64)
        self._qpos, self._qvel, self._range, self._margins = data.qpos, data.qvel, model.jnt_range, model.jnt_margin

    def are_ahead(self) -> bool:
        """Return whether a joint may reach a limit in the next step, at the velocities in the engine's data."""
        span = _STEPS_AHEAD * self._model.opt.timestep
        displacements, least = self._qvel[self._dofs] * span, _LEAST_IMPACT_SPEED * span
        gaps = (self._qpos[self._positions, None] - self._range[self._joints]).T
        gaps[1] *= -1.0
        lower, upper = gaps
        reaches_lower = (lower < -displacements) & ((lower > 0.0) | (displacements < -least))
        reaches_upper = (upper < displacements) & ((upper > 0.0) | (displacements > least))
        return bool((reaches_lower | reaches_upper).any())

    def take_first_half(self) -> None:
        """Take the first half of the engine's step, in which a limit may be reached."""
        model, data = self._model, self._data
        self._margins[self._joints] = _ALL_GAPS
        mujoco.mj_step1(model, data)
        self._margins[self._joints] = 0.0
        rows = slice(data.ne + data.nf, data.ne + data.nf + data.nl)
        is_of_joint = data.efc_type[rows] == LIMIT_OF_JOINT
        data.efc_margin[rows][is_of_joint] = 0.0
        gaps: Vector = data.efc_pos[rows]
        gaps[is_of_joint & (gaps > 0.0)] *= GAP_FACTOR
        mujoco.mj_referenceConstraint(model, data)

    def set_reference(self, reference: tuple[float, float]) -> None:
        """Set the ``solref`` of the limits for a step of another length."""
        self._model.jnt_solref[self._joints] = reference

    def describe(self, program: Program) -> None:
        """Write the limits to the compiled loop, which leaves the steps in which one may be reached to Python."""
        program.limit_count, program.steps_to_limits = self._joints.size, _STEPS_AHEAD
        program.least_impact_speed = _LEAST_IMPACT_SPEED
        set_addresses(program, positions=self._qpos, ranges=self._range)
        set_index_addresses(program, limit_joints=self._joints, limit_positions=self._positions, limit_dofs=self._dofs)


def make_approached_limits(compiled: EngineModel, data: mujoco.MjData) -> ApproachedLimits | None:
    """Return the position limits of joints, or None if there are none or MuJoCo simulates them as its file specifies."""
    if compiled.is_mjcf_world:
        return None
    joints = compiled.shared_results.get(find_limited_joints, compiled, None)
    return ApproachedLimits(compiled.model, data, joints) if joints.size else None


def find_limited_joints(compiled: EngineModel, _: None) -> Int64Array:
    """Return the engine's indices of the joints with one coordinate that have position limits."""
    model = compiled.model
    is_limited = np.array(model.jnt_limited, dtype=bool) & np.isin(model.jnt_type, (HINGE, SLIDE))
    return np.flatnonzero(is_limited).astype(np.int64)
