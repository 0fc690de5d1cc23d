"""Motions that a joint of UsdPhysics permits, and the type of joint that has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ossature.formats.usd import rules
from ossature.formats.usd.read_shapes import AXES
from ossature.formats.usd.stage import Prim
from ossature.model import (
    Axis,
    Compound,
    Cylindrical,
    Euler,
    Fixed,
    Floating,
    JointType,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalMotion,
    Translational,
    Translational2D,
    Universal,
)
from ossature.spatial import Vector3

TRANSLATIONS = ("transX", "transY", "transZ")
ROTATIONS = ("rotX", "rotY", "rotZ")


@dataclass(frozen=True, slots=True)
class JointMotion:
    """One degree of freedom.

    Attributes:
        name: Its name in UsdPhysics: ``transX`` to ``rotZ``.
        instance: The name of its drive in UsdPhysics.
    """

    name: str
    instance: str

    @property
    def is_rotation(self) -> bool:
        """Whether it is a rotation."""
        return self.name.startswith("rot")

    @property
    def direction(self) -> Vector3:
        """Its axis in the frame of the joint."""
        return AXES[self.name[-1]]


def joint_motions(prim: Prim) -> tuple[list[JointMotion], JointType]:
    """Return the motions of a joint, in the order of its coordinates, and its type."""
    axis = prim.token("physics:axis", "X")
    if axis not in AXES:
        prim.stage.add(rules.INVALID_VALUE, f"'physics:axis' of {prim.path} is '{axis}': using X", hint="valid: X, Y, Z")
        axis = "X"
    match prim.type:
        case "PhysicsRevoluteJoint":
            return [JointMotion(f"rot{axis}", "angular")], Revolute(axis=AXES[axis])
        case "PhysicsPrismaticJoint":
            return [JointMotion(f"trans{axis}", "linear")], Prismatic(axis=AXES[axis])
        case "PhysicsSphericalJoint":
            return [JointMotion(name, name) for name in ROTATIONS], Spherical()
        case "PhysicsFixedJoint":
            return [], Fixed()
    return _free_motions(prim)


def _free_motions(prim: Prim) -> tuple[list[JointMotion], JointType]:
    """Return the motions of a generic joint: those that are not locked."""
    free = [JointMotion(name, name) for name in (*TRANSLATIONS, *ROTATIONS) if not _is_locked(prim, name)]
    slides, turns = [[each for each in free if each.is_rotation is turning] for turning in (False, True)]
    is_plain = not any(_is_bounded(prim, motion) for motion in turns)
    kind = _type_of(slides, turns, is_plain=is_plain)
    return (turns + slides if isinstance(kind, Floating | Cylindrical) else free), kind


def has_unordered_rotations(prim: Prim, motions: Sequence[JointMotion]) -> bool:
    """Whether a generic joint has several rotations whose order UsdPhysics does not define."""
    turns = [motion for motion in motions if motion.is_rotation]
    is_spherical = len(turns) == 3 and not any(_is_bounded(prim, motion) for motion in turns)
    return len(turns) > 1 and prim.type != "PhysicsSphericalJoint" and not is_spherical


def _is_locked(prim: Prim, name: str) -> bool:
    if f"PhysicsLimitAPI:{name}" not in prim.apis:
        return False
    low, high = stated_limits(prim, name)
    return low > high or low == high == 0.0


def stated_limits(prim: Prim, name: str) -> tuple[float, float]:
    """Return the limits of one motion of a generic joint, in units of the stage."""
    return prim.number(f"limit:{name}:physics:low", -math.inf), prim.number(f"limit:{name}:physics:high", math.inf)


def _is_bounded(prim: Prim, motion: JointMotion) -> bool:
    """Whether a rotation has limits or a drive, which belong to an angle."""
    low, high = stated_limits(prim, motion.name)
    has_limit = f"PhysicsLimitAPI:{motion.name}" in prim.apis and (low > -math.inf or high < math.inf)
    return has_limit or f"PhysicsDriveAPI:{motion.instance}" in prim.apis


def _type_of(slides: Sequence[JointMotion], turns: Sequence[JointMotion], *, is_plain: bool) -> JointType:
    """Return the joint with some translations, and then some rotations; limited rotations are angles."""
    axes = tuple(Axis(direction=motion.direction, is_revolute=motion.is_rotation) for motion in (*slides, *turns))
    match len(slides), len(turns):
        case 0, 0:
            return Fixed()
        case 0, 1:
            return Revolute(axis=turns[0].direction)
        case 1, 0:
            return Prismatic(axis=slides[0].direction)
        case 1, 1 if slides[0].direction == turns[0].direction:
            return Cylindrical(axis=turns[0].direction)
        case 0, 2:
            return Universal(axis1=turns[0].direction, axis2=turns[1].direction)
        case 0, 3:
            return Spherical() if is_plain else Euler(order="xyz")
        case 2, 0:
            return Translational2D(axis1=slides[0].direction, axis2=slides[1].direction)
        case 3, 0:
            return Translational()
        case 3, 3 if is_plain:
            return Floating()
        case 2, 1 if turns[0].direction not in (slides[0].direction, slides[1].direction):
            return _planar(slides, turns[0])
    if len(turns) == 3 and is_plain:
        return Compound(axes=(*axes[: len(slides)], SphericalMotion()))
    return Compound(axes=axes)


def _planar(slides: Sequence[JointMotion], turn: JointMotion) -> JointType:
    """Return a planar joint if the rotation is about the cross product of the translations, which is not so for x and z."""
    if slides[0].name.endswith("X") and slides[1].name.endswith("Z"):
        axes = (*slides, turn)
        return Compound(axes=tuple(Axis(direction=each.direction, is_revolute=each.is_rotation) for each in axes))
    return Planar(axis1=slides[0].direction, axis2=slides[1].direction)
