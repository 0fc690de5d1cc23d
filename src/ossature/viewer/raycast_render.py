"""Rendering of an image without a display: deterministic ray casting with Embree on the CPU."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ossature.array_types import Array, BoolArray, Int64Array
from ossature.simulation.sensors.triangle_bvh import LocalRays, TriangleMeshShape, TriangleTrees
from ossature.spatial import unit
from ossature.viewer.camera_framing import CameraFraming
from ossature.viewer.render_camera import RenderCamera
from ossature.viewer.triangle_scene import TriangleScene

_SKY = np.array([0.975, 0.98, 0.988])
_LINE, _STRONG_LINE = np.array([0.83, 0.85, 0.88]), np.array([0.7, 0.73, 0.78])
_AMBIENT, _DIRECT = 0.52, 0.6
_OCCLUSION_RAYS = 10
_MAX_TRANSLUCENT_HITS = 8
_OVERSAMPLING = 2
_ROWS_AT_ONCE = 120
_MAX_COORDINATE = 1e30
"""Largest coordinate, as Embree has single precision [m]."""


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """An image with what it shows of the scene alone.

    Attributes:
        colors: Red, green and blue from 0 to 1, shape (height, width, 3).
        scene_colors: The same of the scene without floor and sky, times its opacity.
        opacity: Opacity of the scene from 0 to 1, shape (height, width).
    """

    colors: Array
    scene_colors: Array
    opacity: Array

    def transparent(self) -> Array:
        """Return the image without floor and sky: red, green, blue and opacity from 0 to 1, shape (height, width, 4)."""
        opacity = self.opacity[..., None]
        colors = np.divide(self.scene_colors, opacity, out=np.zeros_like(self.scene_colors), where=opacity > 0.0)
        return np.asarray(np.clip(np.concatenate([colors, opacity], axis=2), 0.0, 1.0))

    def cropped(self, margin: int) -> RenderedImage:
        """Return the part of the image with the scene, and a margin of some pixels; the whole image if it shows nothing."""
        rows, columns = (np.flatnonzero((self.opacity > 0.0).any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return self
        height, width = self.opacity.shape
        across = slice(max(0, columns[0] - margin), min(width, columns[-1] + 1 + margin))
        down = slice(max(0, rows[0] - margin), min(height, rows[-1] + 1 + margin))
        return RenderedImage(self.colors[down, across], self.scene_colors[down, across], self.opacity[down, across])


def render_image(
    triangles: TriangleScene,
    framing: CameraFraming,
    width: int,
    height: int,
    progress: Callable[[float], None] | None = None,
    *,
    camera: RenderCamera | None = None,
) -> RenderedImage:
    """Return an image of a scene.

    Args:
        framing: Its bounding box.
        width: Width of the image [pixels].
        height: Height of the image [pixels].
        progress: Called with the completed share from 0 to 1.
        camera: The camera; by default the whole scene is visible.
    """
    columns, rows = width * _OVERSAMPLING, height * _OVERSAMPLING
    seen = RenderCamera.fitting(framing, width / height) if camera is None else camera
    shading, parts = _Shading(triangles, framing, seen), []
    for first in range(0, rows, _ROWS_AT_ONCE):
        parts.append(shading.color(*seen.rays(columns, rows, first, first + _ROWS_AT_ONCE)))
        if progress is not None:
            progress(min(1.0, (first + _ROWS_AT_ONCE) / rows))
    means = [
        np.concatenate(part).reshape(height, _OVERSAMPLING, width, _OVERSAMPLING, -1).mean(axis=(1, 3))
        for part in zip(*parts, strict=True)
    ]
    colors, scene_colors, opacity = (np.clip(mean, 0.0, 1.0) for mean in means)
    return RenderedImage(colors, scene_colors, opacity[..., 0])


def encode_png(image: Array) -> bytes:
    """Return an image, shape (height, width, 3 or 4) from 0 to 1, as the content of a PNG file."""
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(np.round(image * 255.0).astype(np.uint8)).save(content, "PNG", optimize=True)
    return content.getvalue()


class _Shading:
    def __init__(self, triangles: TriangleScene, framing: CameraFraming, camera: RenderCamera) -> None:
        self._triangles, self._framing, self._camera = triangles, framing, camera
        self._up = np.array(framing.up)
        self._light = _light_direction(framing)
        self._step = 1e-4 * framing.size
        self._everything = _intersections(triangles.corners)
        self._solid = _intersections(triangles.corners[triangles.solid])

    def color(self, starts: Array, rays: Array) -> tuple[Array, Array, Array]:
        """Return the colour along each ray, that of the scene alone times its opacity, and the opacity, shape (n, 1).

        Args:
            starts: Origins of the rays [m], shape (n, 3).
            rays: Their unit directions, shape (n, 3).
        """
        origins = starts.copy()
        result, left = np.zeros((len(rays), 3)), np.ones(len(rays))
        active = np.arange(len(rays))
        for _ in range(_MAX_TRANSLUCENT_HITS):
            distance, triangle, weights = self._everything.cast(origins[active], rays[active])
            hit = triangle >= 0
            seen, number = active[hit], triangle[hit]
            points = origins[seen] + rays[seen] * distance[hit, None]
            colors = self._triangles.colors_at(number, weights[hit])
            alpha = colors[:, 3]
            shaded = self._shade(colors[:, :3], number, weights[hit], points, rays[seen])
            result[seen] += (left[seen] * alpha)[:, None] * shaded
            left[seen] *= 1.0 - alpha
            origins[seen] = points + rays[seen] * self._step
            active = seen[left[seen] > 0.01]
            if not len(active):
                break
        whole, behind = result.copy(), left > 0.01
        whole[behind] += left[behind, None] * self._background(starts[behind], rays[behind])
        return whole, result, 1.0 - left[:, None]

    def _shade(self, colors: Array, triangle: Int64Array, weights: Array, points: Array, rays: Array) -> Array:
        normals = np.einsum("nc,nci->ni", weights, self._triangles.normals[triangle])
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.divide(normals, length, out=-rays.copy(), where=length > 1e-9)
        inside_out = np.einsum("ni,ni->n", normals, rays) > 0.0
        normals[inside_out] = -normals[inside_out]
        start = points + normals * (5.0 * self._step)
        facing = np.clip(normals @ self._light, 0.0, 1.0)
        direct = facing * ~self._solid.is_hit(start, np.tile(self._light, (len(start), 1)))
        sky = 0.75 + 0.25 * (normals @ self._up)
        brightness = _AMBIENT * sky * self._ambient_occlusion(start, normals) + _DIRECT * direct
        toward = self._light - rays
        toward /= np.linalg.norm(toward, axis=1, keepdims=True)
        gloss = 0.12 * np.clip(np.einsum("ni,ni->n", normals, toward), 0.0, 1.0) ** 40 * (direct > 0.0)
        linear = colors**2.2 * brightness[:, None]
        return np.asarray(np.clip(linear, 0.0, 1.0) ** (1.0 / 2.2) + gloss[:, None])

    def _ambient_occlusion(self, points: Array, normals: Array) -> Array:
        """Return the ambient occlusion factor, from 0.3 to 1."""
        blocked = np.zeros(len(points))
        generator = np.random.default_rng(7)  # seeded: images are reproducible
        for _ in range(_OCCLUSION_RAYS):
            direction = generator.normal(size=points.shape)
            direction /= np.linalg.norm(direction, axis=1, keepdims=True)
            direction += normals * 1.001
            direction /= np.linalg.norm(direction, axis=1, keepdims=True)
            distance, triangle, _ = self._solid.cast(points, direction)
            blocked += (triangle >= 0) & (distance < 0.25 * self._framing.size)
        return np.asarray(1.0 - 0.7 * blocked / _OCCLUSION_RAYS)

    def _background(self, starts: Array, rays: Array) -> Array:
        """Return the colour of the floor, with grid and shadows, which fades into the sky."""
        slope = rays @ self._up
        height = starts @ self._up - (self._framing.floor - 0.0005 * self._framing.size)
        distance = np.divide(-height, slope, out=np.full(len(rays), np.inf), where=slope < -1e-6)
        far = 8.0 * self._framing.size
        near = (distance > 0.0) & (distance < far)
        colors = np.tile(_SKY, (len(rays), 1))
        points = starts[near] + rays[near] * distance[near, None]
        nearness = np.clip(1.0 - (np.linalg.norm(points - np.array(self._framing.center), axis=1) / (0.55 * far)), 0.0, 1.0)
        floor = self._grid(points, distance[near])
        start = points + self._up * (5.0 * self._step)
        shaded = self._solid.is_hit(start, np.tile(self._light, (len(start), 1)))
        occlusion = np.ones(len(start))
        close = np.linalg.norm(points - np.array(self._framing.center), axis=1) < 0.9 * self._framing.size
        occlusion[close] = self._ambient_occlusion(start[close], np.tile(self._up, (int(close.sum()), 1)))
        floor = floor * (1.0 - 0.28 * shaded[:, None]) * (0.65 + 0.35 * occlusion[:, None])
        colors[near] = _SKY + nearness[:, None] ** 1.5 * (floor - _SKY)
        return colors

    def _grid(self, points: Array, distance: Array) -> Array:
        along = np.cross(self._up, [1.0, 0.0, 0.0] if abs(self._up[0]) < 0.5 else [0.0, 0.0, 1.0])
        along /= np.linalg.norm(along)
        across = np.cross(self._up, along)
        coordinates = np.stack([points @ along, points @ across], axis=1)
        pixel = self._camera.pixel_size(distance)
        colors = np.tile(_SKY, (len(points), 1))
        for spacing, color, width in ((self._framing.cell, _LINE, 1.0), (5.0 * self._framing.cell, _STRONG_LINE, 1.4)):
            offset = np.abs(coordinates - spacing * np.round(coordinates / spacing)).min(axis=1)
            share = np.clip(1.5 - offset / (width * pixel), 0.0, 1.0) * np.clip(spacing / (12.0 * pixel), 0.0, 1.0)
            colors += share[:, None] * (color - colors)
        return colors


def _light_direction(framing: CameraFraming) -> Array:
    """Return the unit vector towards the light: above, and left behind the camera."""
    up = np.array(framing.up)
    back = np.array(framing.eye) - np.array(framing.look_at)
    back -= up * (back @ up)
    back /= np.linalg.norm(back)
    x, y, z = (1.15 * up + 0.45 * back + 0.5 * np.cross(back, up)).tolist()
    return np.array(unit((x, y, z)))


class _Embree:
    """Ray intersections with triangles."""

    def __init__(self, corners: Array) -> None:
        self._scene: Any = None
        if len(corners):
            from embreex.mesh_construction import TriangleMesh
            from embreex.rtcore_scene import EmbreeScene

            self._scene = EmbreeScene()
            TriangleMesh(self._scene, np.clip(corners, -_MAX_COORDINATE, _MAX_COORDINATE).astype(np.float32))

    def cast(self, origins: Array, rays: Array) -> tuple[Array, Int64Array, Array]:
        """Return for each ray the distance [m], the index of the triangle or -1, and its barycentric coordinates."""
        if self._scene is None or not len(rays):
            return np.full(len(rays), np.inf), np.full(len(rays), -1, np.int64), np.zeros((len(rays), 3))
        found = self._scene.run(origins.astype(np.float32), rays.astype(np.float32), output=True)
        u, v = found["u"].astype(float), found["v"].astype(float)
        return found["tfar"].astype(float), found["primID"].astype(np.int64), np.stack([1.0 - u - v, u, v], axis=1)

    def is_hit(self, origins: Array, rays: Array) -> BoolArray:
        if self._scene is None or not len(rays):
            return np.zeros(len(rays), dtype=bool)
        return np.asarray(self._scene.run(origins.astype(np.float32), rays.astype(np.float32)) >= 0)


class _Hierarchy:
    """Ray intersections with triangles, without Embree: by the hierarchy of the sensors, at about five times the cost."""

    def __init__(self, corners: Array) -> None:
        self._corners = np.clip(corners, -_MAX_COORDINATE, _MAX_COORDINATE).astype(np.float64)
        vertices = self._corners.reshape(-1, 3)
        self._mesh = TriangleMeshShape.of(vertices, np.arange(len(vertices)).reshape(-1, 3)) if len(corners) else None
        self._trees = TriangleTrees([] if self._mesh is None else [self._mesh])

    def cast(self, origins: Array, rays: Array) -> tuple[Array, Int64Array, Array]:
        """Return for each ray the distance [m], the index of the triangle or -1, and its barycentric coordinates."""
        distances, triangles = np.full(len(rays), np.inf), np.full(len(rays), -1, np.int64)
        weights = np.zeros((len(rays), 3))
        if self._mesh is None or not len(rays):
            return distances, triangles, weights
        for start in range(0, len(rays), _RAYS_AT_ONCE):
            part = slice(start, start + _RAYS_AT_ONCE)
            offsets = origins[part] - self._mesh.center
            nearest = -(offsets * rays[part]).sum(axis=1)
            local = LocalRays(
                offsets + nearest[:, None] * rays[part], rays[part], -nearest, np.full(len(nearest), self._mesh.radius)
            )
            found, numbers = self._trees.nearest(local, np.zeros(len(nearest), dtype=np.intp))
            distances[part], triangles[part] = found + nearest, numbers
        hit = triangles >= 0
        points = origins[hit] + distances[hit, None] * rays[hit]
        weights[hit] = _barycentric(self._corners[triangles[hit]], points)
        return distances, triangles, weights

    def is_hit(self, origins: Array, rays: Array) -> BoolArray:
        return np.asarray(self.cast(origins, rays)[1] >= 0)


_RAYS_AT_ONCE = 1 << 16


def _barycentric(corners: Array, points: Array) -> Array:
    """Return the barycentric coordinates of points on triangles, shape (n, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    squares = np.maximum((normals**2).sum(axis=1), np.finfo(float).tiny)
    sides = [(1, 2), (2, 0), (0, 1)]
    parts = [
        (np.cross(corners[:, b] - corners[:, a], points - corners[:, a]) * normals).sum(axis=1) / squares for a, b in sides
    ]
    return np.stack(parts, axis=1)


def _intersections(corners: Array) -> _Embree | _Hierarchy:
    return _Embree(corners) if _is_embree_installed() else _Hierarchy(corners)


def _is_embree_installed() -> bool:
    try:
        import embreex.rtcore_scene  # noqa: F401  # a library that is found may still fail to load
    except ImportError:
        return False
    return True
