"""What couplings that are not linear are told at each step: see :mod:`ossature.simulation.compile.joint_couplings`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.kinematics import derivatives, evaluate
from ossature.model import JointPosition
from ossature.simulation.checkpointing import Memory, flatten_state, label, unflatten_state
from ossature.simulation.compile.joint_couplings import CompiledCoupling, slopes_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class _Coupling:
    """One coupling whose slopes change.

    Args:
        built: The coupling.
        model: The engine's model.
        data: The engine's data.
    """

    def __init__(self, built: CompiledCoupling, model: Any, data: Any) -> None:
        self.built = built
        self._formula = built.follower.formula.position
        self._sources = tuple(built.sources)
        joints = [joint.id for joint in built.sources.values()]
        self._places, self._rates = model.jnt_qposadr[joints], model.jnt_dofadr[joints]
        self._qpos, self._qvel = data.qpos, data.qvel
        self._target = model.eq_data[built.equality.id]
        self._weights = model.wrap_prm
        self._terms: list[int] = []
        if built.tendon is not None:
            first = int(model.tendon_adr[built.tendon.id])
            taken = model.wrap_objid[first : first + int(model.tendon_num[built.tendon.id])].tolist()
            self._terms = [first + taken.index(joint) for joint in joints]
        self._last, self._velocity, self._step = np.zeros(len(joints)), np.zeros(len(joints)), 1.0

    def memory(self) -> Memory:
        """Return positions of the sources at the last step, mean velocities in the one before, and the step."""
        return {"last": self._last.copy(), "velocity": self._velocity.copy(), "step": np.array([self._step])}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what it remembers."""
        self._last, self._velocity = np.array(memory["last"]), np.array(memory["velocity"])
        self._step = float(memory["step"][0])

    def hold(self) -> bool:
        """Let the constraint hold near where the joints stand; return whether the formula has a value there."""
        here = self._positions(self._qpos[self._places])
        return self._aim(here, here, 0.0)

    def start(self, step: float) -> bool:
        """Begin at the state of the engine's data, just after which the engine is to find the acceleration.

        The target is the one that motors have then: the mean of now and of two steps ahead, at the present rates.
        """
        x, v = np.array(self._qpos[self._places]), np.array(self._qvel[self._rates])
        self._last, self._velocity, self._step = x - step * v, v, step
        direction = dict(zip(self._sources, v.tolist(), strict=True))
        curvature = float(derivatives(self._formula, self._positions(x), direction)[2])
        bend = 0.5 * step**2 * curvature if math.isfinite(curvature) else 0.0
        return self._aim(self._positions(x), self._positions(x + step * v), bend)

    def before(self, step: float) -> bool:
        """Aim at the end of the step that begins now; return whether the formula has a value there."""
        x = np.array(self._qpos[self._places])
        velocity = (x - self._last) / self._step
        ahead = x + step * (2.0 * velocity - self._velocity)
        self._last, self._velocity, self._step = x, velocity, step
        return self._aim(self._positions(x), self._positions(ahead), 0.0)

    def _positions(self, values: Vector) -> Mapping[JointPosition, float]:
        return {**self.built.still, **dict(zip(self._sources, values.tolist(), strict=True))}

    def _aim(self, here: Mapping[JointPosition, float], ahead: Mapping[JointPosition, float], bend: float) -> bool:
        """Set slopes of one place and the value of another; without a value the constraint stays as it was."""
        value = float(evaluate(self._formula, ahead)) + bend
        if math.isnan(value):
            return False
        slopes = slopes_at(self.built.follower, here, self._sources)
        target = value - sum(slope * ahead[source] for source, slope in slopes.items())
        self._target[0] = target - self.built.place
        if self.built.tendon is None:
            (self._target[1],) = slopes.values()
        for term, slope in zip(self._terms, slopes.values(), strict=False):
            self._weights[term] = -slope
        return True


class CouplingUpdate:
    """The couplings of a World that have to be told something at each step.

    Args:
        couplings: All couplings.
        model: The engine's model.
        data: The engine's data.
    """

    def __init__(self, couplings: Sequence[CompiledCoupling], model: Any, data: Any) -> None:
        self._couplings = [_Coupling(built, model, data) for built in couplings if not built.is_linear]
        self.lost: CompiledCoupling | None = None
        """A coupling whose formula has met a place where it has no value, or None."""

    def __bool__(self) -> bool:
        return bool(self._couplings)

    def memory(self) -> Memory:
        """Return what they remember from step to step."""
        return flatten_state({_label(coupling): coupling.memory() for coupling in self._couplings})

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what they remember."""
        parts = unflatten_state(memory)
        for coupling in self._couplings:
            coupling.recall(parts[_label(coupling)])

    def hold(self) -> None:
        """Let all of them hold near where the joints stand."""
        for coupling in self._couplings:
            self._watch(coupling, coupling.hold())

    def start(self, step: float) -> None:
        """Begin at the state of the engine's data."""
        for coupling in self._couplings:
            self._watch(coupling, coupling.start(step))

    def before(self, step: float) -> None:
        """Prepare the step that begins now."""
        for coupling in self._couplings:
            self._watch(coupling, coupling.before(step))

    def _watch(self, coupling: _Coupling, has_value: bool) -> None:
        if not has_value and self.lost is None:
            self.lost = coupling.built


def _label(coupling: _Coupling) -> str:
    return label(coupling.built.path)
