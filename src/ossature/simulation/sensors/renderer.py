"""What a camera sees, drawn by the engine's renderer where one can start.

The renderer draws straight pinhole images. What a skewed matrix or a lens shows is looked up in a straight image that holds all
of it: depth between pixels along planes, colours and shapes in the nearest one.
"""

from __future__ import annotations

import importlib
import math
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.sensor_models.pinhole_camera import Optics
from ossature.simulation.sensors.raycast_scene import RaycastScene
from ossature.simulation.sensors.render_thread import close_when_idle, run_on_render_thread
from ossature.simulation.sensors.rendered_view import FARTHEST, View
from ossature.simulation.sensors.sensor_context import WorldFrame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

NEAREST = 0.01
"""Cameras that are drawn see nothing nearer [m]."""
_LARGEST_SIDE = 4096
_HIDDEN_GROUP = 5
_AMBIENT_LIGHT, _LAMP = 0.35, 0.6
"""How bright surroundings and a lamp on the camera are, from 0 to 1."""
_SLICES, _STACKS = 256, 128
_BEYOND = 0.99
"""Share of the farthest depth from which on nothing is seen."""


class RendererError(Exception):
    """No renderer can start here."""


class Renderer:
    """Draws a scene.

    Args:
        scene: The scene.
        optics: How the camera sees.
        ahead: The point at distance one that each pixel looks at, shape (height * width, 2).

    Raises:
        RendererError: No renderer can start here.
    """

    def __init__(self, scene: RaycastScene, optics: Optics, ahead: Vector) -> None:
        self._scene, self._optics, self._ahead = scene, optics, ahead
        self._bounds = _bounds(optics, ahead)
        self._width, self._height = _straight_size(optics, self._bounds)
        model = scene.model
        # The renderer turns depths of its buffer into metres by these.
        model.vis.map.znear, model.vis.map.zfar = NEAREST / model.stat.extent, FARTHEST / model.stat.extent
        model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = _AMBIENT_LIGHT, _LAMP
        # What is round is drawn with flat faces: so many that depths are within a millimetre of those of rays.
        model.vis.quality.numslices, model.vis.quality.numstacks = _SLICES, _STACKS
        model.vis.global_.offwidth, model.vis.global_.offheight = self._width, self._height
        self._drawing: Any = run_on_render_thread(lambda: _started(model, self._height, self._width))
        close_when_idle(self, self._drawing)

    def view(self, frame: WorldFrame, exclude: int) -> View:
        """Return what is seen. May be called from any thread.

        Args:
            frame: The camera's frame.
            exclude: The scene's number of a body that is not seen, or -1.
        """
        straight = run_on_render_thread(lambda: self._straight_view(frame, exclude))
        return straight if self._optics.is_plain else self._remapped_image(straight)

    def _straight_view(self, frame: WorldFrame, exclude: int) -> View:
        self._set_camera(frame, exclude)
        colors = self._drawing.render() / 255.0
        self._drawing.enable_depth_rendering()
        depth = self._drawing.render().astype(float)
        self._drawing.disable_depth_rendering()
        self._drawing.enable_segmentation_rendering()
        shapes = self._drawing.render()[:, :, 0].astype(np.int32)
        self._drawing.disable_segmentation_rendering()
        depth[(shapes < 0) | (depth > _BEYOND * FARTHEST)] = np.inf
        colors[shapes < 0] = 0.0
        return View(colors, depth, shapes)

    def _set_camera(self, frame: WorldFrame, exclude: int) -> None:
        """Place the renderer's eye and its edges."""
        import mujoco

        model, data = self._scene.model, self._scene.data
        groups = model.geom_group.copy()
        model.geom_group[model.geom_bodyid == exclude] = _HIDDEN_GROUP
        option = mujoco.MjvOption()
        option.geomgroup[:] = 1
        option.geomgroup[_HIDDEN_GROUP] = 0
        mujoco.mj_forward(model, data)
        self._drawing.update_scene(data, scene_option=option)
        model.geom_group[:] = groups
        for light in self._drawing.scene.lights[: self._drawing.scene.nlight]:  # the lamp on the camera is the only one
            light.pos[:], light.dir[:] = frame.position, frame.rotation[:, 2]
        left, right, top, bottom = (NEAREST * edge for edge in self._bounds)
        for eye in self._drawing.scene.camera:
            eye.pos[:] = frame.position
            eye.forward[:] = frame.rotation[:, 2]
            eye.up[:] = -frame.rotation[:, 1]
            eye.frustum_center = 0.5 * (left + right)
            eye.frustum_width = 0.5 * (right - left)
            eye.frustum_bottom, eye.frustum_top = -bottom, -top
            eye.frustum_near, eye.frustum_far = NEAREST, FARTHEST

    def _remapped_image(self, straight: View) -> View:
        """Return the image of a skewed or distorted camera out of a straight one."""
        left, right, top, bottom = self._bounds
        across = (self._ahead[:, 0] - left) / (right - left) * self._width
        down = (self._ahead[:, 1] - top) / (bottom - top) * self._height
        inside = (across >= 0.0) & (across < self._width) & (down >= 0.0) & (down < self._height)
        columns = np.where(inside, across, 0.0).astype(int)
        rows = np.where(inside, down, 0.0).astype(int)
        colors = np.where(inside[:, None], straight.colors[rows, columns], 0.0)
        shapes = np.where(inside, straight.shapes[rows, columns], -1).astype(np.int32)
        depth = np.where(inside, _between(straight, across, down, rows, columns), np.inf)
        size = (self._optics.height, self._optics.width)
        return View(colors.reshape(*size, 3), depth.reshape(size), shapes.reshape(size))


def _between(straight: View, across: Vector, down: Vector, rows: Any, columns: Any) -> Vector:
    """Return depths between pixels: along a plane its inverse grows evenly, so where four pixels see one shape that is used."""
    height, width = straight.depth.shape
    left = np.clip(np.nan_to_num(np.floor(across - 0.5)).astype(int), 0, width - 2)
    upper = np.clip(np.nan_to_num(np.floor(down - 0.5)).astype(int), 0, height - 2)
    share_x, share_y = across - 0.5 - left, down - 0.5 - upper
    corners = [(upper + dy, left + dx) for dy in (0, 1) for dx in (0, 1)]
    shapes = np.stack([straight.shapes[corner] for corner in corners])
    with np.errstate(all="ignore"):
        inverse = np.stack([1.0 / straight.depth[corner] for corner in corners])
        even = (1 - share_y) * ((1 - share_x) * inverse[0] + share_x * inverse[1])
        even += share_y * ((1 - share_x) * inverse[2] + share_x * inverse[3])
        same = (shapes == shapes[0]).all(axis=0) & (shapes[0] >= 0)
        return np.asarray(np.where(same, 1.0 / even, straight.depth[rows, columns]))


def _bounds(optics: Optics, ahead: Vector) -> tuple[float, float, float, float]:
    """Return the edges of the straight image at distance one: left, right, top and bottom."""
    if optics.is_plain:
        (fx, _, cx), (_, fy, cy) = optics.matrix
        return (-cx / fx, (optics.width - cx) / fx, -cy / fy, (optics.height - cy) / fy)
    seen = ahead[np.isfinite(ahead).all(axis=1)]
    if not len(seen):
        return (-1.0, 1.0, -1.0, 1.0)
    (left, top), (right, bottom) = seen.min(axis=0), seen.max(axis=0)
    margin = 2.0 / math.sqrt(abs(float(np.linalg.det(optics.matrix[:, :2]))))
    return (left - margin, right + margin, top - margin, bottom + margin)


def _straight_size(optics: Optics, bounds: tuple[float, float, float, float]) -> tuple[int, int]:
    """Return width and height of the straight image: as fine as the camera's in its middle, within bounds."""
    if optics.is_plain:
        return optics.width, optics.height
    left, right, top, bottom = bounds
    fineness = math.sqrt(abs(float(np.linalg.det(optics.matrix[:, :2]))))
    sides = ((right - left) * fineness, (bottom - top) * fineness)
    return tuple(min(max(math.ceil(side), 2), _LARGEST_SIDE) for side in sides)  # type: ignore[return-value]  # two


def _started(model: Any, height: int, width: int) -> Any:
    try:
        _choose_driver()
        import mujoco

        return mujoco.Renderer(model, height, width, max_geom=max(1000, 2 * model.ngeom))
    except (ImportError, AttributeError, OSError, RuntimeError, ValueError) as error:
        raise RendererError(" ".join(str(error).split())) from error
    except Exception as error:  # drivers' own errors are of classes that cannot be imported without them
        if type(error).__module__.partition(".")[0] in ("OpenGL", "mujoco"):
            raise RendererError(" ".join(str(error).split())) from error
        raise


def _choose_driver() -> None:
    """Let the engine draw with EGL where nobody has chosen: it needs no window server, unlike the engine's own choice.

    The engine looks at MUJOCO_GL once, when it is imported, which happened long before anybody wanted an image.
    """
    if not sys.platform.startswith("linux") or os.environ.get("MUJOCO_GL"):
        return
    from mujoco.rendering.classic import gl_context

    os.environ["MUJOCO_GL"] = "egl"
    try:
        importlib.reload(gl_context)
    finally:
        del os.environ["MUJOCO_GL"]
