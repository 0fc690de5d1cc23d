"""Pass: replaces compound joints by equivalent standard joint types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.model import (
    Axis,
    Compound,
    Cylindrical,
    Euler,
    Fixed,
    Joint,
    JointType,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Translational,
    Translational2D,
    Universal,
    World,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.model.value_text import kind_with_article
from ossature.spatial import ZERO3, Vector3, cross, dot, norm, subtract

_SAME = 1e-12


def standardize_compound_joints(world: World, context: WriteContext) -> World:
    """Return a World whose compound joints have the standard type with the same coordinates, if there is one."""
    return replace(world, models=world.models.map(lambda model: _with_standard_joints(model, context.ledger)))


def _with_standard_joints(model: Model, ledger: Ledger) -> Model:
    if not any(isinstance(joint.type, Compound) for joint in model.joints):
        return model
    return replace(model, joints=model.joints.map(lambda joint: _standard_joint(joint, model.name, ledger)))


def _standard_joint(joint: Joint, model: str, ledger: Ledger) -> Joint:
    standard = standard_type(joint.type) if isinstance(joint.type, Compound) else None
    if standard is None:
        return joint
    detail = f"its axes are those of {kind_with_article(type(standard))} joint"
    ledger.rewritten(f"{model}/{joint.name}.type", detail, location=joint.origin)
    return replace(joint, type=standard)


def standard_type(compound: Compound) -> JointType | None:
    """Return the standard joint type with the same coordinates in the same order, or None if there is none."""
    axes = [axis for axis in compound.axes if isinstance(axis, Axis) and (axis.anchor == ZERO3 or not axis.is_revolute)]
    if len(axes) < len(compound.axes):
        return None
    find = _BY_MOTION.get("".join("R" if axis.is_revolute else "P" for axis in axes))
    return find([axis.direction for axis in axes]) if find is not None else None


def _match_cylindrical(axes: Sequence[Vector3]) -> JointType | None:
    return Cylindrical(axis=axes[0]) if _is_same(axes[0], axes[1]) else None


def _match_euler(axes: Sequence[Vector3]) -> JointType | None:
    if _are_same(axes, (X_AXIS, Y_AXIS, Z_AXIS)):
        return Euler(order="xyz")
    return Euler(order="zyx") if _are_same(axes, (Z_AXIS, Y_AXIS, X_AXIS)) else None


def _match_translational_2d(axes: Sequence[Vector3]) -> JointType | None:
    return Translational2D(axis1=axes[0], axis2=axes[1]) if abs(dot(axes[0], axes[1])) < _SAME else None


def _match_planar(axes: Sequence[Vector3]) -> JointType | None:
    if abs(dot(axes[0], axes[1])) < _SAME and _is_same(cross(axes[0], axes[1]), axes[2]):
        return Planar(axis1=axes[0], axis2=axes[1])
    return None


def _is_same(a: Vector3, b: Vector3) -> bool:
    return norm(subtract(a, b)) < _SAME


def _are_same(axes: Sequence[Vector3], others: Sequence[Vector3]) -> bool:
    return all(_is_same(axis, other) for axis, other in zip(axes, others, strict=True))


_BY_MOTION: dict[str, Callable[[Sequence[Vector3]], JointType | None]] = {
    "": lambda axes: Fixed(),
    "R": lambda axes: Revolute(axis=axes[0]),
    "P": lambda axes: Prismatic(axis=axes[0]),
    "RR": lambda axes: Universal(axis1=axes[0], axis2=axes[1]),
    "RP": _match_cylindrical,
    "RRR": _match_euler,
    "PP": _match_translational_2d,
    "PPP": lambda axes: Translational() if _are_same(axes, (X_AXIS, Y_AXIS, Z_AXIS)) else None,
    "PPR": _match_planar,
}
"""Finds the standard type for a sequence of revolute (R) and prismatic (P) axes."""
