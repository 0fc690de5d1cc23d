"""Bodies that only one of two models has: parts of their parents in the other one, or added subtrees."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.assets import AssetError, MeshStore
from ossature.kinematics import is_massless
from ossature.kinematics.merge_fixed_joints import merged_joint
from ossature.model import Body, Fixed, Joint, Model
from ossature.model_diff.changes import Category, Change, PathPair
from ossature.model_diff.joint_chains import chains_of, without_chain, without_root
from ossature.model_diff.matching import Matching, Side, match_elements
from ossature.model_diff.tolerance import are_equal


def merge_one_sided_bodies(
    a: Model, b: Model, meshes: tuple[MeshStore, MeshStore], tolerance: float
) -> tuple[Side, Side, Matching, list[Change]]:
    """Return two models in which bodies of only one of them are merged into their parents, if these then agree.

    Formats differ in whether a flange, a tool frame or a cover is a body with a fixed joint, or a part of its parent. Bodies
    that are added, and not merely separate, are left as they are.

    Args:
        meshes: The meshes of A and of B.

    Returns:
        Both models, the matching of their elements, and one change for each merged body.
    """
    sides = [Side.of(a), Side.of(b)]
    matching = match_elements(*sides)
    changes: list[Change] = []
    for number in (0, 1):
        for change in _remove_empty_roots(sides, matching, number):
            changes.append(change)
            matching = match_elements(*sides)
    for number in (0, 1):
        for change in _merge_chains(sides, matching, number):
            changes.append(change)
            matching = match_elements(*sides)
    pending = True
    while pending:
        pending = False
        for number in (0, 1):
            found = _find_merge(sides, matching, number, meshes, tolerance)
            if found is not None:
                body, parent, merged = found
                changes.append(_merged_change(sides[number].model, body, parent, number))
                sides[number] = Side.of(merged)
                matching = match_elements(*sides)
                pending = True
    return sides[0], sides[1], matching, changes


def _remove_empty_roots(sides: list[Side], matching: Matching, number: int) -> Iterator[Change]:
    """Remove roots of only one side to which merely one body is fixed, and yield a change for each.

    Many URDF files have such a root, because programs of ROS do not support inertia of a root link.
    """
    names = {*matching.bodies} if number == 0 else {*matching.bodies.values()}
    while True:
        side = sides[number]
        for branch in side.tree.branches:
            root = branch.body
            is_base = branch.inboard is None or branch.inboard.is_fixed_to_world
            children = side.children.get(root.name, [])
            if root.name in names or not is_base or not _is_empty(root) or len(children) != 1:
                continue
            child = side.branches[children[0]]
            merged = None if child.is_reversed else without_root(side.model, root.name, child.connection)
            if merged is not None:
                sides[number] = Side.of(merged)
                path = PathPair.one_sided(f"{side.model.name}/{root.name}", is_in_a=number == 0)
                yield path.change(Category.STRUCTURE, "body", f"without mass and shapes, to which '{children[0]}' is fixed")
                break
        else:
            return


def _merge_chains(sides: list[Side], matching: Matching, number: int) -> Iterator[Change]:
    """Replace chains of joints that one joint of the other side corresponds to, and yield a change for each."""
    counts = {name: joint.degrees_of_freedom for name, joint in _inboard_joints(sides[1 - number])}
    while True:
        side = sides[number]
        counterparts = matching.bodies if number == 0 else {two: one for one, two in matching.bodies.items()}
        for name, first, second in chains_of(side.model, [name for name in side.branches if name not in counterparts]):
            end = _end_of_chain(side, name)
            total = sum(joint.degrees_of_freedom for joint in _chain_joints(side, end))
            if end not in counterparts or counts.get(counterparts[end]) != total:
                continue
            merged = without_chain(side.model, name, first, second)
            if merged is not None:
                sides[number] = Side.of(merged)
                text = (
                    f"without mass and shapes, between joints '{first.name}' and '{second.name}': one joint on the other side"
                )
                path = PathPair.one_sided(f"{side.model.name}/{name}", is_in_a=number == 0)
                yield path.change(Category.STRUCTURE, "body", text)
                break
        else:
            return


def _inboard_joints(side: Side) -> Iterator[tuple[str, Joint]]:
    for name, branch in side.branches.items():
        if branch.inboard is not None:
            yield name, branch.inboard


def _end_of_chain(side: Side, body: str) -> str:
    """Return the first body below an empty one that is not a link of the chain itself."""
    while len(side.children.get(body, [])) == 1 and is_massless(side.model.bodies[body]):
        body = side.children[body][0]
    return body


def _chain_joints(side: Side, end: str) -> Iterator[Joint]:
    """Yield the joints from a body up to the first one above it that is not massless."""
    body: str | None = end
    while body is not None:
        joint = side.branches[body].inboard
        if joint is None:
            return
        yield joint
        body = joint.parent
        if body is not None and not is_massless(side.model.bodies[body]):
            return


def _find_merge(
    sides: list[Side], matching: Matching, number: int, meshes: tuple[MeshStore, MeshStore], tolerance: float
) -> tuple[Body, str, Model] | None:
    """Return a body that is a part of its parent on the other side: the body, its parent, and the model without it."""
    side, other = sides[number], sides[1 - number]
    counterparts = matching.bodies if number == 0 else {two: one for one, two in matching.bodies.items()}
    for branch in reversed(side.tree.branches):
        body, joint = branch.body, branch.inboard
        if body.name in counterparts or joint is None or not isinstance(joint.type, Fixed) or joint.parent not in counterparts:
            continue
        connection = branch.connection
        if connection is None or not connection.is_joint or branch.is_reversed:
            continue
        parent = str(joint.parent)
        try:
            merged = merged_joint(side.model, connection.joint, meshes[number])
        except AssetError:
            continue
        if _is_part(body, merged.bodies[parent], other.model.bodies[counterparts[parent]], tolerance):
            return body, parent, _without_new_frame(merged, parent, body.name, other.model.bodies[counterparts[parent]])
    return None


def _is_part(body: Body, whole: Body, counterpart: Body, tolerance: float) -> bool:
    """Whether a parent together with a body agrees with the parent of the other side, in mass and numbers of shapes."""
    if _is_empty(body):
        return True
    sizes = [(len(one.visuals), len(one.collisions)) for one in (whole, counterpart)]
    return sizes[0] == sizes[1] and are_equal(whole.inertial.mass, counterpart.inertial.mass, max(tolerance, 1e-6))


def _is_empty(body: Body) -> bool:
    return is_massless(body) and not body.visuals and not body.collisions


def _without_new_frame(model: Model, parent: str, name: str, counterpart: Body) -> Model:
    """Return a model without the frame that marks a merged body, if the other side does not have it."""
    from dataclasses import replace

    if any(frame.name == name for frame in counterpart.frames):
        return model
    body = model.bodies[parent]
    kept = tuple([frame for frame in body.frames if frame.name != name])
    return replace(model, bodies=model.bodies.replaced(replace(body, frames=kept)))


def _merged_change(model: Model, body: Body, parent: str, number: int) -> Change:
    path = f"{model.name}/{body.name}"
    is_frame = _is_empty(body)
    text = (
        f"without mass and shapes, fixed to '{parent}'"
        if is_frame
        else f"whose content belongs to '{parent}' on the other side"
    )
    paths = PathPair.one_sided(path, is_in_a=number == 0)
    return paths.change(category=Category.STRUCTURE, quantity="body", text=text, amount=0.0)


def subtree_changes(a: Side, b: Side, matching: Matching) -> Iterator[Change]:
    """Yield a change for each subtree of bodies that only one side has, and for each such joint that closes a loop."""
    for number, (side, matched, joints) in enumerate(
        ((a, {*matching.bodies}, {*matching.joints}), (b, {*matching.bodies.values()}, {*matching.joints.values()}))
    ):
        in_subtrees = set()
        for branch in side.tree.branches:
            name, parent = branch.body.name, side.parent(branch.body.name)
            if branch.connection is not None:
                in_subtrees.add(branch.connection.name)
            if name in matched:
                continue
            if parent is None or parent in matched:
                yield _one_sided(side, name, _subtree_text(side, name, matched), "body", number)
        for joint in side.model.joints:
            if joint.name not in joints and joint.name not in in_subtrees:
                text = f"from {repr(joint.parent) if joint.parent is not None else 'the world'} to '{joint.child}'"
                yield _one_sided(side, joint.name, text, "joint", number)


def _one_sided(side: Side, name: str, text: str, kind: str, number: int) -> Change:
    paths = PathPair.one_sided(f"{side.model.name}/{name}", is_in_a=number == 0)
    return paths.change(category=Category.STRUCTURE, quantity=kind, text=text)


def _subtree_text(side: Side, name: str, matched: set[str]) -> str:
    bodies = [one for one in side.subtree(name) if one not in matched]
    mass = sum(side.model.bodies[one].inertial.mass for one in bodies)
    more = f" and {len(bodies) - 1} below it" if len(bodies) > 1 else ""
    parent = side.parent(name)
    joint = side.inboard(name)
    at = f", on '{parent}'" if parent is not None else ""
    by = f" by joint '{joint.name}'" if joint is not None else ""
    return f"{more.strip()}{',' if more else ''} {mass:g} kg{at}{by}".strip()
