"""Assigns nodes of the visual scene to links, and reads their visual shapes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ossature.array_types import Matrix
from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import polar_decomposition
from ossature.formats.collada.document_lookup import Item
from ossature.formats.collada.geometry.read_shape import ShapePart, read_geometry, transform_shape
from ossature.formats.collada.geometry.schema import GeometryElement
from ossature.formats.collada.kinematics.read_kinematic_graph import Linkage, LinkFrame
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.visual_scene.node_instances import NodeInstance, VisualTree
from ossature.formats.collada.visual_scene.schema import InstanceGeometryElement
from ossature.model import Frame, TriangleMesh, Visual
from ossature.model.value_text import kind_with_article
from ossature.spatial import IDENTITY, Pose


@dataclass(frozen=True, slots=True)
class NodeOwners:
    """The link of each node, for all robots of a scene.

    Attributes:
        by_node: The link of each node that is the outermost one of a link.
        roots: The roots of the visual tree with links.
    """

    by_node: dict[NodeInstance, LinkFrame]
    roots: frozenset[NodeInstance]

    def nodes_of(self, link: LinkFrame) -> Iterator[NodeInstance]:
        """Yield the nodes of a link: the outermost one, and its descendants that belong to no other link."""
        pending = [] if link.node is None else [link.node]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(child for child in reversed(node.children) if self.by_node.get(child, link) is link)

    def link_of(self, node: NodeInstance) -> LinkFrame | None:
        """Return the link of a node, or None."""
        return next((self.by_node[one] for one in node.self_and_ancestors() if one in self.by_node), None)


def find_owners(linkages: list[Linkage], visual: VisualTree, reading: ColladaReadContext) -> NodeOwners:
    """Return the link of each node; unbound links are found by the names of nodes."""
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
    for node in roots[0].self_and_descendants():
        if node not in by_node:
            named.setdefault(node.element.name, node)
    for link in unbound:
        link.node = named.get(link.name)
        if link.node is not None:
            by_node[link.node] = link
        reading.report.add(
            rules.UNBOUND_AXIS,
            f"the joint of link '{link.name}' is not bound to a node: "
            + ("the node with the name of the link is used" if link.node is not None else "the link has no shapes"),
            link.element.location(),
            hint="add a <bind_joint_axis> to <instance_kinematics_scene>",
        )


class VisualShapes:
    """Reads the visual shapes of nodes."""

    def __init__(self, visual: VisualTree, reading: ColladaReadContext) -> None:
        self._visual = visual
        self._reading = reading
        self._has_reported_moved_mesh = False

    def visuals(self, nodes: Iterator[NodeInstance], pose: Pose) -> tuple[list[Visual], list[Frame]]:
        """Return the visual shapes and the named frames of nodes, expressed in a frame.

        Args:
            pose: The pose of the frame in the visual scene.
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
            frame = _named_frame(node, matrix) if index else None  # the first node is the body itself
            if frame is not None:
                frames.append(frame)
        return visuals, frames

    def instance(
        self, instance: InstanceGeometryElement, node: NodeInstance, matrix: Matrix
    ) -> tuple[list[Visual], list[Frame]]:
        """Return the visual shapes and frames of one instance of a geometry, transformed by a 4×4 matrix."""
        item = self._reading.documents.find(instance.url, GeometryElement, node.document, instance, "url")
        if item is None:
            return [], []
        bound = instance.bind_material
        materials = None if bound is None else Item(bound, node.document, node.meter)
        content = read_geometry(item, materials, self._reading)
        if node.is_copy:
            self._reading.report.budget.add_expansions(len(content.parts), instance.location())
        visuals = []
        pose, linear = polar_decomposition(matrix)
        for part in content.parts:
            transformed = self._transform_part(part, pose, linear, instance)
            visuals.append(
                Visual(
                    geometry=transformed.geometry,
                    pose=transformed.pose,
                    color=transformed.color,
                    visible=transformed.visible,
                    name=content.name,
                    origin=item.element.location(),
                )
            )
        if content.frame is None or item.element.id is None:
            return visuals, []
        return visuals, [Frame(name=item.element.id, pose=pose @ content.frame, origin=item.element.location())]

    def _transform_part(
        self, part: ShapePart, pose: Pose, linear: Matrix | None, instance: InstanceGeometryElement
    ) -> ShapePart:
        """Return a part of a shape with the transform of its node: a pose, after a 3×3 matrix if it is not None."""
        if self._reading.as_openrave and isinstance(part.geometry, TriangleMesh):
            return part  # OpenRAVE does not apply the transforms of nodes to meshes
        if isinstance(part.geometry, TriangleMesh) and (linear is not None or pose != IDENTITY):
            self._report_moved_mesh(instance)
        if linear is None:
            return ShapePart(geometry=part.geometry, pose=pose @ part.pose, color=part.color, visible=part.visible)
        shape = transform_shape(part.geometry, part.pose, linear)
        if shape is None:
            self._reading.report.add(
                rules.SCALED_SHAPE,
                f"{kind_with_article(type(part.geometry))} cannot be scaled in this way: its size is not changed",
                instance.location(),
            )
            shape = (part.geometry, part.pose)
        return ShapePart(geometry=shape[0], pose=pose @ shape[1], color=part.color, visible=part.visible)

    def _report_moved_mesh(self, instance: InstanceGeometryElement) -> None:
        if not self._has_reported_moved_mesh:
            self._has_reported_moved_mesh = True  # once per document: some documents transform every mesh
            self._reading.report.add(
                rules.OPENRAVE_DIFFERS,
                "nodes transform meshes within their links; OpenRAVE ignores these transforms",
                instance.location(),
                hint="--dialect openrave ignores them too",
            )


def _named_frame(node: NodeInstance, matrix: Matrix) -> Frame | None:
    element = node.element
    if node.moved or node.children or element.instance_geometry or element.instance_node or node.parent is None:
        return None
    name = element.name or node.id
    return None if name is None else Frame(name=name, pose=polar_decomposition(matrix)[0], origin=element.location())
