"""Solutions and failures of inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ossature.kinematics.ik.targets import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class IkSolution:
    """Coordinates that bring a frame to a target.

    Attributes:
        positions: Coordinates by joint [rad or m]: of the joints that move the frame, of those on its chain that are coupled to
            them, and of those that were given.
        distance: The Euclidean distance from the seed, over all coordinates that were moved [rad and m].
        position_error: Distance of the frame from the target [m].
        angle_error: Angle between them [rad].
    """

    positions: dict[str, tuple[float, ...]]
    distance: float
    position_error: float
    angle_error: float


class FailureKind(StrEnum):
    """Why a target is not reached."""

    OUT_OF_REACH = "out-of-reach"
    """It is out of reach even without joint limits."""
    LIMITS = "limits"
    """It is reached only beyond joint limits."""
    COLLISION = "collision"
    """Bodies collide in every solution."""
    ATTEMPTS = "attempts"
    """No solution was found, and the cause is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IkFailure:
    """Why a target is not reached.

    Attributes:
        kind: The cause.
        message: The cause as a text.
        position_error: The smallest distance of the frame from the target [m].
        angle_error: The angle between them at that distance [rad].
        joints: Names of the joints whose limits are violated.
        collisions: Pairs of bodies that collide, in the solution nearest to the seed.
    """

    kind: FailureKind
    message: str
    position_error: float = 0.0
    angle_error: float = 0.0
    joints: tuple[str, ...] = ()
    collisions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IkResult:
    """The result of inverse kinematics for a target.

    Attributes:
        target: The target.
        solutions: The solutions, the nearest to the seed first.
        failure: Why there is no solution; None if there are solutions.
    """

    target: Target
    solutions: tuple[IkSolution, ...] = ()
    failure: IkFailure | None = None

    @property
    def found(self) -> bool:
        """Whether the target is reached."""
        return bool(self.solutions)
