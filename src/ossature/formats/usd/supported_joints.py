"""Pass: the joints that OpenUSD can represent."""

from __future__ import annotations

from dataclasses import replace

from ossature.formats.format import WriteContext
from ossature.formats.passes.omit_free_joints import with_guides_as_joints, without_free_joints
from ossature.formats.passes.split_multi_dof_joints import split_joints
from ossature.formats.usd.supported_fields import SUPPORTED_FIELDS
from ossature.model import Coordinate, Joint, NamedList, Screw, World


def support_joints(world: World, context: WriteContext) -> World:
    """Return a World of joints that OpenUSD can represent.

    Guides of motors become joints, free joints are left out, and screws become two joints.
    """
    ledger, recorded = context.ledger, SUPPORTED_FIELDS[Coordinate] | {"initial_velocity"}
    models = [without_free_joints(with_guides_as_joints(model, ledger), ledger, "OpenUSD", recorded) for model in world.models]
    return split_joints(replace(world, models=NamedList(models)), ledger, _unsupported_reason, ())


def _unsupported_reason(joint: Joint) -> str | None:
    return "OpenUSD has no screw joint" if isinstance(joint.type, Screw) else None
