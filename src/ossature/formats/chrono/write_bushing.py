"""Bushings of the model → Chrono joints."""

from __future__ import annotations

import math
from typing import Any

from ossature.formats.chrono.read_joint import BUSHING_TYPES, CONSTRAINED_MOTIONS
from ossature.formats.chrono.schema_model import BushingElement, ChronoJointElement, FreeBushingElement
from ossature.formats.chrono.write_context import ChronoWriteContext, is_same_rotation
from ossature.model import Bushing
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import (
    IDENTITY,
    IDENTITY_WXYZ,
    Pose,
    Quaternion,
    quaternion_between,
    rotate,
    rotation_vector_from_quaternion,
)


def write_bushing(bushing: Bushing, name: str, writing: ChronoWriteContext) -> ChronoJointElement:
    """Return the element of a bushing: a joint of the simplest type with its coefficients."""
    pose = writing.pose_in_global_frame(bushing.body1) @ bushing.pose
    path = writing.path(bushing.name)
    kind = _bushing_type(bushing)
    if kind is None:
        kind = "LOCK"
        message = "Chrono's bushings have one linear and one rotational coefficient"
        writing.ledger.approximated(path, f"{message}: the largest is written")
    if bushing.pose2 is not None:
        writing.ledger.dropped(f"{path}.pose2", _lost_preload(bushing, writing))
    if not is_same_rotation(pose.wxyz, _bushing_rotation_as_read(kind, pose)):
        writing.ledger.rewritten(f"{path}.pose.wxyz", "only the axes of the joint are written, in the global frame")
    return ChronoJointElement(
        name=name,
        type=kind,
        body1=writing.name(bushing.body1, f"{path}.body1"),
        body2=writing.name(bushing.body2, f"{path}.body2"),
        position=pose.position,
        bushing_data=_coefficients_element(bushing, kind),
        **_bushing_axis_fields(kind, pose),
    )


def _lost_preload(bushing: Bushing, writing: ChronoWriteContext) -> str:
    """Return the force and torque with which a bushing starts that is relaxed elsewhere."""
    on_first, on_second = (writing.pose_in_global_frame(body) for body in (bushing.body1, bushing.body2))
    displacement = (on_second @ (bushing.pose2 or IDENTITY)).inverse() @ on_first @ bushing.pose
    vector = (*displacement.position, *rotation_vector_from_quaternion(displacement.wxyz))
    efforts = [stiffness * amount for stiffness, amount in zip(bushing.stiffness, vector, strict=True)]
    return (
        f"Chrono's bushings are relaxed at the start: a displacement of {math.hypot(*vector[:3]):.3g} m and "
        f"{math.hypot(*vector[3:]):.3g} rad is lost, with a force of {math.hypot(*efforts[:3]):.3g} N and a torque of "
        f"{math.hypot(*efforts[3:]):.3g} N·m"
    )


def _bushing_axis_fields(kind: str, pose: Pose) -> dict[str, Any]:
    if kind == "REVOLUTE":
        return {"axis": rotate(pose.wxyz, Z_AXIS)}
    return {"axis1": rotate(pose.wxyz, X_AXIS), "axis2": rotate(pose.wxyz, Y_AXIS)} if kind == "UNIVERSAL" else {}


def _bushing_rotation_as_read(kind: str, pose: Pose) -> Quaternion:
    """Return the rotation that the reader gives a bushing with a pose in the global frame."""
    if kind == "UNIVERSAL":
        return pose.wxyz
    return quaternion_between(Z_AXIS, rotate(pose.wxyz, Z_AXIS)) if kind == "REVOLUTE" else IDENTITY_WXYZ


def _bushing_type(bushing: Bushing) -> str | None:
    """Return the first joint type whose two sets of coefficients can represent a bushing."""
    for kind in BUSHING_TYPES:
        groups: dict[tuple[bool, bool], set[tuple[float, float]]] = {}
        for component, is_constrained in enumerate(CONSTRAINED_MOTIONS[kind]):
            values = (bushing.stiffness[component], bushing.damping[component])
            groups.setdefault((component < 3, is_constrained), set()).add(values)
        if all(len(values) == 1 for values in groups.values()):
            return kind
    return None


def _coefficients_element(bushing: Bushing, kind: str) -> BushingElement:
    constrained: dict[str, Any] = {}
    free: dict[str, Any] = {}
    for quantity, values in (("stiffness", bushing.stiffness), ("damping", bushing.damping)):
        for motion, components in (("linear", range(3)), ("rotational", range(3, 6))):
            name = f"{quantity}_{motion}"
            constrained[name] = max((values[c] for c in components if CONSTRAINED_MOTIONS[kind][c]), default=0.0)
            free[name] = max((values[c] for c in components if not CONSTRAINED_MOTIONS[kind][c]), default=0.0)
    return BushingElement(dof=FreeBushingElement(**free) if any(free.values()) else None, **constrained)
