"""Gearboxes of SDFormat: couplings of two hinges of a reference body."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ossature.formats.sdf.frame_graph import WORLD, FrameGraph, Vertex
from ossature.formats.sdf.read_joint import JointEnds, JointReader
from ossature.formats.sdf.schema import SdfJointElement
from ossature.spatial import dot, rotate

_HINGES = ("revolute", "continuous")
_PARALLEL = 1e-6
"""Largest difference from 1 of the cosine between the axis of a gearbox and that of a hinge."""


@dataclass(frozen=True, slots=True)
class Gear:
    """A gearbox as a coupling: the position of one hinge is a multiple of that of another one.

    Attributes:
        gearbox: The gearbox, which is no joint of its own.
        leader: The hinge of the reference body and the parent of the gearbox.
        follower: The hinge of the reference body and the child of the gearbox.
    """

    gearbox: Vertex
    leader: Vertex
    follower: Vertex
    factor: float


def find_gears(connections: Sequence[JointEnds], joints: JointReader, graph: FrameGraph) -> Iterator[Gear]:
    """Yield the gearboxes whose two angles are those of hinges about parallel axes, and whose follower is free."""
    for ends in connections:
        element = ends.vertex.element
        if (
            isinstance(element, SdfJointElement)
            and (element.type or "").lower() == "gearbox"
            and element.gearbox_reference_body
        ):
            gear = _GearSearch(ends, element, connections, joints, graph).find()
            if gear is not None:
                yield gear


@dataclass(frozen=True, slots=True)
class _GearSearch:
    gearbox: JointEnds
    element: SdfJointElement
    connections: Sequence[JointEnds]
    joints: JointReader
    graph: FrameGraph

    def find(self) -> Gear | None:
        name, scope = self.element.gearbox_reference_body or "", self.gearbox.vertex.scope
        path = () if name == WORLD else scope.find(name)
        if path is None:
            return None
        reference = self.graph.link_of(scope, path) if path else None
        leader, follower = self._hinge(reference, self.gearbox.parent, 0), self._hinge(reference, self.gearbox.child, 1)
        if leader is None or follower is None:
            return None
        factor = -self.element.gearbox_ratio * leader[1] * follower[1]
        return Gear(self.gearbox.vertex, leader[0], follower[0], factor)

    def _hinge(self, reference: Vertex | None, link: Vertex | None, number: int) -> tuple[Vertex, float] | None:
        """Return the hinge between the reference body and a link, and the angle of the gearbox for its unit angle."""
        for ends in self.connections:
            vertex = ends.vertex
            if not _is_hinge(vertex, is_free=number > 0) or vertex.scope is not self.gearbox.vertex.scope:
                continue
            cosine = dot(self._direction(vertex, 0), self._direction(self.gearbox.vertex, number))
            if {ends.parent, ends.child} == {reference, link} and abs(cosine) > 1.0 - _PARALLEL:
                return vertex, math.copysign(1.0, cosine) * (1.0 if ends.child is link else -1.0)
        return None

    def _direction(self, vertex: Vertex, number: int) -> tuple[float, float, float]:
        """Return an axis of a joint in the frame of its model."""
        return rotate(self.graph.pose_in_scope(vertex).wxyz, self.joints.axis(vertex, number))


def _is_hinge(vertex: Vertex, *, is_free: bool) -> bool:
    """Whether a joint is a hinge, and follows no other joint if it has to be free."""
    element = vertex.element
    if not isinstance(element, SdfJointElement) or (element.type or "").lower() not in _HINGES:
        return False
    return not is_free or element.axis is None or element.axis.mimic is None
