"""Paths of the model elements that correspond to the engine's indices: bodies, and loop joints or constraints."""

from __future__ import annotations

import mujoco

from ossature.simulation.compile.engine_enumerations import BODY, WELD
from ossature.simulation.compile.engine_model import EngineModel


def body_path(compiled: EngineModel, number: int) -> str:
    """Return the path ``MODEL/BODY`` of an engine body, empty for the world.

    Of a clone it is the path of its original, or that of its parent if the original cannot move.
    """
    paths = {body.number: f"{model}/{name}" for model, bodies in compiled.index.bodies.items() for name, body in bodies.items()}
    visited: set[int] = set()
    while number and number not in paths and number not in visited:
        visited.add(number)
        number = _original_body(compiled.model, number) or int(compiled.model.body_parentid[number])
    return paths.get(number, "")


def equality_path(compiled: EngineModel, number: int) -> str:
    """Return the path of the loop joint or constraint that an equality constraint of the engine belongs to."""
    model = compiled.model
    name = str(model.equality(number).name)
    if not _is_weld_of_bodies(model, number):
        return name
    ends = {int(model.eq_obj1id[number]), int(model.eq_obj2id[number])}
    bodies = {body.number for bodies in compiled.index.bodies.values() for body in bodies.values()}
    for clone in ends - bodies - {0}:  # of the world
        for joint in compiled.index.all_joints():
            if clone == joint.body:
                return f"{joint.model}/{joint.joint.name}"
        return body_path(compiled, clone)
    return name


def _is_weld_of_bodies(model: mujoco.MjModel, number: int) -> bool:
    """Whether an equality constraint is a weld of bodies, not of sites."""
    return bool(model.eq_type[number] == WELD and model.eq_objtype[number] == BODY)


def _original_body(model: mujoco.MjModel, clone: int) -> int:
    """Return the body that a clone is welded to, or zero if that body cannot move or there is none."""
    for number in range(model.neq):
        if _is_weld_of_bodies(model, number):
            ends = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            if clone in ends:
                original = max(ends[0] if ends[1] == clone else ends[1], 0)
                return original if model.body_weldid[original] else 0
    return 0
