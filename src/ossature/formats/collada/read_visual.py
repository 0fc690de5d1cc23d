"""Which nodes show which links, and what is seen there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ossature.formats.collada import rules
from ossature.formats.collada.document_lookup import Item
from ossature.formats.collada.node_instances import NodeInstance, VisualTree
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.read_kinematic_graph import Linkage, LinkFrame
from ossature.formats.collada.read_shape import ShapePart, read_geometry, stretched
from ossature.formats.collada.schema_visual import GeometryElement, InstanceGeometryElement
from ossature.formats.collada.transforms import split
from ossature.model import Frame, TriangleMesh, Visual
from ossature.spatial import IDENTITY, Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NodeOwners:
    """Which link each node shows, for all robots of a scene.

    Attributes:
        by_node: The link of each node that links begin with.
        roots: The roots of the visual tree that show links.
    """

    by_node: dict[NodeInstance, LinkFrame]
    roots: frozenset[NodeInstance]

    def nodes_of(self, link: LinkFrame) -> Iterator[NodeInstance]:
        """Yield the nodes that show a link: its own, and those inside that show no other link."""
        pending = [] if link.node is None else [link.node]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(child for child in reversed(node.children) if self.by_node.get(child, link) is link)

    def link_of(self, node: NodeInstance) -> LinkFrame | None:
        """Return the link that a node shows."""
        return next((self.by_node[one] for one in node.upwards() if one in self.by_node), None)


def find_owners(linkages: list[Linkage], visual: VisualTree, reading: ColladaReadContext) -> NodeOwners:
    """Return which link each node shows; links that nothing binds are looked for by their names."""
    by_node: dict[NodeInstance, LinkFrame] = {}
    for linkage in linkages:
        for link in linkage.links.values():
            if link.node is not None:
                by_node.setdefault(link.node, link)
    for linkage in linkages:
        _find_by_name(linkage, by_node, reading)
    return NodeOwners(by_node, frozenset(node.root for node in by_node))


def _find_by_name(linkage: Linkage, by_node: dict[NodeInstance, LinkFrame], reading: ColladaReadContext) -> None:
    roots = [link.node for link in linkage.links.values() if link.node is not None]
    unbound = [link for link in linkage.links.values() if link.node is None]
    if not roots or not unbound:
        return
    named: dict[str | None, NodeInstance] = {}
    for node in roots[0].below():
        if node not in by_node:
            named.setdefault(node.element.name, node)
    for link in unbound:
        link.node = named.get(link.name)
        if link.node is not None:
            by_node[link.node] = link
        reading.report.add(
            rules.UNBOUND_AXIS,
            f"nothing binds the joint of '{link.name}' to what is seen: "
            + ("the node of its name shows it" if link.node is not None else "it has no shapes"),
            link.element.location(),
            hint="<bind_joint_axis> in <instance_kinematics_scene>",
        )


class VisualShapes:
    """Reads what is seen at nodes.

    Args:
        visual: The visual tree.
        reading: The reading.
    """

    def __init__(self, visual: VisualTree, reading: ColladaReadContext) -> None:
        self._visual = visual
        self._reading = reading
        self._has_reported_moved_mesh = False

    def visuals(self, nodes: Iterator[NodeInstance], pose: Pose) -> tuple[list[Visual], list[Frame]]:
        """Return what is seen at nodes, and the frames that stand there, in a frame.

        Args:
            nodes: The nodes.
            pose: The frame, in that of the visual scene.
        """
        visuals: list[Visual] = []
        frames: list[Frame] = []
        inverse = pose.inverse().matrix()
        for index, node in enumerate(nodes):
            matrix = inverse @ self._visual.matrix(node)
            for instance in node.element.instance_geometry:
                found_visuals, found_frames = self.instance(instance, node, matrix)
                visuals.extend(found_visuals)
                frames.extend(found_frames)
            frame = _frame(node, matrix) if index else None  # the first one shows the body itself
            if frame is not None:
                frames.append(frame)
        return visuals, frames

    def instance(
        self, instance: InstanceGeometryElement, node: NodeInstance, matrix: Matrix
    ) -> tuple[list[Visual], list[Frame]]:
        """Return what one instance of a geometry shows, in the frame in which a matrix places it."""
        item = self._reading.documents.find(instance.url, GeometryElement, node.document, instance, "url")
        if item is None:
            return [], []
        bound = instance.bind_material
        materials = None if bound is None else Item(bound, node.document, node.meter)
        content = read_geometry(item, materials, self._reading)
        if node.is_copy:
            self._reading.report.budget.add_expansions(len(content.parts), instance.location())
        visuals = []
        for part in content.parts:
            placed = self._placed(part, matrix, instance)
            if placed is not None:
                visuals.append(
                    Visual(
                        geometry=placed.geometry,
                        pose=placed.pose,
                        color=placed.color,
                        visible=placed.visible,
                        name=content.name,
                        origin=item.element.location(),
                    )
                )
        if content.frame is None or item.element.id is None:
            return visuals, []
        return visuals, [Frame(name=item.element.id, pose=split(matrix)[0] @ content.frame, origin=item.element.location())]

    def _placed(self, part: ShapePart, matrix: Matrix, instance: InstanceGeometryElement) -> ShapePart | None:
        if self._reading.as_openrave and isinstance(part.geometry, TriangleMesh):
            return part  # the program takes points as they stand, whatever the nodes say
        pose, stretch = split(matrix)
        if isinstance(part.geometry, TriangleMesh) and (stretch is not None or pose != IDENTITY):
            self._report_moved_mesh(instance)
        if stretch is None:
            return ShapePart(geometry=part.geometry, pose=pose @ part.pose, color=part.color, visible=part.visible)
        shape = stretched(part.geometry, part.pose, stretch)
        if shape is None:
            self._reading.report.add(
                rules.SCALED_SHAPE,
                f"a {type(part.geometry).__name__.lower()} cannot be stretched so: its size is not changed",
                instance.location(),
            )
            shape = (part.geometry, part.pose)
        return ShapePart(geometry=shape[0], pose=pose @ shape[1], color=part.color, visible=part.visible)

    def _report_moved_mesh(self, instance: InstanceGeometryElement) -> None:
        if not self._has_reported_moved_mesh:
            self._has_reported_moved_mesh = True  # one for a robot: some place every mesh so
            self._reading.report.add(
                rules.PROGRAM_DIFFERS,
                "nodes move meshes in their links; OpenRAVE leaves their points where they are",
                instance.location(),
                hint="--dialect openrave reads as the program does",
            )


def _frame(node: NodeInstance, matrix: Matrix) -> Frame | None:
    """Return the frame that a node without anything in it stands for."""
    element = node.element
    if node.moved or node.children or element.instance_geometry or element.instance_node or node.parent is None:
        return None
    name = element.name or node.id
    return None if name is None else Frame(name=name, pose=split(matrix)[0], origin=element.location())
