"""Mechanisms with loops in the engine's equality constraints: their degrees of freedom, and the rows of their Jacobian."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import BoolArray, IndexArray
from ossature.simulation.compile.engine_enumerations import (
    CONNECT,
    FREE,
    JOINT_EQUALITY,
    JOINT_OF_TENDON,
    SITE,
    SITE_OF_TENDON,
    SLIDE,
    TENDON_EQUALITY,
    WELD,
)
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.joint_actuation import drive_welds
from ossature.simulation.engine_element_paths import body_path

LOOP_EQUALITIES = (CONNECT, WELD, TENDON_EQUALITY)
"""Types of equality constraints that close loops."""


_COINCIDENT = 1e-9
"""Distance of joints at one point, relative to the extent of the World: it is rounding."""


@dataclass(frozen=True, slots=True)
class MechanismLayout:
    """Where the constraint Jacobian of a mechanism is in that of all equality constraints.

    Attributes:
        dofs: The degrees of freedom of the mechanism: the columns.
        cells: The place of each number.
        are_translations: Which columns are translations.
        are_lengths: Which rows are lengths, not angles.
        close_loops: Which rows close loops.
        belong_to_drives: Which rows are of welds that drive ball joints: those of positions have no force.
        equalities: The engine's equality constraint of each row.
        joints: The engine's joints.
    """

    dofs: IndexArray
    cells: IndexArray
    are_translations: BoolArray
    are_lengths: BoolArray
    close_loops: BoolArray
    belong_to_drives: BoolArray
    equalities: IndexArray
    joints: IndexArray


def find_mechanism_layouts(compiled: EngineModel, numbers: tuple[int, ...]) -> list[MechanismLayout]:
    """Return the layout of each mechanism.

    Args:
        numbers: The index of the engine's constraint of each row. Those of equality constraints come first; they are constant
            because none is activated or deactivated in a compilation.
    """
    couplings = {coupling.equality.id for coupling in compiled.couplings}
    drives = drive_welds(compiled.model, compiled.index)
    return [_make_layout(compiled.model, dofs, numbers, couplings, drives) for dofs in _find_mechanisms(compiled)]


def _make_layout(
    model: mujoco.MjModel, dofs: IndexArray, numbers: tuple[int, ...], couplings: set[int], drives: list[int]
) -> MechanismLayout:
    """Return the layout of a mechanism from the index of the engine's constraint of each row."""
    own_dofs, kinds = set(dofs.tolist()), model.eq_type
    own = {number for number in set(numbers) if own_dofs.intersection(dofs_of_equality(model, number))}
    rows, are_lengths, close_loops, seen = list[int](), list[bool](), list[bool](), Counter[int]()
    for row, number in enumerate(numbers):
        component = seen[number]
        seen[number] += 1
        if number in own:
            rows.append(row)
            is_of_weld = kinds[number] == WELD and component < 3
            are_lengths.append(bool(kinds[number] == CONNECT or is_of_weld or _is_slide(model, number)))
            close_loops.append(bool(kinds[number] in LOOP_EQUALITIES and number not in couplings))
    joints = model.dof_jntid[dofs]
    is_of_free = (model.jnt_type[joints] == FREE) & (dofs - model.jnt_dofadr[joints] < 3)
    return MechanismLayout(
        dofs=dofs,
        cells=np.array(rows, dtype=np.intp)[:, None] * model.nv + dofs,
        are_translations=(model.jnt_type[joints] == SLIDE) | is_of_free,
        are_lengths=np.array(are_lengths, dtype=bool),
        close_loops=np.array(close_loops, dtype=bool),
        belong_to_drives=np.isin(np.array(numbers, dtype=np.intp)[rows], drives),
        equalities=np.array(numbers, dtype=np.intp)[rows],
        joints=np.unique(joints),
    )


def _is_slide(model: mujoco.MjModel, number: int) -> bool:
    """Whether an equality constraint is of the coordinate of a sliding joint, or of tendons."""
    if model.eq_type[number] != JOINT_EQUALITY:
        return bool(model.eq_type[number] == TENDON_EQUALITY)
    return bool(model.jnt_type[model.eq_obj1id[number]] == SLIDE)


def _find_mechanisms(compiled: EngineModel) -> Iterator[IndexArray]:
    """Yield the degrees of freedom of each mechanism: those that equality constraints connect, if one of them closes a loop."""
    model = compiled.model
    couplings = {coupling.equality.id for coupling in compiled.couplings}
    groups: list[tuple[set[int], bool]] = []
    for number in range(model.neq):
        dofs = set(dofs_of_equality(model, number))
        closes = model.eq_type[number] != JOINT_EQUALITY and number not in couplings
        touching = [group for group in groups if group[0] & dofs]
        groups = [group for group in groups if not group[0] & dofs]
        groups.append((dofs.union(*[group[0] for group in touching]), closes or any(group[1] for group in touching)))
    for dofs, closes in groups:
        if closes and dofs:
            yield np.array(sorted(dofs), dtype=np.intp)


def dofs_of_equality(model: mujoco.MjModel, number: int) -> list[int]:
    """Return the degrees of freedom that an equality constraint can depend on."""
    kind, first, second = model.eq_type[number], int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
    if kind == JOINT_EQUALITY:
        return [int(model.jnt_dofadr[joint]) for joint in (first, second) if joint >= 0]
    if kind == TENDON_EQUALITY:
        return [dof for tendon in (first, second) if tendon >= 0 for dof in _dofs_of_tendon(model, tendon)]
    if model.eq_objtype[number] == SITE:
        first, second = int(model.site_bodyid[first]), int(model.site_bodyid[second])
    return sorted(set(_dofs_of_body(model, first)) ^ set(_dofs_of_body(model, second)))


def _dofs_of_tendon(model: mujoco.MjModel, tendon: int) -> list[int]:
    start, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    dofs: set[int] = set()
    for wrap in range(start, start + count):
        of = int(model.wrap_objid[wrap])
        if model.wrap_type[wrap] == SITE_OF_TENDON:
            dofs ^= set(_dofs_of_body(model, int(model.site_bodyid[of])))
        elif model.wrap_type[wrap] == JOINT_OF_TENDON:
            dofs.add(int(model.jnt_dofadr[of]))
    return sorted(dofs)


def _dofs_of_body(model: mujoco.MjModel, body: int) -> list[int]:
    dofs: list[int] = []
    while body:
        dofs += range(int(model.body_dofadr[body]), int(model.body_dofadr[body]) + int(model.body_dofnum[body]))
        body = int(model.body_parentid[body])
    return dofs


def characteristic_length(model: mujoco.MjModel, data: mujoco.MjData, joints: IndexArray) -> float:
    """Return the root mean square distance of the joints of a mechanism from their centroid [m]; 1 m if it overflows.

    If all joints are at one point it is the extent of the World.
    """
    anchors = data.xanchor[joints]
    with np.errstate(over="ignore", invalid="ignore"):
        offsets = anchors - np.add.reduce(anchors) / len(anchors)  # much faster than the mean
        length = math.sqrt(np.add.reduce(np.add.reduce(offsets * offsets, axis=1)) / len(anchors))
    extent = float(model.stat.extent)
    if not length > _COINCIDENT * extent:
        length = extent
    return length if 0.0 < length < math.inf else 1.0


def joint_path(compiled: EngineModel, dof: int) -> str:
    """Return the path of the joint, or else of the body, of a degree of freedom of the engine."""
    for index in compiled.index.all_joints():
        if index.dof_count and index.dof <= dof < index.dof + index.dof_count:
            return f"{index.model}/{index.joint.name}"
    name = str(compiled.model.joint(int(compiled.model.dof_jntid[dof])).name)
    return name or body_path(compiled, int(compiled.model.dof_bodyid[dof]))
