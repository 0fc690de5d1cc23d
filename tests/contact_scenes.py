"""Scenes of bodies that fall, slide and rebound on a plate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ossature.model import (
    Body,
    Box,
    Capsule,
    Collision,
    Cylinder,
    DartStepping,
    Geometry,
    Inertial,
    LazyMesh,
    Material,
    MeshData,
    Model,
    NamedList,
    Sphere,
    TriangleMesh,
    World,
)
from ossature.spatial import IDENTITY_WXYZ, Pose, Quaternion, Vector3, quaternion_from_rotation_vector

G = 9.81
EDGE = 0.2
CORNERS = tuple((x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
FACES = (
    (0, 1, 3),
    (0, 3, 2),
    (4, 6, 7),
    (4, 7, 5),
    (0, 4, 5),
    (0, 5, 1),
    (2, 3, 7),
    (2, 7, 6),
    (0, 2, 6),
    (0, 6, 4),
    (1, 5, 7),
    (1, 7, 3),
)
CUBE = Box(size=(EDGE, EDGE, EDGE))
SHAPES: dict[str, tuple[Geometry, float]] = {
    "box": (CUBE, 0.1),
    "sphere": (Sphere(radius=0.1), 0.1),
    "cylinder": (Cylinder(radius=0.1, length=0.2), 0.1),
    "capsule": (Capsule(radius=0.05, length=0.1), 0.1),
    "mesh": (TriangleMesh(surface=LazyMesh(MeshData(vertices=np.array(CORNERS), faces=np.array(FACES))), convex=True), 0.1),
}
"""Shapes, and how high their middles are when they rest."""


@dataclass(frozen=True)
class Thing:
    """A body that moves freely."""

    position: Vector3
    geometry: Geometry = CUBE
    mass: float = 1.0
    moments: Vector3 | None = None
    wxyz: Quaternion = IDENTITY_WXYZ
    velocity: Vector3 = (0.0, 0.0, 0.0)
    material: Material | None = None

    def model(self, name: str) -> Model:
        """Return it as a model of that name."""
        x, y, z = self.moments or (self.mass * 0.01,) * 3
        body = Body(
            name="body",
            pose=Pose(self.position, self.wxyz),
            inertial=Inertial(mass=self.mass, moment=((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))),
            collisions=(Collision(geometry=self.geometry, material=self.material),),
            initial_velocity=self.velocity,
        )
        return Model(name=name, bodies=NamedList([body]))


def on_slope(slope: float, height: float, turn: float = 0.0) -> Pose:
    """Return the pose of what is above the origin of a plate that is inclined about y, turned about the plate's normal."""
    inclined = Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector((0.0, slope, 0.0)))
    return inclined @ Pose((0.0, 0.0, height), quaternion_from_rotation_vector((0.0, 0.0, turn)))


def scene(
    *things: Thing,
    thickness: float = 1.0,
    slope: float = 0.0,
    step: float = 1e-3,
    material: Material | None = None,
    as_dart: bool = True,
) -> World:
    """Return things on a plate, which is inclined about y and whose upper side goes through the origin."""
    pose = on_slope(slope, -0.5 * thickness)
    plate = Collision(geometry=Box(size=(60.0, 20.0, thickness)), material=material)
    ground = Model(name="ground", static=True, bodies=NamedList([Body(name="plate", pose=pose, collisions=(plate,))]))
    models = [ground, *(thing.model(f"thing{number}") for number, thing in enumerate(things))]
    return World(gravity=(0.0, 0.0, -G), time_step=step, hints=(DartStepping(),) if as_dart else (), models=NamedList(models))
