"""Compilation of joints of the model to joints of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco

from ossature.diagnostics import OssatureError, Report
from ossature.kinematics import factor_joint
from ossature.kinematics.rotation_vector_coordinates import is_friction_uneven, multi_axis_coordinate_groups
from ossature.kinematics.rules import UNENFORCED_POSITION_LIMIT, UNEVEN_JOINT_FRICTION
from ossature.model import Actuation, Coordinate, Floating, Joint, PointOnLine, PointOnPlane, Range, Screw, Spherical
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.constraint_solref import FRICTION_IMPEDANCE, STOP_IMPEDANCE, joint_stop_solref, one_step_solref
from ossature.simulation.compile.coordinate_mapping import screw_advance
from ossature.simulation.compile.engine_spec import SpecBody, SpecJoint, SpecTendon, append
from ossature.spatial import IDENTITY, Vector3, rotate

_UNBOUNDED = 1e10
_SMALLEST_RANGE = 1e-9
_HINGE, _SLIDE = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSettings:
    """Settings that all joints of a compilation share.

    Attributes:
        time_step: The step [s].
        enforce_limits: Whether position limits are enforced.
    """

    time_step: float
    enforce_limits: bool


PRESCRIBED = (Actuation.VELOCITY, Actuation.ACCELERATION)
"""Actuations that prescribe a motion, which limits do not change, as in DART."""


def layout_of(joint: Joint, static: bool) -> JointLayout:
    """Return which engine joints represent a joint."""
    if static or joint.degrees_of_freedom == 0 or joint.actuation is Actuation.LOCKED:
        return JointLayout.NONE
    if isinstance(joint.type, Screw):
        return JointLayout.SCREW
    if isinstance(joint.type, Spherical):
        return JointLayout.BALL
    if isinstance(joint.type, PointOnLine | PointOnPlane):
        return JointLayout.POINT
    if isinstance(joint.type, Floating):
        return JointLayout.FREE if joint.parent is None and _moves_without_resistance(joint) else JointLayout.STACK
    return JointLayout.SCALARS


def _moves_without_resistance(joint: Joint) -> bool:
    has_force_actuation = joint.actuation in (Actuation.FORCE, Actuation.PASSIVE)
    return has_force_actuation and not any(map(has_dynamics, joint.coordinates))


def has_dynamics(coordinate: Coordinate) -> bool:
    """Whether a coordinate has damping, friction or stiffness."""
    return bool(coordinate.damping or coordinate.friction or coordinate.stiffness)


def add_joints(
    engine_body: SpecBody, joint: Joint, layout: JointLayout, name: str, settings: JointSettings, report: Report
) -> list[SpecJoint]:
    """Add the engine joints that represent a joint, in the order of its degrees of freedom."""
    if layout is JointLayout.NONE:
        return []
    if joint.actuation in PRESCRIBED:
        settings = replace(settings, enforce_limits=False)
    if layout is JointLayout.FREE:
        _report_unapplied(joint, name, report)
        return [append(engine_body.joints, SpecJoint(name=name, type=mujoco.mjtJoint.mjJNT_FREE))]
    if layout in (JointLayout.BALL, JointLayout.STACK):
        return _add_ball(engine_body, joint, layout, name, settings, report)
    if layout is JointLayout.POINT:
        return _add_point(engine_body, joint, name, settings, report)
    if layout is JointLayout.SCREW:
        return _add_screw(engine_body, joint, name, settings)
    return _add_scalars(engine_body, joint, name, settings)


def _add_scalars(engine_body: SpecBody, joint: Joint, name: str, settings: JointSettings) -> list[SpecJoint]:
    factors = factor_joint(joint.type)
    added = []
    for factor, coordinate, engine_name in zip(factors, joint.coordinates, scalar_names(name, len(factors)), strict=True):
        if factor.axis is None:
            raise OssatureError("a compound joint with a spherical motion cannot be simulated")
        engine_joint = _add_engine_joint(engine_body, joint, _HINGE if factor.is_rotation else _SLIDE, factor.axis, engine_name)
        engine_joint.pos = joint.pose.transform(factor.anchor)
        _set_dynamics(engine_joint, coordinate, settings)
        added.append(engine_joint)
    return added


def scalar_names(name: str, count: int) -> list[str]:
    """Return the names of the engine joints that represent a joint."""
    return [name] if count == 1 else [f"{name}[{index}]" for index in range(count)]


def _add_engine_joint(engine_body: SpecBody, joint: Joint, kind: mujoco.mjtJoint, axis: Vector3, name: str) -> SpecJoint:
    added = SpecJoint(name=name, type=kind, pos=joint.pose.position, axis=rotate(joint.pose.wxyz, axis))
    return append(engine_body.joints, added)


def _set_dynamics(engine_joint: SpecJoint, coordinate: Coordinate, settings: JointSettings) -> None:
    if coordinate.stiffness:
        engine_joint.stiffness = (coordinate.stiffness, 0.0, 0.0)
        engine_joint.springref = coordinate.spring_reference
    if coordinate.damping:
        engine_joint.damping = (coordinate.damping, 0.0, 0.0)
    if coordinate.friction:
        set_friction(engine_joint, coordinate.friction, settings.time_step)
    if settings.enforce_limits and coordinate.position_limits.bounded:
        _set_limits(engine_joint, coordinate.position_limits, settings.time_step)


def _set_limits(engine_joint: SpecJoint, position: Range, time_step: float) -> None:
    engine_joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    engine_joint.solref_limit = joint_stop_solref(time_step)
    engine_joint.solimp_limit = STOP_IMPEDANCE
    lower, upper = max(position.lower, -_UNBOUNDED), min(position.upper, _UNBOUNDED)
    # The engine requires a positive range.
    engine_joint.range = (lower, upper if upper != lower else lower + _SMALLEST_RANGE)


def set_friction(joint_or_tendon: SpecJoint | SpecTendon, force: float, time_step: float) -> None:
    """Set Coulomb friction, with static friction, of an engine joint or tendon."""
    joint_or_tendon.frictionloss = force
    joint_or_tendon.solref_friction = one_step_solref(time_step)
    joint_or_tendon.solimp_friction = FRICTION_IMPEDANCE


def _add_point(engine_body: SpecBody, joint: Joint, name: str, settings: JointSettings, report: Report) -> list[SpecJoint]:
    point = joint.type
    axes = [point.axis] if isinstance(point, PointOnLine) else []
    if isinstance(point, PointOnPlane):
        axes = [point.axis1, point.axis2]
    added = []
    for number, axis in enumerate(axes):
        slide = _add_engine_joint(engine_body, joint, _SLIDE, axis, f"{name}[{number}]")
        _set_dynamics(slide, joint.coordinates[number], settings)
        added.append(slide)
    rotational = joint.coordinates[len(axes) :]
    return [*added, _add_ball_joint(engine_body, joint, name, _ball_share(rotational), settings, report)]


def _add_ball_joint(
    engine_body: SpecBody, joint: Joint, name: str, share: Coordinate, settings: JointSettings, report: Report
) -> SpecJoint:
    ball = SpecJoint(name=name, type=mujoco.mjtJoint.mjJNT_BALL, pos=joint.pose.position)
    _set_dynamics(ball, share, settings)
    _report_unapplied(joint, name, report)
    return append(engine_body.joints, ball)


def _add_screw(engine_body: SpecBody, joint: Joint, name: str, settings: JointSettings) -> list[SpecJoint]:
    screw = joint.type
    assert isinstance(screw, Screw)  # noqa: S101  # the only type with this layout
    slide = _add_engine_joint(engine_body, joint, _SLIDE, screw.axis, f"{name}[advance]")
    hinge = _add_engine_joint(engine_body, joint, _HINGE, screw.axis, name)
    _set_dynamics(hinge, joint.coordinates[0], settings)
    return [slide, hinge]


def screw_coupling(screw: Screw) -> list[float]:
    """Return the coefficients of the polynomial that gives the slide from the hinge."""
    return [0.0, screw_advance(screw), 0.0, 0.0, 0.0]


def _add_ball(
    engine_body: SpecBody, joint: Joint, layout: JointLayout, name: str, settings: JointSettings, report: Report
) -> list[SpecJoint]:
    share = engine_share(joint)
    added = []
    if layout is JointLayout.STACK:
        for axis, label in zip((X_AXIS, Y_AXIS, Z_AXIS), "xyz", strict=True):
            slide = _add_engine_joint(engine_body, joint, _SLIDE, axis, f"{name}[{label}]")
            _set_dynamics(slide, share.slides, settings)
            added.append(slide)
    return [*added, _add_ball_joint(engine_body, joint, name, share.ball, settings, report)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineShare:
    """The part of the stiffness, damping and friction of a ball or free joint that engine joints have; a drive adds the rest.

    Attributes:
        ball: The isotropic part about all axes.
        slides: The isotropic part along all axes.
    """

    ball: Coordinate
    slides: Coordinate


def engine_share(joint: Joint) -> EngineShare:
    """Return the part of a joint's stiffness, damping and friction that engine joints have.

    DART applies the springs of a free joint's translation along axes of the parent body, so the slides have no stiffness.
    If its frame is displaced in the child body, engine joints have no damping either.
    """
    rotational, translational = joint.coordinates[:3], joint.coordinates[3:]
    if is_displaced_free_joint(joint):
        frictions = [_common_value([each.friction for each in part]) for part in (rotational, translational)]
        return EngineShare(ball=Coordinate(friction=frictions[0]), slides=Coordinate(friction=frictions[1]))
    ball = _ball_share(rotational)
    slides = Coordinate(
        damping=_common_value([coordinate.damping for coordinate in translational]),
        friction=_common_value([coordinate.friction for coordinate in translational]),
    )
    return EngineShare(ball=ball, slides=slides)


def engine_coordinates(joint: Joint) -> list[Coordinate]:
    """Return for each coordinate of a ball, free or point joint the stiffness, damping and friction that the engine has."""
    if isinstance(joint.type, PointOnLine | PointOnPlane):
        return [*joint.coordinates[:-3], *[_ball_share(joint.coordinates[-3:])] * 3]
    share = engine_share(joint)
    return [share.ball] * 3 + [share.slides] * (joint.degrees_of_freedom - 3)


def is_displaced_free_joint(joint: Joint) -> bool:
    """Whether a joint is free, and its frame is not that of the child body."""
    return isinstance(joint.type, Floating) and joint.pose != IDENTITY


def _ball_share(rotational: Sequence[Coordinate]) -> Coordinate:
    return Coordinate(
        stiffness=min(coordinate.stiffness for coordinate in rotational),
        damping=_common_value([coordinate.damping for coordinate in rotational]),
        friction=_common_value([coordinate.friction for coordinate in rotational]),
    )


def _common_value(values: list[float]) -> float:
    return values[0] if len(set(values)) == 1 else 0.0


def _report_unapplied(joint: Joint, name: str, report: Report) -> None:
    groups = list(multi_axis_coordinate_groups(joint))
    if any(coordinate.position_limits.bounded for group in groups for coordinate in group):
        report.add(
            UNENFORCED_POSITION_LIMIT, f"joint '{joint.name}': the position limits are not enforced", joint.origin, path=name
        )
    for group in groups:
        if is_friction_uneven(group):
            report.add(UNEVEN_JOINT_FRICTION, f"joint '{joint.name}': the friction is ignored", joint.origin, path=name)
