"""What drives joints: constraints of the engine whose targets move, or forces."""

from __future__ import annotations

import math
from typing import Any

import mujoco

from ossature.diagnostics import Report
from ossature.model import Actuation, Coordinate, Joint, Model
from ossature.simulation import rules
from ossature.simulation.joints import rub

DRIVEN = (Actuation.VELOCITY, Actuation.ACCELERATION, Actuation.SERVO)
"""Actuations that prescribe a motion."""


def is_limited(coordinate: Coordinate) -> bool:
    """Whether the effort at a coordinate is limited."""
    return coordinate.effort.bounded


def is_limited_servo(joint: Joint) -> bool:
    """Whether a joint is a servo that may fail to follow."""
    return joint.actuation is Actuation.SERVO and any(map(is_limited, joint.coordinates))


def servo_limit(coordinate: Coordinate) -> float:
    """Return the largest force of a servo, either way."""
    return max(abs(coordinate.effort.lower), abs(coordinate.effort.upper))


def add_actuation(
    spec: Any, bodies: dict[str, Any], model: Model, joint: Joint, added: list[Any], time_step: float, report: Report
) -> None:
    """Add what a driven joint needs: a moving equality, or friction that pulls along."""
    if joint.actuation not in DRIVEN or not added:
        return
    if _is_scalar(added):
        hinges = added[-1:] if len(added) > joint.degrees_of_freedom else added
        for engine_joint, coordinate in zip(hinges, joint.coordinates, strict=True):
            if joint.actuation is Actuation.SERVO and is_limited(coordinate):
                _pull_along(engine_joint, joint, coordinate, f"{model.name}/{joint.name}", time_step, report)
            else:
                _follow(spec, engine_joint)
        return
    weld = spec.add_equality()
    weld.type = mujoco.mjtEq.mjEQ_WELD
    weld.name = f"{model.name}/{joint.name}"
    weld.objtype = mujoco.mjtObj.mjOBJ_BODY
    weld.name1 = bodies[joint.child].name
    weld.name2 = "world" if joint.parent is None else bodies[joint.parent].name
    # The data of a new equality are those of a joint's polynomial.
    weld.data[:] = 0.0
    weld.data[6] = weld.data[10] = 1.0


def _is_scalar(added: list[Any]) -> bool:
    scalars = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    return all(engine_joint.type in scalars for engine_joint in added)


def _follow(spec: Any, engine_joint: Any) -> None:
    equality = spec.add_equality()
    equality.type = mujoco.mjtEq.mjEQ_JOINT
    equality.name = f"{engine_joint.name} follows"
    equality.name1 = engine_joint.name
    equality.data[:] = 0.0


def _pull_along(engine_joint: Any, joint: Joint, coordinate: Coordinate, path: str, time_step: float, report: Report) -> None:
    limit = servo_limit(coordinate)
    if not math.isclose(-coordinate.effort.lower, coordinate.effort.upper):
        report.add(rules.UNEVEN_SERVO, f"{path}: its effort is limited to {limit:g} both ways", joint.origin, path=path)
    # Friction against a velocity other than zero is exactly a servo with a limit.
    rub(engine_joint, limit + coordinate.friction, time_step)
