"""The World: everything that a file describes."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.model.body import Body
from ossature.model.collection import Named
from ossature.model.joint import Joint
from ossature.spatial import IDENTITY, Pose, Vector3

STANDARD_GRAVITY: Vector3 = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """Something that only one format says, carried along so that a writer of that format can say it again.

    Attributes:
        format: The format's name.
        key: What it is, in the format's own word.
        value: Its text.
    """

    format: str
    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A robot, a mechanism, or a thing: a graph of bodies and joints. Loops are allowed.

    Attributes:
        name: Its name, unique within the world.
        pose: The model frame in the world frame.
        bodies: Its bodies, in file order.
        joints: Its joints, in file order.
        static: Whether it never moves, whatever its joints say.
    """

    name: str
    pose: Pose = IDENTITY
    bodies: Named[Body] = field(default_factory=Named)
    joints: Named[Joint] = field(default_factory=Named)
    static: bool = False
    origin: Location | None = field(default=None, compare=False, repr=False)

    @property
    def degrees_of_freedom(self) -> int:
        """Number of joint coordinates, loops not taken off; zero for a static model."""
        return 0 if self.static else sum(joint.degrees_of_freedom for joint in self.joints)

    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
        return sum(body.inertial.mass for body in self.bodies)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Models under gravity.

    Attributes:
        name: Its name.
        gravity: Gravitational acceleration in the world frame [m/s²].
        time_step: Step that the author meant for simulation [s].
        models: The models, in file order.
        extensions: What only its own format says about the world.
    """

    name: str = "world"
    gravity: Vector3 = STANDARD_GRAVITY
    time_step: float = 0.001
    models: Named[Model] = field(default_factory=Named)
    extensions: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
