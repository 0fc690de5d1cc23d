"""Report of a state: energy, contacts, joint limits and constraint violation of a World at an instant."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ossature.simulation.contacts import ContactPoint, contact_points
from ossature.simulation.simulation import Simulation

AT_LIMIT = 1e-5
"""Distance from a limit below which it counts as reached [rad or m]: joints stop within a few micrometres of theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    """A joint coordinate at its position limit or beyond.

    Attributes:
        position: Its position [rad or m].
        limit: The limit that it reached [rad or m].
    """

    model: str
    joint: str
    coordinate: int
    position: float
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StateReport:
    """Quantities that are derived from a state of a World.

    Attributes:
        potential_energy: Potential energy of gravity and springs [J].
        kinetic_energy: Kinetic energy of all bodies [J].
        limits: The joint coordinates at a limit.
        violation: The largest residual of a loop joint or constraint [m or rad], or None if there are no loops.
    """

    potential_energy: float
    kinetic_energy: float
    contacts: tuple[ContactPoint, ...]
    limits: tuple[LimitReached, ...]
    violation: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
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
    """Return the report of the current state of a simulation, without effect on the simulation."""
    contacts = tuple(contact_points(simulation))
    potential, kinetic = simulation.energy()
    violation = simulation.run(0.0).violation
    return StateReport(
        potential_energy=potential,
        kinetic_energy=kinetic,
        contacts=contacts,
        limits=tuple(_limits_reached(simulation)),
        violation=float(violation[-1]) if len(violation) else None,
    )


def _limits_reached(simulation: Simulation) -> list[LimitReached]:
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
