"""Elements of models that only MuJoCo's integrator simulates: a stage with one of them is read as a World for MuJoCo."""

from __future__ import annotations

from ossature.model import Model


def has_mujoco_elements(model: Model) -> bool:
    """Whether a model has actuators (drives), tendons, equalities, or joints with armature."""
    has_armature = any(coordinate.armature for joint in model.joints for coordinate in joint.coordinates)
    return bool(model.actuators or model.tendons or model.equalities) or has_armature
