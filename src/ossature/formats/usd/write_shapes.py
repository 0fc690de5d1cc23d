"""Writer of the shapes of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ossature.assets import AssetError, embedded_triangles
from ossature.diagnostics import Ledger
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.read_shapes import AXES, SAME_SCALE
from ossature.formats.usd.single_precision import DETAIL, SinglePrecision
from ossature.formats.usd.usda_text import UsdPrim, integers, number, numbers, point_array
from ossature.formats.usd.write_materials import MaterialWriter
from ossature.model import (
    Body,
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    HeightField,
    LazyMesh,
    MeshData,
    MujocoGeom,
    MultiSphere,
    Plane,
    Pyramid,
    Sphere,
    TriangleMesh,
    Visual,
)
from ossature.model.program_hints import hint_of
from ossature.model.tessellation import EXTENT_OF_PLANE, tessellate
from ossature.model.unique_names import take_unique_name
from ossature.model.value_text import kind_text
from ossature.spatial import Pose, quaternion_between, scale

_NOT_DRAWN = "guide"
"""The purpose of shapes that only collide."""
_PLANES = "a plane of OpenUSD contains the origin of its frame, with its normal along z"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A prim of a shape: a visual or a collision shape, or both, with their paths."""

    visual: Visual | None = None
    collision: Collision | None = None
    visual_path: str = ""
    collision_path: str = ""


class ShapeWriter:
    """Writes the shapes of bodies."""

    def __init__(self, materials: MaterialWriter, ledger: Ledger) -> None:
        self._materials, self._ledger = materials, ledger
        self._single = SinglePrecision(ledger)

    def write(self, body: Body, prim: UsdPrim, names: PrimNames, path: str) -> None:
        """Add the shapes of a body to its prim.

        Args:
            names: The names of the prims in that of the body.
            path: The path of the body.
        """
        taken: set[str] = set()
        for part in _parts(body, path):
            self._write_part(part, prim, names, taken)

    def _write_part(self, part: _Part, body: UsdPrim, names: PrimNames, taken: set[str]) -> None:
        shape = part.collision or part.visual
        assert shape is not None  # noqa: S101  # it is one of the two
        path = part.collision_path or part.visual_path
        self._record_spheres(part)
        if part.visual is not None and isinstance(part.visual.geometry, Plane):
            detail = f"a plane that is drawn is a square of {EXTENT_OF_PLANE:g} m"
            self._ledger.approximated(f"{part.visual_path}.geometry", detail)
        paths = [one for one in (part.visual_path, part.collision_path) if one]
        geometry, pose = self._representable(shape, paths)
        if geometry is None:
            return
        default = "visual" if part.collision is None else "collision"
        label = take_unique_name(shape.name or default, taken)
        if label != shape.name:
            detail = "shapes of a body have different names" if shape.name else "a prim has a name"
            for own in paths:
                self._ledger.rewritten(f"{own}.name", detail, after=label)
        name, shown = names.take(label, default, path)
        prim = body.child(type_of(geometry), name, shown)
        self._write_geometry(prim, geometry, pose, paths)
        if part.collision is not None:
            self._write_collision(prim, part.collision, part.collision_path)
            if part.visual is None:
                prim.add("uniform token", "purpose", f'"{_NOT_DRAWN}"')
        if part.visual is not None:
            self._write_visual(prim, part.visual, part.visual_path)

    # Geometry

    def _representable(self, shape: Visual | Collision, paths: Sequence[str]) -> tuple[Geometry | None, Pose]:
        """Return the geometry that OpenUSD has for a shape, and its pose; None if it has no triangles."""
        geometry, pose = shape.geometry, shape.pose
        if isinstance(geometry, Plane):
            return self._plane(geometry, pose, paths)
        if any(not size > 0.0 for size in _sizes(geometry)):
            for path in paths:
                self._ledger.dropped(path, "sizes of OpenUSD are positive")
            return None, pose
        if isinstance(geometry, TriangleMesh):
            try:
                embedded_triangles(geometry)
            except AssetError as error:
                for path in paths:
                    self._ledger.dropped(path, f"unavailable mesh: {error}")
                return None, pose
        if isinstance(geometry, Pyramid | HeightField | MultiSphere):
            detail = f"OpenUSD has no {kind_text(type(geometry))}: a mesh is written"
            record = self._ledger.approximated if isinstance(geometry, MultiSphere) else self._ledger.rewritten
            for path in paths:
                record(f"{path}.geometry", detail)
            is_convex = not isinstance(geometry, HeightField) and isinstance(shape, Collision)
            return TriangleMesh(surface=LazyMesh(tessellate(geometry)), convex=is_convex), pose
        return geometry, pose

    def _record_spheres(self, part: _Part) -> None:
        """Record ellipsoids that are spheres: OpenUSD has scaled spheres only."""
        for shape, path in ((part.visual, part.visual_path), (part.collision, part.collision_path)):
            if shape is not None and isinstance(shape.geometry, Ellipsoid):
                smallest, largest = min(shape.geometry.diameters), max(shape.geometry.diameters)
                if largest - smallest <= SAME_SCALE * largest:
                    self._ledger.rewritten(f"{path}.geometry", "an ellipsoid with equal axes is a sphere")

    def _plane(self, plane: Plane, pose: Pose, paths: Sequence[str]) -> tuple[Geometry, Pose]:
        """Return a plane with its normal along z through the origin of its frame."""
        if plane == Plane():
            return plane, pose
        for path in paths:
            for field in ("pose", "geometry"):
                self._ledger.rewritten(f"{path}.{field}", _PLANES)
        turn = quaternion_between(AXES["Z"], plane.normal)
        return Plane(), pose @ Pose(scale(plane.normal, plane.offset), turn)

    def _write_geometry(self, prim: UsdPrim, geometry: Geometry, pose: Pose, paths: Sequence[str]) -> None:
        factors = (1.0, 1.0, 1.0)
        match geometry:
            case Box(size=size):
                if size[0] == size[1] == size[2]:
                    prim.add("double", "size", number(size[0]))
                else:
                    prim.add("double", "size", "1")
                    factors = size
            case Sphere(radius=radius):
                prim.add("double", "radius", number(radius))
            case Ellipsoid(diameters=(x, y, z)):
                prim.add("double", "radius", "1")
                factors = (0.5 * x, 0.5 * y, 0.5 * z)
            case (
                Cylinder(radius=radius, length=length)
                | Capsule(radius=radius, length=length)
                | Cone(radius=radius, length=length)
            ):
                prim.add("uniform token", "axis", '"Z"')
                prim.add("double", "height", number(length))
                prim.add("double", "radius", number(radius))
            case Plane():
                prim.add("uniform token", "axis", '"Z"')
                prim.add("double", "length", number(EXTENT_OF_PLANE))
                prim.add("double", "width", number(EXTENT_OF_PLANE))
            case TriangleMesh():
                self._write_mesh(prim, embedded_triangles(geometry), paths)
        prim.place(pose, factors)

    def _write_mesh(self, prim: UsdPrim, mesh: MeshData, paths: Sequence[str]) -> None:
        rounded = mesh.vertices.astype(np.float32).astype(np.float64)
        error = float(np.abs(rounded - mesh.vertices).max(initial=0.0))
        for path in paths if error > 0.0 else ():
            self._ledger.approximated(f"{path}.geometry", DETAIL, error=error)
        prim.add("float3[]", "extent", point_array(mesh.bounds))
        prim.add("int[]", "faceVertexCounts", integers(np.full(len(mesh.faces), 3)))
        prim.add("int[]", "faceVertexIndices", integers(mesh.faces))
        prim.add("point3f[]", "points", point_array(mesh.vertices))
        prim.add("uniform token", "subdivisionScheme", '"none"')

    def write_solid(self, prim: UsdPrim, solid: Geometry, pose: Pose) -> None:
        """Add a solid and its pose to a prim."""
        self._write_geometry(prim, solid, pose, ())

    # Collisions

    def _write_collision(self, prim: UsdPrim, collision: Collision, path: str) -> None:
        prim.apply("PhysicsCollisionAPI")
        if prim.type == "Mesh":
            is_convex = not isinstance(collision.geometry, HeightField) and (
                not isinstance(collision.geometry, TriangleMesh) or collision.geometry.convex
            )
            prim.apply("PhysicsMeshCollisionAPI")
            prim.add("uniform token", "physics:approximation", '"convexHull"' if is_convex else '"none"')
        if not collision.enabled:
            prim.add("bool", "physics:collisionEnabled", "0")
        if collision.margin:
            prim.apply("NewtonCollisionAPI")
            prim.add("float", "newton:contactMargin", self._single.number(collision.margin, f"{path}.margin"))
        hint = hint_of(collision, MujocoGeom)
        if hint is not None and not _write_hint(prim, hint):
            self._ledger.rewritten(f"{path}.hints", "MuJoCo's schemas have none of its parameters")
        self._materials.bind_contact(prim, collision.material, f"{path}.material")

    # Visuals

    def _write_visual(self, prim: UsdPrim, visual: Visual, path: str) -> None:
        if isinstance(visual.geometry, TriangleMesh) and visual.geometry.convex:
            self._ledger.dropped(f"{path}.geometry.convex", "OpenUSD has convex hulls only of shapes that collide")
        if not visual.visible:
            prim.add("token", "visibility", '"invisible"')
        self._materials.bind_appearance(prim, visual, path)


def _write_hint(prim: UsdPrim, hint: MujocoGeom) -> bool:
    """Add the parameters of contacts that MuJoCo's schemas have; return whether there are any."""
    before = len(prim.properties)
    for name in ("condim", "priority", "group"):
        value = getattr(hint, name)
        if value is not None:
            prim.add("uniform int", f"mjc:{name}", str(value))
    if hint.solmix is not None:
        prim.add("uniform double", "mjc:solmix", number(hint.solmix))
    for name in ("solref", "solimp"):
        values = getattr(hint, name)
        if values is not None:
            prim.add("uniform double[]", f"mjc:{name}", numbers(values))
    if hint.maxhullvert is not None:
        prim.add("uniform int", "mjc:maxhullvert", str(hint.maxhullvert))
    if len(prim.properties) == before:
        return False
    prim.apply("MjcCollisionAPI")
    return True


def _parts(body: Body, path: str) -> Sequence[_Part]:
    """Return the prims for the shapes of a body: a visual and a collision shape that are the same are one."""
    visuals = [(f"{path}.visuals[{index}]", visual) for index, visual in enumerate(body.visuals)]
    found: list[_Part] = []
    written = 0
    for index, collision in enumerate(body.collisions):
        own = f"{path}.collisions[{index}]"
        same = next((n for n in range(written, len(visuals)) if _are_same(visuals[n][1], collision)), None)
        if same is None:
            found.append(_Part(collision=collision, collision_path=own))
            continue
        found += [_Part(visual=visual, visual_path=name) for name, visual in visuals[written:same]]
        name, visual = visuals[same]
        found.append(_Part(visual=visual, visual_path=name, collision=collision, collision_path=own))
        written = same + 1
    return [*found, *(_Part(visual=visual, visual_path=name) for name, visual in visuals[written:])]


def _are_same(visual: Visual, collision: Collision) -> bool:
    if visual.name is None or visual.name != collision.name or visual.pose != collision.pose:
        return False
    first, second = visual.geometry, collision.geometry
    if isinstance(first, TriangleMesh) and isinstance(second, TriangleMesh):
        return not second.convex and not first.convex and first.surface == second.surface
    return first == second


def _sizes(geometry: Geometry) -> Sequence[float]:
    """Return the lengths of a solid, which are positive."""
    match geometry:
        case Box(size=size):
            return size
        case Sphere(radius=radius):
            return (radius,)
        case Ellipsoid(diameters=diameters):
            return diameters
        case Cylinder(radius=radius, length=length) | Cone(radius=radius, length=length):
            return (radius, length)
        case Capsule(radius=radius):
            return (radius,)
    return ()


SITE_SHAPES = (Box, Sphere, Ellipsoid, Cylinder, Capsule)
"""Shapes that sites have."""


def type_of(geometry: Geometry) -> str:
    """Return the type of the prim of a shape."""
    return _TYPES[type(geometry)]


_TYPES: Mapping[type, str] = {
    Box: "Cube",
    Sphere: "Sphere",
    Ellipsoid: "Sphere",
    Cylinder: "Cylinder",
    Capsule: "Capsule",
    Cone: "Cone",
    Plane: "Plane",
    TriangleMesh: "Mesh",
}
