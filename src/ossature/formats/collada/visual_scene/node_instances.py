"""The instantiated visual scenes: node instances with their poses, found by identifiers and SID paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ossature.array_types import Matrix
from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import BEYOND_MEASURE, matrix_of
from ossature.formats.collada.document_lookup import Document, Documents, Item, unit_of
from ossature.formats.collada.schema_common import MatrixElement
from ossature.formats.collada.sid_resolution import split_sid_path
from ossature.formats.collada.visual_scene.schema import InstanceNodeElement, NodeElement, VisualSceneElement


@dataclass(slots=True, eq=False)
class NodeInstance:
    """One instance of a node.

    Attributes:
        meter: Length of the document's unit [m].
        sids: Its scoped identifiers: its own, and that of its <instance_node>.
        suffix: Suffix of the identifiers of a copy.
        depth: Its depth in the tree, 1 for a root.
        is_copy: Whether it is part of an <instance_node>.
        moved: Indices of its transforms that are bound to joint axes.
    """

    element: NodeElement
    document: Document
    meter: float
    parent: NodeInstance | None
    sids: frozenset[str]
    suffix: str
    depth: int
    is_copy: bool
    children: list[NodeInstance] = field(default_factory=list)
    moved: set[int] = field(default_factory=set)

    @property
    def id(self) -> str | None:
        """Its identifier, with the suffix of the copy."""
        return None if self.element.id is None else self.element.id + self.suffix

    @property
    def root(self) -> NodeInstance:
        """The root of its tree."""
        *_, root = self.self_and_ancestors()
        return root

    def self_and_ancestors(self) -> Iterator[NodeInstance]:
        """Yield it and its ancestors, up to the root."""
        node: NodeInstance | None = self
        while node is not None:
            yield node
            node = node.parent

    def own_matrix(self, report: Report) -> Matrix:
        """Return its frame in that of its parent, as a 4×4 matrix, with all joints at zero."""
        result = np.eye(4)
        for index, transform in enumerate(self.element.transforms):
            # A bound transform may be stated at the current joint position; a matrix can also contain a constant transform.
            if index not in self.moved or isinstance(transform, MatrixElement):
                result = result @ matrix_of(transform, self.meter, report)
        return result

    def self_and_descendants(self) -> Iterator[NodeInstance]:
        """Yield it and its descendants, parents first."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


class VisualTree:
    """All nodes of the instantiated visual scenes.

    Attributes:
        name: The name of the first one that has a name, or None.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self.name: str | None = None
        self.roots: list[NodeInstance] = []
        self._scenes: dict[str, frozenset[NodeInstance]] = {}
        self._by_id: dict[str, list[NodeInstance]] = {}
        self._by_sid: dict[str, list[NodeInstance]] = {}
        self._matrices: dict[NodeInstance, Matrix] = {}
        self._transforms: dict[NodeInstance, dict[str, tuple[NodeInstance, int]]] = {}

    def add_scene(self, scene: Item, documents: Documents, instance_sid: str | None = None) -> None:
        """Add the nodes of a visual scene, whose SID paths may start with its identifier or that of its instance."""
        assert isinstance(scene.element, VisualSceneElement)  # noqa: S101
        self.name = self.name or scene.element.name
        roots = [self._add_instances(element, scene.document, scene.meter, None, "", None) for element in scene.element.nodes]
        for root in roots:
            self._expand(root, documents)
        self.roots.extend(roots)
        for identifier in (scene.element.id, instance_sid):
            if identifier:
                self._scenes.setdefault(identifier, frozenset(roots))

    def with_id(self, identifier: str) -> list[NodeInstance]:
        """Return the nodes with an identifier: several if a node is copied without a suffix."""
        return self._by_id.get(identifier, [])

    def find_node(self, path: str) -> NodeInstance | None:
        """Return the node that a SID path refers to, or None."""
        parts = split_sid_path(path.lstrip("#"))
        return next(self._match_path(parts), None) if parts else None

    def find_transform(self, path: str) -> tuple[NodeInstance, int] | None:
        """Return the node of the transform that a SID path refers to, and the index of the transform, or None."""
        *parts, sid = split_sid_path(path.lstrip("#")) or ("",)
        for start in self._match_path(tuple(parts)) if parts else self.roots:
            found = self._transforms_below(start).get(sid)
            if found is not None:
                return found
        return None

    def _transforms_below(self, start: NodeInstance) -> dict[str, tuple[NodeInstance, int]]:
        """Return the transforms of a node and its descendants, by identifier; the outermost of equal ones."""
        if start not in self._transforms:
            found: dict[str, tuple[NodeInstance, int]] = {}
            for node in start.self_and_descendants():
                for index, transform in enumerate(node.element.transforms):
                    if transform.sid:
                        found.setdefault(transform.sid, (node, index))
            self._transforms[start] = found
        return self._transforms[start]

    def matrix(self, node: NodeInstance | None) -> Matrix:
        """Return the frame of a node in that of the scene as a 4×4 matrix, with all joints at zero; identity for None."""
        if node is None:
            return np.eye(4)
        chain = []
        current: NodeInstance | None = node
        while current is not None and current not in self._matrices:
            chain.append(current)
            current = current.parent
        result = np.eye(4) if current is None else self._matrices[current]
        for step in reversed(chain):
            with np.errstate(over="ignore", invalid="ignore"):
                result = result @ step.own_matrix(self._report)
            if not np.abs(result).max() < BEYOND_MEASURE:
                message = "the pose of a node overflows: the node is placed at the origin"
                self._report.add(rules.NUMERIC_OVERFLOW, message, step.element.location())
                result = np.eye(4)
            self._matrices[step] = result
        return result

    def _match_path(self, parts: tuple[str, ...]) -> Iterator[NodeInstance]:
        first, *sids = parts
        starts = self._by_id.get(first) or self._by_sid.get(first)
        if starts is None and sids:  # the path starts at a visual scene
            roots = self._scenes.get(first, frozenset())
            starts = [node for node in self._by_sid.get(sids.pop(0), ()) if node.root in roots]
        for start in starts or ():
            node: NodeInstance | None = start
            for sid in sids:
                node = (
                    next((inner for inner in node.self_and_descendants() if sid in inner.sids and inner is not node), None)
                    if node
                    else None
                )
            if node is not None:
                yield node

    def _add_instances(
        self,
        element: NodeElement,
        document: Document,
        meter: float,
        parent: NodeInstance | None,
        suffix: str,
        instance_sid: str | None,
    ) -> NodeInstance:
        is_copy = instance_sid is not None or (parent is not None and parent.is_copy)
        depth = 1 if parent is None else parent.depth + 1
        self._report.budget.require_depth(depth, element.location())
        if is_copy:
            self._report.budget.add_expansions(1 + len(element.transforms) + len(suffix) // 64, element.location())
        sids = frozenset(sid for sid in (element.sid, instance_sid) if sid)
        node = NodeInstance(element, document, unit_of(element, meter), parent, sids, suffix, depth, is_copy)
        if node.id is not None:
            self._by_id.setdefault(node.id, []).append(node)
        for sid in sids:
            self._by_sid.setdefault(sid, []).append(node)
        return node

    def _expand(self, root: NodeInstance, documents: Documents) -> None:
        pending = [root]
        while pending:
            node = pending.pop()
            inner = [
                self._add_instances(element, node.document, node.meter, node, node.suffix, None)
                for element in node.element.nodes
            ]
            copies = [self._copy_instance(instance, node, documents) for instance in node.element.instance_node]
            node.children = [child for child in (*inner, *copies) if child is not None]
            pending.extend(reversed(node.children))

    def _copy_instance(self, instance: InstanceNodeElement, node: NodeInstance, documents: Documents) -> NodeInstance | None:
        item = documents.find(instance.url, NodeElement, node.document, instance, "url")
        if item is None:
            return None
        if any(ancestor.element is item.element for ancestor in node.self_and_ancestors()):
            self._report.add(rules.CYCLIC_REFERENCE, f"'{instance.url}' instantiates itself", instance.location("url"))
            return None
        suffix = "".join(extra.name or "" for extra in instance.extra if extra.type == "idsuffix")
        return self._add_instances(item.element, item.document, item.meter, node, node.suffix + suffix, instance.sid or "")
