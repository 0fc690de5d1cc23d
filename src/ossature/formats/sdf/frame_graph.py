"""The frames of a file: names and scopes, poses stated relative to other frames, and the links to which frames are fixed.

See "Pose frame semantics" in the documentation of SDFormat. A name is looked up in the scope of the element that states it:
its model, or the world. ``A::B`` is the frame B of the nested model A. Poses are resolved without recursion, because a file
can state chains of any length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ossature.diagnostics import Report
from ossature.formats.sdf import rules
from ossature.formats.sdf.read_pose import pose_of
from ossature.formats.sdf.schema import (
    SdfCollisionElement,
    SdfFrameElement,
    SdfJointElement,
    SdfLinkElement,
    SdfModelElement,
    SdfVisualElement,
    SdfWorldElement,
)
from ossature.formats.sdf.schema_sensors import SdfCameraElement, SdfSensorElement
from ossature.spatial import IDENTITY, Pose

SEPARATOR = "::"
WORLD, MODEL_FRAME = "world", "__model__"

FramedElement: TypeAlias = SdfLinkElement | SdfJointElement | SdfFrameElement | SdfModelElement
InnerElement: TypeAlias = SdfVisualElement | SdfCollisionElement | SdfSensorElement | SdfCameraElement
"""An element of a link or joint that has a pose, and is no frame."""
PlacedElement: TypeAlias = FramedElement | InnerElement


@dataclass(slots=True, eq=False)
class Vertex:
    """A frame: that of a link, joint, nested model, or a named one.

    Attributes:
        name: Its name in its scope, unique for its kind.
        scope: The model or world that contains it.
        inner: The scope of a model.
    """

    element: FramedElement
    name: str
    scope: Scope
    inner: Scope | None = None

    @property
    def path(self) -> str:
        """Its name in the outermost model, with :: after the names of nested models."""
        return f"{self.scope.prefix}{self.name}"


FramePath: TypeAlias = Sequence[Vertex]
"""A frame, after the nested models that contain it; empty for the frame of the scope itself."""


@dataclass(slots=True, eq=False)
class Scope:
    """The names in a model or a world.

    Attributes:
        prefix: What precedes its names in those of the outermost model.
        vertex: The frame of the model in the scope that contains it, or None for an outermost one.
        merged: Its nested models whose names belong to it, because an include merges them.
        by_name: All of them by name; of one name a link, then a model, joint or frame.
    """

    element: SdfModelElement | SdfWorldElement
    prefix: str = ""
    vertex: Vertex | None = None
    links: list[Vertex] = field(default_factory=list)
    models: list[Vertex] = field(default_factory=list)
    joints: list[Vertex] = field(default_factory=list)
    frames: list[Vertex] = field(default_factory=list)
    merged: list[Vertex] = field(default_factory=list)
    by_name: dict[str, Vertex] = field(default_factory=dict)

    @property
    def is_world(self) -> bool:
        """Whether it is a world."""
        return isinstance(self.element, SdfWorldElement)

    def __iter__(self) -> Iterator[Vertex]:
        yield from (*self.links, *self.models, *self.joints, *self.frames)

    def find(self, name: str) -> FramePath | None:
        """Return the frame with a name, or None."""
        path: list[Vertex] = []
        scope, rest = self, name
        while True:
            if rest == MODEL_FRAME and not scope.is_world:
                return path
            if rest == WORLD and scope.is_world:
                return path
            vertex = scope.by_name.get(rest)
            if vertex is not None:
                return [*path, vertex]
            for merged in scope.merged:
                found = merged.inner.find(rest) if merged.inner is not None else None
                if found:
                    return [*path, merged, *found]
            nested, separator, rest = rest.partition(SEPARATOR)
            vertex = scope.by_name.get(nested)
            if not separator or vertex is None or vertex.inner is None:
                return None
            path.append(vertex)
            scope = vertex.inner

    def all_scopes(self) -> Iterator[Scope]:
        """Yield it and the scopes of all nested models, in file order."""
        pending = [self]
        while pending:
            scope = pending.pop()
            yield scope
            pending += [vertex.inner for vertex in reversed(scope.models) if vertex.inner is not None]


class FrameGraph:
    """Resolves frames, with findings for unknown ones and for cycles."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._poses: dict[Vertex, Pose] = {}
        self._references: dict[Vertex, FramePath] = {}
        self._placements: dict[Vertex, FramePath] = {}
        self._stated_poses: dict[Vertex, Pose] = {}
        self._links: dict[Vertex | Scope, Vertex | None] = {}
        self._reported: set[tuple[int, str]] = set()

    def find(self, scope: Scope, name: str, element: PlacedElement, field_name: str) -> FramePath | None:
        """Return the frame with a name, or None with a finding at a field of the element that states it."""
        found = scope.find(name)
        if found is None and (id(element), field_name) not in self._reported:
            self._reported.add((id(element), field_name))
            kind = "world" if scope.is_world else "model"
            self._report.add(
                rules.UNKNOWN_FRAME,
                f"there is no frame '{name}' in the {kind} '{scope.element.name}'",
                element.location(field_name),
                hint=self._report.suggestion(name, scope.by_name),
            )
        return found

    def check(self, outermost: Scope) -> None:
        """Resolve all frames of a scope and of all models in it, for their findings."""
        for scope in outermost.all_scopes():
            for vertex in scope:
                self.pose_in_scope(vertex)
            for vertex in scope.frames:
                self.link_of(scope, [vertex])
            if isinstance(scope.element, SdfModelElement) and scope.element.canonical_link:
                self.find(scope, scope.element.canonical_link, scope.element, "canonical_link")

    # Poses

    def pose_in_scope(self, vertex: Vertex) -> Pose:
        """Return the pose of a frame in the frame of its scope, all joint positions being zero."""
        if vertex in self._poses:
            return self._poses[vertex]
        pending, waiting = [vertex], {vertex}
        while pending:
            top = pending[-1]
            needed = next((one for one in (*self._reference(top), *self._placement(top)) if one not in self._poses), None)
            if needed is None:
                self._poses[top] = self._computed_pose(top)
                waiting.discard(pending.pop())
            elif needed in waiting:
                self._report_cycle(top)
                self._references[top] = self._placements[top] = ()
            else:
                pending.append(needed)
                waiting.add(needed)
        return self._poses[vertex]

    def pose_of_path(self, path: FramePath) -> Pose:
        """Return the pose of a frame in the frame of the scope in which it was found."""
        pose = IDENTITY
        for vertex in path:
            pose = pose @ self.pose_in_scope(vertex)
        return pose

    def pose_in(self, path: FramePath, vertex: Vertex) -> Pose:
        """Return the pose of a frame in another one of its scope, without the rounding of a product if it is stated there."""
        if [*path] == [*self._reference(vertex)] and not self._placement(vertex):
            return self._stated_pose(vertex)
        return self.pose_of_path(path).inverse() @ self.pose_in_scope(vertex)

    def pose_inside(self, vertex: Vertex, element: InnerElement, default: Pose = IDENTITY) -> Pose:
        """Return the pose of an element of a link or joint in the frame of the link or joint.

        Args:
            default: The frame in which its pose is stated if it names none.
        """
        stated = pose_of(element.pose, self._report)
        name = "" if element.pose is None else element.pose.relative_to
        path = self.find(vertex.scope, name, element, "pose") if name else None
        if path is None:
            return stated if default == IDENTITY else default @ stated
        if [*path] == [vertex]:
            return stated  # without the rounding of a product
        return self.pose_in_scope(vertex).inverse() @ self.pose_of_path(path) @ stated

    def _computed_pose(self, vertex: Vertex) -> Pose:
        pose = self.pose_of_path(self._reference(vertex)) @ self._stated_pose(vertex)
        placement = self._placement(vertex)
        return pose @ self.pose_of_path(placement).inverse() if placement else pose

    def _stated_pose(self, vertex: Vertex) -> Pose:
        """Return the pose of a frame as it is stated; its findings are reported once."""
        if vertex not in self._stated_poses:
            self._stated_poses[vertex] = pose_of(vertex.element.pose, self._report)
        return self._stated_poses[vertex]

    def _reference(self, vertex: Vertex) -> FramePath:
        """Return the frame in which the pose of a frame is stated."""
        if vertex not in self._references:
            self._references[vertex] = self._find_reference(vertex)
        return self._references[vertex]

    def _find_reference(self, vertex: Vertex) -> FramePath:
        element = vertex.element
        if element.pose is not None and element.pose.relative_to:
            found = self.find(vertex.scope, element.pose.relative_to, element, "pose")
        elif isinstance(element, SdfFrameElement) and element.attached_to:
            found = self.find(vertex.scope, element.attached_to, element, "attached_to")
        elif isinstance(element, SdfJointElement) and element.child_frame:
            found = vertex.scope.find(element.child_frame)  # the reader of joints reports an unknown child
        else:
            return ()
        return found or ()

    def _placement(self, vertex: Vertex) -> FramePath:
        """Return the frame of a nested model that has its stated pose; empty for that of the model itself."""
        if vertex not in self._placements:
            element, found = vertex.element, None
            if isinstance(element, SdfModelElement) and element.placement_frame and vertex.inner is not None:
                found = self.find(vertex.inner, element.placement_frame, element, "placement_frame")
            self._placements[vertex] = found or ()
        return self._placements[vertex]

    def _report_cycle(self, vertex: Vertex) -> None:
        self._report.add(
            rules.FRAME_CYCLE,
            f"the pose of '{vertex.path}' depends on itself",
            vertex.element.location("pose"),
            hint="state one of the poses relative to the model",
        )

    # Links

    def link_of(self, scope: Scope, path: FramePath) -> Vertex | None:
        """Return the link to which a frame is fixed, or None for the world or an unknown frame."""
        visited: dict[Vertex | Scope, None] = {}
        while True:
            at = path[-1] if path else scope
            if at in self._links:
                link = self._links[at]
                break
            if at in visited:
                if path:
                    self._report_cycle(path[-1])
                link = None
                break
            visited[at] = None
            if path and isinstance(path[-1].element, SdfLinkElement):
                link = path[-1]
                break
            scope, found = self._attachment(path[-1]) if path else (scope, self._canonical(scope))
            if found is None:
                link = None
                break
            path = found
        self._links.update(dict.fromkeys(visited, link))
        return link

    def _attachment(self, vertex: Vertex) -> tuple[Scope, FramePath | None]:
        """Return the frame to which another one is attached, and the scope of its name."""
        element, scope = vertex.element, vertex.scope
        if vertex.inner is not None:
            return vertex.inner, ()
        if isinstance(element, SdfJointElement):
            return scope, scope.find(element.child_frame or "")
        attached_to = element.attached_to if isinstance(element, SdfFrameElement) else ""
        return scope, self.find(scope, attached_to, element, "attached_to") if attached_to else ()

    def _canonical(self, scope: Scope) -> FramePath | None:
        """Return the link to which the frame of a model is fixed, or a nested model that has it; None if there is none."""
        if isinstance(scope.element, SdfWorldElement):
            return None
        if scope.element.canonical_link:
            found = scope.find(scope.element.canonical_link)
            if found:
                return found
        return scope.links[:1] or scope.models[:1] or None
