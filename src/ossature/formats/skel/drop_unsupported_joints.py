"""Pass: drops joints that SKEL does not have, so that their bodies float."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.skel.write_joint import WRITTEN_JOINT_TYPES
from ossature.model import Model, NamedList, World
from ossature.model.value_text import kind_text


def drop_unsupported_joints(world: World, context: WriteContext) -> World:
    """Return a World without joints of types that SKEL does not have."""
    return replace(world, models=world.models.map(lambda model: without_unsupported_joints(model, context.ledger)))


def without_unsupported_joints(model: Model, ledger: Ledger) -> Model:
    """Return a model without joints of types that SKEL does not have."""
    unsupported = [joint for joint in model.joints if type(joint.type) not in WRITTEN_JOINT_TYPES]
    for joint in unsupported:
        detail = f"SKEL has no {kind_text(type(joint.type))} joint"
        ledger.dropped(f"{model.name}/{joint.name}", detail, location=joint.origin)
    if not unsupported:
        return model
    return replace(model, joints=NamedList([joint for joint in model.joints if type(joint.type) in WRITTEN_JOINT_TYPES]))
