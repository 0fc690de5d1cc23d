"""Geoms and sites of MJCF as shapes and frames of bodies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile
from ossature.formats.mjcf.mujoco_defaults import DEFAULT_RGBA, SOLIMP, SOLREF
from ossature.formats.mjcf.plain_numbers import nonzero, numbers, specified, specified_number, user_numbers
from ossature.model import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Frame,
    Geometry,
    HeightField,
    LazyMesh,
    Material,
    Mesh,
    MeshData,
    MujocoGeom,
    MujocoSite,
    Plane,
    Rgba,
    Sphere,
    TriangleMesh,
    Visual,
)
from ossature.spatial import IDENTITY, Pose, conjugate, normalized, pose_from, rotate, scale
from ossature.syntax import xml

_VISIBLE_GROUPS = 3
"""Groups below this number are displayed by default."""
_FLUID_COEFFICIENTS = (0.5, 0.25, 1.5, 1.0, 1.0)
_OBJ_FACE = re.compile(rb"^\s*f\s", re.MULTILINE)
_T = mujoco.mjtGeom


_ROUNDING = 1e-13
"""Errors of the pose of a mesh that remain after its centre is added and subtracted, relative to the centre."""


class GeomReader:
    """Reads geoms and sites; meshes and height fields are made once."""

    def __init__(self, file: CompiledFile) -> None:
        self._file = file
        self._model = file.model
        self._meshes: dict[int, tuple[Geometry, Pose]] = {}
        self._fields: dict[int, HeightField] = {}

    def shapes(self, body: int) -> tuple[tuple[Visual, ...], tuple[Collision, ...]]:
        """Return the visual and the collision shapes of a body; a geom that is displayed and collides is both."""
        visuals, collisions = [], []
        first = int(self._model.body_geomadr[body])
        for index in range(first, first + int(self._model.body_geomnum[body])):
            collides = bool(self._model.geom_contype[index] or self._model.geom_conaffinity[index])
            is_displayed = int(self._model.geom_group[index]) < _VISIBLE_GROUPS
            hint = self._hint(index, hides_color=not is_displayed)
            if is_displayed or not collides:
                visuals.append(self._visual(index, () if collides else (hint,), is_displayed=is_displayed))
            if collides:
                collisions.append(self._collision(index, hint))
        return tuple(visuals), tuple(collisions)

    def _visual(self, index: int, hints: tuple[MujocoGeom, ...], *, is_displayed: bool) -> Visual:
        geometry, pose = self._geometry(index)
        return Visual(
            geometry=geometry,
            pose=pose,
            color=self._color(index, self._model.geom_rgba, self._model.geom_matid),
            visible=is_displayed,
            name=self._file.specified_name("geoms", index),
            appearance=self._appearance(int(self._model.geom_matid[index])),
            hints=tuple([replace(hint, contype=None, conaffinity=None, rgba=None, appearance=None) for hint in hints]),
            origin=self._file.location("geoms", index),
        )

    def _collision(self, index: int, hint: MujocoGeom) -> Collision:
        geometry, pose = self._geometry(index)
        sliding, torsional, rolling = numbers(self._model.geom_friction[index])
        material = Material(friction=sliding, torsional_friction=torsional, rolling_friction=rolling)
        return Collision(
            geometry=geometry,
            pose=pose,
            material=None if (sliding, torsional, rolling) == (1.0, 0.005, 0.0001) else material,
            margin=float(self._model.geom_margin[index]),
            name=self._file.specified_name("geoms", index),
            hints=(hint,),
            origin=self._file.location("geoms", index),
        )

    def _hint(self, index: int, *, hides_color: bool) -> MujocoGeom:
        model = self._model
        material = int(model.geom_matid[index])
        element = self._file.element("geoms", index)
        has_fluid = bool(model.geom_fluid[index, 0])
        return MujocoGeom(
            contype=specified_number(model.geom_contype[index], 1),
            conaffinity=specified_number(model.geom_conaffinity[index], 1),
            condim=specified_number(model.geom_condim[index], 3),
            priority=specified_number(model.geom_priority[index], 0),
            solmix=specified_number(model.geom_solmix[index], 1.0),
            solref=specified(model.geom_solref[index], SOLREF),
            solimp=specified(model.geom_solimp[index], SOLIMP),
            gap=specified_number(model.geom_gap[index], 0.0),
            surfacevel=self._surface_velocity(index),
            adhesion=specified_number(model.geom_adhesion[index], 0.0),
            group=specified_number(model.geom_group[index], 0),
            rgba=specified(model.geom_rgba[index], DEFAULT_RGBA) if hides_color else None,
            appearance=self._appearance(material) if hides_color else None,
            fluidshape="ellipsoid" if has_fluid else None,
            fluidcoef=specified(np.asarray(element.fluid_coefs), _FLUID_COEFFICIENTS)
            if has_fluid and element is not None
            else None,
            maxhullvert=self._hull_vertices(index),
            size=nonzero(model.geom_size[index]) if int(model.geom_type[index]) == _T.mjGEOM_PLANE else None,
            plugin=self._plugin(index),
            user=user_numbers(element, model.geom_user[index]),
        )

    def _surface_velocity(self, index: int) -> tuple[float, ...] | None:
        """Return the velocity of the surface of a geom in the frame of its shape, which for a mesh is that of the file."""
        velocity = nonzero(self._model.geom_surfacevel[index])
        if velocity is None or int(self._model.geom_type[index]) not in (_T.mjGEOM_MESH, _T.mjGEOM_SDF):
            return velocity
        _, frame = self._mesh(int(self._model.geom_dataid[index]))
        linear, angular = self._model.geom_surfacevel[index].reshape(2, 3)
        back = frame.inverse().wxyz
        at_origin = linear + np.cross(angular, frame.position)
        return (*rotate(back, tuple(at_origin.tolist())), *rotate(back, tuple(angular.tolist())))

    def _hull_vertices(self, index: int) -> int | None:
        if int(self._model.geom_type[index]) != _T.mjGEOM_MESH:
            return None
        return specified_number(self._file.element("meshes", int(self._model.geom_dataid[index])).maxhullvert, -1)  # type: ignore[no-any-return]

    def _plugin(self, index: int) -> str | None:
        node = self._file.node("geoms", index)
        plugin = None if node is None else node.find("plugin")
        return None if plugin is None else xml.compact(plugin)

    def _appearance(self, material: int) -> str | None:
        return None if material < 0 else self._file.name("materials", material)

    def _color(self, index: int, rgba: Any, materials: Any) -> Rgba | None:
        """Return the colour of a geom or site: its own, or else that of its material."""
        own, material = numbers(rgba[index]), int(materials[index])
        if own == DEFAULT_RGBA:
            if material < 0:
                return None
            own = numbers(self._model.mat_rgba[material])
        r, g, b, a = own
        return (r, g, b, a)

    def frames(self, body: int) -> tuple[Frame, ...]:
        """Return the sites of a body as frames."""
        first, last = np.searchsorted(self._model.site_bodyid, (body, body + 1)).tolist()
        return tuple([self._frame(index) for index in range(first, last)])

    def _frame(self, index: int) -> Frame:
        model = self._model
        geometry = _primitive(int(model.site_type[index]), numbers(model.site_size[index]))
        return Frame(
            name=self._file.name("sites", index),
            pose=pose_from(model.site_pos[index], model.site_quat[index]),
            geometry=None if geometry == Sphere(radius=0.005) else geometry,
            color=self._color(index, model.site_rgba, model.site_matid),
            appearance=self._appearance(int(model.site_matid[index])),
            hints=(
                MujocoSite(
                    group=specified_number(model.site_group[index], 0),
                    user=user_numbers(self._file.element("sites", index), model.site_user[index]),
                ),
            ),
            origin=self._file.location("sites", index),
        )

    def _geometry(self, index: int) -> tuple[Geometry, Pose]:
        model = self._model
        kind, data = int(model.geom_type[index]), int(model.geom_dataid[index])
        pose = pose_from(model.geom_pos[index], model.geom_quat[index])
        if kind in (_T.mjGEOM_MESH, _T.mjGEOM_SDF):
            geometry, frame = self._mesh(data)
            return geometry, _without_cancellation(pose @ frame, of=pose)
        if kind == _T.mjGEOM_HFIELD:
            return self._height_field(data), pose
        return _primitive(kind, numbers(model.geom_size[index])), pose

    def _mesh(self, index: int) -> tuple[Geometry, Pose]:
        """Return a mesh, and its frame in that of its inertia, in which MuJoCo stores it."""
        if index not in self._meshes:
            centered = pose_from(self._model.mesh_pos[index], self._model.mesh_quat[index]).inverse()
            geometry, frame = self._mesh_of_file(index) or (self._embedded_mesh(index, centered), IDENTITY)
            self._meshes[index] = geometry, centered @ frame
        return self._meshes[index]

    def _mesh_of_file(self, index: int) -> tuple[Mesh, Pose] | None:
        """Return the mesh of a file and its frame in that of the mesh of MJCF, or None if that is not a scaled file."""
        element = self._file.element("meshes", index)
        path = self._file.document.paths.get(element.file)
        factors = numbers(np.asarray(element.scale))
        if path is None or not path.lower().endswith((".obj", ".stl")):
            return None
        if path.lower().endswith(".obj") and not _has_faces(self._file.document.assets[element.file]):
            return None  # MuJoCo takes the convex hull of vertices without faces
        x, y, z = factors
        rotation = conjugate(normalized(numbers(np.asarray(element.refquat))))  # type: ignore[arg-type]
        if rotation != (1.0, 0.0, 0.0, 0.0) and len(set(factors)) > 1:
            return None
        px, py, pz = rotate(rotation, numbers(np.asarray(element.refpos)))  # type: ignore[arg-type]
        return Mesh(uri=path, scale=(x, y, z)), Pose((-x * px, -y * py, -z * pz), rotation)

    def _embedded_mesh(self, index: int, centered: Pose) -> TriangleMesh:
        model = self._model
        first, count = int(model.mesh_vertadr[index]), int(model.mesh_vertnum[index])
        start, length = int(model.mesh_faceadr[index]), int(model.mesh_facenum[index])
        matrix = centered.inverse().matrix()
        vertices = model.mesh_vert[first : first + count].astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        faces = model.mesh_face[start : start + length].astype(np.int64)
        return TriangleMesh(surface=LazyMesh(MeshData(vertices=vertices, faces=faces)))

    def _height_field(self, index: int) -> HeightField:
        if index not in self._fields:
            model = self._model
            rows, columns = int(model.hfield_nrow[index]), int(model.hfield_ncol[index])
            start = int(model.hfield_adr[index])
            x, y, height, base = numbers(model.hfield_size[index])
            self._fields[index] = HeightField(
                rows=rows,
                columns=columns,
                size=(x, y, height, base),
                elevations=tuple(model.hfield_data[start : start + rows * columns].astype(float).tolist()),
            )
        return self._fields[index]


def _without_cancellation(pose: Pose, *, of: Pose) -> Pose:
    """Return a pose whose position is zero where it is a rounding error: the difference of two equal, large numbers."""
    smallest = _ROUNDING * max(map(abs, of.position))
    x, y, z = (0.0 if abs(value) < smallest else value for value in pose.position)
    return replace(pose, position=(x, y, z))


def _has_faces(obj: bytes) -> bool:
    return b"\nf " in obj or _OBJ_FACE.search(obj) is not None


def _primitive(kind: int, size: Sequence[float]) -> Geometry:
    first, second, third = size
    if kind == _T.mjGEOM_PLANE:
        return Plane()
    if kind == _T.mjGEOM_SPHERE:
        return Sphere(radius=first)
    if kind == _T.mjGEOM_CAPSULE:
        return Capsule(radius=first, length=2.0 * second)
    if kind == _T.mjGEOM_CYLINDER:
        return Cylinder(radius=first, length=2.0 * second)
    if kind == _T.mjGEOM_ELLIPSOID:
        return Ellipsoid(diameters=scale((first, second, third), 2.0))
    return Box(size=scale((first, second, third), 2.0))
