"""Writer of collision filters: the pairs of bodies that collide in MuJoCo, but not in the model, as ``<exclude>``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ossature.formats.mjcf.write_body import is_jointed
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.kinematics import Tree
from ossature.model import Actuation, Model
from ossature.syntax.xml import XmlNode, comment, element


def write_excludes(document: MjcfDocument, model: Model, tree: Tree) -> None:
    """Add the pairs of bodies of a model that MuJoCo's defaults let collide, and the model does not."""
    names = document.collidable.get(model.name, [])
    if document.is_mjcf_world:
        pairs = [*model.ignored_pairs, *_pairs_without_self_collision(model, names)]
        document.contacts += [_exclude(document, model, first, second) for first, second in pairs]
        return
    if len(names) < 2 or model.static:  # a pair
        return
    welds = _WeldGroups(model, tree)
    if model.joined_bodies_collide:
        document.flags["filterparent"] = "disable"
    filters_parents = document.flags.get("filterparent") != "disable"
    ignored = {frozenset(pair) for pair in model.ignored_pairs}
    adjacent = set() if model.joined_bodies_collide else _adjacent_pairs(model)
    nodes, filtered = [], []
    for first, second in combinations(names, 2):
        pair = frozenset((first, second))
        both = model.bodies[first].collides_with_own_model and model.bodies[second].collides_with_own_model
        collides = both and pair not in ignored and pair not in adjacent
        collides_in_mujoco = welds.collide(first, second, filters_parents=filters_parents)
        if collides_in_mujoco and not collides:
            nodes.append(_exclude(document, model, first, second))
        elif collides and not collides_in_mujoco:
            filtered.append(f"{first} and {second}")
    if nodes:
        if not any(body.collides_with_own_model for body in model.bodies):
            document.contacts.append(comment(f"The links of {model.name} do not collide with each other."))
        document.contacts += nodes
        document.ledger.rewritten(f"{model.name}.ignored_pairs", "pairs of bodies that do not collide are excluded")
    if filtered:
        detail = f"MuJoCo ignores contacts of bodies that fixed joints connect, and of their neighbours: {len(filtered)} pairs"
        document.ledger.approximated(f"{model.name}.ignored_pairs", detail, before=", ".join(filtered))


def _exclude(document: MjcfDocument, model: Model, first: str, second: str) -> XmlNode:
    bodies = {"body1": document.names.body(model.name, first), "body2": document.names.body(model.name, second)}
    return element("exclude", bodies)


def _pairs_without_self_collision(model: Model, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of bodies of which one has no self-collision, without those that are ignored anyway."""
    separate = {name for name in names if not model.bodies[name].collides_with_own_model}
    if not separate:
        return []
    ignored = {frozenset(pair) for pair in model.ignored_pairs}
    return [pair for pair in combinations(names, 2) if separate.intersection(pair) and frozenset(pair) not in ignored]


class _WeldGroups:
    """MuJoCo's own filter: bodies without joints between them, and such groups that are parent and child, do not collide."""

    def __init__(self, model: Model, tree: Tree) -> None:
        self._group: dict[str | None, str | None] = {None: None}
        self._parent: dict[str | None, str | None] = {None: None}
        for branch in tree.branches:
            name, parent = branch.body.name, None if branch.inboard is None else branch.inboard.parent
            if is_jointed(model, branch):
                self._group[name] = name
                self._parent[name] = self._group[parent]
            else:
                self._group[name] = self._group[parent]

    def collide(self, first: str, second: str, *, filters_parents: bool) -> bool:
        one, other = self._group[first], self._group[second]
        if one == other:
            return False
        is_near = one is not None and other is not None and (self._parent[one] == other or self._parent[other] == one)
        return not (filters_parents and is_near)


def _adjacent_pairs(model: Model) -> set[frozenset[str]]:
    """Return the pairs of bodies that a joint connects; bodies that locked joints connect count as one."""
    groups: dict[str, list[str]] = {}
    for joint in model.joints:
        if joint.actuation is Actuation.LOCKED and joint.parent is not None:
            first, second = groups.get(joint.parent, [joint.parent]), groups.get(joint.child, [joint.child])
            merged = first if first is second else [*first, *second]
            groups.update(dict.fromkeys(merged, merged))
    pairs = set()
    for joint in model.joints:
        if joint.parent is not None:
            for one in groups.get(joint.parent, [joint.parent]):
                pairs |= {frozenset((one, other)) for other in groups.get(joint.child, [joint.child])}
    return pairs
