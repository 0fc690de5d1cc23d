"""Formulas that coordinates follow → formulas of a kinematics model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ossature.formats.collada.model_writing import ModelWriting
from ossature.formats.collada.schema_kinematics import FormulaElement
from ossature.model import Joint


def write_formulas(joints: Iterable[Joint], model: ModelWriting) -> Iterator[FormulaElement]:
    """Yield the formulas that joints follow."""
    yield from ()
