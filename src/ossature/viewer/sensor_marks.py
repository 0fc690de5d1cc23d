"""What sensors see, as pieces of the scene: the field of view of cameras, the reach of range finders."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from ossature.assets import MeshStore
from ossature.model import (
    FlashLaser,
    Laser2D,
    Laser3D,
    Model,
    PinholeCamera,
    Sensor,
    StereoCamera,
    Surface,
    Triangles,
)
from ossature.model.sensor_setting import with_defaults
from ossature.sensing.pinhole import Optics
from ossature.spatial import IDENTITY, Pose
from ossature.viewer import palette
from ossature.viewer.forms import joined, wire
from ossature.viewer.layers import Layer
from ossature.viewer.marks import frame
from ossature.viewer.pieces import Piece

_DEPTH = 4.0
"""How far a field of view is drawn, in lengths of an axis."""
_THICKNESS = 0.008
_MOST_LINES = 24


def sensors(model: Model, size: float, meshes: MeshStore) -> Iterator[Piece]:
    """Yield the frames of sensors, and what they see, a model's markers being ``size`` metres long."""
    for sensor in model.sensors:
        if sensor.body is None or sensor.body not in model.bodies:
            continue
        yield from frame(Layer.SENSORS, model, sensor.body, sensor.name, sensor.pose, 0.6 * size)
        for number, (surface, pose) in enumerate(_sights(sensor, _DEPTH * size)):
            yield Piece(
                layer=Layer.SENSORS,
                model=model.name,
                body=sensor.body,
                name=f"{sensor.name} sight {number}",
                surface=surface,
                pose=sensor.pose @ pose,
                color=palette.SENSOR,
            )


def _sights(sensor: Sensor, depth: float) -> Iterator[tuple[Surface, Pose]]:
    """Yield what a sensor sees, as surfaces in frames of its own."""
    if sensor.description is None:
        return
    described = with_defaults(sensor.description)[0]
    match described:
        case PinholeCamera() | FlashLaser():
            yield Surface(lambda: _frustum(described, depth)), IDENTITY
        case StereoCamera():
            for view in described.views or ():
                yield Surface(partial(_frustum, with_defaults(view.camera)[0], depth)), view.pose or IDENTITY
        case Laser2D():
            yield Surface(lambda: _fan(described, depth)), IDENTITY
        case Laser3D():
            yield Surface(lambda: _fans(described, depth)), IDENTITY


def _frustum(camera: PinholeCamera | FlashLaser, depth: float) -> Triangles:
    """Return the edges of what a camera sees."""
    optics = Optics.of(camera)
    corners = np.array([(0.0, 0.0), (optics.width, 0.0), (optics.width, optics.height), (0.0, optics.height)])
    ahead = np.nan_to_num(optics.ahead_of(corners))
    far = depth * np.column_stack([ahead, np.ones(4)])
    lines = [np.array([np.zeros(3), corner]) for corner in far]
    lines += [np.array([far[i], far[(i + 1) % 4]]) for i in range(4)]
    return joined(*(wire(line, _THICKNESS * depth) for line in lines))


def _fan(laser: Laser2D, depth: float, turn: float = 0.0) -> Triangles:
    """Return the first and the last ray of a scan, some between, and the arc at their ends."""
    first, last = laser.min_angle or 0.0, laser.max_angle or 0.0
    reach = min(depth, laser.max_distance or depth)
    angles = np.linspace(first, last, _MOST_LINES + 1)
    flat = reach * np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    cosine, sine = math.cos(turn), math.sin(turn)
    ends = flat @ np.array([[1.0, 0.0, 0.0], [0.0, cosine, sine], [0.0, -sine, cosine]])
    rays = [np.array([np.zeros(3), end]) for end in ends[:: _MOST_LINES // 6]]
    return joined(*(wire(line, 0.5 * _THICKNESS * depth) for line in (*rays, ends)))


def _fans(laser: Laser3D, depth: float) -> Triangles:
    """Return the first, the middle and the last line of a scan of many lines."""
    first, last = laser.min_turn or 0.0, laser.max_turn or 0.0
    flat = Laser2D(min_angle=laser.min_angle, max_angle=laser.max_angle, max_distance=laser.max_distance)
    return joined(*(_fan(flat, depth, turn) for turn in (first, 0.5 * (first + last), last)))
