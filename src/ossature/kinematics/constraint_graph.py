"""The graph of bodies and constraints, and its core: the part that belongs to kinematic loops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ossature.kinematics.disjoint_sets import DisjointSets
from ossature.kinematics.joint_graph_edges import Connection
from ossature.model import Constraint, Equality, Fixed


@dataclass(frozen=True, slots=True)
class ConstraintEdge:
    """A joint, motor, constraint or equality between two bodies.

    Attributes:
        first: Name of a body, or None for the world.
        second: Name of the other body, or None for the world.
        source: The joint, motor, constraint or equality.
    """

    first: str | None
    second: str | None
    source: Connection | Constraint | Equality

    @property
    def ends(self) -> set[str | None]:
        """The two bodies."""
        return {self.first, self.second}


def grounded_bodies(joints: Iterable[Connection]) -> set[str | None]:
    """Return the names of the bodies that fixed joints attach to the world, directly or through others."""
    components: DisjointSets[str | None] = DisjointSets()
    fixed = [one.joint for one in joints if isinstance(one.joint.type, Fixed)]
    for joint in fixed:
        components.join(joint.parent, joint.child)
    ground = components.find(None)
    return {None, *(end for joint in fixed for end in (joint.parent, joint.child) if components.find(end) == ground)}


def loop_core(
    edges: Sequence[ConstraintEdge], grounded: set[str | None], constrained: AbstractSet[str] = frozenset()
) -> list[ConstraintEdge]:
    """Return the edges that are left when joints to bodies without another joint are removed, again and again.

    Args:
        edges: The joints, motors, constraints and equalities.
        grounded: The bodies that belong to the ground.
        constrained: Labels of the joints that are not removed, because equalities constrain their coordinates.
    """
    core = [edge for edge in edges if edge.first != edge.second and not edge.ends <= grounded]
    at_body: dict[str | None, list[int]] = {}
    for number, edge in enumerate(core):
        for end in edge.ends:
            at_body.setdefault(end, []).append(number)
    degrees = {body: len(numbers) for body, numbers in at_body.items()}
    removed: set[int] = set()
    leaves = [body for body, degree in degrees.items() if degree == 1 and body not in grounded]
    while leaves:
        for number in at_body[leaves.pop()]:
            edge = core[number]
            if number in removed or _is_constrained(edge, constrained):
                continue
            removed.add(number)
            for end in edge.ends:
                degrees[end] -= 1
                if degrees[end] == 1 and end not in grounded:
                    leaves.append(end)
    return [edge for number, edge in enumerate(core) if number not in removed]


def _is_constrained(edge: ConstraintEdge, constrained: AbstractSet[str]) -> bool:
    """Whether an edge is a constraint or an equality, which the spanning tree never contains, or a constrained joint."""
    return not isinstance(edge.source, Connection) or edge.source.label in constrained
