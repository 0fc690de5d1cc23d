"""Links of a robot that overlap in the initial state: MuJoCo's contacts would push them apart, which their joints prevent."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ossature.formats.format import WrittenFiles
from ossature.formats.mjcf.engine_data import mujoco, temporary_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.kinematics.connected_links import can_links_collide, connected_links
from ossature.model import MujocoOption, World, hint_of
from ossature.syntax.xml import element

_SMALLEST_OVERLAP_M = 1e-3
"""The overlap from which a pair is excluded: bodies that rest on each other may penetrate by less."""
_DETAIL = (
    "the bodies overlap at the start although joints connect them: they are excluded, because contacts cannot separate them"
)


def is_mjcf_file(world: World) -> bool:
    """Whether a World is that of an MJCF file, or one for MuJoCo that is made in memory."""
    return hint_of(world, MujocoOption) is not None and (world.origin is None or world.origin.source.is_xml)


def exclude_overlapping_links(document: MjcfDocument, text: str, assets: WrittenFiles) -> None:
    """Add the pairs of links that overlap in the initial state of a document to those that do not collide.

    Simulations ignore them, too, unless the World is that of an MJCF file.

    Args:
        text: The document.
        assets: The files of its meshes and textures.
    """
    world = document.world
    links = {model.name: connected_links(model) for model in world.models if can_links_collide(model)}
    if not links or is_mjcf_file(world):
        return
    owners = {written: owner for owner, written in document.names.bodies.items()}
    for (one, other), depth in sorted(_overlaps(text, assets).items()):
        if one not in owners or other not in owners:  # bodies that only the document has
            continue
        (model, first), (other_model, second) = owners[one], owners[other]
        if model == other_model and model in links and links[model].find(first) == links[model].find(second):
            document.contacts.append(element("exclude", {"body1": one, "body2": other}))
            pair = f"'{first}' and '{second}', by {depth * 1e3:.3g} mm"
            document.ledger.approximated(f"{model}.ignored_pairs", _DETAIL, before=pair)


def _overlaps(text: str, assets: WrittenFiles) -> dict[tuple[str, str], float]:
    """Return the largest depth of the contacts between bodies in the initial state [m]; none if MuJoCo refuses the document."""
    parse: Any = mujoco.MjSpec.from_string
    try:
        with warnings.catch_warnings(action="ignore"):
            engine = parse(text, assets={f"{path.parent.name}/{path.name}": data for path, data in assets.items()}).compile()
    except (ValueError, mujoco.FatalError):  # reported by those who open the file
        return {}
    with suppress_engine_warnings(), temporary_engine_data(engine) as data:
        if engine.nkey:
            mujoco.mj_resetDataKeyframe(engine, data, engine.nkey - 1)
        mujoco.mj_kinematics(engine, data)
        mujoco.mj_collision(engine, data)
        depths: dict[tuple[str, str], float] = {}
        for row in np.flatnonzero(data.contact.dist < -_SMALLEST_OVERLAP_M):
            bodies = [engine.body(engine.geom_bodyid[geom]).name for geom in data.contact.geom[row]]
            pair = (min(bodies), max(bodies))
            depths[pair] = max(depths.get(pair, 0.0), -float(data.contact.dist[row]))
        return depths
