"""Checks documents against the COLLADA 1.5.0 schema and OpenRAVE's extensions, without any code of the package's own.

It is no package named ``collada``, because that is the name of a library that reads meshes.
"""

from collada_validator.problems import Kind, Problem
from collada_validator.validator import validate

__all__ = ["Kind", "Problem", "validate"]
