"""What a ledger answers."""

from __future__ import annotations

import pytest

from ossature.diagnostics import Ledger, Location, Source
from ossature.diagnostics.ledger import Action, LedgerEntry, WrittenName


def test_lossless_until_something_is_approximated_or_dropped() -> None:
    ledger = Ledger()
    assert ledger.lossless
    ledger.rewritten("arm/elbow", "as two joints")
    ledger.extension("arm", "in <extra>")
    assert ledger.lossless
    ledger.approximated("arm/hand.collisions[0]", "as its hull", error=0.01)
    assert not ledger.lossless
    assert [entry.action for entry in ledger] == [Action.REWRITTEN, Action.EXTENSION, Action.APPROXIMATED]
    assert len(ledger) == 3


def test_dropping_loses() -> None:
    ledger = Ledger()
    ledger.dropped("arm", "no words for it")
    assert not ledger.lossless


@pytest.mark.parametrize("path", ["arm/elbow", "arm/elbow.type", "arm/elbow[0]", "arm/elbow/frame.pose.wxyz"])
def test_covers_what_is_inside(path: str) -> None:
    ledger = Ledger()
    ledger.dropped("arm/elbow", "no words for it")
    assert ledger.covers(path)


@pytest.mark.parametrize("path", ["arm", "arm/elbow2", "arm/el", "other/arm/elbow", ""])
def test_covers_nothing_else(path: str) -> None:
    ledger = Ledger()
    ledger.dropped("arm/elbow", "no words for it")
    assert not ledger.covers(path)


def test_covers_names_with_marks_in_them() -> None:
    ledger = Ledger()
    ledger.dropped("arm/a.b[c]/d", "no words for it")
    assert ledger.covers("arm/a.b[c]/d.pose")
    assert not ledger.covers("arm/a.b[c]")


def test_json() -> None:
    ledger = Ledger()
    ledger.approximated(
        "a.x", "rounded", error=0.5, before="1 m", after="1.5 m", location=Location(Source("f.skel", b"\n<a/>"), 1)
    )
    ledger.dropped("b", "no words for it")
    assert ledger.to_records() == [
        {"action": "approximated", "path": "a.x", "detail": "rounded", "error": 0.5, "before": "1 m", "after": "1.5 m"}
        | {"file": "f.skel", "line": 2},
        {"action": "dropped", "path": "b", "detail": "no words for it", "error": None, "before": None, "after": None}
        | {"file": None, "line": None},
    ]


def test_an_omitted_comment_is_no_loss() -> None:
    ledger = Ledger()
    ledger.omitted("robot.urdf:3", "comment")
    assert ledger.lossless


def test_a_dropped_item_of_a_list_changes_the_length_of_the_list() -> None:
    ledger = Ledger()
    ledger.dropped("arm/hand.visuals[1]", "no words for it")
    assert ledger.covers("arm/hand.visuals")


def test_lines_state_values_before_and_after() -> None:
    ledger = Ledger()
    ledger.approximated("a.x", "rounded", before="1 m", after="y" * 1000)
    assert ledger.lines() == [f"approximated: a.x (1 m → {'y' * 70}…): rounded"]


def test_empty_texts_have_no_empty_parentheses() -> None:
    ledger = Ledger()
    ledger.dropped("a.visuals[0].name", "without name", before="")
    ledger.renamed(WrittenName(model="", collection="models", name="", written="b"))
    assert ledger.lines() == ["dropped: a.visuals[0].name: without name", "approximated: .name ('' → b): the name is changed"]


def test_lines_are_grouped_and_counted() -> None:
    ledger = Ledger()
    for number in range(5):
        ledger.approximated(f"arm/b{number}", "as its hull", error=0.1 * number)
    ledger.dropped("arm", "no words for it")
    assert ledger.lines() == [
        "approximated: arm/b0, arm/b1, arm/b2 and 2 more: as its hull (error 0.4 at most)",
        "dropped: arm: no words for it",
    ]


def test_an_entry_reads_as_a_line() -> None:
    assert str(LedgerEntry(action=Action.APPROXIMATED, path="a.x", detail="rounded", error=0.25)) == (
        "approximated: a.x: rounded (error 0.25)"
    )


def test_an_added_element_does_not_cover_another_one_with_its_path() -> None:
    ledger = Ledger()
    ledger.added("arm/elbow", "an actuator of the joint")
    assert ledger.covers_added("arm/elbow")
    assert not ledger.covers("arm/elbow.coordinates[0].damping")
    assert ledger.lossless


@pytest.mark.parametrize("is_added_first", [True, False])
def test_an_element_that_is_added_and_one_that_is_rewritten_are_covered_in_any_order(is_added_first: bool) -> None:
    ledger, detail = Ledger(), "fixed to its parent"
    for record in (ledger.added, ledger.rewritten) if is_added_first else (ledger.rewritten, ledger.added):
        record("arm/base_joint", detail)
    assert ledger.covers("arm/base_joint.type")
    assert ledger.covers_added("arm/base_joint")
    assert len(ledger) == 1
