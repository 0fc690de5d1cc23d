"""The context of sensors: poses of bodies, scenes for rays and cameras, forces and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.formats.mjcf.engine_data import make_engine_data
from ossature.model import World
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.exclusive_use import ExclusiveUse
from ossature.simulation.observation.force_observer import BodyForces
from ossature.simulation.observation.quantity_type_aliases import Quantities
from ossature.simulation.sensors.raycast_scene import RaycastScene, ShapeSelection
from ossature.spatial import Pose, pose_from


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
        return pose_from(self.position, wxyz)


@dataclass(slots=True)
class SensorContext:
    """The simulation, as far as sensors use it.

    Attributes:
        data: The engine's data; positions and velocities are up to date when a sensor measures.
        efforts: Returns the present forces and accelerations of bodies.
        reactions: Returns the present reactions of the joints, by model and joint.
        measured: Returns the present values of a sensor of states, of a model, in a World that MuJoCo compiles.
        coordinates: Returns the present coordinates of a joint of a model, and their velocities.
        exclusive_use: The context manager for exclusive use of the simulation by a thread.
    """

    world: World
    compiled: EngineModel
    data: mujoco.MjData
    meshes: MeshStore
    report: Report
    efforts: Callable[[], BodyForces]
    reactions: Callable[[], Quantities]
    measured: Callable[[str, str], Vector]
    coordinates: Callable[[str, str], tuple[tuple[float, ...], tuple[float, ...]]]
    exclusive_use: ExclusiveUse = field(default_factory=ExclusiveUse)
    _scenes: dict[ShapeSelection, RaycastScene] = field(default_factory=dict)
    _interpolated_data: mujoco.MjData | None = None

    @property
    def time(self) -> float:
        """The time [s]."""
        return float(self.data.time)

    def body_frame(self, number: int) -> WorldFrame:
        """Return the present frame of one of the engine's bodies."""
        return WorldFrame(self.data.xpos[number].copy(), self.data.xmat[number].reshape(3, 3).copy())

    def scene(self, shapes: ShapeSelection) -> RaycastScene:
        """Return the scene of a selection of shapes, with present poses."""
        return self._scene_at(shapes, self.data)

    def interpolated_scene(self, shapes: ShapeSelection, before: Vector, share: float) -> tuple[RaycastScene, mujoco.MjData]:
        """Return the scene for positions interpolated between earlier and present ones, and the engine's data for them.

        Args:
            before: The engine's earlier positions.
            share: The interpolation parameter, from 0 to 1.
        """
        model = self.compiled.model
        if self._interpolated_data is None:
            self._interpolated_data = make_engine_data(model)
        displacement, data = np.zeros(model.nv), self._interpolated_data
        mujoco.mj_differentiatePos(model, displacement, 1.0, before, self.data.qpos)
        data.qpos[:] = before
        mujoco.mj_integratePos(model, data.qpos, displacement, share)
        mujoco.mj_kinematics(model, data)
        return self._scene_at(shapes, data), data

    def _scene_at(self, shapes: ShapeSelection, data: mujoco.MjData) -> RaycastScene:
        scene = self._scenes.get(shapes)
        if scene is None:
            scene = RaycastScene(self.world, self.compiled, self.meshes, shapes, self.report)
            self._scenes[shapes] = scene
        scene.set_body_poses(data.xpos, data.xquat)
        return scene
