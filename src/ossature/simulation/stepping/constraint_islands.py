"""Islands of kinematic trees that constraints connect."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import AnyArray, BoolArray, IndexArray
from ossature.kinematics.disjoint_sets import DisjointSets


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintIslands:
    """The islands of the constraints of the present state.

    Constraints of the same kinematic tree, and of trees that other constraints connect, are in the same island.

    Attributes:
        of_trees: The index of the island of each tree, below the number of trees.
        of_rows: The index of the island of each of the engine's constraint rows.
    """

    of_trees: IndexArray
    of_rows: IndexArray


def find_islands(model: mujoco.MjModel, data: mujoco.MjData) -> ConstraintIslands:
    """Return the islands of the engine's constraints."""
    rows: AnyArray
    dofs: AnyArray
    if mujoco.mj_isSparse(model):
        rows = np.repeat(np.arange(data.nefc), data.efc_J_rownnz)
        dofs = data.efc_J_colind.ravel()[: rows.size]
    else:
        rows, dofs = np.nonzero(data.efc_J.reshape(data.nefc, model.nv))
    joined = DisjointSets[int]()
    first_trees = np.zeros(data.nefc, dtype=np.intp)
    first_trees[rows[::-1]] = model.dof_treeid[dofs[::-1]]
    for one, other in set(zip(first_trees[rows].tolist(), model.dof_treeid[dofs].tolist(), strict=True)):
        joined.join(one, other)
    islands = np.array([joined.find(tree) for tree in range(model.ntree)], dtype=np.intp)
    return ConstraintIslands(islands, islands[first_trees])


def find_dofs_in_islands(model: mujoco.MjModel, data: mujoco.MjData, is_of_island: BoolArray) -> BoolArray:
    """Return the degrees of freedom of the islands of some constraint rows."""
    islands = find_islands(model, data)
    are_selected = np.zeros(model.ntree, dtype=bool)
    are_selected[islands.of_rows[is_of_island]] = True
    return np.asarray(are_selected[islands.of_trees][model.dof_treeid])
