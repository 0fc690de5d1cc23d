"""Joints as a stage states them: what they connect, and their motions, coordinates and drives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ossature.formats.usd.stage import Prim
from ossature.model import Coordinate, JointType, Range
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class JointEnd:
    """One side of a joint.

    Attributes:
        body: The prim of the body, or None for the world.
        frame: The joint frame in the body, or in the world.
    """

    body: Prim | None
    frame: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """A drive of a coordinate: ``stiffness (target - q) + damping (target_velocity - v)``, in SI units.

    Attributes:
        force_limit: Largest force or torque.
    """

    coordinate: int
    stiffness: float
    damping: float
    target: float
    target_velocity: float
    force_limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSpec:
    """A joint as a stage states it.

    Attributes:
        prim: Its prim.
        ends: Its sides: of ``body0``, which is the parent, and of ``body1``.
        is_in_tree: Whether an articulation may contain it.
        parts: The prims of the joints of which it is made, with the index of their first coordinate.
    """

    prim: Prim
    ends: tuple[JointEnd, JointEnd]
    type: JointType
    coordinates: tuple[Coordinate, ...]
    drives: tuple[Drive, ...] = ()
    is_in_tree: bool = True
    parts: tuple[tuple[Prim, int], ...] = ()


def shifted(joint: JointSpec, positions: Sequence[float]) -> JointSpec:
    """Return a joint whose coordinates are counted from other positions."""
    coordinates = [
        replace(
            one,
            position_limits=Range(one.position_limits.lower - offset, one.position_limits.upper - offset),
            spring_reference=one.spring_reference - offset if one.stiffness else one.spring_reference,
        )
        for one, offset in zip(joint.coordinates, positions, strict=True)
    ]
    drives = [replace(drive, target=drive.target - positions[drive.coordinate]) for drive in joint.drives]
    return replace(joint, coordinates=tuple(coordinates), drives=tuple(drives))
