"""Coordinates of a joint with limits and resistance, and the drives that move them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ossature.formats.usd import rules
from ossature.formats.usd.joint_motions import JointMotion, stated_limits
from ossature.formats.usd.joint_spec import Drive
from ossature.formats.usd.solver_parameters import solver_parameter
from ossature.formats.usd.stage import Prim
from ossature.model import Coordinate, MujocoJoint, Range
from ossature.model.joint import UNBOUNDED

_ROUNDING = 1e-6
"""Largest relative difference of numbers that are the same but for their rounding to 32 bits."""


def _unit(prim: Prim, motion: JointMotion) -> float:
    """Return radians in a degree, or metres in a unit of length."""
    return math.pi / 180.0 if motion.is_rotation else prim.stage.length


def _effort(prim: Prim, motion: JointMotion) -> float:
    return prim.stage.torque if motion.is_rotation else prim.stage.force


def read_coordinate(prim: Prim, motion: JointMotion, *, is_first: bool = True) -> Coordinate:
    """Return the coordinate of a motion, in SI units.

    Args:
        is_first: Whether it is the first one of its joint, which has the parameters of MuJoCo for all.
    """
    unit, effort = _unit(prim, motion), _effort(prim, motion)
    low, high = _position_limits(prim, motion)
    speed = prim.number("newton:velocityLimit", math.inf) * unit
    force = prim.finite("urdf:limit:effort", 0.0) * effort
    name = prim.token(f"mjcf:{motion.name}:name", "") or None
    return Coordinate(
        name=name,
        position_limits=Range(low * unit, high * unit),
        velocity_limits=Range(-speed, speed) if 0.0 < speed < math.inf else UNBOUNDED,
        effort_limits=_effort_limits(prim, effort, force),
        damping=_nonnegative(prim, ("newton:damping",), effort / unit, "mjc:damping", effort / _radian(prim, motion)),
        friction=_nonnegative(prim, ("newton:friction",), effort, "mjc:frictionloss", effort),
        armature=_nonnegative(prim, ("newton:armature", "physxJoint:armature"), *_inertia(prim, motion)),
        stiffness=_nonnegative(prim, (), 1.0, "mjc:stiffness", effort / _radian(prim, motion)),
        spring_reference=_spring_reference(prim, motion),
        hints=(_mujoco_hint(prim, motion),) if is_first else (),
    )


def _radian(prim: Prim, motion: JointMotion) -> float:
    """Return radians in MuJoCo's unit of the coordinate's rate, or metres in a unit of length."""
    return 1.0 if motion.is_rotation else prim.stage.length


def _inertia(prim: Prim, motion: JointMotion) -> tuple[float, str, float]:
    factor = prim.stage.torque if motion.is_rotation else prim.stage.mass
    return factor, "mjc:armature", factor


def _spring_reference(prim: Prim, motion: JointMotion) -> float:
    return prim.finite("mjc:springref", 0.0) * (prim.stage.mujoco_angle if motion.is_rotation else prim.stage.length)


def _effort_limits(prim: Prim, unit: float, urdf: float) -> Range:
    low, high = (prim.number(f"mjc:actuatorfrcrange:{end}", 0.0) for end in ("min", "max"))
    limited = prim.token("mjc:actuatorfrclimited", "auto")
    if limited != "false" and low < high:
        return Range(low * unit, high * unit)
    return Range(-urdf, urdf) if urdf > 0.0 else UNBOUNDED


def _position_limits(prim: Prim, motion: JointMotion) -> tuple[float, float]:
    if motion.instance in ("angular", "linear"):
        return prim.number("physics:lowerLimit", -math.inf), prim.number("physics:upperLimit", math.inf)
    return stated_limits(prim, motion.name) if f"PhysicsLimitAPI:{motion.name}" in prim.apis else (-math.inf, math.inf)


def _nonnegative(prim: Prim, names: Sequence[str], unit: float, deprecated: str, deprecated_unit: float) -> float:
    """Return the first number that a joint states, in SI units; one below zero is ignored.

    The last one has 64 bits, and the others 32: it is returned if the first one is its rounding.
    """
    units = {**dict.fromkeys(names, unit), deprecated: deprecated_unit}
    values = [(name, prim.finite(name, 0.0) * factor) for name, factor in units.items() if name in prim.attributes]
    if not values:
        return 0.0
    name, value = values[0]
    if math.isclose(value, values[-1][1], rel_tol=_ROUNDING):
        name, value = values[-1]
    if value < 0.0:
        prim.stage.add(rules.INVALID_VALUE, f"'{name}' of {prim.path} is negative: it is ignored")
    return max(value, 0.0)


def _mujoco_hint(prim: Prim, motion: JointMotion) -> MujocoJoint:
    names = ("solreflimit", "solimplimit", "solreffriction", "solimpfriction")
    angle = prim.stage.mujoco_angle if motion.is_rotation else prim.stage.length
    is_single = motion.instance in ("angular", "linear")
    return MujocoJoint(
        ref=(prim.finite("mjc:ref", 0.0) * angle or None) if is_single else None,
        **{name: solver_parameter(prim, name) for name in names},
        margin=prim.finite("mjc:margin", 0.0) * (prim.stage.mujoco_angle if motion.is_rotation else prim.stage.length) or None,
        actuatorgravcomp=True if prim.flag("mjc:actuatorgravcomp", False) else None,
        group=int(prim.finite("mjc:group", 0.0)) or None,
    )


def read_drive(prim: Prim, motion: JointMotion, number: int) -> Drive | None:
    """Return the drive of a motion, or None if it has none, or, with a finding, one that cannot be represented.

    Args:
        number: The index of the coordinate.
    """
    if f"PhysicsDriveAPI:{motion.instance}" not in prim.apis:
        return None
    prefix = f"drive:{motion.instance}:physics:"
    unit, effort = _unit(prim, motion), _effort(prim, motion)
    kind = prim.token(f"{prefix}type", "force")
    stiffness, damping = prim.finite(f"{prefix}stiffness", 0.0), prim.finite(f"{prefix}damping", 0.0)
    drive = Drive(
        coordinate=number,
        stiffness=stiffness * effort / unit,
        damping=damping * effort / unit,
        target=prim.finite(f"{prefix}targetPosition", 0.0) * unit,
        target_velocity=prim.finite(f"{prefix}targetVelocity", 0.0) * unit,
        force_limit=prim.number(f"{prefix}maxForce", math.inf) * effort,
    )
    if kind == "acceleration" and (stiffness or damping):
        message = f"the drive of {prim.path} states accelerations: it is ignored"
        prim.stage.add(rules.IGNORED_JOINT, message, hint="state a drive of the type force")
        return None
    return drive
