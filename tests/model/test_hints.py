"""Hints: typed extensions of elements, and how files spell them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.collada import read_collada, write_collada
from ossature.formats.collada.native_extension.codec import fields_of, node_of, value_of
from ossature.model import (
    Body,
    ChronoContact,
    Coordinate,
    DartStepping,
    Extension,
    Model,
    ModelError,
    NamedList,
    OpenravePlanning,
    World,
    hint_of,
    with_hint,
)
from ossature.model.fingerprint import digest
from ossature.syntax import xml

PLANNING = OpenravePlanning(weight=2.0, resolution=0.25)
CONTACT = ChronoContact(method="SMC")


def test_a_hint_is_found_by_its_class_and_replaced() -> None:
    world = with_hint(with_hint(World(), DartStepping()), CONTACT)
    assert world.hints == (CONTACT, DartStepping())
    assert hint_of(world, ChronoContact) is CONTACT
    assert with_hint(world, ChronoContact(method="NSC")).hints == (ChronoContact(method="NSC"), DartStepping())
    assert hint_of(World(), DartStepping) is None


def test_the_order_of_hints_is_defined() -> None:
    assert World(hints=(DartStepping(), CONTACT)) == World(hints=(CONTACT, DartStepping()))


def test_a_hint_that_states_nothing_is_none() -> None:
    assert Coordinate(hints=(OpenravePlanning(),)) == Coordinate()


def test_hints_of_one_class_or_of_another_element_are_refused() -> None:
    with pytest.raises(ModelError, match="several of one class"):
        World(hints=(CONTACT, CONTACT))
    with pytest.raises(ModelError, match=r"Body 'b'\.hints"):
        Body(name="b", hints=(PLANNING,))  # type: ignore[arg-type]


def test_hints_are_spelled_as_fields_of_their_element() -> None:
    node = node_of(Coordinate(hints=(PLANNING,)))
    assert node.attributes == {"planning_weight": "2", "planning_resolution": "0.25"}
    assert value_of([Coordinate], node) == Coordinate(hints=(PLANNING,))


def test_a_partial_hint_is_added_to_that_of_the_element() -> None:
    node = xml.element("Coordinate", {"planning_weight": "3"})
    assert fields_of(Coordinate, node, (PLANNING,)) == {"hints": (OpenravePlanning(weight=3.0, resolution=0.25),)}
    assert fields_of(Coordinate, xml.element("Coordinate", {"unset": "planning_weight"}), (PLANNING,)) == {
        "hints": (OpenravePlanning(resolution=0.25),)
    }


@pytest.mark.parametrize("hints", [(), (DartStepping(),), (CONTACT,), (CONTACT, DartStepping())])
def test_collada_preserves_hints(hints: tuple[DartStepping | ChronoContact, ...]) -> None:
    world = World(hints=hints, models=NamedList([Model(name="m", bodies=NamedList([Body(name="b")]))]))
    assert read(write_collada(world, Ledger())).hints == hints


def test_files_of_older_versions_are_read() -> None:
    world = World(models=NamedList([Model(name="m", bodies=NamedList([Body(name="b")]))]), end_time=2.5)
    old = replace(world, extensions=(Extension(format="chrono", key="contact_method", value="NSC"),))
    text = write_collada(old, Ledger()).replace('end_time="2.5"', 'end_time="2.5" steps_as_dart="true"')
    assert 'steps_as_dart="true"' in text
    again = read(text)
    assert again.hints == (ChronoContact(method="NSC"), DartStepping())
    assert again.extensions == ()


def test_the_fingerprint_of_a_coordinate_is_that_of_older_versions() -> None:
    """The digests are those of the version in which hints were fields of their element."""
    assert digest(Coordinate()) == "ac46d93a4069e06770427b893a2ff437"
    assert digest(Coordinate(hints=(PLANNING,))) == "7564bccd7de39bc696ecebdc7cc99496"


def read(text: str) -> World:
    report = Report()
    world = read_collada(Source("w.dae", text.encode()), report)
    assert world is not None
    assert not report
    return world
