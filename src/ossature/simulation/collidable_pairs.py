"""Pairs of shapes that can collide, and those of them that are near each other."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import IndexArray


def select_near_pairs(model: mujoco.MjModel, data: mujoco.MjData, pairs: IndexArray, max_distance: float) -> IndexArray:
    """Return the pairs of shapes whose bounding spheres are not farther apart; a plane has none."""
    first, second = pairs.T
    radii = model.geom_rbound
    apart = np.linalg.norm(data.geom_xpos[first] - data.geom_xpos[second], axis=1) - radii[first] - radii[second]
    is_unbounded = (radii[first] == 0.0) | (radii[second] == 0.0)
    return np.asarray(pairs[(apart < max_distance) | is_unbounded])


def collidable_pairs(model: mujoco.MjModel, geoms: list[int] | IndexArray) -> IndexArray:
    """Return the pairs of shapes that the masks and the excluded pairs of bodies accept, shape (n, 2)."""
    numbers = np.array(geoms, dtype=np.intp)
    first, second = (numbers[part] for part in np.triu_indices(len(numbers), 1))
    kinds, affinities = model.geom_contype, model.geom_conaffinity
    accepted = ((kinds[first] & affinities[second]) | (kinds[second] & affinities[first])) != 0
    bodies = model.geom_bodyid[first], model.geom_bodyid[second]
    accepted &= model.body_weldid[bodies[0]] != model.body_weldid[bodies[1]]
    signatures = (np.minimum(*bodies).astype(np.int64) << 16) + np.maximum(*bodies)
    accepted &= ~np.isin(signatures, model.exclude_signature)
    return np.asarray(np.stack([first, second], axis=1)[accepted], dtype=np.intp)
