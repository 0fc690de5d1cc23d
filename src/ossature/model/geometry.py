"""Shapes of bodies. Sizes are full lengths in metres; every shape is centred on its own frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ossature.model.triangle_mesh import LazyMesh
from ossature.model.validated_element import Element
from ossature.spatial import Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Box(Element):
    """A box.

    Attributes:
        size: Edge lengths along x, y and z [m].
    """

    size: Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sphere(Element):
    """A sphere of a radius [m]."""

    radius: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ellipsoid(Element):
    """An ellipsoid.

    Attributes:
        diameters: Full lengths of its axes along x, y and z [m].
    """

    diameters: Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylinder(Element):
    """A cylinder along z.

    Attributes:
        radius: Radius [m].
        length: Distance between its end faces [m].
    """

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capsule(Element):
    """A cylinder along z with a half sphere at each end.

    Attributes:
        radius: Radius [m].
        length: Length of the cylinder, without the caps [m].
    """

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cone(Element):
    """A cone along z: its base at ``-length/2``, its tip at ``+length/2``.

    Attributes:
        radius: Radius of the base [m].
        length: Height [m].
    """

    radius: float
    length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pyramid(Element):
    """A pyramid along z: its rectangular base at ``-height/2``, its tip at ``+height/2``.

    Attributes:
        base_width: Length of the base along x [m].
        base_depth: Length of the base along y [m].
        height: Height [m].
    """

    base_width: float
    base_depth: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane(Element):
    """An infinite plane; the half-space opposite to its normal is solid.

    Attributes:
        normal: Unit normal.
        offset: Distance of the plane from the origin along the normal [m].
    """

    normal: Vector3 = (0.0, 0.0, 1.0)
    offset: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ball(Element):
    """One sphere of a :class:`MultiSphere`.

    Attributes:
        radius: Radius [m].
        position: Centre in the shape's frame [m].
    """

    radius: float
    position: Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiSphere(Element):
    """The convex hull of several spheres."""

    balls: tuple[Ball, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh(Element):
    """A triangle mesh in a file, loaded on demand.

    Attributes:
        uri: An absolute path, or a URI such as ``package://arm/meshes/hand.dae``; relative only if the model was read
            from a source without a folder.
        scale: Factor along x, y and z.
        convex: Whether the convex hulls of its parts are meant.
    """

    uri: str
    scale: Vector3 = (1.0, 1.0, 1.0)
    convex: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TriangleMesh(Element):
    """A triangle mesh embedded in the model.

    Attributes:
        surface: Its triangles.
        convex: Whether its convex hull is meant.
    """

    surface: LazyMesh
    convex: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HeightField(Element):
    """A terrain: heights above the xy plane on a grid of points, on a solid base.

    Attributes:
        rows: Number of points along y.
        columns: Number of points along x.
        size: Half lengths along x and y, height of the highest point, and depth of the base below z = 0 [m].
        elevations: Heights relative to the highest point, from 0 to 1, row by row, beginning at the lowest x and y.
    """

    rows: int
    columns: int
    size: tuple[float, float, float, float]
    elevations: tuple[float, ...]


Geometry: TypeAlias = (
    Box | Sphere | Ellipsoid | Cylinder | Capsule | Cone | Pyramid | Plane | MultiSphere | HeightField | Mesh | TriangleMesh
)
"""Any shape."""
