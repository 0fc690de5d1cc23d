"""What a run shows about its own accuracy, and the bounds above which it is a finding."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MOST_LOOP_RESIDUAL = 1e-3
"""Residual of a loop that is a finding: in rad, or as a share of the extent of the model."""
MOST_ROTATION_PER_STEP = 1.0
"""Rotation of a body in one step that is a finding [rad]: seven steps or fewer a revolution resolve no motion."""
MOST_TRAVEL_PER_STEP = 0.1
"""Travel of a centre of mass in one step that is a finding, as a share of the extent of the model."""
MOST_ENERGY_GAIN = 0.05
"""Energy from nowhere that is a finding, as a share of the energy that takes part in the motion."""
MOST_ENERGY_LOSS = 0.05
"""Energy that is lost although nothing dissipates it that is a finding, likewise."""
MOST_STIFFNESS = 1.0
"""Stiffness and damping that are a finding, as a share of what the integrator is stable with at the step."""
MOST_SINGULAR = 1e-3
"""Smallest singular value of the constraint Jacobian, as a share of its largest value in the run, below which a configuration
is singular: that of a mechanism whose lengths miss those of a singular one by about a millionth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The largest value of a quantity over a run.

    Attributes:
        value: The value.
        time: When it was met first [s].
        element: The path of the body, joint or element, ``MODEL/NAME``.
        bound: The value above which it is a finding; None if there is none.
    """

    value: float
    time: float
    element: str
    bound: float | None

    @property
    def is_exceeded(self) -> bool:
        """Whether it is a finding."""
        return self.bound is not None and self.value > self.bound


@dataclass(frozen=True, slots=True, kw_only=True)
class SingularConfiguration:
    """A singular configuration that a mechanism met: a dead centre or a change point.

    Attributes:
        time: When, interpolated between steps [s].
        joints: Paths of the joints whose motion the others do not determine there, ``MODEL/NAME``; those that move most first.
        singular_value: The smallest singular value of the constraint Jacobian there, those of redundant constraints left out,
            with rotations in rad and translations in characteristic lengths of the mechanism.
        largest_singular_value: The largest value that it had until then.
        is_limit: Whether the mechanism cannot move beyond it: it locked. The singular value is then the last one before.
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
        supplied: Work that motors, loads, commands and applied wrenches did on the bodies [J].
        dissipated: Energy that linear dampers took out [J].
        is_dissipative: Whether other things dissipate: friction, contacts, limits, curves of dampers. Then a loss is none.
        uncertainty: Bound of the quadrature error of the work [J].
        scale: The energy that takes part in the motion: the largest kinetic energy, and the range of potential energy and of
            work [J].
        gain: Largest excess of the change over the work [J], and when it was met; zero at least.
        gain_time: When [s].
        loss: Largest deficit [J], if nothing else dissipates; zero at least.
        loss_time: When [s].
        is_complete: Whether all forces have a potential or a work that is computed: not maps of springs, springs of ball joints
            and motors or commands whose prescribed rate may jump. Otherwise gain and loss are no findings.
    """

    change: float
    supplied: float
    dissipated: float
    is_dissipative: bool
    uncertainty: float
    scale: float
    gain: float
    gain_time: float
    loss: float
    loss_time: float
    is_complete: bool

    @property
    def is_resolved(self) -> bool:
        """Whether the samples resolve the work well enough to judge by it."""
        return self.is_complete and self.has_resolved_work

    @property
    def has_resolved_work(self) -> bool:
        """Whether the uncertainty of the work is at most half of the energy that takes part in the motion."""
        return self.uncertainty <= 0.5 * self.scale

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, with null for work, gain and loss if the samples do not resolve the work.

        Gain and loss are also null if the balance is not complete.
        """
        data = asdict(self)
        unknown = set() if self.is_complete else {"gain", "gain_time", "loss", "loss_time"}
        if not self.has_resolved_work:
            unknown = {"supplied", "dissipated", "scale", "gain", "gain_time", "loss", "loss_time"}
        return data | dict.fromkeys(unknown) | {"is_resolved": self.is_resolved}

    @property
    def relative_gain(self) -> float:
        """The gain less the uncertainty, as a share of the scale."""
        return _share(self.gain - self.uncertainty, self.scale)

    @property
    def relative_loss(self) -> float:
        """The loss less the uncertainty, as a share of the scale; zero if something else dissipates."""
        return 0.0 if self.is_dissipative else _share(self.loss - self.uncertainty, self.scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDiagnostics:
    """What a run shows about its own accuracy, from its start to now.

    Attributes:
        steps: How many steps were taken.
        samples: How many of them were sampled; between them lie :data:`ossature.simulation.run_monitor.LONGEST_INTERVAL` steps
            at the most, and fewer if power changes fast.
        loop_residual: Largest residual of a joint or constraint that closes a loop [m or rad] in any step, of divided steps in
            their last sub-step; None without any.
        rotation_per_step: Largest rotation of a body in one step [rad], or None if nothing moves.
        travel_per_step: Largest travel of a centre of mass in one step [m], likewise.
        stiffness: Largest stiffness and damping of springs, bushings and dampers at any configuration, as a share of what the
            integrator is stable with; None for an integrator that is stable with any, and if there are none.
        energy: The energy balance.
        singular_configurations: Singular configurations that mechanisms with loops met, each place once.
    """

    steps: int
    samples: int
    loop_residual: Peak | None
    rotation_per_step: Peak | None
    travel_per_step: Peak | None
    stiffness: Peak | None
    energy: EnergyBalance
    singular_configurations: tuple[SingularConfiguration, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; numbers of an energy balance that is not resolved are null."""
        data = asdict(self)
        data["energy"] = self.energy.to_json()
        return data


def _share(value: float, scale: float) -> float:
    return max(value, 0.0) / scale if scale > 0.0 else 0.0
