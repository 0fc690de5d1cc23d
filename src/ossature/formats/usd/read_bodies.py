"""Rigid bodies, and what belongs to them: shapes, sites and mass properties."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from ossature.assets import MeshStore
from ossature.formats.usd import rules
from ossature.formats.usd.read_mass import MassReader
from ossature.formats.usd.read_materials import MaterialReader
from ossature.formats.usd.read_shapes import SHAPES, ShapeReader
from ossature.formats.usd.solver_parameters import solver_parameter
from ossature.formats.usd.stage import SUBCOMPONENT, Prim, Stage
from ossature.model import Body, Collision, Frame, Inertial, MujocoGeom, Sphere, Visual
from ossature.model.unique_names import take_unique_name
from ossature.spatial import IDENTITY, Pose, Vector3, conjugate, rotate, vector_from

STATIC = "static"
"""The name of the body and the model of shapes that belong to no rigid body."""
MUJOCO_SITE = Sphere(radius=0.005)
"""The shape of a site for which an MJCF file states none."""
_SITES = ("NewtonSiteAPI", "MjcSiteAPI")
_DRAWN = ("default", "render", "proxy")


def is_body(prim: Prim) -> bool:
    """Whether a prim is a rigid body that is enabled, or a part of a model that never moves."""
    return is_static_body(prim) or (prim.has("PhysicsRigidBodyAPI") and prim.flag("physics:rigidBodyEnabled", True))


def is_static_body(prim: Prim) -> bool:
    """Whether a prim is a part of a model that is no rigid body, so that it never moves."""
    is_part = prim.facts.get("kind") == SUBCOMPONENT and prim.parent is not None and prim.parent.is_component
    return is_part and not prim.has("PhysicsRigidBodyAPI")


def owner_of(prim: Prim) -> Prim | None:
    """Return the rigid body to which a prim belongs, or None for the world."""
    owners, passed, owner = prim.stage.owners, list[str](), None
    for one in prim.ancestors():
        if one.path in owners:
            owner = owners[one.path]
            break
        passed.append(one.path)
        if is_body(one):
            owner = one
            break
    owners.update(dict.fromkeys(passed, owner))
    return owner


@dataclass(slots=True)
class BodyContent:
    """What belongs to one rigid body, or to the world.

    Attributes:
        prim: Its prim, or None for the world.
        name: Its name.
    """

    prim: Prim | None
    name: str
    visuals: list[Visual] = field(default_factory=list)
    collisions: list[Collision] = field(default_factory=list)
    colliders: list[Prim] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    shape_names: set[str] = field(default_factory=set)

    @property
    def pose(self) -> Pose:
        """Its frame in the world [m]."""
        return IDENTITY if self.prim is None else self.prim.pose


class BodyReader:
    """Reads the bodies of a stage.

    Attributes:
        contents: What belongs to each body, by the path of its prim, and to the world, by None.
        sites: The body and the frame of each site, by path.
    """

    def __init__(self, stage: Stage, meshes: MeshStore) -> None:
        self._stage = stage
        self.materials = MaterialReader(stage)
        self._shapes = ShapeReader(stage)
        self._masses = MassReader(stage, self.materials, meshes)
        self.contents: dict[str | None, BodyContent] = {
            prim.path: BodyContent(prim, prim.name) for prim in stage.prims.values() if is_body(prim)
        }
        self.contents[None] = BodyContent(None, STATIC)
        self.sites: dict[str, tuple[str | None, str]] = {}
        for prim in stage.prims.values():
            self._read(prim)
        self._report()

    def _read(self, prim: Prim) -> None:
        owner = owner_of(prim)
        content = self.contents[None if owner is None else owner.path]
        if any(prim.has(api) for api in _SITES):
            self._add_site(prim, content)
        elif prim.type in SHAPES:
            self._add_shape(prim, content)
        elif prim.has("PhysicsCollisionAPI"):
            self._stage.add(rules.UNSUPPORTED_SHAPE, f"{prim.path} collides, but is no shape that can be read: it is ignored")

    def _add_site(self, prim: Prim, content: BodyContent) -> None:
        shape = self._shapes.read(prim, is_collider=False) if prim.type in SHAPES else None
        name = take_unique_name(prim.name, {frame.name for frame in content.frames})
        pose = content.pose.inverse() @ (prim.pose if shape is None else shape.pose)
        geometry = None if shape is None else shape.geometry
        if prim.has("MjcSiteAPI") and isinstance(geometry, Sphere) and math.isclose(geometry.radius, MUJOCO_SITE.radius):
            geometry = None
        content.frames.append(Frame(name=name, pose=pose, geometry=geometry))
        self.sites[prim.path] = (None if content.prim is None else content.prim.path, name)

    def _add_shape(self, prim: Prim, content: BodyContent) -> None:
        is_collider = prim.has("PhysicsCollisionAPI")
        shape = self._shapes.read(prim, is_collider=is_collider)
        if shape is None:
            return
        color, appearance = self.materials.color_and_appearance(prim)
        pose = content.pose.inverse() @ shape.pose
        purpose = prim.facts.get("purpose", "default")
        name = take_unique_name(prim.name, content.shape_names)
        if is_collider:
            content.collisions.append(
                Collision(
                    geometry=shape.geometry,
                    pose=pose,
                    enabled=prim.flag("physics:collisionEnabled", True),
                    material=self.materials.contact_material(prim),
                    margin=max(prim.finite("newton:contactMargin", 0.0), 0.0) * self._stage.length,
                    name=name,
                    hints=(_mujoco_hint(prim),),
                )
            )
            content.colliders.append(prim)
        if purpose in _DRAWN:
            drawn = self._shapes.read(prim, is_collider=False) if is_collider else shape
            if drawn is not None:
                content.visuals.append(
                    Visual(
                        geometry=drawn.geometry,
                        pose=content.pose.inverse() @ drawn.pose,
                        color=color,
                        appearance=appearance,
                        visible=prim.facts.get("is_visible", True),
                        name=name,
                    )
                )

    def _report(self) -> None:
        subdivided = self._shapes.subdivided
        if subdivided:
            message = f"{len(set(subdivided))} meshes are subdivision surfaces, such as {subdivided[0]}"
            self._stage.add(rules.SUBDIVISION, message)
        self.materials.report_partial()
        for prim in self._stage.prims.values():
            if prim.has("PhysicsRigidBodyAPI") and not prim.flag("physics:rigidBodyEnabled", True):
                self._stage.add(rules.STATIC_BODY, f"the rigid body {prim.path} is disabled")

    def bodies(self) -> Iterator[tuple[Prim, Body]]:
        """Yield the rigid bodies with their prims, each at its pose in the world."""
        for content in self.contents.values():
            if content.prim is not None:
                yield content.prim, self._body(content, content.prim)
        self._masses.report()

    def static_body(self) -> Body | None:
        """Return the body of the shapes that belong to no rigid body, or None if there are none."""
        content = self.contents[None]
        if not (content.visuals or content.collisions):
            return None
        return self._with_shapes(content, IDENTITY, Inertial(mass=0.0))

    def _body(self, content: BodyContent, prim: Prim) -> Body:
        colliders = list(zip(content.colliders, content.collisions, strict=True))
        has_mass = prim.has("PhysicsMassAPI") or not is_static_body(prim)
        inertial = self._masses.inertial(prim, colliders) if has_mass else Inertial(mass=0.0)
        linear, angular = self._velocities(prim)
        body = self._with_shapes(content, prim.pose, inertial)
        is_kinematic = prim.flag("physics:kinematicEnabled", False)
        if is_kinematic:
            self._stage.add(rules.KINEMATIC_BODY, f"the body {prim.path} is kinematic: it is fixed to the world")
        return Body(
            name=body.name,
            pose=body.pose,
            inertial=inertial,
            visuals=body.visuals,
            collisions=body.collisions,
            frames=body.frames,
            gravity=not prim.flag("physxRigidBody:disableGravity", False),
            self_collide=True,
            mocap=is_kinematic,
            initial_velocity=linear,
            initial_angular_velocity_body=angular,
            origin=self._stage.location,
        )

    def _with_shapes(self, content: BodyContent, pose: Pose, inertial: Inertial) -> Body:
        return Body(
            name=content.name,
            pose=pose,
            inertial=inertial,
            visuals=tuple(content.visuals),
            collisions=tuple(content.collisions),
            frames=tuple(content.frames),
            self_collide=False,
            origin=self._stage.location,
        )

    def _velocities(self, prim: Prim) -> tuple[Vector3, Vector3]:
        """Return the velocity of a body in the world, and its angular velocity in its own axes."""
        linear, angular = (prim.finite_vector(f"physics:{name}", (0.0,) * 3) for name in ("velocity", "angularVelocity"))
        if not any(linear) and not any(angular):
            return (0.0,) * 3, (0.0,) * 3
        self._stage.add(rules.VELOCITY_SPACE, f"the body {prim.path} has an initial velocity")
        space = self._stage.rotation if prim.parent is None or prim.facts.get("resets_transform") else prim.parent.linear
        x, y, z = (space @ linear * self._stage.length).tolist()
        axes = prim.parent.pose.wxyz if prim.parent is not None and not prim.facts.get("resets_transform") else None
        turning = vector_from([math.radians(part) for part in angular])
        turning = rotate(axes, turning) if axes is not None else vector_from(self._stage.rotation @ turning)
        return (x, y, z), rotate(conjugate(prim.pose.wxyz), turning)


def _mujoco_hint(prim: Prim) -> MujocoGeom:
    """Return the contact parameters that only MuJoCo has."""
    solmix = prim.finite("mjc:solmix", 1.0)
    return MujocoGeom(
        condim=int(prim.finite("mjc:condim", 3.0)) if "mjc:condim" in prim.attributes else None,
        priority=int(prim.finite("mjc:priority", 0.0)) or None,
        solmix=solmix if solmix != 1.0 else None,
        solref=solver_parameter(prim, "solref"),
        solimp=solver_parameter(prim, "solimp"),
        group=int(prim.finite("mjc:group", 0.0)) or None,
        maxhullvert=int(hulls) if (hulls := prim.finite("mjc:maxhullvert", -1.0)) > 0.0 else None,
    )
