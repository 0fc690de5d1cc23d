"""What sensors have to do with: where bodies are, what there is to hit and to see, and what accelerates and pulls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.observation.forces import BodyForces
from ossature.simulation.sensors.raycast_scene import RaycastScene, ShapeSelection
from ossature.simulation.thread_guard import ExclusiveUse
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WorldFrame:
    """A frame in the world.

    Attributes:
        position: Its origin [m].
        rotation: Its rotation matrix.
    """

    position: Vector
    rotation: Vector

    def pose(self) -> Pose:
        """Return it as a pose."""
        wxyz = np.zeros(4)
        mujoco.mju_mat2Quat(wxyz, np.ascontiguousarray(self.rotation).reshape(9))
        x, y, z = self.position.tolist()
        w, i, j, k = wxyz.tolist()
        return Pose((x, y, z), (w, i, j, k))


@dataclass(slots=True)
class SensorContext:
    """A simulation as sensors know it.

    Attributes:
        world: The World.
        compiled: The World in the engine.
        data: The engine's data; places and velocities are those of now whenever a sensor is asked to sense.
        meshes: Where meshes come from.
        report: Where findings go.
        efforts: Returns what accelerates and pulls now.
        coordinates: Returns the coordinates of a joint of a model now, and their velocities.
        exclusive_use: What a thread is in while it uses the simulation.
    """

    world: World
    compiled: Compiled
    data: Any
    meshes: MeshStore
    report: Report
    efforts: Callable[[], BodyForces]
    coordinates: Callable[[str, str], tuple[tuple[float, ...], tuple[float, ...]]]
    exclusive_use: ExclusiveUse = field(default_factory=ExclusiveUse)
    _scenes: dict[ShapeSelection, RaycastScene] = field(default_factory=dict)
    _between: Any = None

    @property
    def time(self) -> float:
        """The time [s]."""
        return float(self.data.time)

    def body_frame(self, number: int) -> WorldFrame:
        """Return the frame of one of the engine's bodies now."""
        return WorldFrame(self.data.xpos[number].copy(), self.data.xmat[number].reshape(3, 3).copy())

    def scene(self, shapes: ShapeSelection) -> RaycastScene:
        """Return what there is to hit or see, where it is now."""
        return self._placed(shapes, self.data)

    def between(self, shapes: ShapeSelection, before: Vector, share: float) -> tuple[RaycastScene, Any]:
        """Return what there is to hit or see on the way from earlier positions to those of now, and the engine's data there.

        Args:
            shapes: Which shapes.
            before: The engine's earlier positions.
            share: How much of the way has passed, from 0 to 1.
        """
        model = self.compiled.model
        if self._between is None:
            self._between = mujoco.MjData(model)
        way, data = np.zeros(model.nv), self._between
        mujoco.mj_differentiatePos(model, way, 1.0, before, self.data.qpos)
        data.qpos[:] = before
        mujoco.mj_integratePos(model, data.qpos, way, share)
        mujoco.mj_kinematics(model, data)
        return self._placed(shapes, data), data

    def _placed(self, shapes: ShapeSelection, data: Any) -> RaycastScene:
        scene = self._scenes.get(shapes)
        if scene is None:
            scene = RaycastScene(self.world, self.compiled, self.meshes, shapes, self.report)
            self._scenes[shapes] = scene
        scene.place(data.xpos, data.xquat)
        return scene
