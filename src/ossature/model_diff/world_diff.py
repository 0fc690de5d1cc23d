"""The differences between two Worlds, in words of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ossature.argument_types import require_not_negative, typed_arguments
from ossature.assets import MeshStore
from ossature.kinematics import FormulaError, swaps_axes
from ossature.model import Joint, JointPosition, Model, NamedList, World
from ossature.model.merge_bodies import express_in
from ossature.model.model import COLLECTIONS
from ossature.model.name_references import map_references
from ossature.model.value_text import kind_text
from ossature.model_diff.alignment import Alignment, align
from ossature.model_diff.body_contents import ContentComparison, body_in_frame
from ossature.model_diff.body_distances import ModelPair, pose_distances
from ossature.model_diff.changes import Category, Change, PathPair, WorldDiff
from ossature.model_diff.field_comparison import absent_change, field_changes
from ossature.model_diff.joint_motions import (
    SAME_COORDINATE,
    CoordinateRelation,
    are_equal_couplings,
    compare_inboard_joints,
    coordinate_as_specified,
    coordinate_in_a,
    pose_change,
)
from ossature.model_diff.matching import Side, match_models
from ossature.model_diff.one_sided_bodies import merge_one_sided_bodies, subtree_changes
from ossature.model_diff.tolerance import DEFAULT_TOLERANCE, are_equal_poses
from ossature.spatial import IDENTITY

_POSE_FACTOR = 100.0
"""Bodies are farther apart than the tolerance, because deviations of joints add up along an arm."""


@typed_arguments
def diff(
    a: World | str | Path,
    b: World | str | Path,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
    meshes_a: MeshStore | None = None,
    meshes_b: MeshStore | None = None,
) -> WorldDiff:
    """Return the differences between two Worlds or model files, in words of the model.

    Unlike :func:`ossature.compare`, which compares all fields exactly, it finds what differs between two robots: bodies and
    joints are matched by name, and by structure if they are renamed; quantities are compared in common frames, so that other
    frames of bodies, or another zero or sign of a joint, are one difference each.

    Args:
        a: The first World, or its file.
        b: The second World, or its file.
        tolerance: Largest difference that is not reported: of lengths [m] and angles [rad], else relative.
        meshes_a: The meshes of A; by default they are found relative to its file.
        meshes_b: The meshes of B, likewise.

    Raises:
        LoadError: A file has an error.
        ValueError: The tolerance is negative or not finite.
    """
    require_not_negative("tolerance", tolerance)
    world_a, world_b = _load(a), _load(b)
    comparison = ContentComparison(
        meshes_a=meshes_a or MeshStore.of(world_a), meshes_b=meshes_b or MeshStore.of(world_b), tolerance=tolerance
    )
    pairs = [_ModelDiff(one, other, comparison) for one, other in match_models(world_a, world_b)]
    changes = [change for pair in pairs for change in pair.changes()]
    changes += _one_sided_models(world_a, world_b, {pair.a.model.name: pair.b.model.name for pair in pairs})
    changes += _world_changes(world_a, _world_in_a(world_b, pairs), tolerance)
    poses = pose_distances([pair.pair() for pair in pairs])
    if poses is not None and poses.anywhere > _POSE_FACTOR * max(tolerance, 1e-9) and not _explain_poses(changes):
        text = f"differ by up to {poses.anywhere:.3g} m at equal joint positions"
        changes.append(PathPair(poses.body, poses.body).change(Category.KINEMATICS, "poses", text, amount=poses.anywhere))
    order = list(Category)
    return WorldDiff(
        changes=tuple(sorted(changes, key=lambda change: order.index(change.category))),
        tolerance=tolerance,
        poses=poses,
        bodies={key: value for pair in pairs for key, value in pair.paths(pair.matching.bodies).items()},
        joints={key: value for pair in pairs for key, value in pair.paths(pair.matching.joints).items()},
        notes=(*comparison.notes, *comparison.notes_about_meshes()),
    )


def _load(specified: World | str | Path) -> World:
    if isinstance(specified, World):
        return specified
    from ossature.io import load

    return load(specified)


def _explain_poses(changes: list[Change]) -> bool:
    """Whether a difference of joints or couplings is the reason for different poses."""
    return any(change.category in (Category.KINEMATICS, Category.STRUCTURE, Category.LIMITS) for change in changes)


def _one_sided_models(a: World, b: World, names: dict[str, str]) -> Iterator[Change]:
    for world, matched, is_a in ((a, {*names}, True), (b, {*names.values()}, False)):
        for model in world.models:
            if model.name not in matched:
                paths = PathPair.one_sided(model.name, is_in_a=is_a)
                yield paths.change(category=Category.STRUCTURE, quantity="model", text=f"{model.summary}, {model.mass:g} kg")


def _world_in_a(world: World, pairs: list[_ModelDiff]) -> World:
    """Return the World B with the names of A in its grasps and trajectories, without its models."""
    from ossature.model.edit import rename

    renamed = world
    for pair in pairs:
        old, new = pair.b.model.name, pair.a.model.name
        for names in (pair.matching.bodies, pair.matching.joints):
            mapping = {other: one for one, other in names.items() if one != other}
            if mapping:
                is_body = names is pair.matching.bodies
                renamed = _with_mapped_references(renamed, old, mapping if is_body else {}, {} if is_body else mapping)
        if old != new and new not in renamed.models:
            renamed = rename(renamed, old, new, Model)
    return renamed


def _with_mapped_references(world: World, model: str, bodies: dict[str, str], joints: dict[str, str]) -> World:
    grasps = [
        replace(
            grasp,
            link=map_references(grasp.link, {"bodies": bodies}) if grasp.link.model == model else grasp.link,
            body=map_references(grasp.body, {"bodies": bodies}) if grasp.body.model == model else grasp.body,
            ignored_bodies=tuple(
                [bodies.get(name, name) if grasp.link.model == model else name for name in grasp.ignored_bodies]
            ),
        )
        for grasp in world.grasps
    ]
    trajectories = world.trajectories.map(
        lambda one: replace(
            one,
            channels=tuple(
                [map_references(item, {"joints": joints}) if item.model == model else item for item in one.channels]
            ),
        )
    )
    return replace(world, grasps=tuple(grasps), trajectories=trajectories)


def _world_changes(a: World, b: World, tolerance: float) -> Iterator[Change]:
    plain = [replace(world, models=NamedList(), trajectories=NamedList()) for world in (a, b)]
    yield from field_changes(plain[0], plain[1], PathPair("", ""), tolerance)
    yield from _named_changes("", "", a.trajectories, b.trajectories, tolerance)


def _named_changes(prefix_a: str, prefix_b: str, a: NamedList[Any], b: NamedList[Any], tolerance: float) -> Iterator[Change]:
    """Yield the differences of elements with names; those that differ by their names only are renamed."""
    left, right = ({element.name: element for element in reversed(list(side))} for side in (a, b))
    for one in [element for name, element in left.items() if name not in right]:
        other = next((new for name, new in right.items() if name not in left and _is_renamed(one, new, tolerance)), None)
        if other is not None:
            del left[one.name], right[other.name]
            yield _renamed(kind_text(type(one)), f"{prefix_a}{one.name}", f"{prefix_b}{other.name}")
    for name in dict.fromkeys([*left, *right]):
        one, other = left.get(name), right.get(name)
        paths = PathPair(f"{prefix_a}{name}", f"{prefix_b}{name}")
        if one is None or other is None:
            yield absent_change(one or other, PathPair(paths.a if one else None, paths.b if other else None))
        else:
            yield from field_changes(one, other, paths, tolerance)


def _is_renamed(a: Any, b: Any, tolerance: float) -> bool:
    return type(a) is type(b) and not any(field_changes(a, replace(b, name=a.name), PathPair("", ""), tolerance))


def _renamed(kind: str, path_a: str, path_b: str) -> Change:
    text = f"'{path_a.rpartition('/')[2]}' → '{path_b.rpartition('/')[2]}'"
    return PathPair(path_a, path_b).change(Category.NAMES, f"name of the {kind}", text, "name")


class _ModelDiff:
    def __init__(self, a: Model, b: Model, comparison: ContentComparison) -> None:
        self._comparison, self._tolerance = comparison, comparison.tolerance
        meshes = comparison.meshes_a, comparison.meshes_b
        self.a, self.b, self.matching, self._merged = merge_one_sided_bodies(a, b, meshes, self._tolerance)
        self._alignment: Alignment = align(self.a, self.b, self.matching, self._tolerance)
        self._maps: dict[str, tuple[CoordinateRelation, ...]] = {}

    def paths(self, names: dict[str, str]) -> dict[str, str]:
        return {f"{self.a.model.name}/{one}": f"{self.b.model.name}/{other}" for one, other in names.items()}

    def pair(self) -> ModelPair:
        """Return the models with the maps of the joints that their poses depend on."""
        return ModelPair(a=self.a, b=self.b, matching=self.matching, alignment=self._alignment, maps=self._posable_maps())

    def _posable_maps(self) -> dict[str, tuple[CoordinateRelation, ...]]:
        """Return the maps of joints whose coordinates are in the same order in both trees."""
        swapped = {
            branch.connection.name
            for side in (self.a, self.b)
            for branch in side.tree.branches
            if branch.is_reversed and branch.connection is not None and swaps_axes(branch.connection.joint.type)
        }
        return {name: maps for name, maps in self._maps.items() if not {name, self.matching.joints[name]} & swapped}

    def changes(self) -> Iterator[Change]:
        yield from self._merged
        yield from subtree_changes(self.a, self.b, self.matching)
        yield from self._name_changes()
        yield from self._joint_motion_changes()
        for one, other in self.matching.bodies.items():
            yield from self._body_changes(one, other)
        yield from self._joint_changes()
        yield from self._element_changes()

    # Names

    def _name_changes(self) -> Iterator[Change]:
        if self.a.model.name != self.b.model.name:
            yield _renamed("model", self.a.model.name, self.b.model.name)
        for kind, names in (("body", self.matching.bodies), ("joint", self.matching.joints)):
            for one, other in names.items():
                if one != other:
                    yield _renamed(kind, f"{self.a.model.name}/{one}", f"{self.b.model.name}/{other}")

    # Joints

    def _joint_motion_changes(self) -> Iterator[Change]:
        for one, other in self.matching.bodies.items():
            found = compare_inboard_joints(self.a, self.b, one, self.matching, self._alignment, self._tolerance)
            if found is None:
                continue
            yield from found.changes
            name = self._joint_name(self.a, one)
            if found.coordinates is not None and name is not None and self._joint_name(self.b, other) is not None:
                self._maps[name] = found.coordinates

    def _joint_changes(self) -> Iterator[Change]:
        sources = {
            JointPosition(joint=name, coordinate=index): by
            for name, maps in self._maps.items()
            for index, by in enumerate(maps)
        }
        inboard = self._inboard_joints()
        for one, other in self.matching.joints.items():
            in_tree = one in inboard
            first, second = inboard.get(one, (self.a.model.joints[one], self.b.model.joints[other]))
            second = self._joint_in_a(second)
            if not in_tree:
                yield from self._loop_joint_changes(first, second, other)
            paths = PathPair(f"{self.a.model.name}/{one}", f"{self.b.model.name}/{other}")
            if first.degrees_of_freedom == second.degrees_of_freedom:
                maps = self._maps.get(one, (SAME_COORDINATE,) * first.degrees_of_freedom)
                second = replace(second, coordinates=self._coordinates_in_a(first, second, maps, sources))
            else:
                second = replace(second, type=first.type, coordinates=first.coordinates)
            neutral = replace(second, name=first.name, type=first.type, parent=first.parent, child=first.child, pose=first.pose)
            yield from field_changes(first, neutral, paths, self._tolerance)

    def _inboard_joints(self) -> dict[str, tuple[Joint, Joint]]:
        """Return the joints of both trees as they are directed in them, by name in A."""
        found: dict[str, tuple[Joint, Joint]] = {}
        for one, other in self.matching.bodies.items():
            name = self._joint_name(self.a, one)
            pair = self.a.branches[one].inboard, self.b.branches[other].inboard
            if name is None or pair[0] is None or pair[1] is None:
                continue
            if self.matching.joints.get(name) == self._joint_name(self.b, other):
                found[name] = pair[0], pair[1]
        return found

    @staticmethod
    def _joint_name(side: Side, body: str) -> str | None:
        """Return the name of the joint that moves a body, or None if it floats or a motor moves it."""
        connection = side.connection(body)
        return connection.name if connection is not None and connection.is_joint else None

    def _joint_in_a(self, joint: Joint) -> Joint:
        moved: Joint = self._with_names_of_a(self._in_frames_of_a(joint))
        return moved

    def _coordinates_in_a(
        self,
        first: Joint,
        second: Joint,
        maps: tuple[CoordinateRelation, ...],
        sources: dict[JointPosition, CoordinateRelation],
    ) -> tuple[Any, ...]:
        found = []
        for one, other, by in zip(first.coordinates, second.coordinates, maps, strict=True):
            mapped = coordinate_as_specified(one, other, coordinate_in_a(other, by), self._tolerance)
            if one.coupling is not None and mapped.coupling is not None and self._are_equal_couplings(one, mapped, by, sources):
                mapped = replace(mapped, coupling=replace(mapped.coupling, position=one.coupling.position))
            found.append(mapped)
        return tuple(found)

    def _are_equal_couplings(
        self, one: Any, other: Any, by: CoordinateRelation, sources: dict[JointPosition, CoordinateRelation]
    ) -> bool:
        try:
            return are_equal_couplings(one.coupling, other.coupling, by, sources, self._tolerance)
        except (FormulaError, ArithmeticError, ValueError):
            return False

    def _loop_joint_changes(self, first: Joint, second: Joint, other: str) -> Iterator[Change]:
        """Yield the differences of joints that close loops, or of which not all bodies correspond."""
        paths = PathPair(f"{self.a.model.name}/{first.name}", f"{self.b.model.name}/{other}")
        plain = replace(second, name=first.name, coordinates=(), actuation=first.actuation, extensions=first.extensions)
        yield from field_changes(replace(first, coordinates=()), plain, paths, self._tolerance)

    # Bodies

    def _body_changes(self, one: str, other: str) -> Iterator[Change]:
        first, second = self.a.model.bodies[one], self.b.model.bodies[other]
        frame = self._alignment.of(one)
        paths = PathPair(f"{self.a.model.name}/{one}", f"{self.b.model.name}/{other}")
        if frame is not IDENTITY:
            yield pose_change("body frame", IDENTITY, frame, paths, category=Category.FRAMES)
        yield from self._comparison.changes(first, second, frame, paths)
        moved = body_in_frame(second, frame)
        own = None if None in (first.self_collisions, moved.self_collisions) else first.self_collisions
        neutral = replace(
            moved,
            name=first.name,
            pose=first.pose,
            inertial=first.inertial,
            visuals=first.visuals,
            collisions=first.collisions,
            frames=first.frames,
            self_collisions=moved.self_collisions if own is None else own,
        )
        yield from field_changes(first, neutral, paths, self._tolerance)

    # Everything else

    def _element_changes(self) -> Iterator[Change]:
        a, b = self.a.model, self.b.model
        prefixes = f"{a.name}/", f"{b.name}/"
        for collection in COLLECTIONS:
            if collection not in ("bodies", "joints"):
                in_a = getattr(b, collection).map(lambda element: self._with_names_of_a(self._in_frames_of_a(element)))
                yield from _named_changes(*prefixes, getattr(a, collection), in_a, self._tolerance)
        own = {name: getattr(a, name) for name in COLLECTIONS}
        plain = replace(b, name=a.name, ignored_pairs=self._ignored_pairs_named_as_in_a(), **own)
        paths = PathPair(a.name, b.name)
        if not are_equal_poses(a.pose, b.pose, self._tolerance):
            yield pose_change("position of the model", a.pose, b.pose, paths)
        yield from field_changes(a, replace(plain, pose=a.pose), paths, self._tolerance)

    def _ignored_pairs_named_as_in_a(self) -> tuple[tuple[str, str], ...]:
        """Return the ignored pairs of B with the names of A; those that A has too, in its order and spelling."""
        names = {other: one for one, other in self.matching.bodies.items()}
        found = {frozenset(names.get(body, body) for body in pair) for pair in self.b.model.ignored_pairs}
        known = [pair for pair in self.a.model.ignored_pairs if frozenset(pair) in found]
        new = found - {frozenset(pair) for pair in known}
        return (*known, *sorted((min(pair), max(pair)) for pair in new))

    def _in_frames_of_a(self, element: Any) -> Any:
        for one, other in self.matching.bodies.items():
            frame = self._alignment.of(one)
            if frame is not IDENTITY:
                element = express_in(element, other, frame)
        return element

    def _with_names_of_a(self, element: Any) -> Any:
        bodies = {other: one for one, other in self.matching.bodies.items() if one != other}
        joints = {other: one for one, other in self.matching.joints.items() if one != other}
        return map_references(element, {"bodies": bodies, "joints": joints})
