"""What hands hold: grasps that can be, edits of a World's grasps, and where held bodies are carried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from ossature.diagnostics import OssatureError, suggestion
from ossature.kinematics.acyclic_graph import AcyclicGraph
from ossature.kinematics.spanning_tree import TreeJoint, spanning_tree
from ossature.model import BodyPath, Floating, Grasp, Model, World
from ossature.spatial import Pose

BodyPosesByModel: TypeAlias = dict[str, dict[str, Pose]]
"""Poses of bodies in the world, by model and body."""


class GraspError(OssatureError, ValueError):
    """A body cannot hold another one, or holds nothing."""


def add_grasp(world: World, gripper_body: BodyPath, held: BodyPath, ignored_bodies: Sequence[str] = ()) -> World:
    """Return a World in which one body holds another from time zero on, at the pose that it has there.

    Args:
        world: The World.
        gripper_body: The body that holds.
        held: The body that is held.
        ignored_bodies: Bodies of the holder's model that do not collide with what is held; the holder itself never does.

    Raises:
        GraspError: A body does not exist, is held already, or hangs on the holder.
    """
    grasp = Grasp(link=gripper_body, body=held, ignored_bodies=tuple(ignored_bodies))
    extended = replace(world, grasps=(*world.grasps, grasp))
    validate_grasp(extended, len(world.grasps))
    return extended


def remove_grasp(world: World, held: BodyPath) -> World:
    """Return a World in which nothing holds a body.

    Raises:
        GraspError: Nothing holds it.
    """
    left = tuple([grasp for grasp in world.grasps if grasp.body != held])
    if len(left) == len(world.grasps):
        raise GraspError(f"nothing holds '{path_of(held)}': {_grasped_names(world)}")
    return replace(world, grasps=left)


def validate_grasp(world: World, number: int) -> None:
    """Make sure that one of a World's grasps can be, with the earlier ones that can be.

    Raises:
        GraspError: A body does not exist, is held by an earlier grasp already, or hangs on the holder.
    """
    possible = PossibleGrasps(world)
    for grasp in world.grasps[:number]:
        with suppress(GraspError):
            possible.add(grasp)
    possible.add(world.grasps[number])


def path_of(body: BodyPath) -> str:
    """Return how a body is written: ``MODEL/BODY``."""
    return f"{body.model}/{body.body}"


def find_body(world: World, text: str) -> BodyPath:
    """Return the body that is meant by ``MODEL/BODY``, by a body's name that one model has, or by that of a model of one body.

    Raises:
        GraspError: There is none, or there are several.
    """
    full = [BodyPath(model=m.name, body=b.name) for m in world.models for b in m.bodies if text == f"{m.name}/{b.name}"]
    bare = [BodyPath(model=m.name, body=text) for m in world.models if text in m.bodies]
    whole = [BodyPath(model=m.name, body=m.bodies[0].name) for m in world.models if m.name == text and len(m.bodies) == 1]
    found = full or bare or whole
    if len(found) == 1:
        return found[0]
    if found:
        raise GraspError(f"several models have a body '{text}': {', '.join(map(path_of, found))}")
    names = [name for m in world.models for b in m.bodies for name in (f"{m.name}/{b.name}", b.name)]
    raise GraspError(f"there is no body '{text}': {suggestion(text, names) or 'there are none'}")


class RigidGroups:
    """What is connected by joints: the pieces of a World that hands can carry away as they are.

    Args:
        world: The World.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._roots: dict[str, Mapping[str, TreeJoint]] = {}
        self._bodies: dict[BodyPath, tuple[BodyPath, ...]] = {}

    def root(self, body: BodyPath) -> BodyPath:
        """Return the body on which another one stands: one that floats, or that hangs on the world."""
        return BodyPath(model=body.model, body=self._of(body.model)[body.body].body.name)

    def bodies(self, body: BodyPath) -> tuple[BodyPath, ...]:
        """Return the bodies that go along when one of them is carried away; none where they hang on the world."""
        root = self._of(body.model)[body.body]
        if self._world.models[body.model].static or not _floats(root):
            return ()
        return self._bodies[self.root(body)]

    def carried_with(self, body: BodyPath) -> BodyPath:
        """Return the root of a piece that hands can carry away, and of others the body itself."""
        return self.root(body) if self.bodies(body) else body

    def _of(self, model: str) -> Mapping[str, TreeJoint]:
        if model not in self._roots:
            roots = self._roots[model] = _roots(self._world.models[model])
            bodies: dict[BodyPath, list[BodyPath]] = {}
            for name, root in roots.items():
                bodies.setdefault(BodyPath(model=model, body=root.body.name), []).append(BodyPath(model=model, body=name))
            self._bodies |= {root: tuple(piece) for root, piece in bodies.items()}
        return self._roots[model]


def _roots(model: Model) -> Mapping[str, TreeJoint]:
    found: dict[str, TreeJoint] = {}
    for branch in spanning_tree(model).branches:
        parent = None if branch.inboard is None else branch.inboard.parent
        found[branch.body.name] = branch if parent is None else found[parent]
    return found


def _floats(root: TreeJoint) -> bool:
    return root.inboard is None or isinstance(root.inboard.type, Floating)


class PossibleGrasps:
    """Grasps of a World that can be at the same time.

    Args:
        world: The World; its own grasps are not among them unless they are added.
        pieces: Its pieces, if they are known.
    """

    def __init__(self, world: World, pieces: RigidGroups | None = None) -> None:
        self._world = world
        self._pieces = pieces or RigidGroups(world)
        self._holders: dict[BodyPath, BodyPath] = {}
        self._holding: AcyclicGraph[BodyPath] = AcyclicGraph()

    def add(self, grasp: Grasp) -> None:
        """Add a grasp.

        Raises:
            GraspError: A body does not exist, is held already, or hangs on the holder.
        """
        gripper_body, held = grasp.link, grasp.body
        for body in (gripper_body, held, *(BodyPath(model=gripper_body.model, body=name) for name in grasp.ignored_bodies)):
            _require_body(self._world, body)
        if held in self._holders:
            raise GraspError(f"'{path_of(held)}' is held already, by '{path_of(self._holders[held])}': release it first")
        if self._pieces.root(gripper_body) == self._pieces.root(held):
            raise GraspError(f"'{path_of(gripper_body)}' cannot hold '{path_of(held)}': they are parts of one thing")
        is_acyclic = self._holding.add(self._pieces.carried_with(held), self._pieces.carried_with(gripper_body))
        if not is_acyclic and self._pieces.bodies(held):  # what hangs on the world is not carried by its holder
            raise GraspError(f"'{path_of(gripper_body)}' cannot hold '{path_of(held)}', which holds it")
        self._holders[held] = gripper_body


def grasped_bodies(world: World, moving: Collection[BodyPath]) -> frozenset[BodyPath]:
    """Return the bodies that move with some others, because these hold them, or hold what holds them."""
    pieces = RigidGroups(world)
    found: set[BodyPath] = set()
    for grasp in _outward(world, pieces):
        if grasp.body not in found and (grasp.link in moving or grasp.link in found):
            found.update(pieces.bodies(grasp.body))
    return frozenset(found)


def propagate_grasped_bodies(world: World, start: BodyPosesByModel, placed: BodyPosesByModel) -> BodyPosesByModel:
    """Return poses in which held bodies have come along with what holds them.

    What hangs on the world stays where it is: such a grasp closes a loop, and is as open as other loops are.

    Args:
        world: The World.
        start: Where every body is at time zero, when the grasps begin.
        placed: Where joint coordinates put every body.

    Raises:
        GraspError: A grasp of the World cannot be.
    """
    pieces = RigidGroups(world)
    possible = PossibleGrasps(world, pieces)
    for grasp in world.grasps:
        possible.add(grasp)
    result = dict(placed)
    copied: set[str] = set()
    for grasp in _outward(world, pieces):
        gripper_body, held = grasp.link, grasp.body
        here, before = _at(result, gripper_body), _at(start, gripper_body)
        if here == before and _at(result, held) == _at(start, held):
            continue
        shift = here @ before.inverse() @ _at(start, held) @ _at(result, held).inverse()
        if held.model not in copied:
            result[held.model] = dict(result[held.model])
            copied.add(held.model)
        for body in pieces.bodies(held):
            result[body.model][body.body] = shift @ _at(result, body)
    return result


def _at(placed: BodyPosesByModel, body: BodyPath) -> Pose:
    return placed[body.model][body.body]


def _outward(world: World, pieces: RigidGroups) -> Iterator[Grasp]:
    """Yield the grasps in an order in which a holder is in place before what it holds."""
    held_pieces = [pieces.carried_with(grasp.body) if pieces.bodies(grasp.body) else None for grasp in world.grasps]
    pending = Counter(held_pieces)
    del pending[None]
    waiting: dict[BodyPath, list[int]] = {}
    ready: list[int] = []
    for number, grasp in enumerate(world.grasps):
        piece = pieces.carried_with(grasp.link)
        if piece in pending:
            waiting.setdefault(piece, []).append(number)
        else:
            ready.append(number)
    while ready:
        yield from (world.grasps[number] for number in ready)
        pending.subtract(held_pieces[number] for number in ready)
        placed = {held_pieces[number] for number in ready}
        ready = sorted(number for held in placed if held and not pending[held] for number in waiting.get(held, ()))


def _require_body(world: World, body: BodyPath) -> None:
    if body.model not in world.models:
        raise GraspError(f"there is no model '{body.model}': {suggestion(body.model, world.models.names())}")
    names = world.models[body.model].bodies.names()
    if body.body not in names:
        raise GraspError(f"'{body.model}' has no body '{body.body}': {suggestion(body.body, names) or 'there are none'}")


def _grasped_names(world: World) -> str:
    held = ", ".join(path_of(grasp.body) for grasp in world.grasps)
    return f"held are {held}" if held else "no hand holds anything"
