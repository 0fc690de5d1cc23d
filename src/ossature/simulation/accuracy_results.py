"""Accuracy diagnostics of a run, and the bounds above which they are findings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MAX_LOOP_RESIDUAL = 1e-3
"""Bound of the residual of a loop: in rad, or relative to the extent of what moves."""
MAX_CLOSING_DISPLACEMENT = 1e-3
"""Bound of the displacement that closes loops exactly: in rad, or in characteristic lengths of the mechanism."""
MAX_ROTATION_PER_STEP = 1.0
"""Bound of the rotation of a body in one step [rad]: seven steps or fewer per revolution do not resolve the motion."""
MAX_TRAVEL_PER_STEP = 0.1
"""Bound of the displacement of a centre of mass in one step, relative to the extent of the model."""
MAX_ENERGY_GAIN = 0.05
"""Bound of the unexplained gain of energy, relative to the energy of the motion."""
MAX_ENERGY_LOSS = 0.05
"""Bound of the unexplained loss of energy, relative to the energy of the motion."""
MAX_STIFFNESS = 1.0
"""Bound of stiffness and damping, relative to the stability limit of the integrator at the time step."""
SINGULAR_VALUE_BOUND = 1e-3
"""Smallest singular value of the constraint Jacobian, relative to its largest value in the run, below which a configuration is
singular: that of a mechanism whose lengths differ from those of a singular one by about a millionth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The largest value of a quantity over a run.

    Attributes:
        time: The first time of the value [s].
        element: The path of the body, joint or element, ``MODEL/NAME``.
        bound: The value above which it is a finding; None if there is none.
    """

    value: float
    time: float
    element: str
    bound: float | None

    @property
    def is_exceeded(self) -> bool:
        """Whether the value exceeds the bound."""
        return self.bound is not None and self.value > self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class RedundantConstraints:
    """Linearly dependent constraints of a mechanism, for which reactions are not unique.

    Attributes:
        count: Number of redundant equations.
        joints: Paths ``MODEL/NAME`` of the joints of the loops whose reactions are not unique.
    """

    count: int
    joints: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingularConfiguration:
    """A singular configuration of a mechanism in a run: a dead centre or a change point.

    Attributes:
        time: Time, interpolated between steps [s].
        joints: Paths ``MODEL/NAME`` of the joints whose motion is not determined there, in descending order of motion.
        singular_value: The smallest singular value of the constraint Jacobian there, without those of redundant constraints,
            with rotations in rad and translations in characteristic lengths of the mechanism.
        largest_singular_value: Its largest value before.
        is_limit: Whether the mechanism locks there. The singular value is then the last one before.
    """

    time: float
    joints: tuple[str, ...]
    singular_value: float
    largest_singular_value: float
    is_limit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyBalance:
    """The energy balance of a run.

    Attributes:
        change: Change of kinetic and potential energy since the start [J].
        supplied: Work of motors, loads, commands, applied wrenches, and elements without a potential on the bodies [J].
        dissipated_by_dampers: Energy that dampers dissipated [J].
        dissipated_by_constraints: Energy that friction, contacts and limits dissipated [J].
        uncertainty: Bound of the error of the work, which is evaluated in each step [J].
        scale: The energy of the motion: the largest kinetic energy plus the ranges of potential energy and of work [J].
        gain: Largest excess of the change over the work [J]; zero at least.
        gain_time: Time of the largest excess [s].
        loss: Largest deficit [J]; zero at least.
        loss_time: Time of the largest deficit [s].
    """

    change: float
    supplied: float
    dissipated_by_dampers: float
    dissipated_by_constraints: float
    uncertainty: float
    scale: float
    gain: float
    gain_time: float
    loss: float
    loss_time: float

    @property
    def relative_gain(self) -> float:
        """The gain minus the uncertainty, relative to the scale."""
        return _relative(self.gain - self.uncertainty, self.scale)

    @property
    def relative_loss(self) -> float:
        """The loss minus the uncertainty, relative to the scale."""
        return _relative(self.loss - self.uncertainty, self.scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDiagnostics:
    """Accuracy diagnostics of a run from its start to now.

    Attributes:
        samples: Number of sampled steps, at intervals of at most :data:`ossature.simulation.accuracy_monitor.LONGEST_INTERVAL`
            steps.
        loop_residual: Largest residual of a loop joint or constraint [m or rad] in all steps (in the last sub-step of divided
            steps); None if there are no loops.
        rotation_per_step: Largest rotation of a body in one step [rad], in all steps (in the last sub-step of divided
            steps), but only in samples of a motion without any force that does work; None if nothing moves.
        travel_per_step: Largest displacement of a centre of mass in one step [m], likewise.
        stiffness: Largest stiffness and damping of springs, bushings and dampers in all configurations, relative to the
            stability limit of the integrator; None if there are none or the integrator is unconditionally stable.
        singular_configurations: Singular configurations of mechanisms with loops, each configuration once.
        closing_displacement: Largest displacement of a joint above its bound that would close the loops exactly [m or rad],
            in the samples; None if there is none. Nearly dependent constraints leave it undetermined.
    """

    steps: int
    samples: int
    loop_residual: Peak | None
    rotation_per_step: Peak | None
    travel_per_step: Peak | None
    stiffness: Peak | None
    energy: EnergyBalance
    singular_configurations: tuple[SingularConfiguration, ...] = ()
    closing_displacement: Peak | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnostics as plain data."""
        return asdict(self)


def _relative(value: float, scale: float) -> float:
    return max(value, 0.0) / scale if scale > 0.0 else 0.0
