"""What rays hit and cameras see: the shapes of a World in an engine model of their own, placed as the simulation says.

The simulation's own model holds what is needed for motion; here every body is placed freely, so that a sensor can look at
shapes which never touch, and at instants between two steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Location, Report
from ossature.model import Body, Geometry, World
from ossature.simulation import rules as simulation_rules
from ossature.simulation.compile.address_map import BodyAddress
from ossature.simulation.compile.compiled_world import Compiled, SimulationError
from ossature.simulation.compile.geoms import ShapeBuilder
from ossature.simulation.sensors.ray_geometry import RayTarget, RayTargets
from ossature.simulation.sensors.ray_primitives import is_primitive
from ossature.simulation.sensors.triangle_bvh import TriangleMeshShape
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_REPORTED = (simulation_rules.UNSIMULATED_SHAPE, simulation_rules.FACETED)
PLAIN_COLOR = (0.5, 0.5, 0.5, 1.0)
"""What has no colour is seen in."""


class ShapeSelection(Enum):
    """Which shapes a scene is made of."""

    TOUCHED = "touched"
    """What other models touch; of a body without, what is seen."""
    SEEN = "seen"
    """What is seen; of a body without, what other models touch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneShape:
    """One shape of a scene.

    Attributes:
        geometry: The shape.
        pose: Its frame in the body's.
        color: Its colour, or None.
        origin: Where it stands in a file.
    """

    geometry: Geometry
    pose: Pose
    color: tuple[float, ...] | None
    origin: Location | None


class RaycastScene:
    """The shapes of a World, where rays can be cast.

    Args:
        world: The World.
        compiled: It in the simulation's engine.
        meshes: Where meshes come from.
        shapes: Which shapes.
        report: Where findings go.

    Raises:
        SimulationError: The engine refuses a shape that the simulation itself does without.
    """

    def __init__(self, world: World, compiled: Compiled, meshes: MeshStore, shapes: ShapeSelection, report: Report) -> None:
        spec = mujoco.MjSpec()
        noted = Report()
        builder = ShapeBuilder(spec, meshes, noted, as_surfaces=True)
        added: list[tuple[Any, BodyAddress]] = []
        geoms: list[tuple[Any, SceneShape]] = []
        for model in world.models:
            for body in model.bodies:
                engine_body = spec.worldbody.add_body(mocap=True)
                index = compiled.index.bodies[model.name][body.name]
                added.append((engine_body, index))
                for shape in _shapes(body, shapes):
                    geom = _add(builder, engine_body, shape, f"{model.name}/{body.name}")
                    if geom is not None:
                        geoms.append((geom, shape))
        _report_unsensed(noted, report)
        self.model: Any = _compiled(spec, world, report)
        self.data: Any = mujoco.MjData(self.model)
        self._engine_bodies = {(index.model.name, index.body.name): body.id for body, index in added}
        self._numbers = np.array([index.number for _, index in added], dtype=np.intp)
        is_static = {body.id: compiled.model.body_weldid[index.number] == 0 for body, index in added}
        self.targets = RayTargets(list(_targets(self.model, builder, geoms, is_static)))

    @property
    def bodies(self) -> tuple[str, ...]:
        """All bodies, as ``model/name``."""
        return tuple([f"{model}/{body}" for model, body in self._engine_bodies])

    def numbers_of_bodies(self, geoms: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the places among :attr:`bodies` of what shapes belong to; -1 for no shape."""
        # The engine's first body is the world itself, which has no shape here.
        bodies = np.full(geoms.shape, -1, np.int32)
        seen = geoms >= 0
        bodies[seen] = self.model.geom_bodyid[geoms[seen]] - 1
        return bodies

    def place(self, positions: Vector, wxyz: Vector) -> None:
        """Place all bodies as they are in the simulation's engine: their origins [m], shape (n, 3), and rotations."""
        self.data.mocap_pos[:] = positions[self._numbers]
        self.data.mocap_quat[:] = wxyz[self._numbers]
        mujoco.mj_kinematics(self.model, self.data)

    def poses(self) -> tuple[Vector, Vector]:
        """Return the origins of the scene's bodies now, shape (n, 3) [m], and their rotation matrices, shape (n, 3, 3)."""
        return self.data.xpos.copy(), self.data.xmat.reshape(-1, 3, 3).copy()

    def body(self, model: str, body: str) -> int:
        """Return the scene's number of a body."""
        return int(self._engine_bodies[model, body])


def _targets(
    model: Any, builder: ShapeBuilder, geoms: Sequence[tuple[Any, SceneShape]], is_static: Mapping[int, bool]
) -> Iterator[RayTarget]:
    """Yield the shapes that rays meet: all but those of which nothing is seen."""
    known: dict[int, TriangleMeshShape] = {}
    for geom, shape in geoms:
        body = int(model.geom_bodyid[geom.id])
        triangles = None
        if not is_primitive(shape.geometry):
            mesh = int(model.geom_dataid[geom.id])
            if mesh not in known:
                known[mesh] = TriangleMeshShape.of(*builder.triangles_of(shape.geometry))
            triangles = known[mesh]
        if model.geom_rgba[geom.id, 3] > 0.0:
            yield RayTarget(
                number=geom.id,
                body=body,
                pose=shape.pose,
                geometry=shape.geometry,
                triangles=triangles,
                is_static=is_static[body],
            )


def _compiled(spec: Any, world: World, report: Report) -> Any:
    """Return the engine's model of a scene.

    Raises:
        SimulationError: The engine refuses it.
    """
    try:
        return spec.compile()
    except ValueError as error:
        report.add(simulation_rules.REFUSED, f"what sensors sense: {' '.join(str(error).split())}", world.origin)
        raise SimulationError(report) from error


def _add(builder: ShapeBuilder, engine_body: Any, shape: SceneShape, path: str) -> Any | None:
    geom = builder.add(engine_body, shape.geometry, shape.pose, path=path, location=shape.origin, moves=False)
    if geom is not None:
        geom.contype = geom.conaffinity = 0
        geom.rgba = shape.color or PLAIN_COLOR
    return geom


def _shapes(body: Body, shapes: ShapeSelection) -> Iterator[SceneShape]:
    seen = [
        SceneShape(geometry=visual.geometry, pose=visual.pose, color=visual.color, origin=visual.origin)
        for visual in body.visuals
        if visual.visible
    ]
    touched = [
        SceneShape(geometry=shape.geometry, pose=shape.pose, color=None, origin=shape.origin)
        for shape in body.collisions
        if shape.enabled
    ]
    if body.soft_skin is not None:
        skin = body.soft_skin
        touched.append(SceneShape(geometry=skin.geometry, pose=skin.pose, color=None, origin=skin.origin))
    first, second = (seen, touched) if shapes is ShapeSelection.SEEN else (touched, seen)
    yield from first or second


def _report_unsensed(noted: Report, report: Report) -> None:
    """Report what is not sensed; that a mesh collides as its hull is nothing to a ray, which meets the mesh itself."""
    for finding in noted:
        if finding.rule in _REPORTED:
            report.add(
                finding.rule, f"{finding.message} (as sensors see it)", finding.location, path=finding.path, hint=finding.hint
            )
