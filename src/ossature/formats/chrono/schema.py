"""Schemas of the three kinds of Chrono YAML file."""

from __future__ import annotations

from ossature.formats.chrono.schema_model import ModelFile
from ossature.formats.chrono.schema_run import SimulationFile, SolverFile
from ossature.syntax.schema import Element

ROOTS: tuple[tuple[str, type[Element]], ...] = (
    ("model file", ModelFile),
    ("simulation file", SimulationFile),
    ("solver file", SolverFile),
)
"""The three kinds of file, with their root elements."""
