"""Differences between two robots in words of the model."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from complete_robot import robot
from conftest import PROJECT, corpus_folder
from growth import is_growth_below
from ossature import diff, load, save
from ossature.diagnostics import Report
from ossature.formats.load_file import read_file
from ossature.kinematics import poses
from ossature.model import Body, Fixed, Inertial, Joint, Prismatic, Revolute, World
from ossature.model_diff import Category, Change, WorldDiff, matching
from ossature.model_diff.diff_text import diff_lines
from ossature.model_diff.matching import Side, match_elements
from ossature.spatial import Pose, norm, quaternion_from_axis_angle, subtract
from perturb import perturbations

ARM = PROJECT / "examples" / "arm.skel"
SUFFIXES = {".skel", ".urdf", ".dae", ".zae", ".yaml"}


def arm() -> World:
    return load(ARM)


def texts(found: WorldDiff) -> list[str]:
    return [str(change) for change in found.changes]


def one(found: WorldDiff) -> Change:
    assert len(found.changes) == 1, found
    return found.changes[0]


def corpus_files() -> Iterator[Path]:
    folder = corpus_folder()
    if folder is not None:
        for part in ("skel", "urdf", "openrave", "chrono", "mechanisms"):
            yield from sorted(file for file in (folder / "corpus" / part).rglob("*") if file.suffix in SUFFIXES)


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_a_file_does_not_differ_from_itself(corpus: Path, step: int) -> None:
    compared = 0
    for file in [*corpus_files()][::step]:
        first, second = (read_file(file, Report()) for _ in range(2))
        if first is not None and second is not None:
            found = diff(first, second)
            assert not found, (file, texts(found))
            assert found.poses is None or found.poses.anywhere < 1e-9, file
            compared += 1
    assert compared > 100 / step


# Each change is found where it was made


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("world", [robot(), pytest.param(arm(), marks=pytest.mark.slow)], ids=["robot", "arm"])
def test_each_change_is_found_at_its_path(world: World, step: int) -> None:
    for where, changed in [*perturbations(world)][::step]:
        if where.endswith(".name"):
            continue  # references would be dangling: see the test of renaming
        found = diff(world, changed)
        if not found:
            assert _is_invisible(world, changed, where), where
            continue
        element = where.partition(".")[0].partition("[")[0]
        around = {element, *_neighbours(world, element)}
        for change in found.changes:
            assert {change.path_a, change.path_b} - {None} <= around or "/" not in element, (where, str(change))


def _neighbours(world: World, path: str) -> set[str]:
    """Return the joints of a body, whose positions change with its pose, and the bodies of a joint."""
    model, _, name = path.partition("/")
    if model not in world.models:
        return {""}
    joints = [joint for joint in world.models[model].joints if name in (joint.parent, joint.child, joint.name)]
    return {f"{model}/{other}" for joint in joints for other in (joint.name, joint.parent, joint.child)}


def _is_invisible(world: World, changed: World, where: str) -> bool:
    """Whether a change of a joint's frame, such as a shift along its axis, moves no body in any configuration."""
    model, _, name = where.partition(".")[0].partition("/")
    if not {"pose", "anchor"} & {*where.split(".")} or name not in world.models[model].joints:
        return False
    joint = world.models[model].joints[name]
    for value in (0.0, 0.7):
        at = {model: {name: [value] * joint.degrees_of_freedom}}
        placed = [poses(each, at)[model] for each in (world, changed)]
        for body, pose in placed[0].items():
            if norm(subtract(pose.position, placed[1][body].position)) > 1e-9:
                return False
    return True


@pytest.mark.parametrize("world", [robot(), arm()], ids=["robot", "arm"])
def test_renamed_bodies_and_joints_are_found(world: World) -> None:
    for model in world.models:
        for kind, elements in ((Body, model.bodies), (Joint, model.joints)):
            for element in elements:
                path = f"{model.name}/{element.name}"
                found = diff(world, world.rename(path, f"{element.name} renamed", kind))
                assert texts(found) == [
                    f"{path}: name of the {kind.__name__.lower()} '{element.name}' → '{element.name} renamed'"
                ]
                assert one(found).category is Category.NAMES


def siblings(prefix: str, places: Sequence[int]) -> World:
    """Return a World of equal bodies, at other places, on one base."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{prefix}{place}">{inertial}</link>' for place in places)
    joints = "".join(
        f'<joint name="joint_{prefix}{place}" type="continuous"><parent link="base"/><child link="{prefix}{place}"/>'
        f'<origin xyz="{place} 0 0"/></joint>'
        for place in places
    )
    return load(f'<robot name="r"><link name="base"/>{links}{joints}</robot>'.encode(), format="urdf")


@pytest.mark.parametrize("count", [20, 200])
def test_many_renamed_siblings_correspond_by_their_places(count: int) -> None:
    order = random.Random(count).sample(range(count), count)
    a, b = siblings("a", range(count)), siblings("b", order)
    found = diff(a, b)
    assert {change.category for change in found.changes} == {Category.NAMES}
    bodies = match_elements(Side.of(a.models[0]), Side.of(b.models[0])).bodies
    assert bodies == {"base": "base", **{f"a{place}": f"b{place}" for place in range(count)}}


def test_renamed_siblings_without_equal_ones_are_not_compared_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_traits", None)  # of a pair
    a, b = siblings("a", range(60)), siblings("b", range(60))
    lighter = replace(b.models[0], bodies=[replace(body, inertial=Inertial(mass=0.5)) for body in b.models[0].bodies])
    assert match_elements(Side.of(a.models[0]), Side.of(lighter)).bodies == {"base": "base"}


def test_all_bodies_and_joints_renamed_at_once_are_found_by_structure() -> None:
    world = renamed = arm()
    for kind, names in ((Body, world.models["arm"].bodies.names()), (Joint, world.models["arm"].joints.names())):
        for number, name in enumerate(names):
            renamed = renamed.rename(f"arm/{name}", f"{kind.__name__} {number}", kind)
    found = diff(world, renamed)
    assert {change.category for change in found.changes} == {Category.NAMES}
    assert found.bodies["arm/hand"] == "arm/Body 4"
    assert len(diff_lines(found)) == 4  # the heading, one line for each kind, and the summary


def test_exchanged_files_give_mirrored_differences() -> None:
    world, other = arm(), arm()
    with other.edit() as edit:
        edit["arm/upper_arm"].mass = 2.5
        edit["arm/elbow"].limits = (-1.0, 1.0)
        edit["arm/hand"].pose = (0.0, 0.01, 1.0)
        edit.remove("arm/finger", cascade=True)
        edit.rename("arm/forearm", "lower")
    forward, backward = diff(world, edit.world), diff(edit.world, world)
    assert len(forward.changes) >= 5

    def sides(found: WorldDiff, order: int) -> Counter[tuple[object, ...]]:
        return Counter((change.category, change.quantity, *(change.path_a, change.path_b)[::order]) for change in found.changes)

    assert sides(forward, 1) == sides(backward, -1)


# One cause is one difference


def edited(**changes: object) -> World:
    with arm().edit() as edit:
        for path, value in changes.items():
            name, _, field = path.partition("__")
            setattr(edit[f"arm/{name}"], field, value)
    world: World = edit.world
    return world


def test_a_reversed_axis_is_one_difference() -> None:
    joint = arm().models["arm"].joints["elbow"]
    axis = tuple(-part for part in joint.type.axis)  # type: ignore[union-attr]
    found = diff(arm(), edited(elbow__type=Revolute(axis=axis)))  # type: ignore[arg-type]
    assert texts(found) == ["arm/elbow: axis reversed: positive positions are on the other side"]
    assert found.poses is not None
    assert found.poses.anywhere < 1e-9  # positions of B are those of A with the other sign


def test_a_reversed_axis_with_its_limits_reversed_too() -> None:
    world = edited(elbow__limits=(-1.0, 2.0))
    joint = world.models["arm"].joints["elbow"]
    axis = tuple(-part for part in joint.type.axis)  # type: ignore[union-attr]
    other = world.replace_at("arm/elbow", type=Revolute(axis=axis), limits=(-2.0, 1.0))  # type: ignore[arg-type]
    assert texts(diff(world, other)) == ["arm/elbow: axis reversed: positive positions are on the other side"]


def _with_other_zero(world: World, name: str, angle: float) -> World:
    """Return a World in which a joint of the arm has another zero: all bodies that it moves are rotated about its axis."""
    model = world.models["arm"]
    joint = model.joints[name]
    pivot = model.bodies[joint.child].pose @ joint.pose
    assert isinstance(joint.type, Revolute)
    turn = pivot @ Pose(wxyz=quaternion_from_axis_angle(joint.type.axis, angle)) @ pivot.inverse()
    moved, pending = [], [joint.child]
    while pending:
        body = model.bodies[pending.pop()]
        moved.append(replace(body, pose=turn @ body.pose))
        pending += [other.child for other in model.joints if other.parent == body.name]
    limits = joint.coordinates[0].position_limits
    shifted = replace(
        joint.coordinates[0],
        position_limits=replace(limits, lower=limits.lower - angle, upper=limits.upper - angle),
        initial_position=joint.coordinates[0].initial_position - angle,
        spring_reference=joint.coordinates[0].spring_reference - angle,
    )
    changed = replace(
        model, bodies=model.bodies.replaced(*moved), joints=model.joints.replaced(replace(joint, coordinates=(shifted,)))
    )
    return replace(world, models=world.models.replaced(changed))


def test_another_zero_of_a_joint_is_one_difference() -> None:
    found = diff(arm(), _with_other_zero(arm(), "lift", math.radians(30.0)))
    assert texts(found) == ["arm/lift: zero of B is at 30° of A"]
    assert one(found).amount == pytest.approx(math.radians(30.0))
    assert found.poses is not None
    assert found.poses.anywhere < 1e-9


def _in_other_frame(world: World, name: str, frame: Pose) -> World:
    """Return a World in which a body of the arm has another frame, which has a pose in the old one."""
    from ossature.model_diff.body_contents import body_in_frame

    model = world.models["arm"]
    joints = [replace(one, pose=frame.inverse() @ one.pose) if one.child == name else one for one in model.joints]
    body = body_in_frame(model.bodies[name], frame.inverse())
    changed = replace(model, bodies=model.bodies.replaced(body), joints=model.joints.replaced(*joints))
    return replace(world, models=world.models.replaced(changed))


def test_other_frames_of_bodies_are_no_other_differences() -> None:
    frame = Pose((0.1, -0.2, 0.3), quaternion_from_axis_angle((0.0, 0.6, 0.8), 1.1))
    world = arm()
    for name in ("upper_arm", "forearm", "finger"):
        world = _in_other_frame(world, name, frame)
    found = diff(arm(), world)
    assert {change.category for change in found.changes} == {Category.FRAMES}
    assert sorted(change.path for change in found.changes) == ["arm/finger", "arm/forearm", "arm/upper_arm"]
    assert found.poses is not None
    assert found.poses.anywhere < 1e-9


def test_a_flange_that_is_part_of_its_parent_is_one_difference() -> None:
    world = arm()
    pose = world.models["arm"].bodies["hand"].pose @ Pose((0.0, 0.0, 0.1))
    flange = Body(name="flange", pose=pose, inertial=Inertial.from_sphere(0.5, 0.1))
    apart = world.add("arm", flange, Joint(name="flange_joint", type=Fixed(), parent="hand", child="flange"))
    from ossature.kinematics.merge_fixed_joints import merge_fixed_joints

    found = diff(apart, merge_fixed_joints(apart))
    assert texts(found) == ["arm/flange: body whose content belongs to 'hand' on the other side (only in A)"]
    added = diff(world, apart)
    assert texts(added) == ["arm/flange: body 0.5 kg, on 'hand' by joint 'flange_joint' (only in B)"]


def test_equal_formulas_with_other_stated_derivatives_are_one_difference_that_states_them() -> None:
    picker = load(PROJECT / "examples" / "picker.dae")
    follower = picker["picker/right_slide"]
    (coordinate,) = follower.coordinates
    without = replace(coordinate, coupling=replace(coordinate.coupling, partials=()))
    changed = picker.replace_at("picker/right_slide", coordinates=(without,))
    assert one(diff(picker, changed)).text == "-left_slide: stated partial derivatives -1 by left_slide → none"


def test_the_unit_follows_a_number() -> None:
    bounded = arm().replace_at("arm/elbow", velocity_limits=(-10.0, 10.0))
    unbounded = arm().replace_at("arm/elbow", velocity_limits=(-math.inf, math.inf))
    assert one(diff(bounded, unbounded)).text == "-10 to 10 rad/s → unbounded"
    assert one(diff(unbounded, bounded)).text == "unbounded → -10 to 10 rad/s"


def test_tolerance() -> None:
    other = edited(elbow__damping=2.0001)
    first = edited(elbow__damping=2.0)
    assert diff(first, other)
    assert not diff(first, other, tolerance=1e-3)
    assert diff(first, other, tolerance=0.0)


def test_json_and_text() -> None:
    found = diff(edited(elbow__damping=2.0), edited(elbow__damping=3.0))
    (data,) = found.to_dict()["differences"]
    assert data == {
        "category": "dynamics",
        "path_a": "arm/elbow",
        "path_b": "arm/elbow",
        "field": "coordinates[0].damping",
        "quantity": "damping",
        "text": "2 → 3 N·m·s/rad (+50 %)",
        "amount": 1.0,
    }
    assert diff_lines(found)[:2] == ["dynamics:", "  elbow: damping 2 → 3 N·m·s/rad (+50 %)"]


# Formats


@pytest.mark.parametrize("suffix", ["dae", "urdf", "skel"])
def test_a_converted_robot_differs_only_by_the_ledger(suffix: str, tmp_path: Path) -> None:
    world = arm()
    path = tmp_path / f"arm.{suffix}"
    ledger = save(world, path)
    found = diff(world, path)
    for change in found.changes:
        is_generated = change.category is Category.STRUCTURE and change.path_a is None
        described = f"{change.path}.{change.field}".strip(".")
        assert is_generated or ledger.covers(described) or ledger.covers(change.path), str(change)
    if suffix == "dae":
        assert not found, texts(found)
    assert found.poses is not None
    assert found.poses.anywhere < 1e-9


def test_joints_with_several_axes_are_found_as_chains_of_joints(tmp_path: Path) -> None:
    save(arm(), tmp_path / "arm.urdf")
    found = diff(ARM, tmp_path / "arm.urdf")
    assert not [change for change in found.changes if change.category is Category.KINEMATICS], texts(found)
    assert "one joint on the other side" in str(found)


def test_a_slide_with_another_zero() -> None:
    world = arm()
    joint = world.models["arm"].joints["grip"]
    assert isinstance(joint.type, Prismatic)
    axis = joint.type.axis
    body = world.models["arm"].bodies["finger"]
    placed = replace(
        body, pose=body.pose @ joint.pose @ Pose((0.01 * axis[0], 0.01 * axis[1], 0.01 * axis[2])) @ joint.pose.inverse()
    )
    model = replace(world.models["arm"], bodies=world.models["arm"].bodies.replaced(placed))
    found = diff(world, replace(world, models=world.models.replaced(model)))
    assert texts(found) == ["arm/grip: zero of B is at 10 mm of A"]


def renamed_chains(count: int) -> tuple[World, World]:
    """Return a chain of links, and the same with another name for each link."""
    chain = [f'<link name="a{i}"><visual><geometry><box size="1 1 1"/></geometry></visual></link>' for i in range(count)]
    chain += [f'<joint name="j{i}" type="fixed"><parent link="a{i - 1}"/><child link="a{i}"/></joint>' for i in range(1, count)]
    text = f'<robot name="r">{"".join(chain)}</robot>'
    renamed = text.replace('name="a', 'name="q').replace('link="a', 'link="q')
    return load(text.encode(), format="urdf"), load(renamed.encode(), format="urdf")


def test_the_time_of_matching_renamed_bodies_is_not_cubic() -> None:
    few, many = renamed_chains(30), renamed_chains(150)
    assert len(diff(*few).changes) == 30
    assert is_growth_below(18.0, lambda: diff(*few), lambda: diff(*many))
