"""Chrono YAML: multibody models with closed loops, bushings, spring-dampers and motors, and how to run them."""

from ossature.formats.chrono.read import read_chrono
from ossature.formats.chrono.write import write_chrono
from ossature.formats.chrono.write_run import run_files

__all__ = ["read_chrono", "run_files", "write_chrono"]
