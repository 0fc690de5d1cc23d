"""Collisions of triangle meshes by coal, another library, which comes with Pinocchio."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

coal = pytest.importorskip("coal", reason="no coal: pip install pin")


def coal_mesh(vertices: np.ndarray, faces: np.ndarray) -> Any:
    """Return a mesh."""
    mesh, points, triangles = coal.BVHModelOBBRSS(), coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in vertices:
        points.append(vertex)
    for face in faces.tolist():
        triangles.append(coal.Triangle(*face))
    mesh.beginModel(len(faces), len(vertices))
    mesh.addSubModel(points, triangles)
    mesh.endModel()
    return mesh


def coal_collide(first: Sequence[tuple[Any, np.ndarray]], second: Sequence[tuple[Any, np.ndarray]]) -> bool:
    """Whether one of several meshes collides with one of others, each with its 4×4 matrix in the world."""
    for (one, pose), (other, pose_other) in itertools.product(first, second):
        frames = [coal.Transform3s(matrix[:3, :3], matrix[:3, 3]) for matrix in (pose, pose_other)]
        if coal.collide(one, frames[0], other, frames[1], coal.CollisionRequest(), coal.CollisionResult()):
            return True
    return False
