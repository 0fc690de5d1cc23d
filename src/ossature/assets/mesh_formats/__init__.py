"""Mesh files → triangles, one module a format.

Each reader needs time and memory proportional to the file: counts and offsets in a file are compared with its size
before memory is allocated. Arrays and instances are bounded by :class:`~ossature.diagnostics.Limits`.
"""

from collections.abc import Callable

from ossature.assets.mesh_formats.collada import read_collada, read_collada_parts
from ossature.assets.mesh_formats.gltf import read_gltf, read_gltf_parts
from ossature.assets.mesh_formats.mesh_assembly import ColoredPart
from ossature.assets.mesh_formats.obj import read_obj, read_obj_parts
from ossature.assets.mesh_formats.off import read_off
from ossature.assets.mesh_formats.ply import read_ply
from ossature.assets.mesh_formats.stl import read_stl
from ossature.diagnostics import Budget
from ossature.model import MeshData

ReadSibling = Callable[[str], bytes]

READERS: dict[str, Callable[[bytes, ReadSibling, Budget], MeshData]] = {
    "dae": lambda data, _, budget: read_collada(data, budget),
    "glb": read_gltf,
    "gltf": read_gltf,
    "obj": lambda data, _, budget: read_obj(data, budget),
    "off": lambda data, _, budget: read_off(data, budget),
    "ply": lambda data, _, budget: read_ply(data, budget),
    "stl": lambda data, _, budget: read_stl(data, budget),
}
"""Readers by suffix: of a file's bytes, of a function that returns those of files that it names, and of a budget.

They raise ValueError for invalid content, and LimitError above the limits of the budget.
"""

PART_READERS: dict[str, Callable[[bytes, ReadSibling, Budget], list[ColoredPart]]] = {
    "dae": lambda data, _, budget: read_collada_parts(data, budget),
    "glb": read_gltf_parts,
    "gltf": read_gltf_parts,
    "obj": read_obj_parts,
}
"""Readers by suffix, as above, of one part for each material."""

__all__ = ["PART_READERS", "READERS", "ReadSibling"]
