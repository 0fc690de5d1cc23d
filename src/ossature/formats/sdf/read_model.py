"""Reader of SDFormat models: bodies, joints and sensors of a model with all its nested models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.formats.sdf import rules
from ossature.formats.sdf.frame_graph import SEPARATOR, FrameGraph, Scope, Vertex
from ossature.formats.sdf.included_urdf import IncludedUrdf, place_body
from ossature.formats.sdf.passthrough import extensions_of
from ossature.formats.sdf.read_gearbox import find_gears
from ossature.formats.sdf.read_joint import JointEnds, JointReader, path_to
from ossature.formats.sdf.read_link import LinkPlacement, LinkReader
from ossature.formats.sdf.read_sensor import OPTICAL_AXES, camera_of, read_sensor
from ossature.formats.sdf.schema import SdfJointElement, SdfLinkElement, SdfModelElement
from ossature.formats.sdf.schema_sensors import SdfSensorElement
from ossature.formats.urdf.convert_mimic import mimic_coupling
from ossature.model import Body, Extension, Fixed, Frame, Joint, Model, NamedList, Sensor
from ossature.model.name_references import map_references
from ossature.model.unique_names import take_unique_name
from ossature.spatial import IDENTITY, Pose
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode


def connected_models(world: Scope, joints: Iterable[JointEnds]) -> list[list[Vertex]]:
    """Return the models of a world; those that joints of the world connect together, because they are one mechanism."""
    group = {vertex: [vertex] for vertex in world.models}
    order = {vertex: number for number, vertex in enumerate(world.models)}
    for ends in joints:
        if ends.parent is not None:
            first, second = group[outermost_model(world, ends.parent)], group[outermost_model(world, ends.child)]
            if first is not second:
                first, second = sorted((first, second), key=len, reverse=True)
                first += second
                group.update(dict.fromkeys(second, first))
    for members in group.values():
        members.sort(key=order.__getitem__)
    return [group[vertex] for vertex in world.models if group[vertex][0] is vertex]


def outermost_model(world: Scope, vertex: Vertex) -> Vertex:
    """Return the model of a world that contains an element."""
    while vertex.scope is not world and vertex.scope.vertex is not None:
        vertex = vertex.scope.vertex
    return vertex


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the models of a world have in common while they are read."""

    world: Scope
    graph: FrameGraph
    joints: JointReader
    links: LinkReader
    urdf: IncludedUrdf
    report: Report


class ModelReader:
    """Reads the models of a world.

    Args:
        folder: The folder of the main file; None leaves relative paths of meshes unchanged.
        meshes: The meshes, for an inertia that is computed.
        urdf: The content of included URDF files.

    Attributes:
        world_joints: The joints of the world, which connect its models.
    """

    def __init__(self, world: Scope, folder: Path | None, meshes: MeshStore, urdf: IncludedUrdf, report: Report) -> None:
        graph = FrameGraph(report)
        graph.check(world)
        links = LinkReader(folder, meshes, graph, report)
        self._reading = _Reading(world, graph, JointReader(graph, report), links, urdf, report)
        self.world_joints = [ends for vertex in world.joints if (ends := self._reading.joints.ends(vertex)) is not None]

    def read(self, members: Sequence[Vertex]) -> Model:
        """Return the model of an outermost ``<model>``, or of several that are connected."""
        return _ModelContent(self._reading, self.world_joints, members).model()


class _ModelContent:
    def __init__(self, reading: _Reading, world_joints: Sequence[JointEnds], members: Sequence[Vertex]) -> None:
        self._reading, self._members = reading, members
        self._graph, self._report, self._world = reading.graph, reading.report, reading.world
        self._is_single = len(members) == 1
        self._scopes = [scope for vertex in members if vertex.inner is not None for scope in vertex.inner.all_scopes()]
        self._scope_poses: dict[Scope, Pose] = {}
        inside = set(self._scopes)
        self._world_joints = [ends for ends in world_joints if ends.child.scope in inside]
        self._names: dict[Vertex, str] = {}

    def model(self) -> Model:
        first = self._members[0]
        self._name_links()
        frames = self._frames()
        bodies = [self._body(scope, vertex, frames.get(vertex, [])) for scope in self._scopes for vertex in scope.links]
        joints = self._joints()
        self._report_missing_links()
        return Model(
            name=first.name,
            pose=self._graph.pose_in_scope(first) if self._is_single else IDENTITY,
            bodies=NamedList(bodies),
            joints=NamedList([*joints, *self._static_joints(joints)]),
            static=all(_is_static(vertex) for vertex in self._members),
            sensors=NamedList(list(self._sensors())),
            extensions=tuple([extension for scope in self._scopes for extension in self._extensions(scope)]),
            origin=first.element.location(),
        )

    # Names and poses

    def _name_links(self) -> None:
        used: set[str] = set()
        for scope in self._scopes:
            for vertex in scope.links:
                self._names[vertex] = take_unique_name(self._path(vertex), used)

    def _path(self, vertex: Vertex) -> str:
        return vertex.path if self._is_single else f"{outermost_model(self._world, vertex).name}{SEPARATOR}{vertex.path}"

    def _pose_of_scope(self, scope: Scope) -> Pose:
        """Return the frame of a nested model in that of the model."""
        if scope not in self._scope_poses:
            outer = scope.vertex
            assert outer is not None  # noqa: S101  # only worlds have none
            if outer.scope is self._world:
                pose = IDENTITY if self._is_single else self._graph.pose_in_scope(outer)
            else:
                pose = self._pose_of_scope(outer.scope) @ self._graph.pose_in_scope(outer)
            self._scope_poses[scope] = pose
        return self._scope_poses[scope]

    def _pose(self, vertex: Vertex) -> Pose:
        return self._pose_of_scope(vertex.scope) @ self._graph.pose_in_scope(vertex)

    def _pose_in_link(self, vertex: Vertex, link: Vertex) -> Pose:
        """Return the pose of a frame in that of the link to which it is fixed."""
        path = path_to(vertex.scope, link)
        if path[0].scope is vertex.scope:
            return self._graph.pose_in(path, vertex)
        return self._pose(link).inverse() @ self._pose(vertex)

    # Content

    def _extensions(self, scope: Scope) -> Iterator[Extension]:
        yield from extensions_of(scope.element, scope.prefix)
        names = self._names_of(scope)
        for extension in self._reading.urdf.extensions.get(scope.element.node, ()):
            yield map_references(extension, names)

    def _names_of(self, scope: Scope) -> dict[str, dict[str, str]]:
        """Return the names in the model of the links and joints of a scope, by collection."""
        return {
            collection: {vertex.name: self._names[vertex] for vertex in vertices if vertex in self._names}
            for collection, vertices in (("bodies", scope.links), ("joints", scope.joints))
        }

    def _body(self, scope: Scope, vertex: Vertex, frames: Sequence[Frame]) -> Body:
        placement = LinkPlacement(
            name=self._names[vertex], pose=self._pose(vertex), frames=frames, self_collide=_lets_links_collide(scope)
        )
        included = self._reading.urdf.bodies.get(vertex.element.node)
        if included is None:
            return self._reading.links.body(vertex, placement)
        return place_body(map_references(included, self._names_of(scope)), placement)

    def _frames(self) -> dict[Vertex, list[Frame]]:
        found: dict[Vertex, list[Frame]] = {}
        for scope in self._scopes:
            for vertex in scope.frames:
                link = self._graph.link_of(scope, [vertex])
                if link is not None:
                    pose = self._pose_in_link(vertex, link)
                    frame = Frame(name=self._path(vertex), pose=pose, origin=vertex.element.location())
                    found.setdefault(link, []).append(frame)
        return found

    def _joints(self) -> list[Joint]:
        inner = [self._reading.joints.ends(vertex) for scope in self._scopes for vertex in scope.joints]
        connections = [ends for ends in (*inner, *self._world_joints) if ends is not None]
        gears = {gear.gearbox: gear for gear in find_gears(connections, self._reading.joints, self._graph)}
        connections = [ends for ends in connections if ends.vertex not in gears]
        used: set[str] = set()
        for ends in connections:
            vertex = ends.vertex
            name = vertex.name if vertex.scope is self._world else self._path(vertex)
            self._names[vertex] = take_unique_name(name, used)
        joints = {ends.vertex: self._joint(ends) for ends in connections}
        for gear in gears.values():
            joints[gear.follower] = _follow(joints[gear.follower], self._names[gear.leader], gear.factor)
        return list(joints.values())

    def _joint(self, ends: JointEnds) -> Joint:
        included = self._reading.urdf.joints.get(ends.vertex.element.node)
        if included is None:
            return self._reading.joints.joint(ends, self._names)
        renamed: Joint = map_references(included, self._names_of(ends.vertex.scope))
        parent = None if ends.parent is None else self._names[ends.parent]
        return replace(renamed, name=self._names[ends.vertex], parent=parent, child=self._names[ends.child])

    def _static_joints(self, joints: Sequence[Joint]) -> list[Joint]:
        """Return the joints that fix static models inside a model that is not static to the world."""
        used, static = {joint.name for joint in joints}, self._static_bodies()
        fixed = {joint.child for joint in joints if isinstance(joint.type, Fixed) and joint.parent in (None, *static)}
        return [
            Joint(name=take_unique_name(f"{body}_static", used), type=Fixed(), parent=None, child=body)
            for body in static
            if body not in fixed
        ]

    def _static_bodies(self) -> list[str]:
        """Return the links of static models inside a model that is not static."""
        return [self._names[vertex] for scope in self._scopes if self._is_inside_static(scope) for vertex in scope.links]

    def _is_inside_static(self, scope: Scope) -> bool:
        """Whether a scope belongs to a static model, and the whole model is not static."""
        if all(_is_static(vertex) for vertex in self._members):
            return False
        while scope.vertex is not None:
            if _is_static(scope.vertex):
                return True
            scope = scope.vertex.scope
        return False

    def _sensors(self) -> Iterator[Sensor]:
        used: set[str] = set()
        for vertex, element, link in self._sensor_elements():
            attached = IDENTITY if vertex is link else self._pose_in_link(vertex, link)
            name = take_unique_name(f"{vertex.scope.prefix}{element.name or element.type or 'sensor'}", used)
            pose = attached @ self._pose_of_device(vertex, element)
            yield read_sensor(element, name, self._names[link], pose, self._report)

    def _pose_of_device(self, vertex: Vertex, element: SdfSensorElement) -> Pose:
        """Return the frame of a sensor, or of its single camera, in that of the link or joint that contains it."""
        pose = self._graph.pose_inside(vertex, element)
        camera = camera_of(element)
        return pose if camera is None else self._graph.pose_inside(vertex, camera, pose) @ OPTICAL_AXES

    def _sensor_elements(self) -> Iterator[tuple[Vertex, SdfSensorElement, Vertex]]:
        """Yield each sensor with the link or joint that contains it, and its link."""
        for scope in self._scopes:
            for vertex in (*scope.links, *scope.joints):
                if isinstance(vertex.element, SdfLinkElement | SdfJointElement) and vertex.element.sensor:
                    link = self._graph.link_of(scope, [vertex])
                    if link is not None and link in self._names:
                        yield from ((vertex, element, link) for element in vertex.element.sensor)

    def _report_missing_links(self) -> None:
        for scope in self._scopes:
            element = scope.element
            has_include = isinstance(element, SdfModelElement) and any(map(_is_include, element.other))
            if not (scope.links or scope.models or has_include or self._is_inside_any_static(scope)):
                message, hint = f"model '{element.name}' has no links", "add a <link>, or make it <static>"
                self._report.add(rules.NO_LINKS, message, element.location(), hint=hint)

    def _is_inside_any_static(self, scope: Scope) -> bool:
        return self._is_inside_static(scope) or all(_is_static(vertex) for vertex in self._members)


def _follow(joint: Joint, leader: str, factor: float) -> Joint:
    """Return a joint of one coordinate that is coupled to another one."""
    (coordinate,) = joint.coordinates
    return replace(joint, coordinates=(replace(coordinate, coupling=mimic_coupling(leader, factor, 0.0)),))


def _is_include(element: Element) -> bool:
    """Whether an element is an include that could not be expanded, which has a finding."""
    return isinstance(element.node, XmlNode) and element.node.tag == "include"


def _lets_links_collide(scope: Scope) -> bool:
    """Whether a model lets its links collide with each other; the links of a merged model are those of the outer one."""
    while scope.vertex is not None and scope.vertex in scope.vertex.scope.merged:
        scope = scope.vertex.scope
    return isinstance(scope.element, SdfModelElement) and scope.element.self_collide


def _is_static(vertex: Vertex) -> bool:
    return isinstance(vertex.element, SdfModelElement) and vertex.element.static
