"""A floor below the robots of a World."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ossature.assets import AssetError, MeshStore
from ossature.kinematics.floating_base import floating_bases
from ossature.kinematics.forward_kinematics import model_poses
from ossature.model import (
    Body,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Geometry,
    Mesh,
    Model,
    NamedList,
    Plane,
    Sphere,
    TriangleMesh,
    Visual,
    World,
)
from ossature.model.tessellation import tessellate
from ossature.model.unique_names import unique_name
from ossature.spatial import Pose, rotation_matrix

GROUND = "ground"
"""Name of the model of the floor."""


def add_ground(world: World, meshes: MeshStore) -> World:
    """Return the World with a horizontal floor, if it has no plane yet.

    The floor is at height zero, or lower if a robot with a floating base reaches below it in its initial configuration.

    Args:
        world: The World.
        meshes: The mesh store; shapes whose meshes are unavailable do not count for the height.
    """
    shapes = [shape for model in world.models for body in model.bodies for shape in body.collisions]
    if any(isinstance(shape.geometry, Plane) for shape in shapes):
        return world
    height = min([0.0, *(_lowest_point(model, meshes) for model in world.models if floating_bases(model))])
    plane = Plane(normal=(0.0, 0.0, 1.0), offset=height)
    body = Body(name=GROUND, visuals=(Visual(geometry=plane),), collisions=(Collision(geometry=plane),))
    name = unique_name(GROUND, set(world.models.names()))
    return replace(world, models=world.models.with_(Model(name=name, static=True, bodies=NamedList([body]))))


def _lowest_point(model: Model, meshes: MeshStore) -> float:
    """Return the height of the lowest point of a model's collision shapes [m]; zero if it has none."""
    poses = model_poses(model)
    heights = []
    for body in model.bodies:
        for shape in body.collisions:
            try:
                heights.append(_lowest_point_of_shape(shape.geometry, poses[body.name] @ shape.pose, meshes))
            except AssetError:  # a check reports it
                continue
    return min(heights, default=0.0)


def _lowest_point_of_shape(geometry: Geometry, pose: Pose, meshes: MeshStore) -> float:
    height = pose.position[2]
    down = np.array(rotation_matrix(pose.wxyz))[2]  # the vertical axis in the frame of the shape
    match geometry:
        case Sphere(radius=radius):
            return height - radius
        case Box(size=size):
            return float(height - np.abs(down) @ np.array(size) / 2.0)
        case Cylinder(radius=radius, length=length):
            return float(height - radius * np.hypot(down[0], down[1]) - abs(down[2]) * length / 2.0)
        case Capsule(radius=radius, length=length):
            return float(height - radius - abs(down[2]) * length / 2.0)
        case Mesh() | TriangleMesh():
            vertices = meshes.triangles(geometry).vertices
        case Plane():
            return 0.0
        case _:
            vertices = tessellate(geometry).vertices
    return float(height + (vertices @ down).min())
