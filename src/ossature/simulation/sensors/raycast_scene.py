"""Scenes for ray casting and rendering: the shapes of a World in an engine model of their own, with the simulation's poses.

The simulation's model has only what dynamics need; here every body is a mocap body, so that a sensor can measure
shapes that never collide, and at times between two steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import mujoco
import numpy as np

from ossature.array_types import Int32Array, Vector
from ossature.assets import MeshStore
from ossature.diagnostics import Location, Report
from ossature.formats.mjcf.engine_data import make_engine_data
from ossature.model import Body, Geometry, World
from ossature.simulation.compile import rules as compile_rules
from ossature.simulation.compile.address_map import BodyAddress
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.engine_spec import EngineSpec, SpecBody, SpecGeom
from ossature.simulation.compile.geoms import ShapeBuilder
from ossature.simulation.compile.simulation_error import SimulationError
from ossature.simulation.sensors.ray_primitives import is_primitive
from ossature.simulation.sensors.shape_raycast import RayTarget, RayTargets
from ossature.simulation.sensors.triangle_bvh import TriangleMeshShape
from ossature.spatial import Pose

_REPORTED_RULES = (compile_rules.UNSUPPORTED_COLLISION_SHAPE, compile_rules.POLYHEDRAL_APPROXIMATION)
DEFAULT_COLOR = (0.5, 0.5, 0.5, 1.0)
"""Color of shapes without a color."""


class ShapeSelection(Enum):
    """The shapes of a scene."""

    COLLISION = "collision"
    """Collision shapes; visual shapes for bodies without collision shapes."""
    VISUAL = "visual"
    """Visual shapes; collision shapes for bodies without visual shapes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneShape:
    """A shape of a scene.

    Attributes:
        pose: Its frame in the body's.
    """

    geometry: Geometry
    pose: Pose
    color: tuple[float, ...] | None
    origin: Location | None


class RaycastScene:
    """The shapes of a World for ray casting and rendering.

    Raises:
        SimulationError: The engine rejects a shape that the simulation itself does not need.
    """

    def __init__(self, world: World, compiled: EngineModel, meshes: MeshStore, shapes: ShapeSelection, report: Report) -> None:
        spec = EngineSpec()
        engine_report = Report()
        builder = ShapeBuilder(spec, meshes, engine_report, as_surfaces=True)
        added: list[tuple[SpecBody, BodyAddress]] = []
        geoms: list[tuple[SpecGeom, SceneShape]] = []
        for model in world.models:
            for body in model.bodies:
                engine_body = spec.worldbody.add_body(mocap=True)
                index = compiled.index.bodies[model.name][body.name]
                added.append((engine_body, index))
                for shape in _shapes(body, shapes):
                    geom = _add_shape(builder, engine_body, shape, f"{model.name}/{body.name}")
                    if geom is not None:
                        geoms.append((geom, shape))
        _report_unsupported_shapes(engine_report, report)
        self.model = _compile(spec, world, report)
        self.data = make_engine_data(self.model)
        self._engine_bodies = {(index.model.name, index.body.name): body.id for body, index in added}
        self._body_numbers = np.array([index.number for _, index in added], dtype=np.intp)
        self.targets = RayTargets(list(_targets(self.model, builder, geoms)))

    @property
    def bodies(self) -> tuple[str, ...]:
        """All bodies, as ``model/name``."""
        return tuple([f"{model}/{body}" for model, body in self._engine_bodies])

    def body_indices(self, geoms: Int32Array) -> Int32Array:
        """Return the indices in :attr:`bodies` of the bodies of shapes; -1 for no shape."""
        # The engine's first body is the world itself, which has no shape here.
        bodies = np.full(geoms.shape, -1, np.int32)
        has_shape = geoms >= 0
        bodies[has_shape] = self.model.geom_bodyid[geoms[has_shape]] - 1
        return bodies

    def set_body_poses(self, positions: Vector, wxyz: Vector) -> None:
        """Set the poses of all bodies from those of the simulation's engine: origins [m], shape (n, 3), and quaternions."""
        self.data.mocap_pos[:] = positions[self._body_numbers]
        self.data.mocap_quat[:] = wxyz[self._body_numbers]
        mujoco.mj_kinematics(self.model, self.data)

    def set_named_poses(self, poses: Mapping[str, Mapping[str, Pose]]) -> None:
        """Set the poses of all bodies in the world, by model and body."""
        found = [poses[model][body] for model, body in self._engine_bodies]
        self.data.mocap_pos[:] = np.array([pose.position for pose in found]).reshape(-1, 3)
        self.data.mocap_quat[:] = np.array([pose.wxyz for pose in found]).reshape(-1, 4)
        mujoco.mj_kinematics(self.model, self.data)

    def poses(self) -> tuple[Vector, Vector]:
        """Return the origins of the scene's bodies, shape (n, 3) [m], and their rotation matrices, shape (n, 3, 3)."""
        return self.data.xpos.copy(), self.data.xmat.reshape(-1, 3, 3).copy()

    def body(self, model: str, body: str) -> int:
        """Return the scene's index of a body."""
        return int(self._engine_bodies[model, body])


def _targets(model: mujoco.MjModel, builder: ShapeBuilder, geoms: Sequence[tuple[SpecGeom, SceneShape]]) -> Iterator[RayTarget]:
    """Yield the shapes at which rays are cast: all but fully transparent ones."""
    meshes_by_index: dict[int, TriangleMeshShape] = {}
    for geom, shape in geoms:
        body = int(model.geom_bodyid[geom.id])
        triangles = None
        if not is_primitive(shape.geometry):
            mesh = int(model.geom_dataid[geom.id])
            if mesh not in meshes_by_index:
                meshes_by_index[mesh] = TriangleMeshShape.of(*builder.triangles_of(shape.geometry))
            triangles = meshes_by_index[mesh]
        if model.geom_rgba[geom.id, 3] > 0.0:
            yield RayTarget(number=geom.id, body=body, pose=shape.pose, geometry=shape.geometry, triangles=triangles)


def _compile(spec: EngineSpec, world: World, report: Report) -> mujoco.MjModel:
    try:
        return spec.compile()
    except ValueError as error:
        report.add(
            compile_rules.ENGINE_COMPILE_ERROR, f"the scene of the sensors: {' '.join(str(error).split())}", world.origin
        )
        raise SimulationError(report) from error


def _add_shape(builder: ShapeBuilder, engine_body: SpecBody, shape: SceneShape, path: str) -> SpecGeom | None:
    geom = builder.add(engine_body, shape.geometry, shape.pose, path=path, location=shape.origin, moves=False)
    if geom is not None:
        geom.contype = geom.conaffinity = 0
        geom.rgba = shape.color or DEFAULT_COLOR
    return geom


def _shapes(body: Body, shapes: ShapeSelection) -> Iterator[SceneShape]:
    visuals = [
        SceneShape(geometry=visual.geometry, pose=visual.pose, color=visual.color, origin=visual.origin)
        for visual in body.visuals
        if visual.visible
    ]
    collisions = [
        SceneShape(geometry=shape.geometry, pose=shape.pose, color=None, origin=shape.origin)
        for shape in body.collisions
        if shape.enabled
    ]
    if body.soft_skin is not None:
        skin = body.soft_skin
        collisions.append(SceneShape(geometry=skin.geometry, pose=skin.pose, color=None, origin=skin.origin))
    first, second = (visuals, collisions) if shapes is ShapeSelection.VISUAL else (collisions, visuals)
    yield from first or second


def _report_unsupported_shapes(engine_report: Report, report: Report) -> None:
    """Report unsupported shapes; collision hulls of meshes do not matter for rays, which hit the mesh itself."""
    for finding in engine_report:
        if finding.rule in _REPORTED_RULES:
            report.add(finding.rule, f"{finding.message} (for sensors)", finding.location, path=finding.path, hint=finding.hint)
