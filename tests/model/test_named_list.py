"""Named: a sequence that is also looked up by name."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossature.model import Body, Frame, NamedList

X, Y = Body(name="x"), Body(name="y")


def test_by_name_and_by_position() -> None:
    named = NamedList([X, Y])
    assert named["y"] is named[1] is named[-1] is Y
    assert named[:1] == (X,)
    assert named.get("x") is X
    assert named.get("z") is None
    assert named.names() == ("x", "y")
    assert list(named) == [X, Y]
    assert len(named) == 2


def test_what_is_in_it() -> None:
    named = NamedList([X])
    assert "x" in named
    assert "y" not in named
    assert X in named
    assert Y not in named


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no 'z': valid: x, y"):
        NamedList([X, Y])["z"]
    with pytest.raises(KeyError, match="no elements"):
        NamedList[Body]()["z"]
    with pytest.raises(IndexError):
        NamedList([X])[1]


def test_the_first_of_two_keeps_the_name() -> None:
    light = Body(name="x", gravity=False)
    named = NamedList([X, light])
    assert named["x"] is X
    assert named[1] is light


def test_equality_and_hash_follow_the_elements() -> None:
    assert NamedList([X, Y]) == NamedList((Body(name="x"), Body(name="y")))
    assert hash(NamedList([X, Y])) == hash(NamedList([X, Y]))
    assert NamedList([X, Y]) != NamedList([Y, X])
    assert NamedList([X]) != (X,)
    assert not NamedList[Body]()


@pytest.mark.parametrize("used", [False, True])
def test_copies_and_pickles(used: bool) -> None:
    named = NamedList([X, Y])
    if used:
        assert named["x"] is X
    pickled = pickle.loads(pickle.dumps(named))  # noqa: S301  # its own bytes
    for again in (pickled, copy.copy(named), copy.deepcopy(named)):
        assert again == named
        assert again["y"] == Y


@given(st.lists(st.text(max_size=3)))
def test_every_name_is_found(names: list[str]) -> None:
    named = NamedList(Frame(name=name) for name in names)
    assert named.names() == tuple(names)
    for name in names:
        assert named[name] is named[names.index(name)]
