"""Camera views by the engine's renderer.

The engine renders rectilinear pinhole images. The image of a skewed matrix or a lens is remapped from a rectilinear image that
contains it: depth is interpolated along planes, colours and shapes are those of the nearest pixel.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ossature.array_types import Vector
from ossature.sensor_models.camera_projection import CameraProjection
from ossature.simulation.sensors.raycast_scene import RaycastScene
from ossature.simulation.sensors.rendered_view import MAX_DISTANCE, View
from ossature.simulation.sensors.sensor_context import WorldFrame

if TYPE_CHECKING:
    from collections.abc import Callable

    import mujoco


MIN_DISTANCE = 0.01
"""Near clipping distance [m]."""
_MAX_SIDE = 4096
_HIDDEN_GROUP = 5
_AMBIENT_LIGHT, _HEADLIGHT = 0.35, 0.6
"""Intensity of the ambient light and of a headlight on the camera, from 0 to 1."""
_SLICES, _STACKS = 256, 128
_BACKGROUND_SHARE = 0.99
"""Share of the largest distance from which a depth is that of the background."""


class RendererError(Exception):
    """The renderer is not available."""


class Renderer:
    """Renders a scene.

    Args:
        normalized: The normalized coordinates of each pixel, shape (height * width, 2).

    Raises:
        RendererError: The renderer is not available.
    """

    def __init__(self, scene: RaycastScene, optics: CameraProjection, normalized: Vector) -> None:
        self._scene, self._optics, self._normalized = scene, optics, normalized
        self._bounds = _bounds(optics, normalized)
        self._width, self._height = _rectilinear_size(optics, self._bounds)
        model = scene.model
        # The renderer converts depths of its buffer into metres by these.
        model.vis.map.znear, model.vis.map.zfar = MIN_DISTANCE / model.stat.extent, MAX_DISTANCE / model.stat.extent
        model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = _AMBIENT_LIGHT, _HEADLIGHT
        # Round shapes are tessellated so finely that depths differ from those of rays by less than a millimetre.
        model.vis.quality.numslices, model.vis.quality.numstacks = _SLICES, _STACKS
        model.vis.global_.offwidth, model.vis.global_.offheight = self._width, self._height
        self._engine_renderer = run_on_render_thread(lambda: _create_engine_renderer(model, self._height, self._width))
        close_when_idle(self, self._engine_renderer)

    def view(self, frame: WorldFrame, exclude: int) -> View:
        """Return the view of a camera. May be called from any thread.

        Args:
            frame: The camera's frame.
            exclude: The scene's index of an invisible body, or -1.
        """
        rectilinear = run_on_render_thread(lambda: self._rectilinear_view(frame, exclude))
        return rectilinear if self._optics.is_rectilinear else self._remap(rectilinear)

    def _rectilinear_view(self, frame: WorldFrame, exclude: int) -> View:
        self._set_camera(frame, exclude)
        colors = self._engine_renderer.render() / 255.0
        self._engine_renderer.enable_depth_rendering()
        depth = self._engine_renderer.render().astype(float)
        self._engine_renderer.disable_depth_rendering()
        self._engine_renderer.enable_segmentation_rendering()
        shapes = self._engine_renderer.render()[:, :, 0].astype(np.int32)
        self._engine_renderer.disable_segmentation_rendering()
        depth[(shapes < 0) | (depth > _BACKGROUND_SHARE * MAX_DISTANCE)] = np.inf
        colors[shapes < 0] = 0.0
        return View(colors, depth, shapes)

    def _set_camera(self, frame: WorldFrame, exclude: int) -> None:
        """Set the pose and the frustum of the engine's camera."""
        import mujoco

        model, data = self._scene.model, self._scene.data
        groups = model.geom_group.copy()
        model.geom_group[model.geom_bodyid == exclude] = _HIDDEN_GROUP
        option = mujoco.MjvOption()
        option.geomgroup[:] = 1
        option.geomgroup[_HIDDEN_GROUP] = 0
        mujoco.mj_forward(model, data)
        self._engine_renderer.update_scene(data, scene_option=option)
        model.geom_group[:] = groups
        for light in self._engine_renderer.scene.lights[: self._engine_renderer.scene.nlight]:  # the headlight is the only one
            light.pos[:], light.dir[:] = frame.position, frame.rotation[:, 2]
        left, right, top, bottom = (MIN_DISTANCE * edge for edge in self._bounds)
        for camera in self._engine_renderer.scene.camera:
            camera.pos[:] = frame.position
            camera.forward[:] = frame.rotation[:, 2]
            camera.up[:] = -frame.rotation[:, 1]
            camera.frustum_center = 0.5 * (left + right)
            camera.frustum_width = 0.5 * (right - left)
            camera.frustum_bottom, camera.frustum_top = -bottom, -top
            camera.frustum_near, camera.frustum_far = MIN_DISTANCE, MAX_DISTANCE

    def _remap(self, rectilinear: View) -> View:
        """Return the view of a skewed or distorted camera from a rectilinear one."""
        left, right, top, bottom = self._bounds
        across = (self._normalized[:, 0] - left) / (right - left) * self._width
        down = (self._normalized[:, 1] - top) / (bottom - top) * self._height
        inside = (across >= 0.0) & (across < self._width) & (down >= 0.0) & (down < self._height)
        columns = np.where(inside, across, 0.0).astype(int)
        rows = np.where(inside, down, 0.0).astype(int)
        colors = np.where(inside[:, None], rectilinear.colors[rows, columns], 0.0)
        shapes = np.where(inside, rectilinear.shapes[rows, columns], -1).astype(np.int32)
        depth = np.where(inside, _interpolate_depth(rectilinear, across, down, rows, columns), np.inf)
        size = (self._optics.height, self._optics.width)
        return View(colors.reshape(*size, 3), depth.reshape(size), shapes.reshape(size))


def _interpolate_depth(rectilinear: View, across: Vector, down: Vector, rows: Any, columns: Any) -> Vector:
    """Return depths between pixels: inverse depth is interpolated if four pixels see one shape, else the nearest is used."""
    height, width = rectilinear.depth.shape
    left = np.clip(np.nan_to_num(np.floor(across - 0.5)).astype(int), 0, width - 2)
    upper = np.clip(np.nan_to_num(np.floor(down - 0.5)).astype(int), 0, height - 2)
    share_x, share_y = across - 0.5 - left, down - 0.5 - upper
    corners = [(upper + dy, left + dx) for dy in (0, 1) for dx in (0, 1)]
    shapes = np.stack([rectilinear.shapes[corner] for corner in corners])
    with np.errstate(all="ignore"):
        inverse = np.stack([1.0 / rectilinear.depth[corner] for corner in corners])
        even = (1 - share_y) * ((1 - share_x) * inverse[0] + share_x * inverse[1])
        even += share_y * ((1 - share_x) * inverse[2] + share_x * inverse[3])
        same = (shapes == shapes[0]).all(axis=0) & (shapes[0] >= 0)
        return np.asarray(np.where(same, 1.0 / even, rectilinear.depth[rows, columns]))


def _bounds(optics: CameraProjection, normalized: Vector) -> tuple[float, float, float, float]:
    """Return the edges of the rectilinear image in normalized coordinates: left, right, top and bottom."""
    if optics.is_rectilinear:
        (fx, _, cx), (_, fy, cy) = optics.matrix
        return (-cx / fx, (optics.width - cx) / fx, -cy / fy, (optics.height - cy) / fy)
    visible = normalized[np.isfinite(normalized).all(axis=1)]
    if not len(visible):
        return (-1.0, 1.0, -1.0, 1.0)
    (left, top), (right, bottom) = visible.min(axis=0), visible.max(axis=0)
    margin = 2.0 / math.sqrt(abs(float(np.linalg.det(optics.matrix[:, :2]))))
    return (left - margin, right + margin, top - margin, bottom + margin)


def _rectilinear_size(optics: CameraProjection, bounds: tuple[float, float, float, float]) -> tuple[int, int]:
    """Return width and height of the rectilinear image: with the camera's resolution at its centre, limited in size."""
    if optics.is_rectilinear:
        return optics.width, optics.height
    left, right, top, bottom = bounds
    focal_length = math.sqrt(abs(float(np.linalg.det(optics.matrix[:, :2]))))
    sides = ((right - left) * focal_length, (bottom - top) * focal_length)
    return tuple(min(max(math.ceil(side), 2), _MAX_SIDE) for side in sides)  # type: ignore[return-value]  # two


def _create_engine_renderer(model: mujoco.MjModel, height: int, width: int) -> mujoco.Renderer:
    try:
        _select_gl_backend()
        import mujoco

        return mujoco.Renderer(model, height, width, max_geom=max(1000, 2 * model.ngeom))
    except (ImportError, AttributeError, OSError, RuntimeError, ValueError) as error:
        raise RendererError(" ".join(str(error).split())) from error
    except Exception as error:  # error classes of drivers cannot be imported without them
        if type(error).__module__.partition(".")[0] in ("OpenGL", "mujoco"):
            raise RendererError(" ".join(str(error).split())) from error
        raise


def _select_gl_backend() -> None:
    """Select EGL for the engine if the user has not selected a backend: it needs no window server, unlike the engine's default.

    The engine reads MUJOCO_GL only when it is imported, which has happened before.
    """
    if not sys.platform.startswith("linux") or os.environ.get("MUJOCO_GL"):
        return
    from mujoco.rendering.classic import gl_context

    os.environ["MUJOCO_GL"] = "egl"
    try:
        importlib.reload(gl_context)
    finally:
        del os.environ["MUJOCO_GL"]


T = TypeVar("T")

_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ossature rendering")
_DISCARDED: SimpleQueue[mujoco.Renderer] = SimpleQueue()
"""Unused engine renderers. Finalizers may put into a simple queue at any time."""


def run_on_render_thread(work: Callable[[], T]) -> T:
    """Return the result of a function on the rendering thread, or raise its exception.

    A graphics context belongs to the thread that created it: no other thread may render with it or destroy it. Sensors are
    read and garbage-collected on any thread.
    """
    return _THREAD.submit(_run_after_cleanup, work).result()


def close_when_idle(owner: object, renderer: mujoco.Renderer) -> None:
    """Close an engine renderer after its owner was collected, before the next image is rendered."""
    weakref.finalize(owner, _DISCARDED.put, renderer).atexit = False  # the engine closes all renderers then


def _run_after_cleanup(work: Callable[[], T]) -> T:
    while True:
        try:
            _DISCARDED.get_nowait().close()
        except Empty:
            return work()
