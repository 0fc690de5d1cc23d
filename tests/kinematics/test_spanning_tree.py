"""Spanning trees contain every body, parents first, for any graph of joints."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossature.kinematics import Tree, model_poses, spanning_tree
from ossature.model import Body, Joint, JointType, Model, NamedList, PointOnPlane, Revolute

NAMES = "abcdefg"


def model_of(bodies: list[str], joints: list[tuple[str | None, str]], types: Sequence[JointType] = (Revolute(),)) -> Model:
    """Return a model of bodies and joints; the types are repeated."""
    return Model(
        name="m",
        bodies=NamedList([Body(name=name) for name in bodies]),
        joints=NamedList(
            [
                Joint(name=f"j{i}", type=types[i % len(types)], parent=parent, child=child)
                for i, (parent, child) in enumerate(joints)
            ]
        ),
    )


def shown(tree: Tree) -> list[tuple[str, str | None, int]]:
    return [(branch.body.name, branch.inboard.name if branch.inboard else None, branch.depth) for branch in tree.branches]


def test_children_are_in_file_order() -> None:
    tree = spanning_tree(model_of(list("cab"), [("a", "b"), ("a", "c"), (None, "a")]))
    assert shown(tree) == [("a", "j2", 0), ("b", "j0", 1), ("c", "j1", 1)]
    assert not tree.loop_joints


def test_a_body_without_a_joint_is_a_root() -> None:
    assert shown(spanning_tree(model_of(list("ab"), []))) == [("a", None, 0), ("b", None, 0)]


def test_a_second_joint_of_a_child_closes_a_loop() -> None:
    tree = spanning_tree(model_of(list("abc"), [("a", "b"), ("b", "c"), ("a", "c")]))
    assert shown(tree) == [("a", None, 0), ("b", "j0", 1), ("c", "j1", 2)]
    assert [joint.name for joint in tree.loop_joints] == ["j2"]


def test_joints_of_unknown_bodies_are_ignored() -> None:
    assert shown(spanning_tree(model_of(["a"], [("x", "a"), ("a", "y"), (None, "a")]))) == [("a", "j2", 0)]


@pytest.mark.parametrize(
    ("bodies", "joints", "roots", "loops"),
    [
        ("a", [("a", "a")], "a", ["j0"]),
        ("ab", [("a", "b"), ("b", "a")], "a", ["j1"]),
        ("tba", [("a", "b"), ("b", "a"), ("a", "t")], "t", ["j1"]),
        ("stab", [("t", "s"), ("a", "t"), ("a", "b"), ("b", "a")], "s", ["j3"]),
        ("abcd", [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")], "ac", ["j1", "j3"]),
    ],
)
def test_a_cycle_is_cut_once(bodies: str, joints: list[tuple[str | None, str]], roots: str, loops: list[str]) -> None:
    tree = spanning_tree(model_of(list(bodies), joints))
    assert [branch.body.name for branch in tree.branches if branch.inboard is None] == list(roots)
    assert [joint.name for joint in tree.loop_joints] == loops
    assert sorted(branch.body.name for branch in tree.branches) == sorted(bodies)


def test_joints_that_point_towards_the_root_are_reversed() -> None:
    tree = spanning_tree(model_of(list("ab"), [(None, "a"), ("b", "a")]))
    first, second = tree.branches
    assert (second.body.name, second.is_reversed) == ("b", True)
    assert second.inboard is not None
    assert (second.inboard.parent, second.inboard.child, second.inboard.name) == ("a", "b", "j1")
    assert not first.is_reversed


@given(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=9),
    st.lists(st.tuples(st.sampled_from([*NAMES, None]), st.sampled_from(NAMES)), max_size=12),
    st.lists(st.sampled_from([Revolute(), PointOnPlane()]), min_size=1, max_size=5),
)
def test_properties_of_spanning_trees(bodies: list[str], joints: list[tuple[str | None, str]], types: list[JointType]) -> None:
    """Also with joints that cannot be reversed: those of points on planes."""
    model = model_of(bodies, joints, types)
    tree = spanning_tree(model)
    depths: dict[str, int] = {}
    for branch in tree.branches:
        parent = branch.inboard.parent if branch.inboard else None
        assert branch.depth == (depths[parent] + 1 if parent is not None else 0), "parents come first"
        depths[branch.body.name] = branch.depth
    assert len(tree.branches) == len(depths)
    assert set(depths) == set(bodies)
    inboard = [branch.inboard for branch in tree.branches if branch.inboard is not None]
    known = [j for j in model.joints if j.child in depths and (j.parent is None or j.parent in depths)]
    assert sorted(joint.name for joint in (*inboard, *tree.loop_joints)) == sorted(joint.name for joint in known)
    assert set(model_poses(model)) == set(bodies)


@pytest.mark.parametrize("shape", ["chain", "backwards", "star", "circle", "tail of a circle"])
def test_ten_thousand_bodies(shape: str) -> None:
    count = 10_000
    names = [f"b{i}" for i in range(count)]
    chain: list[tuple[str | None, str]] = [(names[i], names[i + 1]) for i in range(count - 1)]
    backwards: list[tuple[str | None, str]] = [(child, str(parent)) for parent, child in chain]
    joints: dict[str, list[tuple[str | None, str]]] = {
        "chain": [(None, "b0"), *chain],
        "backwards": backwards,
        "star": [("b0", name) for name in names[1:]],
        "circle": [*chain, (names[-1], "b0")],
        "tail of a circle": [*backwards, (names[-1], names[-1])],
    }
    model = model_of(names, joints[shape])
    start = time.process_time()
    tree = spanning_tree(model)
    assert len(model_poses(model, tree=tree)) == count
    assert time.process_time() - start < 5.0, "some 0.2 s where time grows with the size, minutes where with its square"
    assert len(tree.loops) == ("circle" in shape)
