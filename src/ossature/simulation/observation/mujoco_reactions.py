"""Which Worlds that MuJoCo compiles have reactions: those whose forces on bodies are all known one by one."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.simulation.observation.mujoco_quantities import have_plastic_springs


def reaction_obstacle(model: mujoco.MjModel) -> str | None:
    """Return why reactions of joints are not computed, or None: MuJoCo states some forces along coordinates only."""
    flexible = [int(mujoco.mjtEq.mjEQ_FLEX), int(mujoco.mjtEq.mjEQ_FLEXVERT), int(mujoco.mjtEq.mjEQ_FLEXSTRAIN)]
    transmissions = [int(mujoco.mjtTrn.mjTRN_BODY), int(mujoco.mjtTrn.mjTRN_SLIDERCRANK)]
    reasons = {
        "flexible bodies": model.nflex or np.isin(model.eq_type, flexible).any(),
        "adhesion or slider-cranks": np.isin(model.actuator_trntype, transmissions).any(),
        "forces of a fluid": model.opt.density or model.opt.viscosity,
        "inertia or plastic springs of tendons": model.tendon_armature.any() or have_plastic_springs(model).any(),
        "plugins": model.nplugin,
    }
    found = [reason for reason, applies in reasons.items() if applies]
    return ", ".join(found) or None
