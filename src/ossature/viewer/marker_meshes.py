"""Meshes of markers, cached: rods, arrows, rings and coils of unit size along z."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from ossature.model import Box, LazyMesh, MeshData, Sphere
from ossature.model.tessellation import tessellate

SIDES = 16
COIL_COUNT = 8
_COIL_STEPS = 14


def merge_surfaces(*parts: MeshData) -> MeshData:
    """Return several meshes as one."""
    counts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    return MeshData(
        vertices=np.concatenate([part.vertices for part in parts]),
        faces=np.concatenate([part.faces + count for part, count in zip(parts, counts, strict=False)]),
    )


def _revolve(profile: list[tuple[float, float]], sides: int = SIDES) -> MeshData:
    """Return the surface of revolution about z of a profile of points (radius, height)."""
    angles = np.linspace(0.0, math.tau, sides, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    rows = [np.column_stack([radius * ring, np.full(sides, height)]) for radius, height in profile]
    return MeshData(vertices=np.concatenate(rows), faces=_strips(len(profile), sides, closed=False))


def _strips(rows: int, columns: int, *, closed: bool) -> np.ndarray:
    """Return the triangles between neighbouring rows of points; each row is a closed ring."""
    row, column = np.meshgrid(np.arange(rows if closed else rows - 1), np.arange(columns), indexing="ij")
    above, beside = (row + 1) % rows, (column + 1) % columns
    a, b = row * columns + column, row * columns + beside
    c, d = above * columns + beside, above * columns + column
    return np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)]).reshape(-1, 3)


@cache
def ball() -> LazyMesh:
    """Return a sphere of unit diameter about the origin."""
    return LazyMesh(tessellate(Sphere(radius=0.5), 32))


@cache
def square() -> LazyMesh:
    """Return a unit square in the xy plane, visible from both sides."""
    return LazyMesh(tessellate(Box(size=(1.0, 1.0, 1e-4))))


@cache
def rod() -> LazyMesh:
    """Return a cylinder of unit diameter from z = 0 to z = 1."""
    return LazyMesh(_revolve([(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (0.0, 1.0)]))


@cache
def arrow() -> LazyMesh:
    """Return an arrow from the origin to z = 1."""
    return LazyMesh(_revolve([(0.0, 0.0), (0.018, 0.0), (0.018, 0.78), (0.055, 0.78), (0.0, 1.0)]))


@cache
def revolute_arrow() -> LazyMesh:
    """Return an arrow along z with a ring around it, for revolute axes."""
    return LazyMesh(merge_surfaces(arrow().triangles, _torus(0.2, 0.016, 0.4)))


def _torus(radius: float, tube: float, height: float, sides: int = 32) -> MeshData:
    around, across = np.meshgrid(
        np.linspace(0.0, math.tau, sides, endpoint=False), np.linspace(0.0, math.tau, 10, endpoint=False), indexing="ij"
    )
    out = radius + tube * np.cos(across)
    points = np.stack([out * np.cos(around), out * np.sin(around), height + tube * np.sin(across)], axis=-1)
    return MeshData(vertices=points.reshape(-1, 3), faces=_strips(sides, 10, closed=True))


@cache
def coil(turns: int = COIL_COUNT, slenderness: float = 5.0) -> LazyMesh:
    """Return a coil spring of unit diameter from z = 0 to z = 1.

    Args:
        slenderness: Its length in diameters when drawn, at which the wire is round.
    """
    lead = 0.08
    steps = np.linspace(0.0, 1.0, turns * _COIL_STEPS + 1)
    angle = math.tau * turns * steps
    center = np.stack([0.44 * np.cos(angle), 0.44 * np.sin(angle), slenderness * (lead + (1.0 - 2.0 * lead) * steps)], axis=1)
    ends = [np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.9 * lead * slenderness]])]
    ends.append(np.array([[0.0, 0.0, (1.0 - 0.9 * lead) * slenderness], [0.0, 0.0, slenderness]]))
    tube = wire(np.concatenate([ends[0], center, ends[1]]), 0.06)
    return LazyMesh(MeshData(vertices=tube.vertices / [1.0, 1.0, slenderness], faces=tube.faces))


def wire(line: np.ndarray, radius: float, sides: int = 8) -> MeshData:
    """Return a tube along a line, given by its points, shape (n, 3) [m]."""
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    helper = np.where(np.abs(along[:, 2:]) < 0.9, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    first = np.cross(along, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(along, first)
    angles = np.linspace(0.0, math.tau, sides, endpoint=False)
    ring = first[:, None] * np.cos(angles)[:, None] + second[:, None] * np.sin(angles)[:, None]
    points = line[:, None] + radius * ring
    return MeshData(vertices=points.reshape(-1, 3), faces=_strips(len(line), sides, closed=False))
