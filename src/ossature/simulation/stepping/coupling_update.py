"""Linearization of nonlinear couplings at each step: see :mod:`ossature.simulation.compile.compile_joint_couplings`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.kinematics import derivatives, evaluate
from ossature.model import JointPosition
from ossature.simulation.compile.compile_joint_couplings import CompiledCoupling, slopes_at
from ossature.simulation.stateful_components import ComponentState, flatten_state, label, unflatten_state

if TYPE_CHECKING:
    import mujoco


class _Coupling:
    """A coupling whose slopes depend on the positions."""

    def __init__(self, built: CompiledCoupling, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.built = built
        self._formula = built.follower.formula.position
        self._sources = tuple(built.sources)
        joints = [joint.id for joint in built.sources.values()]
        self._qpos_addresses, self._dof_addresses = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
        self._qpos, self._qvel = data.qpos, data.qvel
        self._target = model.eq_data[built.equality.id]
        self._weights = model.wrap_prm
        self._terms: list[int] = []
        if built.tendon is not None:
            first = int(model.tendon_adr[built.tendon.id])
            tendon_joints = model.wrap_objid[first : first + int(model.tendon_num[built.tendon.id])].tolist()
            self._terms = [first + tendon_joints.index(joint) for joint in joints]
        self._last, self._velocity, self._step = np.zeros(len(joints)), np.zeros(len(joints)), 1.0

    def get_state(self) -> ComponentState:
        """Return the positions of the sources at the last step, the mean velocities in the one before, and the step."""
        return {"last": self._last.copy(), "velocity": self._velocity.copy(), "step": np.array([self._step])}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        self._last, self._velocity = np.array(saved_state["last"]), np.array(saved_state["velocity"])
        self._step = float(saved_state["step"][0])

    def linearize(self) -> bool:
        """Linearize the constraint at the present positions; return whether the formula is defined there."""
        present = self._positions_by_source(self._qpos[self._qpos_addresses])
        return self._set_constraint(present, present, 0.0)

    def start(self, step: float) -> bool:
        """Start at the state of the engine's data, for the acceleration just after it.

        The target is as for motors: the mean of the present one and that of two steps later, at the present rates.
        """
        x, v = np.array(self._qpos[self._qpos_addresses]), np.array(self._qvel[self._dof_addresses])
        self._last, self._velocity, self._step = x - step * v, v, step
        direction = dict(zip(self._sources, v.tolist(), strict=True))
        curvature = float(derivatives(self._formula, self._positions_by_source(x), direction)[2])
        offset = 0.5 * step**2 * curvature if math.isfinite(curvature) else 0.0
        return self._set_constraint(self._positions_by_source(x), self._positions_by_source(x + step * v), offset)

    def prepare_step(self, step: float) -> bool:
        """Set the constraint for the end of the step that starts now; return whether the formula is defined there."""
        x = np.array(self._qpos[self._qpos_addresses])
        velocity = (x - self._last) / self._step
        ahead = x + step * (2.0 * velocity - self._velocity)
        self._last, self._velocity, self._step = x, velocity, step
        return self._set_constraint(self._positions_by_source(x), self._positions_by_source(ahead), 0.0)

    def _positions_by_source(self, values: Vector) -> Mapping[JointPosition, float]:
        return {**self.built.still, **dict(zip(self._sources, values.tolist(), strict=True))}

    def _set_constraint(
        self, present: Mapping[JointPosition, float], ahead: Mapping[JointPosition, float], offset: float
    ) -> bool:
        """Set the slopes at present positions and the value at later ones; an undefined value changes nothing."""
        value = float(evaluate(self._formula, ahead)) + offset
        if math.isnan(value):
            return False
        slopes = slopes_at(self.built.follower, present, self._sources)
        target = value - sum(slope * ahead[source] for source, slope in slopes.items())
        self._target[0] = target - self.built.position
        if self.built.tendon is None:
            (self._target[1],) = slopes.values()
        for term, slope in zip(self._terms, slopes.values(), strict=False):
            self._weights[term] = -slope
        return True


class CouplingUpdate:
    """The couplings of a World that are updated at each step."""

    def __init__(self, couplings: Sequence[CompiledCoupling], model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._couplings = [_Coupling(built, model, data) for built in couplings if not built.is_linear]
        self.undefined: CompiledCoupling | None = None
        """The first coupling whose formula was undefined at the present positions, or None."""

    def __bool__(self) -> bool:
        return bool(self._couplings)

    def get_state(self) -> ComponentState:
        """Return their state from step to step."""
        return flatten_state({_label(coupling): coupling.get_state() for coupling in self._couplings})

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        parts = unflatten_state(saved_state)
        for coupling in self._couplings:
            coupling.set_state(parts[_label(coupling)])

    def linearize(self) -> None:
        """Linearize all couplings at the present positions."""
        for coupling in self._couplings:
            self._note_undefined(coupling, coupling.linearize())

    def start(self, step: float) -> None:
        """Start at the state of the engine's data."""
        for coupling in self._couplings:
            self._note_undefined(coupling, coupling.start(step))

    def prepare_step(self, step: float) -> None:
        """Prepare the step that starts now."""
        for coupling in self._couplings:
            self._note_undefined(coupling, coupling.prepare_step(step))

    def _note_undefined(self, coupling: _Coupling, has_value: bool) -> None:
        if not has_value and self.undefined is None:
            self.undefined = coupling.built


def _label(coupling: _Coupling) -> str:
    return label(coupling.built.path)
