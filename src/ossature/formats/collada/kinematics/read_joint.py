"""Reads joints, with the limits and initial positions of their axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ossature import model
from ossature.diagnostics import Severity
from ossature.formats.collada import rules
from ossature.formats.collada.kinematics.joint_decomposition import clamp_to_range, is_locked_by_limits
from ossature.formats.collada.kinematics.read_articulated_systems import AxisState, JointInstance
from ossature.formats.collada.kinematics.read_kinematic_graph import LinkConnection
from ossature.formats.collada.kinematics.schema import AxisElement, JointLimitsElement, MotionAxisInfoElement, RevoluteElement
from ossature.formats.collada.native_extension.joint import with_joint_extras
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.schema_common import NewparamElement, ValueElement
from ossature.formats.collada.sid_resolution import Parameters, Scope, resolve_boolean, resolve_number
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Vector3, unit

_ROUNDING = 1e-12
"""Distance to a limit that rounding explains [rad or m]."""
_TRANSLATIONAL = (X_AXIS, Y_AXIS, Z_AXIS)


def read_joint(
    connection: LinkConnection, name: str, extensions: tuple[model.Extension, ...], reading: ColladaReadContext
) -> model.Joint:
    """Return the joint that connects two links."""
    joint = connection.joint
    axes = [] if joint is None else [_read_axis(element, reading) for element in joint.element.axes]
    if joint is not None and not axes:
        reading.report.add(rules.MISSING_AXIS, f"the joint '{joint.sid}' has no axis", joint.element.location())
    coordinates = () if joint is None else _read_coordinates(joint, reading)
    read = model.Joint(
        name=name,
        type=joint_type_of(axes),
        parent=connection.parent.name,
        child=connection.child.name,
        pose=connection.pose_child_joint,
        coordinates=coordinates,
        actuation=model.Actuation.FORCE if joint is None else _read_actuation(joint, coordinates, reading),
        extensions=extensions,
        origin=connection.attachment.location() if joint is None else joint.element.location(),
    )
    return read if joint is None else with_joint_extras(read, joint.element.extra, reading.report)


def _read_axis(element: AxisElement, reading: ColladaReadContext) -> model.Axis:
    is_revolute = isinstance(element, RevoluteElement)
    specified = element.axis.value if element.axis is not None else None
    if specified is None:
        return model.Axis(is_revolute=is_revolute)
    try:
        return model.Axis(direction=unit(specified), is_revolute=is_revolute)
    except ValueError:
        reading.report.add(rules.NO_DIRECTION, "the axis of a joint is zero: 0 0 1 is used", element.location("axis"))
        return model.Axis(is_revolute=is_revolute)


def joint_type_of(axes: Sequence[model.Axis]) -> model.JointType:
    """Return the most specific joint type with these axes in series."""
    directions: tuple[Vector3, ...] = tuple([axis.direction for axis in axes])
    match [axis.is_revolute for axis in axes]:
        case []:
            return model.Fixed()
        case [True]:
            return model.Revolute(axis=directions[0])
        case [False]:
            return model.Prismatic(axis=directions[0])
        case [True, True]:
            return model.Universal(axis1=directions[0], axis2=directions[1])
        case [True, False] if directions[0] == directions[1]:
            return model.Cylindrical(axis=directions[0])
        case [False, False, False] if directions == _TRANSLATIONAL:
            return model.Translational()
        case _:
            return model.Compound(axes=tuple(axes))


def _read_coordinates(joint: JointInstance, reading: ColladaReadContext) -> tuple[model.Coordinate, ...]:
    return tuple(
        _Axis(joint, element, state, reading).coordinate()
        for element, state in zip(joint.element.axes, joint.axes, strict=True)
    )


def _read_actuation(
    joint: JointInstance, coordinates: Sequence[model.Coordinate], reading: ColladaReadContext
) -> model.Actuation:
    locked = [_flag(state, "locked", reading) for state in joint.axes]
    active = [_flag(state, "active", reading) for state in joint.axes]
    if any(locked) and all(locked):
        return model.Actuation.LOCKED
    if coordinates and all(flag or is_locked_by_limits(one) for flag, one in zip(locked, coordinates, strict=True)):
        limits, position = coordinates[0].position_limits, coordinates[0].initial_position
        is_reversed = limits.lower > limits.upper
        reading.report.add(
            rules.LOCKED_BY_LIMITS.with_severity(Severity.WARNING) if is_reversed else rules.LOCKED_BY_LIMITS,
            f"the limits {limits.lower:g} to {limits.upper:g} of '{joint.element.name or joint.sid}' leave no range of motion:"
            f" it is locked at {position:g}",
            joint.element.location(),
        )
        return model.Actuation.LOCKED
    if len(set(map(bool, locked))) > 1 or len({flag is False for flag in active}) > 1:
        reading.report.add(
            rules.PARTIALLY_LOCKED_JOINT,
            f"the joint '{joint.sid}' is locked or inactive in some axes only",
            joint.element.location(),
        )
    return model.Actuation.PASSIVE if joint.axes and all(flag is False for flag in active) else model.Actuation.FORCE


def _flag(state: AxisState, name: str, reading: ColladaReadContext) -> bool | None:
    if state.kinematics is None:
        return None
    info, scope, _ = state.kinematics
    return resolve_boolean(getattr(info, name), scope, info.newparam, reading.report)


class _Axis:
    """Reads the data about one axis, in SI units."""

    def __init__(self, joint: JointInstance, element: AxisElement, state: AxisState, reading: ColladaReadContext) -> None:
        self._joint, self._element, self._state, self._reading = joint, element, state, reading
        self._is_revolute = isinstance(element, RevoluteElement)

    def coordinate(self) -> model.Coordinate:
        hard = self._hard_position_limits()
        soft = self._soft_position_limits(hard or model.UNBOUNDED)
        specified = self._flag("circular")
        continuous = self._is_revolute and (specified if specified is not None else hard is None and soft is None)
        limits = soft or hard or model.UNBOUNDED
        within = model.UNBOUNDED if continuous else self._locked_limits(limits)
        return model.Coordinate(
            name=self._element.sid if len(self._joint.axes) > 1 else None,
            position_limits=within,
            velocity_limits=self._rate_limits("speed", "hardMaxVel"),
            acceleration_limits=self._rate_limits("acceleration", "hardMaxAccel"),
            jerk_limits=self._rate_limits("jerk", "hardMaxJerk"),
            hard_limits=self._hard_limits(hard if soft is not None or continuous else None),
            continuous=continuous,
            initial_position=self._initial_position(within),
            hints=(
                model.OpenravePlanning(
                    weight=self._read_parameter("planning_weight"),
                    resolution=self._read_parameter("discretization_resolution"),
                ),
            ),
        )

    def _position_factor(self, meter: float) -> float:
        return math.radians(1.0) if self._is_revolute else meter

    def _hard_position_limits(self) -> model.Range | None:
        limits = self._element.limits
        return None if limits is None else _scale_range(limits, self._position_factor(self._joint.meter))

    def _soft_position_limits(self, hard: model.Range) -> model.Range | None:
        """Return the soft limits; a bound that they do not state is that of the hard limits."""
        if self._state.kinematics is None:
            return None
        info, scope, system = self._state.kinematics
        if info.limits is None:
            return None
        report = self._reading.report
        bounds = [resolve_number(value, scope, info.newparam, report) for value in (info.limits.min, info.limits.max)]
        factor = self._position_factor(system.meter)
        lower, upper = (None if bound is None else bound * factor for bound in bounds)
        return model.Range(lower=hard.lower if lower is None else lower, upper=hard.upper if upper is None else upper)

    def _locked_limits(self, limits: model.Range) -> model.Range:
        """Return the limits; both are the initial position if this axis is locked and others of its joint are not."""
        flags = [_flag(state, "locked", self._reading) for state in self._joint.axes]
        if not _flag(self._state, "locked", self._reading) or all(flags):
            return limits
        position = self._value()
        return model.Range(lower=position, upper=position)

    def _hard_limits(self, position: model.Range | None) -> model.HardLimits | None:
        limits = model.HardLimits(
            position=position or model.UNBOUNDED,
            velocity=self._hard_symmetric_limits("hardMaxVel"),
            acceleration=self._hard_symmetric_limits("hardMaxAccel"),
            jerk=self._hard_symmetric_limits("hardMaxJerk"),
        )
        return None if limits == model.HardLimits() else limits

    def _motion_factor(self, meter: float) -> float:
        return 1.0 if self._is_revolute and self._reading.document.writes_radians else self._position_factor(meter)

    def _rate_limits(self, name: str, hard_name: str) -> model.Range:
        """Return the limits of a rate: the soft ones, within the hard ones."""
        soft, hard = self._symmetric_limits(name), self._hard_symmetric_limits(hard_name)
        if not soft.bounded or soft.upper <= hard.upper:
            return soft
        self._reading.report.add(
            rules.SOFT_LIMIT_EXCEEDS_HARD_LIMIT,
            f"the {name} limit {soft.upper:.6g} of '{self._joint.element.name or self._joint.sid}'"
            f" exceeds its hard limit {hard.upper:.6g}, which is used",
            self._joint.element.location(),
        )
        return hard

    def _symmetric_limits(self, name: str) -> model.Range:
        if self._state.motion is None:
            return model.UNBOUNDED
        info, scope, system = self._state.motion
        value = _read_motion_number(info, name, scope, self._reading)
        return model.UNBOUNDED if value is None else _symmetric_range(value * self._motion_factor(system.meter))

    def _hard_symmetric_limits(self, name: str) -> model.Range:
        for level in (self._state.motion, self._state.kinematics):
            if level is None:
                continue
            info, scope, system = level
            specified = _find_newparam(info.newparam, name)
            value = resolve_number(specified, scope, info.newparam, self._reading.report) if specified else None
            if value is not None:
                return _symmetric_range(value * self._position_factor(system.meter))
        return model.UNBOUNDED

    def _read_parameter(self, name: str) -> float | None:
        if self._state.kinematics is None:
            return None
        info, scope, _ = self._state.kinematics
        specified = _find_newparam(info.newparam, name)
        return None if specified is None else resolve_number(specified, scope, info.newparam, self._reading.report)

    def _flag(self, name: str) -> bool | None:
        value = self._read_parameter(name)
        return None if value is None else bool(value)

    def _value(self) -> float:
        value, document = self._state.value, self._state.specified_by
        if value is None or document is None:
            return 0.0
        if self._is_revolute:
            return value if document.writes_radians else math.radians(value)
        if self._reading.as_openrave:
            return value
        meter = self._state.meter
        if value != 0.0 and meter != 1.0:
            self._reading.report.add(
                rules.OPENRAVE_DIFFERS,
                f"the initial position of '{self._joint.sid}' is {value:g} units of {meter:g} m; OpenRAVE reads {value:g} m",
                self._joint.element.location(),
                hint="--dialect openrave reads as OpenRAVE does",
            )
        return value * meter

    def _initial_position(self, limits: model.Range) -> float:
        value = self._value()
        nearest = clamp_to_range(value, limits)
        if abs(nearest - value) > _ROUNDING:
            self._reading.report.add(
                rules.CLAMPED_POSITION,
                f"the initial position {value:.6g} of '{self._joint.element.name or self._joint.sid}' is outside its limits:"
                f" {nearest:.6g} is used",
                self._joint.element.location(),
            )
        return nearest


def _scale_range(limits: JointLimitsElement, factor: float) -> model.Range:
    lower = limits.min.value if limits.min is not None else None
    upper = limits.max.value if limits.max is not None else None
    return model.Range(
        lower=-math.inf if lower is None else lower * factor,
        upper=math.inf if upper is None else upper * factor,
    )


def _symmetric_range(value: float) -> model.Range:
    return model.Range(lower=-abs(value), upper=abs(value))


def _find_newparam(parameters: tuple[NewparamElement, ...], name: str) -> ValueElement | None:
    return next((parameter for parameter in parameters if parameter.sid == name), None)


def _read_motion_number(info: MotionAxisInfoElement, name: str, scope: Scope, reading: ColladaReadContext) -> float | None:
    local: Parameters = (*info.setparam, *info.newparam, *info.bind)
    return resolve_number(getattr(info, name), scope, local, reading.report)
