"""Formulas → coordinates that follow others."""

from __future__ import annotations

from ossature.formats.collada.read_systems import JointState, System
from ossature.formats.collada.reading import Reading
from ossature.model import Joint


def with_formulas(joints: list[Joint], system: System, names: dict[JointState, str], reading: Reading) -> list[Joint]:
    """Return the joints with the formulas that they follow."""
    return joints
