"""Paths and lengths of tendons at given positions, without a simulation.

Points and shapes along the paths are put into an engine model whose bodies are placed freely, so that MuJoCo routes each tendon
around its shapes at the poses that kinematics gives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.array_types import Array
from ossature.kinematics import poses, spanning_tree
from ossature.kinematics.joint_couplings import joint_positions
from ossature.model import (
    Body,
    Collision,
    Cylinder,
    FrameReference,
    JointSum,
    JointTerm,
    Model,
    ModelError,
    Pulley,
    ShapeReference,
    SpatialPath,
    Sphere,
    ViaPoint,
    Visual,
    World,
)
from ossature.spatial import Pose, Vector3
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number, format_numbers

_PULLEY = -2
"""MuJoCo's mark of a pulley among the points of a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TendonPath:
    """The path of a tendon at one configuration.

    Attributes:
        length: Its length [m]: of its branches over the divisors of their pulleys, or the sum of joint positions that it is.
        branches: The points of each branch in the world frame [m]; none for a sum of joint positions. Between two points the
            tendon is straight; it follows the surface of a shape by the chord between the points at which it touches it.
    """

    length: float
    branches: tuple[tuple[Vector3, ...], ...] = ()


def tendon_paths(
    world: World, positions: Mapping[str, Mapping[str, float | Sequence[float]]] | None = None
) -> dict[str, dict[str, TendonPath]]:
    """Return the paths of the tendons of a World in the world frame.

    Args:
        world: The World.
        positions: Coordinates [rad or m] by model and joint, as for :func:`~ossature.kinematics.poses`; the initial ones if
            None.

    Returns:
        The paths by model and tendon, without sums of positions of joints that close loops and are not given.

    Raises:
        KeyError: There is no model or joint of that name.
        ValueError: A joint has too many or too few coordinates, or a tendon refers to what does not exist.
    """
    placed = poses(world, positions)
    found = {}
    for model in world.models:
        given = {joint: _numbers(values) for joint, values in (positions or {}).get(model.name, {}).items()}
        if model.tendons:
            paths = TendonRouter(model).paths(placed[model.name], joint_positions(model, given))
            unknown = _sums_of_moved_joints(model, given)
            found[model.name] = {name: path for name, path in paths.items() if name not in unknown}
    return found


def _numbers(values: float | Sequence[float]) -> tuple[float, ...]:
    return tuple(values) if isinstance(values, Sequence) else (float(values),)


def _sums_of_moved_joints(model: Model, given: Collection[str]) -> set[str]:
    """Return the tendons that are sums of positions which closing the loops of a model may have changed."""
    has_loops = bool(spanning_tree(model).loops or model.constraints or any(one.active for one in model.equalities))
    if not given or not has_loops:
        return set()
    sums = {tendon.name: tendon.path for tendon in model.tendons if isinstance(tendon.path, JointSum)}
    return {name for name, path in sums.items() if any(term.joint not in given for term in path.terms)}


class TendonRouter:
    """Computes the paths of a model's tendons from the poses of its bodies, any number of times.

    Args:
        model: The model.

    Raises:
        ModelError: A tendon refers to a frame or shape that does not exist, or wraps around another shape than a sphere or
            cylinder.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._spatial = [tendon for tendon in model.tendons if isinstance(tendon.path, SpatialPath)]
        self._scene = _Scene(model)
        tendons = element("tendon", {})
        tendons.children = [
            self._scene.tendon_node(tendon.path) for tendon in self._spatial if isinstance(tendon.path, SpatialPath)
        ]
        root = element("mujoco", {})
        root.children = [self._scene.worldbody, tendons]
        self._engine = mujoco.MjModel.from_xml_string(xml.compact(root)) if self._spatial else None
        self._data = None if self._engine is None else mujoco.MjData(self._engine)

    def paths(
        self, placed: Mapping[str, Pose], positions: Mapping[str, float | Sequence[float]] | None = None
    ) -> dict[str, TendonPath]:
        """Return the paths of all tendons.

        Args:
            placed: Poses of the bodies in the world frame.
            positions: Coordinates by joint [rad or m], for tendons that are sums of them; the initial ones by default.
        """
        found = dict(zip([tendon.name for tendon in self._spatial], self._routed(placed), strict=True))
        for tendon in self._model.tendons:
            if isinstance(tendon.path, JointSum):
                found[tendon.name] = TendonPath(length=self._sum(tendon.path, positions or {}))
        return {tendon.name: found[tendon.name] for tendon in self._model.tendons}

    def _routed(self, placed: Mapping[str, Pose]) -> Iterator[TendonPath]:
        model, data = self._engine, self._data
        if model is None or data is None:
            return
        for number, body in enumerate(self._scene.bodies):
            data.mocap_pos[number], data.mocap_quat[number] = placed[body].position, placed[body].wxyz
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        objects, points = data.wrap_obj.reshape(-1), data.wrap_xpos.reshape(-1, 3)
        for number in range(model.ntendon):
            first = int(data.ten_wrapadr[number])
            last = first + int(data.ten_wrapnum[number])
            pulleys = [*np.flatnonzero(objects[first:last] == _PULLEY).tolist(), last - first]
            starts = [0, *(pulley + 1 for pulley in pulleys[:-1])]
            branches = [_vectors(points[first + start : first + stop]) for start, stop in zip(starts, pulleys, strict=True)]
            yield TendonPath(length=float(data.ten_length[number]), branches=tuple([each for each in branches if each]))

    def _sum(self, path: JointSum, positions: Mapping[str, float | Sequence[float]]) -> float:
        return sum([term.coefficient * self._position(term, positions.get(term.joint)) for term in path.terms])

    def _position(self, term: JointTerm, specified: float | Sequence[float] | None) -> float:
        if specified is None:
            return self._model.joints[term.joint].coordinates[term.coordinate].initial_position
        return float(specified[term.coordinate] if isinstance(specified, Sequence) else specified)


class _Scene:
    """The frames and shapes along the paths of tendons, on bodies that are placed freely."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._nodes: dict[str, XmlNode] = {}
        self._names: dict[FrameReference | ShapeReference, str] = {}
        self.worldbody = element("worldbody", {})

    @property
    def bodies(self) -> list[str]:
        return list(self._nodes)

    def tendon_node(self, path: SpatialPath) -> XmlNode:
        """Return the element of a tendon, and add what is along its path."""
        node = element("spatial", {})
        for part in path.elements:
            if isinstance(part, ViaPoint):
                node.children.append(element("site", {"site": self._site(part.frame)}))
            elif isinstance(part, Pulley):
                node.children.append(element("pulley", {"divisor": format_number(part.divisor)}))
            else:
                side = {} if part.side is None else {"sidesite": self._site(part.side)}
                node.children.append(element("geom", {"geom": self._geom(part.shape), **side}))
        return node

    def _site(self, reference: FrameReference) -> str:
        frame = next((one for one in self._body(reference).frames if one.name == reference.frame), None)
        if frame is None:
            raise ModelError(f"body '{reference.body}' has no frame '{reference.frame}', which a tendon has")
        return self._added(reference, "site", frame.pose, {})

    def _geom(self, reference: ShapeReference) -> str:
        body = self._body(reference)
        shapes: tuple[Collision | Visual, ...] = (*body.collisions, *body.visuals)
        shape = next((one for one in shapes if one.name == reference.shape), None)
        if shape is None or not isinstance(shape.geometry, Sphere | Cylinder):
            raise ModelError(
                f"body '{reference.body}' has no sphere or cylinder '{reference.shape}', which a tendon wraps around"
            )
        size = {"type": "sphere", "size": format_number(shape.geometry.radius)}
        if isinstance(shape.geometry, Cylinder):
            size = {"type": "cylinder", "size": format_numbers((shape.geometry.radius, shape.geometry.length / 2.0))}
        return self._added(reference, "geom", shape.pose, size)

    def _body(self, reference: FrameReference | ShapeReference) -> Body:
        if reference.body not in self._model.bodies:
            raise ModelError(f"there is no body '{reference.body}', which a tendon has")
        return self._model.bodies[reference.body]

    def _added(self, reference: FrameReference | ShapeReference, tag: str, pose: Pose, attributes: dict[str, str]) -> str:
        """Return the name of a frame or shape, which is added if it is new."""
        if reference not in self._names:
            if reference.body not in self._nodes:
                self._nodes[reference.body] = element("body", {"mocap": "true"})
                self.worldbody.children.append(self._nodes[reference.body])
            name = self._names[reference] = f"{tag}_{len(self._names)}"
            placed = {"pos": format_numbers(pose.position), "quat": format_numbers(pose.wxyz)}
            self._nodes[reference.body].children.append(element(tag, {"name": name, **placed, **attributes}))
        return self._names[reference]


def _vectors(points: Array) -> tuple[Vector3, ...]:
    return tuple([(x, y, z) for x, y, z in points.tolist()])
