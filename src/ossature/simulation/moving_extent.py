"""The extent of what moves: bounds relative to that of the ground would hide errors of a mechanism on a large floor."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from ossature.simulation.compile.engine_model import EngineModel


def moving_extent(compiled: EngineModel, data: mujoco.MjData) -> float:
    """Return the diagonal of a box around the bodies that can move and their joints [m]; zero if nothing moves.

    Args:
        data: The engine's data, with the positions of bodies.
    """
    model, moving = compiled.model, compiled.moving_bodies
    if not moving.size:
        return 0.0
    mass = np.maximum(model.body_mass[moving], np.finfo(np.float64).tiny)
    with np.errstate(over="ignore"):
        radii = np.sqrt(np.maximum.reduce(model.body_inertia[moving], axis=1) / mass)[:, None]
    centers, anchors = data.xipos[moving], data.xanchor
    # Reductions are faster than the methods of arrays.
    low = np.minimum.reduce(np.concatenate([centers - radii, anchors]))
    high = np.maximum.reduce(np.concatenate([centers + radii, anchors]))
    return math.dist(high, low)
