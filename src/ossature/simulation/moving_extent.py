"""The extent of what moves: bounds relative to that of the ground would hide errors of a mechanism on a large floor."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from ossature.simulation.compile.engine_model import EngineModel

_LEAST_MASS = 1e-3
"""Mass of a body, relative to that of all that move, whose moment of inertia is not taken as spread over a length."""


def moving_extent(compiled: EngineModel, data: mujoco.MjData) -> float:
    """Return the diagonal of a box around the bodies that can move and their joints [m]; zero if nothing moves.

    The radius of gyration of a link with little or no mass is not its size; the mass of each body counts as a share of that of
    all bodies at least.

    Args:
        data: The engine's data, with the positions of bodies.
    """
    model, moving = compiled.model, compiled.moving_bodies
    if not moving.size:
        return 0.0
    mass, moments = model.body_mass[moving], np.maximum.reduce(model.body_inertia[moving], axis=1)
    mass = np.maximum(mass, _LEAST_MASS * mass.sum())
    radii = np.sqrt(np.divide(moments, mass, out=np.zeros_like(moments), where=mass > 0.0))[:, None]
    centers, anchors = data.xipos[moving], data.xanchor
    # Reductions are faster than the methods of arrays.
    low = np.minimum.reduce(np.concatenate([centers - radii, anchors]))
    high = np.maximum.reduce(np.concatenate([centers + radii, anchors]))
    return math.dist(high, low)
