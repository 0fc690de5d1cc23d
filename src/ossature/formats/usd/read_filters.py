"""Pairs of bodies that never collide: filtered pairs and collision groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

from ossature.formats.usd import rules
from ossature.formats.usd.stage import Prim, Stage

_MOST_PAIRS = 1_000_000
"""Largest number of pairs of colliders of groups that are compared."""


class FilterReader:
    """Reads collision filters.

    Args:
        colliders: The colliders of each body, by the path of the body; of the world by None.
        owners: The body of each prim, or None, by path.
    """

    def __init__(self, stage: Stage, colliders: Mapping[str | None, Sequence[str]], owners: Mapping[str, str | None]) -> None:
        self._stage, self._colliders, self._owners = stage, colliders, owners

    def pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of paths of bodies that never collide."""
        found: dict[frozenset[str], None] = {}
        for first, second in (*self._filtered_pairs(), *self._pairs_of_groups()):
            if first != second:
                found[frozenset((first, second))] = None
        order = {path: number for number, path in enumerate(self._stage.prims)}
        numbers = sorted(sorted(order[path] for path in pair) for pair in found)
        paths = list(self._stage.prims)
        return [(paths[first], paths[second]) for first, second in numbers]

    def _filtered_pairs(self) -> Iterator[tuple[str, str]]:
        unrepresented: list[str] = []
        for prim in self._stage.prims.values():
            if not prim.has("PhysicsFilteredPairsAPI"):
                continue
            for target in prim.targets("physics:filteredPairs"):
                other = self._stage.prims.get(target)
                first, second = self._whole_bodies(prim), self._whole_bodies(other) if other is not None else None
                if first is None or second is None:
                    unrepresented.append(f"{prim.path} and {target}")
                    continue
                yield from product(first, second)
        self._report(unrepresented)

    def _whole_bodies(self, prim: Prim) -> list[str] | None:
        """Return the bodies that a prim means, or None if it is one of several colliders, or does not move."""
        owner = self._owners.get(prim.path)
        if owner == prim.path:
            return [owner]
        if prim.has("PhysicsCollisionAPI"):
            return [owner] if owner is not None and [*self._colliders.get(owner, ())] == [prim.path] else None
        inside = [path for path, own in self._owners.items() if path == own and path.startswith(f"{prim.path}/")]
        return inside or None

    def _pairs_of_groups(self) -> Iterator[tuple[str, str]]:
        groups = {prim.path: prim for prim in self._stage.prims.values() if prim.type == "PhysicsCollisionGroup"}
        names = {path: prim.token("physics:mergeGroup", "") or path for path, prim in groups.items()}
        filtered = set(self._filtered_groups(groups, names))
        if not filtered:
            return
        members = self._members(groups, names)
        if len(members) ** 2 > _MOST_PAIRS:
            self._report([f"the groups of {len(members)} colliders"])
            return
        yield from self._fully_filtered(members, filtered)

    def _filtered_groups(self, groups: Mapping[str, Prim], names: Mapping[str, str]) -> Iterator[frozenset[str]]:
        for path, prim in groups.items():
            targets = {names[target] for target in prim.targets("physics:filteredGroups") if target in names}
            if prim.flag("physics:invertFilteredGroups", False):
                targets = set(names.values()) - targets
            yield from (frozenset((names[path], target)) for target in targets)

    def _members(self, groups: Mapping[str, Prim], names: Mapping[str, str]) -> dict[str, set[str]]:
        """Return the groups of each collider, by path."""
        members: dict[str, set[str]] = {}
        colliders = {path for own in self._colliders.values() for path in own}
        for path, prim in groups.items():
            for included in prim.facts.get("members", ()):
                inside = [included] if included in colliders else [c for c in colliders if c.startswith(f"{included}/")]
                for collider in inside:
                    members.setdefault(collider, set()).add(names[path])
        return members

    def _fully_filtered(self, members: Mapping[str, set[str]], filtered: set[frozenset[str]]) -> Iterator[tuple[str, str]]:
        unrepresented: list[str] = []
        bodies = list(dict.fromkeys(self._owners.get(collider) for collider in members))
        for first, second in combinations(bodies, 2):
            pairs = list(product(self._colliders.get(first, ()), self._colliders.get(second, ())))
            hits = [_are_filtered(members.get(a, set()), members.get(b, set()), filtered) for a, b in pairs]
            if first is not None and second is not None and hits and all(hits):
                yield first, second
            elif any(hits):
                unrepresented.append(f"{first or 'the world'} and {second or 'the world'}")
        self._report(unrepresented)

    def _report(self, unrepresented: list[str]) -> None:
        if unrepresented:
            others = f", and {len(unrepresented) - 1} other pairs" if len(unrepresented) > 1 else ""
            message = f"the filter between {unrepresented[0]}{others} is not read: they collide"
            self._stage.add(rules.UNREPRESENTED_COLLISION_FILTER, message)


def _are_filtered(first: Iterable[str], second: Iterable[str], filtered: set[frozenset[str]]) -> bool:
    return any(frozenset(pair) in filtered for pair in product(first, second))
