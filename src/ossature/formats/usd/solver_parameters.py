"""Solver parameters of MuJoCo's schemas."""

from __future__ import annotations

from ossature.formats.mjcf.mujoco_defaults import SOLIMP, SOLREF
from ossature.formats.usd.stage import Prim


def solver_parameter(prim: Prim, name: str) -> tuple[float, ...] | None:
    """Return a solver parameter, such as ``solreflimit``, or None if it is not stated or MuJoCo's default."""
    values = prim.numbers(f"mjc:{name}")
    default = SOLREF if name.startswith("solref") else SOLIMP
    return values if values and values != default else None
