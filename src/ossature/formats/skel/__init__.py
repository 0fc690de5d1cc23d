"""Reader and writer of SKEL, the world format of DART."""

from ossature.formats.skel.read import read_skel
from ossature.formats.skel.write import write_skel

__all__ = ["read_skel", "write_skel"]
