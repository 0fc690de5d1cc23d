"""Chrono YAML: multibody models with loops, bushings, spring-dampers and motors, and simulation settings."""

from ossature.formats.chrono.read import read_chrono
from ossature.formats.chrono.write import write_chrono
from ossature.formats.chrono.write_simulation_and_solver import run_files

__all__ = ["read_chrono", "run_files", "write_chrono"]
