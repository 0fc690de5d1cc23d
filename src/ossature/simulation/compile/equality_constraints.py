"""Equality constraints of the engine: adding them, and finding those that drives use."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import mujoco

from ossature.simulation.compile.engine_enumerations import BODY, JOINT_EQUALITY, WELD
from ossature.simulation.compile.engine_spec import EngineSpec, SpecEquality, SpecJoint, SpecTendon, append
from ossature.spatial import Pose, Vector3


class Equalities:
    """Engine ids of equality constraints: of driven joints, and of welded child bodies."""

    def __init__(self) -> None:
        self.joints: dict[int, int] = {}
        self.welds: dict[int, int] = {}


def find_equalities(model: mujoco.MjModel, excluded: Collection[str] = ()) -> Equalities:
    """Return the constraints that a compiled model has for drives, except those with excluded names."""
    found = Equalities()
    for number in range(model.neq):
        if excluded and model.equality(number).name in excluded:
            continue
        if model.eq_type[number] == JOINT_EQUALITY and model.eq_obj2id[number] < 0:
            found.joints[int(model.eq_obj1id[number])] = number
        elif model.eq_type[number] == WELD and model.eq_objtype[number] == BODY:
            found.welds[int(model.eq_obj1id[number])] = number
    return found


def add_weld(spec: EngineSpec, name: str, first: str, second: str, pose_first_second: Pose) -> SpecEquality:
    """Add a weld that fixes the second engine body at a pose in the first."""
    equality = _add_body_equality(spec, mujoco.mjtEq.mjEQ_WELD, name, first, second)
    equality.data[3:6] = pose_first_second.position
    equality.data[6:10] = pose_first_second.wxyz
    equality.data[10] = 1.0
    return equality


def add_connect(spec: EngineSpec, name: str, first: str, second: str, anchor_first: Vector3) -> SpecEquality:
    """Add a constraint that fixes a point of the first engine body to the second."""
    equality = _add_body_equality(spec, mujoco.mjtEq.mjEQ_CONNECT, name, first, second)
    equality.data[:3] = anchor_first
    return equality


def add_distance_constraint(spec: EngineSpec, name: str, sites: tuple[str, str]) -> SpecEquality:
    """Add a constraint that keeps the initial distance of two sites."""
    return _add_equality(spec, mujoco.mjtEq.mjEQ_TENDON, name, _add_straight_tendon(spec, name, sites).name)


def add_equal_distances(spec: EngineSpec, name: str, pairs: tuple[tuple[str, str], tuple[str, str]]) -> SpecEquality:
    """Add a constraint that keeps the distance of two sites equal to that of two others, to which it is equal initially."""
    first, second = (_add_straight_tendon(spec, f"{name}[{number}]", pair) for number, pair in enumerate(pairs))
    equality = _add_equality(spec, mujoco.mjtEq.mjEQ_TENDON, name, first.name)
    equality.name2 = second.name
    equality.data[1] = 1.0
    return equality


def _add_straight_tendon(spec: EngineSpec, name: str, sites: tuple[str, str]) -> SpecTendon:
    tendon = append(spec.tendons, SpecTendon(name=name))
    for site in sites:
        tendon.wrap_site(site)
    return tendon


def add_joint_equality(spec: EngineSpec, name: str, engine_joint: SpecJoint) -> SpecEquality:
    """Add a constraint that keeps the coordinate of an engine joint at a target, which drives and motors change."""
    return _add_equality(spec, mujoco.mjtEq.mjEQ_JOINT, name, engine_joint.name)


def add_coupling(
    spec: EngineSpec, name: str, follower: SpecJoint, source: SpecJoint, constant: float, slope: float
) -> SpecEquality:
    """Add a constraint that makes the coordinate of an engine joint an affine function of another's."""
    equality = _add_equality(spec, mujoco.mjtEq.mjEQ_JOINT, name, follower.name)
    equality.name2 = source.name
    equality.data[:2] = (constant, slope)
    return equality


def add_sum_constraint(
    spec: EngineSpec, name: str, joints: Sequence[SpecJoint], weights: Sequence[float], target: float
) -> tuple[SpecEquality, SpecTendon]:
    """Add a constraint on a weighted sum of the coordinates of engine joints; return it and its tendon."""
    tendon = append(spec.tendons, SpecTendon(name=name))
    for joint, weight in zip(joints, weights, strict=True):
        tendon.wrap_joint(joint.name, weight)
    equality = _add_equality(spec, mujoco.mjtEq.mjEQ_TENDON, name, name)
    equality.data[0] = target
    return equality, tendon


def _add_body_equality(spec: EngineSpec, kind: mujoco.mjtEq, name: str, first: str, second: str) -> SpecEquality:
    equality = _add_equality(spec, kind, name, first)
    equality.objtype = mujoco.mjtObj.mjOBJ_BODY
    equality.name2 = second
    return equality


def _add_equality(spec: EngineSpec, kind: mujoco.mjtEq, name: str, first: str) -> SpecEquality:
    # The default data are those of a joint's polynomial.
    return append(spec.equalities, SpecEquality(type=kind, name=name, name1=first, data=[0.0] * mujoco.mjNEQDATA))
