"""Writer of SKEL joints."""

from __future__ import annotations

import math
from typing import Any

from ossature import model
from ossature.diagnostics.ledger import Ledger
from ossature.formats.skel import schema
from ossature.formats.skel.convert_pose import transformation_of
from ossature.formats.skel.read_joint import AXES_WITH_DYNAMICS, PLANES
from ossature.formats.unique_element_names import UniqueNames
from ossature.spatial import Vector3, dot, unit
from ossature.syntax import xml
from ossature.syntax.xml_values import shown

_TYPE_NAMES: dict[type, str] = {
    model.Fixed: "weld",
    model.Revolute: "revolute",
    model.Prismatic: "prismatic",
    model.Screw: "screw",
    model.Universal: "universal",
    model.Spherical: "ball",
    model.Euler: "euler",
    model.Translational: "translational",
    model.Translational2D: "translational2d",
    model.Planar: "planar",
    model.Floating: "free",
}

WRITTEN_JOINT_TYPES = frozenset(_TYPE_NAMES)
"""Joint types of SKEL."""


def write_joint(joint: model.Joint, name: str, bodies: UniqueNames, path: str, ledger: Ledger) -> schema.SkelJointElement:
    """Return the ``<joint>`` element of a joint."""
    joint_type = joint.type
    type_name = _TYPE_NAMES[type(joint_type)]
    axis_count = AXES_WITH_DYNAMICS[type_name]
    _record_changed_axes(joint_type, path, ledger)
    axes = [
        _write_axis(joint_type, index, coordinate if index < axis_count else None)
        for index, coordinate in enumerate([*joint.coordinates, None, None, None][:3])
    ]
    return schema.SkelJointElement(
        type=type_name,
        name=name,
        actuator=joint.actuation.value,
        parent_body="world" if joint.parent is None else bodies.of(joint.parent),
        child_body=bodies.of(joint.child),
        transformation=transformation_of(joint.pose, f"{path}.pose", ledger),
        axis=axes[0],
        axis2=axes[1],
        axis3=axes[2],
        axis_order=joint_type.order if isinstance(joint_type, model.Euler) else None,
        plane=_write_plane(joint_type) if isinstance(joint_type, model.Planar | model.Translational2D) else None,
        init_pos=_none_if_zero(joint.initial_positions),
        init_vel=_none_if_zero(joint.initial_velocities),
        dof=tuple(
            dof
            for index, coordinate in enumerate(joint.coordinates)
            if (dof := _write_dof(coordinate, index, index < axis_count, f"{path}.coordinates[{index}]", ledger)) is not None
        ),
    )


def _none_if_zero(values: tuple[float, ...]) -> tuple[float, ...] | None:
    return values if any(values) else None


def _record_changed_axes(joint_type: model.JointType, path: str, ledger: Ledger) -> None:
    if isinstance(joint_type, model.Screw):
        ledger.rewritten(f"{path}.type", "a screw joint, which DART discards")
    axes = [axis for name in ("axis", "axis1", "axis2") if (axis := getattr(joint_type, name, None)) is not None]
    for axis in axes:
        if unit(axis) != axis:
            ledger.approximated(f"{path}.type", "axis normalized")
    if isinstance(joint_type, model.Planar | model.Translational2D) and abs(dot(axes[0], axes[1])) >= 1e-12:
        ledger.approximated(f"{path}.type", "second axis of the plane made orthogonal to the first")


def _write_axis(joint_type: model.JointType, index: int, coordinate: model.Coordinate | None) -> schema.SkelAxisElement | None:
    direction = _axis_direction(joint_type, index)
    dynamics = _write_dynamics(coordinate) if coordinate is not None else None
    limit = _write_limit(coordinate.position_limits) if coordinate is not None else None
    if direction is None and dynamics is None and limit is None:
        return None
    pitch = joint_type.pitch if isinstance(joint_type, model.Screw) else None
    return schema.SkelAxisElement(xyz=direction, pitch=pitch, dynamics=dynamics, limit=limit)


def _axis_direction(joint_type: model.JointType, index: int) -> Vector3 | None:
    if isinstance(joint_type, model.Universal):
        return (joint_type.axis1, joint_type.axis2, None)[index]
    if isinstance(joint_type, model.Revolute | model.Prismatic | model.Screw) and index == 0:
        return joint_type.axis
    return None


def _write_dynamics(coordinate: model.Coordinate) -> schema.SkelDynamicsElement | None:
    if not (coordinate.damping or coordinate.friction or coordinate.spring_reference or coordinate.stiffness):
        return None
    return schema.SkelDynamicsElement(
        damping=coordinate.damping,
        friction=coordinate.friction,
        spring_rest_position=coordinate.spring_reference,
        spring_stiffness=coordinate.stiffness,
    )


def _write_limit(position: model.Range) -> schema.SkelLimitElement | None:
    lower, upper = _finite_bounds(position)
    return None if lower is None and upper is None else schema.SkelLimitElement(lower=lower, upper=upper)


def _finite_bounds(interval: model.Range) -> tuple[float | None, float | None]:
    lower = None if interval.lower == -math.inf else interval.lower
    upper = None if interval.upper == math.inf else interval.upper
    return lower, upper


def _write_plane(joint_type: model.Planar | model.Translational2D) -> schema.PlaneOfMotionElement:
    for name, axes in PLANES.items():
        if axes == (joint_type.axis1, joint_type.axis2):
            return schema.PlaneOfMotionElement(type=name)
    return schema.PlaneOfMotionElement(
        type="arbitrary",
        translation_axis1=schema.TranslationAxisElement(xyz=joint_type.axis1),
        translation_axis2=schema.TranslationAxisElement(xyz=joint_type.axis2),
    )


def _write_dof(
    coordinate: model.Coordinate, index: int, has_axis: bool, path: str, ledger: Ledger
) -> schema.DegreeOfFreedomElement | None:
    fields: dict[str, Any] = {
        "name": _write_name(coordinate.name, path, ledger),
        "velocity": _write_state(coordinate.velocity_limits, 0.0),
        "acceleration": _write_state(coordinate.acceleration_limits, coordinate.initial_acceleration),
        "force": _write_state(coordinate.effort_limits, coordinate.initial_effort),
    }
    if not has_axis:
        fields |= {
            "position": _write_state(coordinate.position_limits, 0.0),
            "damping": coordinate.damping or None,
            "friction": coordinate.friction or None,
            "spring_rest_position": coordinate.spring_reference or None,
            "spring_stiffness": coordinate.stiffness or None,
        }
    if all(value is None for value in fields.values()):
        return None
    return schema.DegreeOfFreedomElement(local_index=index, **fields)


def _write_name(name: str | None, path: str, ledger: Ledger) -> str | None:
    if name is None:
        return None
    printable = xml.printable(name)
    if printable != name:
        ledger.approximated(f"{path}.name", f"written as {shown(printable)}")
    return printable or None


def _write_state(interval: model.Range, initial: float) -> schema.StateElement | None:
    if interval == model.UNBOUNDED and not initial:
        return None
    lower, upper = _finite_bounds(interval)
    return schema.StateElement(lower=lower, upper=upper, initial=initial or None)
