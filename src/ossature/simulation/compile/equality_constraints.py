"""The engine's equality constraints: how they are added, and which of them drives use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import mujoco

from ossature.spatial import Pose, Vector3


class Equalities:
    """The engine's numbers of equality constraints: of joints that follow, and of welded children."""

    def __init__(self) -> None:
        self.joints: dict[int, int] = {}
        self.welds: dict[int, int] = {}


def find_equalities(model: Any, besides: Collection[str] = ()) -> Equalities:
    """Return the numbers of the constraints that a compiled model has for drives, all but some of the given names."""
    found = Equalities()
    for number in range(model.neq):
        if besides and model.equality(number).name in besides:
            continue
        if model.eq_type[number] == mujoco.mjtEq.mjEQ_JOINT and model.eq_obj2id[number] < 0:
            found.joints[int(model.eq_obj1id[number])] = number
        elif model.eq_type[number] == mujoco.mjtEq.mjEQ_WELD:
            found.welds[int(model.eq_obj1id[number])] = number
    return found


def weld(spec: Any, name: str, first: str, second: str, pose_first_second: Pose) -> Any:
    """Add a weld that keeps the second engine body at a pose in the first."""
    equality = _between_bodies(spec, mujoco.mjtEq.mjEQ_WELD, name, first, second)
    equality.data[3:6] = pose_first_second.position
    equality.data[6:10] = pose_first_second.wxyz
    equality.data[10] = 1.0
    return equality


def connect(spec: Any, name: str, first: str, second: str, anchor_first: Vector3) -> Any:
    """Add a constraint that keeps a point of the first engine body on the second one."""
    equality = _between_bodies(spec, mujoco.mjtEq.mjEQ_CONNECT, name, first, second)
    equality.data[:3] = anchor_first
    return equality


def add_distance_constraint(spec: Any, name: str, sites: tuple[str, str]) -> Any:
    """Add a constraint that keeps two sites as far apart as they are in the model."""
    tendon = spec.add_tendon()
    tendon.name = name
    for site in sites:
        tendon.wrap_site(site)
    return _on_one(spec, mujoco.mjtEq.mjEQ_TENDON, name, name)


def add_joint_equality(spec: Any, name: str, engine_joint: Any) -> Any:
    """Add a constraint that keeps the one coordinate of an engine joint at a place, which drives and motors move."""
    return _on_one(spec, mujoco.mjtEq.mjEQ_JOINT, name, engine_joint.name)


def add_coupling(spec: Any, name: str, follower: Any, source: Any, start: float, slope: float) -> Any:
    """Add a constraint that keeps the one coordinate of an engine joint at a start plus a multiple of another's."""
    equality = _on_one(spec, mujoco.mjtEq.mjEQ_JOINT, name, follower.name)
    equality.name2 = source.name
    equality.data[:2] = (start, slope)
    return equality


def add_sum_constraint(spec: Any, name: str, joints: Sequence[Any], weights: Sequence[float], target: float) -> tuple[Any, Any]:
    """Add a constraint that keeps a weighted sum of the coordinates of engine joints; return it and its tendon."""
    tendon = spec.add_tendon()
    tendon.name = name
    for joint, weight in zip(joints, weights, strict=True):
        tendon.wrap_joint(joint.name, weight)
    equality = _on_one(spec, mujoco.mjtEq.mjEQ_TENDON, name, name)
    equality.data[0] = target
    return equality, tendon


def _between_bodies(spec: Any, kind: Any, name: str, first: str, second: str) -> Any:
    equality = _on_one(spec, kind, name, first)
    equality.objtype = mujoco.mjtObj.mjOBJ_BODY
    equality.name2 = second
    return equality


def _on_one(spec: Any, kind: Any, name: str, first: str) -> Any:
    equality = spec.add_equality()
    equality.type = kind
    equality.name = name
    equality.name1 = first
    # The data of a new equality are those of a joint's polynomial.
    equality.data[:] = 0.0
    return equality
