"""Reader and writer of SRDF, the semantics of a URDF robot: groups, end effectors, states, collisions to ignore."""

from ossature.formats.srdf.apply import with_semantics
from ossature.formats.srdf.read import find_srdf, read_srdf
from ossature.formats.srdf.write import is_needed, write_srdf

__all__ = ["find_srdf", "is_needed", "read_srdf", "with_semantics", "write_srdf"]
