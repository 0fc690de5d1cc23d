"""How fast two shapes can approach each other, so that the compiled loop need not detect contacts while none can close.

A joint moves the shapes of its subtree. Their distances to all others change by at most its velocity times the largest distance
of their points from its axis, which depends on lengths only, in whatever configuration. So two shapes approach each other at
most as fast as the joints of two kinematic trees move theirs. Let the clearance be the smallest distance of any two shapes: as
long as it is larger than it can have become smaller since it was measured, plus what the margins of shapes cover, the engine
would find no contact.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.simulation.compile.engine_enumerations import BALL, BOX, FREE, HINGE, SLIDE
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.stepping.compiled_stepping_structs import Contacts, set_addresses

_UNBOUNDED = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
"""Types of shapes without a bounding sphere."""
_DEGREES_OF_FREEDOM = {FREE: (3, 3), BALL: (0, 3), SLIDE: (1, 0), HINGE: (0, 1)}
"""Numbers of translations and rotations of each type of joint."""


def find_approach_rates(model: mujoco.MjModel) -> Vector | None:
    """Return the largest rate at which two shapes approach each other for a unit velocity of each degree of freedom.

    Returns:
        The rates [m/rad or 1], or None if one of them is not bounded, as that of a joint with a sliding joint after it.
    """
    counts, reaches = _shapes_of_bodies(model)
    parents, offsets = model.body_parentid.tolist(), _lengths(model.body_pos)
    anchors, kinds = _lengths(model.jnt_pos), model.jnt_type.tolist()
    first_joints, joint_counts = model.body_jntadr.tolist(), model.body_jntnum.tolist()
    rates = np.zeros(model.nv)
    for body in range(model.nbody - 1, 0, -1):
        reach = reaches[body]
        # The last joint of a body moves it alone, the first one also all others.
        for joint in reversed(range(first_joints[body], first_joints[body] + joint_counts[body])):
            if 0 < counts[body] < model.ngeom:
                _set_rates(model, joint, anchors[joint] + reach, rates)
            # A hinge beside the origin of its body moves it by up to twice their distance.
            reach += np.inf if kinds[joint] in (SLIDE, FREE) else 2.0 * anchors[joint]
        parent = parents[body]
        counts[parent] += counts[body]
        if counts[body]:
            reaches[parent] = max(reaches[parent], offsets[body] + reach)
    return rates if np.isfinite(rates).all() else None


def find_rates_with_clearance(compiled: EngineModel, _: None) -> Vector | None:
    """Return the approach rates, or None if the engine has to detect contacts in each step.

    Args:
        compiled: The compiled World, whose engine model has the collision masks of the World.
    """
    model = compiled.model
    return None if model.npair or _can_boxes_collide(model) else find_approach_rates(model)


def describe_clearance(model: mujoco.MjModel, rates: Vector | None, fields: Contacts, kept: list[Any]) -> None:
    """Set the fields of the compiled loop for the clearance of shapes; the arrays that it needs are kept in a list."""
    margins = np.zeros(model.ngeom)
    fields.geom_count, fields.disable_flag = model.ngeom, int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    set_addresses(fields, kept_margins=margins)
    if rates is not None:
        set_addresses(fields, approach_rates=rates)
    kept += [margins, rates]


def _can_boxes_collide(model: mujoco.MjModel) -> bool:
    """Whether two boxes can collide: the engine does not find the distance of boxes that are far apart for their sizes."""
    boxes = np.flatnonzero(model.geom_type == BOX)
    matches = (model.geom_contype[boxes, None] & model.geom_conaffinity[boxes]) != 0
    are_apart = model.geom_bodyid[boxes, None] != model.geom_bodyid[boxes]
    return bool(((matches | matches.T) & are_apart).any())


def _shapes_of_bodies(model: mujoco.MjModel) -> tuple[list[int], list[float]]:
    """Return the number of shapes of each body, and the largest distance of their points from its origin [m]."""
    counts, reaches = [0] * model.nbody, [0.0] * model.nbody
    sizes = (_lengths(model.geom_pos), model.geom_rbound.tolist(), model.geom_type.tolist(), model.geom_bodyid.tolist())
    for offset, radius, kind, body in zip(*sizes, strict=True):
        counts[body] += 1
        reaches[body] = max(reaches[body], np.inf if kind in _UNBOUNDED else offset + radius)
    return counts, reaches


def _set_rates(model: mujoco.MjModel, joint: int, reach: float, rates: Vector) -> None:
    """Set the rates of a joint from the largest distance of the points that it moves from its axis [m]."""
    kind, first = int(model.jnt_type[joint]), int(model.jnt_dofadr[joint])
    translations, rotations = _DEGREES_OF_FREEDOM[kind]
    rates[first : first + translations] = 1.0
    rates[first + translations : first + translations + rotations] = reach


def _lengths(vectors: Vector) -> list[float]:
    return np.sqrt((vectors * vectors).sum(axis=1)).tolist()  # type: ignore[no-any-return]
