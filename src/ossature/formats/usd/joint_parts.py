"""Joints of OpenUSD for a joint: one prim, or several whose motions follow one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ossature.formats.usd.joint_motions import ROTATIONS, TRANSLATIONS
from ossature.formats.usd.read_shapes import AXES
from ossature.model import (
    UNCONSTRAINED_COORDINATE,
    Axis,
    Compound,
    Coordinate,
    Cylindrical,
    Euler,
    Fixed,
    Joint,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Spherical,
    SphericalMotion,
    Translational,
    Translational2D,
    Universal,
)
from ossature.spatial import (
    IDENTITY,
    IDENTITY_WXYZ,
    Pose,
    Quaternion,
    Vector3,
    cross,
    dot,
    matrix_from,
    quaternion_between,
    quaternion_from_matrix,
    scale,
    unit,
)

_PERPENDICULAR = 1e-12
"""Largest cosine of the angle between axes that are perpendicular."""
_HALF_TURNS: dict[str, Quaternion] = {"X": (0.0, 0.0, 0.0, 1.0), "Y": (0.0, 0.0, 0.0, 1.0), "Z": (0.0, 1.0, 0.0, 0.0)}
"""Rotations that reverse an axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointPart:
    """A prim that is a joint, or a part of one.

    Attributes:
        type: The type of the prim.
        frame: Its frame in that of the joint.
        axis: The letter of its axis, or None if it has none.
        motions: The name of each motion, ``transX`` to ``rotZ``, with the index of the coordinate of the joint.
    """

    type: str
    frame: Pose = IDENTITY
    axis: str | None = None
    motions: tuple[tuple[str, int], ...] = ()


def parts_of(joint: Joint) -> list[JointPart]:
    """Return the prims for a joint: the motions of several follow one another, the first one nearest to the parent."""
    whole = _whole(joint)
    return [whole] if whole is not None else [_part(motion, first) for first, motion in _sequence(joint)]


def _whole(joint: Joint) -> JointPart | None:
    """Return the one prim for a joint, or None if there is none."""
    match joint.type:
        case Fixed():
            return JointPart(type="PhysicsFixedJoint")
        case Revolute(axis=axis) | Prismatic(axis=axis):
            return _part(Axis(direction=axis, is_revolute=isinstance(joint.type, Revolute)), 0)
        case Spherical():
            return _part(SphericalMotion(), 0)
        case Cylindrical(axis=axis):
            letter, rotation = aligned(axis)
            return _generic(joint, Pose(wxyz=rotation), (f"rot{letter}", f"trans{letter}"))
        case Universal(axis1=first, axis2=second) if _are_perpendicular(first, second):
            return _generic(joint, _frame(first, second), ("rotX", "rotY"))
        case Euler(order="xyz") if any(one.position_limits.bounded for one in joint.coordinates):
            return _generic(joint, IDENTITY, ROTATIONS)
        case Translational():
            return _generic(joint, IDENTITY, TRANSLATIONS)
        case Translational2D(axis1=first, axis2=second) if _are_perpendicular(first, second):
            return _generic(joint, _frame(first, second), ("transX", "transY"))
        case Planar(axis1=first, axis2=second) if _are_perpendicular(first, second):
            return _generic(joint, _frame(first, second), ("transX", "transY", "rotZ"))
        case PointOnLine(axis=axis) if axis == AXES["X"]:
            return _with_free_rotation(joint, ("transX",))
        case PointOnPlane(axis1=first, axis2=second) if (first, second) == (AXES["X"], AXES["Y"]):
            return _with_free_rotation(joint, ("transX", "transY"))
    return None


def _sequence(joint: Joint) -> Sequence[tuple[int, Axis | SphericalMotion]]:
    """Return the motions of a joint that follow one another, each with the index of its first coordinate."""
    match joint.type:
        case Compound():
            return joint.type.motions
        case Universal(axis1=first, axis2=second):
            return list(enumerate((Axis(direction=first), Axis(direction=second))))
        case Cylindrical(axis=axis):
            return [(0, Axis(direction=axis)), (1, Axis(direction=axis, is_revolute=False))]
        case Translational():
            return [(number, Axis(direction=axis, is_revolute=False)) for number, axis in enumerate(AXES.values())]
        case Euler(order=order):
            return [(number, Axis(direction=AXES[letter.upper()])) for number, letter in enumerate(order)]
        case Planar(axis1=first, axis2=second) | Translational2D(axis1=first, axis2=second):
            slides = [(n, Axis(direction=axis, is_revolute=False)) for n, axis in enumerate((first, second))]
            turn = [(2, Axis(direction=unit(cross(first, second))))]
            return slides + turn if isinstance(joint.type, Planar) else slides
        case PointOnLine(axis=axis):
            return [(0, Axis(direction=axis, is_revolute=False)), (1, SphericalMotion())]
        case PointOnPlane(axis1=first, axis2=second):
            slides = [(n, Axis(direction=axis, is_revolute=False)) for n, axis in enumerate((first, second))]
            return [*slides, (2, SphericalMotion())]
    raise TypeError(f"{type(joint.type).__name__} joints have no sequence of motions")


def _part(motion: Axis | SphericalMotion, first: int) -> JointPart:
    if isinstance(motion, SphericalMotion):
        motions = tuple([(name, first + number) for number, name in enumerate(ROTATIONS)])
        return JointPart(type="PhysicsSphericalJoint", frame=Pose(motion.anchor), motions=motions)
    letter, rotation = aligned(motion.direction)
    if motion.is_revolute:
        frame = Pose(motion.anchor, rotation)
        return JointPart(type="PhysicsRevoluteJoint", frame=frame, axis=letter, motions=((f"rot{letter}", first),))
    frame = Pose(wxyz=rotation)
    return JointPart(type="PhysicsPrismaticJoint", frame=frame, axis=letter, motions=((f"trans{letter}", first),))


def _generic(joint: Joint, frame: Pose, motions: Sequence[str]) -> JointPart | None:
    """Return a joint with some motions, or None if their resistance differs: a prim has one value for all of them.

    It has the parameters of MuJoCo of the first one.
    """
    resistances = {_resistance(one) for one in joint.coordinates}
    if any(one.hints for one in joint.coordinates[1:]):
        return None
    are_mixed = len({name[:3] for name in motions}) > 1
    if len(resistances) > 1 or (are_mixed and resistances != {_WITHOUT_RESISTANCE}):
        return None
    return JointPart(type="PhysicsJoint", frame=frame, motions=tuple([(name, n) for n, name in enumerate(motions)]))


def _resistance(one: Coordinate) -> tuple[object, ...]:
    return (
        one.damping,
        one.friction,
        one.armature,
        one.stiffness,
        one.spring_reference,
        one.velocity_limits,
        one.effort_limits,
    )


_WITHOUT_RESISTANCE = _resistance(UNCONSTRAINED_COORDINATE)


def _with_free_rotation(joint: Joint, slides: Sequence[str]) -> JointPart | None:
    """Return a joint with some slides and any rotation, whose coordinates are a vector in the axes of its frame."""
    is_free = not any(one.position_limits.bounded for one in joint.coordinates[len(slides) :])
    return _generic(joint, IDENTITY, (*slides, *ROTATIONS)) if is_free else None


def aligned(axis: Vector3) -> tuple[str, Quaternion]:
    """Return the letter of the coordinate axis that is nearest to an axis, and the rotation that turns it to the axis."""
    direction = unit(axis)
    sizes = [abs(part) for part in direction]
    letter = "XYZ"[max(range(3), key=lambda number: (sizes[number], number))]
    if direction == AXES[letter]:
        return letter, IDENTITY_WXYZ
    if direction == scale(AXES[letter], -1.0):
        return letter, _HALF_TURNS[letter]
    return letter, quaternion_between(AXES[letter], direction)


def _are_perpendicular(first: Vector3, second: Vector3) -> bool:
    return abs(dot(unit(first), unit(second))) <= _PERPENDICULAR


def _frame(first: Vector3, second: Vector3) -> Pose:
    """Return a frame with x and y along perpendicular axes."""
    x, y = unit(first), unit(second)
    if (x, y) == (AXES["X"], AXES["Y"]):
        return IDENTITY
    columns = np.array([x, y, cross(x, y)]).T
    return Pose(wxyz=quaternion_from_matrix(matrix_from(columns)))
