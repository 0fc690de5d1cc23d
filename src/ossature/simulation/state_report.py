"""Looking into a state: what can be asked of a World at an instant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ossature.simulation.contacts import ContactPoint, contact_points
from ossature.simulation.simulation import Simulation

AT_LIMIT = 1e-9
"""How near to a limit counts as having reached it [rad or m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    """A joint that stands at the end of its way, or beyond.

    Attributes:
        model: Name of the model.
        joint: Name of the joint.
        coordinate: Which of its coordinates.
        position: Where it stands [rad or m].
        limit: The limit that it reached.
    """

    model: str
    joint: str
    coordinate: int
    position: float
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StateReport:
    """What a state of a World means.

    Attributes:
        potential_energy: Of gravity and springs [J].
        kinetic_energy: Of all bodies [J].
        contacts: Where bodies touch.
        limits: Which joints stand at a limit.
        violation: The largest violation of a constraint that closes a loop [m or rad], or None where there is none to close.
    """

    potential_energy: float
    kinetic_energy: float
    contacts: tuple[ContactPoint, ...]
    limits: tuple[LimitReached, ...]
    violation: float | None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "energy": {"potential": self.potential_energy, "kinetic": self.kinetic_energy},
            "contacts": [
                {
                    "bodies": ["/".join(body) for body in contact.bodies],
                    "position": list(contact.position),
                    "normal": list(contact.normal),
                    "depth": contact.depth,
                }
                for contact in self.contacts
            ],
            "limits": [
                {
                    "joint": f"{reached.model}/{reached.joint}",
                    "coordinate": reached.coordinate,
                    "position": reached.position,
                    "limit": reached.limit,
                }
                for reached in self.limits
            ],
            "violation": self.violation,
        }


def report_state(simulation: Simulation) -> StateReport:
    """Return what the state of a simulation means now; the simulation goes on as if nobody had looked."""
    contacts = tuple(contact_points(simulation))
    potential, kinetic = simulation.energy()
    violation = simulation.run(0.0).violation
    return StateReport(
        potential_energy=potential,
        kinetic_energy=kinetic,
        contacts=contacts,
        limits=tuple(_limits(simulation)),
        violation=float(violation[-1]) if len(violation) else None,
    )


def _limits(simulation: Simulation) -> list[LimitReached]:
    reached = []
    for model, joints in simulation.positions().items():
        for name, positions in joints.items():
            coordinates = simulation.world.models[model].joints[name].coordinates
            for number, (position, coordinate) in enumerate(zip(positions, coordinates, strict=True)):
                lower, upper = coordinate.position_limits.lower, coordinate.position_limits.upper
                limit = lower if position <= lower + AT_LIMIT else upper if position >= upper - AT_LIMIT else math.nan
                if math.isfinite(limit):
                    reached.append(LimitReached(model=model, joint=name, coordinate=number, position=position, limit=limit))
    return reached
