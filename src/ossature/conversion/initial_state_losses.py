"""What a written file does not have of the initial state of a World."""

from __future__ import annotations

import re

from ossature.diagnostics import Action, Ledger
from ossature.diagnostics.ledger import LedgerEntry
from ossature.kinematics.state_frame_motions import MAX_DISTANCE
from ossature.model import World

_MOTION = re.compile(r"\.(initial_position|initial_velocity|initial_angular_velocity_body)\Z")


def initial_state_losses(world: World, ledger: Ledger) -> list[LedgerEntry]:
    """Return the entries about initial poses, positions and velocities that are not written, apart from rounding errors."""
    poses = {f"{model.name}.pose" for model in world.models}
    poses |= {f"{model.name}/{body.name}.pose" for model in world.models for body in model.bodies}
    return [entry for entry in ledger if _is_lost(entry) and (_MOTION.search(entry.path) or entry.path in poses)]


def _is_lost(entry: LedgerEntry) -> bool:
    is_displaced = entry.action is Action.APPROXIMATED and entry.error is not None and entry.error > MAX_DISTANCE
    return entry.action is Action.DROPPED or is_displaced
