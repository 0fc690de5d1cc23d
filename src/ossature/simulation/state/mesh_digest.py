"""What the meshes of a compiled World are known by."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


def mesh_digest(model: Any) -> str:
    """Return a digest of the triangles that bodies of the engine's model touch with, or ``none`` where it has none."""
    if not model.nmesh:
        return "none"
    hashed = hashlib.sha256()
    # The engine moves each mesh to its centre, and remembers from where.
    for array in (model.mesh_vertnum, model.mesh_vert, model.mesh_facenum, model.mesh_face, model.mesh_pos, model.mesh_quat):
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()[:32]
