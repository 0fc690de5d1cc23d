"""USDF, states of worlds: a draft format that complements URDF."""

from ossature.formats.usdf.read import read_usdf
from ossature.formats.usdf.write import write_usdf

__all__ = ["read_usdf", "write_usdf"]
