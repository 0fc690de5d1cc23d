"""Which of the engine's equality constraints drives use."""

from __future__ import annotations

from typing import Any

import mujoco


class Equalities:
    """The engine's numbers of equality constraints: of joints that follow, and of welded children."""

    def __init__(self) -> None:
        self.joints: dict[int, int] = {}
        self.welds: dict[int, int] = {}


def find_equalities(model: Any) -> Equalities:
    """Return the numbers of the constraints that a compiled model has for drives."""
    found = Equalities()
    for number in range(model.neq):
        if model.eq_type[number] == mujoco.mjtEq.mjEQ_JOINT and model.eq_obj2id[number] < 0:
            found.joints[int(model.eq_obj1id[number])] = number
        elif model.eq_type[number] == mujoco.mjtEq.mjEQ_WELD:
            found.welds[int(model.eq_obj1id[number])] = number
    return found
