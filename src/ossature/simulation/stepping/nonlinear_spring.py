"""Spring-dampers whose law the engine does not have, with angles that count whole revolutions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ossature.array_types import Vector
from ossature.simulation.compile.force_laws import Law, Term


@dataclass(slots=True)
class NonlinearSpring:
    """A spring-damper with a law that its actuator does not have; ``turns``: counted revolutions and the last angle [rad]."""

    actuator: int
    terms: tuple[Term, ...]
    law: Law
    spring: Any
    wraps: bool
    offset: float
    inverse_mass: float
    turns: Vector = field(default_factory=lambda: np.zeros(2))


def unwrap_angle(spring: NonlinearSpring, angle: float) -> float:
    """Return an angle of a spring with whole revolutions, which are counted; the engine's is from -π to π [rad]."""
    revolutions, last = spring.turns.tolist()
    revolutions += wrap_correction(angle - last)
    spring.turns[:] = revolutions, angle
    return float(angle + revolutions)


def wrap_correction(jump: float) -> float:
    """Return the revolution [rad] by which an angle from -π to π wrapped when it changed by a jump [rad]."""
    return -math.tau if jump > math.pi else math.tau if jump < -math.pi else 0.0
