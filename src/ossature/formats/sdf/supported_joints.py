"""Passes: the joints that SDFormat can represent."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.passes.omit_free_joints import with_guides_as_joints, without_free_joints
from ossature.formats.passes.split_multi_dof_joints import split_joints
from ossature.formats.passes.standardize_compound_joints import standard_type
from ossature.formats.sdf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.sdf.write_joint import are_perpendicular
from ossature.model import (
    Axis,
    Compound,
    Coordinate,
    Fixed,
    Joint,
    JointType,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    World,
)
from ossature.model.value_text import kind_text, kind_with_article
from ossature.spatial import ZERO3

_TYPES = (Fixed, Revolute, Prismatic, Screw, Universal, Spherical)


def support_joints(world: World, context: WriteContext) -> World:
    """Return a World of joints that SDFormat can represent.

    Guides of motors become joints, free joints are left out, and joints of other types become serial ones.
    """
    recorded = SUPPORTED_FIELDS[Coordinate] | {"initial_velocity"}
    models = [
        without_free_joints(with_guides_as_joints(model, context.ledger), context.ledger, "SDFormat", recorded)
        for model in world.models
    ]
    simplified = NamedList([_with_standard_joints(model, context.ledger) for model in models])
    return split_joints(replace(world, models=simplified), context.ledger, unsupported_reason, ())


def unsupported_reason(joint: Joint) -> str | None:
    """Return why SDFormat cannot represent a joint, or None if it can."""
    if isinstance(joint.type, _TYPES) or _is_revolute2(joint.type):
        return None
    return f"SDFormat has no {kind_text(type(joint.type))} joint"


def _is_revolute2(joint_type: JointType) -> bool:
    """Whether a joint is two hinges through one point."""
    axes = joint_type.axes if isinstance(joint_type, Compound) else ()
    return len(axes) == 2 and all(isinstance(axis, Axis) and axis.is_revolute and axis.anchor == ZERO3 for axis in axes)


def _with_standard_joints(model: Model, ledger: Ledger) -> Model:
    """Return a model whose compound joints are the standard ones as which SDFormat reads them."""
    return replace(model, joints=model.joints.map(lambda joint: _standard_joint(joint, model.name, ledger)))


def _standard_joint(joint: Joint, model: str, ledger: Ledger) -> Joint:
    standard = standard_type(joint.type) if isinstance(joint.type, Compound) else None
    if isinstance(standard, Universal) and not are_perpendicular(standard.axis1, standard.axis2):
        standard = None
    if standard is None:
        return joint
    detail = f"its axes are those of {kind_with_article(type(standard))} joint"
    ledger.rewritten(f"{model}/{joint.name}.type", detail, location=joint.origin)
    return replace(joint, type=standard)
