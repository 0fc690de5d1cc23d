"""Compilation of collision and visual shapes to the engine's geoms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from ossature import model
from ossature.array_types import Array, Float32Array, Int32Array, Int64Array, IntegerArray
from ossature.assets import AssetError, MeshStore
from ossature.diagnostics import Location, Report
from ossature.formats.mjcf.convex_hull_points_of_shapes import HULLS
from ossature.model.convex_hull import convex_hull
from ossature.model.joint import Z_AXIS
from ossature.model.mesh_convexity import is_convex_mesh
from ossature.model.value_text import kind_text
from ossature.simulation.compile import rules
from ossature.simulation.compile.engine_spec import EngineSpec, SpecBody, SpecGeom, SpecMesh, append
from ossature.spatial import Pose, Vector3, quaternion_between, scale

_SMALLEST_SOLID = 1e-12
"""Volume of the bounding box of a mesh below which it is a shell for the engine [m³]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShapeOwner:
    """The element that a shape belongs to, for messages, and whether it moves, as planes must not."""

    path: str
    location: Location | None
    moves: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshShape:
    """A shape that the engine has as a mesh.

    Attributes:
        points: Its vertices as specified, shape (n, 3) [m].
        faces: Its triangles, or None for the convex hull of the vertices.
        is_convex: Whether it is its own convex hull.
        vertices: The vertices for the engine, in single precision, shape (3n).
        indices: The triangles for the engine, shape (3m).
        box_volume: Volume of the box around it [m³].
    """

    name: str
    points: Array
    faces: Int64Array | None
    is_convex: bool
    vertices: Float32Array
    indices: Int32Array
    box_volume: float


_CAPSULE_TILT = Pose(wxyz=(1.0, 5e-12, 5e-12, 0.0))
"""A rotation by 1.4e-11 rad, far above rounding errors and far below any error of contacts, so that no capsule is parallel to
a face of a box. Otherwise the engine has a contact at one edge only of a face that the capsule extends beyond on both sides:
it would turn about this edge and pass through a thin box."""


class ShapeBuilder:
    """Adds geoms to bodies of a specification; meshes are added once and shared.

    Args:
        as_surfaces: Whether meshes are only rendered or hit by rays: then they need not span a volume.
        known_meshes: Meshes of an earlier compilation, which need not be loaded and examined again.

    Attributes:
        meshes: The meshes that were added, by shape.
    """

    def __init__(
        self,
        spec: EngineSpec,
        meshes: MeshStore,
        report: Report,
        *,
        as_surfaces: bool = False,
        known_meshes: Mapping[model.Geometry, MeshShape] | None = None,
    ) -> None:
        self._as_surfaces = as_surfaces
        self._spec = spec
        self._store = meshes
        self._report = report
        self._known = known_meshes or {}
        self.meshes: dict[model.Geometry, MeshShape] = {}

    def triangles_of(self, geometry: model.Geometry) -> tuple[Array, IntegerArray]:
        """Return the triangles of a shape that was added as a mesh: vertices as specified, shape (n, 3) [m], and faces."""
        mesh = self.meshes[geometry]
        return mesh.points, convex_hull(mesh.points) if mesh.faces is None else mesh.faces

    def add(
        self, engine_body: SpecBody, geometry: model.Geometry, pose: Pose, *, path: str, location: Location | None, moves: bool
    ) -> SpecGeom | None:
        """Add a shape to a body and return its geom, or None with a finding if it is not supported."""
        problem = self._find_problem(geometry, _ShapeOwner(path=path, location=location, moves=moves))
        if problem is not None:
            self._report.add(rules.UNSUPPORTED_COLLISION_SHAPE, f"{path}: {problem}", location, path=path)
            return None
        if isinstance(geometry, model.Capsule):
            pose = pose @ _CAPSULE_TILT
        geom = append(engine_body.geoms, SpecGeom(pos=pose.position, quat=pose.wxyz))
        size = _SIZES.get(type(geometry))
        if size is not None:
            geom.type, values = size(geometry)
            geom.size[: len(values)] = values
        elif isinstance(geometry, model.Plane):
            _set_plane(geom, geometry, pose)
        else:
            geom.type = mujoco.mjtGeom.mjGEOM_MESH
            geom.meshname = self.meshes[geometry].name
        return geom

    def _find_problem(self, geometry: model.Geometry, owner: _ShapeOwner) -> str | None:
        if isinstance(geometry, model.Plane):
            return "planes are supported on fixed bodies only" if owner.moves else None
        if type(geometry) in _SIZES:
            values = _SIZES[type(geometry)](geometry)[1]
            return None if all(math.isfinite(value) and value > 0.0 for value in values) else "its size is not positive"
        try:
            # Hashing a triangle mesh may load its triangles, and fail.
            if geometry in self.meshes:
                return None
            known = self._known.get(geometry)
            mesh = known or self._loaded_mesh(geometry)
        except AssetError as error:
            return error.details + (f"; {error.hint}" if error.limit is not None else "")
        if known is None and not np.isfinite(mesh.vertices).all():
            return f"its coordinates exceed {np.finfo(np.float32).max:.1e} m, the largest single-precision number"
        self._report_approximation(geometry, mesh, owner)
        if self._as_surfaces and mesh.faces is not None:
            if not _has_area(mesh.points, mesh.faces):
                return "its triangles have no area"
        elif known is None and not _has_volume(mesh.points):
            return "its points span no volume"
        self._add_mesh(geometry, mesh)
        return None

    def _loaded_mesh(self, geometry: model.Geometry) -> MeshShape:
        if isinstance(geometry, model.Mesh | model.TriangleMesh):
            triangles = self._store.triangles(geometry)
            points, faces = triangles.vertices, triangles.faces
            is_convex = geometry.convex or is_convex_mesh(points, faces)
        else:
            points, faces, is_convex = HULLS[type(geometry)](geometry), None, isinstance(geometry, model.Pyramid)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not finite
            vertices = np.ascontiguousarray(points, dtype=np.float32).ravel()
            box_volume = float(np.prod(np.ptp(points, axis=0))) if len(points) else 0.0
        return MeshShape(
            name="",
            points=points,
            faces=faces,
            is_convex=is_convex,
            vertices=vertices,
            indices=np.zeros(0, np.int32) if faces is None else np.ascontiguousarray(faces, dtype=np.int32).ravel(),
            box_volume=box_volume,
        )

    def _report_approximation(self, geometry: model.Geometry, mesh: MeshShape, owner: _ShapeOwner) -> None:
        if mesh.is_convex:
            return
        if isinstance(geometry, model.Mesh | model.TriangleMesh):
            name = geometry.uri if isinstance(geometry, model.Mesh) else "a triangle mesh"
            self._report.add(rules.CONVEX_HULL_COLLISION, f"{owner.path}: {name} collides as its convex hull", owner.location)
        else:
            name = kind_text(type(geometry))
            self._report.add(rules.POLYHEDRAL_APPROXIMATION, f"{owner.path}: a {name} collides as a polyhedron", owner.location)

    def _add_mesh(self, geometry: model.Geometry, mesh: MeshShape) -> None:
        # The body specifies its own inertia; the mesh need not enclose a volume, or even span one to be rendered. The engine
        # refuses solids with a volume near its smallest number.
        is_shell = self._as_surfaces or mesh.box_volume < _SMALLEST_SOLID
        kinds = mujoco.mjtMeshInertia
        inertia = kinds.mjMESH_INERTIA_SHELL if is_shell else kinds.mjMESH_INERTIA_CONVEX
        name = f"mesh{len(self.meshes)}"
        named = mesh if mesh.name == name else replace(mesh, name=name)
        self._spec.meshes.append(SpecMesh(name=name, uservert=mesh.vertices, userface=mesh.indices, inertia=inertia))
        self.meshes[geometry] = named


def _set_plane(geom: SpecGeom, plane: model.Plane, pose: Pose) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_PLANE
    geom.size = [0.0, 0.0, 1.0]  # unbounded in both directions
    pose_plane = pose @ Pose(scale(plane.normal, plane.offset), quaternion_between(Z_AXIS, plane.normal))
    geom.pos, geom.quat = pose_plane.position, pose_plane.wxyz


def _has_volume(points: Array) -> bool:
    if len(points) < 4 or not np.isfinite(points).all():
        return False
    with np.errstate(over="ignore"):
        centred = points - points.mean(axis=0)
        if not np.isfinite(centred).all():
            return False
        singular_values = np.linalg.svd(centred, compute_uv=False)
    return bool(singular_values[2] > 1e-9 * max(singular_values[0], 1e-12))


def _has_area(points: Array, faces: Int64Array) -> bool:
    if not len(faces) or not np.isfinite(points).all() or faces.min() < 0 or faces.max() >= len(points):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        first, second, third = (points[faces[:, corner]] for corner in range(3))
        areas = np.linalg.norm(np.cross(second - first, third - first), axis=1)
        extent = float(np.ptp(points, axis=0).max())
    return bool(np.isfinite(areas).all() and areas.max() > 1e-9 * extent * extent > 0.0)


def _half_extents(size: Vector3) -> Vector3:
    return scale(size, 0.5)


_SIZES: dict[type, Callable[[Any], tuple[mujoco.mjtGeom, tuple[float, ...]]]] = {
    model.Box: lambda box: (mujoco.mjtGeom.mjGEOM_BOX, _half_extents(box.size)),
    model.Sphere: lambda sphere: (mujoco.mjtGeom.mjGEOM_SPHERE, (sphere.radius,)),
    model.Ellipsoid: lambda ellipsoid: (mujoco.mjtGeom.mjGEOM_ELLIPSOID, _half_extents(ellipsoid.diameters)),
    model.Cylinder: lambda cylinder: (mujoco.mjtGeom.mjGEOM_CYLINDER, (cylinder.radius, cylinder.length / 2)),
    model.Capsule: lambda capsule: (mujoco.mjtGeom.mjGEOM_CAPSULE, (capsule.radius, capsule.length / 2)),
}
