"""Rigid and soft bodies, and elements that are fixed to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ossature.diagnostics import Location
from ossature.diagnostics.counted_nouns import counted
from ossature.model.format_extension import Extension
from ossature.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere
from ossature.model.mujoco_hints import MujocoBody, MujocoGeom, MujocoSite
from ossature.model.program_hints import ChronoCollision, HintedElement
from ossature.model.shape_mass_properties import solid_properties
from ossature.model.solid_inertia import principal_moments
from ossature.model.triangle_mesh import MeshData
from ossature.model.validated_element import Element, to_pose
from ossature.spatial import IDENTITY, ZERO3, Matrix3, Pose, Vector3, rotated_tensor

Solid: TypeAlias = Box | Sphere | Cylinder | Capsule | Ellipsoid
"""A solid that is symmetric about the origin of its frame."""


Rgba: TypeAlias = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inertial(Element):
    """Mass and its distribution.

    Attributes:
        mass: Mass [kg].
        center_of_mass: In the body frame [m].
        moment: Inertia tensor about the centre of mass, axes parallel to the body frame [kg·m²], or None if the
            file leaves it to be computed from the body's shapes; :mod:`ossature.kinematics.default_moment_of_inertia` does so.
    """

    mass: float = 1.0
    center_of_mass: Vector3 = ZERO3
    moment: Matrix3 | None = None

    @classmethod
    def from_solid(cls, mass: float, solid: Solid, pose: Pose | Vector3 = IDENTITY) -> Inertial:
        """Return the inertial of a homogeneous solid of a mass [kg] whose frame has a pose in the body frame."""
        pose, (x, y, z) = to_pose(pose), principal_moments(solid, float(mass))
        moment = rotated_tensor(((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)), pose.wxyz)
        return cls(mass=mass, center_of_mass=pose.position, moment=moment)

    @classmethod
    def from_box(cls, mass: float, size: Vector3, pose: Pose | Vector3 = IDENTITY) -> Inertial:
        """Return the inertial of a homogeneous box of a mass [kg] and edge lengths [m]."""
        return cls.from_solid(mass, Box(size=size), pose)

    @classmethod
    def from_sphere(cls, mass: float, radius: float, pose: Pose | Vector3 = IDENTITY) -> Inertial:
        """Return the inertial of a homogeneous sphere of a mass [kg] and a radius [m]."""
        return cls.from_solid(mass, Sphere(radius=radius), pose)

    @classmethod
    def from_cylinder(cls, mass: float, radius: float, length: float, pose: Pose | Vector3 = IDENTITY) -> Inertial:
        """Return the inertial of a homogeneous cylinder along z of a mass [kg], a radius and a length [m]."""
        return cls.from_solid(mass, Cylinder(radius=radius, length=length), pose)

    @classmethod
    def from_capsule(cls, mass: float, radius: float, length: float, pose: Pose | Vector3 = IDENTITY) -> Inertial:
        """Return the inertial of a homogeneous capsule along z; its length [m] is that of the cylinder, without the caps."""
        return cls.from_solid(mass, Capsule(radius=radius, length=length), pose)

    @classmethod
    def from_ellipsoid(cls, mass: float, diameters: Vector3, pose: Pose | Vector3 = IDENTITY) -> Inertial:
        """Return the inertial of a homogeneous ellipsoid of a mass [kg] and full lengths of its axes [m]."""
        return cls.from_solid(mass, Ellipsoid(diameters=diameters), pose)

    @classmethod
    def from_mesh(cls, mass: float, mesh: MeshData, pose: Pose | Vector3 = IDENTITY) -> Inertial:
        """Return the inertial of the homogeneous solid inside a closed mesh.

        Raises:
            ValueError: The mesh is not closed, or its triangles are not oriented outwards.
        """
        pose, (center, moment) = to_pose(pose), solid_properties(mesh, mass)
        return cls(mass=mass, center_of_mass=pose.transform(center), moment=rotated_tensor(moment, pose.wxyz))


@dataclass(frozen=True, slots=True, kw_only=True)
class Visual(HintedElement):
    """A shape that is rendered.

    Attributes:
        geometry: The shape.
        pose: The shape's frame in the body frame.
        color: Its colour, or None if the file names none.
        visible: Whether it is drawn at the start.
        name: Its name, or None.
        appearance: Name of its appearance, or None.
        hints: What its file states for MuJoCo.
    """

    geometry: Geometry
    pose: Pose = IDENTITY
    color: Rgba | None = None
    visible: bool = True
    name: str | None = None
    appearance: str | None = None
    hints: tuple[MujocoGeom, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material(Element):
    """Contact properties of a surface; None if the file does not specify one.

    Attributes:
        name: Its name, or None.
        friction: Coefficient of sliding friction.
        restitution: Coefficient of restitution, from 0 to 1.
        young_modulus: Young's modulus [Pa].
        poisson_ratio: Poisson's ratio.
        normal_stiffness: Stiffness of a penalty contact [N/m].
        normal_damping: Damping of a penalty contact [N·s/m].
        tangential_stiffness: Stiffness of a penalty contact along the surface [N/m].
        tangential_damping: Damping of a penalty contact along the surface [N·s/m].
        torsional_friction: Coefficient of friction against rotations about the normal [m].
        rolling_friction: Coefficient of friction against rolling [m].
    """

    name: str | None = None
    friction: float | None = None
    restitution: float | None = None
    young_modulus: float | None = None
    poisson_ratio: float | None = None
    normal_stiffness: float | None = None
    normal_damping: float | None = None
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    torsional_friction: float | None = None
    rolling_friction: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision(HintedElement):
    """A shape that collides.

    Attributes:
        geometry: The shape.
        pose: The shape's frame in the body frame.
        enabled: Whether it collides at the start; a simulation can change that.
        material: Its contact properties, or None if unspecified.
        margin: Distance from the shape at which contact starts [m].
        name: Its name, or None.
        hints: What its file states for MuJoCo.
    """

    geometry: Geometry
    pose: Pose = IDENTITY
    enabled: bool = True
    material: Material | None = None
    margin: float = 0.0
    name: str | None = None
    hints: tuple[MujocoGeom, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(HintedElement):
    """A named frame fixed to a body: a marker, a site, a tool centre point.

    Attributes:
        name: Its name, unique within the body.
        pose: The frame in the body frame.
        geometry: The shape of a region about it, such as that of a touch sensor, or None.
        color: The colour in which it is drawn, or None.
        appearance: Name of its appearance, or None.
        hints: What its file states for MuJoCo.
    """

    name: str
    pose: Pose = IDENTITY
    geometry: Geometry | None = None
    color: Rgba | None = None
    appearance: str | None = None
    hints: tuple[MujocoSite, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftSkin(Element):
    """The deformable surface of a soft body: point masses on a mesh, connected by springs.

    Attributes:
        geometry: The undeformed surface.
        pose: The surface's frame in the body frame.
        mass: Mass of all points together [kg].
        vertex_stiffness: Stiffness between each point and its rest position in the body [N/m].
        edge_stiffness: Stiffness along each edge [N/m].
        damping: Damping of each point [N·s/m].
        subdivisions: How finely the surface is cut: boxes (points along x, y, z), ellipsoids and spheres (slices,
            stacks), cylinders (slices, stacks, rings); None if the file names none.
    """

    geometry: Box | Ellipsoid | Sphere | Cylinder
    pose: Pose = IDENTITY
    mass: float = 1.0
    vertex_stiffness: float = 0.0
    edge_stiffness: float = 0.0
    damping: float = 0.0
    subdivisions: tuple[int, ...] | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body(HintedElement):
    """A rigid body (a link), or the rigid frame of a soft one.

    Attributes:
        name: Its name, unique within the model.
        pose: The body frame in the model frame, with every joint coordinate at zero.
        inertial: Mass and its distribution.
        visuals: Shapes that are rendered.
        collisions: Shapes that collide.
        self_collisions: Shapes that collide with bodies of its own model, or None for ``collisions``.
        frames: Named frames fixed to it.
        soft_skin: Its deformable surface, or None for a rigid body.
        gravity: Whether gravity acts on it.
        self_collide: Whether it collides with other bodies of its model, those joined to it excepted
            unless the model disables it.
        gravity_compensation: Part of its weight that is compensated: 1 for all of it.
        mocap: Whether its pose is prescribed from outside and follows no dynamics; it is connected to the world alone.
        hints: What its file states for Chrono or MuJoCo.
        initial_velocity: Velocity of its centre of mass at time zero, in axes of the model [m/s].
        initial_angular_velocity_body: Angular velocity at time zero, in its own axes [rad/s].
        extensions: Content that only its own format can represent.
    """

    name: str
    pose: Pose = IDENTITY
    inertial: Inertial = field(default_factory=Inertial)
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()
    self_collisions: tuple[Collision, ...] | None = None
    frames: tuple[Frame, ...] = ()
    soft_skin: SoftSkin | None = None
    gravity: bool = True
    self_collide: bool = False
    gravity_compensation: float = 0.0
    mocap: bool = False
    hints: tuple[ChronoCollision | MujocoBody, ...] = ()
    initial_velocity: Vector3 = ZERO3
    initial_angular_velocity_body: Vector3 = ZERO3
    extensions: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)

    @property
    def collides_with_own_model(self) -> bool:
        """Whether the shapes that collide with other models collide with its own model, too."""
        return self.self_collide and self.self_collisions is None

    def __repr__(self) -> str:
        shapes = f"{counted(len(self.visuals), 'visual')}, {counted(len(self.collisions), 'collision')}"
        return f"Body({self.name!r}: {self.inertial.mass:g} kg, {shapes})"
