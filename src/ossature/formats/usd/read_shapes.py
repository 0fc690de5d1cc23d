"""Shapes of UsdGeom: solids, planes and meshes, with the scale of their prims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ossature.array_types import Array
from ossature.formats.usd import rules
from ossature.formats.usd.stage import InvalidSizeError, Prim, Stage
from ossature.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    LazyMesh,
    MeshData,
    Plane,
    Rgba,
    Sphere,
    TriangleMesh,
)
from ossature.spatial import Pose, Vector3, quaternion_between, rotation_matrix, vector_from

AXES: dict[str, Vector3] = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_Z = AXES["Z"]
SAME_SCALE = 1e-5
"""Largest relative difference of scales that count as equal: a matrix of 32-bit numbers has no more digits."""
_HULLS = ("convexHull", "convexDecomposition")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A shape, with its frame in the world [m]."""

    geometry: Geometry
    pose: Pose


@dataclass(slots=True)
class ShapeReader:
    """Reads shapes. Meshes that several prims share are shared by the shapes too."""

    stage: Stage
    subdivided: list[str] = field(default_factory=list)
    _meshes: dict[tuple[object, ...], LazyMesh] = field(default_factory=dict)

    def read(self, prim: Prim, *, is_collider: bool) -> Shape | None:
        """Return the shape of a prim in its own frame, or None, with a finding, if it has none that can be represented."""
        reader = _READERS.get(prim.type)
        if reader is None:
            return None
        if not np.isfinite(prim.linear).all() or np.linalg.matrix_rank(prim.linear) < 3:
            self.stage.add(rules.UNSUPPORTED_SHAPE, f"{prim.path} is scaled by zero: it is ignored")
            return None
        try:
            return reader(self, prim, is_collider)
        except InvalidSizeError as error:
            name, value = error.args
            rule = rules.INVALID_VALUE if value < 0.0 else rules.UNSUPPORTED_SHAPE
            self.stage.add(rule, f"'{name}' of {prim.path} is {value:g}: the shape is ignored")
            return None

    def _scale(self, prim: Prim) -> Vector3:
        """Return the lengths along the axes of a prim of a unit of its length [m]; mirrors do not matter for solids."""
        _, scale, is_exact = prim.rotation_and_scale
        if not is_exact:
            self.stage.add(rules.UNSUPPORTED_SHAPE, f"{prim.path} is sheared: it is read as scaled along its axes")
        x, y, z = (abs(factor) * self.stage.length for factor in scale)
        return x, y, z

    def _box(self, prim: Prim, _: bool) -> Shape:
        edge = prim.size("size", 2.0)
        x, y, z = self._scale(prim)
        return Shape(geometry=Box(size=(edge * x, edge * y, edge * z)), pose=prim.pose)

    def _sphere(self, prim: Prim, _: bool) -> Shape:
        radius = prim.size("radius", 1.0)
        x, y, z = (radius * factor for factor in self._scale(prim))
        if _are_equal(x, y) and _are_equal(y, z):
            return Shape(geometry=Sphere(radius=x), pose=prim.pose)
        return Shape(geometry=Ellipsoid(diameters=(2.0 * x, 2.0 * y, 2.0 * z)), pose=prim.pose)

    def _along_axis(self, prim: Prim, solid: Callable[[float, float], Geometry], height: float, radius: float) -> Shape:
        """Return a solid along the axis of a prim; its scale across the axis is the larger one."""
        axis = prim.token("axis", "Z")
        if axis not in AXES:
            self.stage.add(rules.INVALID_VALUE, f"'axis' of {prim.path} is '{axis}': using Z", hint="valid: X, Y, Z")
            axis = "Z"
        scale = dict(zip(AXES, self._scale(prim), strict=True))
        along = scale.pop(axis)
        first, second = scale.values()
        if not _are_equal(first, second):
            message = f"{prim.path} has different scales across its axis: the larger one is used"
            self.stage.add(rules.UNSUPPORTED_SHAPE, message, hint="write it as a mesh")
        if prim.type == "Capsule" and not _are_equal(along, max(first, second)):
            message = f"the capsule {prim.path} is stretched along its axis: its caps are read as half spheres"
            self.stage.add(rules.UNSUPPORTED_SHAPE, message, hint="change its height instead of its scale")
        direction = self._direction(prim, axis) if prim.type == "Cone" else AXES[axis]
        turned = Pose(prim.pose.position, prim.pose.wxyz) @ Pose(wxyz=quaternion_between(_Z, direction))
        return Shape(geometry=solid(radius * max(first, second), height * along), pose=turned)

    @staticmethod
    def _direction(prim: Prim, axis: str) -> Vector3:
        """Return the direction of an axis of a prim in its frame, which a mirror along that axis reverses."""
        frame = np.array(rotation_matrix(prim.pose.wxyz))
        return vector_from(np.sign(frame.T @ prim.linear @ AXES[axis] * np.abs(AXES[axis])) + 0.0)

    def _cylinder(self, prim: Prim, _: bool) -> Shape:
        height, radius = prim.size("height", 2.0), prim.size("radius", 1.0)
        return self._along_axis(prim, lambda r, h: Cylinder(radius=r, length=h), height, radius)

    def _capsule(self, prim: Prim, _: bool) -> Shape:
        height, radius = prim.finite("height", 1.0), prim.size("radius", 0.5)
        if height <= 0.0:
            return Shape(geometry=Sphere(radius=radius * max(self._scale(prim))), pose=prim.pose)
        return self._along_axis(prim, lambda r, h: Capsule(radius=r, length=h), height, radius)

    def _cone(self, prim: Prim, _: bool) -> Shape:
        height, radius = prim.size("height", 2.0), prim.size("radius", 1.0)
        return self._along_axis(prim, lambda r, h: Cone(radius=r, length=h), height, radius)

    def _plane(self, prim: Prim, is_collider: bool) -> Shape:
        """Return a plane that collides as an infinite one, and one that is drawn as a thin box."""
        axis = AXES.get(prim.token("axis", "Z"), _Z)
        frame = prim.pose @ Pose(wxyz=quaternion_between(_Z, axis))
        width, length = prim.size("width", 2.0), prim.size("length", 2.0)
        if is_collider:
            return Shape(geometry=Plane(), pose=frame)
        x, y, z = self._scale(prim)
        extent = {"X": (length * z, width * y), "Y": (width * x, length * z)}.get(
            prim.token("axis", "Z"), (width * x, length * y)
        )
        return Shape(geometry=_rectangle(*extent), pose=frame)

    def _mesh(self, prim: Prim, is_collider: bool) -> Shape | None:
        data = self._mesh_data(prim)
        if data is None:
            return None
        approximation = prim.token("physics:approximation", "none") if is_collider else "none"
        if approximation == "boundingCube":
            return self._bounding_box(prim, data.triangles)
        if approximation == "boundingSphere":
            return self._bounding_sphere(prim, data.triangles)
        if approximation in ("convexDecomposition", "meshSimplification"):
            what = "divided into convex parts" if approximation == "convexDecomposition" else "simplified"
            message = f"the mesh {prim.path} is not {what}: its triangles are read"
            self.stage.add(rules.UNSUPPORTED_SHAPE, message, hint="write the parts as meshes of their own")
        geometry = TriangleMesh(surface=data, convex=approximation == "convexHull")
        return Shape(geometry=geometry, pose=prim.pose)

    def _bounding_box(self, prim: Prim, mesh: MeshData) -> Shape:
        lower, upper = mesh.bounds
        center = Pose(vector_from((lower + upper) / 2.0))
        x, y, z = (upper - lower).tolist()
        return Shape(geometry=Box(size=(x, y, z)), pose=prim.pose @ center)

    def _bounding_sphere(self, prim: Prim, mesh: MeshData) -> Shape:
        lower, upper = mesh.bounds
        center = (lower + upper) / 2.0
        radius = float(np.linalg.norm(mesh.vertices - center, axis=1).max())
        return Shape(geometry=Sphere(radius=radius), pose=prim.pose @ Pose(vector_from(center)))

    def _mesh_data(self, prim: Prim) -> LazyMesh | None:
        points, counts, indices = (prim.array(name) for name in ("points", "faceVertexCounts", "faceVertexIndices"))
        if prim.token("subdivisionScheme", "catmullClark") != "none" and "subdivisionScheme" in prim.attributes:
            self.subdivided.append(prim.path)
        is_left = prim.token("orientation", "rightHanded") == "leftHanded"
        holes = prim.numbers("holeIndices")
        if points is None or counts is None or indices is None:
            self.stage.add(rules.UNSUPPORTED_SHAPE, f"the mesh {prim.path} has no faces: it is ignored")
            return None
        transform = np.array(rotation_matrix(prim.pose.wxyz)).T @ prim.linear * self.stage.length
        key = (id(points), id(counts), id(indices), is_left, holes, transform.round(12).tobytes())
        if key not in self._meshes:
            problem = _problem_of(points, counts, indices)
            if problem:
                self.stage.add(rules.UNSUPPORTED_SHAPE, f"the mesh {prim.path} {problem}: it is ignored")
                return None
            faces = triangulated(counts.astype(np.int64), indices.astype(np.int64), holes)
            if len(faces) == 0:
                self.stage.add(rules.UNSUPPORTED_SHAPE, f"the mesh {prim.path} has no faces: it is ignored")
                return None
            if is_left != bool(np.linalg.det(transform) < 0.0):
                faces = faces[:, ::-1]
            vertices = points.astype(float) @ transform.T
            self._meshes[key] = LazyMesh(MeshData(vertices=vertices, faces=np.ascontiguousarray(faces)))
        return self._meshes[key]


def _problem_of(points: Array, counts: Array, indices: Array) -> str:
    """Return what is wrong with the arrays of a mesh, or nothing."""
    if points.ndim != 2 or points.shape[1] != 3 or counts.ndim != 1 or indices.ndim != 1:
        return "has arrays of a wrong shape"
    if not np.isfinite(points).all():
        return "has points that are not finite"
    if counts.dtype.kind != "i" or indices.dtype.kind != "i" or (counts < 0).any() or int(counts.sum()) != len(indices):
        return "has counts that do not fit its indices"
    if len(indices) and (indices.min() < 0 or indices.max() >= len(points)):
        return "has indices of points that do not exist"
    return ""


def triangulated(counts: Array, indices: Array, holes: tuple[float, ...] = ()) -> Array:
    """Return the triangles of polygons, as fans about their first vertices, shape (n, 3).

    Args:
        counts: Number of vertices of each face, shape (faces,).
        indices: The vertices of all faces, one face after another.
        holes: Indices of faces that are holes.
    """
    starts = np.concatenate(([0], np.cumsum(counts)[:-1])) if len(counts) else np.zeros(0, dtype=np.int64)
    is_kept = np.ones(len(counts), dtype=bool)
    is_kept[[int(hole) for hole in holes if 0 <= hole < len(counts)]] = False
    fans = []
    for corner in range(1, int(counts.max(initial=0)) - 1):
        first = starts[is_kept & (counts > corner + 1)]
        fans.append(np.stack((indices[first], indices[first + corner], indices[first + corner + 1]), axis=1))
    return np.concatenate(fans) if fans else np.zeros((0, 3), dtype=np.int64)


def _rectangle(width: float, length: float) -> TriangleMesh:
    x, y = width / 2.0, length / 2.0
    vertices = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    return TriangleMesh(surface=LazyMesh(MeshData(vertices=vertices, faces=np.array([[0, 1, 2], [0, 2, 3]]))))


def _are_equal(first: float, second: float) -> bool:
    return abs(first - second) <= SAME_SCALE * max(first, second)


_READERS: dict[str, Callable[[ShapeReader, Prim, bool], Shape | None]] = {
    "Cube": ShapeReader._box,
    "Sphere": ShapeReader._sphere,
    "Cylinder": ShapeReader._cylinder,
    "Capsule": ShapeReader._capsule,
    "Cone": ShapeReader._cone,
    "Plane": ShapeReader._plane,
    "Mesh": ShapeReader._mesh,
}
SHAPES = frozenset(_READERS)
"""Types of prims that are shapes."""


def display_color(prim: Prim) -> Rgba | None:
    """Return the colour that a shape states for its whole surface, or None."""
    color, opacity = prim.array("primvars:displayColor"), prim.array("primvars:displayOpacity")
    if color is None or color.shape != (1, 3) or not np.isfinite(color).all():
        return None
    alpha = float(opacity[0]) if opacity is not None and opacity.shape == (1,) and np.isfinite(opacity).all() else 1.0
    red, green, blue = np.clip(color[0], 0.0, 1.0).tolist()
    return red, green, blue, min(max(alpha, 0.0), 1.0)
