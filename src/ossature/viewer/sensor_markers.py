"""Fields of view of sensors as primitives: frusta of cameras, fans of range finders."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from ossature.assets import MeshStore
from ossature.model import FlashLaser, Laser2D, Laser3D, LazyMesh, MeshData, Model, PinholeCamera, Sensor, StereoCamera
from ossature.model.sensor_fields import with_defaults
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.spatial import IDENTITY, Pose
from ossature.viewer import color_palette
from ossature.viewer.body_markers import frame
from ossature.viewer.marker_meshes import merge_surfaces, wire
from ossature.viewer.scene_elements import Primitive
from ossature.viewer.scene_layers import Layer

_DEPTH = 4.0
"""Depth of fields of view, in lengths of frame axes."""
_THICKNESS = 0.008
_ARC_SEGMENTS = 24


def sensors(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive]:
    """Yield frames and fields of view of sensors, with markers ``size`` metres long."""
    for sensor in model.sensors:
        if sensor.body is None or sensor.body not in model.bodies:
            continue
        yield from frame(Layer.SENSORS, model, sensor.body, sensor.name, sensor.pose, 0.6 * size)
        for number, (surface, pose) in enumerate(_fields_of_view(sensor, _DEPTH * size)):
            yield Primitive(
                layer=Layer.SENSORS,
                model=model.name,
                body=sensor.body,
                name=f"{sensor.name} field of view {number}",
                surface=surface,
                pose=sensor.pose @ pose,
                color=color_palette.SENSOR,
            )


def _fields_of_view(sensor: Sensor, depth: float) -> Iterator[tuple[LazyMesh, Pose]]:
    if sensor.description is None:
        return
    described = with_defaults(sensor.description)[0]
    match described:
        case PinholeCamera() | FlashLaser():
            yield LazyMesh(lambda: _frustum_mesh(described, depth)), IDENTITY
        case StereoCamera():
            for view in described.views or ():
                yield LazyMesh(partial(_frustum_mesh, with_defaults(view.camera)[0], depth)), view.pose or IDENTITY
        case Laser2D():
            yield LazyMesh(lambda: _fan_mesh(described, depth)), IDENTITY
        case Laser3D():
            yield LazyMesh(lambda: _fans_mesh(described, depth)), IDENTITY


def _frustum_mesh(camera: PinholeCamera | FlashLaser, depth: float) -> MeshData:
    optics = CameraProjection.of(camera)
    corners = np.array([(0.0, 0.0), (optics.width, 0.0), (optics.width, optics.height), (0.0, optics.height)])
    ahead = np.nan_to_num(optics.unproject(corners))
    far = depth * np.column_stack([ahead, np.ones(4)])
    lines = [np.array([np.zeros(3), corner]) for corner in far]
    lines += [np.array([far[i], far[(i + 1) % 4]]) for i in range(4)]
    return merge_surfaces(*(wire(line, _THICKNESS * depth) for line in lines))


def _fan_mesh(laser: Laser2D, depth: float, elevation: float = 0.0) -> MeshData:
    """Return some rays of a scan, from the first to the last, and the arc of their ends."""
    first, last = laser.min_angle or 0.0, laser.max_angle or 0.0
    reach = min(depth, laser.max_distance or depth)
    angles = np.linspace(first, last, _ARC_SEGMENTS + 1)
    flat = reach * np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    cosine, sine = math.cos(elevation), math.sin(elevation)
    ends = flat @ np.array([[1.0, 0.0, 0.0], [0.0, cosine, sine], [0.0, -sine, cosine]])
    rays = [np.array([np.zeros(3), end]) for end in ends[:: _ARC_SEGMENTS // 6]]
    return merge_surfaces(*(wire(line, 0.5 * _THICKNESS * depth) for line in (*rays, ends)))


def _fans_mesh(laser: Laser3D, depth: float) -> MeshData:
    """Return the first, the middle and the last line of a scan with many lines."""
    first, last = laser.min_turn or 0.0, laser.max_turn or 0.0
    flat = Laser2D(min_angle=laser.min_angle, max_angle=laser.max_angle, max_distance=laser.max_distance)
    return merge_surfaces(*(_fan_mesh(flat, depth, elevation) for elevation in (first, 0.5 * (first + last), last)))
