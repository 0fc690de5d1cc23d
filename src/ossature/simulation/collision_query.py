"""Collision queries at given joint positions, with the collision filters of the models and without simulation.

The engine finds the pairs of shapes whose convex hulls overlap, except capsules that pass through boxes. If one of the two is a
mesh that is not declared convex, the triangles of both decide.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.assets import MeshStore
from ossature.diagnostics import Report, suggestion
from ossature.formats.mjcf.engine_data import make_engine_data
from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.kinematics import RigidGroups, grasped_bodies, joint_positions, path_of
from ossature.model import (
    Body,
    BodyPath,
    Collision,
    Geometry,
    Inertial,
    Joint,
    Mesh,
    NamedList,
    Plane,
    TriangleMesh,
    UnknownNameError,
    World,
)
from ossature.simulation.capsule_box_distance import select_capsules_and_boxes, select_near_boxes, shape_distance
from ossature.simulation.collidable_pairs import collidable_pairs
from ossature.simulation.compile import rules
from ossature.simulation.compile.address_map import BodyAddress
from ossature.simulation.compile.contact_model import ContactOptions
from ossature.simulation.compile.coordinate_mapping import write_positions
from ossature.simulation.distance_query import BodyDistance, DistanceMeter
from ossature.simulation.mesh_intersection import CollisionMesh, surface_of
from ossature.simulation.simulation import Simulation
from ossature.spatial import Pose

_RULES = (rules.UNSUPPORTED_COLLISION_SHAPE, rules.SELF_COLLISIONS_DROPPED)
_Pair: TypeAlias = tuple[BodyPath, BodyPath]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """A shape that collides.

    Attributes:
        engine_body: The engine's number of that body.
        pose: Its pose in the body.
    """

    owner: BodyPath
    engine_body: int
    geometry: Geometry
    pose: Pose

    @property
    def may_be_concave(self) -> bool:
        """Whether its convex hull may be larger than it."""
        return isinstance(self.geometry, Mesh | TriangleMesh) and not self.geometry.convex


class CollisionQuery:
    """A World compiled for collision queries.

    A grasped body moves with its gripper and collides with other bodies. It does not collide with the gripper link, with bodies
    that the grasp ignores, and with bodies of the gripper's model that it touches initially, such as closed fingers.
    """

    def __init__(self, world: World, meshes: MeshStore | None = None, report: Report | None = None) -> None:
        """Compile a World.

        Args:
            world: The World; its bodies need no mass.
            meshes: Source of the meshes, or None for those of the World itself.
            report: Collects the findings about shapes and models whose collisions are not found.

        Raises:
            SimulationError: It cannot be compiled.
        """
        findings = Report()
        contact = ContactOptions(ignore_link_overlaps=False)
        simulation = Simulation(with_unit_inertia(world), meshes=meshes, report=findings, contact=contact)
        if report is not None:
            report.extend(finding for finding in findings if finding.rule in _RULES)
        self._world = world
        self._rigid_groups = RigidGroups(world)
        self._compiled = simulation.compiled
        self._initial_positions = np.array(simulation.data.qpos)
        self._data = make_engine_data(self._compiled.model)
        self._shapes = {
            geom: shape
            for bodies in self._compiled.index.bodies.values()
            for body in bodies.values()
            for geom, shape in _shapes_of(body)
        }
        model = self._compiled.model
        self._capsules_and_boxes = select_capsules_and_boxes(model, collidable_pairs(model, sorted(self._shapes)))
        self._meshes = meshes or MeshStore.of(world)
        self._surfaces: dict[int, CollisionMesh] = {}
        self._distance_meter: DistanceMeter | None = None
        self._set_positions(None, {})
        self._grasp_contacts = set(self._pair_depths(self._is_grasp_contact))
        self._ignored_overlaps: set[_Pair] = set()

    def ignore_overlaps_at_zero(self, model: str) -> tuple[tuple[str, str], ...]:
        """Ignore the pairs of bodies of a model that collide with all joints at zero, and return them.

        Such pairs, parts of a neck for example, usually collide at all positions; OpenRAVE and MoveIt ignore them. If zero is
        outside the limits of a coordinate, the middle of the limits replaces it, as in MoveIt.

        Raises:
            FormulaError: A formula has no value.
        """
        moving = self._compiled.index.joints[model]
        joints = [joint for joint in self._world.models[model].joints if joint.name in moving]
        free = [joint for joint in joints if all(coordinate.coupling is None for coordinate in joint.coordinates)]
        self._set_positions(model, {joint.name: _zero_positions(joint) for joint in free})
        found = self._pair_depths(lambda pair: pair[0].model == pair[1].model == model)
        self._ignored_overlaps |= {*found, *[(second, first) for first, second in found]}
        order = self._world.models[model].bodies.names()
        pairs = {frozenset((first.body, second.body)) for first, second in found}
        return tuple([pair for pair in itertools.combinations(order, 2) if frozenset(pair) in pairs])

    def colliding_pairs(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs of colliding bodies, each once; as ``MODEL/BODY`` if a body belongs to another model.

        Args:
            model: The model whose joints are set; all others have their initial positions.
            positions: Positions by joint [rad or m]; other joints have their initial positions or are coupled.
            moved: Names of bodies of the model; each pair includes at least one of them or of the bodies that they grasp. None
                for all bodies of the model.

        Raises:
            FormulaError: A formula has no value.
            KeyError: There is no such model or joint.
        """
        return tuple(self.penetration_depths(model, positions, moved))

    def penetration_depths(
        self, model: str, positions: Mapping[str, Sequence[float]], moved: Collection[str] | None = None
    ) -> dict[tuple[str, str], float]:
        """Return the penetration depth of each pair of colliding bodies [m]; see :meth:`colliding_pairs`.

        Of meshes it is the depth of their convex hulls, which is larger than their own.
        """
        self._set_positions(model, positions)
        selected = self._selected(model, moved)
        ignored = self._grasp_contacts | self._ignored_overlaps
        found = self._pair_depths(lambda pair: not selected.isdisjoint(pair) and pair not in ignored)
        return {(_body_name(first, model), _body_name(second, model)): depth for (first, second), depth in found.items()}

    def distances(
        self,
        model: str,
        positions: Mapping[str, Sequence[float]],
        moved: Collection[str] | None = None,
        max_distance: float = 1.0,
    ) -> list[BodyDistance]:
        """Return the distances between bodies that can collide, with the closest points, the smallest first.

        Args:
            model: The model whose joints are set; all others have their initial positions.
            positions: Positions by joint [rad or m]; other joints have their initial positions or are coupled.
            moved: Names of bodies of the model; each pair includes at least one of them or of the bodies that they grasp. None
                for all bodies of the model.
            max_distance: The largest distance of interest [m]; pairs that are farther apart are left out.

        Raises:
            FormulaError: A formula has no value.
            ValueError: The distance is not a positive number.
        """
        self._set_positions(model, positions)
        if self._distance_meter is None:
            concave = {geom: shape.may_be_concave for geom, shape in self._shapes.items()}
            self._distance_meter = DistanceMeter(self._compiled, concave)
        selected = self._selected(model, moved)
        return self._distance_meter.distances(
            self._data, max_distance, lambda *bodies: any(BodyPath(model=one, body=name) in selected for one, name in bodies)
        )

    def _selected(self, model: str, moved: Collection[str] | None) -> set[BodyPath]:
        """Return some bodies of a model, all by default, and the bodies that they grasp."""
        names = self._world.models[model].bodies.names() if moved is None else moved
        own = {BodyPath(model=model, body=name) for name in names}
        return own | grasped_bodies(self._world, own)

    def _set_positions(self, model: str | None, positions: Mapping[str, Sequence[float]]) -> None:
        self._data.qpos[:] = self._initial_positions
        if model is not None:
            self._write_positions(model, positions)
        with suppress_engine_warnings():
            mujoco.mj_fwdPosition(self._compiled.model, self._data)

    def _write_positions(self, model: str, positions: Mapping[str, Sequence[float]]) -> None:
        owner = self._world.models[model]
        for name in positions:
            if name not in self._compiled.index.joints[model]:
                hint = suggestion(name, owner.joints.names()) or "it has no joints"
                raise UnknownNameError(f"model '{model}' has no joint '{name}', and no other coordinates can be set: {hint}")
        known = joint_positions(owner, positions)
        for name, index in self._compiled.index.joints[model].items():
            specified = known.get(name)
            write_positions(index, index.joint.initial_positions if specified is None else specified, self._data.qpos)

    def _pair_depths(self, is_selected: Callable[[_Pair], bool]) -> dict[_Pair, float]:
        """Return the penetration depths of the hulls of all selected pairs that collide at the current positions [m]."""
        found: dict[_Pair, float] = {}
        for geoms, depth in self._hull_depths().items():
            first, second = (self._shapes[geom] for geom in geoms)
            pair = first.owner, second.owner
            if is_selected(pair) and self._intersect(first, second):
                found[pair] = max(found.get(pair, 0.0), depth)
        return found

    def _hull_depths(self) -> dict[tuple[int, int], float]:
        """Return the penetration depths of the convex hulls of all pairs of shapes, as engine numbers [m]."""
        depths: dict[tuple[int, int], float] = {}
        contact = self._data.contact
        for row in np.flatnonzero(contact.dist < 0.0).tolist():
            first, second = contact.geom[row].tolist()
            if first in self._shapes and second in self._shapes:
                depths[first, second] = max(depths.get((first, second), 0.0), -float(contact.dist[row]))
        model, data = self._compiled.model, self._data
        for first, second in select_near_boxes(model, data, self._capsules_and_boxes).tolist():
            distance = shape_distance(model, data, first, second)[0]
            if distance < 0.0:
                depths[first, second] = -distance
        return depths

    def _intersect(self, first: _Shape, second: _Shape) -> bool:
        """Whether two shapes whose hulls overlap intersect."""
        # A half-space intersects a mesh exactly if it intersects its hull.
        is_plane = any(isinstance(shape.geometry, Plane) for shape in (first, second))
        if is_plane or not (first.may_be_concave or second.may_be_concave):
            return True
        (rotation, position), (other_rotation, other_position) = self._frame(first), self._frame(second)
        return self._surface(first.geometry).intersects(
            self._surface(second.geometry), rotation.T @ other_rotation, (other_position - position) @ rotation
        )

    def _surface(self, geometry: Geometry) -> CollisionMesh:
        number = id(geometry)  # its hash would be computed from all triangles
        if number not in self._surfaces:
            self._surfaces[number] = surface_of(geometry, self._meshes)
        return self._surfaces[number]

    def _frame(self, shape: _Shape) -> tuple[Array, Array]:
        """Return the rotation matrix and the origin of the frame of a shape in the world."""
        rotation = self._data.xmat[shape.engine_body].reshape(3, 3)
        local = shape.pose.matrix()
        return rotation @ local[:3, :3], rotation @ local[:3, 3] + self._data.xpos[shape.engine_body]

    def _is_grasp_contact(self, pair: _Pair) -> bool:
        """Whether one of two bodies is grasped, and the other one belongs to the model of the gripper."""
        for grasp in self._world.grasps:
            grasped = {grasp.body, *self._rigid_groups.bodies(grasp.body)}
            if any(body in grasped and other.model == grasp.link.model for body, other in (pair, pair[::-1])):
                return True
        return False


def _zero_positions(joint: Joint) -> tuple[float, ...]:
    limits = [coordinate.position_limits for coordinate in joint.coordinates]
    middles = [0.5 * (one.lower + one.upper) for one in limits]
    return tuple(
        0.0 if one.lower <= 0.0 <= one.upper or not math.isfinite(middle) else middle
        for one, middle in zip(limits, middles, strict=True)
    )


def with_unit_inertia(world: World) -> World:
    """Return a World whose bodies are rigid, and have an inertia that the engine accepts: poses do not depend on it."""
    inertial = Inertial(moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    models = [
        replace(model, bodies=NamedList([replace(_with_rigid_skin(body), inertial=inertial) for body in model.bodies]))
        for model in world.models
    ]
    return replace(world, models=NamedList(models))


def _with_rigid_skin(body: Body) -> Body:
    """Return a body whose soft skin is a rigid shape."""
    skin = body.soft_skin
    if skin is None:
        return body
    shape = Collision(geometry=skin.geometry, pose=skin.pose, origin=skin.origin)
    return replace(body, soft_skin=None, collisions=(*body.collisions, shape))


def _shapes_of(body: BodyAddress) -> Iterator[tuple[int, _Shape]]:
    """Yield the shapes of a body that collide, and their engine numbers."""
    owner = BodyPath(model=body.model.name, body=body.body.name)
    shapes: list[tuple[int | None, Collision]] = list(zip(body.geoms, body.body.collisions, strict=True))
    if body.inner_geoms:
        shapes += zip(body.inner_geoms, body.body.self_collisions or (), strict=True)
    for geom, shape in shapes:
        if geom is not None:
            yield geom, _Shape(owner=owner, engine_body=body.number, geometry=shape.geometry, pose=shape.pose)


def _body_name(body: BodyPath, model: str) -> str:
    return body.body if body.model == model else path_of(body)
