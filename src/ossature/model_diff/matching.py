"""Which bodies and joints of two models correspond: by name, then by structure, so that renamed ones are found."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ossature.kinematics import Connection, Tree, TreeJoint, pose_parent_joint, spanning_tree
from ossature.kinematics.principal_inertia import principal_inertia
from ossature.model import Body, Fixed, Floating, Joint, Model, World
from ossature.model_diff.screw_axes import is_same_kind
from ossature.spatial import Vector3, norm, subtract

_SAME = 0.5
"""Share of agreeing properties from which two bodies of different names are the same one, renamed."""
_SAME_ALONE = 0.25
"""The same for bodies that are the only ones left below corresponding parents."""
_WEIGHT_OF_STRUCTURE = 3
_MOST_PAIRS = 2_500
"""Most pairs of siblings of which each is compared."""
_PLACES = 6
"""Digits after the point to which positions of equal bodies agree [m]."""
_NEAR = 1e-3
"""Relative difference of masses, moments and lengths up to which they count as agreeing here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two models, with its spanning tree.

    Attributes:
        branches: The bodies by name.
        children: The names of the children of each body, and of the world.
        structures: For each body a hash of the joints below it: equal for equal trees of joints, whatever their order.
    """

    model: Model
    tree: Tree
    branches: dict[str, TreeJoint] = field(repr=False)
    children: dict[str | None, list[str]] = field(repr=False)
    structures: dict[str, int] = field(repr=False)

    @classmethod
    def of(cls, model: Model) -> Side:
        """Return a model with its spanning tree."""
        tree = spanning_tree(model)
        children: dict[str | None, list[str]] = {}
        for branch in tree.branches:
            children.setdefault(_parent(branch), []).append(branch.body.name)
        branches = {branch.body.name: branch for branch in tree.branches}
        return cls(model=model, tree=tree, branches=branches, children=children, structures=_structures(tree, children))

    def parent(self, body: str) -> str | None:
        """Return the parent of a body in the tree, or None for the world."""
        return _parent(self.branches[body])

    def inboard(self, body: str) -> Joint | None:
        """Return the joint of a body in the tree, directed to it; None for a floating body."""
        joint = self.branches[body].inboard
        is_free = joint is not None and isinstance(joint.type, Floating) and joint.parent is None
        return None if is_free else joint

    def connection(self, body: str) -> Connection | None:
        """Return the joint or motor of the model that the inboard joint of a body comes from."""
        return self.branches[body].connection

    def subtree(self, body: str) -> Iterator[str]:
        """Yield a body and all below it."""
        pending = [body]
        while pending:
            name = pending.pop()
            yield name
            pending += self.children.get(name, [])


def _structures(tree: Tree, children: dict[str | None, list[str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    kinds: dict[str, int] = {}
    for branch in reversed(tree.branches):
        name, inboard = branch.body.name, branch.inboard
        below = [(kinds[child], found[child]) for child in children.get(name, [])]
        # A frame that is fixed to a body is no part of the structure.
        found[name] = hash(tuple(sorted([pair for pair in below if pair != (0, _LEAF)]))) if any(below) else _LEAF
        kinds[name] = 0 if inboard is None else inboard.degrees_of_freedom
    return found


_LEAF = hash(())


def _parent(branch: TreeJoint) -> str | None:
    return None if branch.inboard is None else branch.inboard.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Corresponding bodies and joints of two models: names in A to names in B."""

    bodies: dict[str, str]
    joints: dict[str, str]


def match_models(a: World, b: World) -> list[tuple[Model, Model]]:
    """Return the pairs of models that correspond: by name, then by the most common names of bodies, then in order."""
    pairs = {name: name for name in a.models.names() if name in b.models}
    for one in a.models:
        free = [model for model in b.models if model.name not in pairs.values()]
        if one.name in pairs or not free:
            continue
        shared = [len({*one.bodies.names()} & {*other.bodies.names()}) for other in free]
        is_only = len(free) == 1 and sum(model.name not in pairs for model in a.models) == 1
        if max(shared) or is_only:
            pairs[one.name] = free[shared.index(max(shared))].name
    return [(model, b.models[pairs[model.name]]) for model in a.models if model.name in pairs]


def match_elements(a: Side, b: Side) -> Matching:
    """Return the bodies and joints that correspond."""
    bodies = {name: name for name in a.branches if name in b.branches}
    _match_respelled_bodies(a, b, bodies)
    _match_renamed_bodies(a, b, bodies)
    return Matching(bodies=bodies, joints=_match_joints(a, b, bodies))


def _match_respelled_bodies(a: Side, b: Side, bodies: dict[str, str]) -> None:
    """Add bodies whose names differ only in case and punctuation: ``HalfArm1_Link`` and ``half_arm_1_link``."""
    used = {*bodies.values()}
    spelled: dict[str, list[str]] = {}
    for name in b.branches:
        if name not in used:
            spelled.setdefault(_plain(name), []).append(name)
    mine = Counter(_plain(name) for name in a.branches if name not in bodies)
    for name in a.branches:
        found = spelled.get(_plain(name), [])
        if name not in bodies and len(found) == 1 and mine[_plain(name)] == 1:
            bodies[name] = found[0]


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _match_renamed_bodies(a: Side, b: Side, bodies: dict[str, str]) -> None:
    """Add bodies whose parents or children correspond and which agree in most properties, the best agreement first."""
    search = _RenamedBodies(a, b, bodies)
    while search.match_some():
        pass


class _RenamedBodies:
    """The search for bodies with other names, from bodies that correspond to their parents and children.

    Of siblings with more than :data:`_MOST_PAIRS` pairs, those with equal properties correspond, in the order of the files.
    """

    def __init__(self, a: Side, b: Side, bodies: dict[str, str]) -> None:
        self._a, self._b, self._bodies = a, b, bodies
        self._used = {*bodies.values()}
        self._order_a = {name: number for number, name in enumerate(a.branches)}
        self._order_b = {name: number for number, name in enumerate(b.branches)}
        self._frontier: set[str] = set()
        for name in (None, *bodies):
            self._extend_frontier(name)
        self._traits: dict[tuple[str, str], list[bool]] = {}
        self._closeness: dict[tuple[str, str], float] = {}

    def match_some(self) -> bool:
        """Add the best candidates of each family of siblings; return whether there were any."""
        found: list[tuple[float, int, str, str]] = []
        is_changed = False
        for ones, siblings in self._families():
            if len(ones) * len(siblings) > _MOST_PAIRS:
                is_changed |= self._match_equal_siblings(ones, siblings)
            else:
                candidates = [candidate for one in ones for candidate in self._candidates(one, ones, siblings)]
                best = max((agreement for agreement, *_ in candidates), default=0.0)
                found += [candidate for candidate in candidates if candidate[0] == best]
        found.sort(key=lambda candidate: -candidate[0])
        for _, _, one, other in found:
            if one not in self._bodies and other not in self._used:
                self._add(one, other)
        return is_changed or bool(found)

    def _add(self, one: str, other: str) -> None:
        self._bodies[one] = other
        self._used.add(other)
        self._frontier.discard(one)
        self._extend_frontier(one)

    def _extend_frontier(self, name: str | None) -> None:
        """Add the bodies of A next to one that corresponds to a body of B, or to the world."""
        near = [*self._a.children.get(name, []), *([] if name is None else [self._a.parent(name)])]
        self._frontier.update([one for one in near if one is not None and one not in self._bodies])

    def _families(self) -> Iterator[tuple[list[str], list[str]]]:
        """Yield bodies of A of one parent, and the bodies of B whose parent corresponds to it, none of them in a pair yet."""
        families: dict[str | None, list[str]] = {}
        for one in sorted(self._frontier, key=self._order_a.__getitem__):
            families.setdefault(self._a.parent(one), []).append(one)
        for parent, ones in families.items():
            is_known = parent is None or parent in self._bodies
            siblings = self._b.children.get(None if parent is None else self._bodies[parent], []) if is_known else []
            yield ones, [name for name in siblings if name not in self._used]

    def _candidates(self, one: str, ones: list[str], siblings: list[str]) -> Iterator[tuple[float, int, str, str]]:
        parents = {self._b.parent(self._bodies[child]) for child in self._a.children.get(one, []) if child in self._bodies}
        others = {*siblings, *(parent for parent in parents if parent is not None and parent not in self._used)}
        for other in sorted(others, key=self._order_b.__getitem__):
            agreement = self._agreement(one, other)
            is_alone = len(ones) == 1 and len(siblings) < 2 and self._is_only_choice(one, other)
            if agreement >= (_SAME_ALONE if is_alone else _SAME):
                yield agreement + self._closeness[one, other], self._order_b[other], one, other

    def _is_only_choice(self, one: str, other: str) -> bool:
        """Whether bodies are moved by joints of the same type, and are the only ones below their parents without a match."""
        joints = self._a.inboard(one), self._b.inboard(other)
        if joints[0] is not None and joints[1] is not None and not is_same_kind(joints[0].type, joints[1].type):
            return False
        left = [child for child in self._a.children.get(self._a.parent(one), []) if child not in self._bodies]
        right = [child for child in self._b.children.get(self._b.parent(other), []) if child not in self._used]
        return left == [one] and right == [other]

    def _agreement(self, one: str, other: str) -> float:
        """Return the share of properties in which two bodies agree; properties that neither of them has are left out."""
        pair = one, other
        if pair not in self._traits:
            self._traits[pair] = _traits(self._a, self._b, one, other)
            self._closeness[pair] = _closeness(self._a, self._b, one, other)
        below = self._b.children.get(other, [])
        found = self._traits[pair]
        if below:
            children = [self._bodies[child] for child in self._a.children.get(one, []) if child in self._bodies]
            found = found + [child in below for child in children]
        return sum(found) / len(found)

    def _match_equal_siblings(self, ones: list[str], siblings: list[str]) -> bool:
        """Add siblings with equal properties, first those at equal places; return whether there were any."""
        count = len(self._bodies)
        for properties in (_properties_and_place, _properties):
            equal: dict[Hashable, deque[str]] = {}
            for other in siblings:
                if other not in self._used:
                    equal.setdefault(properties(self._b, other), deque()).append(other)
            for one in ones:
                others = equal.get(properties(self._a, one)) if one not in self._bodies else None
                if others:
                    self._add(one, others.popleft())
        return len(self._bodies) > count


def _properties_and_place(side: Side, name: str) -> Hashable:
    return _properties(side, name), tuple([round(value, _PLACES) for value in _place(side, name)])


def _properties(side: Side, name: str) -> Hashable:
    """Return what renamed bodies have in common: their joints, masses, kinds of shapes, and the joints below them."""
    body, joint = side.model.bodies[name], side.inboard(name)
    visuals, collisions = ([type(shape.geometry) for shape in shapes] for shapes in (body.visuals, body.collisions))
    limits = () if joint is None else tuple([coordinate.position_limits for coordinate in joint.coordinates])
    kind = None if joint is None else type(joint.type)
    below = side.structures[name], len(side.children.get(name, []))
    return kind, limits, f"{body.inertial.mass:.6g}", (*visuals,), (*collisions,), below


def _traits(a: Side, b: Side, one: str, other: str) -> list[bool]:
    """Return in which properties two bodies agree, without those that depend on other correspondences."""
    found = [*_body_traits(a.model.bodies[one], b.model.bodies[other]), *_joint_traits(a, b, one, other)]
    found.append(len(a.children.get(one, [])) == len(b.children.get(other, [])))
    if _LEAF not in (a.structures[one], b.structures[other]):
        found += [a.structures[one] == b.structures[other]] * _WEIGHT_OF_STRUCTURE
    return found


def _closeness(a: Side, b: Side, one: str, other: str) -> float:
    """Return up to 0.1 for bodies at the same place in their parents, so that of several candidates the nearest is first."""
    return 0.1 / (1.0 + 100.0 * norm(subtract(_place(a, one), _place(b, other))))


def _place(side: Side, name: str) -> Vector3:
    """Return the position of a body in its parent [m]."""
    return (side.model.body_pose(side.parent(name)).inverse() @ side.model.bodies[name].pose).position


def _body_traits(a: Body, b: Body) -> Iterator[bool]:
    first, second = a.inertial, b.inertial
    if first.mass or second.mass:
        yield _is_near([first.mass], [second.mass])
        yield _is_near(first.center_of_mass, second.center_of_mass)
    if first.moment is not None and second.moment is not None and (first.mass or second.mass):
        yield _is_near(_moments(a), _moments(b))
    for shapes in ((a.visuals, b.visuals), (a.collisions, b.collisions)):
        if shapes[0] or shapes[1]:
            yield [type(shape.geometry) for shape in shapes[0]] == [type(shape.geometry) for shape in shapes[1]]
            yield [shape.geometry for shape in shapes[0]] == [shape.geometry for shape in shapes[1]]


def _moments(body: Body) -> Sequence[float]:
    import numpy as np

    found = principal_inertia(np.array(body.inertial.moment))
    return () if found is None else found.moments


def _joint_traits(a: Side, b: Side, one: str, other: str) -> Iterator[bool]:
    first, second = a.inboard(one), b.inboard(other)
    if first is None or second is None:
        yield first is second
        return
    yield type(first.type) is type(second.type)
    yield first.name == second.name
    places = [pose_parent_joint(side.model, joint).position for side, joint in ((a, first), (b, second))]
    yield norm(subtract(*places)) <= _NEAR * (1.0 + norm(places[0]))
    if not isinstance(first.type, Fixed):
        yield [limits.position_limits for limits in first.coordinates] == [
            limits.position_limits for limits in second.coordinates
        ]


def _is_near(a: Sequence[float], b: Sequence[float]) -> bool:
    largest = max(map(abs, (*a, *b)), default=0.0)
    return len(a) == len(b) and all(
        math.isclose(x, y, rel_tol=_NEAR, abs_tol=_NEAR * largest) for x, y in zip(a, b, strict=True)
    )


def _match_joints(a: Side, b: Side, bodies: dict[str, str]) -> dict[str, str]:
    """Return the joints that correspond: those of corresponding bodies in the trees, then by name, then by their bodies."""
    joints: dict[str, str] = {}
    for one, other in bodies.items():
        first, second = a.connection(one), b.connection(other)
        if first is not None and second is not None and first.is_joint and second.is_joint:
            joints[first.name] = second.name
    free_a = [joint for joint in a.model.joints if joint.name not in joints]
    free_b = {joint.name: joint for joint in b.model.joints if joint.name not in joints.values()}
    for joint in free_a:
        if joint.name in free_b:
            joints[joint.name] = free_b.pop(joint.name).name
    for joint in free_a:
        if joint.name not in joints:
            found = _first_between(free_b.values(), {_mapped(joint.parent, bodies), _mapped(joint.child, bodies)})
            if found is not None:
                joints[joint.name] = free_b.pop(found).name
    return joints


def _first_between(joints: Iterable[Joint], bodies: set[str | None]) -> str | None:
    return next((joint.name for joint in joints if {joint.parent, joint.child} == bodies), None)


def _mapped(body: str | None, bodies: dict[str, str]) -> str | None:
    return None if body is None else bodies.get(body, f"\0{body}")
