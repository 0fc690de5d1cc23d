"""Actuation of joints: equality constraints of the engine with moving targets, or forces."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from ossature.diagnostics import OssatureError, Report, Severity
from ossature.kinematics.rules import UNENFORCED_POSITION_LIMIT
from ossature.model import Actuation, Coordinate, Floating, Joint, Model, Spherical
from ossature.simulation.compile import rules
from ossature.simulation.compile.address_map import AddressMap, JointLayout
from ossature.simulation.compile.engine_spec import EngineSpec, SpecBody, SpecJoint, SpecTendon, append
from ossature.simulation.compile.equality_constraints import add_joint_equality, add_weld
from ossature.simulation.compile.joints import PRESCRIBED, set_friction
from ossature.spatial import IDENTITY

DRIVEN = (Actuation.VELOCITY, Actuation.ACCELERATION, Actuation.SERVO)
"""Actuations that prescribe a motion."""


def is_limited_servo(joint: Joint) -> bool:
    """Whether a joint is a servo with an effort limit."""
    return any(is_effort_limited_servo(joint, coordinate) for coordinate in joint.coordinates)


def is_effort_limited_servo(joint: Joint, coordinate: Coordinate) -> bool:
    """Whether a coordinate of a joint is a servo with an effort limit."""
    lower, upper = coordinate.effort_limits.lower, coordinate.effort_limits.upper
    is_limited = math.isfinite(lower) and math.isfinite(upper) and lower <= upper
    return is_limited and joint.actuation is Actuation.SERVO and not isinstance(joint.type, Spherical | Floating)


def friction_from_effort_limits(coordinate: Coordinate) -> float:
    """Return the friction of a servo: with :func:`servo_bias_force` it spans the effort limits."""
    return (coordinate.effort_limits.upper - coordinate.effort_limits.lower) / 2.0


def servo_bias_force(coordinate: Coordinate) -> float:
    """Return the constant force of a servo besides its friction: the middle of the effort limits."""
    return (coordinate.effort_limits.upper + coordinate.effort_limits.lower) / 2.0


def add_actuation(
    spec: EngineSpec,
    bodies: dict[str, SpecBody],
    model: Model,
    joint: Joint,
    built: Joint,
    added: list[SpecJoint],
    time_step: float,
    report: Report,
) -> None:
    """Add the equality of a driven joint, or the friction of a servo with an effort limit."""
    if joint.actuation not in DRIVEN or not added:
        return
    _report_unenforced(model, joint, report)
    if not _is_scalar(added):
        if not isinstance(joint.type, Spherical | Floating):
            kind = type(joint.type).__name__
            raise OssatureError(f"joint '{model.name}/{joint.name}': the motion of a joint of type {kind} cannot be prescribed")
        _weld_to_parent(spec, bodies, f"{model.name}/{joint.name}", built)
        return
    for engine_joint, coordinate in zip(added[-joint.degrees_of_freedom :], joint.coordinates, strict=True):
        if is_effort_limited_servo(joint, coordinate):
            _add_servo(spec, engine_joint, coordinate, time_step)
        else:
            add_joint_equality(spec, f"{engine_joint.name} follows", engine_joint)


def drive_welds(engine_model: mujoco.MjModel, index: AddressMap) -> list[int]:
    """Return the indices of the welds that prescribe the motions of ball and free joints."""
    layouts = (JointLayout.BALL, JointLayout.STACK)
    driven = [each for each in index.all_joints() if each.joint.actuation in DRIVEN and each.layout in layouts]
    names = {f"{each.model}/{each.joint.name}" for each in driven}
    welds = np.flatnonzero(engine_model.eq_type == mujoco.mjtEq.mjEQ_WELD).tolist() if names else []
    return [weld for weld in welds if engine_model.equality(weld).name in names]


def _is_scalar(added: list[SpecJoint]) -> bool:
    scalars = (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    return all(engine_joint.type in scalars for engine_joint in added)


def _weld_to_parent(spec: EngineSpec, bodies: dict[str, SpecBody], name: str, built: Joint) -> None:
    parent = "world" if built.parent is None else bodies[built.parent].name
    add_weld(spec, name, bodies[built.child].name, parent, IDENTITY)


def _add_servo(spec: EngineSpec, engine_joint: SpecJoint, coordinate: Coordinate, time_step: float) -> None:
    # Friction relative to the commanded velocity is exactly a servo with an effort limit.
    set_friction(engine_joint, friction_from_effort_limits(coordinate), time_step)
    if coordinate.friction:
        # The joint's own friction is relative to zero velocity, so it needs another constraint.
        tendon = append(spec.tendons, SpecTendon(name=f"{engine_joint.name} rubs"))
        tendon.wrap_joint(engine_joint.name, 1.0)
        set_friction(tendon, coordinate.friction, time_step)


def _report_unenforced(model: Model, joint: Joint, report: Report) -> None:
    unenforced = [c for c in joint.coordinates if c.effort_limits.bounded and not is_effort_limited_servo(joint, c)]
    if joint.actuation is Actuation.SERVO and unenforced:
        path = f"{model.name}/{joint.name}"
        report.add(rules.UNENFORCED_EFFORT_LIMIT, f"{path}: the effort limit is not enforced", joint.origin, path=path)
    if joint.actuation in PRESCRIBED and any(coordinate.position_limits.bounded for coordinate in joint.coordinates):
        path = f"{model.name}/{joint.name}"
        message = f"{path}: the commanded {joint.actuation.value} can move the joint beyond its position limits"
        report.add(UNENFORCED_POSITION_LIMIT.with_severity(Severity.NOTE), message, joint.origin, path=path)
