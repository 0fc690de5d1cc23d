"""Comparison of the contents of corresponding bodies in the same frame: inertia, shapes, named frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath, PurePosixPath
from typing import Any, TypeVar

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.kinematics import default_moment_of_inertia
from ossature.kinematics.principal_inertia import principal_inertia
from ossature.model import Body, Collision, Frame, Geometry, LazyMesh, Mesh, MeshData, TriangleMesh, Visual
from ossature.model.shape_mass_properties import mesh_mass_properties
from ossature.model.value_text import kind_text, value_text
from ossature.model_diff.changes import Category, Change, PathPair
from ossature.model_diff.joint_motions import pose_change
from ossature.model_diff.number_text import between, change_text, length_text, vector_text
from ossature.model_diff.tolerance import are_equal, are_equal_poses
from ossature.spatial import IDENTITY, Matrix3, Pose, norm, rotated_tensor, subtract

S = TypeVar("S", Visual, Collision)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentComparison:
    """What bodies are compared with.

    Attributes:
        notes: Receives what could not be compared.
        unavailable_meshes: Receives the reasons for which meshes could not be opened.
    """

    meshes_a: MeshStore
    meshes_b: MeshStore
    tolerance: float
    notes: dict[str, None] = field(default_factory=dict)
    unavailable_meshes: dict[str, None] = field(default_factory=dict)

    def changes(self, a: Body, b: Body, frame: Pose, paths: PathPair) -> Iterator[Change]:
        """Yield the differences of the contents of two bodies; the frame of B has a pose in that of A."""
        moved = body_in_frame(b, frame)
        yield from self._inertia_changes(a, moved, paths)
        yield from self._shape_changes("visual", a.visuals, moved.visuals, paths)
        yield from self._shape_changes("collision", a.collisions, moved.collisions, paths)
        if a.self_collisions is not None and moved.self_collisions is not None:
            yield from self._shape_changes("self-collision", a.self_collisions, moved.self_collisions, paths)
        yield from self._frame_changes(a.frames, moved.frames, paths)

    def _inertia_changes(self, a: Body, b: Body, paths: PathPair) -> Iterator[Change]:
        first, second = a.inertial, b.inertial
        if not are_equal(first.mass, second.mass, self.tolerance, "kg"):
            text, amount = change_text(first.mass, second.mass, "kg"), abs(second.mass - first.mass)
            yield _inertia_change("mass", text, "inertial.mass", amount, paths)
        if not (first.mass or second.mass):
            return
        if not are_equal(first.center_of_mass, second.center_of_mass, self.tolerance, "m"):
            distance = norm(subtract(second.center_of_mass, first.center_of_mass))
            places = vector_text(first.center_of_mass, second.center_of_mass)
            text = f"moved by {length_text(distance)}: {places} m"
            yield _inertia_change("centre of mass", text, "inertial.center_of_mass", distance, paths)
        if first.moment is None and second.moment is None:
            return
        moments = self._moment(a, self.meshes_a, paths.a), self._moment(b, self.meshes_b, paths.b)
        if moments[0] is not None and moments[1] is not None:
            yield from _moment_changes(moments[0], moments[1], self.tolerance, paths)

    def _moment(self, body: Body, meshes: MeshStore, path: str | None) -> Matrix3 | None:
        try:
            return default_moment_of_inertia(body, meshes)
        except AssetError as error:
            self.notes[f"the moment of inertia of {path} is that of its shapes, which are unavailable: {error}"] = None
            return None

    # Shapes

    def _shape_changes(self, kind: str, a: Sequence[S], b: Sequence[S], paths: PathPair) -> Iterator[Change]:
        left, right = dict(enumerate(a)), dict(enumerate(b))
        for agree in (self._are_equal_shapes, _have_same_name, self._have_same_geometry, self._are_alike):
            for number, one in list(left.items()):
                other = next((index for index, shape in right.items() if agree(one, shape)), None)
                if other is not None:
                    yield from self._changes_of_shape(kind, number, left.pop(number), right.pop(other), paths)
        if left and right:
            yield from self._change_of_shape_list(kind, list(left.values()), list(right.values()), paths)
            return
        for number, shape in left.items():
            yield _shape_change(kind, number, PathPair(paths.a, None), shape)
        for number, shape in right.items():
            yield _shape_change(kind, number, PathPair(None, paths.b), shape)

    def _are_equal_shapes(self, a: S, b: S) -> bool:
        return are_equal_poses(a.pose, b.pose, self.tolerance) and self._are_equal_geometries(a.geometry, b.geometry)

    def _have_same_geometry(self, a: S, b: S) -> bool:
        return self._are_equal_geometries(a.geometry, b.geometry)

    def _are_alike(self, a: S, b: S) -> bool:
        return type(a.geometry) is type(b.geometry) and not isinstance(a.geometry, TriangleMesh)

    def _changes_of_shape(self, kind: str, number: int, a: S, b: S, paths: PathPair) -> Iterator[Change]:
        at = f"{_FIELDS[kind]}[{number}]"

        if not self._are_equal_geometries(a.geometry, b.geometry):
            text = " → ".join(between(a.geometry, b.geometry, _geometry_text))
            yield paths.change(Category.GEOMETRY, f"{kind} shape", text, f"{at}.geometry")
        if not are_equal_poses(a.pose, b.pose, self.tolerance):
            yield pose_change(f"{kind} pose", a.pose, b.pose, paths, f"{at}.pose", Category.GEOMETRY)
        for name in _PLAIN_FIELDS[type(a)]:
            one, other = getattr(a, name), getattr(b, name)
            if not are_equal_values(one, other, self.tolerance):
                text = " → ".join(between(one, other, lambda value: value_text(value)))
                category = Category.NAMES if name == "name" else Category.GEOMETRY
                yield paths.change(category, f"{kind} {name}", text, f"{at}.{name}")

    def _change_of_shape_list(self, kind: str, a: Sequence[S], b: Sequence[S], paths: PathPair) -> Iterator[Change]:
        """Yield one change for shapes that are described in other parts, with the difference of their extents."""
        boxes = _extents(a, self.meshes_a), _extents(b, self.meshes_b)
        texts = [_list_text(shapes) for shapes in (a, b)]
        text = f"{texts[0]} → {texts[1]}"
        amount = None
        if boxes[0] is not None and boxes[1] is not None:
            amount = float(np.abs(boxes[0] - boxes[1]).max())
            is_same = amount <= max(self.tolerance, 1e-9)
            text += ", of the same extents" if is_same else f", extents differ by up to {length_text(amount)}"
        yield paths.change(category=Category.GEOMETRY, quantity=f"{kind} shapes", text=text, field=_FIELDS[kind], amount=amount)

    def _are_equal_geometries(self, a: Geometry, b: Geometry) -> bool:
        if isinstance(a, Mesh | TriangleMesh) and isinstance(b, Mesh | TriangleMesh):
            return self._are_equal_meshes(a, b)
        return type(a) is type(b) and all(
            are_equal_values(getattr(a, name), getattr(b, name), self.tolerance, "m") for name in a.__dataclass_fields__
        )

    def _are_equal_meshes(self, a: Mesh | TriangleMesh, b: Mesh | TriangleMesh) -> bool:
        if a.convex != b.convex:
            return False
        if isinstance(a, Mesh) and a == b:
            return True
        try:
            surfaces = self._triangles(a, self.meshes_a, self.meshes_b), self._triangles(b, self.meshes_b, self.meshes_a)
            return _are_equal_surfaces(*surfaces, self.tolerance)
        except AssetError as error:
            self.unavailable_meshes[str(error)] = None
        names = [PurePosixPath(mesh.uri).stem if isinstance(mesh, Mesh) else None for mesh in (a, b)]
        scales = [mesh.scale if isinstance(mesh, Mesh) else (1.0, 1.0, 1.0) for mesh in (a, b)]
        return names[0] == names[1] and are_equal(scales[0], scales[1], self.tolerance)

    @staticmethod
    def _triangles(mesh: Mesh | TriangleMesh, own: MeshStore, other: MeshStore) -> MeshData:
        """Return the triangles of a mesh; a converted file may refer to meshes that only the original may open."""
        try:
            return own.triangles(mesh)
        except AssetError:
            if isinstance(mesh, Mesh) and PurePath(mesh.uri).is_absolute():
                return other.triangles(mesh)
            raise

    def notes_about_meshes(self) -> list[str]:
        """Return a note if meshes were unavailable."""
        if not self.unavailable_meshes:
            return []
        count = len(self.unavailable_meshes)
        first = next(iter(self.unavailable_meshes))
        return [f"{count} mesh{'es' * (count != 1)} unavailable, compared by name and scale: {first}"]

    def _frame_changes(self, a: Sequence[Frame], b: Sequence[Frame], paths: PathPair) -> Iterator[Change]:
        left, right = ({frame.name: frame for frame in frames} for frames in (a, b))
        for name in dict.fromkeys([*left, *right]):
            one, other = left.get(name), right.get(name)
            if one is not None and other is None:
                renamed = [new for new, frame in right.items() if new not in left and frame.pose == one.pose]
                if renamed:
                    other = right.pop(renamed[0])
                    text = f"'{name}' → '{renamed[0]}'"
                    yield paths.change(category=Category.NAMES, quantity="name of the frame", text=text, field="frames")
            elif one is None and name not in right:
                continue  # renamed
            if one is not None and other is not None:
                if not are_equal_poses(one.pose, other.pose, self.tolerance):
                    yield pose_change(f"frame '{name}'", one.pose, other.pose, paths, "frames")
                continue
            sides = PathPair(paths.a if one else None, paths.b if other else None)
            yield sides.change(category=Category.STRUCTURE, quantity=f"frame '{name}'", field="frames")


_FIELDS = {"visual": "visuals", "collision": "collisions", "self-collision": "self_collisions"}
_PLAIN_FIELDS: dict[type, tuple[str, ...]] = {
    Visual: ("color", "visible", "name"),
    Collision: ("enabled", "material", "margin", "name"),
}


def body_in_frame(body: Body, frame: Pose) -> Body:
    """Return a body whose contents are expressed in another frame, in which its own frame has a pose."""
    if frame is IDENTITY or frame == IDENTITY:
        return body
    inertial = body.inertial
    moment = None if inertial.moment is None else rotated_tensor(inertial.moment, frame.wxyz)
    self_collisions = body.self_collisions
    return replace(
        body,
        pose=body.pose @ frame.inverse(),
        inertial=replace(inertial, center_of_mass=frame.transform(inertial.center_of_mass), moment=moment),
        visuals=_moved(body.visuals, frame),
        collisions=_moved(body.collisions, frame),
        self_collisions=None if self_collisions is None else _moved(self_collisions, frame),
        frames=_moved(body.frames, frame),
        soft_skin=None if body.soft_skin is None else replace(body.soft_skin, pose=frame @ body.soft_skin.pose),
        initial_angular_velocity_body=Pose(wxyz=frame.wxyz).transform(body.initial_angular_velocity_body),
    )


def _moved(parts: Sequence[Any], frame: Pose) -> tuple[Any, ...]:
    return tuple([replace(part, pose=frame @ part.pose) for part in parts])


def are_equal_values(a: Any, b: Any, tolerance: float, unit: str = "") -> bool:
    """Whether two values or elements agree, field by field."""
    if type(a) is type(b) and hasattr(a, "__dataclass_fields__") and not isinstance(a, Pose | LazyMesh):
        return all(
            are_equal_values(getattr(a, item.name), getattr(b, item.name), tolerance, unit)
            for item in a.__dataclass_fields__.values()
            if item.compare
        )
    if isinstance(a, tuple) and isinstance(b, tuple) and a and b and hasattr(a[0], "__dataclass_fields__"):
        return len(a) == len(b) and all(are_equal_values(x, y, tolerance, unit) for x, y in zip(a, b, strict=True))
    return are_equal(a, b, tolerance, unit)


def _inertia_change(quantity: str, text: str, name: str, amount: float, paths: PathPair) -> Change:
    return paths.change(category=Category.INERTIA, quantity=quantity, text=text, field=name, amount=amount)


def _moment_changes(a: Matrix3, b: Matrix3, tolerance: float, paths: PathPair) -> Iterator[Change]:
    one, other = np.array(a), np.array(b)
    size = max(float(np.abs(one).max()), float(np.abs(other).max()))
    difference = float(np.abs(one - other).max())
    if difference <= max(tolerance * size, 1e-13 * size):
        return
    principal = principal_inertia(one), principal_inertia(other)
    field = "inertial.moment"
    if principal[0] is None or principal[1] is None:
        yield _inertia_change("moment of inertia", "is not finite", field, difference, paths)
        return
    moments = principal[0].moments, principal[1].moments
    if max(abs(x - y) for x, y in zip(*moments, strict=True)) > max(tolerance, 1e-9) * size:
        text = f"{vector_text(*moments)} kg·m²"
        yield _inertia_change("principal moments of inertia", text, field, difference, paths)
    else:
        text = f"rotated: entries of the tensor differ by up to {difference:.3g} kg·m²"
        yield _inertia_change("principal axes of inertia", text, field, difference, paths)


def _shape_change(kind: str, number: int, paths: PathPair, shape: Visual | Collision) -> Change:
    at = f"{_FIELDS[kind]}[{number}]"
    return paths.change(Category.GEOMETRY, f"{kind} shape", _geometry_text(shape.geometry), at)


def _geometry_text(geometry: Geometry) -> str:
    if isinstance(geometry, Mesh):
        scale = "" if geometry.scale == (1.0, 1.0, 1.0) else f" scaled by {value_text(geometry.scale)}"
        return f"mesh '{PurePosixPath(geometry.uri).name}'{scale}{' (convex hull)' if geometry.convex else ''}"
    if isinstance(geometry, TriangleMesh):
        return f"{_triangles_text(geometry)}{' (convex hull)' if geometry.convex else ''}"
    return value_text(geometry, longest=None)


def _triangles_text(mesh: TriangleMesh) -> str:
    try:
        return f"embedded mesh of {len(mesh.surface.triangles.faces)} triangles"
    except AssetError:
        return "embedded mesh"


def _list_text(shapes: Sequence[Visual] | Sequence[Collision]) -> str:
    kinds: dict[str, int] = {}
    for shape in shapes:
        name = "mesh" if isinstance(shape.geometry, Mesh | TriangleMesh) else kind_text(type(shape.geometry))
        kinds[name] = kinds.get(name, 0) + 1
    return ", ".join(f"{count} {name if count == 1 else _plural(name)}" for name, count in kinds.items())


def _plural(name: str) -> str:
    return f"{name}es" if name.endswith(("sh", "x")) else f"{name}s"


def _have_same_name(a: Visual | Collision, b: Visual | Collision) -> bool:
    return a.name is not None and a.name == b.name


def _extents(shapes: Sequence[Visual] | Sequence[Collision], meshes: MeshStore) -> Any:
    """Return the bounds of shapes in the body frame [m], or None if a shape is unbounded or a mesh unavailable."""
    from ossature.model.tessellation import tessellate

    bounds = []
    try:
        for shape in shapes:
            geometry = shape.geometry
            mesh = meshes.triangles(geometry) if isinstance(geometry, Mesh | TriangleMesh) else tessellate(geometry)
            if mesh is None:
                return None
            points = mesh.vertices @ shape.pose.matrix()[:3, :3].T + np.array(shape.pose.position)
            bounds.append((points.min(axis=0), points.max(axis=0)))
    except AssetError:
        return None
    return np.array([np.min([low for low, _ in bounds], axis=0), np.max([high for _, high in bounds], axis=0)])


def _are_equal_surfaces(a: MeshData, b: MeshData, tolerance: float) -> bool:
    """Whether two meshes are the same surface: equal vertices, or equal extents, volume, centre and moments."""
    size = float(np.abs(a.vertices).max(initial=0.0))
    allowed = max(tolerance * size, 1e-9 * size)
    if a.vertices.shape == b.vertices.shape and np.array_equal(a.faces, b.faces):
        return bool(np.abs(a.vertices - b.vertices).max(initial=0.0) <= allowed)
    if float(np.abs(np.array(a.bounds) - np.array(b.bounds)).max()) > allowed:
        return False
    one, other = mesh_mass_properties(a), mesh_mass_properties(b)
    return (
        are_equal(one.volume, other.volume, max(tolerance, 1e-6))
        and norm(subtract(one.center_of_mass, other.center_of_mass)) <= max(allowed, 1e-6 * size)
        and are_equal(one.moment, other.moment, max(tolerance, 1e-6))
    )
