"""Grasps of a World: validation, editing, and the poses of grasped bodies."""

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
    """A grasp is invalid, or does not exist."""


def add_grasp(world: World, gripper_body: BodyPath, grasped_body: BodyPath, ignored_bodies: Sequence[str] = ()) -> World:
    """Return a World with a grasp from time zero on, at the relative pose of the bodies at that time.

    Args:
        world: The World.
        gripper_body: The body that grasps.
        grasped_body: The body that is grasped.
        ignored_bodies: Bodies of the gripper's model that do not collide with the grasped body, like the gripper body itself.

    Raises:
        GraspError: A body does not exist, is grasped already, or is attached to the gripper body.
    """
    grasp = Grasp(link=gripper_body, body=grasped_body, ignored_bodies=tuple(ignored_bodies))
    extended = replace(world, grasps=(*world.grasps, grasp))
    validate_grasp(extended, len(world.grasps))
    return extended


def remove_grasp(world: World, grasped_body: BodyPath) -> World:
    """Return a World without the grasp of a body.

    Raises:
        GraspError: The body is not grasped.
    """
    remaining = tuple([grasp for grasp in world.grasps if grasp.body != grasped_body])
    if len(remaining) == len(world.grasps):
        raise GraspError(f"'{path_of(grasped_body)}' is not grasped: {_grasped_names(world)}")
    return replace(world, grasps=remaining)


def validate_grasp(world: World, number: int) -> None:
    """Raise an error if one of a World's grasps is invalid together with the valid ones before it.

    Raises:
        GraspError: A body does not exist, is grasped already, or is attached to the gripper body.
    """
    possible = PossibleGrasps(world)
    for grasp in world.grasps[:number]:
        with suppress(GraspError):
            possible.add(grasp)
    possible.add(world.grasps[number])


def path_of(body: BodyPath) -> str:
    """Return the path of a body: ``MODEL/BODY``."""
    return f"{body.model}/{body.body}"


def find_body(world: World, text: str) -> BodyPath:
    """Return a body by its path ``MODEL/BODY``, by its name if it is unique, or by the name of a model with one body.

    Raises:
        GraspError: There is no such body, or there are several.
    """
    by_path = [BodyPath(model=m.name, body=b.name) for m in world.models for b in m.bodies if text == f"{m.name}/{b.name}"]
    by_name = [BodyPath(model=m.name, body=text) for m in world.models if text in m.bodies]
    by_model = [BodyPath(model=m.name, body=m.bodies[0].name) for m in world.models if m.name == text and len(m.bodies) == 1]
    found = by_path or by_name or by_model
    if len(found) == 1:
        return found[0]
    if found:
        raise GraspError(f"several models have a body '{text}': {', '.join(map(path_of, found))}")
    names = [name for m in world.models for b in m.bodies for name in (f"{m.name}/{b.name}", b.name)]
    raise GraspError(f"there is no body '{text}': {suggestion(text, names) or 'the World has no bodies'}")


class RigidGroups:
    """The groups of bodies that are connected by joints, which move as one when one of their bodies is grasped.

    Args:
        world: The World.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._root_joints: dict[str, Mapping[str, TreeJoint]] = {}
        self._bodies: dict[BodyPath, tuple[BodyPath, ...]] = {}

    def root(self, body: BodyPath) -> BodyPath:
        """Return the root of a body's group: a floating body, or one that is attached to the world."""
        return BodyPath(model=body.model, body=self._roots_of(body.model)[body.body].body.name)

    def bodies(self, body: BodyPath) -> tuple[BodyPath, ...]:
        """Return the bodies of a floating body's group; empty if the group is attached to the world."""
        root = self._roots_of(body.model)[body.body]
        if self._world.models[body.model].static or not (root.inboard is None or isinstance(root.inboard.type, Floating)):
            return ()
        return self._bodies[self.root(body)]

    def moving_root(self, body: BodyPath) -> BodyPath:
        """Return the root of a floating body's group, or the body itself if the group is attached to the world."""
        return self.root(body) if self.bodies(body) else body

    def _roots_of(self, model: str) -> Mapping[str, TreeJoint]:
        if model not in self._root_joints:
            roots = self._root_joints[model] = _tree_roots(self._world.models[model])
            bodies: dict[BodyPath, list[BodyPath]] = {}
            for name, root in roots.items():
                bodies.setdefault(BodyPath(model=model, body=root.body.name), []).append(BodyPath(model=model, body=name))
            self._bodies |= {root: tuple(group) for root, group in bodies.items()}
        return self._root_joints[model]


def _tree_roots(model: Model) -> Mapping[str, TreeJoint]:
    found: dict[str, TreeJoint] = {}
    for branch in spanning_tree(model).branches:
        parent = None if branch.inboard is None else branch.inboard.parent
        found[branch.body.name] = branch if parent is None else found[parent]
    return found


class PossibleGrasps:
    """Grasps of a World that are valid together.

    Args:
        world: The World; its own grasps are included only if they are added.
        groups: Its groups of connected bodies; computed if not given.
    """

    def __init__(self, world: World, groups: RigidGroups | None = None) -> None:
        self._world = world
        self._groups = groups or RigidGroups(world)
        self._grippers: dict[BodyPath, BodyPath] = {}
        self._attachments: AcyclicGraph[BodyPath] = AcyclicGraph()

    def add(self, grasp: Grasp) -> None:
        """Add a grasp.

        Raises:
            GraspError: A body does not exist, is grasped already, or is attached to the gripper body.
        """
        gripper_body, grasped_body = grasp.link, grasp.body
        for body in (
            gripper_body,
            grasped_body,
            *(BodyPath(model=gripper_body.model, body=name) for name in grasp.ignored_bodies),
        ):
            _require_body(self._world, body)
        if grasped_body in self._grippers:
            raise GraspError(
                f"'{path_of(grasped_body)}' is already grasped by '{path_of(self._grippers[grasped_body])}': release it first"
            )
        if self._groups.root(gripper_body) == self._groups.root(grasped_body):
            raise GraspError(f"'{path_of(gripper_body)}' cannot grasp '{path_of(grasped_body)}': joints connect them")
        is_acyclic = self._attachments.add(self._groups.moving_root(grasped_body), self._groups.moving_root(gripper_body))
        if not is_acyclic and self._groups.bodies(grasped_body):  # a body attached to the world does not move with its gripper
            raise GraspError(
                f"'{path_of(gripper_body)}' cannot grasp '{path_of(grasped_body)}', which grasps it directly or indirectly"
            )
        self._grippers[grasped_body] = gripper_body


def grasped_bodies(world: World, moving: Collection[BodyPath]) -> frozenset[BodyPath]:
    """Return the bodies that move with some others because these grasp them, directly or indirectly."""
    groups = RigidGroups(world)
    found: set[BodyPath] = set()
    for grasp in _gripper_first(world, groups):
        if grasp.body not in found and (grasp.link in moving or grasp.link in found):
            found.update(groups.bodies(grasp.body))
    return frozenset(found)


def propagate_grasped_bodies(world: World, initial: BodyPosesByModel, current: BodyPosesByModel) -> BodyPosesByModel:
    """Return poses in which grasped bodies have moved with their grippers.

    Grasped bodies attached to the world do not move: such a grasp closes a loop, which may be violated like other loops.

    Args:
        initial: The pose of every body at time zero, when the grasps start.
        current: The pose of every body from the joint coordinates.

    Raises:
        GraspError: A grasp of the World is invalid.
    """
    groups = RigidGroups(world)
    possible = PossibleGrasps(world, groups)
    for grasp in world.grasps:
        possible.add(grasp)
    result = dict(current)
    copied: set[str] = set()
    for grasp in _gripper_first(world, groups):
        gripper_body, grasped_body = grasp.link, grasp.body
        now, before = _pose_of_body(result, gripper_body), _pose_of_body(initial, gripper_body)
        if now == before and _pose_of_body(result, grasped_body) == _pose_of_body(initial, grasped_body):
            continue
        shift = now @ before.inverse() @ _pose_of_body(initial, grasped_body) @ _pose_of_body(result, grasped_body).inverse()
        if grasped_body.model not in copied:
            result[grasped_body.model] = dict(result[grasped_body.model])
            copied.add(grasped_body.model)
        for body in groups.bodies(grasped_body):
            result[body.model][body.body] = shift @ _pose_of_body(result, body)
    return result


def _pose_of_body(poses: BodyPosesByModel, body: BodyPath) -> Pose:
    return poses[body.model][body.body]


def _gripper_first(world: World, groups: RigidGroups) -> Iterator[Grasp]:
    """Yield the grasps in topological order: a gripper body gets its pose before the body that it grasps."""
    grasped_groups = [groups.moving_root(grasp.body) if groups.bodies(grasp.body) else None for grasp in world.grasps]
    pending = Counter(grasped_groups)
    del pending[None]
    waiting: dict[BodyPath, list[int]] = {}
    ready: list[int] = []
    for number, grasp in enumerate(world.grasps):
        group = groups.moving_root(grasp.link)
        if group in pending:
            waiting.setdefault(group, []).append(number)
        else:
            ready.append(number)
    while ready:
        yield from (world.grasps[number] for number in ready)
        pending.subtract(grasped_groups[number] for number in ready)
        completed = {grasped_groups[number] for number in ready}
        ready = sorted(number for group in completed if group and not pending[group] for number in waiting.get(group, ()))


def _require_body(world: World, body: BodyPath) -> None:
    if body.model not in world.models:
        raise GraspError(
            f"there is no model '{body.model}': {suggestion(body.model, world.models.names()) or 'the World has no models'}"
        )
    names = world.models[body.model].bodies.names()
    if body.body not in names:
        raise GraspError(f"'{body.model}' has no body '{body.body}': {suggestion(body.body, names) or 'it has no bodies'}")


def _grasped_names(world: World) -> str:
    names = ", ".join(path_of(grasp.body) for grasp in world.grasps)
    return f"the grasped bodies are {names}" if names else "there are no grasps"
