"""Spring-dampers, loads, motors and functions of the model → Chrono elements."""

from __future__ import annotations

import math
from typing import Any

from ossature import model
from ossature.formats.chrono import schema_model
from ossature.formats.chrono.read_motor import GUIDES
from ossature.formats.chrono.write_context import ChronoWriteContext, is_same_rotation
from ossature.model.joint import Z_AXIS
from ossature.spatial import ZERO3, Pose, Vector3, quaternion_between, rotate, subtract
from ossature.syntax.schema import replace_fields


def write_tsda(spring: model.SpringDamper, name: str, writing: ChronoWriteContext) -> schema_model.TsdaElement:
    """Return the element of a spring-damper."""
    path = writing.path(spring.name)
    table = spring.force_map
    point1, point2 = writing.point(spring.body1, spring.point1), writing.point(spring.body2, spring.point2)
    free_length = spring.free_length
    if free_length is None and (spring.stiffness or spring.spring_curve or table is not None):
        free_length = math.dist(point1, point2)
        writing.ledger.rewritten(f"{path}.free_length", "the initial length is written, because Chrono requires one")
    lower, upper = spring.length_range or (None, None)
    return schema_model.TsdaElement(
        name=name,
        body1=writing.name(spring.body1, f"{writing.path(spring.name)}.body1"),
        body2=writing.name(spring.body2, f"{writing.path(spring.name)}.body2"),
        point1=point1,
        point2=point2,
        free_length=free_length,
        spring_coefficient=spring.stiffness or None,
        damping_coefficient=spring.damping or None,
        degressivity_compression=spring.degressivity[0] or None,
        degressivity_expansion=spring.degressivity[1] or None,
        spring_curve_data=spring.spring_curve or None,
        damping_curve_data=spring.damping_curve or None,
        deformation=None if table is None else table.deformations,
        map_data=None if table is None else tuple((v, *row) for v, row in zip(table.velocities, table.forces, strict=True)),
        preload=spring.preload,
        minimum_length=lower,
        maximum_length=upper,
        visualization=None if spring.visual is None else _spring_visual_element(spring.visual, path, writing),
    )


def _spring_visual_element(
    visual: model.SpringVisual, path: str, writing: ChronoWriteContext
) -> schema_model.SpringVisualElement:
    if visual.color is not None and visual.color[3] != 1.0:
        writing.ledger.dropped(f"{path}.visual.color", f"opacity {visual.color[3]:g}")
    style = visual.style.upper()
    if style not in ("SPRING", "SEGMENT"):
        writing.ledger.dropped(f"{path}.visual.style", f"unsupported style '{visual.style}'")
        style = "SPRING"
    return schema_model.SpringVisualElement(
        type=style,
        radius=visual.radius,
        resolution=visual.resolution,
        turns=visual.coil_count,
        color=None if visual.color is None else visual.color[:3],
    )


def write_rsda(spring: model.RotationalSpringDamper, name: str, writing: ChronoWriteContext) -> schema_model.RsdaElement:
    """Return the element of a rotational spring-damper."""
    free_angle = spring.free_angle
    if free_angle is None and (spring.stiffness or spring.spring_curve):
        free_angle = 0.0
        path = f"{writing.path(spring.name)}.free_angle"
        writing.ledger.rewritten(path, "0 rad is written, because Chrono requires a free angle")
    return schema_model.RsdaElement(
        name=name,
        body1=writing.name(spring.body1, f"{writing.path(spring.name)}.body1"),
        body2=writing.name(spring.body2, f"{writing.path(spring.name)}.body2"),
        position=writing.point(spring.body1, spring.point),
        axis=writing.direction(spring.body1, spring.axis),
        free_angle=free_angle,
        spring_coefficient=spring.stiffness or None,
        damping_coefficient=spring.damping or None,
        spring_curve_data=spring.spring_curve or None,
        damping_curve_data=spring.damping_curve or None,
        preload=spring.preload,
    )


def write_motor(motor: model.Motor, name: str, writing: ChronoWriteContext) -> schema_model.MotorElement:
    """Return the element of a motor."""
    pose = writing.pose_in_global_frame(motor.body1) @ motor.pose
    axis = rotate(pose.wxyz, motor.axis)
    _report_rotated_frame(motor, pose.wxyz, axis, writing)
    kind, joint_type = next(key for key, guide in GUIDES.items() if guide is motor.guide)
    guide: dict[str, Any] = {"guide": joint_type} if kind == "LINEAR" else {"spindle": joint_type}
    return schema_model.MotorElement(
        name=name,
        type=kind,
        body1=writing.name(motor.body1, f"{writing.path(motor.name)}.body1"),
        body2=writing.name(motor.body2, f"{writing.path(motor.name)}.body2"),
        position=pose.position,
        axis=axis,
        actuation_type=motor.drive.value.upper(),
        actuation_function=write_function(motor.function, f"{writing.path(motor.name)}.function", writing),
        **guide,
    )


def _report_rotated_frame(motor: model.Motor, wxyz: Any, axis: Vector3, writing: ChronoWriteContext) -> None:
    path = writing.path(motor.name)
    if motor.axis != Z_AXIS:
        writing.ledger.rewritten(f"{path}.axis", "expressed in the global frame")
    expected = quaternion_between(Z_AXIS, axis)
    if not is_same_rotation(expected, wxyz):
        writing.ledger.rewritten(f"{path}.pose.wxyz", "only the axis of a motor is written, in the global frame")


def write_load(
    load: model.Load, name: str, writing: ChronoWriteContext
) -> schema_model.BodyLoadElement | schema_model.LoadControllerElement:
    """Return the element of a load."""
    body = writing.model.bodies[load.body]
    is_force = load.kind is model.LoadKind.FORCE
    path = writing.path(load.name)
    if load.applied_at_body_point:
        # In Chrono the point is relative to the centre of mass.
        point = subtract(load.point, body.inertial.center_of_mass)
    else:
        point = writing.model.pose.transform(load.point)
    fields: dict[str, Any] = {
        "name": name,
        "type": load.kind.value.upper(),
        "body": writing.name(load.body, path),
        "local_load": load.expressed_in_body_frame,
        "point": point if is_force else None,
        "local_point": load.applied_at_body_point if is_force else None,
    }
    if writing.model.pose != Pose():
        for name in ("point", "value"):
            writing.ledger.rewritten(f"{path}.{name}", "expressed in the global frame")
    if not is_force and (load.point != ZERO3 or not load.applied_at_body_point):
        writing.ledger.rewritten(f"{path}.point", "the point of application has no effect on a torque")
        writing.ledger.rewritten(f"{path}.applied_at_body_point", "the point of application has no effect on a torque")
    if load.value is None:
        if load.modulation != model.CONSTANT_ONE:
            writing.ledger.dropped(f"{path}.modulation", "modulation of a load of an external program")
        return schema_model.LoadControllerElement(**fields)
    value = load.value if load.expressed_in_body_frame else rotate(writing.model.pose.wxyz, load.value)
    modulation = None
    if load.modulation != model.CONSTANT_ONE:
        modulation = write_function(load.modulation, f"{path}.modulation", writing)
    return schema_model.BodyLoadElement(load=value, modulation_function=modulation, **fields)


def write_function(function: model.Function, path: str, writing: ChronoWriteContext) -> schema_model.FunctionElement:
    """Return the element of a function."""
    match function:
        case model.ConstantFunction():
            return schema_model.FunctionElement(type="CONSTANT", value=function.value)
        case model.PolynomialFunction():
            return schema_model.FunctionElement(
                type="POLYNOMIAL", coefficients=_pad_to_two(function.coefficients, path, writing)
            )
        case model.SineFunction():
            return schema_model.FunctionElement(
                type="SINE",
                amplitude=function.amplitude,
                frequency=function.frequency,
                phase=function.phase,
                shift=function.offset,
            )
        case model.RampFunction():
            return schema_model.FunctionElement(type="RAMP", slope=function.slope, intercept=function.intercept)
        case model.TableFunction():
            return schema_model.FunctionElement(type="DATA", data=function.points)
        case model.ExternalFunction():
            return schema_model.FunctionElement(type="CONTROLLER")
        case model.RepeatedFunction():
            inner = write_function(function.function, path, writing)
            repeat = schema_model.RepeatElement(start=function.start, width=function.width, shift=function.shift)
            return replace_fields(inner, repeat=repeat)


def _pad_to_two(coefficients: tuple[float, ...], path: str, writing: ChronoWriteContext) -> tuple[float, ...]:
    if len(coefficients) >= 2:
        return coefficients
    writing.ledger.rewritten(f"{path}.coefficients", "zeros are added, because Chrono requires two coefficients")
    return (*coefficients, 0.0, 0.0)[:2]
