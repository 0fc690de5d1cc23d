"""Force elements: bushings, spring-dampers, loads.

A pair of bodies is ``body1`` and ``body2``; None is the world. Points and frames are given in the frame of the
body that they belong to, or in the model frame for the world, with all joints at zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from ossature.diagnostics import Location
from ossature.model.body import Rgba
from ossature.model.time_function import CONSTANT_ONE, Function
from ossature.model.validated_element import Element
from ossature.spatial import IDENTITY, ZERO3, Pose, Vector3

Vector6: TypeAlias = tuple[float, float, float, float, float, float]
ZERO6: Vector6 = (0.0,) * 6
Curve: TypeAlias = tuple[tuple[float, float], ...]
"""Points (argument, value), arguments growing: straight lines between them, constant beyond the ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bushing(Element):
    """A joint of rubber: a linear spring-damper for each of six relative motions.

    The displacement of ``body1`` is measured in the bushing's frame on ``body2``: three lengths, then the rotation
    vector. The force acts on each body at its own point.

    Attributes:
        name: Its name, unique among the model's bushings.
        body1: The first body.
        body2: The second body.
        pose: The bushing's frame in the frame of ``body1``.
        pose2: Its frame in the frame of ``body2``, or None if both coincide with all joints at zero.
        stiffness: Along and about x, y, z [N/m, N·m/rad].
        damping: Along and about x, y, z [N·s/m, N·m·s/rad].
    """

    name: str
    body1: str | None
    body2: str | None
    pose: Pose = IDENTITY
    pose2: Pose | None = None
    stiffness: Vector6 = ZERO6
    damping: Vector6 = ZERO6
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceMap(Element):
    """A force as a table over deformation and velocity; linear between the entries and beyond them.

    Attributes:
        deformations: Lengths beyond the free length, growing [m].
        velocities: Rates of the length, growing [m/s].
        forces: For each velocity a row with one force for each deformation [N].
    """

    deformations: tuple[float, ...]
    velocities: tuple[float, ...]
    forces: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpringVisual(Element):
    """How a spring-damper is drawn.

    Attributes:
        style: ``spring`` for a coil, ``segment`` for a straight line.
        radius: Radius of the coil [m], or None if unspecified.
        coil_count: Windings of the coil, or None.
        resolution: Vertices of each winding, or None.
        color: Its colour, or None.
    """

    style: str = "spring"
    radius: float | None = None
    coil_count: float | None = None
    resolution: int | None = None
    color: Rgba | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpringDamper(Element):
    """A spring-damper along the line between two points; all terms that are specified are added.

    With the length L, positive forces push the points apart:
    ``F = preload - stiffness·(L - free_length) - damping·dL/dt / (1 + degressivity·|dL/dt|) -
    spring_curve(L - free_length) - damping_curve(dL/dt) - force_map(dL/dt, L - free_length)``, plus the stops.

    Attributes:
        name: Its name, unique among the model's spring-dampers.
        body1: The first body.
        body2: The second body.
        point1: Its attachment point on ``body1``, in that body's frame [m].
        point2: Its attachment point on ``body2``, in that body's frame [m].
        free_length: Length at which the spring is relaxed [m], or None for the length at the start.
        stiffness: [N/m].
        damping: [N·s/m].
        degressivity: How damping falls off with speed, in compression and in extension [s/m].
        spring_curve: Force over deformation [m, N].
        damping_curve: Force over velocity [m/s, N].
        force_map: Force over both.
        preload: Constant force [N].
        length_range: Lengths at which hard stops start [m], or None without stops.
        visual: How it is drawn.
    """

    name: str
    body1: str | None
    body2: str | None
    point1: Vector3 = ZERO3
    point2: Vector3 = ZERO3
    free_length: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    degressivity: tuple[float, float] = (0.0, 0.0)
    spring_curve: Curve = ()
    damping_curve: Curve = ()
    force_map: ForceMap | None = None
    preload: float = 0.0
    length_range: tuple[float, float] | None = None
    visual: SpringVisual | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)


STOP_CURVE: Curve = (
    (0.0, 0.0),
    (2e-3, 200.0),
    (4e-3, 400.0),
    (6e-3, 600.0),
    (8e-3, 800.0),
    (10e-3, 1000.0),
    (20e-3, 2500.0),
    (30e-3, 4500.0),
    (40e-3, 7500.0),
    (50e-3, 12500.0),
    (60e-3, 125000.0),
)
"""Force of a hard stop over its penetration [m, N]: the stops of Chrono's spring-dampers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RotationalSpringDamper(Element):
    """A spring-damper about an axis; all terms that are specified are added.

    With the angle of ``body2`` relative to ``body1`` since the start, over all revolutions, the torque on ``body2``
    is ``preload - stiffness·(angle - free_angle) - damping·rate - spring_curve(angle - free_angle) -
    damping_curve(rate)``; its opposite acts on ``body1``.

    Attributes:
        name: Its name, unique among the model's rotational spring-dampers.
        body1: The first body.
        body2: The second body.
        axis: Unit vector in the frame of ``body1``.
        point: Its position in the frame of ``body1`` [m], only for rendering.
        free_angle: Angle at which the spring is relaxed [rad], or None for zero.
        stiffness: [N·m/rad].
        damping: [N·m·s/rad].
        spring_curve: Torque over deformation [rad, N·m].
        damping_curve: Torque over rate [rad/s, N·m].
        preload: Constant torque [N·m].
    """

    name: str
    body1: str | None
    body2: str | None
    axis: Vector3
    point: Vector3 = ZERO3
    free_angle: float | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    spring_curve: Curve = ()
    damping_curve: Curve = ()
    preload: float = 0.0
    origin: Location | None = field(default=None, compare=False, repr=False)


class LoadKind(StrEnum):
    """The type of a load."""

    FORCE = "force"
    TORQUE = "torque"


@dataclass(frozen=True, slots=True, kw_only=True)
class Load(Element):
    """A force or torque on one body.

    Attributes:
        name: Its name, unique among the model's loads.
        body: The body.
        kind: Force or torque.
        value: The vector [N or N·m], or None if an external program supplies it.
        expressed_in_body_frame: Whether the vector is in axes of the body, else in those of the model.
        point: Point of action of a force: in the body frame if it moves with the body, else in the model frame [m].
        applied_at_body_point: Whether the point moves with the body.
        modulation: Factor over time.
    """

    name: str
    body: str
    kind: LoadKind = LoadKind.FORCE
    value: Vector3 | None = None
    expressed_in_body_frame: bool = False
    point: Vector3 = ZERO3
    applied_at_body_point: bool = True
    modulation: Function = CONSTANT_ONE
    origin: Location | None = field(default=None, compare=False, repr=False)
