"""The graph of bodies and constraints, and its core: the part that belongs to kinematic loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ossature.kinematics.joint_graph import Connection
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
    fixed = [one.joint for one in joints if isinstance(one.joint.type, Fixed)]
    grounded: set[str | None] = {None}
    while True:
        added = {end for joint in fixed for end in (joint.parent, joint.child) if {joint.parent, joint.child} & grounded}
        if added <= grounded:
            return grounded
        grounded |= added


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
    while True:
        degrees: dict[str | None, int] = {}
        for edge in core:
            for end in (edge.first, edge.second):
                degrees[end] = degrees.get(end, 0) + 1
        remaining = [edge for edge in core if _is_constrained(edge, constrained) or _is_in_chain(edge, grounded, degrees)]
        if len(remaining) == len(core):
            return core
        core = remaining


def _is_constrained(edge: ConstraintEdge, constrained: AbstractSet[str]) -> bool:
    """Whether an edge is a constraint or an equality, which the spanning tree never contains, or a constrained joint."""
    return not isinstance(edge.source, Connection) or edge.source.label in constrained


def _is_in_chain(edge: ConstraintEdge, grounded: set[str | None], degrees: Mapping[str | None, int]) -> bool:
    """Whether an edge ends at no leaf of the graph."""
    return all(end in grounded or degrees[end] > 1 for end in edge.ends)
