"""What inverse kinematics finds, and why it finds nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ossature.kinematics.ik.targets import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class IkSolution:
    """Coordinates that bring a frame to a target.

    Attributes:
        positions: Coordinates by joint [rad or m]: of the joints that move the frame, of those on its chain that follow them,
            and of those that were stated.
        distance: How far they are from the seed, the root of the sum of squares over all that moved [rad and m].
        position_error: What is left between the frame and the target [m].
        angle_error: What is left between them [rad].
    """

    positions: dict[str, tuple[float, ...]]
    distance: float
    position_error: float
    angle_error: float


class FailureKind(StrEnum):
    """Why a target is not met."""

    OUT_OF_REACH = "out-of-reach"
    """Not even without limits would the frame get there."""
    LIMITS = "limits"
    """The limits of joints keep the frame from it."""
    COLLISION = "collision"
    """Wherever the frame is there, bodies touch."""
    ATTEMPTS = "attempts"
    """No reason was looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IkFailure:
    """Why a target is not met.

    Attributes:
        kind: What keeps the frame from it.
        message: The same for people.
        position_error: How near the frame came: what was left [m].
        angle_error: What was left in the same place [rad].
        joints: Names of the joints whose limits are in the way.
        collisions: Pairs of bodies that touch, nearest to the seed.
    """

    kind: FailureKind
    message: str
    position_error: float = 0.0
    angle_error: float = 0.0
    joints: tuple[str, ...] = ()
    collisions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IkResult:
    """What inverse kinematics made of a target.

    Attributes:
        target: The target.
        solutions: Coordinates that meet it, the nearest to the seed first.
        failure: Why there are none, or None where there are.
    """

    target: Target
    solutions: tuple[IkSolution, ...] = ()
    failure: IkFailure | None = None

    @property
    def found(self) -> bool:
        """Whether the target is met."""
        return bool(self.solutions)
