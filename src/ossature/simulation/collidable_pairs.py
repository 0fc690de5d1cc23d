"""Pairs of shapes that can collide, and those of them that are near each other."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import BoolArray, IndexArray


def select_near_pairs(model: mujoco.MjModel, data: mujoco.MjData, pairs: IndexArray, max_distance: float) -> IndexArray:
    """Return the pairs of shapes whose bounding spheres are not farther apart; a plane has none."""
    first, second = pairs.T
    radii = model.geom_rbound
    apart = np.linalg.norm(data.geom_xpos[first] - data.geom_xpos[second], axis=1) - radii[first] - radii[second]
    is_unbounded = (radii[first] == 0.0) | (radii[second] == 0.0)
    return np.asarray(pairs[(apart < max_distance) | is_unbounded])


def collidable_pairs(model: mujoco.MjModel, geoms: list[int] | IndexArray) -> IndexArray:
    """Return the pairs of shapes that the engine's collision filters accept, shape (n, 2).

    Source: MuJoCo's documentation, "Computation: Collision detection": masks, excluded pairs of bodies, bodies without joints
    between them, and parents and children.
    """
    numbers = np.array(geoms, dtype=np.intp)
    first, second = (numbers[part] for part in np.triu_indices(len(numbers), 1))
    kinds, affinities = model.geom_contype, model.geom_conaffinity
    accepted = ((kinds[first] & affinities[second]) | (kinds[second] & affinities[first])) != 0
    bodies = model.geom_bodyid[first].astype(np.intp), model.geom_bodyid[second].astype(np.intp)
    accepted &= ~_are_joined(model, *bodies)
    signatures = (np.minimum(*bodies) << 16) + np.maximum(*bodies)
    accepted &= ~np.isin(signatures, model.exclude_signature)
    return np.asarray(np.stack([first, second], axis=1)[accepted], dtype=np.intp)


def _are_joined(model: mujoco.MjModel, first: IndexArray, second: IndexArray) -> BoolArray:
    """Whether bodies have no joint between them, or one as parent and child, unless that filter is disabled."""
    welds = model.body_weldid[first], model.body_weldid[second]
    is_same = welds[0] == welds[1]
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT):
        return np.asarray(is_same)
    parents = [model.body_weldid[model.body_parentid[weld]] for weld in welds]
    is_parent = (parents[0] == welds[1]) | (parents[1] == welds[0])
    return np.asarray(is_same | (is_parent & (welds[0] != 0) & (welds[1] != 0)))
