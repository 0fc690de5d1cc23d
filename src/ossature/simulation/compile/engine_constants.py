"""Constants of an engine model that follow from its other numbers."""

from __future__ import annotations

import mujoco

from ossature.formats.mjcf.engine_data import temporary_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation.compile.engine_enumerations import CAPSULE, NO_SAME_FRAME


def set_constants(model: mujoco.MjModel) -> bool:
    """Compute the constants of an engine model that depend on its inertia; return whether there was no warning."""
    # Line masses may make the mass matrix singular until they get an extent.
    with suppress_engine_warnings(), temporary_engine_data(model) as data:
        mujoco.mj_setConst(model, data)
        has_warning = bool(data.warning.number.any())
    use_orientations_of_capsules(model)
    return not has_warning


def use_orientations_of_capsules(model: mujoco.MjModel) -> None:
    """Let the engine use the orientations of capsules, not those of bodies, which are nearly the same.

    The engine's compiler and its computation of constants both choose the latter.
    """
    model.geom_sameframe[model.geom_type == CAPSULE] = NO_SAME_FRAME
