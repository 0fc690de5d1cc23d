"""Mesh files → triangles, one module a format.

Every reader takes time and memory in proportion to the file: counts and offsets that a file states are compared with its bytes
before anything is made of them, and what instances repeat is bounded (:data:`~.parts.MOST_TRIANGLES`).
"""

from collections.abc import Callable

from ossature.assets.mesh_formats.collada import read_collada
from ossature.assets.mesh_formats.gltf import read_gltf
from ossature.assets.mesh_formats.obj import read_obj
from ossature.assets.mesh_formats.off import read_off
from ossature.assets.mesh_formats.ply import read_ply
from ossature.assets.mesh_formats.stl import read_stl
from ossature.model import Triangles

ReadBeside = Callable[[str], bytes]

READERS: dict[str, Callable[[bytes, ReadBeside], Triangles]] = {
    "dae": lambda data, _: read_collada(data),
    "glb": read_gltf,
    "gltf": read_gltf,
    "obj": lambda data, _: read_obj(data),
    "off": lambda data, _: read_off(data),
    "ply": lambda data, _: read_ply(data),
    "stl": lambda data, _: read_stl(data),
}
"""Readers by suffix: of a file's bytes, and of a function that returns those of files that it names.

They raise ValueError for what cannot be read.
"""

__all__ = ["READERS", "ReadBeside"]
