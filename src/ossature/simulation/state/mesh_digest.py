"""Digest of the meshes of a compiled World."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import mujoco


def mesh_digest(model: mujoco.MjModel) -> str:
    """Return a digest of the mesh triangles of the engine's model, or ``none`` if it has no meshes."""
    if not model.nmesh:
        return "none"
    hashed = hashlib.sha256()
    # The engine moves each mesh to its centre, and stores its former pose.
    for array in (model.mesh_vertnum, model.mesh_vert, model.mesh_facenum, model.mesh_face, model.mesh_pos, model.mesh_quat):
        hashed.update(np.ascontiguousarray(array).tobytes())
    return hashed.hexdigest()[:32]
