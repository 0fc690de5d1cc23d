"""Motors between two bodies, driven by functions of time."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ossature.diagnostics import Location
from ossature.model.joint import Z_AXIS, Cylindrical, JointType, PointOnLine, Prismatic, Revolute
from ossature.model.time_function import EXTERNAL, Function
from ossature.model.validated_element import Element
from ossature.spatial import IDENTITY, Pose, Vector3


class MotorKinematics(StrEnum):
    """Which relative motion a motor moves, and which others it prevents."""

    PRISMATIC = "prismatic"
    """A translation; all other motions are constrained."""
    SPHERICAL = "spherical"
    """A translation; all rotations are free."""
    LINEAR_FREE = "linear_free"
    """A translation; all other motions are free."""
    REVOLUTE = "revolute"
    """A rotation; all other motions are constrained."""
    CYLINDRICAL = "cylindrical"
    """A rotation; the translation along the axis is free."""
    ROTATION_FREE = "rotation_free"
    """A rotation; all other motions are free."""

    @property
    def is_rotational(self) -> bool:
        """Whether the motor drives a rotation, else a translation."""
        return self in (MotorKinematics.REVOLUTE, MotorKinematics.CYLINDRICAL, MotorKinematics.ROTATION_FREE)


class DriveMode(StrEnum):
    """The quantity that a motor's function prescribes."""

    POSITION = "position"
    """The coordinate [m or rad], zero at the initial poses."""
    SPEED = "speed"
    """The rate of the coordinate [m/s or rad/s]."""
    FORCE = "force"
    """The force or torque on ``body1`` [N or N·m], and its opposite on ``body2``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motor(Element):
    """A motor that moves ``body1`` relative to ``body2``, positive along or about its axis.

    Attributes:
        name: Its name, unique among the model's motors.
        body1: The first body, or None for the world.
        body2: The second body, or None for the world.
        guide: The motion that it drives, and those that it constrains.
        drive: The quantity that its function prescribes.
        function: The function of time.
        pose: The motor's frame in the frame of ``body1``.
        axis: Unit vector in the motor's frame.
    """

    name: str
    body1: str | None
    body2: str | None
    guide: MotorKinematics
    drive: DriveMode
    function: Function = EXTERNAL
    pose: Pose = IDENTITY
    axis: Vector3 = Z_AXIS
    origin: Location | None = field(default=None, compare=False, repr=False)

    @property
    def joint_type(self) -> JointType | None:
        """The joint that the motor's guide implies, or None if it constrains nothing."""
        match self.guide:
            case MotorKinematics.PRISMATIC:
                return Prismatic(axis=self.axis)
            case MotorKinematics.SPHERICAL:
                return PointOnLine(axis=self.axis)
            case MotorKinematics.REVOLUTE:
                return Revolute(axis=self.axis)
            case MotorKinematics.CYLINDRICAL:
                return Cylindrical(axis=self.axis)
            case _:
                return None
