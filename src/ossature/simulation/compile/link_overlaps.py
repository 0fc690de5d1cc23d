"""Overlaps of bodies that joints connect, such as links of a robot whose collision shapes are larger than they are.

Joints keep such bodies together, so that contacts cannot separate them: they lock joints, or make them oscillate fast. OpenRAVE
and MoveIt ignore the pairs, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import mujoco
import numpy as np

from ossature.diagnostics import Report
from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.kinematics.connected_links import can_links_collide, connected_links
from ossature.model import Model, World
from ossature.simulation import rules
from ossature.simulation.compile.contact_model import LinkOverlap
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.initial_coordinates import initial_coordinates

_MOST_NAMED = 8
_GEOMETRY = ("body_pos", "body_quat", "jnt_pos", "jnt_axis", "geom_pos", "geom_quat", "geom_size", "mesh_vert", "hfield_data")


def find_link_overlaps(compiled: EngineModel) -> tuple[LinkOverlap, ...]:
    """Return the pairs of bodies that joints connect, that can collide, and that overlap too much for contacts at the start."""
    world = compiled.grasp_plan.world
    candidates = [model for model in world.models if can_links_collide(model)]
    if not candidates:
        return ()
    owners = {
        geom: (name, body)
        for name in (model.name for model in candidates)
        for body, address in compiled.index.bodies[name].items()
        for geom in (*address.rigid_geoms, *address.inner_geoms)
        if geom is not None
    }
    mechanisms = {model.name: connected_links(model) for model in candidates}
    depths: dict[tuple[str, str, str], float] = {}
    for geoms, depth in _overlapping_geoms(compiled):
        if geoms[0] not in owners or geoms[1] not in owners:
            continue
        (model, first), (other_model, second) = sorted(owners[geom] for geom in geoms)
        if model == other_model and mechanisms[model].find(first) == mechanisms[model].find(second):
            depths[model, first, second] = max(depths.get((model, first, second), 0.0), depth)
    return tuple(
        [
            LinkOverlap(model=model, bodies=(first, second), depth=depth)
            for (model, first, second), depth in sorted(depths.items())
        ]
    )


def ignore_overlaps(world: World, overlaps: Sequence[LinkOverlap]) -> World:
    """Return a World in which the pairs do not collide."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    for overlap in overlaps:
        pairs.setdefault(overlap.model, []).append(overlap.bodies)
    return replace(world, models=world.models.map(lambda model: _with_ignored_pairs(model, pairs)))


def report_overlaps(world: World, overlaps: Sequence[LinkOverlap], report: Report) -> None:
    """Report the pairs of each model whose collisions are ignored, the deepest first."""
    for model in world.models:
        own = sorted([one for one in overlaps if one.model == model.name], key=lambda one: -one.depth)
        if own:
            named = [f"'{one.bodies[0]}' and '{one.bodies[1]}' ({one.depth * 1e3:.3g} mm)" for one in own[:_MOST_NAMED]]
            more = f", and {len(own) - _MOST_NAMED} more" if len(own) > _MOST_NAMED else ""
            message = (
                f"model '{model.name}': these bodies overlap at the start although joints connect them, and do not collide: "
                f"{', '.join(named)}{more}"
            )
            hint = "correct their collision shapes, which are the convex hulls of meshes, or state that the pairs never collide"
            report.add(rules.IGNORED_OVERLAP, message, model.origin, path=model.name, hint=hint)


def has_same_geometry(compiled: EngineModel, other: EngineModel) -> bool:
    """Whether shapes have the same sizes, and all bodies start at the same poses."""
    start, other_start = initial_coordinates(compiled)[0], initial_coordinates(other)[0]
    return np.array_equal(start, other_start) and all(
        np.array_equal(getattr(compiled.model, name), getattr(other.model, name)) for name in _GEOMETRY
    )


def _with_ignored_pairs(model: Model, pairs: Mapping[str, list[tuple[str, str]]]) -> Model:
    added = pairs.get(model.name)
    return replace(model, ignored_pairs=(*model.ignored_pairs, *added)) if added else model


def _overlapping_geoms(compiled: EngineModel) -> list[tuple[tuple[int, int], float]]:
    """Return the pairs of the engine's shapes that overlap too much for contacts at the start, and how deep [m]."""
    with suppress_engine_warnings(), temporary_engine_data(compiled.model) as data:
        data.qpos[:] = initial_coordinates(compiled)[0]
        mujoco.mj_kinematics(compiled.model, data)
        mujoco.mj_collision(compiled.model, data)
        distances, geoms = data.contact.dist, data.contact.geom
        deep = np.flatnonzero(distances < -compiled.contacts.options.smallest_ignored_overlap)
        return [((one, other), -float(distances[row])) for row, (one, other) in zip(deep, geoms[deep].tolist(), strict=True)]
